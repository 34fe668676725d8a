//! The games that count for a question, now or as of a game or a time.

use std::collections::{BTreeMap, BTreeSet};

use super::{entrants::Entrants, question::AsOf};
use crate::{
    coordinator::{
        Coordinator, Error, load,
        pools::{Part, Scope},
        tournament::Score,
    },
    model::{GameIndex, TournamentId},
    ratings::{Aggregates, Outcome, PairTable, Player as Number},
};

/// Results that count, and how far they go.
#[derive(Debug, Default)]
pub(super) struct Games {
    pub aggregates: Aggregates,
    /// Stored games of the scope, those of a version against itself included.
    pub stored: u64,
    /// Games of a version against itself, which say nothing about strength.
    pub against_itself: u64,
    /// Sequence of the newest record that counts; 0 = none does.
    pub sequence: u64,
    /// When the newest game was stored, where games were counted one by one; 0 = not known.
    pub stored_unix_ms: u64,
}

/// A stored result with the numbers of its players in a scope.
pub(super) struct Stored {
    pub sequence: u64,
    pub stored_unix_ms: u64,
    tournament: TournamentId,
    /// Index in its tournament.
    pub game: GameIndex,
    first: Number,
    second: Number,
    outcome: Outcome,
    pub score: Score,
}

/// Counts results one by one, both games of a pair as one observation once they are there.
#[derive(Default)]
pub(super) struct Tally {
    pub games: Games,
    halves: BTreeMap<(TournamentId, u32), (Number, Number, Outcome)>,
}

impl Stored {
    /// Who played.
    pub fn players(&self) -> [Number; 2] {
        [self.first, self.second]
    }
}

impl AsOf {
    /// Whether a result counts that is the so-manieth of its scope, from 0.
    pub fn counts(self, index: u64, result: &Stored) -> bool {
        match self {
            Self::Now => true,
            Self::Games(games) => index < games,
            Self::Time(time) => result.stored_unix_ms <= time,
        }
    }
}

impl Games {
    /// All games of a scope.
    pub fn now(scope: &Scope, entrants: &Entrants) -> Self {
        let mut games = Self {
            stored: scope.stored(),
            sequence: scope.sequence(),
            ..Self::default()
        };
        if let [part] = &scope.parts[..]
            && is_identity(part, entrants)
        {
            // Shared, not copied.
            games.aggregates = part.aggregates.clone();
            return games;
        }
        enter_all(&mut games.aggregates, entrants);
        for part in &scope.parts {
            for (near, far, table) in part.aggregates.tables() {
                let Some([near, far]) = entrants.pair(part.definition.id, near, far) else {
                    continue;
                };
                if games.aggregates.add_table(near, far, table).is_err() {
                    games.against_itself += table.games();
                }
            }
        }
        games
    }

    /// Games of two players against each other, seen by the near one; nothing else is looked at.
    pub fn between(scope: &Scope, entrants: &Entrants, near: Number, far: Number) -> PairTable {
        let mut met = PairTable::default();
        for part in &scope.parts {
            let Some(numbers) = entrants.numbers.get(&part.definition.id) else {
                continue;
            };
            let known_as = |number: Number| {
                let places = numbers.iter().enumerate();
                places
                    .filter(move |(_, own)| **own == number)
                    .map(|(place, _)| place)
            };
            for own in known_as(near) {
                for other in known_as(far) {
                    met.merge(&part.aggregates.table(own, other));
                }
            }
        }
        met
    }

    /// The same without some players and all their games.
    pub fn without(self, excluded: &BTreeSet<Number>) -> Self {
        if excluded.is_empty() {
            return self;
        }
        let mut aggregates = Aggregates::new();
        let kept = |player: &Number| !excluded.contains(player);
        self.aggregates
            .players()
            .filter(kept)
            .for_each(|player| aggregates.add_player(player));
        for (near, far, table) in self.aggregates.tables() {
            if kept(&near) && kept(&far) {
                // Two players of one table are two.
                let _ = aggregates.add_table(near, far, table);
            }
        }
        Self { aggregates, ..self }
    }
}

/// Whether players of a tournament have the same numbers in the scope.
fn is_identity(part: &Part, entrants: &Entrants) -> bool {
    entrants
        .numbers
        .get(&part.definition.id)
        .is_some_and(|numbers| numbers.iter().copied().eq(0..numbers.len()))
}

fn enter_all(aggregates: &mut Aggregates, entrants: &Entrants) {
    (0..entrants.players.len()).for_each(|player| aggregates.add_player(player));
}

