//! Orthodox pieces and those of the apothecary games, each against the words of its rules.

use std::collections::BTreeSet;

use super::super::{From, compile};
use super::play::{
    Need, Offset, Path, Squares, all_of, line, moves, paths, paths_by_target, quiet, squares, union,
};
use super::ways::*;

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
