//! Castling moves.

use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{Move, Square};
use crate::variant::rule_set::CastlingRule;

impl<const N: usize> Position<N> {
    /// Whether castling right (or king's leap) number `i` is held.
    pub(crate) fn has_right(&self, i: usize) -> bool {
        self.state.rights >> i & 1 != 0
    }

    /// Finds the legal castlings of a side that is not in check.
    pub(crate) fn castlings(&self, occupancy: &Occupancy<N>, mut found: impl FnMut(Move)) {
        let rules = &self.compiled().rules;
        for (i, right) in rules.castling.iter().enumerate() {
            if right.colour != self.side_to_move() || !self.has_right(i) {
                continue;
            }
            let between = squares_between(right.king, right.partner);
            if !between.clone().all(|s| occupancy.free.has(s)) {
                continue;
            }
            for &distance in &right.distances {
                let to = slide(right, distance);
                if self.castling_is_safe(right, to, occupancy) {
                    found(Move::castle(right.king, to, i as u8));
                }
            }
        }
    }

    /// Whether no square that the king passes or reaches is attacked, nor the king afterwards.
    ///
    /// Enemy imitators are judged as moving like kings, which is what they imitate after a castling.
    fn castling_is_safe(&self, right: &CastlingRule, to: Square, occupancy: &Occupancy<N>) -> bool {
        let tables = &self.compiled().tables;
        let king = Some(self.compiled().rules.king);
        let them = !right.colour;
        let lifted = tables.occupancy(occupancy.occupied.without(Bitboard::of(right.king)));
        let passed = squares_between(right.king, to).chain([to]);
        for square in passed {
            if self.is_attacked(square, them, &lifted, Bitboard::EMPTY, king) {
                return false;
            }
        }
        let mut occupied = lifted.occupied.without(Bitboard::of(right.partner));
        occupied.insert(to);
        occupied.insert(crate::position::castled_partner(
            right.king,
            right.partner,
            to,
        ));
        !self.is_attacked(to, them, &tables.occupancy(occupied), Bitboard::EMPTY, king)
    }
}

/// Where the king of a castling arrives.
fn slide(right: &CastlingRule, distance: u8) -> Square {
    if right.partner > right.king {
        Square(right.king.0 + distance)
    } else {
        Square(right.king.0 - distance)
    }
}

/// The squares between two of one rank.
fn squares_between(a: Square, b: Square) -> impl Iterator<Item = Square> + Clone {
    (a.min(b).0 + 1..a.max(b).0).map(Square)
}
