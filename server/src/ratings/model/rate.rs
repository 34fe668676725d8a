//! Rating a pool: options, fit, error bars, report.

use super::adjacent::AdjacentCategories;
use super::bound::{one_sided_bound, perfect_score};
use super::covariance::{Covariance, Wanted, inverse_information, score_covariance};
use super::fit::{Fit, FitEnd, Problem, Start, places};
use super::information::System;
use super::law::{OutcomeLaw, Score};
use super::layout::{Alpha, Layout, Slot};
use super::options::{
    ErrorBars, FirstMove, MAX_CHOSEN, MAX_COVARIANCE, MAX_PLAYERS, Model, RatingError,
    RatingOptions,
};
use super::ordered::OrderedLogit;
use super::report::{
    FirstMoveAdvantage, FirstMoveStatus, RatedPlayer, RatingReport, ReportCovariance, Row,
};
use crate::ratings::aggregates::Aggregates;
use crate::ratings::elo::{ELO_PER_NAT, sigmoid};
use crate::ratings::normal;
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
        Model::Score => rate_by::<Score>(&pool, options, 0.0, start),
        Model::OrderedLogit { outcome_prior } => {
            rate_by::<OrderedLogit>(&pool, options, outcome_prior, start)
        }
        Model::AdjacentCategories { outcome_prior } => {
            rate_by::<AdjacentCategories>(&pool, options, outcome_prior, start)
        }
    }
}

impl Start {
    /// Where a report left its players; those that it does not know begin at their mean.
    fn at(pool: &Pool<'_>, last: &RatingReport) -> Self {
        let strength = |&player: &usize| {
            let elo = last.player(player).and_then(|rated| rated.rating_elo);
            elo.unwrap_or(0.0) / ELO_PER_NAT
        };
        Self {
            strengths: pool.players.iter().map(strength).collect(),
            first_move: last.first_move.elo / ELO_PER_NAT,
        }
    }
}

fn rate_by<L: OutcomeLaw>(
    pool: &Pool,
    options: &RatingOptions,
    outcome_prior: f64,
    start: Option<&Start>,
) -> Result<RatingReport, RatingError> {
    let fit_with = |options: &RatingOptions| {
        let layout = Layout::new(pool, options, L::SHAPES)?;
        let places = places(pool, &layout);
        let system = System {
            layout: &layout,
            places: &places,
        };
        let problem = Problem::<L>::new(pool, system, options.prior_draws, outcome_prior);
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
    let rows = Rows::new(pool, &layout, options)?;
    let (covariance, error_bars) = match (options.error_bars, L::SHAPES) {
        _ if rows.is_none() => (None, ErrorBars::None),
        (ErrorBars::None, _) => (None, ErrorBars::None),
        (kind, 0) => {
            let covariance = score_covariance(pool, system, &fit, kind, rows.wanted());
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
    };
    Ok(parts.report(covariance))
}

/// All that a report is made of.
struct Parts<'a> {
    pool: &'a Pool<'a>,
    options: &'a RatingOptions,
    layout: &'a Layout,
    fit: &'a Fit,
    status: FirstMoveStatus,
    error_bars: ErrorBars,
    rows: Rows,
}

/// Which parameters get error bars, and where they stand in the covariance.
struct Rows {
    players: Vec<Row>,
    first_move: Row,
    /// Positions in the parameter vector in the order of rows, where not all are wanted.
    chosen: Option<Vec<usize>>,
}

impl Rows {
    fn new(pool: &Pool, layout: &Layout, options: &RatingOptions) -> Result<Self, RatingError> {
        let row = |slot: &Slot| match slot {
            Slot::Free(position) => Row::At(*position),
            Slot::Fixed(_) | Slot::Absent => Row::Given,
        };
        let mut rows = Self {
            players: layout.theta.iter().map(row).collect(),
            first_move: match layout.alpha {
                Alpha::Free(position) => Row::At(position),
                Alpha::Fixed(_) => Row::Given,
            },
            chosen: None,
        };
        let mut asked = vec![false; pool.players.len()];
        for &player in &options.error_bars_for {
            let index = pool.index_of(player);
            asked[index.ok_or(RatingError::UnknownChosen { player })?] = true;
        }
        if pool.players.len() <= MAX_COVARIANCE {
            return Ok(rows);
        }
        let mut chosen = Vec::new();
        let mut choose = |row: &mut Row| {
            if let Row::At(position) = *row {
                *row = Row::At(chosen.len());
                chosen.push(position);
            }
        };
        for (row, asked) in rows.players.iter_mut().zip(asked) {
            if asked {
                choose(row);
            } else if *row != Row::Given {
                *row = Row::Unknown;
            }
        }
        choose(&mut rows.first_move);
        rows.chosen = Some(chosen);
        Ok(rows)
    }

    /// Nobody's error bars are wanted: the first move's alone are not worth their while.
    fn is_none(&self) -> bool {
        self.chosen.as_ref().is_some_and(|chosen| chosen.len() < 2)
    }

    fn wanted(&self) -> Wanted<'_> {
        self.chosen.as_deref().map_or(Wanted::All, Wanted::At)
    }
}

