//! Maximum (quasi-)likelihood by Newton's method with a Cholesky factorisation.

use std::marker::PhantomData;

use nalgebra::{Cholesky, DMatrix, DVector};

use super::law::{OutcomeLaw, Term};
use super::layout::{Direction, Layout};
use crate::ratings::pool::Pool;

const MAX_ITERATIONS: usize = 100;
const MAX_HALVINGS: usize = 60;
/// Newton stops when no parameter moves by more than this, in natural units.
const STEP_TOLERANCE: f64 = 1e-12;
/// A first-move advantage beyond this (3,474 Elo) is on its way to infinity.
const FIRST_MOVE_LIMIT: f64 = 20.0;

/// One ordered pair of players with its games, virtual draws included, by the first mover's outcome.
struct Games {
    first: usize,
    second: usize,
    counts: [f64; 5],
}

/// A likelihood to be maximised.
pub(super) struct Problem<'a, L> {
    pub layout: &'a Layout,
    games: Vec<Games>,
    /// Virtual games between equals in each outcome, which hold the shape parameters.
    outcome_prior: f64,
    law: PhantomData<L>,
}

/// The likelihood at one point.
struct Evaluation {
    value: f64,
    gradient: DVector<f64>,
    information: DMatrix<f64>,
}

/// The maximum and how it was reached.
pub(super) struct Fit {
    /// Parameters, in the mean-0 gauge of every floating component.
    pub x: Vec<f64>,
    pub value: f64,
    /// Negative Hessian at the maximum, prior included, singular along the gauges.
    pub information: DMatrix<f64>,
    pub iterations: usize,
    pub end: FitEnd,
}

/// How the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FitEnd {
    Converged,
    /// The first-move advantage has no finite maximum.
    FirstMoveUnbounded,
    /// Stopped at a limit of iterations or of floating point.
    Stalled,
}

impl<'a, L: OutcomeLaw> Problem<'a, L> {
    pub fn new(pool: &Pool, layout: &'a Layout, prior_draws: f64, outcome_prior: f64) -> Self {
        let mut games = Vec::with_capacity(2 * pool.encounters.len());
        for met in pool.encounters.iter().filter(|met| layout.takes_part(met)) {
            let total = met.games() as f64;
            let inverse = |index: usize| 1.0 / pool.games[index] as f64;
            // STATS.md 1.2: v = omega N (1/G_i + 1/G_j) virtual draws, half with each side first.
            let half = 0.5 * prior_draws * total * (inverse(met.near) + inverse(met.far));
            for (first, second, real) in [
                (met.near, met.far, &met.near_first),
                (met.far, met.near, &met.far_first),
            ] {
                let mut counts = real.map(|count| count as f64);
                counts[2] += half;
                games.push(Games {
                    first,
                    second,
                    counts,
                });
            }
        }
        Self {
            layout,
            games,
            outcome_prior: outcome_prior / 5.0,
            law: PhantomData,
        }
    }

    fn start(&self) -> Vec<f64> {
        let mut totals = [0.0; 5];
        for games in &self.games {
            totals
                .iter_mut()
                .zip(games.counts)
                .for_each(|(total, count)| *total += count);
        }
        let mut x = vec![0.0; self.layout.dimension];
        let shape = L::start(&totals);
        x[self.layout.shape_start()..]
            .iter_mut()
            .zip(shape)
            .for_each(|(x, start)| *x = start);
        x
    }

    /// Value, gradient and information; `None` where the shape is not allowed.
    fn evaluate(&self, x: &[f64]) -> Option<Evaluation> {
        let layout = self.layout;
        let mut sums = Evaluation {
            value: 0.0,
            gradient: DVector::zeros(layout.dimension),
            information: DMatrix::zeros(layout.dimension, layout.dimension),
        };
        let (alpha, shape) = (layout.first_move(x), layout.shape(x));
        for games in &self.games {
            let direction = Direction::with_first_move(layout, games.first, games.second);
            let eta = layout.strength(x, games.first) - layout.strength(x, games.second) + alpha;
            sums.add(layout, direction, &L::term(&games.counts, eta, shape)?);
        }
        if layout.shapes > 0 {
            let prior = L::term(&[self.outcome_prior; 5], 0.0, shape)?;
            sums.add(layout, Direction::EMPTY, &prior);
        }
        Some(sums)
    }

