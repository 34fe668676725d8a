//! Results of every two players, added up once, with players numbered in a row.

use crate::ratings::aggregates::{Aggregates, Player};
use crate::ratings::pair_table::weighted;

/// All results of two players against each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Meeting {
    /// Positions of the two players.
    pub sides: [usize; 2],
    /// Games between them, at least one.
    pub games: u64,
    /// Points of each in quarters.
    pub quarters: [u64; 2],
}

/// What a player's games come to by themselves.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// By own outcome, losses first.
    pub outcomes: [u64; 5],
    /// Games in which the opponent moved first.
    pub games_second: u64,
    /// Wins among them.
    pub wins_second: u64,
}

/// The players of an event and their meetings.
#[derive(Debug, Clone)]
pub(super) struct Meetings {
    /// Ascending; a player's position in here is its number in the meetings.
    pub players: Vec<Player>,
    /// By position.
    pub sums: Vec<Sums>,
    /// Ascending by both sides.
    pub met: Vec<Meeting>,
}

impl Meetings {
    /// Goes through all results once.
    pub fn new(results: &Aggregates) -> Self {
        let players: Vec<Player> = results.players().collect();
        let mut sums = vec![Sums::default(); players.len()];
        let mut met = Vec::new();
        for (near, far, table) in results.tables() {
            // Whoever has a table is a player.
            let (Ok(near), Ok(far)) = (players.binary_search(&near), players.binary_search(&far))
            else {
                continue;
            };
            let (first, second) = (table.near_first_totals(), table.far_first_totals());
            let outcomes: [u64; 5] = std::array::from_fn(|k| first[k] + second[4 - k]);
            let games: u64 = outcomes.iter().sum();
            if games == 0 {
                continue;
            }
            sums[near].add(outcomes, &second);
            sums[far].add(std::array::from_fn(|k| outcomes[4 - k]), &first);
            let quarters = weighted(&outcomes);
            met.push(Meeting {
                sides: [near, far],
                games,
                quarters: [quarters, 4 * games - quarters],
            });
        }
        Self { players, sums, met }
    }
}

impl Sums {
    /// Adds the games against one opponent, whose outcomes are also told of those in which it moved first.
    fn add(&mut self, outcomes: [u64; 5], opponent_first: &[u64; 5]) {
        let sums = self.outcomes.iter_mut().zip(outcomes);
        sums.for_each(|(sum, games)| *sum += games);
        self.games_second += opponent_first.iter().sum::<u64>();
        self.wins_second += opponent_first[0];
    }
}

impl Meeting {
    /// Each side with its opponent and its points.
    pub fn both_ways(&self) -> [(usize, usize, u64); 2] {
        let [near, far] = self.sides;
        [(near, far, self.quarters[0]), (far, near, self.quarters[1])]
    }
}
