//! The moves of a text as a set of paths with their ends, and the paths that rules tell in words.

use std::collections::BTreeSet;

use super::super::{From, Stop, compile};
use super::play::{Need, Offset, Path, Squares, paths};

pub(super) const BOTH: Stop = Stop {
    quiet: true,
    capture: true,
    en_passant: false,
    own_half: false,
    marks_passed: false,
};
pub(super) const QUIET: Stop = Stop {
    capture: false,
    ..BOTH
};
pub(super) const CAPTURE: Stop = Stop {
    quiet: false,
    ..BOTH
};
pub(super) const PAWN_CAPTURE: Stop = Stop {
    en_passant: true,
    ..CAPTURE
};
pub(super) const ORTHOGONALS: [Offset; 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
pub(super) const DIAGONALS: [Offset; 4] = [(1, 1), (1, -1), (-1, -1), (-1, 1)];

pub(super) type Ways = BTreeSet<(Path, (bool, bool, bool, bool, bool))>;

pub(super) fn flags(stop: Stop) -> (bool, bool, bool, bool, bool) {
    (
        stop.quiet,
        stop.capture,
        stop.en_passant,
        stop.own_half,
        stop.marks_passed,
    )
}

/// All paths of a text that begin anywhere.
pub(super) fn ways(text: &str) -> Ways {
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
pub(super) fn over_empty(squares: &[Offset], stop: Stop) -> (Path, (bool, bool, bool, bool, bool)) {
    let (target, over) = squares.split_last().unwrap();
    let path = Path {
        over: over.iter().map(|&square| (square, Need::Empty)).collect(),
        target: *target,
    };
    (path, flags(stop))
}

/// The ride of some steps from `start`, as paths that begin with the squares `before`.
pub(super) fn ride(before: &[Offset], step: Offset, longest: i8, stop: Stop) -> Ways {
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

pub(super) fn joined(sets: impl IntoIterator<Item = Ways>) -> Ways {
    sets.into_iter().flatten().collect()
}

pub(super) fn leaps(squares: &Squares, stop: Stop) -> Ways {
    squares
        .iter()
        .map(|&square| over_empty(&[square], stop))
        .collect()
}

pub(super) fn times((x, y): Offset, factor: i8) -> Offset {
    (x * factor, y * factor)
}

/// The two directions outward after a first leg in `step`.
pub(super) fn outward(step: Offset) -> [Offset; 2] {
    match step {
        (x, 0) => [(x, 1), (x, -1)],
        (0, y) => [(1, y), (-1, y)],
        (x, y) => [(x, 0), (0, y)],
    }
}

/// Steps in one direction, any of which may end the move, then a ride outward.
pub(super) fn bent_rider(first: &[Offset], steps: i8) -> Ways {
    joined(first.iter().flat_map(|&step| {
        let leg: Vec<Offset> = (1..=steps).map(|count| times(step, count)).collect();
        let mut all = vec![ride(&[], step, steps, BOTH)];
        all.extend(outward(step).map(|turn| ride(&leg, turn, 15, BOTH)));
        all
    }))
}
