//! All results between two players as 35 counters.

use super::outcome::{Outcome, Quarters};

/// Results of two players against each other, seen by the one called *near*; the other is *far*.
///
/// Counters saturate at `u32::MAX`, which keeps addition commutative and associative, so that a
/// table does not depend on the order in which parts of it are merged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairTable {
    /// Game pairs by outcome: row = of the near player in the game where it moves first, column =
    /// of the far player in the game where that one moves first.
    pub pairs: [[u32; 5]; 5],
    /// Unpaired games in which the near player moves first, by its outcome.
    pub near_first: [u32; 5],
    /// Unpaired games in which the far player moves first, by the outcome of the far player.
    pub far_first: [u32; 5],
}

impl PairTable {
    /// Counts one game pair: `x` of near when near moves first, `y` of far when far moves first.
    pub fn add_pair(&mut self, x: Outcome, y: Outcome) {
        let cell = &mut self.pairs[x.cell()][y.cell()];
        *cell = cell.saturating_add(1);
    }

    /// Counts one unpaired game in which near moves first with outcome `x`.
    pub fn add_near_first(&mut self, x: Outcome) {
        let cell = &mut self.near_first[x.cell()];
        *cell = cell.saturating_add(1);
    }

    /// Adds all counters of `other`, which is seen by the same player.
    pub fn merge(&mut self, other: &Self) {
        let add = |own: &mut u32, theirs: &u32| *own = own.saturating_add(*theirs);
        let own = self.pairs.as_flattened_mut().iter_mut();
        own.zip(other.pairs.as_flattened())
            .for_each(|(a, b)| add(a, b));
        self.near_first
            .iter_mut()
            .zip(&other.near_first)
            .for_each(|(a, b)| add(a, b));
        self.far_first
            .iter_mut()
            .zip(&other.far_first)
            .for_each(|(a, b)| add(a, b));
    }

    /// The same results seen by the other player.
    pub fn reversed(&self) -> Self {
        let mut pairs = [[0; 5]; 5];
        for (x, row) in self.pairs.iter().enumerate() {
            for (y, &count) in row.iter().enumerate() {
                pairs[y][x] = count;
            }
        }
        Self {
            pairs,
            near_first: self.far_first,
            far_first: self.near_first,
        }
    }

    /// Games, paired or not, in which near moves first, by its outcome.
    pub fn near_first_totals(&self) -> [u64; 5] {
        std::array::from_fn(|x| {
            u64::from(self.near_first[x]) + self.pairs[x].iter().map(|&n| u64::from(n)).sum::<u64>()
        })
    }

    /// Games, paired or not, in which far moves first, by the outcome of far.
    pub fn far_first_totals(&self) -> [u64; 5] {
        std::array::from_fn(|y| {
            let paired: u64 = self.pairs.iter().map(|row| u64::from(row[y])).sum();
            u64::from(self.far_first[y]) + paired
        })
    }

    /// Outcomes of near over all games, whoever moved first.
    pub fn near_totals(&self) -> [u64; 5] {
        let (near, far) = (self.near_first_totals(), self.far_first_totals());
        std::array::from_fn(|k| near[k] + far[4 - k])
    }

    /// Game pairs by the near player's total: cell k holds those with k quarter points of eight.
    pub fn pair_histogram(&self) -> [u64; 9] {
        let mut cells = [0; 9];
        for (x, row) in self.pairs.iter().enumerate() {
            for (y, &count) in row.iter().enumerate() {
                cells[x + 4 - y] += u64::from(count);
            }
        }
        cells
    }

    /// Number of game pairs.
    pub fn pair_count(&self) -> u64 {
        self.pairs
            .as_flattened()
            .iter()
            .map(|&n| u64::from(n))
            .sum()
    }

    /// Number of games, two a pair.
    pub fn games(&self) -> u64 {
        let unpaired = self.near_first.iter().chain(&self.far_first);
        2 * self.pair_count() + unpaired.map(|&n| u64::from(n)).sum::<u64>()
    }

    /// Points of near over all games.
    pub fn near_quarters(&self) -> Quarters {
        Quarters(weighted(&self.near_totals()))
    }

    /// Points of far over all games.
    pub fn far_quarters(&self) -> Quarters {
        Quarters(4 * self.games() - self.near_quarters().0)
    }
}

/// Quarter points of a five-cell table.
pub(crate) fn weighted(cells: &[u64; 5]) -> u64 {
    cells
        .iter()
        .zip(0..)
        .map(|(&count, quarters)| count * quarters)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::{Outcome, PairTable};

    fn sample() -> PairTable {
        let mut table = PairTable::default();
        table.add_pair(Outcome::Win, Outcome::Draw); // near 4 + 2
        table.add_pair(Outcome::Disadvantage, Outcome::Win); // near 1 + 0
        table.add_near_first(Outcome::Advantage); // near 3
        table.far_first[Outcome::Loss.cell()] += 1; // near 4
        table
    }

    #[test]
    fn counts_points_and_cells() {
        let table = sample();
        assert_eq!((table.games(), table.pair_count()), (6, 2));
        assert_eq!((table.near_quarters().0, table.far_quarters().0), (14, 10));
        assert_eq!(table.pair_histogram(), [0, 1, 0, 0, 0, 0, 1, 0, 0]);
        assert_eq!(table.near_first_totals(), [0, 1, 0, 1, 1]);
        assert_eq!(table.far_first_totals(), [1, 0, 1, 0, 1]);
        assert_eq!(table.near_totals(), [1, 1, 1, 1, 2]);
    }

    #[test]
    fn reversal_swaps_the_sides() {
        let (table, other) = (sample(), sample().reversed());
        assert_eq!(table.near_quarters(), other.far_quarters());
        assert_eq!(other.pair_histogram(), [0, 0, 1, 0, 0, 0, 0, 1, 0]);
        assert_eq!(other.reversed(), table);
    }

    #[test]
    fn counters_saturate() {
        let mut table = PairTable {
            near_first: [u32::MAX; 5],
            ..PairTable::default()
        };
        table.merge(&sample());
        assert_eq!(table.near_first, [u32::MAX; 5]);
        assert_eq!(table.games(), 5 * u64::from(u32::MAX) + 5);
    }
}
