//! Estimates after or during a sequential test, without the bias of its stopping rule.
//!
//! The log-likelihood ratio is taken as a Brownian motion between two absorbing bounds; the estimate is
//! median unbiased. STATS.md 2.5; D. Siegmund, "Estimation following sequential tests" (1978).

use std::f64::consts::PI;

use super::spec::SprtSpec;
use crate::ratings::cells::Histogram;
use crate::ratings::elo::score_of_elo;
use crate::ratings::normal;

/// Largest Elo that is looked for; beyond it there is no answer rather than a bound.
const MAX_ELO: f64 = 1_000.0;

/// A median-unbiased estimate of logistic Elo. Differs from the naive one: after a failed test it may be
/// negative with more wins than losses, so both are to be shown, labelled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SequentialEstimate {
    /// Elo; `None` outside +-1000.
    pub elo: Option<f64>,
    /// Lower end of the interval; `None` outside +-1000.
    pub lower: Option<f64>,
    /// Upper end of the interval; `None` outside +-1000.
    pub upper: Option<f64>,
    /// Probability that the true Elo is above 0.
    pub los: f64,
    /// Log-likelihood ratio in Brownian approximation, at most a bound.
    pub llr: f64,
    /// Observations at which it was reached.
    pub observations: f64,
    /// Whether the ratio is past a bound by more than 3 %, so that the test ran on too long.
    pub past_bound: bool,
}

/// Estimates from a histogram of a test in progress or at its end; `None` without observations or if
/// `level` is not in (0, 1).
pub fn sequential_estimate(
    spec: &SprtSpec,
    histogram: &Histogram,
    level: f64,
) -> Option<SequentialEstimate> {
    if !(level > 0.0 && level < 1.0) {
        return None;
    }
    let law = histogram.regularised()?;
    let variance = law.variance();
    let [s0, s1] = spec.scores(&law);
    let drift_at = |score: f64| (score - 0.5 * (s0 + s1)) * (s1 - s0) / variance;
    let [a, b] = spec.wald_bounds();
    let drift = drift_at(law.mean());
    let reached = law.observations * drift;
    let end = reached.clamp(a, b);
    let observations = if end == reached {
        law.observations
    } else {
        end / drift
    };
    let worse = |elo: f64| {
        let walk = Walk {
            bounds: [a, b],
            drift: drift_at(score_of_elo(elo)),
            variance: (s1 - s0) * (s1 - s0) / variance,
            time: observations,
            end,
        };
        walk.worse()
    };
    let tail = 0.5 * (1.0 - level);
    Some(SequentialEstimate {
        elo: elo_where(worse, 0.5),
        lower: elo_where(worse, 1.0 - tail),
        upper: elo_where(worse, tail),
        los: worse(0.0),
        llr: end,
        observations,
        past_bound: reached > 1.03 * b || reached < 1.03 * a,
    })
}

/// The Elo at which the probability of a worse outcome, which falls with Elo, is `p`.
fn elo_where(worse: impl Fn(f64) -> f64, p: f64) -> Option<f64> {
    let (mut low, mut high) = (-MAX_ELO, MAX_ELO);
    if worse(low) < p || worse(high) > p {
        return None;
    }
    while high - low > 1e-10 {
        let middle = 0.5 * (low + high);
        if worse(middle) > p {
            low = middle
        } else {
            high = middle
        }
    }
    Some(0.5 * (low + high))
}

/// A Brownian motion from 0 between absorbing bounds A < 0 < B, observed at `time` in `end`.
struct Walk {
    bounds: [f64; 2],
    drift: f64,
    variance: f64,
    time: f64,
    end: f64,
}

impl Walk {
    /// P(absorbed at A before `time`) + P(alive at `time` and then at most `end`).
    fn worse(&self) -> f64 {
        let [a, b] = self.bounds;
        let width = b - a;
        let c = self.drift / self.variance;
        let spread = self.variance * self.time / (width * width);
        let probability = if spread < 0.01 || (c * width).abs() > 15.0 {
            self.by_images(c)
        } else {
            self.by_series(c, spread)
        };
        probability.clamp(0.0, 1.0)
    }

    /// Siegmund's approximation, which leaves out paths that cross from one bound to the other.
    fn by_images(&self, c: f64) -> f64 {
        let [a, b] = self.bounds;
        let way = self.drift * self.time;
        let r = (self.variance * self.time).sqrt();
        let free = normal::cdf((self.end - way) / r);
        let at_a = (2.0 * c * a + normal::ln_cdf((2.0 * a - self.end + way) / r)).exp();
        let at_b = (2.0 * c * b + normal::ln_cdf((self.end - 2.0 * b - way) / r)).exp();
        free + at_a - at_b
    }

    /// Eigenfunction expansion.
    fn by_series(&self, c: f64, spread: f64) -> f64 {
        let [a, b] = self.bounds;
        let (width, start, z) = (b - a, -a, self.end - a);
        let absorbed = if c == 0.0 {
            (width - start) / width
        } else {
            (2.0 * c * (width - start)).exp_m1() / (2.0 * c * width).exp_m1()
        };
        let mut sum = absorbed;
        let fading = 0.5 * self.drift * self.drift * self.time / self.variance;
        for n in 1..=1_000 {
            let wave = f64::from(n) * PI;
            let decay = 0.5 * wave * wave * spread;
            if decay > 700.0 {
                break;
            }
            let angle = wave * z / width;
            let shape = 2.0 * width * c * angle.sin() - 2.0 * wave * angle.cos();
            let scale = (width * c).powi(2) + wave * wave;
            let weight = (c * (z - start) - fading - decay).exp();
            sum += weight * (wave * start / width).sin() * shape / scale;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::Walk;

    #[test]
    fn both_expansions_agree_where_they_overlap() {
        for (drift, end) in [(0.0, 0.5), (0.02, -1.0), (-0.03, 2.0), (0.05, 2.9)] {
            let walk = Walk {
                bounds: [-2.9, 2.9],
                drift,
                variance: 0.02,
                time: 40.0,
                end,
            };
            let c = drift / walk.variance;
            let spread = walk.variance * walk.time / (5.8 * 5.8);
            let (series, images) = (walk.by_series(c, spread), walk.by_images(c));
            assert!((series - images).abs() < 1e-6, "{series} {images}");
        }
    }
}
