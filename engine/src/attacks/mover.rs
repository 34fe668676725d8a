//! The tables of one type of man.

use super::forest::Forest;
use super::path::Path;
use super::rays::Ride;
use super::tables::{Occupancy, Targets};
use crate::bitboard::Bitboard;
use crate::types::Square;

/// The tables of one type of man of one colour.
#[derive(Clone, Debug)]
pub struct Mover<const N: usize> {
    pub(super) leap_quiet: Vec<Bitboard<N>>,
    pub(super) leap_capture: Vec<Bitboard<N>>,
    pub(super) rides: Vec<Ride>,
    /// Rides over exactly one man of either side.
    pub(super) hops: Vec<Ride>,
    /// Rides to the first man met that land on the square just beyond it.
    pub(super) grasshops: Vec<Ride>,
    /// Everything else that moves quietly and captures.
    pub(super) forest: Forest,
    /// Moves that leave or use en passant marks.
    pub(super) specials: Forest,
    /// Lame moves over squares that must not be attacked.
    pub(super) cautious: Forest,
    pub(super) leap_to: Vec<Bitboard<N>>,
    pub(super) line_to: Vec<Bitboard<N>>,
    pub(super) paths: Vec<Path<N>>,
    /// By target: first path of the target's row.
    pub(super) row: Vec<u32>,
    /// By target and origin: path relative to the row.
    pub(super) column: Vec<u16>,
    /// Squares that a capture en passant of this type can reach, by origin; empty if it makes none.
    pub(super) en_passant: Vec<Bitboard<N>>,
    /// The same by target.
    pub(super) en_passant_to: Vec<Bitboard<N>>,
}

impl<const N: usize> Mover<N> {
    /// Squares from which a man of this type captures `target` whatever stands between.
    #[inline(always)]
    #[must_use]
    pub fn leapers_to(&self, target: Square) -> &Bitboard<N> {
        &self.leap_to[target.index()]
    }

    /// Squares from which it captures `target` if one of the [paths](Self::paths) is open.
    #[inline(always)]
    #[must_use]
    pub fn liners_to(&self, target: Square) -> &Bitboard<N> {
        &self.line_to[target.index()]
    }

    /// The paths from `from`, which is in [`liners_to`](Self::liners_to), to `target`.
    #[inline(always)]
    pub fn paths(&self, from: Square, target: Square) -> Paths<'_, N> {
        let column = target.index() * self.leap_to.len() + from.index();
        let first = self.row[target.index()] + u32::from(self.column[column]);
        Paths {
            rest: &self.paths[first as usize..],
        }
    }

    /// Whether a man of this type on `from` attacks `target`.
    #[inline(always)]
    #[must_use]
    pub fn attacks(&self, from: Square, target: Square, occupancy: &Occupancy<N>) -> bool {
        self.leapers_to(target).has(from)
            || (self.liners_to(target).has(from)
                && self.paths(from, target).any(|p| p.is_open(occupancy)))
    }

    /// Whether one of `liners`, which are all in [`liners_to`](Self::liners_to), has an open path to `target`.
    #[inline(always)]
    pub(crate) fn any_open(
        &self,
        liners: Bitboard<N>,
        target: Square,
        occupancy: &Occupancy<N>,
    ) -> bool {
        for from in liners {
            for path in self.paths(from, target) {
                if path.is_open(occupancy) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether a man of this type on any square of `men` attacks `target`.
    #[inline(always)]
    #[must_use]
    pub fn any_attacks(&self, men: &Bitboard<N>, target: Square, occupancy: &Occupancy<N>) -> bool {
        if men.meets(self.leapers_to(target)) {
            return true;
        }
        let liners = *men & *self.liners_to(target);
        liners.any() && self.any_open(liners, target, occupancy)
    }

    /// Whether what it captures it leaps to, whatever stands between.
    #[must_use]
    pub fn captures_by_leaps(&self) -> bool {
        self.line_to.iter().all(Bitboard::is_empty)
    }

    /// Its leaps from a square, on whatever stands there.
    #[inline]
    #[must_use]
    pub fn leaps(&self, from: Square) -> Targets<N> {
        Targets {
            quiet: self.leap_quiet[from.index()],
            capture: self.leap_capture[from.index()],
        }
    }

    /// Whether it can capture en passant at all.
    #[must_use]
    pub fn captures_en_passant(&self) -> bool {
        !self.en_passant.is_empty()
    }

    /// Squares it could capture on en passant from `from`, were the way open.
    #[inline]
    #[must_use]
    pub fn en_passant_reach(&self, from: Square) -> Bitboard<N> {
        self.en_passant
            .get(from.index())
            .copied()
            .unwrap_or_default()
    }

    /// Squares from which it could capture on `target` en passant, were the way open.
    #[inline(always)]
    #[must_use]
    pub(crate) fn passers_to(&self, target: Square) -> Bitboard<N> {
        self.en_passant_to
            .get(target.index())
            .copied()
            .unwrap_or_default()
    }

    /// Whether it has lame moves over squares that must not be attacked.
    #[inline(always)]
    #[must_use]
    pub(crate) fn has_cautious(&self) -> bool {
        !self.cautious.starts.is_empty()
    }

    /// Whether it has moves that leave en passant marks.
    #[must_use]
    pub fn has_specials(&self) -> bool {
        !self.specials.starts.is_empty()
    }
}

/// The paths between two squares.
pub struct Paths<'a, const N: usize> {
    /// Those to come are the first of these, up to one that is marked as the last.
    rest: &'a [Path<N>],
}

impl<'a, const N: usize> Iterator for Paths<'a, N> {
    type Item = &'a Path<N>;

    #[inline(always)]
    fn next(&mut self) -> Option<&'a Path<N>> {
        let (path, rest) = self.rest.split_first()?;
        self.rest = if path.last { &[] } else { rest };
        Some(path)
    }
}
