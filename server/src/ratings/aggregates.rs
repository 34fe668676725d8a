//! Results of a pool of players, folded into one table of counters per pair of players.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::outcome::Outcome;
use super::pair_table::PairTable;

/// Number of a player inside one pool; the caller keeps what it stands for.
pub type Player = usize;

/// Why results could not be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AggregateError {
    /// Both sides of the game are one player, which says nothing about strength.
    #[error(
        "player {player} is on both sides of a game; enter the engine twice to let it play itself"
    )]
    SelfPlay {
        /// The player named twice.
        player: Player,
    },
    /// A result was to be taken back that is not counted.
    #[error(
        "no such result between players {near} and {far} to take back; rebuild the aggregates from the stored games"
    )]
    NotCounted {
        /// The player whose view was taken.
        near: Player,
        /// Its opponent.
        far: Player,
    },
}

/// All results of a pool: a function of the set of games, never of their order.
///
/// Adding is O(log pairs); memory grows with pairs of players that met, not with games. A copy shares what it was copied
/// from until either changes, one player's row at a time, so that copying costs O(players).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Aggregates {
    players: Arc<BTreeSet<Player>>,
    /// Keyed by the lower number, who is near, then by the higher. No row is empty.
    rows: BTreeMap<Player, Arc<Row>>,
}

/// Results of one player against those with a higher number.
type Row = BTreeMap<Player, PairTable>;

impl Aggregates {
    /// A pool without players.
    pub fn new() -> Self {
        Self::default()
    }

    /// Enters a player, who is then reported even without games.
    pub fn add_player(&mut self, player: Player) {
        if !self.players.contains(&player) {
            Arc::make_mut(&mut self.players).insert(player);
        }
    }

    fn table_mut(&mut self, near: Player, far: Player) -> &mut PairTable {
        let row = self.rows.entry(near.min(far)).or_default();
        Arc::make_mut(row).entry(near.max(far)).or_default()
    }

    /// Counts one game pair: `x` = outcome of `i` where `i` moves first, `y` = outcome of `j` where `j` does.
    pub fn add_pair(
        &mut self,
        i: Player,
        j: Player,
        x: Outcome,
        y: Outcome,
    ) -> Result<(), AggregateError> {
        let mut one = PairTable::default();
        one.add_pair(x, y);
        self.add_table(i, j, &one)
    }

    /// Counts one unpaired game with outcome `k` of `first`, who moves first.
    pub fn add_single(
        &mut self,
        first: Player,
        second: Player,
        k: Outcome,
    ) -> Result<(), AggregateError> {
        let mut one = PairTable::default();
        one.add_near_first(k);
        self.add_table(first, second, &one)
    }

    /// Adds a table of results seen by `near`.
    pub fn add_table(
        &mut self,
        near: Player,
        far: Player,
        table: &PairTable,
    ) -> Result<(), AggregateError> {
        if near == far {
            return Err(AggregateError::SelfPlay { player: near });
        }
        self.add_player(near);
        self.add_player(far);
        let stored = self.table_mut(near, far);
        stored.merge(&if near < far { *table } else { table.reversed() });
        Ok(())
    }

    /// Takes back one game pair counted by [`Self::add_pair`], as when a game is voided.
    pub fn remove_pair(
        &mut self,
        i: Player,
        j: Player,
        x: Outcome,
        y: Outcome,
    ) -> Result<(), AggregateError> {
        let (x, y) = if i < j { (x, y) } else { (y, x) };
        self.take_back(i, j, |table| &mut table.pairs[x.cell()][y.cell()])
    }

    /// Takes back one unpaired game counted by [`Self::add_single`].
    pub fn remove_single(
        &mut self,
        first: Player,
        second: Player,
        k: Outcome,
    ) -> Result<(), AggregateError> {
        self.take_back(first, second, |table| {
            let side = if first < second {
                &mut table.near_first
            } else {
                &mut table.far_first
            };
            &mut side[k.cell()]
        })
    }

    fn take_back(
        &mut self,
        near: Player,
        far: Player,
        counter: impl Fn(&mut PairTable) -> &mut u32,
    ) -> Result<(), AggregateError> {
        let missing = AggregateError::NotCounted { near, far };
        let (low, high) = (near.min(far), near.max(far));
        let row = Arc::make_mut(self.rows.get_mut(&low).ok_or(missing)?);
        let table = row.get_mut(&high).ok_or(missing)?;
        let count = counter(table);
        *count = count.checked_sub(1).ok_or(missing)?;
        if table.games() == 0 {
            row.remove(&high);
            if row.is_empty() {
                self.rows.remove(&low);
            }
        }
        Ok(())
    }

    /// Adds everything of `other`; merging parts in any order gives equal aggregates.
    pub fn merge(&mut self, other: &Self) {
        other.players().for_each(|player| self.add_player(player));
        for (near, far, table) in other.tables() {
            self.table_mut(near, far).merge(table);
        }
    }

