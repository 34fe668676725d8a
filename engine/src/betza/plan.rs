//! The checked form of a term: what each leg does, with no letters left.
//!
//! `a` legs and brackets become the same thing here, so that only one unfolding is needed.

use super::ast::Ride;
use super::directions::{Class, Direction, Slot, SlotSet};
use super::error::Span;
use super::program::{From, Stop};

/// All moves of a term.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) from: From,
    pub(super) legs: Vec<Leg>,
    /// Direction letters before a bracket, which select among its ways.
    pub(super) ways: Vec<Direction>,
    /// Where the direction letters before a bracket stand, or the term.
    pub(super) span: Span,
}

/// One leg.
#[derive(Clone, Debug)]
pub(super) struct Leg {
    pub(super) step: Step,
    pub(super) turn: Turn,
    /// The most steps; `None` is without limit.
    pub(super) longest: Option<u8>,
    /// The leg has exactly as many steps as the leg before it.
    pub(super) as_long_as_before: bool,
    pub(super) ride: Option<Ride>,
    pub(super) between: Between,
    /// How the move may end on a square of this leg.
    pub(super) stop: Stop,
    /// Steps after the first may only end in the mover's own half (range `*`).
    pub(super) own_half: bool,
    /// The next leg may begin on an empty square that this leg reaches.
    pub(super) over_empty: bool,
    /// The next leg may begin on an occupied square that this leg reaches.
    pub(super) over_occupied: bool,
    /// Where the leg stands in the text.
    pub(super) span: Span,
}

/// A step, to be turned into any [`Slot`] of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Along ranks, files or diagonals, by so many squares.
    Straight(i8),
    /// Oblique, the shorter component first.
    Oblique(i8, i8),
}

impl Step {
    /// The change of (file, rank) in a direction.
    pub(super) fn vector(self, slot: Slot) -> (i8, i8) {
        // The first quarter turn; the other three are its rotations.
        let (x, y) = match (self, slot % 4) {
            (Step::Straight(length), 0) => (0, length),
            (Step::Straight(length), _) => (length, length),
            (Step::Oblique(short, long), 3) => (long, short),
            (Step::Oblique(short, long), _) => (short, long),
        };
        match slot / 4 {
            0 => (x, y),
            1 => (y, -x),
            2 => (-x, -y),
            _ => (-y, x),
        }
    }

    /// All directions into which this step can be turned by multiples of 45 degrees.
    pub(super) fn all_slots(self) -> SlotSet {
        match self {
            Step::Straight(_) => Class::Octal.slots(),
            Step::Oblique(..) => Class::Oblique.slots(),
        }
    }
}

/// Which directions a leg may take.
#[derive(Clone, Debug)]
pub(super) enum Turn {
    /// The first leg: these.
    Into(SlotSet),
    /// Any turn but straight back, within the atom's directions.
    NotBack(SlotSet),
    /// The turns that the letters select, within the atom's directions.
    By(Vec<Direction>, SlotSet),
    /// The atom's directions nearest to straight on.
    Outward(SlotSet),
    /// The same ride goes on behind a platform.
    GoOn,
}

/// What the squares that a step passes over must be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Between {
    /// Anything: a leap.
    Any,
    /// Empty, and with `safe` not attacked either.
    Empty {
        /// Whether they must not be attacked.
        safe: bool,
    },
    /// Occupied by a man of either side.
    Occupied,
    /// The first square of the leg is ignored, the others are reached one by one (ski).
    IgnoreFirst,
}
