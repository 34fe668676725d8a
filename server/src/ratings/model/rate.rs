//! Rating a pool: options, fit, error bars, report.

use super::adjacent::AdjacentCategories;
use super::assemble::Parts;
use super::covariance::{Covariance, inverse_information, score_covariance};
use super::fit::{FitEnd, Likelihood, Priors, Problem, Start, places};
use super::information::System;
use super::law::OutcomeLaw;
use super::layout::{Alpha, Layout};
use super::options::{
    ErrorBars, FirstMove, MAX_CHOSEN, MAX_PLAYERS, Model, RatingError, RatingOptions,
};
use super::ordered::OrderedLogit;
use super::outcomes::OutcomeLikelihood;
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
    options.check()?;
    let players = aggregates.players().len();
    if players > MAX_PLAYERS {
        return Err(RatingError::TooManyPlayers { players });
    }
    if options.error_bars_for.len() > MAX_CHOSEN {
        let players = options.error_bars_for.len();
        return Err(RatingError::TooManyChosen { players });
    }
    let pool = Pool::new(aggregates);
    let start = last.map(|last| Start::at(&pool, last));
    let start = start.as_ref();
    match options.model {
        Model::Score => rate_by::<ScoreLikelihood>(&pool, aggregates, options, 0.0, start),
        Model::OrderedLogit { outcome_prior } => rate_by::<OutcomeLikelihood<OrderedLogit>>(
            &pool,
            aggregates,
            options,
            outcome_prior,
            start,
        ),
        Model::AdjacentCategories { outcome_prior } => {
            rate_by::<OutcomeLikelihood<AdjacentCategories>>(
                &pool,
                aggregates,
                options,
                outcome_prior,
                start,
            )
        }
    }
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

fn rate_by<K: Likelihood>(
    pool: &Pool,
    aggregates: &Aggregates,
    options: &RatingOptions,
    outcome_prior: f64,
    start: Option<&Start>,
) -> Result<RatingReport, RatingError> {
    let shapes = K::Law::SHAPES;
    let priors = Priors {
        draws: options.prior_draws,
        outcomes: outcome_prior,
    };
    let fit_with = |options: &RatingOptions| {
        let layout = Layout::new(pool, options, shapes)?;
        let places = places(pool, &layout);
        let system = System {
            layout: &layout,
            places: &places,
        };
        let problem = Problem::<K>::new(pool, aggregates, system, priors);
        let fit = problem.maximise(start);
        Ok((layout, places, fit))
    };
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
    let system = System {
        layout: &layout,
        places: &places,
    };
    let mut rows = Rows::new(pool, &layout, options)?;
    let mut replicates = None;
    let (covariance, error_bars) = match (options.error_bars, shapes) {
        _ if rows.is_none() => (None, ErrorBars::None),
        (ErrorBars::None, _) => (None, ErrorBars::None),
        (kind @ (ErrorBars::Bootstrap(refits) | ErrorBars::Simulation(refits)), _) => {
            let redraw = Redraw::new::<K::Law>(pool, aggregates, &layout, &fit, options);
            rows.forget(&redraw.unvaried());
            let problem = Problem::<K>::new(pool, aggregates, system, priors);
            let drawn = Replicates::new(problem, &fit, &redraw, refits, &rows.positions(&layout));
            let covariance = drawn.covariance().map(|matrix| Covariance {
                matrix,
                dispersion: None,
            });
            replicates = Some(drawn);
            (covariance, kind)
        }
        (kind, 0) => {
            let covariance = score_covariance(pool, aggregates, system, &fit, kind, rows.wanted());
            (covariance, kind)
        }
        _ => {
            let covariance = inverse_information(system, &fit, rows.wanted());
            (covariance, ErrorBars::Binomial)
        }
    };
    let parts = Parts {
        pool,
        options,
        layout: &layout,
        fit: &fit,
        status,
        error_bars,
        rows,
        replicates,
    };
    Ok(parts.report(covariance))
}
