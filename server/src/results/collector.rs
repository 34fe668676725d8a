//! [`Collector`]: games into aggregates, by names.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};

use crate::ratings::{Aggregates, Outcome, PairTable, Player};

/// Games of two players that may still find their partner; the oldest goes without when there are more.
const MOST_WAITING: usize = 64;

/// Games alike that may be given at once.
const MOST_ALIKE: u32 = 1_000_000_000;

/// One game, or several alike.
#[derive(Debug, Clone, Copy)]
pub struct Game<'a> {
    /// Who moved first.
    pub first: &'a str,
    /// Who moved second.
    pub second: &'a str,
    /// The outcome for the first.
    pub outcome: Outcome,
    /// What both games of a pair have in common, as their opening; nothing if that is not known.
    pub opening: Option<&'a str>,
    /// How many games.
    pub count: u32,
}

/// Which games are taken as pairs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairing {
    /// Two games of the same two players from one opening, each moving first once.
    #[default]
    ByOpening,
    /// None: each game by itself.
    None,
}

/// A game without a partner yet.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    opening: u64,
    /// Whether the player of lower number moved first.
    near_first: bool,
    outcome: Outcome,
}

/// Takes games in, in any order.
#[derive(Debug)]
pub struct Collector {
    pairing: Pairing,
    numbers: HashMap<String, Player>,
    names: Vec<String>,
    excluded: Vec<String>,
    waiting: HashMap<(Player, Player), VecDeque<Waiting>>,
    tables: HashMap<(Player, Player), PairTable>,
    hasher: RandomState,
    unfinished: u64,
    left_out: u64,
}

/// What has been read.
#[derive(Debug)]
pub struct Results {
    /// The names by player.
    pub names: Vec<String>,
    /// The games.
    pub aggregates: Aggregates,
    /// Game pairs among them.
    pub pairs: u64,
    /// Games without a result, which count nowhere.
    pub unfinished: u64,
    /// Games of players to be left out.
    pub left_out: u64,
}

impl Collector {
    /// Nothing yet. Games of the players `excluded` are counted apart.
    #[must_use]
    pub fn new(pairing: Pairing, excluded: Vec<String>) -> Self {
        Self {
            pairing,
            numbers: HashMap::new(),
            names: Vec::new(),
            excluded,
            waiting: HashMap::new(),
            tables: HashMap::new(),
            hasher: RandomState::new(),
            unfinished: 0,
            left_out: 0,
        }
    }

    /// Counts a game without a result.
    pub fn add_unfinished(&mut self) {
        self.unfinished += 1;
    }

    /// Takes in a game.
    ///
    /// # Errors
    /// A player plays itself or has no name, or the count is not 1 to a thousand million: what to say about it.
    pub fn add(&mut self, game: &Game<'_>) -> Result<(), String> {
        if !(1..=MOST_ALIKE).contains(&game.count) {
            return Err(format!(
                "{} games; give a whole number from 1 to {MOST_ALIKE}",
                game.count
            ));
        }
        let named = |name: &str| !name.is_empty() && name != "?";
        if !named(game.first) || !named(game.second) {
            return Err("a player without a name; name both".to_owned());
        }
        if game.first == game.second {
            return Err(format!(
                "`{}` plays itself; give the two sides different names",
                game.first
            ));
        }
        if self
            .excluded
            .iter()
            .any(|name| name == game.first || name == game.second)
        {
            self.left_out += u64::from(game.count);
            return Ok(());
        }
        let (first, second) = (self.number(game.first), self.number(game.second));
        let near_first = first < second;
        let players = (first.min(second), first.max(second));
        let alone = Waiting {
            opening: 0,
            near_first,
            outcome: game.outcome,
        };
        match game.opening {
            Some(opening) if self.pairing == Pairing::ByOpening && game.count == 1 => {
                let opening = self.hasher.hash_one(opening);
                self.match_up(players, Waiting { opening, ..alone });
            }
            _ => count(self.tables.entry(players).or_default(), alone, game.count),
        }
        Ok(())
    }

    /// Joins a game with its partner, if that has come already.
    fn match_up(&mut self, players: (Player, Player), game: Waiting) {
        let waiting = self.waiting.entry(players).or_default();
        let is_partner =
            |other: &Waiting| other.opening == game.opening && other.near_first != game.near_first;
        let table = self.tables.entry(players).or_default();
        if let Some(partner) = waiting
            .iter()
            .position(is_partner)
            .and_then(|at| waiting.remove(at))
        {
            let (near, far) = if game.near_first {
                (game, partner)
            } else {
                (partner, game)
            };
            table.add_pair(near.outcome, far.outcome);
            return;
        }
        waiting.push_back(game);
        if waiting.len() > MOST_WAITING
            && let Some(oldest) = waiting.pop_front()
        {
            count(table, oldest, 1);
        }
    }

