//! [`Replicates`]: fits to results drawn anew, and what their spread says.

use super::dense::Dense;
use super::fit::{Fit, FitEnd, Likelihood, Problem, Start};
use super::options::Refits;
use super::redraw::Redraw;
use super::report::RefitCount;
use crate::ratings::draws::Draws;

/// Parameters found again and again, in natural units.
pub(super) struct Replicates {
    /// By parameter whose error bars are wanted, its value in every refit that has a maximum.
    values: Vec<Vec<f64>>,
    pub count: RefitCount,
}

impl Replicates {
    /// Each refit begins at the fit and has its own stream of draws, so that it does not depend on the others.
    pub fn new<K: Likelihood>(
        mut problem: Problem<'_, K>,
        fit: &Fit,
        redraw: &Redraw<'_>,
        refits: Refits,
        positions: &[usize],
    ) -> Self {
        let start = Start::At(fit.x.clone());
        let mut values = vec![Vec::new(); positions.len()];
        let mut used = 0;
        for number in 0..refits.count {
            let mut draws = Draws::new(refits.seed, u64::from(number));
            let results = redraw.draw(&mut draws);
            problem.redraw(|encounter| results[encounter]);
            problem.expect(|bond| bond.offset + draws.normal() / bond.weight.sqrt());
            let again = problem.maximise(Some(&start));
            if again.end == FitEnd::Converged {
                used += 1;
                for (values, &position) in values.iter_mut().zip(positions) {
                    values.push(again.x[position]);
                }
            }
        }
        let made = refits.count;
        Self {
            values,
            count: RefitCount {
                made,
                used,
                alike: 0,
            },
        }
    }

    /// Whether enough of the refits have a maximum to speak for all.
    fn suffice(&self) -> bool {
        2 * self.count.used >= self.count.made && self.count.used > 1
    }

    /// Covariance of the parameters, about their means.
    pub fn covariance(&self) -> Option<Dense> {
        let used = f64::from(self.count.used);
        self.suffice().then(|| {
            let centred = |values: &Vec<f64>| {
                let mean = values.iter().sum::<f64>() / used;
                values.iter().map(|value| value - mean).collect()
            };
            let centred: Vec<Vec<f64>> = self.values.iter().map(centred).collect();
            Dense::of_products(&centred).scaled(1.0 / (used - 1.0))
        })
    }

    /// The middle part of a parameter's values that holds the level, by linear interpolation between ordered values
    /// (R. Hyndman and Y. Fan, "Sample quantiles in statistical packages", 1996, definition 7).
    pub fn percentiles(&self, row: usize, level: f64) -> Option<[f64; 2]> {
        let mut values = self.values.get(row).filter(|_| self.suffice())?.clone();
        values.sort_by(f64::total_cmp);
        let tail = 0.5 * (1.0 - level);
        Some([tail, 1.0 - tail].map(|share| {
            let place = share * (values.len() - 1) as f64;
            let below = place.floor() as usize;
            let above = (below + 1).min(values.len() - 1);
            values[below] + (place - place.floor()) * (values[above] - values[below])
        }))
    }
}
