//! Piece types and men.

use super::Colour;

/// A piece type: its index in the variant's list of pieces, in the order of their letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(pub u8);

impl Kind {
    /// Most types a side may have: one for each letter.
    pub const MAX: usize = 26;

    /// The type's index.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A man on the board: a type and a colour, or nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece(u8);

impl Piece {
    /// An empty square.
    pub const NONE: Piece = Piece(0xff);

    /// A man.
    #[inline]
    #[must_use]
    pub const fn new(colour: Colour, kind: Kind) -> Piece {
        Piece(kind.0 << 1 | colour as u8)
    }

    /// Whether there is no man.
    #[inline]
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0xff
    }

    /// The man's type; meaningless for [`Piece::NONE`].
    #[inline]
    #[must_use]
    pub const fn kind(self) -> Kind {
        Kind(self.0 >> 1)
    }

    /// The man's side; meaningless for [`Piece::NONE`].
    #[inline]
    #[must_use]
    pub const fn colour(self) -> Colour {
        if self.0 & 1 == 0 {
            Colour::White
        } else {
            Colour::Black
        }
    }

    /// An index below 52 for a man, 255 for none.
    #[inline]
    #[must_use]
    pub const fn code(self) -> u8 {
        self.0
    }
}
