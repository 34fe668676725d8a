//! Rating a pool: options, fit, error bars, report.

use super::adjacent::AdjacentCategories;
use super::assemble::Parts;
use super::covariance::{Covariance, inverse_information, score_covariance};
use super::fit::{Fit, FitEnd, Likelihood, Problem, Start, places};
use super::information::{Place, System};
use super::law::OutcomeLaw;
use super::layout::{Alpha, Layout};
use super::options::{
    ErrorBars, FirstMove, MAX_CHOSEN, MAX_PLAYERS, Model, RatingError, RatingOptions,
};
use super::ordered::OrderedLogit;
use super::outcomes::OutcomeLikelihood;
use super::priors::Priors;
use super::redraw::Redraw;
use super::refits::Replicates;
use super::report::{FirstMoveStatus, RatingReport};
use super::rows::Rows;
use super::score::ScoreLikelihood;
use crate::ratings::aggregates::Aggregates;
use crate::ratings::elo::ELO_PER_NAT;
use crate::ratings::pool::Pool;

/// Rates a pool.
///
/// The answer is a function of the set of results and the options. Degenerate pools are answered and
/// marked: an empty pool with an empty list, players without games with no rating, separate components
/// with separate means, perfect scores with a bound.
pub fn rate(aggregates: &Aggregates, options: &RatingOptions) -> Result<RatingReport, RatingError> {
    rate_from(aggregates, options, None)
}

/// Rates a pool again after some more games: the same answer, sooner, since the search begins at the last one.
///
/// # Errors
/// As [`rate`].
pub fn rate_again(
    aggregates: &Aggregates,
    options: &RatingOptions,
    last: &RatingReport,
) -> Result<RatingReport, RatingError> {
    rate_from(aggregates, options, Some(last))
}

fn rate_from(
    aggregates: &Aggregates,
    options: &RatingOptions,
    last: Option<&RatingReport>,
) -> Result<RatingReport, RatingError> {
    check(aggregates, options)?;
    let pool = Pool::new(aggregates);
    let start = last.map(|last| Start::at(&pool, last));
    let results = Results {
        pool: &pool,
        aggregates,
        options,
    };
    let start = start.as_ref();
    match options.model {
        Model::Score => results.rate::<ScoreLikelihood>(0.0, start),
        Model::OrderedLogit { outcome_prior } => {
            results.rate::<OutcomeLikelihood<OrderedLogit>>(outcome_prior, start)
        }
        Model::AdjacentCategories { outcome_prior } => {
            results.rate::<OutcomeLikelihood<AdjacentCategories>>(outcome_prior, start)
        }
    }
}

/// Refuses options out of range and pools that are too large.
pub(super) fn check(aggregates: &Aggregates, options: &RatingOptions) -> Result<(), RatingError> {
    options.check()?;
    let players = aggregates.players().len();
    if players > MAX_PLAYERS {
        return Err(RatingError::TooManyPlayers { players });
    }
    if options.error_bars_for.len() > MAX_CHOSEN {
        let players = options.error_bars_for.len();
        return Err(RatingError::TooManyChosen { players });
    }
    Ok(())
}

impl Start {
    /// Where a report left its players; those that it does not know begin at their mean.
    fn at(pool: &Pool, last: &RatingReport) -> Self {
        let strength = |&player: &usize| {
            let elo = last.player(player).and_then(|rated| rated.rating_elo);
            elo.unwrap_or(0.0) / ELO_PER_NAT
        };
        Self::Players {
            strengths: pool.players.iter().map(strength).collect(),
            first_move: last.first_move.elo / ELO_PER_NAT,
        }
    }
}

/// What is rated, and how.
#[derive(Clone, Copy)]
pub(super) struct Results<'a> {
    pub pool: &'a Pool,
    pub aggregates: &'a Aggregates,
    pub options: &'a RatingOptions,
}

/// A fit with the parameters that it is of.
pub(super) struct Fitted {
    pub layout: Layout,
    pub places: Vec<Place>,
    pub fit: Fit,
    pub status: FirstMoveStatus,
}

impl Fitted {
    /// Where the players stand.
    pub fn start(&self) -> Start {
        Start::Players {
            strengths: self.layout.strengths(&self.fit.x),
            first_move: self.layout.first_move(&self.fit.x),
        }
    }

