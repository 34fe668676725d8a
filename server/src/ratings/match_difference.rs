//! What may be said of two players' strength by their games: an estimate without the numbers that no data is behind.

use super::elo::{SCORE_MARGIN, elo_of_score};
use super::match_estimate::MatchEstimate;

/// What is special about the games behind a [`MatchDifference`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MatchNote {
    /// Nothing: all numbers are there.
    #[default]
    None,
    /// All observations have the same points, neither none nor all: nothing is known of their spread, hence there is no
    /// interval, no normalized Elo and no likelihood of superiority.
    AllAlike,
    /// All points went to one side: Elo is unbounded, and one end of the interval is a one-sided bound.
    Perfect,
    /// Elo, or an end of its interval, is beyond the scale, which ends at scores of 0.001 and 0.999 (+-1199.8 Elo).
    BeyondScale,
}

/// A difference in strength as it may be reported. What is `None` is unknown, for the reason that `note` gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MatchDifference {
    /// Logistic Elo of the score.
    pub elo: Option<f64>,
    /// Lower end of its interval; after a perfect score the one-sided bound b at which all of the independent games are
    /// won with probability 1 - level: sigma(b)^games = 1 - level.
    pub low: Option<f64>,
    /// Upper end of its interval; after a score of 0 the one-sided bound.
    pub high: Option<f64>,
    /// Normalized Elo.
    pub nelo: Option<f64>,
    /// Half width of its interval.
    pub nelo_error: Option<f64>,
    /// Likelihood of superiority.
    pub los: Option<f64>,
    /// Level of the intervals.
    pub level: f64,
    /// Why something is missing.
    pub note: MatchNote,
}

impl MatchDifference {
    /// Half the width of the interval, where there are the Elo and both ends.
    pub fn error(&self) -> Option<f64> {
        self.elo?;
        Some(0.5 * (self.high? - self.low?))
    }
}

/// What may be said by an estimate.
///
/// Estimates rest on 0.001 observations in every empty cell (STATS.md 2.1). Where one cell holds everything these are the
/// only spread there is, so that an interval made from them would be an invention.
impl From<&MatchEstimate> for MatchDifference {
    fn from(estimate: &MatchEstimate) -> Self {
        let unknown = MatchDifference {
            elo: None,
            low: None,
            high: None,
            nelo: None,
            nelo_error: None,
            los: None,
            level: estimate.level,
            note: MatchNote::AllAlike,
        };
        // All at one end: the variance of what was played is exactly zero there, and a sum of rounded parts elsewhere.
        if estimate.score <= 0.0 || estimate.score >= 1.0 {
            // The score of the winner that makes such a match as unlikely as the interval is wrong.
            let bound = elo_of_score((1.0 - estimate.level).powf(1.0 / estimate.games as f64));
            let won = estimate.score >= 1.0;
            return MatchDifference {
                low: won.then_some(bound),
                high: (!won).then_some(-bound),
                note: MatchNote::Perfect,
                ..unknown
            };
        }
        if estimate.all_alike {
            return MatchDifference {
                elo: Some(elo_of_score(estimate.score)),
                ..unknown
            };
        }
        let on_scale = |score: f64| (SCORE_MARGIN..=1.0 - SCORE_MARGIN).contains(&score);
        let elo = on_scale(estimate.regularised_score).then_some(estimate.elo);
        let [low, high] = estimate.score_interval();
        let [low_elo, high_elo] = estimate.elo_interval;
        let whole = elo.is_some() && on_scale(low) && on_scale(high);
        MatchDifference {
            elo,
            low: on_scale(low).then_some(low_elo),
            high: on_scale(high).then_some(high_elo),
            nelo: Some(estimate.nelo),
            nelo_error: Some(estimate.nelo_error),
            los: Some(estimate.los),
            level: estimate.level,
            note: match whole {
                true => MatchNote::None,
                false => MatchNote::BeyondScale,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::{CellSet, Histogram};
    use super::super::match_estimate::match_estimate;
    use super::{MatchDifference, MatchNote};

    fn difference(cells: &[(usize, u64)]) -> MatchDifference {
        let mut counts = [0; 9];
        for &(cell, count) in cells {
            counts[cell] = count;
        }
        let histogram = Histogram::new(CellSet::FivePairs, &counts).unwrap();
        MatchDifference::from(&match_estimate(&histogram, 0.95).unwrap())
    }

    #[test]
    fn games_all_alike_say_nothing_of_their_spread() {
        for (cell, elo) in [(4, 0.0), (6, 190.85), (2, -190.85)] {
            let found = difference(&[(cell, 100)]);
            assert_eq!(found.note, MatchNote::AllAlike);
            assert!((found.elo.unwrap() - elo).abs() < 0.01, "{found:?}");
            assert_eq!((found.low, found.high, found.los), (None, None, None));
            assert_eq!((found.nelo, found.nelo_error), (None, None));
        }
        assert_eq!(difference(&[(5, 1)]).note, MatchNote::AllAlike);
    }

    #[test]
    fn a_perfect_score_has_one_bound() {
        // Ten games won: p^10 = 0.05 at p = 0.741134, which is 182.73 Elo by 400 log10(p / (1 - p)).
        let won = difference(&[(8, 5)]);
        assert_eq!(won.note, MatchNote::Perfect);
        assert!((won.low.unwrap() - 182.73).abs() < 0.01, "{won:?}");
        assert_eq!(
            (won.elo, won.high, won.los, won.nelo),
            (None, None, None, None)
        );
        let lost = difference(&[(0, 5)]);
        assert_eq!((lost.low, lost.high), (None, won.low.map(|elo| -elo)));
    }

    #[test]
    fn the_scale_has_ends() {
        let near = difference(&[(8, 20), (7, 1)]);
        assert_eq!((near.note, near.high), (MatchNote::BeyondScale, None));
        assert!(near.elo.is_some() && near.low.is_some() && near.los.is_some());
        assert_eq!(near.error(), None);
        let beyond = difference(&[(8, 4_000), (7, 1)]);
        assert_eq!((beyond.elo, beyond.note), (None, MatchNote::BeyondScale));
        let usual = difference(&[(3, 20), (5, 30)]);
        assert_eq!(usual.note, MatchNote::None);
        assert_eq!(
            usual.error(),
            Some(0.5 * (usual.high.unwrap() - usual.low.unwrap()))
        );
    }
}