    fn number(&mut self, name: &str) -> Player {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len();
        self.names.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        number
    }

    /// All that has been taken in; players are numbered by their names, so that the order of games and files
    /// makes no difference.
    #[must_use]
    pub fn finish(mut self) -> Results {
        for (players, games) in std::mem::take(&mut self.waiting) {
            let table = self.tables.entry(players).or_default();
            games.into_iter().for_each(|game| count(table, game, 1));
        }
        let mut order: Vec<Player> = (0..self.names.len()).collect();
        order.sort_by(|&a, &b| self.names[a].cmp(&self.names[b]));
        let mut rank = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            rank[old] = new;
        }
        let mut aggregates = Aggregates::new();
        let mut pairs = 0;
        for ((near, far), table) in self.tables {
            pairs += table.pair_count();
            // `add` refuses self-play before it comes here.
            if let Err(error) = aggregates.add_table(rank[near], rank[far], &table) {
                tracing::error!(%error, "results of a player against itself");
            }
        }
        self.names.sort();
        Results {
            names: self.names,
            aggregates,
            pairs,
            unfinished: self.unfinished,
            left_out: self.left_out,
        }
    }
}

/// Counts games by themselves.
fn count(table: &mut PairTable, game: Waiting, games: u32) {
    let side = if game.near_first {
        &mut table.near_first
    } else {
        &mut table.far_first
    };
    let cell = &mut side[usize::from(game.outcome.quarters())];
    *cell = cell.saturating_add(games);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn game<'a>(first: &'a str, second: &'a str, outcome: Outcome, opening: &'a str) -> Game<'a> {
        Game {
            first,
            second,
            outcome,
            opening: Some(opening).filter(|text| !text.is_empty()),
            count: 1,
        }
    }

    #[test]
    fn pairs_are_found_by_opening_and_colours() {
        let mut collector = Collector::new(Pairing::ByOpening, vec!["x".to_owned()]);
        for game in [
            game("b", "a", Outcome::Win, "one"),
            game("a", "b", Outcome::Draw, "two"),
            game("a", "b", Outcome::Advantage, "one"),
            // The same colours again: no pair.
            game("a", "b", Outcome::Loss, "two"),
            game("a", "b", Outcome::Win, ""),
            game("a", "x", Outcome::Win, ""),
        ] {
            collector.add(&game).unwrap();
        }
        let results = collector.finish();
        assert_eq!((results.pairs, results.left_out), (1, 1));
        assert_eq!(results.names, ["a", "b"]);
        let table = results.aggregates.table(0, 1);
        // a moved first in its advantage, b in its win.
        assert_eq!(table.pairs[3][4], 1);
        assert_eq!(table.near_first, [1, 0, 1, 0, 1]);
        assert_eq!(table.games(), 5);
    }

    #[test]
    fn unreasonable_games_are_refused() {
        let mut collector = Collector::new(Pairing::ByOpening, Vec::new());
        for (first, second) in [("a", "a"), ("", "b"), ("a", "?")] {
            let refused = collector.add(&game(first, second, Outcome::Win, ""));
            assert!(refused.is_err(), "{first} {second}");
        }
        for count in [0, u32::MAX] {
            let many = Game {
                count,
                ..game("a", "b", Outcome::Win, "")
            };
            assert!(collector.add(&many).is_err(), "{count}");
        }
        assert_eq!(collector.finish().aggregates.games(), 0);
    }

    proptest! {
        /// However games are ordered, the same games and points come out; with distinct openings of at most
        /// two games each the same pairs, too.
        #[test]
        fn order_does_not_matter(
            games in proptest::collection::vec((0usize..4, 1usize..4, 0usize..5), 0..60),
            shift in 0usize..60,
        ) {
            let names = ["a", "b", "c", "d"];
            let mut all = Vec::new();
            for (i, &(first, step, outcome)) in games.iter().enumerate() {
                let (first, second) = (names[first], names[(first + step) % 4]);
                let opening = format!("{}", i / 2);
                all.push((first, second, Outcome::ALL[outcome], opening.clone()));
                all.push((second, first, Outcome::ALL[4 - outcome / 2], format!("{opening} {i}")));
            }
            let collect = |order: &mut dyn Iterator<Item = usize>| {
                let mut collector = Collector::new(Pairing::ByOpening, Vec::new());
                for i in order {
                    let (first, second, outcome, opening) = &all[i];
                    collector.add(&game(first, second, *outcome, opening)).unwrap();
                }
                collector.finish()
            };
            let n = all.len();
            let forward = collect(&mut (0..n));
            let turned = collect(&mut (0..n).rev().map(|i| (i + shift) % n.max(1)));
            prop_assert_eq!(forward.names, turned.names);
            prop_assert_eq!(forward.pairs, turned.pairs);
            prop_assert_eq!(forward.aggregates, turned.aggregates);
        }
    }
}
