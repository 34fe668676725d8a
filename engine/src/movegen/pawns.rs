//! Moves that leave en passant marks, and those that use them.

use super::generator::Generator;
use super::legal::Wanted;
use super::sink::Sink;
use crate::attacks::{Mover, Special};
use crate::bitboard::Bitboard;
use crate::types::{Move, MoveKind, Square};

impl<const N: usize> Generator<'_, N> {
    /// Hands on the moves to `legal` targets that may be captured en passant on the squares they pass.
    pub(super) fn multi_steps<S: Sink<N>>(
        &self,
        mover: &Mover<N>,
        from: Square,
        legal: Bitboard<N>,
        sink: &mut S,
    ) {
        if !S::LISTS {
            sink.moves(from, legal);
            return;
        }
        let mut left = legal;
        let tables = &self.compiled.tables;
        tables.specials(mover, from, &self.occupancy, |special, to, passed| {
            if special == Special::Marks && left.has(to) {
                left.remove(to);
                let kind = if passed.is_empty() {
                    MoveKind::Normal
                } else {
                    MoveKind::MultiStep
                };
                sink.one(Move::new(kind, from, to));
            }
        });
    }

    /// The captures en passant on the squares just passed.
    pub(super) fn en_passant<S: Sink<N>>(&self, passed: Bitboard<N>, sink: &mut S) {
        let Some(marks) = self.position.en_passant() else {
            return;
        };
        let tables = &self.compiled.tables;
        for &kind in &self.compiled.passers[self.us.index()] {
            let mover = tables.kind(self.us, kind);
            for from in self.position.men(self.us, kind) {
                let mut left = passed & mover.en_passant_reach(from);
                if left.is_empty() {
                    continue;
                }
                tables.specials(mover, from, &self.occupancy, |special, to, _| {
                    if special == Special::EnPassant
                        && left.has(to)
                        && self.king_is_safe(from, to, Some(marks.victim), kind)
                    {
                        left.remove(to);
                        let way = (MoveKind::EnPassant, from);
                        let target = Bitboard::of(to);
                        sink.promotions(way, target, &self.promotions, Wanted::All);
                    }
                });
            }
        }
    }
}