    pub fn system(&self) -> System<'_> {
        System {
            layout: &self.layout,
            places: &self.places,
        }
    }
}

impl Results<'_> {
    fn rate<K: Likelihood>(
        self,
        outcome_prior: f64,
        start: Option<&Start>,
    ) -> Result<RatingReport, RatingError> {
        let fitted = self.fit::<K>(outcome_prior, start)?;
        self.report::<K>(outcome_prior, &fitted)
    }

    pub fn priors(self, outcome_prior: f64) -> Priors {
        Priors {
            draws: self.options.prior_draws,
            outcomes: outcome_prior,
        }
    }

    pub fn fit<K: Likelihood>(
        self,
        outcome_prior: f64,
        start: Option<&Start>,
    ) -> Result<Fitted, RatingError> {
        let fit_with = |options: &RatingOptions| {
            let layout = Layout::new(self.pool, options, K::Law::SHAPES)?;
            let places = places(self.pool, &layout);
            let system = System {
                layout: &layout,
                places: &places,
            };
            let priors = self.priors(outcome_prior);
            let problem = Problem::<K>::new(self.pool, self.aggregates, system, priors);
            let fit = problem.maximise(start);
            Ok((layout, places, fit))
        };
        let options = self.options;
        let (mut layout, mut places, mut fit) = fit_with(options)?;
        // Without a prior, strengths are finite where they are fitted at all, so that a search that finds no
        // maximum has lost it in the direction of the first move.
        let lost = fit.end == FitEnd::Stalled && options.prior_draws == 0.0;
        let free = matches!(layout.alpha, Alpha::Free(_));
        let unbounded = free && (lost || fit.end == FitEnd::FirstMoveUnbounded);
        if unbounded {
            let fixed = FirstMove::Fixed { elo: 0.0 };
            (layout, places, fit) = fit_with(&RatingOptions {
                first_move: fixed,
                ..options.clone()
            })?;
        }
        let status = match (options.first_move, layout.alpha) {
            (FirstMove::Fixed { .. }, _) => FirstMoveStatus::Fixed,
            _ if unbounded => FirstMoveStatus::Unbounded,
            (FirstMove::Estimated, Alpha::Free(_)) => FirstMoveStatus::Estimated,
            (FirstMove::Estimated, Alpha::Fixed(_)) => FirstMoveStatus::NotIdentifiable,
        };
        Ok(Fitted {
            layout,
            places,
            fit,
            status,
        })
    }

    pub fn report<K: Likelihood>(
        self,
        outcome_prior: f64,
        fitted: &Fitted,
    ) -> Result<RatingReport, RatingError> {
        let Self {
            pool,
            aggregates,
            options,
        } = self;
        let (layout, fit) = (&fitted.layout, &fitted.fit);
        let system = fitted.system();
        let mut rows = Rows::new(pool, layout, options)?;
        let mut replicates = None;
        let (covariance, error_bars) = match (options.error_bars, K::Law::SHAPES) {
            _ if rows.is_none() => (None, ErrorBars::None),
            (ErrorBars::None, _) => (None, ErrorBars::None),
            (kind @ (ErrorBars::Bootstrap(refits) | ErrorBars::Simulation(refits)), _) => {
                let redraw = Redraw::new::<K::Law>(pool, aggregates, layout, fit, options);
                let alike = rows.forget(&redraw.unvaried());
                let priors = self.priors(outcome_prior);
                let problem = Problem::<K>::new(pool, aggregates, system, priors);
                let positions = rows.positions(layout);
                let mut drawn = Replicates::new(problem, fit, &redraw, refits, &positions);
                drawn.count.alike = alike;
                let covariance = drawn.covariance().map(|matrix| Covariance {
                    matrix,
                    dispersion: None,
                });
                replicates = Some(drawn);
                (covariance, kind)
            }
            (kind, 0) => {
                let covariance =
                    score_covariance(pool, aggregates, system, fit, kind, rows.wanted());
                (covariance, kind)
            }
            _ => {
                let covariance = inverse_information(system, fit, rows.wanted());
                (covariance, ErrorBars::Binomial)
            }
        };
        let parts = Parts {
            pool,
            options,
            layout,
            fit,
            status: fitted.status,
            error_bars,
            expected: K::Law::expected_points,
            rows,
            replicates,
        };
        Ok(parts.report(covariance))
    }
}
