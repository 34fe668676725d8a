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

/// Numbers of falling importance: no amount of a later one outweighs one of an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Levels<const N: usize>(
    /// What decides first.
    pub [i128; N],
);

impl<const N: usize> Add for Levels<N> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|level| self.0[level] + other.0[level]))
    }
}

impl<const N: usize> Sub for Levels<N> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|level| self.0[level] - other.0[level]))
    }
}

impl<const N: usize> Neg for Levels<N> {
    type Output = Self;

    fn neg(self) -> Self {
        Self(self.0.map(Neg::neg))
    }
}

impl<const N: usize> Weight for Levels<N> {
    const ZERO: Self = Self([0; N]);
    const ABSENT: Self = Self([i128::MAX; N]);

    fn halved(self) -> Self {
        Self(self.0.map(|level| level / 2))
    }
}
