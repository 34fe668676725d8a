//! Changes of a tournament's course: what a record changes in memory, and what its format looks at.

use proto::{
    store::{CourseChanged, course_changed::Step as Change},
    v1,
};

use super::tournament::Tournament;
use crate::{
    model::{BatchIndex, GameIndex, check::MAX_GAMES, wire},
    ratings::{Outcome, PairTable},
    schedule::{Draw, Drawn, Entry, History, Played},
};

impl Tournament {
    /// Takes in a change, of a record of this sequence. Gives the batches that are complete by it.
    ///
    /// # Errors
    /// Says what is wrong with the record.
    pub(super) fn change(
        &mut self,
        change: &CourseChanged,
        sequence: u64,
    ) -> Result<Vec<BatchIndex>, String> {
        if change.number != self.changes {
            return Err(format!(
                "change {} comes after {} others",
                change.number, self.changes
            ));
        }
        let mut complete = Vec::new();
        match &change.step {
            Some(Change::Draw(draw)) => {
                let draw = draw_from_wire(draw, self.definition.players.len())?;
                let pairs = draw.pairs.saturating_mul(draw.encounters.len() as u64);
                let games = u64::from(self.definition.games()).saturating_add(2 * pairs);
                if games > MAX_GAMES {
                    return Err(format!("it gives {games} games, of at most {MAX_GAMES}"));
                }
                self.grow(self.definition.with_draw(draw));
                self.undrawn = true;
            }
            Some(Change::Entered(entered)) => {
                let players = entered.players.iter().map(wire::player_from_wire);
                let players = players.collect::<Result<_, _>>();
                let players = players.map_err(|error| error.to_string())?;
                self.grow(self.definition.with_players(players));
                self.over = false;
                self.undrawn = true;
            }
            Some(Change::Withdrawn(withdrawn)) => {
                let player = withdrawn.player as usize;
                if player >= self.definition.players.len() {
                    return Err(format!("player {player} withdraws, and does not exist"));
                }
                complete = self.withdraw(player, sequence);
                // Others may play what it does not play any more.
                self.reconsider();
                self.undrawn = true;
            }
            // What was asked before a result was taken away may not be the end any more.
            Some(Change::Over(_)) if self.voided > change.basis => self.undrawn = true,
            Some(Change::Over(_)) => self.over = true,
            None => return Err("it is of a kind that this program does not know".to_owned()),
        }
        self.changes += 1;
        Ok(complete)
    }

    /// What the format looks at.
    pub(super) fn history(&self) -> History {
        let players = 0..self.definition.players.len();
        History {
            seed: self.definition.spec.seed,
            entries: players
                .map(|player| Entry {
                    withdrawn: self.has_withdrawn(player),
                })
                .collect(),
            draws: self
                .definition
                .draws()
                .enumerate()
                .map(|(number, (draw, first_pair))| Drawn {
                    draw: draw.clone(),
                    results: self.results(number, draw, first_pair),
                })
                .collect(),
        }
    }

    /// The draws with their results, as they are shown.
    pub(super) fn draws_to_wire(&self) -> Vec<v1::Draw> {
        let draws = self.definition.draws().enumerate();
        let shown = |(number, (draw, first_pair)): (usize, (&Draw, u64))| {
            let mut shown = draw_to_wire(draw, first_pair);
            let played = self.results(number, draw, first_pair);
            for (encounter, played) in shown.encounters.iter_mut().zip(played) {
                encounter.games = count(played.table.games());
                encounter.quarters = played.table.near_quarters().0;
                encounter.missing = count(played.missing);
            }
            shown
        };
        draws.map(shown).collect()
    }

    /// What became of each encounter of the draw of this number.
    fn results(&self, number: usize, draw: &Draw, first_pair: u64) -> Vec<Played> {
        let mut settled = self.settled.borrow_mut();
        if settled.len() <= number {
            settled.resize(number + 1, None);
        }
        if let Some(known) = &settled[number] {
            return known.clone();
        }
        let played = self.played(draw, first_pair);
        if played.iter().all(|played| played.missing == 0) {
            settled[number] = Some(played.clone());
        }
        played
    }

