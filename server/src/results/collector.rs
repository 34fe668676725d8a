//! [`Collector`]: games into aggregates, by names.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher, RandomState};

use crate::ratings::{Aggregates, Outcome, PairTable, Player};

/// Games of two players that wait for their partner where it is found soonest; the oldest goes to those that wait longer.
const MOST_NEAR: usize = 64;

/// Games that may wait longer, of all players together: what comes on top goes without a partner.
const MOST_FAR: u64 = 500_000;

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

/// Players, opening, and whether the one of lower number moved first.
type FarKey = ((Player, Player), u64, bool);

/// Takes games in, in any order.
#[derive(Debug)]
pub struct Collector {
    pairing: Pairing,
    numbers: HashMap<String, Player>,
    names: Vec<String>,
    /// Players to be left out, with whether any game was theirs.
    excluded: Vec<(String, bool)>,
    waiting: HashMap<(Player, Player), VecDeque<Waiting>>,
    /// Games that wait longer, by their outcomes.
    far: HashMap<FarKey, [u32; 5]>,
    far_games: u64,
    given_up: u64,
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
    /// Players to be left out who had no games.
    pub not_seen: Vec<String>,
    /// Games taken by themselves because too many waited for a partner: theirs may have come later.
    pub given_up: u64,
}

impl Collector {
    /// Nothing yet. Games of the players `excluded` are counted apart.
    #[must_use]
    pub fn new(pairing: Pairing, excluded: Vec<String>) -> Self {
        Self {
            pairing,
            numbers: HashMap::new(),
            names: Vec::new(),
            excluded: excluded.into_iter().map(|name| (name, false)).collect(),
            waiting: HashMap::new(),
            far: HashMap::new(),
            far_games: 0,
            given_up: 0,
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
        let mut is_left_out = false;
        for (name, is_seen) in &mut self.excluded {
            if name == game.first || name == game.second {
                *is_seen = true;
                is_left_out = true;
            }
        }
        if is_left_out {
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
            _ => return count(self.tables.entry(players).or_default(), alone, game.count),
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
        let key = (players, game.opening, !game.near_first);
        if let Some(outcome) = take_far(&mut self.far, &key) {
            self.far_games -= 1;
            let partner = Waiting { outcome, ..game };
            let (near, far) = if game.near_first {
                (game, partner)
            } else {
                (partner, game)
            };
            table.add_pair(near.outcome, far.outcome);
            return;
        }
        waiting.push_back(game);
        if waiting.len() > MOST_NEAR
            && let Some(oldest) = waiting.pop_front()
        {
            if self.far_games < MOST_FAR {
                self.far_games += 1;
                let key = (players, oldest.opening, oldest.near_first);
                self.far.entry(key).or_default()[oldest.outcome.cell()] += 1;
            } else {
                self.given_up += 1;
                count_one(table, oldest);
            }
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
            games.into_iter().for_each(|game| count_one(table, game));
        }
        for ((players, opening, near_first), outcomes) in std::mem::take(&mut self.far) {
            let table = self.tables.entry(players).or_default();
            for (outcome, games) in Outcome::ALL.into_iter().zip(outcomes) {
                let game = Waiting {
                    opening,
                    near_first,
                    outcome,
                };
                (0..games).for_each(|_| count_one(table, game));
            }
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
            given_up: self.given_up,
            not_seen: {
                let unseen = self.excluded.into_iter().filter(|(_, is_seen)| !is_seen);
                unseen.map(|(name, _)| name).collect()
            },
        }
    }
}

/// Takes out a game that waits under a key: of several that of the lowest outcome, whatever came first.
fn take_far(far: &mut HashMap<FarKey, [u32; 5]>, key: &FarKey) -> Option<Outcome> {
    let games = far.get_mut(key)?;
    let cell = games.iter().position(|&games| games > 0)?;
    games[cell] -= 1;
    if games.iter().all(|&games| games == 0) {
        far.remove(key);
    }
    Some(Outcome::ALL[cell])
}

/// Counts games by themselves, unless they are more than a counter holds.
fn count(table: &mut PairTable, game: Waiting, games: u32) -> Result<(), String> {
    let cell = counter(table, game);
    let sum = cell.checked_add(games);
    *cell = sum.ok_or_else(|| {
        format!(
            "more than {} games of two players with one outcome; give fewer",
            u32::MAX
        )
    })?;
    Ok(())
}

/// Counts one game.
fn count_one(table: &mut PairTable, game: Waiting) {
    let cell = counter(table, game);
    *cell = cell.saturating_add(1);
}

fn counter(table: &mut PairTable, game: Waiting) -> &mut u32 {
    let side = if game.near_first {
        &mut table.near_first
    } else {
        &mut table.far_first
    };
    &mut side[usize::from(game.outcome.quarters())]
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

    /// All games of one opening set with one side first, then all with the other.
    #[test]
    fn partners_may_be_far_apart() {
        let mut collector = Collector::new(Pairing::ByOpening, Vec::new());
        let openings: Vec<String> = (0..1_000).map(|opening| opening.to_string()).collect();
        for opening in &openings {
            collector
                .add(&game("a", "b", Outcome::Win, opening))
                .unwrap();
        }
        for opening in openings.iter().rev() {
            collector
                .add(&game("b", "a", Outcome::Draw, opening))
                .unwrap();
        }
        let results = collector.finish();
        assert_eq!((results.pairs, results.given_up), (1_000, 0));
        assert_eq!(results.aggregates.table(0, 1).pairs[4][2], 1_000);
    }

    #[test]
    fn counters_do_not_overflow() {
        let mut collector = Collector::new(Pairing::ByOpening, Vec::new());
        let many = Game {
            count: 1_000_000_000,
            ..game("a", "b", Outcome::Win, "")
        };
        for _ in 0..4 {
            collector.add(&many).unwrap();
        }
        let refused = collector.add(&many).unwrap_err();
        assert!(refused.contains("more than 4294967295 games"), "{refused}");
        assert_eq!(collector.finish().aggregates.games(), 4_000_000_000);
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
