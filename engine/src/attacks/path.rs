//! Paths: over which squares a man captures another.

use super::tables::Occupancy;
use crate::bitboard::Bitboard;

/// How the squares of a [`Path`] must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// `clear` free, `platforms` occupied.
    Fixed,
    /// Of `clear` exactly one occupied, wherever it is, and the others free.
    OverOne,
}

/// A way of capturing from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path<const N: usize> {
    /// Squares that must be free.
    pub clear: Bitboard<N>,
    /// Squares that must be occupied.
    pub platforms: Bitboard<N>,
    /// How to read the two sets.
    pub kind: PathKind,
    /// Whether this is the last path between its two squares.
    pub last: bool,
}

impl<const N: usize> Path<N> {
    /// Whether the way is open.
    #[inline(always)]
    #[must_use]
    pub fn is_open(&self, occupancy: &Occupancy<N>) -> bool {
        let blocked = self.clear.without(occupancy.free);
        match self.kind {
            PathKind::Fixed => {
                blocked.is_empty() && self.platforms.without(occupancy.occupied).is_empty()
            }
            PathKind::OverOne => blocked.count() == 1 && blocked.meets(&occupancy.occupied),
        }
    }
}
