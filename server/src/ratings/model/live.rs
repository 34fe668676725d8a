//! [`LiveRatings`]: ratings of a pool that grows game by game.

use super::dense::Dense;
use super::fit::{Likelihood, Problem, Start};
use super::options::{ErrorBars, MAX_COVARIANCE, Model, RatingError, RatingOptions};
use super::rate::{Fitted, Results, check};
use super::report::{FirstMoveStatus, RatingReport};
use super::score::ScoreLikelihood;
use crate::ratings::aggregates::{AggregateError, Aggregates, Player};
use crate::ratings::outcome::Outcome;
use crate::ratings::pair_table::PairTable;
use crate::ratings::pool::{Pool, Regroup};

/// Ratings of a pool that grows game by game, by [`Model::Score`].
///
/// The answers are those of [`rate`](super::rate()) for the same results, to within 1e-9 Elo, but sooner: the pool, the last
/// solution and the inverse of its information are kept, and some more games move the solution by little.
pub struct LiveRatings {
    options: RatingOptions,
    aggregates: Aggregates,
    pool: Pool,
    fitted: Fitted,
    /// Games and points of the pool, as they were at the last solution.
    likelihood: Option<ScoreLikelihood>,
    /// Inverse of the information at some solution before, of pools that are small enough.
    inverse: Option<Dense>,
    /// What has happened since the last solution.
    news: News,
}

/// What has happened since the last solution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum News {
    None,
    /// More games of those that have met, which change nothing but counts.
    Games,
    /// The pool hangs together in another way.
    Regrouped,
}

impl LiveRatings {
    /// Rates a pool, to go on with it.
    ///
    /// # Errors
    /// As [`rate`](super::rate()); other models than [`Model::Score`] are refused.
    pub fn new(aggregates: Aggregates, options: RatingOptions) -> Result<Self, RatingError> {
        check(&aggregates, &options)?;
        if options.model != Model::Score {
            return Err(RatingError::NotLive);
        }
        let pool = Pool::new(&aggregates);
        let results = Results {
            pool: &pool,
            aggregates: &aggregates,
            options: &options,
        };
        let fitted = results.fit::<ScoreLikelihood>(0.0, None)?;
        let mut live = Self {
            options,
            aggregates,
            pool,
            fitted,
            likelihood: None,
            inverse: None,
            news: News::None,
        };
        live.keep_inverse();
        Ok(live)
    }

    /// The results so far.
    pub fn aggregates(&self) -> &Aggregates {
        &self.aggregates
    }

    /// Counts one game pair, as [`Aggregates::add_pair`].
    pub fn add_pair(
        &mut self,
        i: Player,
        j: Player,
        x: Outcome,
        y: Outcome,
    ) -> Result<(), AggregateError> {
        let mut one = PairTable::default();
        one.add_pair(x, y);
        self.add_table(i, j, &one)
    }

    /// Counts one unpaired game, as [`Aggregates::add_single`].
    pub fn add_single(
        &mut self,
        first: Player,
        second: Player,
        k: Outcome,
    ) -> Result<(), AggregateError> {
        let mut one = PairTable::default();
        one.add_near_first(k);
        self.add_table(first, second, &one)
    }

    /// Adds a table of results, as [`Aggregates::add_table`].
    pub fn add_table(
        &mut self,
        near: Player,
        far: Player,
        table: &PairTable,
    ) -> Result<(), AggregateError> {
        self.aggregates.add_table(near, far, table)?;
        self.recount(near.min(far), near.max(far));
        Ok(())
    }

    /// Goes over to another state of the pool, in which some games are more, or fewer where results were taken back.
    pub fn follow(&mut self, aggregates: &Aggregates) {
        let changed = aggregates.differences(&self.aggregates);
        if !aggregates.players().eq(self.aggregates.players()) {
            self.news = News::Regrouped;
        }
        self.aggregates = aggregates.clone();
        for (near, far) in changed {
            self.recount(near, far);
        }
    }

    /// Takes in that the table of two players has changed.
    fn recount(&mut self, near: Player, far: Player) {
        let table = self.aggregates.table(near, far);
        let known = self.pool.index_of(near).zip(self.pool.index_of(far));
        let regroup = match known {
            Some((i, j)) if table.games() > 0 && self.news != News::Regrouped => {
                self.pool.recount(i, j, &table)
            }
            _ => Regroup::Needed,
        };
        self.news = match regroup {
            Regroup::None => News::Games,
            Regroup::Needed => News::Regrouped,
        };
    }

    /// Ratings without error bars.
    ///
    /// # Errors
    /// As [`rate`](super::rate()).
    pub fn ratings(&mut self) -> Result<RatingReport, RatingError> {
        self.settle()?;
        let options = RatingOptions {
            error_bars: ErrorBars::None,
            ..self.options.clone()
        };
        self.results(&options)
            .report::<ScoreLikelihood>(0.0, &self.fitted)
    }

    /// Ratings with the error bars of the options.
    ///
    /// # Errors
    /// As [`rate`](super::rate()).
    pub fn report(&mut self) -> Result<RatingReport, RatingError> {
        self.settle()?;
        self.results(&self.options)
            .report::<ScoreLikelihood>(0.0, &self.fitted)
    }

    fn results<'a>(&'a self, options: &'a RatingOptions) -> Results<'a> {
        Results {
            pool: &self.pool,
            aggregates: &self.aggregates,
            options,
        }
    }

