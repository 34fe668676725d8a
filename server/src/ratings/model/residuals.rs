//! Residuals of game pairs and unpaired games: what the error bars of model A are made of.

use crate::ratings::elo::sigmoid;
use crate::ratings::pair_table::PairTable;

/// Second moments of (T, U) over the observations of one encounter: T = points of near, U = points of
/// the first movers, each less its expectation.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moments {
    pub tt: f64,
    pub tu: f64,
    pub uu: f64,
}

impl Moments {
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
    pub fn new(table: &PairTable, difference: f64, first_move: f64) -> Self {
        let near = sigmoid(difference + first_move);
        let far = sigmoid(-difference + first_move);
        let (near_variance, far_variance) = (near * (1.0 - near), far * (1.0 - far));
        let mut sums = Self::default();
        let pairs = Sums::of_pairs(&table.pairs);
        // T = x + 1 - y and U = x + y, less their expectations; the 1 cancels.
        let (x, y) = pairs.about(near, far);
        sums.observed.tt += x.square - 2.0 * x.product + y.square;
        sums.observed.tu += x.square - y.square;
        sums.observed.uu += x.square + 2.0 * x.product + y.square;
        // Where near moves first T is U, where far does it is 1 - U.
        let one = Sums::of_games(&table.near_first).about(near, 0.0).0.square;
        let other = Sums::of_games(&table.far_first).about(far, 0.0).0.square;
        sums.observed.tt += one + other;
        sums.observed.tu += one - other;
        sums.observed.uu += one + other;
        let count =
            |games: &[u32; 5]| pairs.count + games.iter().map(|&n| f64::from(n)).sum::<f64>();
        let one = count(&table.near_first) * near_variance;
        let other = count(&table.far_first) * far_variance;
        sums.binomial = Moments {
            tt: one + other,
            tu: one - other,
            uu: one + other,
        };
        sums
    }
}

/// Sums over observations (x, y) in points: exact, as they are whole sixteenths far below 2^53.
struct Sums {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    xy: f64,
    yy: f64,
}

/// Sums of squares and of products about a centre.
struct About {
    square: f64,
    product: f64,
}

impl Sums {
    fn of_pairs(pairs: &[[u32; 5]; 5]) -> Self {
        let mut by_x = [0_u64; 5];
        let mut by_y = [0_u64; 5];
        let mut xy = 0;
        for (x, row) in pairs.iter().enumerate() {
            for (y, &count) in row.iter().enumerate() {
                by_x[x] += u64::from(count);
                by_y[y] += u64::from(count);
                xy += (x * y) as u64 * u64::from(count);
            }
        }
        let (one, other) = (Self::of_counts(by_x), Self::of_counts(by_y));
        Self {
            y: other.x,
            yy: other.xx,
            xy: xy as f64 / 16.0,
            ..one
        }
    }

    fn of_games(games: &[u32; 5]) -> Self {
        Self::of_counts(games.map(u64::from))
    }

    fn of_counts(counts: [u64; 5]) -> Self {
        let [none, one, two, three, four] = counts;
        Self {
            count: (none + one + two + three + four) as f64,
            x: (one + 2 * two + 3 * three + 4 * four) as f64 / 4.0,
            xx: (one + 4 * two + 9 * three + 16 * four) as f64 / 16.0,
            y: 0.0,
            xy: 0.0,
            yy: 0.0,
        }
    }

    /// About the centre (a, b), by the sums about 0 (König and Huygens); rounding may leave squares slightly negative.
    fn about(&self, a: f64, b: f64) -> (About, About) {
        let product = self.xy - a * self.y - b * self.x + self.count * a * b;
        let about = |square: f64, sum: f64, centre: f64| {
            let square = square - 2.0 * centre * sum + self.count * centre * centre;
            square.max(0.0)
        };
        let square = about(self.xx, self.x, a);
        let other = about(self.yy, self.y, b);
        (
            About { square, product },
            About {
                square: other,
                product,
            },
        )
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Sums by moments are those over observations one by one.
        #[test]
        fn moments_are_sums_over_observations(
            cells in proptest::collection::vec(prop_oneof![Just(0u32), 0u32..5, 0u32..1000], 35),
            difference in -3.0f64..3.0,
            first_move in -0.5f64..0.5,
        ) {
            let mut table = PairTable::default();
            table.pairs.as_flattened_mut().copy_from_slice(&cells[..25]);
            table.near_first.copy_from_slice(&cells[25..30]);
            table.far_first.copy_from_slice(&cells[30..]);
            let found = Residuals::new(&table, difference, first_move);
            let (near, far) = (sigmoid(difference + first_move), sigmoid(first_move - difference));
            let (mut observed, mut binomial) = (Moments::default(), Moments::default());
            let (v, w) = (near * (1.0 - near), far * (1.0 - far));
            let mut add = |count: u32, t: f64, u: f64, [tt, tu, uu]: [f64; 3]| {
                let count = f64::from(count);
                observed.tt += count * t * t;
                observed.tu += count * t * u;
                observed.uu += count * u * u;
                binomial.tt += count * tt;
                binomial.tu += count * tu;
                binomial.uu += count * uu;
            };
            for k in 0..5 {
                let s = k as f64 / 4.0;
                add(table.near_first[k], s - near, s - near, [v, v, v]);
                add(table.far_first[k], far - s, s - far, [w, -w, w]);
                for l in 0..5 {
                    let r = l as f64 / 4.0;
                    let both = [v + w, v - w, v + w];
                    add(table.pairs[k][l], s - near - (r - far), s - near + r - far, both);
                }
            }
            for (a, b) in [(found.observed, observed), (found.binomial, binomial)] {
                for (a, b) in [(a.tt, b.tt), (a.tu, b.tu), (a.uu, b.uu)] {
                    prop_assert!((a - b).abs() < 1e-9, "{a} {b}");
                }
            }
        }
    }
}
