//! The pieces of the six games, each against the words of its rules.

use std::collections::BTreeSet;

use super::super::{From, Stop, compile};
use super::play::{
    Need, Offset, Path, Squares, all_of, line, moves, paths, paths_by_target, quiet, squares, union,
};

const BOTH: Stop = Stop {
    quiet: true,
    capture: true,
    en_passant: false,
    own_half: false,
    marks_passed: false,
};
const QUIET: Stop = Stop {
    capture: false,
    ..BOTH
};
const CAPTURE: Stop = Stop {
    quiet: false,
    ..BOTH
};
const PAWN_CAPTURE: Stop = Stop {
    en_passant: true,
    ..CAPTURE
};
const ORTHOGONALS: [Offset; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
const DIAGONALS: [Offset; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

type Ways = BTreeSet<(Path, (bool, bool, bool, bool, bool))>;

fn flags(stop: Stop) -> (bool, bool, bool, bool, bool) {
    (
        stop.quiet,
        stop.capture,
        stop.en_passant,
        stop.own_half,
        stop.marks_passed,
    )
}

/// All paths of a text that begin anywhere.
fn ways(text: &str) -> Ways {
    let found = paths(&compile(text).unwrap());
    assert!(found.iter().all(|(from, ..)| *from == From::Anywhere));
    found
        .into_iter()
        .map(|(_, path, stop)| (path, flags(stop)))
        .collect()
}

/// Whether two texts have the same paths with the same ends.
pub(super) fn same_moves(one: &str, other: &str) -> bool {
    ways(one) == ways(other)
}

/// A path over empty squares to the last square of the list.
fn over_empty(squares: &[Offset], stop: Stop) -> (Path, (bool, bool, bool, bool, bool)) {
    let (target, over) = squares.split_last().unwrap();
    let path = Path {
        over: over.iter().map(|&square| (square, Need::Empty)).collect(),
        target: *target,
    };
    (path, flags(stop))
}

/// The ride of some steps from `start`, as paths that begin with the squares `before`.
fn ride(before: &[Offset], step: Offset, longest: i8, stop: Stop) -> Ways {
    let mut squares = before.to_vec();
    let mut ways = Ways::new();
    for _ in 0..longest {
        let (x, y) = squares.last().copied().unwrap_or((0, 0));
        let next = (x + step.0, y + step.1);
        if next.0.abs().max(next.1.abs()) > 15 {
            break;
        }
        squares.push(next);
        ways.insert(over_empty(&squares, stop));
    }
    ways
}

fn joined(sets: impl IntoIterator<Item = Ways>) -> Ways {
    sets.into_iter().flatten().collect()
}

fn leaps(squares: &Squares, stop: Stop) -> Ways {
    squares
        .iter()
        .map(|&square| over_empty(&[square], stop))
        .collect()
}

fn times((x, y): Offset, factor: i8) -> Offset {
    (x * factor, y * factor)
}

/// The two directions outward after a first leg in `step`.
fn outward(step: Offset) -> [Offset; 2] {
    match step {
        (x, 0) => [(x, 1), (x, -1)],
        (0, y) => [(1, y), (-1, y)],
        (x, y) => [(x, 0), (0, y)],
    }
}

/// Steps in one direction, any of which may end the move, then a ride outward.
fn bent_rider(first: &[Offset], steps: i8) -> Ways {
    joined(first.iter().flat_map(|&step| {
        let leg: Vec<Offset> = (1..=steps).map(|count| times(step, count)).collect();
        let mut all = vec![ride(&[], step, steps, BOTH)];
        all.extend(outward(step).map(|turn| ride(&leg, turn, 15, BOTH)));
        all
    }))
}

#[test]
fn orthodox_riders_go_straight_until_the_first_man() {
    let rook = joined(ORTHOGONALS.map(|step| ride(&[], step, 15, BOTH)));
    let bishop = joined(DIAGONALS.map(|step| ride(&[], step, 15, BOTH)));
    assert_eq!(ways("R"), rook);
    assert_eq!(ways("B"), bishop);
    assert_eq!(ways("Q"), joined([rook, bishop]));
    let blocked = moves("R", &[(0, 3), (2, 0)], 7);
    assert_eq!(blocked.capture, squares(&[(0, 3), (2, 0)]));
    assert_eq!(
        blocked.quiet,
        union(&[
            squares(&[(0, 1), (0, 2), (1, 0)]),
            line((-1, 0), (-1, 0), 7),
            line((0, -1), (0, -1), 7),
        ])
    );
}

#[test]
fn leapers_and_their_compounds() {
    let (w, f, d, a) = (all_of(0, 1), all_of(1, 1), all_of(0, 2), all_of(2, 2));
    let (h, n, l, z) = (all_of(0, 3), all_of(1, 2), all_of(1, 3), all_of(2, 3));
    assert_eq!(ways("K"), leaps(&union(&[w.clone(), f.clone()]), BOTH));
    assert_eq!(ways("WAD"), leaps(&union(&[w, a.clone(), d]), BOTH));
    assert_eq!(ways("FL"), leaps(&union(&[f, l]), BOTH));
    let knight = joined([leaps(&n, BOTH), leaps(&union(&[h, a]), QUIET)]);
    assert_eq!(ways("NmHmA"), knight);
    let bishop = joined(DIAGONALS.map(|step| ride(&[], step, 15, BOTH)));
    assert_eq!(ways("BZ"), joined([bishop, leaps(&z, BOTH)]));
}

#[test]
fn capablanca_and_grand_chess_compounds() {
    let knight = leaps(&all_of(1, 2), BOTH);
    assert_eq!(ways("BN"), joined([ways("B"), knight.clone()]));
    assert_eq!(ways("RN"), joined([ways("R"), knight.clone()]));
    assert_eq!(ways("QN"), joined([ways("Q"), knight]));
}

#[test]
fn knightrider_rides_knight_steps() {
    let expected = joined(
        all_of(1, 2)
            .into_iter()
            .map(|step| ride(&[], step, 15, BOTH)),
    );
    assert_eq!(ways("NN"), expected);
    assert_eq!(ways("N0"), expected);
    // (1, 2) stays within 15 squares for seven steps.
    assert!(quiet("NN").contains(&(7, 14)));
}

#[test]
fn dragon_and_griffin_turn_outward_after_one_step() {
    assert_eq!(ways("FyafsF"), bent_rider(&DIAGONALS, 1));
    assert_eq!(ways("[F?R]"), bent_rider(&DIAGONALS, 1));
    assert_eq!(ways("[F?fsR]"), bent_rider(&DIAGONALS, 1));
    assert_eq!(ways("WyafsW"), bent_rider(&ORTHOGONALS, 1));
    assert_eq!(ways("[W?B]"), bent_rider(&ORTHOGONALS, 1));
    assert_eq!(ways("[W?fsB]"), bent_rider(&ORTHOGONALS, 1));
}

#[test]
fn lion_and_tiger_ride_first() {
    let lion = joined([bent_rider(&DIAGONALS, 2), leaps(&all_of(0, 2), BOTH)]);
    assert_eq!(ways("DB2afyasfF"), lion);
    let tiger = joined([bent_rider(&ORTHOGONALS, 3), leaps(&all_of(2, 2), BOTH)]);
    assert_eq!(ways("AR3afafyasfW"), tiger);
}

#[test]
fn dragon_stops_and_captures_on_the_first_square_but_needs_it_empty_to_go_on() {
    let near = moves("FyafsF", &[(1, 1), (-1, 3)], 5);
    assert_eq!(near.capture, squares(&[(1, 1), (-1, 3)]));
    assert!(!near.quiet.contains(&(1, 2)) && !near.quiet.contains(&(2, 1)));
    assert!(near.quiet.contains(&(-1, 2)) && !near.quiet.contains(&(-1, 4)));
    assert!(near.quiet.contains(&(-5, 1)));
}

#[test]
fn vulture_has_four_paths_to_each_of_sixteen_squares() {
    let text = "afafafsKafsafafKafafraflKafaflafrKafraflafKaflafrafK";
    let found = paths_by_target(text);
    let targets: Squares = found.keys().copied().collect();
    assert_eq!(targets, union(&[all_of(4, 1), all_of(4, 3)]));
    assert_eq!(targets.len(), 16);
    for (target, found) in found {
        let mut expected = vulture_paths(target);
        expected.sort();
        assert_eq!(found, expected, "to {target:?}");
    }
    assert!(
        paths(&compile(text).unwrap())
            .iter()
            .all(|(_, _, stop)| *stop == BOTH)
    );
}

/// The four orders of three steps of one kind and one of the other, as RULES.md tells them.
fn vulture_paths(target: Offset) -> Vec<Vec<(Offset, Need)>> {
    let sign = (target.0.signum(), target.1.signum());
    let orthogonal = if target.0.abs() == 4 {
        (sign.0, 0)
    } else {
        (0, sign.1)
    };
    let is_long = target.0.abs().min(target.1.abs()) == 1;
    let (thrice, once) = if is_long {
        (orthogonal, sign)
    } else {
        (sign, orthogonal)
    };
    (0..4)
        .map(|place| {
            let mut at = (0, 0);
            let steps = (0..4).map(|index| if index == place { once } else { thrice });
            let mut visited: Vec<(Offset, Need)> = steps
                .map(|step| {
                    at = (at.0 + step.0, at.1 + step.1);
                    (at, Need::Empty)
                })
                .collect();
            assert_eq!(visited.pop().unwrap().0, target);
            visited
        })
        .collect()
}

#[test]
fn cannon_moves_as_a_rook_and_captures_over_one_platform() {
    let quiet = joined(ORTHOGONALS.map(|step| ride(&[], step, 15, QUIET)));
    let mut expected = quiet;
    for step in ORTHOGONALS {
        for platform in 1..15 {
            for target in platform + 1..=15 {
                let over = (1..target)
                    .map(|count| {
                        let need = if count == platform {
                            Need::Occupied
                        } else {
                            Need::Empty
                        };
                        (times(step, count), need)
                    })
                    .collect();
                let path = Path {
                    over,
                    target: times(step, target),
                };
                expected.insert((path, flags(CAPTURE)));
            }
        }
    }
    assert_eq!(ways("mRcpR"), expected);
    let seen = moves("mRcpR", &[(0, 2), (0, 5), (0, 6), (3, 0)], 7);
    assert_eq!(seen.capture, squares(&[(0, 5)]));
    assert!(!seen.quiet.contains(&(0, 3)) && !seen.quiet.contains(&(4, 0)));
}

#[test]
fn joker_only_imitates() {
    let joker = compile("fI").unwrap();
    assert!(joker.imitator && joker.roots.is_empty());
}

#[test]
fn king_leaps_once_from_its_start_square() {
    let king = compile("KimbsLimbsN").unwrap();
    let leaps: BTreeSet<Offset> = paths(&king)
        .into_iter()
        .filter(|(from, ..)| *from == From::StartSquare)
        .map(|(_, path, stop)| {
            assert_eq!(stop, QUIET);
            assert!(path.over.is_empty());
            path.target
        })
        .collect();
    // From f2 to c1, d1, h1 and i1.
    assert_eq!(leaps, squares(&[(-3, -1), (-2, -1), (2, -1), (3, -1)]));
    assert_eq!(king.roots.len(), 12);
}

#[test]
fn grand_pawns_run_through_their_own_half() {
    for (text, forward, captures) in [
        ("mfW*fceF", vec![(0, 1)], vec![(1, 1), (-1, 1)]),
        ("mfF*fceW", vec![(1, 1), (-1, 1)], vec![(0, 1)]),
    ] {
        let mut expected = leaps(&captures.iter().copied().collect(), PAWN_CAPTURE);
        for step in forward {
            let run: Vec<Offset> = (1..=15).map(|count| times(step, count)).collect();
            expected.insert(over_empty(&run[..1], QUIET));
            let further = Stop {
                own_half: true,
                marks_passed: true,
                ..QUIET
            };
            expected.extend((2..=15).map(|count| over_empty(&run[..count], further)));
        }
        assert_eq!(ways(text), expected);
    }
}

/// The pawn moves that begin on some ranks only.
fn from_ranks(text: &str) -> Vec<(From, Path, Stop)> {
    let found = paths(&compile(text).unwrap()).into_iter();
    found.filter(|(from, ..)| *from != From::Anywhere).collect()
}

fn multi_step(ranks: std::ops::RangeInclusive<u8>, squares: &[Offset]) -> (From, Path, Stop) {
    let stop = Stop {
        marks_passed: true,
        ..QUIET
    };
    (From::Ranks(ranks), over_empty(squares, stop).0, stop)
}

#[test]
fn pawns_of_chess_and_war_of_the_roses() {
    let chess = "mfWmfnnD@2fceF";
    assert_eq!(
        from_ranks(chess),
        vec![multi_step(2..=2, &[(0, 1), (0, 2)])]
    );
    assert_eq!(
        moves(chess, &[(1, 1), (0, 1), (-1, 0)], 7).capture,
        squares(&[(1, 1)])
    );
    let roses = "msWmfWmfnnD@3-4mfnnH@3fceF";
    let expected = vec![
        multi_step(3..=4, &[(0, 1), (0, 2)]),
        multi_step(3..=3, &[(0, 1), (0, 2), (0, 3)]),
    ];
    assert_eq!(from_ranks(roses), expected);
    let roses = compile("msWmfWfceF").unwrap();
    let found: BTreeSet<(Offset, _)> = paths(&roses)
        .into_iter()
        .map(|(_, path, stop)| (path.target, flags(stop)))
        .collect();
    let expected = [
        ((-1, 0), flags(QUIET)),
        ((1, 0), flags(QUIET)),
        ((0, 1), flags(QUIET)),
        ((-1, 1), flags(PAWN_CAPTURE)),
        ((1, 1), flags(PAWN_CAPTURE)),
    ];
    assert_eq!(found, expected.into_iter().collect());
}

/// The sixteen arcs of a circular halfling, from its steps in cyclic order.
fn halfling(circle: [Offset; 8]) -> Ways {
    let mut ways = Ways::new();
    for start in 0..8 {
        for direction in [1, 7] {
            let mut squares: Vec<Offset> = Vec::new();
            for count in 0..4 {
                let step = circle[(start + direction * count) % 8];
                let (x, y) = squares.last().copied().unwrap_or((0, 0));
                squares.push((x + step.0, y + step.1));
                ways.insert(over_empty(&squares, BOTH));
            }
        }
    }
    ways
}

#[test]
fn circular_halflings_of_war_of_the_roses() {
    let rose = [
        (1, 2),
        (2, 1),
        (2, -1),
        (1, -2),
        (-1, -2),
        (-2, -1),
        (-2, 1),
        (-1, 2),
    ];
    let king = [
        (0, 1),
        (1, 1),
        (1, 0),
        (1, -1),
        (0, -1),
        (-1, -1),
        (-1, 0),
        (-1, 1),
    ];
    let alibaba = king.map(|step| times(step, 2));
    assert_eq!(ways("qN4"), halfling(rose));
    assert_eq!(ways("qK4"), halfling(king));
    assert_eq!(ways("qD4qA4"), halfling(alibaba));
    assert_eq!(
        ways("qK4qD4qA4"),
        joined([halfling(king), halfling(alibaba)])
    );
    assert_eq!(
        ways("qD4qA4qN4"),
        joined([halfling(alibaba), halfling(rose)])
    );
    assert_eq!(ways("qN4qK4"), joined([halfling(rose), halfling(king)]));
    // Both arcs lead to the square opposite, each over three squares.
    assert_eq!(paths_by_target("qN4")[&(6, 0)].len(), 2);
}

#[test]
fn king_of_war_of_the_roses_leaps_over_a_safe_square() {
    let mut expected = leaps(&union(&[all_of(0, 1), all_of(1, 1)]), BOTH);
    for step in ORTHOGONALS.into_iter().chain(DIAGONALS) {
        let path = Path {
            over: vec![(step, Need::Safe)],
            target: times(step, 2),
        };
        expected.insert((path, flags(BOTH)));
    }
    assert_eq!(ways("Kn!Dn!A"), expected);
}

#[test]
fn augmenters() {
    let leaper = |text: &str, list: &[Offset]| assert_eq!(ways(text), leaps(&squares(list), BOTH));
    leaper("vN", &[(1, 2), (-1, 2), (1, -2), (-1, -2)]);
    leaper("sN", &[(2, 1), (-2, 1), (2, -1), (-2, -1)]);
    leaper("ffNbsN", &[(1, 2), (-1, 2), (2, -1), (-2, -1)]);
    leaper("fsNbbN", &[(2, 1), (-2, 1), (1, -2), (-1, -2)]);
    leaper("W", &ORTHOGONALS);
    leaper("F", &DIAGONALS);
    leaper("D", &ORTHOGONALS.map(|step| times(step, 2)));
    leaper("A", &DIAGONALS.map(|step| times(step, 2)));
    leaper("H", &ORTHOGONALS.map(|step| times(step, 3)));
    assert_eq!(ways("fR"), ride(&[], (0, 1), 15, BOTH));
    let sides = [ride(&[], (1, 0), 15, BOTH), ride(&[], (-1, 0), 15, BOTH)];
    assert_eq!(ways("sR"), joined(sides));
}

#[test]
fn grasshopper_lands_just_beyond_the_first_man() {
    let mut expected = Ways::new();
    for step in ORTHOGONALS.into_iter().chain(DIAGONALS) {
        for hurdle in 1..15 {
            let over = (1..=hurdle)
                .map(|count| {
                    let need = if count == hurdle {
                        Need::Occupied
                    } else {
                        Need::Empty
                    };
                    (times(step, count), need)
                })
                .collect();
            let path = Path {
                over,
                target: times(step, hurdle + 1),
            };
            expected.insert((path, flags(BOTH)));
        }
    }
    assert_eq!(ways("gQ"), expected);
    let seen = moves("gQ", &[(0, 2), (3, 3), (4, 4), (-1, 0)], 7);
    assert_eq!(seen.quiet, squares(&[(0, 3), (-2, 0)]));
    assert_eq!(seen.capture, squares(&[(4, 4)]));
}

#[test]
fn imitated_pieces_keep_plain_moves_and_captures_only() {
    let imitated = |text: &str| compile(text).unwrap().imitated();
    for pawn in ["mfW*fceF", "mfWmfnnD@2fceF", "ifmnDfmWfceF"] {
        assert_eq!(
            sorted(imitated(pawn)),
            sorted(compile("mfWfcF").unwrap()),
            "{pawn}"
        );
    }
    assert_eq!(imitated("mfF*fceW"), compile("mfFfcW").unwrap());
    assert_eq!(imitated("KimbsLimbsN"), compile("K").unwrap());
    assert_eq!(imitated("KfnnD"), compile("K").unwrap());
    assert_eq!(imitated("Kn!Dn!A"), compile("K").unwrap());
    assert_eq!(imitated("mRcpR"), compile("mRcpR").unwrap());
    assert_eq!(imitated("fI"), Default::default());
}

fn sorted(mut program: super::super::MoveProgram) -> super::super::MoveProgram {
    program
        .roots
        .sort_by_key(|root| (root.node.step, flags(root.node.stop)));
    program
}
