//! Ratings of a pool or a tournament, derived from stored results on request.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use proto::v1::{self, rating_scope};

use super::{Coordinator, Error, State, load, standings::first_move_elo};
use crate::{
    model::{Digest, GameIndex, TournamentId},
    ratings::{
        Aggregates, Outcome, Player as Number, RatedPlayer, RatingOptions, RatingReport,
        match_report, rate,
    },
};

/// Points of a history, unless asked otherwise, and at most.
const HISTORY_POINTS: (u32, u32) = (20, 100);

/// A pool: what can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Pool {
    id: String,
    hash: Digest,
    class: String,
}

/// The players of a scope and where they play.
struct Entrants {
    pool: Pool,
    tournaments: Vec<TournamentId>,
    /// Id and name by number in the aggregates.
    players: Vec<(Digest, String)>,
    /// Number of each tournament's players.
    numbers: BTreeMap<TournamentId, Vec<Number>>,
    notes: Vec<String>,
}

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

impl Pool {
    fn to_wire(&self) -> v1::RatingPool {
        let variant = v1::VariantRef {
            id: self.id.clone(),
            hash: self.hash.to_string(),
        };
        v1::RatingPool {
            variant: Some(variant),
            limit_class: self.class.clone(),
        }
    }
}

impl State {
    fn pools(&self) -> BTreeMap<Pool, Vec<TournamentId>> {
        let mut pools: BTreeMap<Pool, Vec<TournamentId>> = BTreeMap::new();
        for (&id, tournament) in &self.tournaments {
            pools
                .entry(pool_of(&tournament.definition))
                .or_default()
                .push(id);
        }
        pools.retain(|_, tournaments| {
            tournaments
                .iter()
                .filter_map(|id| self.tournaments.get(id))
                .any(|tournament| tournament.stored() > 0)
        });
        pools
    }

    /// The players that a scope is about.
    fn entrants(&self, scope: Option<&v1::RatingScope>) -> Result<Entrants, Error> {
        match scope.and_then(|scope| scope.kind.as_ref()) {
            Some(rating_scope::Kind::TournamentId(id)) => {
                let id = TournamentId(*id);
                let definition = &self.tournament(id)?.definition;
                let players = definition
                    .players
                    .iter()
                    .map(|player| (player.id, player.name.clone()))
                    .collect();
                let numbers = BTreeMap::from([(id, (0..definition.players.len()).collect())]);
                let pool = pool_of(definition);
                Ok(Entrants {
                    pool,
                    tournaments: vec![id],
                    players,
                    numbers,
                    notes: Vec::new(),
                })
            }
            Some(rating_scope::Kind::Pool(wanted)) => {
                let (pool, tournaments) = self.pool(wanted)?;
                Ok(self.pooled(pool, tournaments))
            }
            None => {
                let mut pools = self.pools().into_iter();
                match (pools.next(), pools.next()) {
                    (Some((pool, tournaments)), None) => Ok(self.pooled(pool, tournaments)),
                    (None, _) => Err(Error::Precondition("there are no games yet".to_owned())),
                    (Some(_), Some(_)) => Err(Error::Precondition(
                        "there are several pools: name a variant and a limit class".to_owned(),
                    )),
                }
            }
        }
    }

    fn pool(&self, wanted: &v1::RatingPool) -> Result<(Pool, Vec<TournamentId>), Error> {
        let variant = wanted.variant.clone().unwrap_or_default();
        let matches = |pool: &Pool| {
            (variant.id.is_empty() || pool.id == variant.id)
                && (variant.hash.is_empty() || pool.hash.to_string() == variant.hash)
                && (wanted.limit_class.is_empty() || pool.class == wanted.limit_class)
        };
        let mut found = self.pools().into_iter().filter(|(pool, _)| matches(pool));
        match (found.next(), found.next()) {
            (Some(pool), None) => Ok(pool),
            (None, _) => Err(Error::NotFound(
                "a pool of this variant and limit class with games".to_owned(),
            )),
            (Some(_), Some(_)) => Err(Error::Precondition(
                "several pools match: name the variant's hash and the limit class".to_owned(),
            )),
        }
    }

