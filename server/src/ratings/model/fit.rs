//! Maximum (quasi-)likelihood by Newton's method.

use super::dense::Dense;
use super::information::{Information, Place, STEP, System};
use super::law::OutcomeLaw;
use super::layout::{Bond, Layout, Slot};
use super::priors::Priors;
use crate::ratings::aggregates::Aggregates;
use crate::ratings::pool::{Encounter, Pool};

const MAX_ITERATIONS: usize = 100;
const MAX_HALVINGS: usize = 60;
/// Newton stops when no parameter moves by more than this, in natural units.
const STEP_TOLERANCE: f64 = 1e-12;
/// How well the first step is found; later ones as well as the last one was short, which is soon enough.
const FIRST_STEP: f64 = 1e-2;
/// No step changes the strength difference of two players that met by more than this (1,737 Elo).
const MOST_CHANGE: f64 = 10.0;
/// A maximum farther away than this, in natural units, is searched for anew.
const NEARBY: f64 = 0.5;
/// A first-move advantage beyond this (2,085 Elo) is on its way to infinity, where curvature vanishes before it is much farther.
const FIRST_MOVE_LIMIT: f64 = 12.0;

/// Where a search begins.
pub(super) enum Start {
    /// With these strengths by player, in natural units.
    Players {
        strengths: Vec<f64>,
        first_move: f64,
    },
    /// At these parameters.
    At(Vec<f64>),
}

/// A log-likelihood of the results of the encounters that take part, concave in all parameters.
pub(super) trait Likelihood {
    /// The law of a single game.
    type Law: OutcomeLaw;
    /// A step of Newton's method in which no parameter moves by more than this raises the likelihood for certain.
    const SURE_STEP: f64;

    /// Of the results of a pool.
    fn new(pool: &Pool, aggregates: &Aggregates, layout: &Layout, priors: Priors) -> Self;

    /// The same with other results: of each encounter that takes part, by near's outcome where near moves first and by
    /// far's where far does.
    fn redraw(&mut self, layout: &Layout, results: impl FnMut(usize) -> [[f64; 5]; 2]);

    /// A shape to start from.
    fn start(&self) -> [f64; 2];

    /// Gradient and information; `None` where the shape is not allowed.
    fn evaluate(&self, of: System<'_>, x: &[f64]) -> Option<Evaluation>;

    /// The gradient alone.
    fn slope(&self, of: System<'_>, x: &[f64]) -> Option<Vec<f64>> {
        Some(self.evaluate(of, x)?.gradient)
    }

    /// The logarithm itself, which few steps need; `None` where the shape is not allowed.
    fn value(&self, of: System<'_>, x: &[f64]) -> Option<f64>;
}

/// A likelihood and links, to be maximised.
pub(super) struct Problem<'a, K> {
    system: System<'a>,
    likelihood: K,
    /// What each link expects.
    offsets: Vec<f64>,
}

/// The likelihood at one point.
pub(super) struct Evaluation {
    /// One longer than the dimension, for what is fixed.
    pub gradient: Vec<f64>,
    pub information: Information,
}

/// The maximum and how it was reached.
pub(super) struct Fit {
    /// Parameters, in the mean-0 gauge of every floating component.
    pub x: Vec<f64>,
    pub value: f64,
    /// Negative Hessian at the maximum, prior included, singular along the gauges.
    pub information: Information,
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

/// Where the encounters that take part stand in the system.
pub(super) fn places(pool: &Pool, layout: &Layout) -> Vec<Place> {
    taking_part(pool, layout)
        .map(|met| Place::new(layout.position(met.near), layout.position(met.far)))
        .collect()
}

/// Encounters that take part.
pub(super) fn taking_part<'a>(
    pool: &'a Pool,
    layout: &'a Layout,
) -> impl Iterator<Item = &'a Encounter> {
    pool.encounters.iter().filter(|met| layout.takes_part(met))
}

impl<'a, K: Likelihood> Problem<'a, K> {
    pub fn new(pool: &Pool, aggregates: &Aggregates, system: System<'a>, priors: Priors) -> Self {
        Self::with(system, K::new(pool, aggregates, system.layout, priors))
    }

    /// Of a likelihood that is there.
    pub fn with(system: System<'a>, likelihood: K) -> Self {
        Self {
            system,
            likelihood,
            offsets: system.layout.bonds.iter().map(|bond| bond.offset).collect(),
        }
    }

