//! Which of a man's targets are legal.

use super::generator::{Generator, These};
use crate::bitboard::Bitboard;
use crate::position::Answers;
use crate::types::{Kind, Square};

impl<'a, const N: usize> Generator<'a, N> {
    /// To where alone, and by which men alone, a type may move at all.
    #[inline(always)]
    pub(super) fn only(&self, acting: Kind) -> Option<&'a Answers<N>> {
        if self.threats.answers.is_some() {
            return self.threats.answers.as_ref();
        }
        (self.threats.kinds >> acting.index() & 1 != 0).then_some(&self.threats.kind_answers)
    }

    /// Those of a man's targets to which it may legally go.
    #[inline(always)]
    pub(super) fn legal(
        &self,
        targets: Bitboard<N>,
        from: Square,
        these: &These<'_, N>,
    ) -> Bitboard<N> {
        let mut legal = targets;
        let mut doubtful = targets;
        if !these.royal {
            match these.only {
                Some(answers) => {
                    if !answers.from.has(from) {
                        legal &= answers.to;
                    }
                    doubtful = legal;
                }
                None if self.threats.from.has(from) => {}
                None => doubtful &= self.threats.to,
            }
        }
        if doubtful.any() {
            legal ^= self.unsafe_targets(doubtful, from, these.acting, these.royal);
        }
        legal
    }

    /// Those of some targets to which a man cannot go for its king's sake.
    #[inline(always)]
    fn unsafe_targets(
        &self,
        targets: Bitboard<N>,
        from: Square,
        acting: Kind,
        royal: bool,
    ) -> Bitboard<N> {
        let mut bad = Bitboard::EMPTY;
        for to in targets {
            let safe = if royal {
                self.king_is_safe(from, to, None, acting)
            } else {
                self.is_safe(from, to, acting)
            };
            if !safe {
                bad.insert(to);
            }
        }
        bad
    }

    /// Whether the king, which stays, is safe after a man has gone from a square to another: only the attackers of
    /// the threats can tell.
    #[inline(always)]
    fn is_safe(&self, from: Square, to: Square, acting: Kind) -> bool {
        let mut occupied = self.occupancy.occupied;
        occupied.remove(from);
        occupied.insert(to);
        let mut attackers = self.threats.attackers;
        attackers.remove(to);
        let after = self.compiled.tables.occupancy(occupied);
        let king = self.position.king(self.us);
        !self
            .position
            .any_of_attacks(attackers, !self.us, king, &after, Some(acting))
    }

    /// Whether the king is safe after a man, the king perhaps, has gone from a square to another.
    #[inline(always)]
    pub fn king_is_safe(
        &self,
        from: Square,
        to: Square,
        en_passant: Option<Square>,
        acting: Kind,
    ) -> bool {
        let mut occupied = self.occupancy.occupied;
        occupied.remove(from);
        let mut excluded = Bitboard::of(to);
        if let Some(victim) = en_passant {
            occupied.remove(victim);
            excluded.insert(victim);
        }
        occupied.insert(to);
        let king = self.position.king(self.us);
        let king = if king == from { to } else { king };
        let after = self.compiled.tables.occupancy(occupied);
        !self
            .position
            .is_attacked(king, !self.us, &after, excluded, Some(acting))
    }
}
