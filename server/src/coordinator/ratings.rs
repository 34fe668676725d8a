//! Ratings of a pool or a tournament, derived from stored results on request.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use proto::v1;

use super::{
    Coordinator, Error, load,
    pools::{Entrants, Pool},
    standings::first_move_elo,
};
use crate::{
    model::{GameIndex, TournamentId},
    ratings::{
        Aggregates, Outcome, PairTable, Player as Number, RatingOptions, RatingReport,
        match_report, rate,
    },
};

/// Points of a history, unless asked otherwise, and at most.
const HISTORY_POINTS: (u32, u32) = (20, 100);

/// A confidence level; 0 = 0.95.
pub(super) fn checked_level(confidence: f64) -> Result<f64, Error> {
    match confidence {
        0.0 => Ok(0.95),
        level if level > 0.0 && level < 1.0 => Ok(level),
        _ => Err(Error::Invalid(
            "confidence: must be above 0 and below 1".to_owned(),
        )),
    }
}

fn rated(aggregates: &Aggregates, options: &RatingOptions) -> Result<RatingReport, Error> {
    rate(aggregates, options).map_err(|error| Error::Invalid(error.to_string()))
}

impl Coordinator {
    /// The pools that have games.
    pub fn list_pools(&self) -> Vec<v1::PoolInfo> {
        let state = self.state();
        let info = |(pool, tournaments): (Pool, Vec<TournamentId>)| {
            let of = || {
                tournaments
                    .iter()
                    .filter_map(|id| state.tournaments.get(id))
            };
            let players: BTreeSet<_> = of()
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
        let level = checked_level(request.confidence)?;
        self.query(move |this| {
            let sequence = *this.shared.results.borrow();
            let (mut entrants, aggregates) = {
                let state = this.state();
                let mut entrants = state.entrants(request.scope.as_ref())?;
                let aggregates = state.aggregates(&mut entrants);
                (entrants, aggregates)
            };
            let mut options = RatingOptions {
                level,
                ..RatingOptions::default()
            };
            match request.anchor.as_str() {
                "" => options.average_elo = request.anchor_elo,
                anchor => {
                    _ = options
                        .anchors
                        .insert(entrants.number(anchor, "anchor")?, request.anchor_elo)
                }
            }
            let report = rated(&aggregates, &options)?;
            if report.components > 1 {
                let components = report.components;
                entrants.notes.push(format!(
                    "{components} groups of players never met: their ratings cannot be compared"
                ));
            }
            let ranking = report
                .ranking()
                .filter(|player| player.rating_elo.is_some());
            let ratings = ranking
                .enumerate()
                .map(|(index, player)| entrants.rating(index + 1, player, &aggregates));
            Ok(v1::RatingList {
                pool: Some(entrants.pool.to_wire()),
                ratings: ratings.collect(),
                games: report.games,
                first_move_elo: first_move_elo(&report),
                confidence: level,
                notes: entrants.notes.clone(),
                sequence,
            })
        })
        .await
    }

    /// Changes whenever a result has changed.
    pub fn results_changed(&self) -> tokio::sync::watch::Receiver<u64> {
        self.shared.results.subscribe()
    }

    /// How a player's rating developed with the games of its pool.
    pub async fn rating_history(
        self: &Arc<Self>,
        request: v1::RatingHistoryRequest,
    ) -> Result<v1::RatingHistoryResponse, Error> {
        let (usual, most) = HISTORY_POINTS;
        let points = if request.points == 0 {
            usual
        } else {
            request.points
        };
        if !(2..=most).contains(&points) {
            return Err(Error::Invalid(format!("points: must be 2 to {most}")));
        }
        self.query(move |this| this.history(&request, points)).await
    }

    fn history(
        &self,
        request: &v1::RatingHistoryRequest,
        points: u32,
    ) -> Result<v1::RatingHistoryResponse, Error> {
        let entrants = self.state().entrants(request.scope.as_ref())?;
        let player = entrants.number(&request.player, "player")?;
        let results = self.results_in_order(&entrants)?;
        let mut aggregates = Aggregates::new();
        let mut halves: BTreeMap<(TournamentId, u32), (Number, Number, Outcome)> = BTreeMap::new();
        let mut history = Vec::new();
        for (index, result) in results.iter().enumerate() {
            // A pair counts as one observation once both of its games are there.
            let partner = halves.remove(&(result.tournament, result.game.0 ^ 1));
            let counted = match partner {
                Some((first, second, other)) => aggregates
                    .remove_single(first, second, other)
                    .and_then(|()| aggregates.add_pair(first, second, other, result.outcome)),
                None => {
                    let half = (result.first, result.second, result.outcome);
                    halves.insert((result.tournament, result.game.0), half);
                    aggregates.add_single(result.first, result.second, result.outcome)
                }
            };
            // Games of a version against itself do not count.
            if counted.is_err() {
                continue;
            }
            let done = index + 1;
            let is_point =
                done * points as usize / results.len() > index * points as usize / results.len();
            if is_point {
                let report = rated(&aggregates, &RatingOptions::default())?;
                let rated = report.player(player);
                history.extend(rated.and_then(|rated| {
                    Some(v1::RatingPoint {
                        pool_games: report.games,
                        games: rated.games,
                        elo: rated.rating_elo?,
                        interval: rated.error_elo,
                    })
                }));
            }
        }
        Ok(v1::RatingHistoryResponse { points: history })
    }

    /// All results of a scope in the order in which they were stored.
    fn results_in_order(&self, entrants: &Entrants) -> Result<Vec<Stored>, Error> {
        let mut results = Vec::new();
        for &id in &entrants.tournaments {
            let (definition, current): (_, BTreeMap<_, _>) = {
                let state = self.state();
                let tournament = state.tournament(id)?;
                let keys = tournament
                    .scores()
                    .filter_map(|(game, _)| Some((tournament.key(game)?, game)));
                (tournament.definition.clone(), keys.collect())
            };
            let numbers = entrants.numbers.get(&id).cloned().unwrap_or_default();
            self.store.view().games(id, |key, entry| {
                let (Some(&game), Some([first, second])) =
                    (current.get(&key), definition.movers(key.game.game))
                else {
                    return Ok(());
                };
                let score = load::score(&key, &entry)?;
                let places = numbers
                    .get(first)
                    .zip(numbers.get(second))
                    .zip(Outcome::from_quarters(score.first_quarters));
                results.extend(places.zip(entry.location).map(
                    |(((&first, &second), outcome), at)| Stored {
                        sequence: at.sequence,
                        tournament: id,
                        game,
                        first,
                        second,
                        outcome,
                    },
                ));
                Ok(())
            })?;
        }
        results.sort_unstable_by_key(|result| result.sequence);
        Ok(results)
    }

    /// Two players' games against each other.
    pub async fn head_to_head(
        self: &Arc<Self>,
        request: v1::HeadToHeadRequest,
    ) -> Result<v1::HeadToHeadResponse, Error> {
        self.query(move |this| {
            let (entrants, aggregates) = {
                let state = this.state();
                let mut entrants = state.entrants(request.scope.as_ref())?;
                let aggregates = state.aggregates(&mut entrants);
                (entrants, aggregates)
            };
            let near = entrants.number(&request.player, "player")?;
            let far = entrants.number(&request.opponent, "opponent")?;
            let table = aggregates.table(near, far);
            Ok(head_to_head(&table))
        })
        .await
    }
}

/// Two players' games against each other, seen by the near one.
pub(super) fn head_to_head(table: &PairTable) -> v1::HeadToHeadResponse {
    let report = match_report(table, 0.95);
    let mut moved_second = table.far_first_totals();
    // Seen by the player, not by the opponent who moved first.
    moved_second.reverse();
    let estimate = report.estimate.filter(|_| report.pairs >= 2);
    v1::HeadToHeadResponse {
        games: report.games,
        quarters: report.points.0,
        moved_first: table.near_first_totals().to_vec(),
        moved_second: moved_second.to_vec(),
        pair_quarters: report.pair_histogram.to_vec(),
        elo: estimate.as_ref().map(|estimate| estimate.elo),
        interval: estimate
            .as_ref()
            .map(crate::ratings::MatchEstimate::elo_error),
    }
}

/// A result with the numbers of its players in a pool.
struct Stored {
    sequence: u64,
    tournament: TournamentId,
    game: GameIndex,
    first: Number,
    second: Number,
    outcome: Outcome,
}
