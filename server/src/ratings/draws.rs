//! Seeded random draws that are the same on every machine.
//!
//! ChaCha8 is specified bit for bit, and what is computed from it uses no function of the system's mathematical library.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::normal;

/// Up to so many trials are made one by one.
const FEW: u64 = 24;

/// A stream of draws.
#[derive(Debug, Clone)]
pub(super) struct Draws(ChaCha8Rng);

impl Draws {
    /// The stream of a number: streams of one seed are independent of each other.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Self(random)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A standard normal number, by inversion.
    pub fn normal(&mut self) -> f64 {
        normal::quantile(self.unit().max(f64::MIN_POSITIVE))
    }

    /// Successes of `trials` trials of probability `p`.
    ///
    /// Many at once by inversion outwards from the likeliest number, in time that grows with the root of the trials
    /// (C. D. Kemp, "A modal method for generating binomial variables", 1986).
    pub fn binomial(&mut self, trials: u64, p: f64) -> u64 {
        if trials == 0 || p <= 0.0 {
            return 0;
        }
        if p >= 1.0 {
            return trials;
        }
        if p > 0.5 {
            return trials - self.binomial(trials, 1.0 - p);
        }
        if trials <= FEW {
            return (0..trials).map(|_| u64::from(self.unit() < p)).sum();
        }
        self.outwards(trials, p)
    }

    fn outwards(&mut self, trials: u64, p: f64) -> u64 {
        let n = trials as f64;
        let odds = p / (1.0 - p);
        let mode = ((n + 1.0) * p).floor().min(n);
        let factorials =
            libm::lgamma(n + 1.0) - libm::lgamma(mode + 1.0) - libm::lgamma(n - mode + 1.0);
        let at_mode = libm::exp(factorials + mode * libm::log(p) + (n - mode) * libm::log1p(-p));
        let mut left = self.unit() - at_mode;
        let (mut above, mut below) = (mode, mode);
        let (mut p_above, mut p_below) = (at_mode, at_mode);
        while left > 0.0 {
            let nothing = p_above < f64::MIN_POSITIVE && p_below < f64::MIN_POSITIVE;
            if nothing {
                // What rounding left over.
                return mode as u64;
            }
            p_above *= (n - above) * odds / (above + 1.0);
            above += 1.0;
            left -= p_above;
            if left <= 0.0 {
                return above as u64;
            }
            if below > 0.0 {
                p_below *= below / ((n - below + 1.0) * odds);
                below -= 1.0;
                left -= p_below;
                if left <= 0.0 {
                    return below as u64;
                }
            } else {
                p_below = 0.0;
            }
        }
        mode as u64
    }

    /// Spreads `trials` trials over cells in proportion to their weights: calls `add` with a cell and how many fell into it.
    pub fn multinomial(&mut self, trials: u64, weights: &[f64], mut add: impl FnMut(usize, u64)) {
        let mut weight: f64 = weights.iter().sum();
        let Some(last) = weights.iter().rposition(|&weight| weight > 0.0) else {
            return;
        };
        if trials <= FEW {
            for _ in 0..trials {
                let mut left = self.unit() * weight;
                let inside = weights.iter().position(|weight| {
                    left -= weight;
                    left < 0.0
                });
                add(inside.unwrap_or(last), 1);
            }
            return;
        }
        let mut trials = trials;
        for (cell, &own) in weights.iter().enumerate().filter(|&(_, &own)| own > 0.0) {
            let count = if cell == last {
                trials
            } else {
                self.binomial(trials, own / weight)
            };
            if count > 0 {
                add(cell, count);
            }
            trials -= count;
            weight -= own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Draws;

    /// Mean and variance of binomial draws of every method, within five standard errors.
    #[test]
    fn binomial_draws_have_their_mean_and_variance() {
        for (trials, p) in [
            (10, 0.3),
            (24, 0.9),
            (25, 0.02),
            (400, 0.37),
            (100_000, 0.6),
            (4_000_000_000, 0.5),
        ] {
            let mut draws = Draws::new(7, trials);
            let count = if trials > 1_000_000 { 300 } else { 4_000 };
            let (mean, variance) = (trials as f64 * p, trials as f64 * p * (1.0 - p));
            let deviations: Vec<f64> = (0..count)
                .map(|_| draws.binomial(trials, p) as f64 - mean)
                .collect();
            let size = f64::from(count);
            let shift = deviations.iter().sum::<f64>() / size;
            assert!(
                shift.abs() < 5.0 * (variance / size).sqrt(),
                "{trials} {p}: {shift}"
            );
            let found = deviations.iter().map(|d| d * d).sum::<f64>() / size;
            // The square of a binomial deviation has a kurtosis of 3 and somewhat more where p is small.
            let allowed = 5.0 * variance * ((2.0 + 1.0 / variance) / size).sqrt();
            assert!(
                (found - variance).abs() < allowed,
                "{trials} {p}: {found} {variance}"
            );
        }
        let mut draws = Draws::new(1, 0);
        assert_eq!(
            (
                draws.binomial(9, 0.0),
                draws.binomial(900, 1.0),
                draws.binomial(0, 0.5)
            ),
            (0, 900, 0)
        );
    }

    #[test]
    fn all_trials_fall_into_cells_that_have_weight() {
        let weights = [0.0, 2.0, 0.0, 1.0, 5.0, 0.0];
        for trials in [0, 1, 24, 25, 80_000] {
            let mut counts = [0; 6];
            Draws::new(3, trials)
                .multinomial(trials, &weights, |cell, count| counts[cell] += count);
            assert_eq!(counts.iter().sum::<u64>(), trials);
            assert_eq!([counts[0], counts[2], counts[5]], [0; 3]);
            if trials == 80_000 {
                // Expected 50,000 with a standard deviation of 137.
                assert!(counts[4].abs_diff(50_000) < 600, "{counts:?}");
                assert!(counts[3].abs_diff(10_000) < 400, "{counts:?}");
            }
        }
        Draws::new(3, 0).multinomial(5, &[0.0; 4], |_, _| panic!("no cell has weight"));
    }

    #[test]
    fn streams_of_a_seed_differ_and_repeat() {
        let first = |seed, stream| Draws::new(seed, stream).unit();
        assert_eq!(first(1, 0), first(1, 0));
        assert_ne!(first(1, 0), first(1, 1));
        assert_ne!(first(1, 0), first(2, 0));
    }

    #[test]
    fn normal_draws_have_mean_0_and_variance_1() {
        let mut draws = Draws::new(5, 0);
        let values: Vec<f64> = (0..2_000).map(|_| draws.normal()).collect();
        let mean = values.iter().sum::<f64>() / 2_000.0;
        let square = values.iter().map(|x| x * x).sum::<f64>() / 2_000.0;
        assert!(
            mean.abs() < 0.12 && (square - 1.0).abs() < 0.16,
            "{mean} {square}"
        );
    }
}