impl Entrants {
    fn pair(&self, tournament: TournamentId, near: Number, far: Number) -> Option<[Number; 2]> {
        let numbers = self.numbers.get(&tournament)?;
        Some([*numbers.get(near)?, *numbers.get(far)?])
    }
}

impl Tally {
    /// Nothing counted yet.
    pub fn new(entrants: &Entrants) -> Self {
        Self::without(entrants, &BTreeSet::new())
    }

    /// Nothing counted yet, and some players left out, of whom no result is to be counted.
    pub fn without(entrants: &Entrants, excluded: &BTreeSet<Number>) -> Self {
        let mut tally = Self::default();
        (0..entrants.players.len())
            .filter(|player| !excluded.contains(player))
            .for_each(|player| tally.games.aggregates.add_player(player));
        tally
    }

    /// Counts a result.
    pub fn add(&mut self, result: &Stored) {
        let games = &mut self.games;
        games.stored += 1;
        games.sequence = games.sequence.max(result.sequence);
        games.stored_unix_ms = result.stored_unix_ms;
        let (first, second) = (result.first, result.second);
        if first == second {
            games.against_itself += 1;
            return;
        }
        let partner = self
            .halves
            .remove(&(result.tournament, result.game.0 ^ 1))
            .filter(|&(mover, other, _)| (mover, other) == (second, first));
        let counted = match partner {
            Some((mover, _, other)) => games
                .aggregates
                .remove_single(mover, first, other)
                .and_then(|()| {
                    games
                        .aggregates
                        .add_pair(mover, first, other, result.outcome)
                }),
            None => {
                let half = (first, second, result.outcome);
                self.halves.insert((result.tournament, result.game.0), half);
                games.aggregates.add_single(first, second, result.outcome)
            }
        };
        if let Err(error) = counted {
            tracing::error!(%error, tournament = %result.tournament, game = %result.game, "a result was not counted");
        }
    }
}

impl Coordinator {
    /// The games that count for a point in the past, or now. Blocks; the past is read game by game from the index.
    pub(super) fn games_as_of(
        &self,
        scope: &Scope,
        entrants: &Entrants,
        as_of: AsOf,
    ) -> Result<Games, Error> {
        if as_of == AsOf::Now {
            return Ok(Games::now(scope, entrants));
        }
        Ok(self.results_as_of(scope, entrants, as_of)?.0)
    }

    /// The same for a point in the past, with the results themselves in the order in which they were stored. Blocks.
    pub(super) fn results_as_of(
        &self,
        scope: &Scope,
        entrants: &Entrants,
        as_of: AsOf,
    ) -> Result<(Games, Vec<Stored>), Error> {
        let mut tally = Tally::new(entrants);
        let mut results = self.results_in_order(scope, entrants)?;
        let mut index = 0;
        results.retain(|result| {
            let counts = as_of.counts(index, result);
            index += 1;
            counts
        });
        results.iter().for_each(|result| tally.add(result));
        Ok((tally.games, results))
    }

    /// All results of a scope that count now, in the order in which they were stored. Blocks.
    pub(super) fn results_in_order(
        &self,
        scope: &Scope,
        entrants: &Entrants,
    ) -> Result<Vec<Stored>, Error> {
        let mut results = Vec::new();
        for part in &scope.parts {
            let id = part.definition.id;
            self.store.view().games(id, |key, entry| {
                let generation = part.generations.get(&key.game.game.0).copied().unwrap_or(0);
                if key.replica != 0 || key.game.generation != generation {
                    return Ok(());
                }
                let score = load::score(&key, &entry)?;
                let movers = entry
                    .summary
                    .as_ref()
                    .map(|summary| [summary.first as usize, summary.second as usize]);
                let sequence = entry.location.map_or(0, |at| at.sequence);
                let had_left = |player: usize| {
                    let since = part.withdrawn.get(player).copied().flatten();
                    since.is_some_and(|since| since < sequence)
                };
                if movers.is_some_and(|movers| movers.into_iter().any(had_left)) {
                    return Ok(());
                }
                let movers = movers.and_then(|[first, second]| entrants.pair(id, first, second));
                let known = movers
                    .zip(Outcome::from_quarters(score.first_quarters))
                    .zip(entry.location);
                results.extend(known.map(|(([first, second], outcome), at)| Stored {
                    sequence: at.sequence,
                    stored_unix_ms: entry.stored_unix_ms,
                    tournament: id,
                    game: key.game.game,
                    first,
                    second,
                    outcome,
                    score,
                }));
                Ok(())
            })?;
        }
        results.sort_unstable_by_key(|result| result.sequence);
        Ok(results)
    }
}
