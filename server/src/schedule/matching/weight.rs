//! [`Weight`]: what the edges of a matching weigh, and [`Levels`], criteria in order of importance.

use std::ops::{Add, Neg, Sub};

/// Numbers that a matching adds up and compares: an ordered group, as integers are.
pub trait Weight:
    Copy + Ord + Add<Output = Self> + Sub<Output = Self> + Neg<Output = Self>
{
    /// Nothing.
    const ZERO: Self;
    /// Stands for an edge that is not there; weighs nothing itself.
    const ABSENT: Self;

    /// Half of an even number.
    #[must_use]
    fn halved(self) -> Self;
}

impl Weight for i128 {
    const ZERO: Self = 0;
    const ABSENT: Self = Self::MAX;

    fn halved(self) -> Self {
        self / 2
    }
}

/// Two numbers, the first of which decides: no amount of the second outweighs one of the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Levels(
    /// What decides.
    pub i128,
    /// What decides between equals.
    pub i128,
);

impl Add for Levels {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl Sub for Levels {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 - other.0, self.1 - other.1)
    }
}

impl Neg for Levels {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Weight for Levels {
    const ZERO: Self = Self(0, 0);
    const ABSENT: Self = Self(i128::MAX, i128::MAX);

    fn halved(self) -> Self {
        Self(self.0 / 2, self.1 / 2)
    }
}
