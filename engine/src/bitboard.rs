//! Sets of squares: [`Bitboard<N>`], `N` words of 64 squares.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

use crate::types::Square;

/// A set of squares of a board of at most `64 * N`.
///
/// ```
/// use engine::bitboard::Bitboard;
/// use engine::types::Square;
/// let set = Bitboard::<2>::of(Square(3)) | Bitboard::of(Square(100));
/// assert_eq!(set.into_iter().collect::<Vec<_>>(), [Square(3), Square(100)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bitboard<const N: usize>(pub [u64; N]);

impl<const N: usize> Bitboard<N> {
    /// No square.
    pub const EMPTY: Self = Bitboard([0; N]);

    /// The set of one square.
    #[inline(always)]
    #[must_use]
    pub const fn of(square: Square) -> Self {
        let mut words = [0; N];
        words[(square.0 >> 6) as usize & (N - 1)] = 1 << (square.0 & 63);
        Bitboard(words)
    }

    /// Whether a square is in the set.
    #[inline(always)]
    #[must_use]
    pub const fn has(&self, square: Square) -> bool {
        self.0[(square.0 >> 6) as usize & (N - 1)] >> (square.0 & 63) & 1 != 0
    }

    /// Adds a square.
    #[inline(always)]
    pub const fn insert(&mut self, square: Square) {
        self.0[(square.0 >> 6) as usize & (N - 1)] |= 1 << (square.0 & 63);
    }

    /// Takes a square out.
    #[inline(always)]
    pub const fn remove(&mut self, square: Square) {
        self.0[(square.0 >> 6) as usize & (N - 1)] &= !(1 << (square.0 & 63));
    }

    /// Whether no square is in the set.
    #[inline(always)]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |a, w| a | w) == 0
    }

    /// Whether a square is in the set.
    #[inline(always)]
    #[must_use]
    pub fn any(&self) -> bool {
        !self.is_empty()
    }

    /// Whether the two sets share a square.
    #[inline(always)]
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        let mut any = 0;
        for i in 0..N {
            any |= self.0[i] & other.0[i];
        }
        any != 0
    }

    /// Whether the two sets are equal: `==` without a call.
    #[inline(always)]
    #[must_use]
    pub fn equals(&self, other: &Self) -> bool {
        let mut difference = 0;
        for i in 0..N {
            difference |= self.0[i] ^ other.0[i];
        }
        difference == 0
    }

    /// Number of squares.
    #[inline(always)]
    #[must_use]
    pub fn count(&self) -> u32 {
        self.0.iter().map(|w| w.count_ones()).sum()
    }

    /// The squares of this set that are not in `other`.
    #[inline(always)]
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        self & !other
    }

    /// The lowest square.
    #[inline(always)]
    #[must_use]
    pub fn lowest(&self) -> Option<Square> {
        for i in 0..N {
            if self.0[i] != 0 {
                return Some(Square((i * 64) as u8 + self.0[i].trailing_zeros() as u8));
            }
        }
        None
    }

    /// The highest square.
    #[inline(always)]
    #[must_use]
    pub fn highest(&self) -> Option<Square> {
        for i in (0..N).rev() {
            if self.0[i] != 0 {
                return Some(Square(
                    (i * 64) as u8 + 63 - self.0[i].leading_zeros() as u8,
                ));
            }
        }
        None
    }
}

impl<const N: usize> Default for Bitboard<N> {
    fn default() -> Self {
        Self::EMPTY
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident, $op:tt) => {
        impl<const N: usize> $trait for Bitboard<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(mut self, other: Self) -> Self {
                for i in 0..N {
                    self.0[i] $op other.0[i];
                }
                self
            }
        }
        impl<const N: usize> $assign for Bitboard<N> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                for i in 0..N {
                    self.0[i] $op other.0[i];
                }
            }
        }
    };
}
operator!(BitAnd, bitand, BitAndAssign, bitand_assign, &=);
operator!(BitOr, bitor, BitOrAssign, bitor_assign, |=);
operator!(BitXor, bitxor, BitXorAssign, bitxor_assign, ^=);

impl<const N: usize> Not for Bitboard<N> {
    type Output = Self;
    #[inline(always)]
    fn not(mut self) -> Self {
        for w in &mut self.0 {
            *w = !*w;
        }
        self
    }
}

impl<const N: usize> FromIterator<Square> for Bitboard<N> {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Self {
        let mut set = Self::EMPTY;
        squares.into_iter().for_each(|s| set.insert(s));
        set
    }
}

impl<const N: usize> IntoIterator for Bitboard<N> {
    type Item = Square;
    type IntoIter = Squares<N>;
    #[inline(always)]
    fn into_iter(self) -> Squares<N> {
        Squares {
            word: self.0[0],
            words: self.0,
            at: 0,
        }
    }
}

/// The squares of a set, lowest first.
pub struct Squares<const N: usize> {
    words: [u64; N],
    /// What is left of the current word.
    word: u64,
    at: usize,
}

impl<const N: usize> Iterator for Squares<N> {
    type Item = Square;
    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        while self.word == 0 {
            self.at += 1;
            if self.at >= N {
                return None;
            }
            self.word = self.words[self.at];
        }
        let square = Square((self.at * 64) as u8 + self.word.trailing_zeros() as u8);
        self.word &= self.word - 1;
        Some(square)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn is_a_set(a in prop::collection::btree_set(0u8..=255, 0..40), b in prop::collection::btree_set(0u8..=255, 0..40)) {
            let set = |s: &BTreeSet<u8>| s.iter().map(|&q| Square(q)).collect::<Bitboard<4>>();
            let list = |s: Bitboard<4>| s.into_iter().map(|q| q.0).collect::<BTreeSet<u8>>();
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(list(x & y), &a & &b);
            prop_assert_eq!(list(x | y), &a | &b);
            prop_assert_eq!(list(x ^ y), &a ^ &b);
            prop_assert_eq!(list(x.without(y)), &a - &b);
            prop_assert_eq!(x.meets(&y), !(&a & &b).is_empty());
            prop_assert_eq!(x.count() as usize, a.len());
            prop_assert_eq!(x.lowest().map(|q| q.0), a.first().copied());
            prop_assert_eq!(x.highest().map(|q| q.0), a.last().copied());
        }
    }
}
