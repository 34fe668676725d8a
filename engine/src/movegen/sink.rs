//! What becomes of generated moves: they are listed or counted.

use crate::bitboard::Bitboard;
use crate::position::PromotionZone;
use crate::types::{Kind, Move, MoveKind, MoveList, Square};

use super::legal::Wanted;

/// A side's promotions now.
#[derive(Clone, Copy)]
pub(super) struct Promotions<'a, const N: usize> {
    pub zone: &'a PromotionZone<N>,
    /// Types that a pawn may become if the square allows it, as a set.
    pub available: u32,
}

impl<const N: usize> Promotions<'_, N> {
    /// What a pawn may become on a square of the zone.
    #[inline(always)]
    fn on(&self, square: Square) -> u32 {
        self.zone.to[square.index()] & self.available
    }
}

/// Receives legal moves.
pub(super) trait Sink<const N: usize> {
    /// One move.
    fn one(&mut self, mv: Move);

    /// The moves of a man to each of `targets`.
    fn moves(&mut self, from: Square, targets: Bitboard<N>);

    /// The moves of a man to each of `targets` with every promotion and, where that is allowed, without;
    /// `wanted` leaves some of them out.
    fn promotions(
        &mut self,
        way: (MoveKind, Square),
        targets: Bitboard<N>,
        promotions: &Promotions<'_, N>,
        wanted: Wanted,
    );

    /// Whether the moves themselves matter, not only how many.
    const LISTS: bool;
}

impl<const N: usize> Sink<N> for MoveList {
    const LISTS: bool = true;

    #[inline(always)]
    fn one(&mut self, mv: Move) {
        self.push(mv);
    }

    #[inline(always)]
    fn moves(&mut self, from: Square, targets: Bitboard<N>) {
        for to in targets {
            self.push(Move::new(MoveKind::Normal, from, to));
        }
    }

    #[inline(always)]
    fn promotions(
        &mut self,
        (kind, from): (MoveKind, Square),
        targets: Bitboard<N>,
        promotions: &Promotions<'_, N>,
        wanted: Wanted,
    ) {
        for to in targets {
            let mv = Move::new(kind, from, to);
            if wanted.quiet() && promotions.zone.stays.has(to) {
                self.push(mv);
            }
            if wanted.noisy() && promotions.zone.promotes.has(to) {
                let mut set = promotions.on(to);
                while set != 0 {
                    self.push(mv.promoting(Kind(set.trailing_zeros() as u8)));
                    set &= set - 1;
                }
            }
        }
    }
}

/// The number of moves.
pub(super) struct Count<const N: usize> {
    /// By word of the boards, so that whole boards are added up.
    words: [u64; N],
    others: u64,
}

impl<const N: usize> Count<N> {
    /// None yet.
    #[inline(always)]
    pub fn new() -> Count<N> {
        Count {
            words: [0; N],
            others: 0,
        }
    }

    /// How many.
    #[inline(always)]
    pub fn total(&self) -> u64 {
        self.words.iter().sum::<u64>() + self.others
    }
}

impl<const N: usize> Sink<N> for Count<N> {
    const LISTS: bool = false;

    #[inline(always)]
    fn one(&mut self, _: Move) {
        self.others += 1;
    }

    #[inline(always)]
    fn moves(&mut self, _: Square, targets: Bitboard<N>) {
        for i in 0..N {
            self.words[i] += u64::from(targets.0[i].count_ones());
        }
    }

    #[inline(always)]
    fn promotions(
        &mut self,
        (_, from): (MoveKind, Square),
        targets: Bitboard<N>,
        promotions: &Promotions<'_, N>,
        wanted: Wanted,
    ) {
        if wanted.quiet() {
            self.moves(from, targets & promotions.zone.stays);
        }
        if wanted.noisy() {
            let promoting = targets & promotions.zone.promotes;
            if promoting.any() {
                for to in promoting {
                    self.others += u64::from(promotions.on(to).count_ones());
                }
            }
        }
    }
}
