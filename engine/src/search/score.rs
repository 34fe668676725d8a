//! [`Score`]: what a position is worth to the side to move, in centipawns, the five outcomes on the same scale.

use std::fmt;
use std::ops::Neg;

use crate::outcome::{GameEnd, Outcome};
use crate::types::Colour;

/// Most plies of a line of search.
pub(crate) const MAX_PLY: usize = 200;

/// What a position is worth to the side to move, in centipawns.
///
/// Scores are read with the logistic of chess ratings: a score of `c` stands for an expected result of
/// `1 / (1 + 10^(-c/400))` points. The outcomes between win and loss are put on that scale: an *advantage*
/// (three quarters of a point) is 400 log10(3) = 191 centipawns, a draw is 0. A win is a *mate* score, above all
/// others, the higher the sooner it comes.
///
/// ```
/// use engine::search::Score;
/// assert_eq!(Score::ADVANTAGE.to_string(), "cp 191");
/// assert_eq!(Score::mate_in(3).to_string(), "mate 2");
/// assert_eq!((-Score::mate_in(2)).mate(), Some(-1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Score(pub(crate) i32);

impl Score {
    /// A draw.
    pub const DRAW: Score = Score(0);
    /// Three quarters of a point, certain.
    pub const ADVANTAGE: Score = Score(191);
    /// A quarter of a point, certain.
    pub const DISADVANTAGE: Score = Score(-191);
    /// Mate on the board, of the side not to move.
    pub(crate) const MATE: i32 = 32_000;
    /// The smallest score that is a forced win.
    pub(crate) const FIRST_MATE: i32 = Self::MATE - MAX_PLY as i32;
    /// No evaluation is further from 0.
    pub(crate) const LARGEST_EVALUATION: i32 = 20_000;
    /// Above every score.
    pub(crate) const INFINITE: i32 = 32_500;

    /// A win by a mate given with the `plies`th half-move from here (an odd number for the side to move).
    #[must_use]
    pub const fn mate_in(plies: u32) -> Score {
        Score(Self::MATE - plies as i32)
    }

    /// A loss by a mate that comes with the `plies`th half-move from here.
    #[must_use]
    pub const fn mated_in(plies: u32) -> Score {
        Score(plies as i32 - Self::MATE)
    }

    /// Centipawns; a mate is more than 31,000 from 0.
    #[must_use]
    pub const fn cp(self) -> i32 {
        self.0
    }

    /// The full moves to a forced mate, if the score is one: positive if the side to move gives it,
    /// negative if it suffers it. 0 is being mated on the board.
    #[must_use]
    pub const fn mate(self) -> Option<i32> {
        if self.0 >= Self::FIRST_MATE {
            Some((Self::MATE - self.0 + 1) / 2)
        } else if self.0 <= -Self::FIRST_MATE {
            Some(-(Self::MATE + self.0) / 2)
        } else {
            None
        }
    }

    /// The score of a game's end on the board, seen by `side`.
    #[must_use]
    pub fn of_end(end: &GameEnd, side: Colour) -> Score {
        let score = match end.outcome {
            Outcome::Win => Score(Self::MATE),
            Outcome::Advantage => Score::ADVANTAGE,
            Outcome::Draw => Score::DRAW,
        };
        if end.winner == Some(!side) {
            -score
        } else {
            score
        }
    }
}

impl Neg for Score {
    type Output = Score;
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

/// As UCI writes it: `cp 13`, `mate 3`, `mate -2`.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mate() {
            Some(moves) => write!(f, "mate {moves}"),
            None => write!(f, "cp {}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advantage_is_three_quarters_of_a_point() {
        let expected = |s: Score| 1.0 / (1.0 + 10f64.powf(-f64::from(s.cp()) / 400.0));
        assert!((expected(Score::ADVANTAGE) - 0.75).abs() < 0.001);
        assert!((expected(Score::DISADVANTAGE) - 0.25).abs() < 0.001);
        assert_eq!(expected(Score::DRAW), 0.5);
    }

    #[test]
    fn mates_count_full_moves() {
        for (plies, moves) in [(1, 1), (2, 1), (3, 2), (5, 3)] {
            assert_eq!(Score::mate_in(plies).mate(), Some(moves));
        }
        for (plies, moves) in [(0, 0), (2, -1), (4, -2)] {
            assert_eq!(Score::mated_in(plies).mate(), Some(moves));
        }
        assert_eq!(Score(Score::LARGEST_EVALUATION).mate(), None);
    }
}