    /// The same version under the same limit is one player, whatever it was called.
    fn pooled(&self, pool: Pool, tournaments: Vec<TournamentId>) -> Entrants {
        let mut entrants = Entrants {
            pool,
            tournaments,
            players: Vec::new(),
            numbers: BTreeMap::new(),
            notes: Vec::new(),
        };
        let mut numbers: BTreeMap<Digest, Number> = BTreeMap::new();
        for id in &entrants.tournaments {
            let Some(tournament) = self.tournaments.get(id) else {
                continue;
            };
            let players = tournament.definition.players.iter().map(|player| {
                *numbers.entry(player.id).or_insert_with(|| {
                    entrants.players.push((player.id, player.name.clone()));
                    entrants.players.len() - 1
                })
            });
            entrants.numbers.insert(*id, players.collect());
        }
        tell_apart(&mut entrants.players);
        entrants
    }

    fn aggregates(&self, entrants: &mut Entrants) -> Aggregates {
        let mut pooled = Aggregates::new();
        (0..entrants.players.len()).for_each(|player| pooled.add_player(player));
        let mut against_itself = 0;
        for id in &entrants.tournaments {
            let Some((tournament, numbers)) =
                self.tournaments.get(id).zip(entrants.numbers.get(id))
            else {
                continue;
            };
            for (near, far, table) in tournament.aggregates().tables() {
                let (Some(&near), Some(&far)) = (numbers.get(near), numbers.get(far)) else {
                    continue;
                };
                if pooled.add_table(near, far, table).is_err() {
                    against_itself += table.games();
                }
            }
        }
        if against_itself > 0 {
            entrants.notes.push(format!(
                "{against_itself} games of a version against itself do not count"
            ));
        }
        pooled
    }
}

fn pool_of(definition: &super::tournament::Definition) -> Pool {
    Pool {
        id: definition.variant.id.clone(),
        hash: definition.variant_hash,
        class: definition.limit_class.clone(),
    }
}

/// Adds the beginning of the id to names that several players have.
fn tell_apart(players: &mut [(Digest, String)]) {
    let mut seen = BTreeMap::new();
    for (_, name) in players.iter() {
        *seen.entry(name.clone()).or_insert(0) += 1;
    }
    for (id, name) in players {
        if seen.get(name).is_some_and(|&times| times > 1) {
            *name = format!("{name} {}", id.short());
        }
    }
}

impl Entrants {
    /// The number of a player by id or name.
    fn number(&self, player: &str, field: &str) -> Result<Number, Error> {
        let found = self
            .players
            .iter()
            .position(|(id, name)| name == player || id.to_string() == player);
        found.ok_or_else(|| {
            let names: Vec<_> = self
                .players
                .iter()
                .take(20)
                .map(|(_, name)| name.as_str())
                .collect();
            Error::NotFound(format!(
                "player `{player}` ({field}; there are {})",
                names.join(", ")
            ))
        })
    }

    fn rating(&self, rank: usize, rated: &RatedPlayer, games: &Aggregates) -> v1::Rating {
        let (id, name) = self
            .players
            .get(rated.player)
            .cloned()
            .unwrap_or_else(|| (Digest([0; 32]), String::new()));
        let draws: u64 = (0..self.players.len())
            .map(|other| games.table(rated.player, other).near_totals()[2])
            .sum();
        v1::Rating {
            rank: u32::try_from(rank).unwrap_or(u32::MAX),
            player: id.to_string(),
            name,
            elo: rated.rating_elo.unwrap_or_default(),
            interval: rated.error_elo,
            games: rated.games,
            quarters: rated.points.0,
            draw_share: if rated.games == 0 {
                0.0
            } else {
                draws as f64 / rated.games as f64
            },
            component: u32::try_from(rated.component).unwrap_or(u32::MAX),
            los_next: rated.los_next,
            perfect: rated.perfect.is_some(),
        }
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
            let report = match_report(&table, 0.95);
            let mut moved_second = table.far_first_totals();
            // Seen by the player, not by the opponent who moved first.
            moved_second.reverse();
            let estimate = report.estimate.filter(|_| report.pairs >= 2);
            Ok(v1::HeadToHeadResponse {
                games: report.games,
                quarters: report.points.0,
                moved_first: table.near_first_totals().to_vec(),
                moved_second: moved_second.to_vec(),
                pair_quarters: report.pair_histogram.to_vec(),
                elo: estimate.as_ref().map(|estimate| estimate.elo),
                interval: estimate
                    .as_ref()
                    .map(crate::ratings::MatchEstimate::elo_error),
            })
        })
        .await
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
