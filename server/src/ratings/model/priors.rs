//! [`Priors`]: virtual games, which keep ratings finite.

use crate::ratings::pool::{Encounter, Pool};

/// Virtual games.
#[derive(Debug, Clone, Copy)]
pub(super) struct Priors {
    /// Draws of each player against those whom it met.
    pub draws: f64,
    /// Games between equals, spread evenly over the outcomes.
    pub outcomes: f64,
}

impl Priors {
    /// What is virtual in a pool.
    pub fn of(self, pool: &Pool) -> Virtual {
        let share = |&games: &u64| 0.5 * self.draws / games.max(1) as f64;
        Virtual {
            shares: pool.games.iter().map(share).collect(),
        }
    }
}

/// Virtual draws of a pool.
pub(super) struct Virtual {
    /// By player, half its virtual draws over its games.
    shares: Vec<f64>,
}

impl Virtual {
    /// Those of two players with each side first: STATS.md 1.2, v = omega N (1/G_i + 1/G_j), half with each.
    pub fn draws_each_way(&self, met: &Encounter) -> f64 {
        met.games() as f64 * (self.shares[met.near] + self.shares[met.far])
    }
}
