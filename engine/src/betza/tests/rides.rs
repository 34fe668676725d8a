//! Ranges, lame and jumping leaps, turning rides, hops.

use std::collections::BTreeSet;

use super::super::{Stop, compile};
use super::play::{
    Need, Offset, Path, all_of, line, moves, paths, paths_by_target, quiet, squares, union,
};

#[test]
fn ranges() {
    assert_eq!(quiet("fR3"), line((0, 1), (0, 1), 3));
    assert_eq!(quiet("fW0"), line((0, 1), (0, 1), 15));
    assert_eq!(quiet("fWW"), line((0, 1), (0, 1), 15));
    assert_eq!(quiet("fW99"), line((0, 1), (0, 1), 15));
    assert_eq!(quiet("fD3"), squares(&[(0, 2), (0, 4), (0, 6)]));
    assert_eq!(
        quiet("frDD"),
        union(&[line((0, 2), (0, 2), 7), line((2, 0), (2, 0), 7)])
    );
    assert_eq!(quiet("K2"), quiet("Q2"));
    // The squares that a ride leaps over do not matter, those it sets foot on do.
    let ride = moves("fD3", &[(0, 1), (0, 4)], 15);
    assert_eq!(ride.quiet, squares(&[(0, 2)]));
    assert_eq!(ride.capture, squares(&[(0, 4)]));
}

#[test]
fn lame_leaps_need_the_squares_between_empty() {
    let between =
        |list: &[Offset]| vec![list.iter().map(|&s| (s, Need::Empty)).collect::<Vec<_>>()];
    assert_eq!(paths_by_target("frnA")[&(2, 2)], between(&[(1, 1)]));
    assert_eq!(paths_by_target("fnH")[&(0, 3)], between(&[(0, 1), (0, 2)]));
    assert_eq!(
        paths_by_target("lnDD")[&(-4, 0)],
        between(&[(-1, 0), (-2, 0), (-3, 0)])
    );
    assert!(
        moves("nG", &[(1, 1)], 15)
            .quiet
            .iter()
            .all(|&square| square != (3, 3))
    );
    let safe = vec![vec![((0, 1), Need::Safe), ((0, 2), Need::Safe)]];
    assert_eq!(paths_by_target("fn!H")[&(0, 3)], safe);
}

#[test]
fn passed_squares_are_marked() {
    for (text, marks) in [
        ("fnnD", true),
        ("ifnD", true),
        ("ifmnD", true),
        ("fnD", false),
    ] {
        let found = paths(&compile(text).unwrap());
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(found[0].2.marks_passed, marks, "{text}");
    }
}

#[test]
fn jumps_need_the_squares_between_occupied() {
    let over: Vec<_> = [(0, 1), (0, 2)]
        .map(|square| (square, Need::Occupied))
        .into();
    assert_eq!(paths_by_target("fjH")[&(0, 3)], vec![over]);
    let seen = moves("jA", &[(1, 1), (-2, -2)], 7);
    assert_eq!(seen.quiet, squares(&[(2, 2)]));
    assert!(seen.capture.is_empty());
}

#[test]
fn ski_sliders_ignore_the_first_square() {
    assert_eq!(quiet("fjR4"), line((0, 2), (0, 1), 3));
    assert!(paths_by_target("fjR4")[&(0, 2)] == vec![Vec::new()]);
    let seen = moves("frjB", &[(1, 1), (4, 4)], 15);
    assert_eq!(
        (seen.quiet, seen.capture),
        (squares(&[(2, 2), (3, 3)]), squares(&[(4, 4)]))
    );
}

/// The squares of a ride, each with those before it.
fn arcs(steps: impl Iterator<Item = Offset>) -> Vec<Path> {
    let mut over = Vec::new();
    let mut at = (0i8, 0i8);
    let mut arcs = Vec::new();
    for step in steps {
        at = (at.0 + step.0, at.1 + step.1);
        if at.0.abs().max(at.1.abs()) > 15 {
            break;
        }
        arcs.push(Path {
            over: over.clone(),
            target: at,
        });
        over.push((at, Need::Empty));
    }
    arcs
}

fn all_paths(text: &str) -> BTreeSet<Path> {
    paths(&compile(text).unwrap())
        .into_iter()
        .map(|(_, path, _)| path)
        .collect()
}

#[test]
fn crooked_rides_turn_by_90_degrees_to_and_fro() {
    for (text, first) in [
        ("zB", all_of(1, 1)),
        ("zR", all_of(0, 1)),
        ("zNN", all_of(1, 2)),
    ] {
        let mut expected = BTreeSet::new();
        for &(x, y) in &first {
            for turned in [(y, -x), (-y, x)] {
                expected.extend(arcs(
                    (0..40).map(|n| if n % 2 == 0 { (x, y) } else { turned }),
                ));
            }
        }
        assert_eq!(all_paths(text), expected, "{text}");
    }
    // A crooked rook crosses the largest board from corner to corner.
    assert!(quiet("zR").contains(&(15, 15)));
    let short = squares(&[(0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2)]);
    assert_eq!(quiet("fzR3"), short);
}

