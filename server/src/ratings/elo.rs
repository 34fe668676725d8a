//! The logistic Elo scale and the normalized Elo scale.

use std::f64::consts::LN_10;
use std::fmt;

/// Elo points of one natural-log unit of strength, 400 / ln 10.
pub const ELO_PER_NAT: f64 = 400.0 / LN_10;

/// Normalized Elo of one standard deviation of a single game, 800 / ln 10
/// (Van den Bergh, "Normalized Elo", 2022).
pub const NELO_PER_DEVIATION: f64 = 800.0 / LN_10;

/// Scores are clipped to this distance from 0 and 1 before they are turned into Elo (as fishtest does).
pub const SCORE_MARGIN: f64 = 0.001;

/// The logistic function 1 / (1 + e^-x), accurate at both ends.
pub fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        1.0 / (1.0 + (-x).exp())
    } else {
        let e = x.exp();
        e / (1.0 + e)
    }
}

/// ln(1 / (1 + e^-x)) without overflow or cancellation.
pub fn ln_sigmoid(x: f64) -> f64 {
    if x >= 0.0 {
        -(-x).exp().ln_1p()
    } else {
        x - x.exp().ln_1p()
    }
}

/// Expected score of a player `elo` points stronger than its opponent, in (0, 1).
pub fn score_of_elo(elo: f64) -> f64 {
    sigmoid(elo / ELO_PER_NAT)
}

/// Elo difference that gives the expected score, which is first clipped to [0.001, 0.999].
pub fn elo_of_score(score: f64) -> f64 {
    let clipped = score.clamp(SCORE_MARGIN, 1.0 - SCORE_MARGIN);
    ELO_PER_NAT * (clipped / (1.0 - clipped)).ln()
}

/// A rating in hundredths of an Elo, to which ratings are rounded where they are to be compared exactly: far finer than any
/// error bar, far coarser than what two fits to the same results differ by (1e-9 Elo).
///
/// Prints as Elo: -1205 hundredths are `-12.05`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EloHundredths(pub i64);

impl EloHundredths {
    /// Largest Elo that is rounded.
    const LARGEST: f64 = 1e9;

    /// The nearest to a rating, halves away from 0; `None` for what is not a number or beyond a thousand million Elo.
    pub fn nearest(elo: f64) -> Option<Self> {
        (elo.abs() <= Self::LARGEST).then(|| Self((elo * 100.0).round() as i64))
    }

    /// The same in Elo, for display and for estimates; never compare these.
    pub fn elo(self) -> f64 {
        self.0 as f64 / 100.0
    }
}

impl fmt::Display for EloHundredths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let size = self.0.unsigned_abs();
        f.pad(&format!("{sign}{}.{:02}", size / 100, size % 100))
    }
}

#[cfg(test)]
mod tests {
    use super::{EloHundredths, elo_of_score, ln_sigmoid, score_of_elo, sigmoid};

    #[test]
    fn hundredths_are_rounded_once_and_print_exactly() {
        let nearest = |elo| EloHundredths::nearest(elo).map(|rating| rating.to_string());
        for (elo, text) in [
            (0.0, "0.00"),
            (-0.004, "0.00"),
            (-0.006, "-0.01"),
            (12.125, "12.13"),
            (-12.125, "-12.13"),
            (-1205.049, "-1205.05"),
        ] {
            assert_eq!(nearest(elo).as_deref(), Some(text));
        }
        for elo in [f64::NAN, f64::INFINITY, -2e9] {
            assert_eq!(nearest(elo), None);
        }
    }

    #[test]
    fn known_points_of_the_elo_scale() {
        assert!((score_of_elo(400.0) - 10.0 / 11.0).abs() < 1e-15);
        assert!((score_of_elo(0.0) - 0.5).abs() < 1e-15);
        assert!((elo_of_score(0.75) - 190.848_501_887_864_97).abs() < 1e-10);
        assert_eq!(elo_of_score(1.0), elo_of_score(0.999));
    }

    #[test]
    fn tails_stay_finite() {
        assert_eq!((sigmoid(800.0), sigmoid(-800.0)), (1.0, 0.0));
        assert!((ln_sigmoid(-800.0) + 800.0).abs() < 1e-12);
        assert_eq!(ln_sigmoid(800.0), 0.0);
    }
}
