//! Residuals of game pairs and unpaired games: what the error bars of model A are made of.

use crate::ratings::elo::sigmoid;
use crate::ratings::pool::Encounter;

/// Second moments of (T, U) over the observations of one encounter: T = points of near, U = points of
/// the first movers, each less its expectation.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    pub tt: f64,
    pub tu: f64,
    pub uu: f64,
}

impl Moments {
    fn add(&mut self, weight: f64, t: f64, u: f64) {
        self.tt += weight * t * t;
        self.tu += weight * t * u;
        self.uu += weight * u * u;
    }

    pub fn scaled(self, factor: f64) -> Self {
        Self {
            tt: factor * self.tt,
            tu: factor * self.tu,
            uu: factor * self.uu,
        }
    }
}

/// Squared residuals (R of STATS.md 1.3) and binomial variances (V) of one encounter.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Residuals {
    pub observed: Moments,
    pub binomial: Moments,
}

impl Residuals {
    /// With strength difference near - far and first-move advantage in natural units.
    ///
    /// An observation is a game pair (as one) or an unpaired game.
    pub fn new(met: &Encounter, difference: f64, first_move: f64) -> Self {
        let near = sigmoid(difference + first_move);
        let far = sigmoid(-difference + first_move);
        let (near_variance, far_variance) = (near * (1.0 - near), far * (1.0 - far));
        let mut sums = Self::default();
        for (x, row) in met.table.pairs.iter().enumerate() {
            for (y, &count) in row.iter().enumerate().filter(|&(_, &count)| count > 0) {
                let (x, y) = (x as f64 / 4.0, y as f64 / 4.0);
                let (t, u) = (x - near - (y - far), x - near + y - far);
                sums.observed.add(f64::from(count), t, u);
            }
        }
        let (mut near_games, mut far_games) = (0.0, 0.0);
        for k in 0..5 {
            let score = k as f64 / 4.0;
            let (n, m) = (
                f64::from(met.table.near_first[k]),
                f64::from(met.table.far_first[k]),
            );
            sums.observed.add(n, score - near, score - near);
            sums.observed.add(m, far - score, score - far);
            near_games += n;
            far_games += m;
        }
        let pairs = met.table.pair_count() as f64;
        near_games += pairs;
        far_games += pairs;
        let sum = near_games * near_variance + far_games * far_variance;
        let difference = near_games * near_variance - far_games * far_variance;
        sums.binomial = Moments {
            tt: sum,
            tu: difference,
            uu: sum,
        };
        sums
    }
}
