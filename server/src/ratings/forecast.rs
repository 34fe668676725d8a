//! Outcome shares of a future game, given its expected score.

/// Tilts a base law exponentially, P_k ~ base_k e^(lambda k), so that the expected score is `expected`.
///
/// `base` are outcome shares at equal strength, worst first (any scale); the Elo scale of the ratings is
/// kept. `None` unless every base share is finite, not negative, and `expected` lies strictly between the
/// lowest and the highest score that the base allows. STATS.md 1.5.
pub fn outcome_shares(base: [f64; 5], expected: f64) -> Option<[f64; 5]> {
    if !base.iter().all(|share| share.is_finite() && *share >= 0.0) || !expected.is_finite() {
        return None;
    }
    let possible = || (0..5).filter(|&k| base[k] > 0.0);
    let (lowest, highest) = (possible().min()?, possible().max()?);
    let target = 4.0 * expected;
    if target <= lowest as f64 || target >= highest as f64 {
        return None;
    }
    let tilted = |lambda: f64| {
        // The largest exponent is taken out, so that nothing overflows.
        let shift = if lambda > 0.0 { highest } else { lowest } as f64;
        let weights: [f64; 5] =
            std::array::from_fn(|k| base[k] * (lambda * (k as f64 - shift)).min(0.0).exp());
        let total: f64 = weights.iter().sum();
        weights.map(|weight| weight / total)
    };
    let mean = |shares: &[f64; 5]| -> f64 { (0..5).map(|k| k as f64 * shares[k]).sum() };
    let (mut low, mut high) = (-1e3, 1e3);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return Some(tilted(middle));
        }
        if mean(&tilted(middle)) < target {
            low = middle
        } else {
            high = middle
        }
    }
}

#[cfg(test)]
mod tests {
    use super::outcome_shares;

    #[test]
    fn tilt_keeps_the_expected_score_and_the_base_at_equality() {
        let base = [0.2, 0.1, 0.4, 0.1, 0.2];
        let same = outcome_shares(base, 0.5).unwrap();
        assert!(base.iter().zip(same).all(|(a, b)| (a - b).abs() < 1e-12));
        let tilted = outcome_shares(base, 0.8).unwrap();
        let score: f64 = tilted
            .iter()
            .zip([0.0, 0.25, 0.5, 0.75, 1.0])
            .map(|(p, s)| p * s)
            .sum();
        assert!((score - 0.8).abs() < 1e-12);
        assert!((tilted.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        // Exponential tilt: the ratios to the base rise by one factor a quarter point.
        let ratio = |k: usize| tilted[k] / base[k];
        assert!((ratio(4) / ratio(3) - ratio(1) / ratio(0)).abs() < 1e-9);
    }

    #[test]
    fn impossible_requests_are_refused() {
        assert_eq!(outcome_shares([0.5, 0.0, 0.0, 0.0, 0.5], 1.0), None);
        assert_eq!(outcome_shares([0.0, 0.0, 1.0, 0.0, 0.0], 0.6), None);
        assert_eq!(outcome_shares([f64::NAN, 0.0, 1.0, 0.0, 1.0], 0.6), None);
        assert_eq!(outcome_shares([0.0; 5], 0.5), None);
        assert!(outcome_shares([1e-9, 0.0, 1.0, 0.0, 1e-9], 0.999_999).is_some());
    }
}
