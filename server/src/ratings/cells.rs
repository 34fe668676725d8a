//! Histograms of observations (game pairs or single games) and their moments.

/// What one observation is and which scores it can have.
///
/// The set belongs to the test, not to the data: pairs of five-valued games have nine cells even if no
/// quarter point was ever scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CellSet {
    /// Game pairs of five-valued games: 9 cells, 0 to 2 points.
    FivePairs,
    /// Game pairs of win-draw-loss games: 5 cells.
    ThreePairs,
    /// Five-valued single games: 5 cells.
    FiveSingles,
    /// Win-draw-loss single games: 3 cells.
    ThreeSingles,
}

impl CellSet {
    /// Number of cells, m + 1; cell k is a score of k/m a game.
    pub const fn len(self) -> usize {
        match self {
            Self::FivePairs => 9,
            Self::ThreePairs | Self::FiveSingles => 5,
            Self::ThreeSingles => 3,
        }
    }

    /// Never: every set has at least three cells.
    pub const fn is_empty(self) -> bool {
        false
    }

    /// Games of one observation, 1 or 2.
    pub const fn games(self) -> u32 {
        match self {
            Self::FivePairs | Self::ThreePairs => 2,
            Self::FiveSingles | Self::ThreeSingles => 1,
        }
    }

    /// The set with so many cells of so many games an observation.
    pub const fn new(cells: usize, games: u32) -> Option<Self> {
        match (cells, games) {
            (9, 2) => Some(Self::FivePairs),
            (5, 2) => Some(Self::ThreePairs),
            (5, 1) => Some(Self::FiveSingles),
            (3, 1) => Some(Self::ThreeSingles),
            _ => None,
        }
    }
}

/// Why a histogram was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HistogramError {
    /// The number of cells does not fit the set.
    #[error("a histogram of {found} cells where {expected} are needed")]
    Length {
        /// Cells given.
        found: usize,
        /// Cells of the set.
        expected: usize,
    },
    /// A count too large to be a number of games.
    #[error("cell {cell} holds {count}; a count is at most 2^53")]
    Count {
        /// The cell.
        cell: usize,
        /// Its count.
        count: u64,
    },
}

/// Counts of observations by score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    set: CellSet,
    counts: Vec<u64>,
}

/// Probability put into an empty cell, in observations (fishtest, OpenBench and fastchess use the same).
const EMPTY_CELL: f64 = 0.001;

/// Largest count that a floating-point number holds exactly.
const MAX_COUNT: u64 = 1 << 53;

impl Histogram {
    /// An empty histogram.
    pub fn empty(set: CellSet) -> Self {
        Self {
            set,
            counts: vec![0; set.len()],
        }
    }

    /// A histogram from counts, lowest score first.
    pub fn new(set: CellSet, counts: &[u64]) -> Result<Self, HistogramError> {
        if counts.len() != set.len() {
            return Err(HistogramError::Length {
                found: counts.len(),
                expected: set.len(),
            });
        }
        match counts
            .iter()
            .enumerate()
            .find(|(_, count)| **count > MAX_COUNT)
        {
            Some((cell, &count)) => Err(HistogramError::Count { cell, count }),
            None => Ok(Self {
                set,
                counts: counts.to_vec(),
            }),
        }
    }

    /// The set of cells.
    pub fn set(&self) -> CellSet {
        self.set
    }

    /// Counts, lowest score first.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Counts one observation; a cell outside the set is refused.
    pub fn add(&mut self, cell: usize) -> Result<(), HistogramError> {
        let expected = self.set.len();
        let count = self.counts.get_mut(cell);
        *count.ok_or(HistogramError::Length {
            found: cell + 1,
            expected,
        })? += 1;
        Ok(())
    }

    /// Number of observations.
    pub fn observations(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Number of games.
    pub fn games(&self) -> u64 {
        u64::from(self.set.games()) * self.observations()
    }

    /// The same observations seen by the opponent.
    pub fn reversed(&self) -> Self {
        Self {
            set: self.set,
            counts: self.counts.iter().rev().copied().collect(),
        }
    }

    /// Shares of the observations as they are; `None` if there are none.
    pub fn law(&self) -> Option<Law> {
        let total = self.observations();
        (total > 0).then(|| Law::new(self.set, self.counts.iter().map(|&n| n as f64)))
    }

    /// Shares with 0.001 observations put into every empty cell, on which all estimates rest.
    pub fn regularised(&self) -> Option<Law> {
        let filled = self
            .counts
            .iter()
            .map(|&n| if n == 0 { EMPTY_CELL } else { n as f64 });
        (self.observations() > 0).then(|| Law::new(self.set, filled))
    }
}

/// A probability law over the scores of an observation.
#[derive(Debug, Clone, PartialEq)]
pub struct Law {
    /// The set of cells.
    pub set: CellSet,
    /// Number of observations behind it, regularisation included.
    pub observations: f64,
    /// (score per game, probability) of every cell, lowest score first.
    pub cells: Vec<(f64, f64)>,
}

impl Law {
    fn new(set: CellSet, counts: impl Iterator<Item = f64> + Clone) -> Self {
        let observations: f64 = counts.clone().sum();
        let top = (set.len() - 1) as f64;
        let cells = counts
            .enumerate()
            .map(|(k, count)| (k as f64 / top, count / observations))
            .collect();
        Self {
            set,
            observations,
            cells,
        }
    }

    /// Mean score per game.
    pub fn mean(&self) -> f64 {
        self.cells.iter().map(|(score, share)| score * share).sum()
    }

    /// Central moment of the score per game.
    pub fn central_moment(&self, order: i32) -> f64 {
        let mean = self.mean();
        self.cells
            .iter()
            .map(|(score, share)| share * (score - mean).powi(order))
            .sum()
    }

    /// Variance of the score per game of one observation.
    pub fn variance(&self) -> f64 {
        self.central_moment(2)
    }

    /// Standard deviation of a single game if the games of an observation were independent.
    pub fn deviation_per_game(&self) -> f64 {
        (f64::from(self.set.games()) * self.variance()).sqrt()
    }
}
