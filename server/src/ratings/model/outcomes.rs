//! [`OutcomeLikelihood`]: the likelihood of outcomes counted one by one, under any law.

use std::marker::PhantomData;

use super::fit::{Evaluation, Likelihood};
use super::information::{Information, Mixed, Place, System, Weights};
use super::law::{OutcomeLaw, Term};
use super::layout::Layout;
use super::priors::Priors;
use crate::ratings::aggregates::Aggregates;
use crate::ratings::pool::Pool;

/// Two players' games, virtual draws included, by the first mover's outcome.
struct Games {
    near: usize,
    far: usize,
    /// Virtual draws with each side first.
    virtual_draws: f64,
    near_first: [f64; 5],
    far_first: [f64; 5],
}

/// Outcomes of all encounters that take part.
pub(super) struct OutcomeLikelihood<L> {
    games: Vec<Games>,
    /// Virtual games between equals in each outcome, which hold the shape parameters.
    outcome_prior: f64,
    law: PhantomData<L>,
}

impl<L: OutcomeLaw> Likelihood for OutcomeLikelihood<L> {
    type Law = L;
    const SURE_STEP: f64 = 1e-6;

    fn new(pool: &Pool, aggregates: &Aggregates, layout: &Layout, priors: Priors) -> Self {
        let taking_part = pool
            .with_tables(aggregates)
            .filter(|(met, _)| layout.takes_part(met));
        let draws = priors.of(pool);
        let games = taking_part.map(|(met, table)| {
            let half = draws.draws_each_way(met);
            let [near_first, far_first] = [table.near_first_totals(), table.far_first_totals()]
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
            games: games.collect(),
            outcome_prior: priors.outcomes / 5.0,
            law: PhantomData,
        }
    }

    fn redraw(&mut self, _layout: &Layout, mut results: impl FnMut(usize) -> [[f64; 5]; 2]) {
        for (index, games) in self.games.iter_mut().enumerate() {
            let half = games.virtual_draws;
            [games.near_first, games.far_first] =
                results(index).map(|counts| with_draws(counts, half));
        }
    }

    fn start(&self) -> [f64; 2] {
        let mut totals = [0.0; 5];
        for games in &self.games {
            let counts = games.near_first.iter().zip(&games.far_first);
            for (total, (near, far)) in totals.iter_mut().zip(counts) {
                *total += near + far;
            }
        }
        L::start(&totals)
    }

    fn evaluate(&self, of: System<'_>, x: &[f64]) -> Option<Evaluation> {
        let layout = of.layout;
        let mut sums = Evaluation {
            gradient: vec![0.0; layout.dimension + 1],
            information: Information {
                weights: Vec::with_capacity(self.games.len()),
                ..Information::default()
            },
        };
        let terms = |place: Place, [near, far]: [Term; 2]| sums.add(layout, place, &near, &far);
        self.each(of, x, terms)?;
        if layout.shapes > 0 {
            let prior = L::term(&[self.outcome_prior; 5], 0.0, layout.shape(x))?;
            sums.add_shape(layout, &prior);
        }
        Some(sums)
    }

    fn value(&self, of: System<'_>, x: &[f64]) -> Option<f64> {
        let mut value = 0.0;
        self.each(of, x, |_, [near, far]| value += near.value + far.value)?;
        if of.layout.shapes > 0 {
            let prior = L::term(&[self.outcome_prior; 5], 0.0, of.layout.shape(x))?;
            value += prior.value;
        }
        Some(value)
    }
}

impl<L: OutcomeLaw> OutcomeLikelihood<L> {
    /// Goes through the encounters: games with near first, and with far first; `None` where the shape is not allowed.
    fn each(&self, of: System<'_>, x: &[f64], mut act: impl FnMut(Place, [Term; 2])) -> Option<()> {
        let System { layout, places } = of;
        let (alpha, shape) = (layout.first_move(x), layout.shape(x));
        let strengths = layout.strengths(x);
        for (games, place) in self.games.iter().zip(places) {
            let difference = strengths[games.near] - strengths[games.far];
            let near = L::term(&games.near_first, alpha + difference, shape)?;
            let far = L::term(&games.far_first, alpha - difference, shape)?;
            act(*place, [near, far]);
        }
        Some(())
    }
}

fn with_draws(mut counts: [f64; 5], draws: f64) -> [f64; 5] {
    counts[2] += draws;
    counts
}

impl Evaluation {
    /// Adds an encounter: its games with near first and with far first.
    #[inline]
    fn add(&mut self, layout: &Layout, place: Place, near: &Term, far: &Term) {
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
