//! Who took how many points from whom.

use crate::ratings::aggregates::{Aggregates, Player};
use crate::ratings::outcome::Quarters;

/// Results of a row's player against a column's player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrossCell {
    /// Points of the row's player.
    pub points: Quarters,
    /// Games between the two.
    pub games: u64,
    /// Games by the row's player's outcome, losses first.
    pub outcomes: [u64; 5],
}

/// A square table of results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CrossTable {
    /// Players of the rows and, in the same order, of the columns.
    pub players: Vec<Player>,
    /// One row a player; `None` where the two never met, as on the diagonal.
    pub cells: Vec<Vec<Option<CrossCell>>>,
}

/// The cross-table of some players, in the order given.
pub fn cross_table(results: &Aggregates, players: &[Player]) -> CrossTable {
    let cell = |row: Player, column: Player| {
        let table = results.table(row, column);
        let games = table.games();
        let (points, outcomes) = (table.near_quarters(), table.near_totals());
        (games > 0).then_some(CrossCell {
            points,
            games,
            outcomes,
        })
    };
    let row = |&row: &Player| players.iter().map(|&column| cell(row, column)).collect();
    CrossTable {
        players: players.to_vec(),
        cells: players.iter().map(row).collect(),
    }
}
