//! Moves packed into 32 bits, and lists of them.

use super::{Kind, Square};

/// What is special about a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum MoveKind {
    /// A man goes from a square to another, capturing what stands there.
    Normal = 0,
    /// A move that may be captured en passant on the squares it passes.
    MultiStep = 1,
    /// A capture en passant.
    EnPassant = 2,
    /// Castling; the target is the king's.
    Castle = 3,
    /// The king's single leap from its start square.
    KingLeap = 4,
    /// Set-up action: bases of the regent are chosen; the payload is their set.
    PickBases = 5,
    /// Set-up action: augmenters are placed; the payload is the number of the placement.
    PlaceAugmenters = 6,
}

/// A move.
///
/// Bits 0-7 origin, 8-15 target, 16-20 promotion type (31: none), 21-25 number of the castling
/// right, 28-31 [`MoveKind`]; set-up actions carry a number in bits 0-27 instead.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move(u32);

impl Move {
    const NO_PROMOTION: u32 = 31;

    /// No move.
    pub const NONE: Move = Move(u32::MAX);

    /// A move of one man without promotion.
    #[inline]
    #[must_use]
    pub const fn new(kind: MoveKind, from: Square, to: Square) -> Move {
        Move(from.0 as u32 | (to.0 as u32) << 8 | Self::NO_PROMOTION << 16 | (kind as u32) << 28)
    }

    /// The same move with a promotion.
    #[inline]
    #[must_use]
    pub const fn promoting(self, to: Kind) -> Move {
        Move(self.0 & !(31 << 16) | (to.0 as u32) << 16)
    }

    /// A castling: the king's squares and the number of the right it uses.
    #[inline]
    #[must_use]
    pub const fn castle(from: Square, to: Square, right: u8) -> Move {
        Move(Move::new(MoveKind::Castle, from, to).0 | (right as u32 & 31) << 21)
    }

    /// A set-up action.
    #[inline]
    #[must_use]
    pub const fn setup(kind: MoveKind, payload: u32) -> Move {
        Move(payload & 0x0fff_ffff | (kind as u32) << 28)
    }

    /// What is special about the move.
    #[inline]
    #[must_use]
    pub const fn kind(self) -> MoveKind {
        match self.0 >> 28 {
            1 => MoveKind::MultiStep,
            2 => MoveKind::EnPassant,
            3 => MoveKind::Castle,
            4 => MoveKind::KingLeap,
            5 => MoveKind::PickBases,
            6 => MoveKind::PlaceAugmenters,
            _ => MoveKind::Normal,
        }
    }

    /// Origin.
    #[inline]
    #[must_use]
    pub const fn from(self) -> Square {
        Square(self.0 as u8)
    }

    /// Target.
    #[inline]
    #[must_use]
    pub const fn to(self) -> Square {
        Square((self.0 >> 8) as u8)
    }

    /// The type a pawn becomes, if it promotes.
    #[inline]
    #[must_use]
    pub const fn promotion(self) -> Option<Kind> {
        let kind = self.0 >> 16 & 31;
        if kind == Self::NO_PROMOTION {
            None
        } else {
            Some(Kind(kind as u8))
        }
    }

    /// The number of the castling right that a castling uses.
    #[inline]
    #[must_use]
    pub const fn castling_right(self) -> u8 {
        (self.0 >> 21 & 31) as u8
    }

    /// The number that a set-up action carries.
    #[inline]
    #[must_use]
    pub const fn payload(self) -> u32 {
        self.0 & 0x0fff_ffff
    }

    /// Whether this is an action of a set-up phase and not a move on the board.
    #[inline]
    #[must_use]
    pub const fn is_setup(self) -> bool {
        matches!(self.kind(), MoveKind::PickBases | MoveKind::PlaceAugmenters)
    }

    /// The packed bits, for tables.
    #[inline]
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// The move of packed bits made by [`Move::bits`].
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u32) -> Move {
        Move(bits)
    }
}

/// A list of moves, kept and refilled so that generating allocates only while it grows.
pub type MoveList = Vec<Move>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_do_not_overlap() {
        let m = Move::castle(Square(255), Square(1), 17);
        assert_eq!(
            (m.from(), m.to(), m.castling_right()),
            (Square(255), Square(1), 17)
        );
        assert_eq!((m.kind(), m.promotion()), (MoveKind::Castle, None));
        let p = Move::new(MoveKind::EnPassant, Square(7), Square(200)).promoting(Kind(25));
        assert_eq!(
            (p.from(), p.to(), p.promotion()),
            (Square(7), Square(200), Some(Kind(25)))
        );
        assert_eq!(p.kind(), MoveKind::EnPassant);
        let s = Move::setup(MoveKind::PlaceAugmenters, 13_305_599);
        assert_eq!(
            (s.payload(), s.kind(), s.is_setup()),
            (13_305_599, MoveKind::PlaceAugmenters, true)
        );
    }
}