#[test]
fn circular_rides_turn_by_45_degrees_and_stop_before_the_start() {
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
    let mut expected = BTreeSet::new();
    for start in 0..8 {
        for direction in [1, 7] {
            expected.extend(arcs((0..7).map(|n| rose[(start + direction * n) % 8])));
        }
    }
    assert_eq!(all_paths("qN"), expected);
    assert_eq!(all_paths("qNN"), expected);
    assert_eq!(all_paths("qN7"), expected);
    assert_eq!(all_paths("qQ"), all_paths("qK"));
    let from_rook: BTreeSet<Path> = all_paths("qR");
    assert!(from_rook.contains(&Path {
        over: vec![((0, 1), Need::Empty)],
        target: (1, 2)
    }));
    assert!(from_rook.iter().all(|path| path.over.len() < 7));
}

#[test]
fn hops_in_one_leg() {
    let seen = moves("pR", &[(0, 2), (0, 5), (-3, 0)], 6);
    assert_eq!(
        seen.quiet,
        squares(&[(0, 3), (0, 4), (-4, 0), (-5, 0), (-6, 0)])
    );
    assert_eq!(seen.capture, squares(&[(0, 5)]));
    assert_eq!(compile("pR").unwrap(), compile("pafR").unwrap());
    assert_eq!(compile("gQ").unwrap(), compile("gafQ").unwrap());
    assert_eq!(compile("pR").unwrap(), compile("[pR-R]").unwrap());
    // The neighbour is hopped over, then a ride.
    let seen = moves("gW", &[(0, 1), (2, 0)], 4);
    assert_eq!(seen.quiet, squares(&[(0, 2), (0, 3), (0, 4)]));
    let seen = moves("pW", &[(0, 1), (0, 2), (1, 0)], 4);
    assert_eq!(
        (seen.quiet, seen.capture),
        (squares(&[(2, 0)]), squares(&[(0, 2)]))
    );
    let seen = moves("mpafsW", &[(0, 1)], 4);
    // Over the man in front or over an empty square elsewhere: a knight with a platform or without.
    assert_eq!(seen.quiet, all_of(1, 2));
}

#[test]
fn turning_rides_hop_too() {
    // Clockwise from (0, 1): a circle over (1, 2) (2, 2) (3, 1) (3, 0) (2, -1) (1, -1).
    let found = all_paths("pqK");
    let over = [
        ((0, 1), Need::Empty),
        ((1, 2), Need::Occupied),
        ((2, 2), Need::Empty),
    ];
    assert!(found.contains(&Path {
        over: over.to_vec(),
        target: (3, 1)
    }));
    assert!(found.iter().all(|path| path.over.len() < 7));
    let found = all_paths("gqN");
    let over = vec![((1, 2), Need::Empty), ((3, 3), Need::Occupied)];
    assert!(found.contains(&Path {
        over: over.clone(),
        target: (5, 2)
    }));
    let ends = [over, vec![((5, 2), Need::Empty)]].concat();
    assert!(!found.contains(&Path {
        over: ends,
        target: (6, 0)
    }));
    // A crooked bishop goes on behind the platform as if it were not there.
    let over = vec![((1, 1), Need::Occupied)];
    let found = all_paths("pzB");
    assert!(found.contains(&Path {
        over: over.clone(),
        target: (2, 0)
    }));
    assert!(!found.contains(&Path {
        over,
        target: (2, 2)
    }));
}

#[test]
fn equihopper_lands_as_far_behind_as_it_stood_before() {
    let seen = moves("pafiQ", &[(0, 2), (3, 3), (0, 4), (-1, 0)], 7);
    assert_eq!(seen.capture, squares(&[(0, 4)]));
    assert_eq!(seen.quiet, squares(&[(6, 6), (-2, 0)]));
    // The squares before and behind the hurdle must be empty.
    assert!(moves("pafiR", &[(0, 2), (0, 3)], 7).quiet.is_empty());
}

#[test]
fn middle_range_is_a_condition_after_the_first_step() {
    let found = paths(&compile("mfW*").unwrap());
    assert_eq!(found.len(), 15);
    let first = Stop {
        quiet: true,
        ..Stop::default()
    };
    assert_eq!(found[0].2, first);
    let later = Stop {
        own_half: true,
        marks_passed: true,
        ..first
    };
    assert!(found[1..].iter().all(|(.., stop)| *stop == later));
}
