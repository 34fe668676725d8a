//! Straight rays and the rides along them.

use crate::bitboard::Bitboard;
use crate::types::Square;

/// The rays of one step: from each square all the squares to the edge of the rectangle.
#[derive(Clone, Debug)]
pub(super) struct Rays<const N: usize> {
    pub from: Vec<Bitboard<N>>,
    /// Whether the step leads to higher square numbers.
    pub rising: bool,
}

impl<const N: usize> Rays<N> {
    /// The squares from `square` up to and including the first that is not free.
    #[inline(always)]
    pub fn until_blocked(&self, square: Square, free: &Bitboard<N>) -> Bitboard<N> {
        let ray = self.from[square.index()];
        match self.first(ray.without(*free)) {
            None => ray,
            Some(first) => ray ^ self.from[first.index()],
        }
    }

    /// The first square of a part of a ray.
    #[inline(always)]
    pub fn first(&self, part: Bitboard<N>) -> Option<Square> {
        if self.rising {
            part.lowest()
        } else {
            part.highest()
        }
    }
}

/// A straight ride to the edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ride {
    /// Index of the rays.
    pub rays: u8,
    pub quiet: bool,
    pub capture: bool,
}
