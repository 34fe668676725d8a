//! Estimates from a match of fixed length: Elo, normalized Elo, intervals, shares of outcomes.

use super::cells::{CellSet, Histogram};
use super::elo::{NELO_PER_DEVIATION, elo_of_score};
use super::normal;
use super::outcome::Quarters;
use super::pair_table::PairTable;

/// Estimates from a histogram. Empty cells are counted as 0.001 everywhere but in `score`, so that every number is there
/// whatever was played; [`super::MatchDifference`] says which of them are worth showing.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchEstimate {
    /// Observations: game pairs, or single games.
    pub observations: u64,
    /// Games.
    pub games: u64,
    /// Points per game, as played.
    pub score: f64,
    /// Variance of an observation's points per game, as played.
    pub variance: f64,
    /// Mean score behind the estimates.
    pub regularised_score: f64,
    /// Variance behind the estimates.
    pub regularised_variance: f64,
    /// Standard error of the score.
    pub score_error: f64,
    /// Whether all observations are in one cell, so that their spread is that of what is put into empty cells.
    pub all_alike: bool,
    /// Level of the intervals.
    pub level: f64,
    /// Logistic Elo of the score, clipped to scores from 0.001 to 0.999.
    pub elo: f64,
    /// Interval of the Elo: the Elo of both ends of the score's interval.
    pub elo_interval: [f64; 2],
    /// Probability that the expected score is above one half.
    pub los: f64,
    /// Skewness of an observation.
    pub skewness: f64,
    /// Excess kurtosis of an observation.
    pub excess_kurtosis: f64,
    /// (score - 1/2) / standard deviation of an observation.
    pub t: f64,
    /// Normalized Elo (Van den Bergh).
    pub nelo: f64,
    /// Half-width of its interval, skewness and kurtosis included.
    pub nelo_error: f64,
    /// Half-width of its interval under normality, as fastchess prints it.
    pub nelo_error_simple: f64,
}

impl MatchEstimate {
    /// Interval of the expected score, whose ends may be outside [0, 1].
    pub fn score_interval(&self) -> [f64; 2] {
        let half = normal::two_sided(self.level) * self.score_error;
        [self.regularised_score - half, self.regularised_score + half]
    }

    /// Half the width of the Elo interval, as fishtest prints it.
    pub fn elo_error(&self) -> f64 {
        0.5 * (self.elo_interval[1] - self.elo_interval[0])
    }
}

/// Estimates strength from a histogram; `None` if it is empty or `level` is not in (0, 1). STATS.md 2.5.
pub fn match_estimate(histogram: &Histogram, level: f64) -> Option<MatchEstimate> {
    if !(level > 0.0 && level < 1.0) {
        return None;
    }
    let (played, law) = (histogram.law()?, histogram.regularised()?);
    let z = normal::two_sided(level);
    let (mean, variance) = (law.mean(), law.variance());
    let error = (variance / law.observations).sqrt();
    let deviation = variance.sqrt();
    let t = (mean - 0.5) / deviation;
    let skewness = law.central_moment(3) / variance.powf(1.5);
    let excess_kurtosis = law.central_moment(4) / (variance * variance) - 3.0;
    // Delta method for t; the bracket is 1 when the observation is symmetric about 1/2.
    let bracket = (1.0 - t * skewness + t * t * (excess_kurtosis + 2.0) / 4.0).max(0.0);
    let nelo_unit = NELO_PER_DEVIATION / f64::from(law.set.games()).sqrt();
    let mut found = MatchEstimate {
        observations: histogram.observations(),
        games: histogram.games(),
        score: played.mean(),
        variance: played.variance(),
        regularised_score: mean,
        regularised_variance: variance,
        score_error: error,
        all_alike: histogram
            .counts()
            .iter()
            .filter(|&&count| count > 0)
            .count()
            == 1,
        level,
        elo: elo_of_score(mean),
        elo_interval: [0.0; 2],
        los: normal::cdf((mean - 0.5) / error),
        skewness,
        excess_kurtosis,
        t,
        nelo: nelo_unit * t,
        nelo_error: nelo_unit * z * (bracket / law.observations).sqrt(),
        nelo_error_simple: nelo_unit * z / law.observations.sqrt(),
    };
    found.elo_interval = found.score_interval().map(elo_of_score);
    Some(found)
}