    /// Finds the maximum from strengths 0.
    pub fn maximise(&self) -> Fit {
        let mut x = self.start();
        let mut end = FitEnd::Stalled;
        let mut iterations = 0;
        if x.is_empty() {
            end = FitEnd::Converged;
        }
        let Some(mut here) = self.evaluate(&x) else {
            let information = DMatrix::zeros(x.len(), x.len());
            return Fit {
                x,
                value: 0.0,
                information,
                iterations,
                end,
            };
        };
        while end == FitEnd::Stalled && iterations < MAX_ITERATIONS {
            iterations += 1;
            let Some(step) = self.newton_step(&here) else {
                break;
            };
            let Some((length, next, there)) = self.line_search(&x, &step, &here) else {
                break;
            };
            let moved = length * step.amax();
            (x, here) = (next, there);
            if self.layout.first_move(&x).abs() > FIRST_MOVE_LIMIT {
                end = FitEnd::FirstMoveUnbounded;
            } else if moved < STEP_TOLERANCE {
                end = FitEnd::Converged;
            }
        }
        if end == FitEnd::Stalled && self.newton_step(&here).is_some_and(|s| s.amax() < 1e-8) {
            end = FitEnd::Converged;
        }
        self.centre(&mut x);
        Fit {
            x,
            value: here.value,
            information: here.information,
            iterations,
            end,
        }
    }

    fn newton_step(&self, here: &Evaluation) -> Option<DVector<f64>> {
        let factor = factorise(self.layout, &here.information)?;
        let step = factor.solve(&here.gradient);
        step.iter().all(|s| s.is_finite()).then_some(step)
    }

    /// Halves the step until the likelihood does not fall beyond rounding.
    fn line_search(
        &self,
        x: &[f64],
        step: &DVector<f64>,
        here: &Evaluation,
    ) -> Option<(f64, Vec<f64>, Evaluation)> {
        let floor = here.value - 1e-13 * (1.0 + here.value.abs());
        let mut length = 1.0;
        for _ in 0..MAX_HALVINGS {
            let next: Vec<f64> = x.iter().zip(step).map(|(x, s)| x + length * s).collect();
            match self.evaluate(&next) {
                Some(there) if there.value >= floor => return Some((length, next, there)),
                _ => length *= 0.5,
            }
        }
        None
    }

    fn centre(&self, x: &mut [f64]) {
        for members in &self.layout.gauges {
            let sum: f64 = members.iter().map(|&position| x[position]).sum();
            let mean = sum / members.len() as f64;
            members.iter().for_each(|&position| x[position] -= mean);
        }
    }
}

impl Evaluation {
    fn add(&mut self, layout: &Layout, strength: Direction, term: &Term) {
        self.value += term.value;
        let start = layout.shape_start();
        let unit = |k| {
            if layout.shapes > 0 {
                Direction::unit(start + k)
            } else {
                Direction::EMPTY
            }
        };
        let directions = [strength, unit(0), unit(1)];
        let used = 1 + layout.shapes;
        for (a, row) in directions[..used].iter().enumerate() {
            for &(i, at_i) in row.entries() {
                self.gradient[i] += at_i * term.gradient[a];
                for (b, column) in directions[..used].iter().enumerate() {
                    for &(j, at_j) in column.entries() {
                        self.information[(i, j)] += at_i * at_j * term.information[a][b];
                    }
                }
            }
        }
    }
}

/// Weight of the gauge terms: of the size of the largest diagonal entry.
pub(super) fn gauge_weight(information: &DMatrix<f64>) -> f64 {
    let largest = information
        .diagonal()
        .iter()
        .fold(0.0_f64, |top, &x| top.max(x));
    if largest > 0.0 { largest } else { 1.0 }
}

/// Cholesky factor of the information plus c (1 1')/n for every floating component.
pub(super) fn factorise(
    layout: &Layout,
    information: &DMatrix<f64>,
) -> Option<Cholesky<f64, nalgebra::Dyn>> {
    let weight = gauge_weight(information);
    let mut matrix = information.clone();
    for members in &layout.gauges {
        let share = weight / members.len() as f64;
        for &i in members {
            members.iter().for_each(|&j| matrix[(i, j)] += share);
        }
    }
    Cholesky::new(matrix)
}
