//! A rating list.

use std::sync::Arc;

use proto::v1;

use super::solve::Solution;
use crate::{
    coordinator::{Coordinator, Error, pools::Pool, standings::first_move_elo},
    ratings::{ErrorBars, Model, Player as Number, RatedPlayer},
};

impl Coordinator {
    /// The pools that have games.
    pub fn list_pools(&self) -> Vec<v1::PoolInfo> {
        let state = self.state();
        let info = |(pool, tournaments): (Pool, Vec<crate::model::TournamentId>)| {
            let of = || {
                tournaments
                    .iter()
                    .filter_map(|id| state.tournaments.get(id))
            };
            let players: std::collections::BTreeSet<_> = of()
                .filter(|tournament| tournament.stored() > 0)
                .flat_map(|tournament| tournament.definition.players.iter().map(|player| player.id))
                .collect();
            v1::PoolInfo {
                pool: Some(pool.to_wire()),
                games: of().map(|tournament| u64::from(tournament.stored())).sum(),
                players: u32::try_from(players.len()).unwrap_or(u32::MAX),
            }
        };
        state.pools().into_iter().map(info).collect()
    }

    /// A rating list.
    pub async fn ratings(
        self: &Arc<Self>,
        request: v1::GetRatingsRequest,
    ) -> Result<v1::RatingList, Error> {
        self.query(move |this| Ok(this.solve(&request)?.list()))
            .await
    }

    /// Changes whenever a result has changed.
    pub fn results_changed(&self) -> tokio::sync::watch::Receiver<u64> {
        self.shared.results.subscribe()
    }
}

impl Solution {
    /// All players that have a rating, best first.
    pub fn rated(&self) -> Vec<Number> {
        let ranking = self.report.ranking();
        ranking
            .filter(|player| player.rating_elo.is_some())
            .map(|player| player.player)
            .collect()
    }

    /// Rated games of two players against each other; 0 of a player and itself.
    pub fn games_between(&self, player: Number, other: Number) -> u64 {
        match player == other {
            true => 0,
            false => self.games.aggregates.table(player, other).games(),
        }
    }

    /// The whole list.
    pub fn list(&self) -> v1::RatingList {
        self.list_of(|_| true)
    }

    /// The list of some players, with the ranks of the whole list.
    pub fn list_of(&self, chosen: impl Fn(Number) -> bool) -> v1::RatingList {
        let outcomes = self.outcomes();
        let rank = |player: &Number| {
            let rank = self.report.player(*player).and_then(|rated| rated.rank);
            rank.and_then(|rank| u32::try_from(rank).ok())
                .unwrap_or(u32::MAX)
        };
        let ranked = self.rated().into_iter().filter(|&player| chosen(player));
        let ranked: Vec<(u32, Number)> = ranked.map(|player| (rank(&player), player)).collect();
        let next = ranked.iter().skip(1).map(|&(_, player)| Some(player));
        let ratings = ranked
            .iter()
            .zip(next.chain([None]))
            .filter_map(|(&(rank, player), next)| {
                let rated = self.report.player(player)?;
                let outcomes = outcomes.get(player).copied().unwrap_or_default();
                Some(self.rating(rank, rated, next, outcomes))
            })
            .collect();
        let report = &self.report;
        v1::RatingList {
            pool: Some(self.pool.to_wire()),
            ratings,
            games: report.games,
            first_move_elo: first_move_elo(report),
            confidence: report.level,
            notes: self.notes(),
            sequence: self.games.sequence,
            stored_games: self.games.stored,
            model: model_to_wire(self.question.options.model).into(),
            error_bars: error_bars_to_wire(report.error_bars).into(),
            first_move_interval: first_move_elo(report).and(report.first_move.error_elo),
            dispersion: report.dispersion,
        }
    }

    fn rating(
        &self,
        rank: u32,
        rated: &RatedPlayer,
        next: Option<Number>,
        outcomes: [u64; 5],
    ) -> v1::Rating {
        let against_next = next.and_then(|next| self.report.difference(rated.player, next));
        v1::Rating {
            rank,
            player: self.entrants.id(rated.player),
            name: self.entrants.name(rated.player).to_owned(),
            elo: rated.rating_elo.unwrap_or_default(),
            interval: rated.error_elo,
            games: rated.games,
            quarters: rated.points.0,
            draw_share: match rated.games {
                0 => 0.0,
                games => outcomes[2] as f64 / games as f64,
            },
            component: u32::try_from(rated.component).unwrap_or(u32::MAX),
            los_next: against_next.map(|difference| difference.los),
            perfect: rated.perfect.is_some(),
            outcomes: outcomes.to_vec(),
            expected_points: rated.expected_points,
            bound_elo: rated.bound_elo,
            interval_low: rated.interval_elo.map(|[low, _]| low),
            interval_high: rated.interval_elo.map(|[_, high]| high),
        }
    }

    /// Outcomes of every player, worst first.
    fn outcomes(&self) -> Vec<[u64; 5]> {
        let mut outcomes = vec![[0; 5]; self.entrants.players.len()];
        for (near, far, table) in self.games.aggregates.tables() {
            let totals = table.near_totals();
            for k in 0..5 {
                outcomes[near][k] += totals[k];
                outcomes[far][4 - k] += totals[k];
            }
        }
        outcomes
    }

    /// What limits the list, for people.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.games.notes();
        notes.extend(self.report.notes());
        notes
    }
}

impl super::games::Games {
    /// What does not count, for people.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.against_itself > 0 {
            notes.push(format!(
                "{} games of a version against itself do not count",
                self.against_itself
            ));
        }
        notes
    }
}

pub(super) fn model_to_wire(model: Model) -> v1::RatingModel {
    match model {
        Model::Score => v1::RatingModel::Score,
        Model::OrderedLogit { .. } => v1::RatingModel::OrderedLogit,
        Model::AdjacentCategories { .. } => v1::RatingModel::AdjacentCategories,
    }
}

pub(super) fn error_bars_to_wire(kind: ErrorBars) -> v1::ErrorBars {
    match kind {
        ErrorBars::Dispersion => v1::ErrorBars::Dispersion,
        ErrorBars::Sandwich => v1::ErrorBars::Sandwich,
        ErrorBars::Global => v1::ErrorBars::Global,
        ErrorBars::Binomial => v1::ErrorBars::Binomial,
        ErrorBars::None => v1::ErrorBars::None,
        ErrorBars::Bootstrap(_) => v1::ErrorBars::Bootstrap,
        ErrorBars::Simulation(_) => v1::ErrorBars::Simulation,
    }
}
