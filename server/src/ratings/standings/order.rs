//! The order of a standings table: points, then the event's list of tie-breaks, then seed.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::columns::{Columns, UnplayedRounds, columns};
use super::meetings::Meetings;
use super::rated::{RatedColumns, rated_columns};
use super::tie_break::{TieBreak, evaluate, meet};
use crate::ratings::aggregates::{Aggregates, Player};
use crate::ratings::elo::EloHundredths;

/// What a standings table is made from.
#[derive(Debug, Clone)]
pub struct Event<'a> {
    /// All results.
    pub results: &'a Aggregates,
    /// Players by seed, best first; those not named follow in ascending order.
    pub seeds: &'a [Player],
    /// Progressive score of each player in quarters; 0 if missing.
    pub progressive: BTreeMap<Player, u64>,
    /// Games each player forfeited by crash, time or an illegal move; 0 if missing.
    pub forfeits: BTreeMap<Player, u64>,
    /// The rule for rounds not played.
    pub unplayed: UnplayedRounds,
    /// Ratings of all players with games. Empty where they do not compare: then there is neither a mean rating of the
    /// opponents nor a performance.
    pub ratings: BTreeMap<Player, EloHundredths>,
    /// Quarter points that players were given without games, as for a bye. Where this is there, all points decide and not
    /// points per game, so that who plays less is not better off.
    pub given: Option<BTreeMap<Player, u64>>,
}