    /// All players, ascending, those without games included.
    pub fn players(&self) -> impl ExactSizeIterator<Item = Player> + '_ {
        self.players.iter().copied()
    }

    /// Whether `player` is entered.
    pub fn contains(&self, player: Player) -> bool {
        self.players.contains(&player)
    }

    /// Results of every pair of players that met, as (near, far, table), ascending.
    pub fn tables(&self) -> impl Iterator<Item = (Player, Player, &PairTable)> + '_ {
        self.rows
            .iter()
            .flat_map(|(&near, row)| row.iter().map(move |(&far, table)| (near, far, table)))
    }

    /// The tables that are not what they are in `old`, an earlier or later state of the pool, as (near, far), ascending; those
    /// that one of the two lacks included. Rows that both share are passed over.
    pub fn differences(&self, old: &Self) -> Vec<(Player, Player)> {
        let mut differ = Vec::new();
        let nears: BTreeSet<Player> = self.rows.keys().chain(old.rows.keys()).copied().collect();
        for near in nears {
            let (mine, theirs) = (self.rows.get(&near), old.rows.get(&near));
            if let (Some(mine), Some(theirs)) = (mine, theirs)
                && Arc::ptr_eq(mine, theirs)
            {
                continue;
            }
            let table =
                |row: Option<&Arc<Row>>, far: &Player| row.and_then(|row| row.get(far).copied());
            let fars = mine.into_iter().chain(theirs).flat_map(|row| row.keys());
            let fars: BTreeSet<Player> = fars.copied().collect();
            let other = fars
                .iter()
                .filter(|far| table(mine, far) != table(theirs, far));
            differ.extend(other.map(|&far| (near, far)));
        }
        differ
    }

    /// Results between two players seen by `near`; an empty table if they never met.
    pub fn table(&self, near: Player, far: Player) -> PairTable {
        let row = self.rows.get(&near.min(far));
        match row.and_then(|row| row.get(&near.max(far))) {
            Some(table) if near < far => *table,
            Some(table) => table.reversed(),
            None => PairTable::default(),
        }
    }

    /// Number of games of the pool.
    pub fn games(&self) -> u64 {
        self.tables().map(|(_, _, table)| table.games()).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{AggregateError, Aggregates, Arc, Outcome};

    #[derive(Debug, Clone, Copy)]
    struct Event {
        paired: bool,
        i: usize,
        j: usize,
        x: Outcome,
        y: Outcome,
    }

    fn count(pool: &mut Aggregates, event: &Event) -> Result<(), AggregateError> {
        match event.paired {
            true => pool.add_pair(event.i, event.j, event.x, event.y),
            false => pool.add_single(event.i, event.j, event.x),
        }
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let outcome = || (0usize..5).prop_map(|k| Outcome::ALL[k]);
        let event = (any::<bool>(), 0usize..6, 1usize..6, outcome(), outcome()).prop_map(
            |(paired, i, step, x, y)| Event {
                paired,
                i,
                j: (i + step) % 6,
                x,
                y,
            },
        );
        proptest::collection::vec(event, 0..60)
    }

    proptest! {
        #[test]
        fn order_and_split_do_not_matter(events in events(), cut in 0usize..60) {
            let mut whole = Aggregates::new();
            events.iter().try_for_each(|event| count(&mut whole, event))?;
            let (mut left, mut right) = (Aggregates::new(), Aggregates::new());
            for (index, event) in events.iter().enumerate().rev() {
                count(if index < cut { &mut left } else { &mut right }, event)?;
            }
            right.merge(&left);
            prop_assert_eq!(&whole, &right);
            let games: u64 = events.iter().map(|event| if event.paired { 2 } else { 1 }).sum();
            prop_assert_eq!(whole.games(), games);
        }

        #[test]
        fn what_was_added_can_be_taken_back(events in events()) {
            let mut pool = Aggregates::new();
            events.iter().try_for_each(|event| count(&mut pool, event))?;
            for event in &events {
                match event.paired {
                    true => pool.remove_pair(event.i, event.j, event.x, event.y)?,
                    false => pool.remove_single(event.i, event.j, event.x)?,
                }
            }
            prop_assert_eq!(pool.tables().count(), 0);
            prop_assert!(pool.rows.is_empty());
        }
    }

    #[test]
    fn a_copy_shares_all_rows_but_those_that_change() {
        let mut pool = Aggregates::new();
        for (first, second) in [(0, 1), (1, 2), (2, 3)] {
            pool.add_single(first, second, Outcome::Win).unwrap();
        }
        let copy = pool.clone();
        pool.add_single(2, 1, Outcome::Draw).unwrap();
        let shared = |player| Arc::ptr_eq(&pool.rows[&player], &copy.rows[&player]);
        assert_eq!([0, 1, 2].map(shared), [true, false, true]);
        assert!(Arc::ptr_eq(&pool.players, &copy.players));
        assert_eq!((pool.games(), copy.games()), (4, 3));
        assert_eq!(copy.table(1, 2).far_first_totals(), [0; 5]);
    }

    #[test]
    fn refuses_self_play_and_unknown_results() {
        let mut pool = Aggregates::new();
        let refused = pool.add_single(3, 3, Outcome::Win);
        assert_eq!(refused, Err(AggregateError::SelfPlay { player: 3 }));
        pool.add_single(3, 4, Outcome::Win).unwrap();
        let missing = Err(AggregateError::NotCounted { near: 4, far: 3 });
        assert_eq!(pool.remove_single(4, 3, Outcome::Loss), missing);
        assert_eq!(pool.table(4, 3).near_quarters().0, 0);
        assert_eq!(pool.table(3, 4).near_quarters().0, 4);
    }
}
