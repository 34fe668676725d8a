//! Moves that only kings have: over squares that must not be attacked, castlings, leaps.

use super::generator::Generator;
use super::reaches::Memory;
use super::sink::Sink;
use crate::attacks::{Mover, Reach};
use crate::bitboard::Bitboard;
use crate::types::{Move, MoveKind, Square};

impl<const N: usize> Generator<'_, N> {
    /// Adds the king's moves over squares that must not be attacked.
    #[inline(always)]
    pub(super) fn add_cautious(
        &self,
        mover: &Mover<N>,
        from: Square,
        quiet: &mut Bitboard<N>,
        capture: &mut Bitboard<N>,
    ) {
        if !mover.has_cautious() {
            return;
        }
        let tables = &self.compiled.tables;
        let occupied = self.occupancy.occupied.without(Bitboard::of(from));
        let lifted = tables.occupancy(occupied);
        let imitated = self.position.last_moved(self.us);
        let safe = |square| {
            !self
                .position
                .is_attacked(square, !self.us, &lifted, Bitboard::EMPTY, imitated)
        };
        let more = tables.cautious(mover, from, &self.occupancy, safe);
        *quiet |= more.quiet;
        *capture |= more.capture;
    }

    pub(super) fn castlings<S: Sink<N>>(&self, sink: &mut S) {
        if !self.threats.check && !self.compiled.rules.castling.is_empty() {
            self.position.castlings(&self.occupancy, |mv| sink.one(mv));
        }
    }

    /// The king's leaps, but those to where it can step: these are written as steps.
    pub(super) fn king_leaps<S: Sink<N>>(&self, memory: &mut Option<&mut Memory<N>>, sink: &mut S) {
        let rules = &self.compiled.rules;
        let Some(leap) = rules.king_leap.as_ref().map(|l| &l[self.us.index()]) else {
            return;
        };
        if self.threats.check || !self.position.has_right(self.us.index()) {
            return;
        }
        let mover = self.compiled.tables.kind(self.us, rules.king);
        let mut fresh = Reach::NOTHING;
        let kinds = (rules.king, rules.king);
        let mut targets = self.reach(memory, &mut fresh, kinds, leap.from).targets;
        self.add_cautious(mover, leap.from, &mut targets.quiet, &mut targets.capture);
        for &to in &leap.to {
            if self.occupancy.free.has(to)
                && !targets.quiet.has(to)
                && self.king_is_safe(leap.from, to, None, rules.king)
            {
                sink.one(Move::new(MoveKind::KingLeap, leap.from, to));
            }
        }
    }
}
