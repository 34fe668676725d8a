//! Which games are rated together, and who played them.

use std::collections::BTreeMap;

use proto::v1::{self, rating_scope};

use super::{Error, State, definition::Definition};
use crate::{
    model::{Digest, TournamentId},
    ratings::{Aggregates, Player as Number, RatedPlayer},
};

/// A pool: what can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pool {
    pub(super) id: String,
    pub(super) hash: Digest,
    pub(super) class: String,
}

/// The players of a scope and where they play.
pub(super) struct Entrants {
    pub(super) pool: Pool,
    pub(super) tournaments: Vec<TournamentId>,
    /// Id and name by number in the aggregates.
    pub(super) players: Vec<(Digest, String)>,
    /// Number of each tournament's players.
    pub(super) numbers: BTreeMap<TournamentId, Vec<Number>>,
    pub(super) notes: Vec<String>,
}

impl Pool {
    pub(super) fn to_wire(&self) -> v1::RatingPool {
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
    pub(super) fn pools(&self) -> BTreeMap<Pool, Vec<TournamentId>> {
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
    pub(super) fn entrants(&self, scope: Option<&v1::RatingScope>) -> Result<Entrants, Error> {
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

    pub(super) fn aggregates(&self, entrants: &mut Entrants) -> Aggregates {
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

fn pool_of(definition: &Definition) -> Pool {
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
    pub(super) fn number(&self, player: &str, field: &str) -> Result<Number, Error> {
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

    pub(super) fn rating(
        &self,
        rank: usize,
        rated: &RatedPlayer,
        games: &Aggregates,
    ) -> v1::Rating {
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