    /// Brings the solution up to date.
    fn settle(&mut self) -> Result<(), RatingError> {
        match self.news {
            News::None => return Ok(()),
            News::Games => {
                if !self.settled_nearby() {
                    self.fit_anew(self.fitted.start())?;
                }
            }
            News::Regrouped => self.regroup()?,
        }
        self.news = News::None;
        Ok(())
    }

    /// Whether the solution was found with what is kept of an earlier one.
    fn settled_nearby(&mut self) -> bool {
        let Some(inverse) = &self.inverse else {
            return false;
        };
        // More games may have bounded it, and then it is to be estimated.
        if self.fitted.status == FirstMoveStatus::Unbounded {
            return false;
        }
        let (system, priors) = (
            self.fitted.system(),
            self.results(&self.options).priors(0.0),
        );
        let (pool, layout) = (&self.pool, system.layout);
        let likelihood = match self.likelihood.take() {
            Some(mut likelihood) => {
                likelihood.count(pool, layout, priors);
                likelihood
            }
            None => ScoreLikelihood::new(pool, &self.aggregates, layout, priors),
        };
        let problem = Problem::with(system, likelihood);
        let fit = problem.settle(self.fitted.fit.x.clone(), inverse);
        self.likelihood = Some(problem.into_likelihood());
        let settled = fit.is_some();
        if let Some(fit) = fit {
            self.fitted.fit = fit;
        }
        settled
    }

    /// Makes the pool anew and rates it, from the strengths that its players had; nothing has changed if that is refused.
    fn regroup(&mut self) -> Result<(), RatingError> {
        check(&self.aggregates, &self.options)?;
        let pool = Pool::new(&self.aggregates);
        let (layout, x) = (&self.fitted.layout, &self.fitted.fit.x);
        let strength = |&player: &Player| {
            let index = self.pool.index_of(player);
            index.map_or(0.0, |index| layout.strength(x, index))
        };
        let start = Start::Players {
            strengths: pool.players.iter().map(strength).collect(),
            first_move: layout.first_move(x),
        };
        let results = Results {
            pool: &pool,
            aggregates: &self.aggregates,
            options: &self.options,
        };
        self.fitted = results.fit::<ScoreLikelihood>(0.0, Some(&start))?;
        self.pool = pool;
        self.keep_inverse();
        Ok(())
    }

    fn fit_anew(&mut self, start: Start) -> Result<(), RatingError> {
        self.fitted = self
            .results(&self.options)
            .fit::<ScoreLikelihood>(0.0, Some(&start))?;
        self.keep_inverse();
        Ok(())
    }

    fn keep_inverse(&mut self) {
        let small = self.fitted.layout.dimension <= MAX_COVARIANCE + 1;
        let system = self.fitted.system();
        let information = || self.fitted.fit.information.dense(system);
        let inverse = || information().with_gauges(&self.fitted.layout).inverse();
        self.inverse = small.then(inverse).flatten();
    }
}

#[cfg(test)]
mod tests {
    use super::super::fit::places;
    use super::super::information::System;
    use super::super::layout::Layout;
    use super::super::priors::Priors;
    use super::*;

    /// Seven players that met many times.
    fn example() -> Aggregates {
        let mut pool = Aggregates::new();
        for number in 0..3_000_usize {
            let (i, j) = (number % 7, (number * 3 + 1) % 7);
            if i != j {
                let outcome = Outcome::ALL[(number * number + i + 2 * j) % 5];
                pool.add_single(i, j, outcome).unwrap();
            }
        }
        pool
    }

    /// With a share r of the inverse each step leaves 1 - r of the way: trusted if that is less than half.
    #[test]
    fn steps_that_do_not_halve_are_not_trusted() {
        let games = example();
        let pool = Pool::new(&games);
        let layout = Layout::new(&pool, &RatingOptions::default(), 0).unwrap();
        let places = places(&pool, &layout);
        let of = System {
            layout: &layout,
            places: &places,
        };
        let priors = Priors {
            draws: 1.0,
            outcomes: 0.0,
        };
        let problem = Problem::<ScoreLikelihood>::new(&pool, &games, of, priors);
        let fit = problem.maximise(None);
        let inverse = || {
            let information = fit.information.dense(of).with_gauges(&layout);
            information.inverse().unwrap()
        };
        let beside = |gap: f64| {
            let mut x = fit.x.clone();
            x[2] += gap;
            layout.centre(&mut x);
            x
        };
        let found = problem.settle(beside(0.01), &inverse().scaled(0.55));
        for (found, x) in found.unwrap().x.iter().zip(&fit.x) {
            assert!((found - x).abs() < 1e-11, "{found} {x}");
        }
        assert!(
            problem
                .settle(beside(0.01), &inverse().scaled(0.45))
                .is_none()
        );
        assert!(
            problem
                .settle(beside(0.01), &inverse().scaled(f64::NAN))
                .is_none()
        );
        // Nor is a first step of more than half a unit.
        assert!(problem.settle(beside(0.5), &inverse()).is_some());
        assert!(problem.settle(beside(0.7), &inverse()).is_none());
    }

    /// More games of those that met are settled with what is kept, again and again.
    #[test]
    fn what_is_kept_serves_for_more_games() {
        let mut live = LiveRatings::new(example(), RatingOptions::default()).unwrap();
        for outcome in [Outcome::Win, Outcome::Loss, Outcome::Win] {
            live.add_single(1, 4, outcome).unwrap();
            assert_eq!(live.news, News::Games);
            assert!(live.settled_nearby());
        }
    }
}
