//! What a sequential test asks.

use crate::ratings::cells::{CellSet, Law};
use crate::ratings::elo::{NELO_PER_DEVIATION, score_of_elo};

/// Unit of a test's bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EloUnit {
    /// Normalized Elo: the score in standard deviations, so that a test's length does not depend on how
    /// drawish the games are. The default.
    #[default]
    Normalized,
    /// Logistic Elo.
    Logistic,
}

impl EloUnit {
    /// Largest bound of a test in absolute value. Beyond 100 the fixed point behind normalized Elo may stop at a wrong
    /// maximum (STATS.md 2.3); the maximum of logistic Elo is found everywhere, but outside of +-1000 there is no
    /// estimate (STATS.md 2.5).
    pub const fn max_bound(self) -> f64 {
        match self {
            Self::Normalized => 100.0,
            Self::Logistic => 1_000.0,
        }
    }

    /// Its name in texts.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Normalized => "normalized",
            Self::Logistic => "logistic",
        }
    }

    const fn remedy(self) -> &'static str {
        match self {
            Self::Normalized => {
                "where the likelihood ratio is unreliable; give smaller bounds, or bounds in logistic Elo"
            }
            Self::Logistic => {
                "where scores cannot be told apart; give smaller bounds, or play a match of fixed length"
            }
        }
    }
}

/// Least error probability: bounds of the ratio are then at 27.6, and no test asks for more.
const LEAST_ERROR: f64 = 1e-12;

/// Why a test was refused.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum SpecError {
    /// The bounds are not ordered, or not numbers.
    #[error("bounds elo0 = {elo0} and elo1 = {elo1} are not ascending; give elo0 < elo1, as 0,5")]
    Order {
        /// Lower bound.
        elo0: f64,
        /// Upper bound.
        elo1: f64,
    },
    /// A bound is too large.
    #[error("bound {bound} is beyond +-{} {} Elo, {}", unit.max_bound(), unit.name(), unit.remedy())]
    TooLarge {
        /// The bound.
        bound: f64,
        /// Its unit.
        unit: EloUnit,
    },
    /// An error probability is out of range.
    #[error(
        "error probability {name} = {value}; give a probability of at least {LEAST_ERROR} and below 0.5, as 0.05"
    )]
    Probability {
        /// `alpha` or `beta`.
        name: &'static str,
        /// What was given.
        value: f64,
    },
}

/// A sequential test of H0: elo <= elo0 against H1: elo >= elo1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SprtSpec {
    unit: EloUnit,
    elo: [f64; 2],
    alpha: f64,
    beta: f64,
    set: CellSet,
}

impl SprtSpec {
    /// A test with error probabilities `alpha` (H1 accepted at elo0) and `beta` (H0 accepted at elo1).
    pub fn new(
        unit: EloUnit,
        elo0: f64,
        elo1: f64,
        alpha: f64,
        beta: f64,
        set: CellSet,
    ) -> Result<Self, SpecError> {
        let finite = elo0.is_finite() && elo1.is_finite();
        if !finite || elo0 >= elo1 {
            return Err(SpecError::Order { elo0, elo1 });
        }
        let limit = unit.max_bound();
        if let Some(&bound) = [elo0, elo1].iter().find(|bound| bound.abs() > limit) {
            return Err(SpecError::TooLarge { bound, unit });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(LEAST_ERROR..0.5).contains(&value) {
                return Err(SpecError::Probability { name, value });
            }
        }
        Ok(Self {
            unit,
            elo: [elo0, elo1],
            alpha,
            beta,
            set,
        })
    }

    /// Unit of the bounds.
    pub fn unit(&self) -> EloUnit {
        self.unit
    }

    /// The bounds elo0 and elo1.
    pub fn elo(&self) -> [f64; 2] {
        self.elo
    }

    /// Error probabilities alpha and beta.
    pub fn errors(&self) -> [f64; 2] {
        [self.alpha, self.beta]
    }

    /// The observations that the test counts.
    pub fn set(&self) -> CellSet {
        self.set
    }

    /// Wald's bounds of the log-likelihood ratio: A < 0, at which H0 is accepted, and B > 0, at which H1 is.
    pub fn wald_bounds(&self) -> [f64; 2] {
        let (alpha, beta) = (self.alpha, self.beta);
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// The bounds as scores per game; those of normalized Elo depend on the variance of the games.
    pub(super) fn scores(&self, law: &Law) -> [f64; 2] {
        self.elo
            .map(|elo| self.score(elo, law.deviation_per_game()))
    }

    /// Score per game of an Elo in the unit of the bounds.
    pub(super) fn score(&self, elo: f64, deviation_per_game: f64) -> f64 {
        match self.unit {
            EloUnit::Logistic => score_of_elo(elo),
            EloUnit::Normalized => 0.5 + elo / NELO_PER_DEVIATION * deviation_per_game,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CellSet, EloUnit, SpecError, SprtSpec};

    #[test]
    fn unreasonable_tests_are_refused() {
        let in_unit = |unit, elo0, elo1, alpha, beta| {
            SprtSpec::new(unit, elo0, elo1, alpha, beta, CellSet::FivePairs)
        };
        let spec = |elo0, elo1, alpha, beta| in_unit(EloUnit::Normalized, elo0, elo1, alpha, beta);
        assert!(spec(0.0, 5.0, 0.05, 0.05).is_ok());
        assert!(matches!(
            spec(5.0, 5.0, 0.05, 0.05),
            Err(SpecError::Order { .. })
        ));
        assert!(matches!(
            spec(f64::NAN, 5.0, 0.05, 0.05),
            Err(SpecError::Order { .. })
        ));
        for (unit, largest) in [(EloUnit::Normalized, 100.0), (EloUnit::Logistic, 1_000.0)] {
            let beyond = largest + 1.0;
            assert!(in_unit(unit, -largest, largest, 0.05, 0.05).is_ok());
            for (elo0, elo1, bound) in [(0.0, beyond, beyond), (-beyond, 0.0, -beyond)] {
                let refused = Err(SpecError::TooLarge { bound, unit });
                assert_eq!(in_unit(unit, elo0, elo1, 0.05, 0.05), refused);
            }
        }
        let refused = SpecError::Probability {
            name: "beta",
            value: 0.5,
        };
        assert_eq!(spec(0.0, 5.0, 0.05, 0.5), Err(refused));
        for (alpha, is_fine) in [
            (1e-12, true),
            (1e-320, false),
            (0.0, false),
            (f64::NAN, false),
        ] {
            assert_eq!(spec(0.0, 5.0, alpha, 0.05).is_ok(), is_fine, "{alpha}");
        }
    }
}
