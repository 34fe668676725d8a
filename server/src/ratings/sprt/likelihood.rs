//! The log-likelihood ratio of the GSPRT, by exact multinomial maximum likelihood.
//!
//! M. Van den Bergh, "Comments on normalized Elo" and "Normalized Elo: practical considerations";
//! STATS.md 2.2 and 2.3. The same code serves 3, 5 and 9 cells.

use super::spec::{EloUnit, SprtSpec};
use crate::ratings::cells::{Histogram, Law};
use crate::ratings::elo::{NELO_PER_DEVIATION, score_of_elo};

/// How a log-likelihood ratio was computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LlrMethod {
    /// Maximum likelihood under both hypotheses.
    Exact,
    /// The closed form of normal observations, where the exact maximum was not found.
    ClosedForm,
}

/// A log-likelihood ratio of H1 against H0; always finite.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Llr {
    /// The ratio; 0 without observations.
    pub value: f64,
    /// How it was computed.
    pub method: LlrMethod,
}

/// Log-likelihood ratio of a histogram, whose empty cells count as 0.001 observations.
pub fn llr(spec: &SprtSpec, histogram: &Histogram) -> Llr {
    let Some(law) = histogram.regularised() else {
        return Llr {
            value: 0.0,
            method: LlrMethod::Exact,
        };
    };
    let exact = match spec.unit() {
        EloUnit::Logistic => logistic(&law, spec.elo()),
        EloUnit::Normalized => normalized(&law, spec.elo()),
    };
    match exact.filter(|value| value.is_finite()) {
        Some(value) => Llr {
            value,
            method: LlrMethod::Exact,
        },
        None => Llr {
            value: closed_form(&law, spec),
            method: LlrMethod::ClosedForm,
        },
    }
}

/// Logistic log-likelihood ratio with empty cells left empty; mass may then escape to an empty extreme
/// cell. For comparison with programs that do not regularise; 0 without observations.
pub fn llr_without_regularisation(elo: [f64; 2], histogram: &Histogram) -> f64 {
    histogram
        .law()
        .and_then(|law| logistic(&law, elo))
        .unwrap_or(0.0)
}

/// N sum p_k [ln(1 + x0 (a_k - s0)) - ln(1 + x1 (a_k - s1))].
fn logistic(law: &Law, elo: [f64; 2]) -> Option<f64> {
    let [s0, s1] = elo.map(score_of_elo);
    let likelihood = |s: f64| {
        let offsets: Vec<(f64, f64)> = law.cells.iter().map(|&(a, p)| (a - s, p)).collect();
        tilt(&offsets).map(|x| -> f64 {
            let present = offsets.iter().filter(|(_, p)| *p > 0.0);
            present.map(|(b, p)| p * (x * b).ln_1p()).sum()
        })
    };
    Some(law.observations * (likelihood(s0)? - likelihood(s1)?))
}

/// N sum p_k ln(q1_k / q0_k) with q the maximum-likelihood law of (mean - 1/2) / sd = t.
fn normalized(law: &Law, elo: [f64; 2]) -> Option<f64> {
    let scale = f64::from(law.set.games()).sqrt() / NELO_PER_DEVIATION;
    let q0 = constrained(law, elo[0] * scale)?;
    let q1 = constrained(law, elo[1] * scale)?;
    let terms = law.cells.iter().zip(q0.iter().zip(&q1));
    Some(
        law.observations
            * terms
                .map(|((_, p), (q0, q1))| p * (q1 / q0).ln())
                .sum::<f64>(),
    )
}

/// The fixed point of Van den Bergh's section 4.1, from the uniform law.
fn constrained(law: &Law, t: f64) -> Option<Vec<f64>> {
    let cells = &law.cells;
    let mut q = vec![1.0 / cells.len() as f64; cells.len()];
    for _ in 0..200 {
        let mean: f64 = cells.iter().zip(&q).map(|((a, _), q)| a * q).sum();
        let variance: f64 = cells
            .iter()
            .zip(&q)
            .map(|((a, _), q)| q * (a - mean).powi(2))
            .sum();
        let deviation = variance.sqrt();
        let offsets: Vec<(f64, f64)> = cells
            .iter()
            .map(|&(a, p)| {
                let z = (a - mean) / deviation;
                (a - 0.5 - 0.5 * t * deviation * (1.0 + z * z), p)
            })
            .collect();
        let x = tilt(&offsets)?;
        let next: Vec<f64> = offsets.iter().map(|(phi, p)| p / (1.0 + x * phi)).collect();
        let change = q
            .iter()
            .zip(&next)
            .map(|(a, b)| (a - b).abs())
            .fold(0.0, f64::max);
        q = next;
        if change < 1e-12 {
            break;
        }
    }
    q.iter().all(|q| q.is_finite() && *q > 0.0).then_some(q)
}