impl Parts<'_> {
    fn report(&self, covariance: Option<Covariance>) -> RatingReport {
        let (pool, layout, fit) = (self.pool, self.layout, self.fit);
        let dispersion = covariance
            .as_ref()
            .and_then(|covariance| covariance.dispersion);
        let covariance = ReportCovariance {
            matrix: covariance.map(|covariance| covariance.matrix),
            rows: self.rows.players.clone(),
            first_move: self.rows.first_move,
        };
        let players = self.players(&covariance);
        let z = normal::two_sided(self.options.level);
        let mut report = RatingReport {
            order: order(&players),
            players,
            first_move: FirstMoveAdvantage {
                elo: ELO_PER_NAT * layout.first_move(&fit.x),
                error_elo: covariance.first_move_error().map(|error| z * error),
                status: self.status,
            },
            shape: (layout.shapes > 0).then(|| layout.shape(&fit.x)),
            dispersion,
            components: pool.component_count,
            games: pool.encounters.iter().map(|met| met.games()).sum(),
            error_bars: self.error_bars,
            level: self.options.level,
            objective: fit.value,
            iterations: fit.iterations,
            converged: fit.end == FitEnd::Converged,
            covariance,
        };
        compare_neighbours(&mut report);
        report
    }

    fn players(&self, covariance: &ReportCovariance) -> Vec<RatedPlayer> {
        let (pool, layout, fit) = (self.pool, self.layout, self.fit);
        let floating = self.floating_components();
        let z = normal::two_sided(self.options.level);
        let expected = self.expected_points();
        let strengths: Vec<f64> = (0..pool.players.len())
            .map(|index| layout.strength(&fit.x, index))
            .collect();
        let alpha = layout.first_move(&fit.x);
        let player = |index: usize| {
            let component = pool.component[index];
            let shift = if floating[component] {
                self.options.average_elo
            } else {
                0.0
            };
            let on_scale = |strength: f64| ELO_PER_NAT * strength + shift;
            let rated = layout.theta[index] != Slot::Absent;
            let perfect = perfect_score(pool, index);
            let bound = perfect
                .filter(|_| rated && layout.shapes == 0)
                .map(|score| {
                    let miss = 1.0 - self.options.level;
                    on_scale(one_sided_bound(pool, index, score, &strengths, alpha, miss))
                });
            RatedPlayer {
                player: pool.players[index],
                rating_elo: rated.then(|| on_scale(strengths[index])),
                error_elo: covariance
                    .player_error(index)
                    .filter(|_| rated)
                    .map(|error| z * error),
                games: pool.games[index],
                points: pool.points[index],
                expected_points: rated.then(|| expected[index]),
                component,
                strong_component: pool.strong_component[index],
                rank: None,
                perfect,
                bound_elo: bound,
                los_next: None,
            }
        };
        (0..pool.players.len()).map(player).collect()
    }

    /// Components without an anchor, whose mean is chosen.
    fn floating_components(&self) -> Vec<bool> {
        let mut floating = vec![true; self.pool.component_count];
        for (slot, &component) in self.layout.theta.iter().zip(&self.pool.component) {
            floating[component] &= !matches!(slot, Slot::Fixed(_));
        }
        floating
    }

    fn expected_points(&self) -> Vec<f64> {
        let (pool, layout, x) = (self.pool, self.layout, &self.fit.x);
        let alpha = layout.first_move(x);
        let mut expected = vec![0.0; pool.players.len()];
        for met in &pool.encounters {
            let difference = layout.strength(x, met.near) - layout.strength(x, met.far);
            let (near, far): (u64, u64) = (met.near_first.iter().sum(), met.far_first.iter().sum());
            let points = near as f64 * sigmoid(difference + alpha)
                + far as f64 * sigmoid(difference - alpha);
            expected[met.near] += points;
            expected[met.far] += met.games() as f64 - points;
        }
        expected
    }
}

/// Rating in millionths of an Elo, so that rounding noise does not decide an order.
fn rounded(player: &RatedPlayer) -> Option<i64> {
    player.rating_elo.map(|elo| (elo * 1e6).round() as i64)
}

/// Positions best first; those without a rating last.
fn order(players: &[RatedPlayer]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..players.len()).collect();
    order.sort_by_key(|&position| (std::cmp::Reverse(rounded(&players[position])), position));
    order
}

/// Fills in ranks within components and the likelihood of superiority over the next in the list.
fn compare_neighbours(report: &mut RatingReport) {
    let mut places = vec![(0, 0, None); report.components];
    for &position in &report.order {
        let player = &mut report.players[position];
        let Some(rating) = rounded(player) else {
            continue;
        };
        let (seen, place, last) = &mut places[player.component];
        *seen += 1;
        if *last != Some(rating) {
            (*place, *last) = (*seen, Some(rating));
        }
        player.rank = Some(*place);
    }
    for pair in 1..report.order.len() {
        let (upper, lower) = (report.order[pair - 1], report.order[pair]);
        let los = report
            .difference_at(upper, lower)
            .map(|difference| difference.los);
        report.players[upper].los_next = los;
    }
}
