//! From a score to the odds of the five outcomes.
//!
//! An ordered logit model: the result is a hidden strength, the score plus noise of the logistic distribution whose
//! scale is that of chess ratings (400 / ln 10 centipawns), cut at four thresholds.

use super::Score;

/// Odds in thousandths, 1000 together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcomes {
    /// The side to move wins.
    pub win: u32,
    /// It gets three quarters.
    pub advantage: u32,
    /// A draw.
    pub draw: u32,
    /// It gets a quarter.
    pub disadvantage: u32,
    /// It loses.
    pub loss: u32,
}

/// Hidden strength, in centipawns, from which a result is a win, and from which it is more than a draw.
const WIN: i32 = 120;
const ADVANTAGE: i32 = 70;

impl Score {
    /// The odds of the outcomes for the side to move; `quarters`: whether the game knows advantages.
    ///
    /// ```
    /// use engine::search::Score;
    /// let level = Score::DRAW.outcomes(true);
    /// assert_eq!((level.win, level.advantage), (level.loss, level.disadvantage));
    /// assert_eq!(Score::mate_in(3).outcomes(true).win, 1000);
    /// ```
    #[must_use]
    pub fn outcomes(self, quarters: bool) -> Outcomes {
        let certain = |win, loss| Outcomes {
            win,
            advantage: 0,
            draw: 0,
            disadvantage: 0,
            loss,
        };
        match self.mate() {
            Some(mate) if mate > 0 => return certain(1000, 0),
            Some(_) => return certain(0, 1000),
            None => {}
        }
        let score = self.cp();
        let above = |threshold: i32| logistic(score - threshold);
        let advantage = if quarters { ADVANTAGE } else { WIN };
        let (win, more, draw, less) =
            (above(WIN), above(advantage), above(-advantage), above(-WIN));
        Outcomes {
            win,
            advantage: more - win,
            draw: draw - more,
            disadvantage: less - draw,
            loss: 1000 - less,
        }
    }
}

/// `1000 / (1 + 10^(-c/400))`, rounded, in whole numbers: the same on every machine.
fn logistic(c: i32) -> u32 {
    if c < 0 {
        return 1000 - logistic(-c);
    }
    // 10^(-c/400) in 2^-32ths by repeated multiplication: 10^(-1/400) = 0.99426..., rounded.
    const ROOT: u64 = 4_270_314_501;
    let mut power = 1u64 << 32;
    for _ in 0..c.min(4000) {
        power = (power * ROOT) >> 32;
    }
    let one = 1u64 << 32;
    ((one * 1000 + (one + power) / 2) / (one + power)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logistic_is_that_of_mathematics() {
        for c in -2500..2500 {
            let exact = 1000.0 / (1.0 + 10f64.powf(-f64::from(c) / 400.0));
            let got = f64::from(logistic(c));
            assert!((got - exact).abs() <= 0.51, "{c}: {got} for {exact}");
        }
    }

    /// The mean of the odds is near the expected result that a score stands for.
    #[test]
    fn odds_agree_with_the_meaning_of_a_score() {
        for quarters in [false, true] {
            for c in (-1500..=1500).step_by(10) {
                let o = Score(c).outcomes(quarters);
                let sum = o.win + o.advantage + o.draw + o.disadvantage + o.loss;
                assert_eq!(sum, 1000, "{c}");
                let mean = 4 * o.win + 3 * o.advantage + 2 * o.draw + o.disadvantage;
                let meant = 4 * logistic(c);
                assert!(mean.abs_diff(meant) < 100, "{c}: {mean} for {meant}");
                assert!(quarters || o.advantage + o.disadvantage == 0);
            }
        }
    }
}
