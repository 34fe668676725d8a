//! Pawns, the pieces of War of the Roses and the augmenters, and what a joker imitates.

use std::collections::BTreeSet;

use super::super::{From, MoveProgram, Stop, compile};
use super::play::{Need, Offset, Path, all_of, moves, paths, paths_by_target, squares, union};
use super::ways::*;

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

fn sorted(mut program: MoveProgram) -> MoveProgram {
    program
        .roots
        .sort_by_key(|root| (root.node.step, flags(root.node.stop)));
    program
}
