//! The descent: Adam (D. P. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", 2015) on all
//! samples at once, in units of the prior's deviations.

use super::samples::{Sample, Slope};

/// What is minimised.
pub(super) struct Problem<'a> {
    pub samples: &'a [Sample],
    /// Weights before, and how far they may be off.
    pub centre: [Vec<f32>; 2],
    pub deviations: [Vec<f32>; 2],
    /// Elo-like scale: a value of `c` centipawns stands for `1 / (1 + 10^(-c / scale))` points.
    pub scale: f32,
    /// Samples that count as much as the prior.
    pub independent: f32,
    pub threads: usize,
}

/// Parts that the samples are summed up in, whatever the number of threads, so that the result is the same.
const PARTS: usize = 64;

/// Expected points of White.
pub(super) fn expected(value: f32, scale: f32) -> f32 {
    1.0 / (1.0 + 10f32.powf(-value / scale))
}

fn log_loss(target: f32, expected: f32) -> f64 {
    let p = f64::from(expected).clamp(1e-7, 1.0 - 1e-7);
    let t = f64::from(target);
    -(t * p.ln() + (1.0 - t) * (1.0 - p).ln())
}

impl Problem<'_> {
    /// Mean loss over the samples that are held out, or those that are not.
    pub fn loss(&self, weights: &[Vec<f32>; 2], held_out: bool) -> f64 {
        let (sum, count) = self.samples.iter().filter(|s| s.held_out == held_out).fold(
            (0.0, 0.0),
            |(sum, count), s| {
                let loss = log_loss(s.target, expected(s.value(weights), self.scale));
                (
                    sum + loss * f64::from(s.weight),
                    count + f64::from(s.weight),
                )
            },
        );
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// The slope of the mean loss.
    fn slope(&self, weights: &[Vec<f32>; 2]) -> Slope {
        let terms = weights[0].len();
        let size = self.samples.len().div_ceil(PARTS).max(1);
        let parts: Vec<&[Sample]> = self.samples.chunks(size).collect();
        let mut slopes: Vec<(Slope, f64)> =
            vec![([vec![0.0; terms], vec![0.0; terms]], 0.0); parts.len()];
        let each = parts.len().div_ceil(self.threads.max(1)).max(1);
        std::thread::scope(|scope| {
            for (parts, slopes) in parts.chunks(each).zip(slopes.chunks_mut(each)) {
                scope.spawn(move || {
                    for (samples, (slope, count)) in parts.iter().zip(slopes) {
                        for sample in samples.iter().filter(|s| !s.held_out) {
                            let p = expected(sample.value(weights), self.scale);
                            let by = (p - sample.target) * std::f32::consts::LN_10 / self.scale;
                            sample.add_slope(weights, by * sample.weight, slope);
                            *count += f64::from(sample.weight);
                        }
                    }
                });
            }
        });
        let count: f64 = slopes.iter().map(|s| s.1).sum::<f64>().max(1.0);
        let mut sum = [vec![0.0; terms], vec![0.0; terms]];
        for (slope, _) in &slopes {
            for phase in 0..2 {
                for (sum, part) in sum[phase].iter_mut().zip(&slope[phase]) {
                    *sum += part / count;
                }
            }
        }
        sum
    }

    /// Moves the weights downhill.
    pub fn descend(
        &self,
        iterations: usize,
        progress: &mut dyn FnMut(usize, f64),
    ) -> [Vec<f32>; 2] {
        const FASTEST: f64 = 0.05;
        let terms = self.centre[0].len();
        // Distance from the centre in deviations, and the two moments of its slope.
        let mut at = [vec![0f64; terms], vec![0f64; terms]];
        let mut moments = [
            [vec![0f64; terms], vec![0f64; terms]],
            [vec![0f64; terms], vec![0f64; terms]],
        ];
        let mut weights = self.centre.clone();
        for i in 1..=iterations {
            let slope = self.slope(&weights);
            let rate = FASTEST * (1.0 - 0.95 * (i as f64 / iterations as f64));
            let (fade1, fade2) = (1.0 - 0.9f64.powi(i as i32), 1.0 - 0.999f64.powi(i as i32));
            for phase in 0..2 {
                for term in 0..terms {
                    let deviation = f64::from(self.deviations[phase][term]);
                    if deviation == 0.0 {
                        continue;
                    }
                    let pull = at[phase][term] / f64::from(self.independent);
                    let g = slope[phase][term] * deviation + pull;
                    let first = &mut moments[0][phase][term];
                    *first = 0.9 * *first + 0.1 * g;
                    let m = *first / fade1;
                    let second = &mut moments[1][phase][term];
                    *second = 0.999 * *second + 0.001 * g * g;
                    let v = *second / fade2;
                    at[phase][term] -= rate * m / (v.sqrt() + 1e-9);
                    weights[phase][term] =
                        self.centre[phase][term] + (at[phase][term] * deviation) as f32;
                }
            }
            if i % 20 == 0 || i == iterations {
                progress(i, self.loss(&weights, true));
            }
        }
        weights
    }
}

/// The scale at which values, in centipawns, predict results best, by golden section between 100 and 2,000.
pub(super) fn best_scale(values: &[(f32, f32)]) -> f32 {
    let loss = |scale: f32| -> f64 {
        values
            .iter()
            .map(|&(v, t)| log_loss(t, expected(v, scale)))
            .sum()
    };
    let (mut low, mut high) = (100f32, 2000f32);
    let golden = (5f32.sqrt() - 1.0) / 2.0;
    for _ in 0..24 {
        let (a, b) = (high - golden * (high - low), low + golden * (high - low));
        if loss(a) < loss(b) { high = b } else { low = a }
    }
    (low + high) / 2.0
}