    /// The likelihood back.
    pub fn into_likelihood(self) -> K {
        self.likelihood
    }

    /// The same with other results, as [`Likelihood::redraw`].
    pub fn redraw(&mut self, results: impl FnMut(usize) -> [[f64; 5]; 2]) {
        self.likelihood.redraw(self.system.layout, results);
    }

    /// The same with other expectations of the links, by link.
    pub fn expect(&mut self, offset: impl FnMut(&Bond) -> f64) {
        self.offsets = self.system.layout.bonds.iter().map(offset).collect();
    }

    /// Where the search begins: all players equal to each other or to their anchors, or as strong as they were.
    fn start(&self, near: Option<&Start>) -> Vec<f64> {
        if let Some(Start::At(x)) = near {
            return x.clone();
        }
        let mut x = self.system.layout.equals();
        if let Some(Start::Players {
            strengths,
            first_move: earlier,
        }) = near
        {
            let layout = self.system.layout;
            for (slot, &strength) in layout.theta.iter().zip(strengths) {
                if let Slot::Free(position) = slot {
                    x[*position] = strength;
                }
            }
            if let Some(first_move) = x.get_mut(layout.alpha_position()) {
                *first_move = *earlier;
            }
        }
        let shape = self.likelihood.start();
        x[self.system.layout.shape_start()..]
            .iter_mut()
            .zip(shape)
            .for_each(|(x, start)| *x = start);
        x
    }

    /// Gradient and information with the links; `None` where the shape is not allowed.
    fn evaluate(&self, x: &[f64]) -> Option<Evaluation> {
        let layout = self.system.layout;
        let mut sums = self.likelihood.evaluate(self.system, x)?;
        self.pull(x, &mut sums.gradient);
        sums.gradient[layout.dimension] = 0.0;
        Some(sums)
    }

    /// The gradient with the links.
    fn slope(&self, x: &[f64]) -> Option<Vec<f64>> {
        let mut gradient = self.likelihood.slope(self.system, x)?;
        self.pull(x, &mut gradient);
        Some(gradient)
    }

    /// Adds the slope of the links.
    fn pull(&self, x: &[f64], gradient: &mut [f64]) {
        let layout = self.system.layout;
        for (bond, gap) in self.gaps(x) {
            gradient[layout.position(bond.newer)] -= bond.weight * gap;
            gradient[layout.position(bond.older)] += bond.weight * gap;
        }
    }

    fn value(&self, x: &[f64]) -> Option<f64> {
        let pull: f64 = self
            .gaps(x)
            .map(|(bond, gap)| 0.5 * bond.weight * gap * gap)
            .sum();
        Some(self.likelihood.value(self.system, x)? - pull)
    }

    /// By how much each link's expectation is missed.
    fn gaps(&self, x: &[f64]) -> impl Iterator<Item = (&Bond, f64)> {
        let layout = self.system.layout;
        let strength = |index| layout.strength(x, index);
        let gaps = layout.bonds.iter().zip(&self.offsets);
        let gaps =
            gaps.map(|(bond, offset)| (bond, strength(bond.newer) - strength(bond.older) - offset));
        gaps.collect::<Vec<_>>().into_iter()
    }

    /// Finds the maximum, from strengths that are near it if there are any.
    pub fn maximise(&self, near: Option<&Start>) -> Fit {
        let mut x = self.start(near);
        let mut end = FitEnd::Stalled;
        let mut iterations = 0;
        if x.is_empty() {
            end = FitEnd::Converged;
        }
        let Some(mut here) = self.evaluate(&x) else {
            return Fit {
                x,
                value: 0.0,
                information: Information::default(),
                iterations,
                end,
            };
        };
        let mut tolerance = FIRST_STEP;
        while end == FitEnd::Stalled && iterations < MAX_ITERATIONS {
            iterations += 1;
            let Some(step) = self.newton_step(&here, tolerance) else {
                break;
            };
            let Some((length, next, there)) = self.line_search(&x, &step) else {
                break;
            };
            let moved = length * largest(&step);
            tolerance = moved.clamp(STEP, FIRST_STEP);
            (x, here) = (next, there);
            if self.system.layout.first_move(&x).abs() > FIRST_MOVE_LIMIT {
                end = FitEnd::FirstMoveUnbounded;
            } else if moved < STEP_TOLERANCE {
                end = FitEnd::Converged;
            }
        }
        if end == FitEnd::Stalled && {
            let step = self.newton_step(&here, STEP);
            step.is_some_and(|step| largest(&step) < 1e-8)
        } {
            end = FitEnd::Converged;
        }
        self.system.layout.centre(&mut x);
        let value = self.value(&x).unwrap_or(0.0);
        Fit {
            x,
            value,
            information: here.information,
            iterations,
            end,
        }
    }