    /// Counts what became of each encounter of a draw.
    fn played(&self, draw: &Draw, first_pair: u64) -> Vec<Played> {
        let mut results = vec![
            Played {
                table: PairTable::default(),
                missing: 0,
            };
            draw.encounters.len()
        ];
        let pairs = draw.pairs.saturating_mul(draw.encounters.len() as u64);
        for pair in 0..pairs {
            let played = draw.place_of(pair).and_then(|(at, _)| results.get_mut(at));
            if let Some(played) = played {
                self.count(first_pair + pair, played);
            }
        }
        results
    }

    /// Counts a pair into the results of its encounter.
    fn count(&self, pair: u64, played: &mut Played) {
        let Ok(game) = u32::try_from(2 * pair) else {
            return;
        };
        let games = [GameIndex(game), GameIndex(game + 1)];
        let missing = games.into_iter().filter(|&game| self.is_missing(game));
        played.missing += missing.count() as u64;
        let outcome = |game| Outcome::from_quarters(self.score(game)?.first_quarters);
        let mut table = PairTable::default();
        match games.map(outcome) {
            [Some(one), Some(other)] => table.add_pair(one, other),
            [Some(one), None] => table.add_near_first(one),
            [None, Some(other)] => {
                table.add_near_first(other);
                table = table.reversed();
            }
            [None, None] => {}
        }
        played.table.merge(&table);
    }
}

fn count(number: u64) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The message of a draw, without results.
pub(super) fn draw_to_wire(draw: &Draw, first_pair: u64) -> v1::Draw {
    let index = |player: usize| count(player as u64);
    let encounters = draw.encounters.iter();
    v1::Draw {
        round: draw.round,
        pairs: count(draw.pairs),
        encounters: encounters
            .map(|&[first, second]| v1::DrawnEncounter {
                first: index(first),
                second: index(second),
                ..Default::default()
            })
            .collect(),
        byes: draw.byes.iter().copied().map(index).collect(),
        first_game: count(first_pair.saturating_mul(2)),
        openings: draw.openings.clone(),
    }
}

/// The draw of a message, between this many players.
pub(super) fn draw_from_wire(message: &v1::Draw, players: usize) -> Result<Draw, String> {
    let index = |player: u32| match player as usize {
        player if player < players => Ok(player),
        player => Err(format!("player {player} is drawn, of {players}")),
    };
    let encounters = message.encounters.iter().map(|met| {
        let encounter = [index(met.first)?, index(met.second)?];
        match encounter {
            [one, other] if one == other => Err(format!("player {one} is to meet itself")),
            _ => Ok(encounter),
        }
    });
    if message.pairs == 0 {
        return Err("it has no pairs".to_owned());
    }
    if !message.openings.is_empty() && message.openings.len() != message.encounters.len() {
        return Err("it has not one opening for each encounter".to_owned());
    }
    Ok(Draw {
        round: message.round,
        pairs: message.pairs.into(),
        encounters: encounters.collect::<Result<_, _>>()?,
        byes: message
            .byes
            .iter()
            .copied()
            .map(index)
            .collect::<Result<_, _>>()?,
        openings: message.openings.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_survives_its_message_and_a_bad_one_is_refused_by_name() {
        let draw = Draw {
            round: 3,
            encounters: vec![[0, 2], [3, 1]],
            pairs: 2,
            byes: vec![4],
            openings: vec![8, 10],
        };
        let message = draw_to_wire(&draw, 7);
        assert_eq!(message.first_game, 14);
        assert_eq!(draw_from_wire(&message, 5), Ok(draw));
        type Spoil = fn(&mut v1::Draw);
        let cases: [(Spoil, &str); 5] = [
            (|draw| draw.encounters[1].second = 5, "player 5"),
            (|draw| draw.byes[0] = 9, "player 9"),
            (|draw| draw.encounters[0].second = 0, "itself"),
            (|draw| draw.pairs = 0, "no pairs"),
            (|draw| draw.openings.truncate(1), "one opening"),
        ];
        for (spoil, problem) in cases {
            let mut bad = message.clone();
            spoil(&mut bad);
            let error = draw_from_wire(&bad, 5).unwrap_err();
            assert!(error.contains(problem), "{error}");
        }
    }
}
