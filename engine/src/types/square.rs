//! Squares of a board of at most 256.

/// The number of a square: `rank index * files + file index`, lowest rank first.
///
/// What its name is depends on the board, see [`Geometry`](crate::geometry::Geometry).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(pub u8);

impl Square {
    /// The number as an index.
    #[inline]
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