impl<'a> Event<'a> {
    /// An event with results only.
    pub fn new(results: &'a Aggregates) -> Self {
        Self {
            results,
            seeds: &[],
            progressive: BTreeMap::new(),
            forfeits: BTreeMap::new(),
            unplayed: UnplayedRounds::default(),
            ratings: BTreeMap::new(),
            given: None,
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Place from 1; no two rows share it, as seed decides at last.
    pub place: usize,
    /// The player.
    pub player: Player,
    /// Every column that results alone decide.
    pub columns: Columns,
    /// The columns that rest on ratings.
    pub rated: RatedColumns,
    /// Points among the tied, in quarters; `None` if not tied, or void. The tied are those who still are when the list comes to
    /// it, or those with equal points where the list does not have it.
    pub direct_encounter_q: Option<u64>,
    /// Progressive score in quarters.
    pub progressive_q: u64,
    /// Games forfeited.
    pub forfeits: u64,
    /// Quarter points given without games.
    pub given_q: u64,
    /// Values of the tie-breaks in the order of the list, larger is better; `None` where void for one of those who were
    /// tied when it was asked.
    pub tie_breaks: Vec<Option<i128>>,
}

impl Standing {
    /// Quarter points of games and those given without.
    fn all_points(&self) -> u64 {
        self.columns.points.0.saturating_add(self.given_q)
    }
}

/// A standings table, best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standings {
    /// Rows, best first.
    pub rows: Vec<Standing>,
    /// The tie-breaks applied, in order.
    pub tie_breaks: Vec<TieBreak>,
    /// Whether players have different numbers of games, so that points per game decide and not points.
    pub by_percentage: bool,
}

/// Orders the players of an event.
pub fn standings(event: &Event, tie_breaks: &[TieBreak]) -> Standings {
    let mut rows = rows(event);
    let by_percentage = event.given.is_none()
        && rows
            .windows(2)
            .any(|two| two[0].columns.games != two[1].columns.games);
    let compare = |a: &Standing, b: &Standing| match event.given {
        None => by_points(&a.columns, &b.columns),
        Some(_) => a.all_points().cmp(&b.all_points()),
    };
    rows.sort_by(|a, b| compare(b, a));
    let mut groups = split(&rows, |a, b| compare(a, b).is_eq());
    if !tie_breaks.contains(&TieBreak::DirectEncounter) {
        // For the column only.
        for &(start, end) in &groups {
            meet(event.results, &mut rows[start..end]);
        }
    }
    for &tie_break in tie_breaks {
        let mut finer = Vec::with_capacity(groups.len());
        for (start, end) in groups {
            let group = &mut rows[start..end];
            evaluate(event.results, tie_break, group);
            let value = |row: &Standing| row.tie_breaks.last().copied().flatten();
            group.sort_by_key(|row| std::cmp::Reverse(value(row)));
            let parts = split(group, |a, b| value(a) == value(b));
            finer.extend(
                parts
                    .into_iter()
                    .map(|(from, to)| (start + from, start + to)),
            );
        }
        groups = finer;
    }
    rows.iter_mut()
        .zip(1..)
        .for_each(|(row, place)| row.place = place);
    Standings {
        rows,
        tie_breaks: tie_breaks.to_vec(),
        by_percentage,
    }
}

/// Rows in seed order, which stable sorting keeps among the tied.
fn rows(event: &Event) -> Vec<Standing> {
    let meetings = Meetings::new(event.results);
    let columns = columns(&meetings, event.unplayed);
    let rated = rated_columns(&meetings, &event.ratings);
    let mut seed: BTreeMap<Player, usize> = BTreeMap::new();
    event.seeds.iter().enumerate().for_each(|(rank, &player)| {
        seed.entry(player).or_insert(rank);
    });
    let row = |position: usize| {
        let player = meetings.players[position];
        Standing {
            place: 0,
            player,
            columns: columns[position],
            rated: rated[position],
            direct_encounter_q: None,
            progressive_q: event.progressive.get(&player).copied().unwrap_or(0),
            forfeits: event.forfeits.get(&player).copied().unwrap_or(0),
            given_q: (event.given.as_ref())
                .and_then(|given| given.get(&player).copied())
                .unwrap_or(0),
            tie_breaks: Vec::new(),
        }
    };
    let mut rows: Vec<Standing> = (0..meetings.players.len()).map(row).collect();
    rows.sort_by_key(|row| {
        let seed = seed.get(&row.player).copied();
        (seed.unwrap_or(usize::MAX), row.player)
    });
    rows
}

/// Points per game by cross multiplication; players without games are below all others.
fn by_points(a: &Columns, b: &Columns) -> Ordering {
    let product = |x: &Columns, y: &Columns| u128::from(x.points.0) * u128::from(y.games);
    (a.games > 0)
        .cmp(&(b.games > 0))
        .then(product(a, b).cmp(&product(b, a)))
}

/// Runs of equal rows, as half-open ranges.
fn split(rows: &[Standing], equal: impl Fn(&Standing, &Standing) -> bool) -> Vec<(usize, usize)> {
    let mut runs = Vec::new();
    let mut start = 0;
    for end in 1..=rows.len() {
        if end == rows.len() || !equal(&rows[end - 1], &rows[end]) {
            runs.push((start, end));
            start = end;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::super::super::outcome::Outcome;
    use super::{Aggregates, Event, Player, TieBreak, UnplayedRounds, standings};

    fn results(games: &[(Player, Player, Outcome)]) -> Aggregates {
        let mut results = Aggregates::new();
        games
            .iter()
            .try_for_each(|&(i, j, k)| results.add_single(i, j, k))
            .unwrap();
        results
    }

    fn order(event: &Event, tie_breaks: &[TieBreak]) -> Vec<Player> {
        standings(event, tie_breaks)
            .rows
            .iter()
            .map(|row| row.player)
            .collect()
    }

    #[test]
    fn different_numbers_of_games_rank_by_percentage() {
        let mut results = results(&[
            (0, 1, Outcome::Win),
            (0, 1, Outcome::Loss),
            (0, 2, Outcome::Win),
            (2, 1, Outcome::Win),
        ]);
        results.add_player(9);
        let table = standings(&Event::new(&results), &[]);
        assert!(table.by_percentage);
        // 0: 2 of 3, 2: 1 of 2, 1: 1 of 3, 9: no game.
        let places: Vec<Player> = table.rows.iter().map(|row| row.player).collect();
        assert_eq!(places, [0, 2, 1, 9]);
        assert_eq!(standings(&Event::new(&Aggregates::new()), &[]).rows, []);
    }

    #[test]
    fn points_given_count_as_points_and_not_as_games() {
        // 0 has 2 of 2, 1 has 2 of 4 and two byes, 2 has 2 of 4 and nothing.
        let results = results(&[
            (0, 3, Outcome::Win),
            (3, 0, Outcome::Loss),
            (1, 2, Outcome::Draw),
            (2, 1, Outcome::Draw),
            (1, 2, Outcome::Draw),
            (2, 1, Outcome::Draw),
        ]);
        let mut event = Event::new(&results);
        assert_eq!(order(&event, &[]), [0, 1, 2, 3]);
        event.given = Some([(1, 8)].into());
        let table = standings(&event, &[]);
        assert!(!table.by_percentage);
        let places: Vec<Player> = table.rows.iter().map(|row| row.player).collect();
        assert_eq!(places, [1, 0, 2, 3]);
    }

    #[test]
    fn seed_decides_at_last_and_forfeits_count_against() {
        let drawn = results(&[
            (0, 1, Outcome::Draw),
            (1, 2, Outcome::Draw),
            (2, 0, Outcome::Draw),
        ]);
        let mut event = Event {
            seeds: &[2, 0],
            ..Event::new(&drawn)
        };
        assert_eq!(order(&event, &TieBreak::ROUND_ROBIN), [2, 0, 1]);
        event.forfeits.extend([(2, 3), (0, 1)]);
        assert_eq!(order(&event, &[TieBreak::FewerForfeits]), [1, 0, 2]);
    }

    #[test]
    fn direct_encounter_is_void_when_the_tied_met_unequally() {
        // All on two of four; 0 and 1 met twice, the others once each way round.
        let results = results(&[
            (0, 1, Outcome::Win),
            (1, 0, Outcome::Win),
            (0, 2, Outcome::Draw),
            (2, 0, Outcome::Draw),
            (1, 3, Outcome::Draw),
            (3, 1, Outcome::Draw),
            (2, 3, Outcome::Draw),
            (3, 2, Outcome::Draw),
        ]);
        let table = standings(&Event::new(&results), &[TieBreak::DirectEncounter]);
        assert!(
            table
                .rows
                .iter()
                .all(|row| row.direct_encounter_q.is_none())
        );
    }

    #[test]
    fn direct_encounter_is_void_when_the_tied_never_met() {
        let results = results(&[(0, 1, Outcome::Win), (0, 2, Outcome::Win)]);
        let table = standings(&Event::new(&results), &[TieBreak::DirectEncounter]);
        assert!(
            table
                .rows
                .iter()
                .all(|row| row.direct_encounter_q.is_none())
        );
    }

    #[test]
    fn unplayed_rounds_may_count_as_a_dummy() {
        let one = results(&[(0, 1, Outcome::Win)]);
        let mut event = Event::new(&one);
        let buchholz = |event: &Event| standings(event, &[]).rows[0].columns.buchholz_q;
        assert_eq!(buchholz(&event), 0);
        event.unplayed = UnplayedRounds::DummyOpponent { rounds: 3 };
        assert_eq!(buchholz(&event), 8);
    }
}
