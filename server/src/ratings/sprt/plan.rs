//! How long a sequential test will take.

use super::spec::SprtSpec;

/// Expected cost and outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedLength {
    /// Expected number of observations (game pairs or single games).
    pub observations: f64,
    /// Probability that H1 is accepted.
    pub pass_probability: f64,
}

/// Expected length if the truth is `elo`, in the test's unit, and observations have the given variance of
/// the score per game.
///
/// Wald's approximation, within 10 % of simulations (STATS.md 2.4); `None` unless the variance is above 0.
pub fn expected_length(spec: &SprtSpec, elo: f64, variance: f64) -> Option<ExpectedLength> {
    if !(variance > 0.0 && variance.is_finite() && elo.is_finite()) {
        return None;
    }
    let deviation = (f64::from(spec.set().games()) * variance).sqrt();
    let [s0, s1] = spec.elo().map(|bound| spec.score(bound, deviation));
    let s = spec.score(elo, deviation);
    let [a, b] = spec.wald_bounds();
    let width = s1 - s0;
    let h = (2.0 * s - s0 - s1) / width;
    if h.abs() < 1e-7 {
        let observations = -a * b * variance / (width * width);
        return Some(ExpectedLength {
            observations,
            pass_probability: -a / (b - a),
        });
    }
    // (1 - e^(hA)) / (1 - e^(-h(B-A))), for negative h multiplied through by e^(h(B-A)).
    let pass = if h > 0.0 {
        (h * a).exp_m1() / (-h * (b - a)).exp_m1()
    } else {
        ((h * b).exp() - (h * (b - a)).exp()) / -(h * (b - a)).exp_m1()
    };
    let drift = (s - 0.5 * (s0 + s1)) * width / variance;
    let observations = (a * (1.0 - pass) + b * pass) / drift;
    let finite = observations.is_finite() && pass.is_finite();
    finite.then_some(ExpectedLength {
        observations,
        pass_probability: pass,
    })
}

#[cfg(test)]
mod tests {
    use super::super::spec::EloUnit;
    use super::{SprtSpec, expected_length};
    use crate::ratings::cells::CellSet;

    #[test]
    fn a_truth_far_outside_the_bounds_is_decided_soon_and_surely() {
        for unit in [EloUnit::Logistic, EloUnit::Normalized] {
            let spec = SprtSpec::new(unit, 0.0, 0.5, 0.05, 0.05, CellSet::FivePairs).unwrap();
            let hopeless = expected_length(&spec, -100.0, 0.03).unwrap();
            let certain = expected_length(&spec, 100.5, 0.03).unwrap();
            assert_eq!(
                (hopeless.pass_probability, certain.pass_probability),
                (0.0, 1.0)
            );
            let ratio = hopeless.observations / certain.observations;
            assert!((ratio - 1.0).abs() < 0.01, "{hopeless:?} {certain:?}");
        }
        let spec = SprtSpec::new(EloUnit::Logistic, 0.0, 5.0, 0.05, 0.05, CellSet::FivePairs);
        assert_eq!(expected_length(&spec.unwrap(), 0.0, 0.0), None);
    }

    #[test]
    fn the_middle_of_the_bounds_is_a_coin_toss() {
        let spec = SprtSpec::new(
            EloUnit::Normalized,
            -5.0,
            5.0,
            0.05,
            0.05,
            CellSet::FivePairs,
        );
        let (spec, step) = (spec.unwrap(), 1e-4);
        let middle = expected_length(&spec, 0.0, 0.04).unwrap();
        assert!((middle.pass_probability - 0.5).abs() < 1e-12);
        // The limit joins the general formula.
        let beside = expected_length(&spec, step, 0.04).unwrap();
        assert!((middle.observations / beside.observations - 1.0).abs() < 1e-6);
    }
}
