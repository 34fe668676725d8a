//! The five outcomes of a game, and points counted in integer quarters.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// How a game ended for one of its two players.
///
/// A game shares four quarter points: 4 and 0 (win and loss), 3 and 1 (advantage and disadvantage by
/// points count), or 2 and 2 (draw). The discriminant is the number of quarters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Outcome {
    /// No points.
    Loss = 0,
    /// One quarter of a point.
    Disadvantage = 1,
    /// Half a point.
    Draw = 2,
    /// Three quarters of a point.
    Advantage = 3,
    /// One point.
    Win = 4,
}

impl Outcome {
    /// All outcomes, worst first.
    pub const ALL: [Self; 5] = [
        Self::Loss,
        Self::Disadvantage,
        Self::Draw,
        Self::Advantage,
        Self::Win,
    ];

    /// The outcome worth `quarters` quarter points; `None` above 4.
    pub const fn from_quarters(quarters: u8) -> Option<Self> {
        match quarters {
            0 => Some(Self::Loss),
            1 => Some(Self::Disadvantage),
            2 => Some(Self::Draw),
            3 => Some(Self::Advantage),
            4 => Some(Self::Win),
            _ => None,
        }
    }

    /// Quarter points of this outcome, 0 to 4.
    pub const fn quarters(self) -> u8 {
        self as u8
    }

    /// The same game seen by the opponent.
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Disadvantage => Self::Advantage,
            Self::Draw => Self::Draw,
            Self::Advantage => Self::Disadvantage,
            Self::Win => Self::Loss,
        }
    }

    /// Points of this outcome, 0 to 1.
    pub fn score(self) -> f64 {
        f64::from(self.quarters()) / 4.0
    }

    /// Position in a five-cell table.
    pub(crate) const fn cell(self) -> usize {
        self as usize
    }
}

/// A number of points, exact in quarters.
///
/// Prints as a decimal number: 29 quarters are `7.25`, 30 are `7.5`, 28 are `7`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quarters(pub u64);

impl Quarters {
    /// The same amount in points, for display and for estimates; never compare these.
    pub fn points(self) -> f64 {
        self.0 as f64 / 4.0
    }
}

impl fmt::Display for Quarters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fraction = ["", ".25", ".5", ".75"][(self.0 % 4) as usize];
        f.pad(&format!("{}{fraction}", self.0 / 4))
    }
}

impl Add for Quarters {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Quarters {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl Sum for Quarters {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        Self(items.map(|quarters| quarters.0).sum())
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Quarters};

    #[test]
    fn outcomes_share_four_quarters() {
        for outcome in Outcome::ALL {
            assert_eq!(outcome.quarters() + outcome.reversed().quarters(), 4);
            assert_eq!(Outcome::from_quarters(outcome.quarters()), Some(outcome));
        }
        assert_eq!(Outcome::from_quarters(5), None);
    }

    #[test]
    fn points_print_exactly() {
        let printed: Vec<String> = [0, 1, 30, 27, 28].map(|q| Quarters(q).to_string()).into();
        assert_eq!(printed, ["0", "0.25", "7.5", "6.75", "7"]);
        assert_eq!(format!("{:>5}", Quarters(5)), " 1.25");
    }
}
