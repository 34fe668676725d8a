//! [`MoveProgram`]: what a piece may do, as a tree of steps that no longer knows its notation.
//!
//! A program is written from White's point of view and knows no board: steps are `(file, rank)`
//! changes, forward is `+rank`. Rides are unrolled to at most [`MoveProgram::LONGEST_RIDE`] steps,
//! the longest that fits on a board of 16 files or ranks; whoever places the program on a board cuts
//! what leaves it. Black's moves are the mirror image in the rank.

use std::ops::RangeInclusive;

/// All ways of moving of one piece type.
///
/// Moves are a set: two paths to one square are one move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveProgram {
    /// The first steps, each with the condition on the square it starts from.
    pub roots: Vec<Root>,
    /// The piece also moves as the type that the opponent moved last (Betza atom `I`).
    pub imitator: bool,
}

/// A first step and where it may start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Where the piece must stand to begin this move.
    pub from: From,
    /// The first step.
    pub node: Node,
}

/// Where a piece must stand to begin a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum From {
    /// Anywhere.
    Anywhere,
    /// On one of the squares that its type and colour occupies in the start position (modifier `i`).
    StartSquare,
    /// On one of these ranks, counted from the owner's side, first main-board rank = 1 (suffix `@`).
    Ranks(RangeInclusive<u8>),
}

/// One step of a path, and what may follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Change of (file, rank) from the square before, White's forward being positive.
    pub step: (i8, i8),
    /// The ways in which the move may end on this square.
    pub stop: Stop,
    /// The square must not be attacked by the opponent for the path to go on over it
    /// (our modifier for the king of War of the Roses); meaningful only with `on_empty`.
    pub safe: bool,
    /// Continuations if this square exists and is empty.
    pub on_empty: Vec<Node>,
    /// Continuations if this square is occupied by a man of either side, which stays (a platform).
    pub on_occupied: Vec<Node>,
}

/// The ways in which a move may end on a square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Stop {
    /// It may end here if the square is empty.
    pub quiet: bool,
    /// It may end here by capturing an enemy man.
    pub capture: bool,
    /// It may end here, on an empty square that an enemy has just passed, by en passant.
    pub en_passant: bool,
    /// `quiet` holds only if this square is in the mover's own half of the board (range `*`, steps
    /// after the first).
    pub own_half: bool,
    /// A move that ends here may be captured en passant on every square of its path before this one.
    pub marks_passed: bool,
}

impl MoveProgram {
    /// The longest ride: 15 steps cross a board of 16 squares.
    pub const LONGEST_RIDE: u8 = 15;
}
