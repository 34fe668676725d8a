//! Which tournaments are rated together.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use proto::v1::{self, rating_scope};

use super::{Error, State, definition::Definition, tournament::Tournament};
use crate::{
    model::{Digest, TournamentId},
    ratings::Aggregates,
};

/// Tournaments that may be named in a set.
const MAX_SET: usize = 1_000;

/// A pool: what can be compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pool {
    pub(super) id: String,
    pub(super) hash: Digest,
    pub(super) class: String,
}

/// What a scope names, in one form for all ways of naming it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// All tournaments of a pool.
    Pool(Pool),
    /// Several tournaments of a pool, ascending.
    Set(Vec<TournamentId>),
    /// One tournament, whose players are those of its file.
    Tournament(TournamentId),
}

/// A scope as it is at one moment, taken out of the state.
pub(super) struct Scope {
    pub(super) place: Place,
    pub(super) pool: Pool,
    /// Ascending by number.
    pub(super) parts: Vec<Part>,
}

/// One tournament of a scope.
pub(super) struct Part {
    pub(super) definition: Arc<Definition>,
    /// Shared with the state until a result changes it.
    pub(super) aggregates: Aggregates,
    /// Games that were voided, with the generation that counts.
    pub(super) generations: BTreeMap<u32, u32>,
    /// For each player the sequence of the record with which it withdrew: its later results do not count.
    pub(super) withdrawn: Vec<Option<u64>>,
    pub(super) stored: u32,
    /// Sequence of the newest record that changed its results.
    pub(super) changed: u64,
}

/// Tells two states of a scope's results apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version(Vec<(TournamentId, u64)>);

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

    /// Its name in a message.
    fn text(&self) -> String {
        format!("`{}` ({}) {}", self.id, self.hash.short(), self.class)
    }
}

impl Scope {
    pub(super) fn version(&self) -> Version {
        let part = |part: &Part| (part.definition.id, part.changed);
        Version(self.parts.iter().map(part).collect())
    }

    /// Sequence of the newest record that changed a result.
    pub(super) fn sequence(&self) -> u64 {
        self.parts
            .iter()
            .map(|part| part.changed)
            .max()
            .unwrap_or(0)
    }

    /// Stored games.
    pub(super) fn stored(&self) -> u64 {
        self.parts.iter().map(|part| u64::from(part.stored)).sum()
    }
}

impl State {
    /// Pools with games, and their tournaments.
    pub(super) fn pools(&self) -> BTreeMap<Pool, Vec<TournamentId>> {
        let mut pools: BTreeMap<Pool, Vec<TournamentId>> = BTreeMap::new();
        // Games of a tuning are between parameters that nobody else plays with: they rate nobody.
        let rated = |(_, tournament): &(&TournamentId, &Tournament)| tournament.tuning.is_none();
        for (&id, tournament) in self.tournaments.iter().filter(rated) {
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

    /// What a scope is about, as it is now.
    pub(super) fn scope(&self, scope: Option<&v1::RatingScope>) -> Result<Scope, Error> {
        use rating_scope::Kind;
        match scope.and_then(|scope| scope.kind.as_ref()) {
            Some(Kind::TournamentId(id)) => {
                let id = TournamentId(*id);
                let pool = pool_of(&self.tournament(id)?.definition);
                Ok(self.cut(Place::Tournament(id), pool, [id]))
            }
            Some(Kind::Tournaments(set)) => self.set(&set.tournament_ids),
            Some(Kind::Pool(wanted)) => {
                let (pool, tournaments) = self.pool(wanted)?;
                Ok(self.cut(Place::Pool(pool.clone()), pool, tournaments))
            }
            None => {
                let mut pools = self.pools().into_iter();
                match (pools.next(), pools.next()) {
                    (Some((pool, tournaments)), None) => {
                        Ok(self.cut(Place::Pool(pool.clone()), pool, tournaments))
                    }
                    (None, _) => Err(Error::Precondition("there are no games yet".to_owned())),
                    (Some(_), Some(_)) => Err(Error::Precondition(
                        "there are several pools: name a variant and a limit class".to_owned(),
                    )),
                }
            }
        }
    }

    fn set(&self, ids: &[u64]) -> Result<Scope, Error> {
        const FIELD: &str = "scope.tournaments.tournament_ids";
        let ids: BTreeSet<TournamentId> = ids.iter().copied().map(TournamentId).collect();
        if ids.len() > MAX_SET {
            let problem = format!("{FIELD}: at most {MAX_SET} can be named; take a whole pool");
            return Err(Error::Invalid(problem));
        }
        let mut pool: Option<(TournamentId, Pool)> = None;
        for &id in &ids {
            if self.tournament(id)?.tuning.is_some() {
                return Err(Error::Invalid(format!(
                    "{FIELD}: tournament {id} is a tuning, whose games rate nobody; leave it out"
                )));
            }
            let other = pool_of(&self.tournament(id)?.definition);
            let (first, pool) = pool.get_or_insert_with(|| (id, other.clone()));
            if *pool != other {
                return Err(Error::Invalid(format!(
                    "{FIELD}: tournament {first} is of the pool {} and tournament {id} of {}, which cannot be compared; \
                     name tournaments of one pool",
                    pool.text(),
                    other.text()
                )));
            }
        }
        let Some((first, pool)) = pool else {
            return Err(Error::Invalid(format!("{FIELD}: name at least one")));
        };
        let place = match ids.len() {
            1 => Place::Tournament(first),
            _ => Place::Set(ids.iter().copied().collect()),
        };
        Ok(self.cut(place, pool, ids))
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

    /// Takes tournaments out of the state, which costs O(players) and no copy of results.
    fn cut(&self, place: Place, pool: Pool, ids: impl IntoIterator<Item = TournamentId>) -> Scope {
        let part = |tournament: &Tournament| Part {
            definition: tournament.definition.clone(),
            aggregates: tournament.aggregates().clone(),
            generations: tournament.generations().clone(),
            withdrawn: tournament.withdrawn().to_vec(),
            stored: tournament.stored(),
            changed: tournament.changed,
        };
        let tournaments = ids.into_iter().filter_map(|id| self.tournaments.get(&id));
        Scope {
            place,
            pool,
            parts: tournaments.map(part).collect(),
        }
    }
}

fn pool_of(definition: &Definition) -> Pool {
    Pool {
        id: definition.variant.id.clone(),
        hash: definition.variant_hash,
        class: definition.limit_class.clone(),
    }
}