/// The x at which sum p b / (1 + x b) = 0, which falls with x, between -1 / max b and -1 / min b.
///
/// Newton's method with a bisection step where it leaves the bracket. If the extreme cells are empty the
/// sum may have one sign throughout; the answer is then the end of the bracket.
fn tilt(offsets: &[(f64, f64)]) -> Option<f64> {
    let smallest = offsets
        .iter()
        .fold(f64::INFINITY, |low, (b, _)| low.min(*b));
    let largest = offsets
        .iter()
        .fold(f64::NEG_INFINITY, |high, (b, _)| high.max(*b));
    if !(smallest < 0.0 && largest > 0.0) {
        return None;
    }
    let (mut low, mut high) = (-1.0 / largest, -1.0 / smallest);
    let mut x = 0.0;
    for _ in 0..2_000 {
        let (mut value, mut slope) = (0.0, 0.0);
        for (b, p) in offsets.iter().filter(|(_, p)| *p > 0.0) {
            let ratio = b / (1.0 + x * b);
            value += p * ratio;
            slope -= p * ratio * ratio;
        }
        if value == 0.0 {
            break;
        }
        if value > 0.0 {
            low = x
        } else {
            high = x
        }
        let newton = x - value / slope;
        let next = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        if next == x || (next - x).abs() <= 1e-16 * (high - low) {
            break;
        }
        x = next;
    }
    x.is_finite().then_some(x)
}

/// (games / 2) ln[(1 + (t - t0)^2) / (1 + (t - t1)^2)], t per game.
fn closed_form(law: &Law, spec: &SprtSpec) -> f64 {
    let deviation = law.deviation_per_game();
    let t_of = |score: f64| (score - 0.5) / deviation;
    let t = t_of(law.mean());
    let [t0, t1] = spec.scores(law).map(t_of);
    let games = law.observations * f64::from(law.set.games());
    0.5 * games * ((t - t0).powi(2).ln_1p() - (t - t1).powi(2).ln_1p())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{EloUnit, Histogram, LlrMethod, SprtSpec, closed_form, llr};
    use crate::ratings::cells::CellSet;

    fn histogram(set: CellSet) -> impl Strategy<Value = Histogram> {
        // Sparse and uneven: many empty cells, some large ones.
        let count = prop_oneof![Just(0u64), 0u64..4, 0u64..2_000];
        proptest::collection::vec(count, set.len())
            .prop_map(move |counts| Histogram::new(set, &counts).unwrap())
    }

    fn spec(unit: EloUnit, elo0: f64, elo1: f64, set: CellSet) -> SprtSpec {
        SprtSpec::new(unit, elo0, elo1, 0.05, 0.05, set).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_500))]
        // STATS.md section 7, point 2: finite, and antisymmetric when the sides are exchanged.
        #[test]
        fn finite_and_antisymmetric(
            nine in histogram(CellSet::FivePairs),
            five in histogram(CellSet::ThreePairs),
            low in -1.0..1.0f64,
            width in 0.0001..0.5f64,
        ) {
            for histogram in [nine, five] {
                for unit in [EloUnit::Logistic, EloUnit::Normalized] {
                    let largest = unit.max_bound();
                    let high = (low + width).min(1.0) * largest;
                    let low = low * largest;
                    prop_assume!(low < high);
                    let set = histogram.set();
                    let here = llr(&spec(unit, low, high, set), &histogram);
                    prop_assert!(here.value.is_finite());
                    let there = llr(&spec(unit, -high, -low, set), &histogram.reversed());
                    let gap = (here.value + there.value).abs();
                    prop_assert!(gap <= 1e-6 * here.value.abs().max(1.0), "{here:?} {there:?}");
                }
            }
        }
    }

    #[test]
    fn the_closed_form_is_near_the_exact_ratio_and_flagged() {
        let counts = [5, 40, 120, 400, 610, 455, 141, 52, 9];
        let histogram = Histogram::new(CellSet::FivePairs, &counts).unwrap();
        let spec = spec(EloUnit::Normalized, 0.0, 5.0, CellSet::FivePairs);
        let exact = llr(&spec, &histogram);
        assert_eq!(exact.method, LlrMethod::Exact);
        let closed = closed_form(&histogram.regularised().unwrap(), &spec);
        assert!(
            (exact.value - closed).abs() < 0.01 * exact.value,
            "{exact:?} {closed}"
        );
    }

    #[test]
    fn no_observation_is_no_evidence() {
        let spec = spec(EloUnit::Logistic, 0.0, 5.0, CellSet::ThreeSingles);
        assert_eq!(
            llr(&spec, &Histogram::empty(CellSet::ThreeSingles)).value,
            0.0
        );
    }
}
