//! [`Pair`]: a value for the middle game and one for the endgame.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A value for the middle game and one for the endgame, in centipawns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pair {
    pub mg: i32,
    pub eg: i32,
}

impl Pair {
    pub const ZERO: Pair = Pair { mg: 0, eg: 0 };

    pub const fn new(mg: i32, eg: i32) -> Pair {
        Pair { mg, eg }
    }

    pub fn percent(self, percent: i32) -> Pair {
        Pair::new(self.mg * percent / 100, self.eg * percent / 100)
    }
}

impl Add for Pair {
    type Output = Pair;
    #[inline(always)]
    fn add(self, other: Pair) -> Pair {
        Pair::new(self.mg + other.mg, self.eg + other.eg)
    }
}

impl Sub for Pair {
    type Output = Pair;
    #[inline(always)]
    fn sub(self, other: Pair) -> Pair {
        Pair::new(self.mg - other.mg, self.eg - other.eg)
    }
}

impl Neg for Pair {
    type Output = Pair;
    #[inline(always)]
    fn neg(self) -> Pair {
        Pair::new(-self.mg, -self.eg)
    }
}

impl Mul<i32> for Pair {
    type Output = Pair;
    #[inline(always)]
    fn mul(self, by: i32) -> Pair {
        Pair::new(self.mg * by, self.eg * by)
    }
}

impl AddAssign for Pair {
    #[inline(always)]
    fn add_assign(&mut self, other: Pair) {
        *self = *self + other;
    }
}

impl SubAssign for Pair {
    #[inline(always)]
    fn sub_assign(&mut self, other: Pair) {
        *self = *self - other;
    }
}
