//! The two sides.

use std::fmt;
use std::ops::Not;

/// A side of the game.
///
/// ```
/// use engine::types::Colour;
/// assert_eq!(!Colour::White, Colour::Black);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Colour {
    /// Moves first, forward is towards higher ranks.
    White = 0,
    /// Forward is towards lower ranks.
    Black = 1,
}

impl Colour {
    /// Both sides, White first.
    pub const ALL: [Colour; 2] = [Colour::White, Colour::Black];

    /// 0 for White, 1 for Black.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of the side in a FEN: `w` or `b`.
    #[must_use]
    pub const fn fen_letter(self) -> char {
        match self {
            Colour::White => 'w',
            Colour::Black => 'b',
        }
    }
}

impl Not for Colour {
    type Output = Colour;
    #[inline]
    fn not(self) -> Colour {
        match self {
            Colour::White => Colour::Black,
            Colour::Black => Colour::White,
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Colour::White => "white",
            Colour::Black => "black",
        })
    }
}
