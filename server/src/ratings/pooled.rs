//! One difference in strength from several matches, and whether they agree on it.

use std::f64::consts::{LN_10, PI};

use super::match_estimate::MatchEstimate;
use super::normal;

/// A difference common to several independent matches, e.g. of the same two engines in several variants.
///
/// Each match weighs by the inverse of the variance of its Elo. W. G. Cochran, "The combination of estimates from different
/// experiments", Biometrics 10 (1954).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PooledElo {
    /// Weighted mean of the matches' Elo.
    pub elo: f64,
    /// Its interval.
    pub interval: [f64; 2],
    /// Level of the interval.
    pub level: f64,
    /// Cochran's Q: the weighted sum of squared deviations from the mean.
    pub q: f64,
    /// Its degrees of freedom, one less than there are matches.
    pub freedom: u32,
    /// Probability of a Q at least as large if the difference is the same in all matches.
    pub p: f64,
}

/// Pools matches; `None` without any, or if the results of one are all alike, so that nothing tells its variance.
pub fn pooled_elo(matches: &[MatchEstimate], level: f64) -> Option<PooledElo> {
    let is_known = |found: &MatchEstimate| !found.all_alike && found.score_error > 0.0;
    let freedom = u32::try_from(matches.len().checked_sub(1)?).ok()?;
    if !(level > 0.0 && level < 1.0 && matches.iter().all(is_known)) {
        return None;
    }
    // The error of an Elo by the delta method.
    let weighted: Vec<(f64, f64)> = matches
        .iter()
        .map(|found| {
            let score = found.regularised_score;
            let error = 400.0 / LN_10 * found.score_error / (score * (1.0 - score));
            (found.elo, 1.0 / (error * error))
        })
        .collect();
    let weight: f64 = weighted.iter().map(|(_, weight)| weight).sum();
    let elo = weighted
        .iter()
        .map(|(elo, weight)| elo * weight)
        .sum::<f64>()
        / weight;
    let q = weighted
        .iter()
        .map(|(own, weight)| weight * (own - elo).powi(2))
        .sum();
    let half = normal::two_sided(level) / weight.sqrt();
    let found = PooledElo {
        elo,
        interval: [elo - half, elo + half],
        level,
        q,
        freedom,
        p: chi_square_tail(q, freedom),
    };
    (elo.is_finite() && half.is_finite()).then_some(found)
}

/// Probability that a chi-square variable is above `x`, by recurrence over the degrees of freedom: Abramowitz and Stegun
/// 26.4.4 and 26.4.5. A variable without freedom is 0.
fn chi_square_tail(x: f64, freedom: u32) -> f64 {
    if freedom == 0 || x <= 0.0 {
        return 1.0;
    }
    let half = 0.5 * x;
    // The tail of 1 or 2 degrees of freedom, and the next term of the sum.
    let (mut tail, mut term, mut at) = match freedom % 2 {
        0 => ((-half).exp(), half * (-half).exp(), 2),
        _ => {
            let term = 2.0 * (half / PI).sqrt() * (-half).exp();
            (2.0 * normal::cdf(-x.sqrt()), term, 1)
        }
    };
    while at < freedom {
        tail += term;
        at += 2;
        term *= half / (0.5 * f64::from(at));
    }
    tail.min(1.0)
}

#[cfg(test)]
mod tests {
    use super::super::{CellSet, Histogram, match_estimate};
    use super::*;

    #[test]
    fn tails_of_chi_square_are_those_of_the_tables() {
        // Abramowitz and Stegun, table 26.8: the 5 % and 1 % points.
        for (freedom, five, one) in [
            (1, 3.841_459, 6.634_897),
            (2, 5.991_465, 9.210_340),
            (3, 7.814_728, 11.344_867),
            (4, 9.487_729, 13.276_704),
            (5, 11.070_498, 15.086_272),
            (10, 18.307_038, 23.209_251),
            (29, 42.556_968, 49.587_884),
        ] {
            assert!(
                (chi_square_tail(five, freedom) - 0.05).abs() < 1e-7,
                "{freedom}"
            );
            assert!(
                (chi_square_tail(one, freedom) - 0.01).abs() < 1e-7,
                "{freedom}"
            );
        }
        assert_eq!(
            (chi_square_tail(0.0, 3), chi_square_tail(4.0, 0)),
            (1.0, 1.0)
        );
    }

    fn of(counts: [u64; 5]) -> MatchEstimate {
        let histogram = Histogram::new(CellSet::ThreePairs, &counts).unwrap();
        match_estimate(&histogram, 0.95).unwrap()
    }

    #[test]
    fn matches_that_agree_are_one_longer_match() {
        let part = of([10, 40, 100, 60, 20]);
        let pooled = pooled_elo(
            &[part.clone(), part.clone(), part.clone(), part.clone()],
            0.95,
        );
        let pooled = pooled.unwrap();
        let whole = of([40, 160, 400, 240, 80]);
        assert!((pooled.elo - whole.elo).abs() < 1e-3, "{pooled:?}");
        let half = 0.5 * (pooled.interval[1] - pooled.interval[0]);
        assert!(
            (half / whole.elo_error() - 1.0).abs() < 2e-3,
            "{pooled:?} {whole:?}"
        );
        assert_eq!((pooled.freedom, pooled.p), (3, 1.0));
    }

    #[test]
    fn matches_that_disagree_are_found_out() {
        let (better, worse) = (of([10, 40, 100, 80, 40]), of([40, 80, 100, 40, 10]));
        let pooled = pooled_elo(&[better.clone(), worse.clone()], 0.95).unwrap();
        assert!(pooled.elo.abs() < 1e-9, "{pooled:?}");
        // Two equal errors: Q is half the square of the difference in errors.
        let error = better.elo_error() / normal::two_sided(0.95);
        let q = 0.5 * ((better.elo - worse.elo) / error).powi(2);
        assert!(
            (pooled.q / q - 1.0).abs() < 0.01 && pooled.p < 1e-6,
            "{pooled:?} {q}"
        );
    }

    #[test]
    fn nothing_is_pooled_where_a_spread_is_unknown() {
        let fine = of([10, 40, 100, 60, 20]);
        for alike in [[0, 0, 30, 0, 0], [0, 0, 0, 0, 30]] {
            assert_eq!(pooled_elo(&[fine.clone(), of(alike)], 0.95), None);
        }
        assert_eq!(pooled_elo(&[], 0.95), None);
        assert_eq!(pooled_elo(&[fine], 1.0), None);
    }
}