    /// The maximum near `x`, by steps with the inverse of an information near by in place of the one at each point
    /// (chord method; C. T. Kelley, "Iterative methods for linear and nonlinear equations", 1995, section 5.4.1).
    ///
    /// `None` unless each step is at most half as long as the one before: then it is not near enough.
    pub fn settle(&self, mut x: Vec<f64>, inverse: &Dense) -> Option<Fit> {
        let layout = self.system.layout;
        let mut slope = self.slope(&x)?;
        let mut last = 2.0 * NEARBY;
        for iterations in 1..=MAX_ITERATIONS {
            let mut step = inverse.times(&slope[..layout.dimension]);
            layout.centre(&mut step);
            let moved = largest(&step);
            if step.iter().any(|step| !step.is_finite()) || moved > 0.5 * last {
                return None;
            }
            x.iter_mut().zip(&step).for_each(|(x, s)| *x += s);
            if layout.first_move(&x).abs() > FIRST_MOVE_LIMIT {
                return None;
            }
            if moved < STEP_TOLERANCE {
                layout.centre(&mut x);
                let value = self.value(&x)?;
                let information = self.evaluate(&x)?.information;
                let end = FitEnd::Converged;
                return Some(Fit {
                    x,
                    value,
                    information,
                    iterations,
                    end,
                });
            }
            slope = self.slope(&x)?;
            last = moved;
        }
        None
    }

    /// The step, in the gauges' own directions none.
    fn newton_step(&self, here: &Evaluation, tolerance: f64) -> Option<Vec<f64>> {
        let right = &here.gradient[..self.system.layout.dimension];
        let solution = here.information.solve(self.system, right, tolerance);
        // Where rounding leaves no curvature, as between anchors very far apart, the way up by each parameter alone.
        let mut step = solution.unwrap_or_else(|| here.information.scaled(self.system, right));
        if step.iter().any(|step| !step.is_finite()) {
            return None;
        }
        self.system.layout.centre(&mut step);
        Some(step)
    }

    /// By how much a step changes the strength difference of two players that met, at most; [`MOST_CHANGE`] for less.
    fn change(&self, step: &[f64]) -> f64 {
        // It is at most twice as much as a strength changes, which spares most steps a look at all encounters.
        if 2.0 * largest(step) <= MOST_CHANGE {
            return MOST_CHANGE;
        }
        let fixed = self.system.layout.dimension;
        let of = |position: usize| {
            if position < fixed {
                step[position]
            } else {
                0.0
            }
        };
        let places = self.system.places.iter();
        let changes = places.map(|place| of(place.near()) - of(place.far()));
        changes.fold(MOST_CHANGE, |most, change| most.max(change.abs()))
    }

    /// Halves the step until the likelihood does not fall beyond rounding.
    fn line_search(&self, x: &[f64], step: &[f64]) -> Option<(f64, Vec<f64>, Evaluation)> {
        let mut floor = None;
        // Far beyond its maximum a likelihood is so flat that there is no way back.
        let mut length = (MOST_CHANGE / self.change(step)).min(1.0);
        for _ in 0..MAX_HALVINGS {
            let next: Vec<f64> = x.iter().zip(step).map(|(x, s)| x + length * s).collect();
            if let Some(there) = self.evaluate(&next) {
                // So near the maximum a step that is right changes the sum of so many logarithms by less than its rounding.
                let sure = length * largest(step) < K::SURE_STEP;
                // A concave function that still rises at the end of a step has risen all along it.
                let slope: f64 = step.iter().zip(&there.gradient).map(|(s, g)| s * g).sum();
                if sure || slope >= 0.0 {
                    return Some((length, next, there));
                }
                if floor.is_none() {
                    floor = self
                        .value(x)
                        .map(|value| value - 1e-13 * (1.0 + value.abs()));
                }
                if self.value(&next) >= floor {
                    return Some((length, next, there));
                }
            }
            length *= 0.5;
        }
        None
    }
}

/// The largest entry in absolute value.
fn largest(step: &[f64]) -> f64 {
    step.iter().fold(0.0, |most, s| most.max(s.abs()))
}
