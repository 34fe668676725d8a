//! Maximum (quasi-)likelihood by Newton's method.

use std::marker::PhantomData;

use super::information::{Information, Mixed, Place, STEP, System, Weights};
use super::law::{OutcomeLaw, Term};
use super::layout::{Bond, Layout, Slot};
use crate::ratings::pool::{Encounter, Pool};

const MAX_ITERATIONS: usize = 100;
const MAX_HALVINGS: usize = 60;
/// Newton stops when no parameter moves by more than this, in natural units.
const STEP_TOLERANCE: f64 = 1e-12;
/// Steps shorter than this are taken as they are.
const NEAR: f64 = 1e-6;
/// A first-move advantage beyond this (3,474 Elo) is on its way to infinity.
const FIRST_MOVE_LIMIT: f64 = 20.0;

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

/// Two players' games, virtual draws included, by the first mover's outcome.
struct Games {
    near: usize,
    far: usize,
    /// Virtual draws with each side first.
    virtual_draws: f64,
    near_first: [f64; 5],
    far_first: [f64; 5],
}

/// A likelihood to be maximised.
pub(super) struct Problem<'a, L> {
    system: System<'a>,
    games: Vec<Games>,
    /// What each link expects.
    offsets: Vec<f64>,
    /// Virtual games between equals in each outcome, which hold the shape parameters.
    outcome_prior: f64,
    law: PhantomData<L>,
}

/// The likelihood at one point.
struct Evaluation {
    value: f64,
    /// One longer than the dimension, for what is fixed.
    gradient: Vec<f64>,
    information: Information,
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
    let met = pool.encounters.iter().filter(|met| layout.takes_part(met));
    met.map(|met| Place::new(layout.position(met.near), layout.position(met.far)))
        .collect()
}

impl<'a, L: OutcomeLaw> Problem<'a, L> {
    pub fn new(pool: &Pool, system: System<'a>, prior_draws: f64, outcome_prior: f64) -> Self {
        let taking_part = |met: &&Encounter<'_>| system.layout.takes_part(met);
        let met = pool.encounters.iter().filter(taking_part);
        let games = met.map(|met| {
            let total = met.games() as f64;
            let inverse = |index: usize| 1.0 / pool.games[index] as f64;
            // STATS.md 1.2: v = omega N (1/G_i + 1/G_j) virtual draws, half with each side first.
            let half = 0.5 * prior_draws * total * (inverse(met.near) + inverse(met.far));
            let [near_first, far_first] = [&met.near_first, &met.far_first]
                .map(|real| with_draws(real.map(|count| count as f64), half));
            Games {
                near: met.near,
                far: met.far,
                virtual_draws: half,
                near_first,
                far_first,
            }
        });
        Self {
            system,
            games: games.collect(),
            offsets: system.layout.bonds.iter().map(|bond| bond.offset).collect(),
            outcome_prior: outcome_prior / 5.0,
            law: PhantomData,
        }
    }

    /// The same with other results: of each encounter that takes part, by near's outcome where near moves first and by
    /// far's where far does.
    pub fn redraw(&mut self, mut results: impl FnMut(usize) -> [[f64; 5]; 2]) {
        for (index, games) in self.games.iter_mut().enumerate() {
            let half = games.virtual_draws;
            [games.near_first, games.far_first] =
                results(index).map(|counts| with_draws(counts, half));
        }
    }

    /// The same with other expectations of the links, by link.
    pub fn expect(&mut self, offset: impl FnMut(&Bond) -> f64) {
        self.offsets = self.system.layout.bonds.iter().map(offset).collect();
    }

    /// Where the search begins: all players equal, or as strong as they were.
    fn start(&self, near: Option<&Start>) -> Vec<f64> {
        if let Some(Start::At(x)) = near {
            return x.clone();
        }
        let mut totals = [0.0; 5];
        for games in &self.games {
            let counts = games.near_first.iter().zip(&games.far_first);
            for (total, (near, far)) in totals.iter_mut().zip(counts) {
                *total += near + far;
            }
        }
        let mut x = vec![0.0; self.system.layout.dimension];
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
        let shape = L::start(&totals);
        x[self.system.layout.shape_start()..]
            .iter_mut()
            .zip(shape)
            .for_each(|(x, start)| *x = start);
        x
    }