/// Everything that is reported of a match between two players, seen by the near one.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchReport {
    /// Points of near over all games.
    pub points: Quarters,
    /// Games, paired or not.
    pub games: u64,
    /// Game pairs.
    pub pairs: u64,
    /// Games without a partner; counted in points and shares, not in the estimate.
    pub unpaired: u64,
    /// Games by near's outcome, losses first.
    pub outcomes: [u64; 5],
    /// Game pairs by near's quarter points, 0 to 8.
    pub pair_histogram: [u64; 9],
    /// Pairs of one point each (cell 4) as [win and loss, advantage and disadvantage, two draws].
    pub level_pairs: [u64; 3],
    /// Points per game of whoever moved first; `None` without games.
    pub first_mover_score: Option<f64>,
    /// Pairs won / pairs lost; `None` if none was lost.
    pub pairs_ratio: Option<f64>,
    /// Correlation of near's points in the two games of a pair; `None` if either never varies.
    pub pair_correlation: Option<f64>,
    /// Estimate from the game pairs; `None` without any.
    pub estimate: Option<MatchEstimate>,
}

/// Reports a match; the intervals have the given level.
pub fn match_report(table: &PairTable, level: f64) -> MatchReport {
    let (games, pairs) = (table.games(), table.pair_count());
    let cells = table.pair_histogram();
    let first: u64 = [table.near_first_totals(), table.far_first_totals()]
        .iter()
        .map(super::pair_table::weighted)
        .sum();
    let count = |x: usize, y: usize| u64::from(table.pairs[x][y]);
    let (lost, won): (u64, u64) = (cells[..4].iter().sum(), cells[5..].iter().sum());
    let histogram = Histogram::new(CellSet::FivePairs, &cells).ok();
    MatchReport {
        points: table.near_quarters(),
        games,
        pairs,
        unpaired: games - 2 * pairs,
        outcomes: table.near_totals(),
        pair_histogram: cells,
        level_pairs: [
            count(0, 0) + count(4, 4),
            count(1, 1) + count(3, 3),
            count(2, 2),
        ],
        first_mover_score: (games > 0).then(|| first as f64 / (4 * games) as f64),
        pairs_ratio: (lost > 0).then(|| won as f64 / lost as f64),
        pair_correlation: pair_correlation(table),
        estimate: histogram.and_then(|histogram| match_estimate(&histogram, level)),
    }
}

/// Pearson correlation of near's points in the two games of a pair, from exact integer sums.
fn pair_correlation(table: &PairTable) -> Option<f64> {
    let (mut n, mut a, mut b, mut aa, mut bb, mut ab) = (0i128, 0i128, 0i128, 0i128, 0i128, 0i128);
    for (x, row) in (0i128..).zip(&table.pairs) {
        for (far, &count) in (0i128..).zip(row) {
            let (count, y) = (i128::from(count), 4 - far);
            n += count;
            a += count * x;
            b += count * y;
            aa += count * x * x;
            bb += count * y * y;
            ab += count * x * y;
        }
    }
    let (spread_a, spread_b) = (n * aa - a * a, n * bb - b * b);
    let varies = spread_a > 0 && spread_b > 0;
    varies.then(|| (n * ab - a * b) as f64 / ((spread_a as f64).sqrt() * (spread_b as f64).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::super::outcome::Outcome::{Advantage, Disadvantage, Draw, Loss, Win};
    use super::{PairTable, match_report};

    #[test]
    fn a_match_is_reported_from_its_pairs() {
        let mut table = PairTable::default();
        for (x, y) in [
            (Win, Loss),
            (Win, Win),
            (Draw, Draw),
            (Advantage, Advantage),
            (Draw, Win),
        ] {
            table.add_pair(x, y);
        }
        table.add_near_first(Disadvantage);
        let report = match_report(&table, 0.95);
        assert_eq!((report.games, report.pairs, report.unpaired), (11, 5, 1));
        // 8 + 4 + 4 + 4 + 2 quarters of pairs and one of the lone game.
        assert_eq!(report.points.0, 23);
        assert_eq!(report.pair_histogram, [0, 0, 1, 0, 3, 0, 0, 0, 1]);
        assert_eq!(report.level_pairs, [1, 1, 1]);
        assert_eq!(report.outcomes, [2, 2, 3, 1, 3]);
        assert_eq!(report.pairs_ratio, Some(1.0));
        assert_eq!(report.first_mover_score, Some(29.0 / 44.0));
        let estimate = report.estimate.unwrap();
        assert!((estimate.score - 22.0 / 40.0).abs() < 1e-15);
        assert!(estimate.elo_interval[0] < estimate.elo && estimate.elo < estimate.elo_interval[1]);
        // Points of near in the two games: (4,4) (4,0) (2,2) (3,1) (2,0).
        let correlation = report.pair_correlation.unwrap();
        assert!(
            (correlation - 0.298_807_152_333_598_4).abs() < 1e-12,
            "{correlation}"
        );
    }

    #[test]
    fn nothing_played_is_nothing_estimated() {
        let report = match_report(&PairTable::default(), 0.95);
        assert_eq!(report.estimate, None);
        assert_eq!(report.first_mover_score, None);
        assert_eq!(report.pair_correlation, None);
        assert_eq!(report.pairs_ratio, None);
    }
}
