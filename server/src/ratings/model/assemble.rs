//! Puts a report together from a fit and its covariance.

use super::bound::{one_sided_bound, perfect_score};
use super::covariance::Covariance;
use super::fit::{Fit, FitEnd};
use super::layout::{Layout, Slot};
use super::options::{ErrorBars, RatingOptions};
use super::refits::Replicates;
use super::report::{
    FirstMoveAdvantage, FirstMoveStatus, RatedPlayer, RatingReport, ReportCovariance, Row,
};
use super::rows::Rows;
use super::score::Shares;
use crate::ratings::elo::ELO_PER_NAT;
use crate::ratings::normal;
use crate::ratings::pool::Pool;

/// All that a report is made of.
pub(super) struct Parts<'a> {
    pub pool: &'a Pool,
    pub options: &'a RatingOptions,
    pub layout: &'a Layout,
    pub fit: &'a Fit,
    pub status: FirstMoveStatus,
    pub error_bars: ErrorBars,
    /// Points that the law of the model expects of a game, by strength difference and shape.
    pub expected: fn(f64, [f64; 2]) -> f64,
    pub rows: Rows,
    /// Of error bars that come from such.
    pub replicates: Option<Replicates>,
}

impl Parts<'_> {
    pub fn report(&self, covariance: Option<Covariance>) -> RatingReport {
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
            components: layout.group_count,
            met: pool.component_count,
            games: pool.encounters.iter().map(|met| met.games()).sum(),
            error_bars: self.error_bars,
            refits: self.replicates.as_ref().map(|drawn| drawn.count),
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
        let strengths = layout.strengths(&fit.x);
        let expected = self.expected_points(&strengths);
        let alpha = layout.first_move(&fit.x);
        let player = |index: usize| {
            let component = layout.group[index];
            let shift = if floating[component] {
                self.options.average_elo
            } else {
                0.0
            };
            let on_scale = |strength: f64| ELO_PER_NAT * strength + shift;
            let rated = layout.theta[index] != Slot::Absent;
            let rating = rated.then(|| on_scale(strengths[index]));
            let error = covariance.player_error(index).map(|error| z * error);
            let perfect = perfect_score(pool, index);
            let bound = perfect
                .filter(|_| rated && layout.shapes == 0)
                .map(|score| {
                    let miss = 1.0 - self.options.level;
                    on_scale(one_sided_bound(pool, index, score, &strengths, alpha, miss))
                });
            RatedPlayer {
                player: pool.players[index],
                rating_elo: rating,
                error_elo: error.filter(|_| rated),
                interval_elo: rating.zip(error).map(|(rating, error)| {
                    let drawn = self.percentiles(self.rows.players[index]);
                    drawn.map_or([rating - error, rating + error], |ends| ends.map(on_scale))
                }),
                games: pool.games[index],
                points: pool.points[index],
                expected_points: rated.then(|| expected[index]),
                component,
                met: pool.component[index],
                strong_component: pool.strong_component[index],
                rank: None,
                perfect,
                bound_elo: bound,
                los_next: None,
            }
        };
        (0..pool.players.len()).map(player).collect()
    }

    /// The interval of a parameter by its refits, if it has any.
    fn percentiles(&self, row: Row) -> Option<[f64; 2]> {
        match (row, &self.replicates) {
            (Row::At(row), Some(replicates)) => replicates.percentiles(row, self.options.level),
            _ => None,
        }
    }

    /// Components without an anchor, whose mean is chosen.
    fn floating_components(&self) -> Vec<bool> {
        let mut floating = vec![true; self.layout.group_count];
        for (slot, &component) in self.layout.theta.iter().zip(&self.layout.group) {
            floating[component] &= !matches!(slot, Slot::Fixed(_));
        }
        floating
    }

    /// Points that each player is expected to have in its games.
    fn expected_points(&self, strengths: &[f64]) -> Vec<f64> {
        let (alpha, shape) = (
            self.layout.first_move(&self.fit.x),
            self.layout.shape(&self.fit.x),
        );
        // Of model A without an exponential for each encounter.
        let shares = (self.layout.shapes == 0).then(|| Shares::new(strengths, alpha));
        let of = |near: usize, far: usize| match &shares {
            Some(shares) => shares.of(near, far),
            None => {
                let difference = strengths[near] - strengths[far];
                [alpha + difference, alpha - difference].map(|eta| {
                    let first = (self.expected)(eta, shape);
                    [first, 1.0 - first]
                })
            }
        };
        let mut expected = vec![0.0; self.pool.players.len()];
        for met in &self.pool.encounters {
            let [[near_won, far_kept], [far_won, near_kept]] = of(met.near, met.far);
            let (near, far) = (met.near_games as f64, met.far_games as f64);
            expected[met.near] += near * near_won + far * near_kept;
            expected[met.far] += near * far_kept + far * far_won;
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