    /// Value, gradient and information; `None` where the shape is not allowed.
    fn evaluate(&self, x: &[f64]) -> Option<Evaluation> {
        let System { layout, places } = self.system;
        let mut sums = Evaluation {
            value: 0.0,
            gradient: vec![0.0; layout.dimension + 1],
            information: Information {
                weights: Vec::with_capacity(places.len()),
                ..Information::default()
            },
        };
        let (alpha, shape) = (layout.first_move(x), layout.shape(x));
        let strengths: Vec<f64> = (0..layout.theta.len())
            .map(|index| layout.strength(x, index))
            .collect();
        for (games, place) in self.games.iter().zip(places) {
            let difference = strengths[games.near] - strengths[games.far];
            let near = L::term(&games.near_first, alpha + difference, shape)?;
            let far = L::term(&games.far_first, alpha - difference, shape)?;
            sums.add(layout, *place, &near, &far);
        }
        for (bond, offset) in layout.bonds.iter().zip(&self.offsets) {
            let gap = strengths[bond.newer] - strengths[bond.older] - offset;
            sums.value -= 0.5 * bond.weight * gap * gap;
            sums.gradient[layout.position(bond.newer)] -= bond.weight * gap;
            sums.gradient[layout.position(bond.older)] += bond.weight * gap;
        }
        if layout.shapes > 0 {
            let prior = L::term(&[self.outcome_prior; 5], 0.0, shape)?;
            sums.value += prior.value;
            sums.add_shape(layout, &prior);
        }
        sums.gradient[layout.dimension] = 0.0;
        Some(sums)
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
        while end == FitEnd::Stalled && iterations < MAX_ITERATIONS {
            iterations += 1;
            let Some(step) = self.newton_step(&here) else {
                break;
            };
            let Some((length, next, there)) = self.line_search(&x, &step, &here) else {
                break;
            };
            let moved = length * largest(&step);
            (x, here) = (next, there);
            if self.system.layout.first_move(&x).abs() > FIRST_MOVE_LIMIT {
                end = FitEnd::FirstMoveUnbounded;
            } else if moved < STEP_TOLERANCE {
                end = FitEnd::Converged;
            }
        }
        if end == FitEnd::Stalled && self.newton_step(&here).is_some_and(|s| largest(&s) < 1e-8) {
            end = FitEnd::Converged;
        }
        self.system.layout.centre(&mut x);
        Fit {
            x,
            value: here.value,
            information: here.information,
            iterations,
            end,
        }
    }

    /// The step, in the gauges' own directions none.
    fn newton_step(&self, here: &Evaluation) -> Option<Vec<f64>> {
        let right = &here.gradient[..self.system.layout.dimension];
        let mut step = here.information.solve(self.system, right, STEP)?;
        self.system.layout.centre(&mut step);
        Some(step)
    }

    /// Halves the step until the likelihood does not fall beyond rounding.
    fn line_search(
        &self,
        x: &[f64],
        step: &[f64],
        here: &Evaluation,
    ) -> Option<(f64, Vec<f64>, Evaluation)> {
        // So near the maximum a step that is right changes the sum of so many logarithms by less than its rounding.
        let floor = if largest(step) < NEAR {
            f64::NEG_INFINITY
        } else {
            here.value - 1e-13 * (1.0 + here.value.abs())
        };
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
}

fn with_draws(mut counts: [f64; 5], draws: f64) -> [f64; 5] {
    counts[2] += draws;
    counts
}

/// The largest entry in absolute value.
fn largest(step: &[f64]) -> f64 {
    step.iter().fold(0.0, |most, s| most.max(s.abs()))
}

impl Evaluation {
    /// Adds an encounter: its games with near first and with far first.
    #[inline]
    fn add(&mut self, layout: &Layout, place: Place, near: &Term, far: &Term) {
        self.value += near.value + far.value;
        let (rise, fall) = (near.gradient[0], far.gradient[0]);
        self.gradient[place.near()] += rise - fall;
        self.gradient[place.far()] -= rise - fall;
        self.gradient[layout.alpha_position()] += rise + fall;
        if layout.shapes > 0 {
            for term in [near, far] {
                self.add_shape(layout, term);
            }
            self.information.mixed.push(Mixed {
                near: [near.information[0][1], near.information[0][2]],
                far: [far.information[0][1], far.information[0][2]],
            });
        }
        self.information.weights.push(Weights {
            near: near.information[0][0],
            far: far.information[0][0],
        });
    }

    /// Adds what a term says about the shape parameters alone.
    fn add_shape(&mut self, layout: &Layout, term: &Term) {
        for k in 0..layout.shapes {
            self.gradient[layout.shape_start() + k] += term.gradient[1 + k];
            for l in 0..layout.shapes {
                self.information.shape[k][l] += term.information[1 + k][1 + l];
            }
        }
    }
}
