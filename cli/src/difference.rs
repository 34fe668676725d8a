//! A difference in strength as it is printed, without numbers that no game is behind.

use proto::v1::{HeadToHeadResponse, MatchNote};
use server::ratings::{self, MatchDifference, MatchEstimate};

use crate::output::tenths;

/// End of the scale of Elo, that of a score of 0.999.
const SCALE: &str = "1199.8";

/// A difference in strength by the games of two players.
#[derive(Debug, Clone, Copy)]
pub struct Difference {
    elo: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    level: f64,
    note: MatchNote,
}

impl From<&HeadToHeadResponse> for Difference {
    fn from(games: &HeadToHeadResponse) -> Self {
        Difference {
            elo: games.elo,
            low: games.elo_low,
            high: games.elo_high,
            level: games.confidence,
            note: games.note(),
        }
    }
}

impl From<&MatchEstimate> for Difference {
    fn from(estimate: &MatchEstimate) -> Self {
        let found = MatchDifference::from(estimate);
        Difference {
            elo: found.elo,
            low: found.low,
            high: found.high,
            level: found.level,
            note: match found.note {
                ratings::MatchNote::None => MatchNote::Unspecified,
                ratings::MatchNote::AllAlike => MatchNote::AllAlike,
                ratings::MatchNote::Perfect => MatchNote::Perfect,
                ratings::MatchNote::BeyondScale => MatchNote::BeyondScale,
            },
        }
    }
}

impl Difference {
    /// The Elo with half the width of its interval, as beside a progress; `-` for what is unknown.
    pub fn short(&self) -> String {
        let error = self.half();
        match (self.elo, self.low, self.high) {
            (None, Some(low), None) => format!("> {}", tenths(Some(low))),
            (None, None, Some(high)) => format!("< {}", tenths(Some(high))),
            _ => format!("{} +- {}", tenths(self.elo), tenths(error)),
        }
    }

    /// The same with the level of the interval, and why there is none: `12.3 +- 4.5 (95 %)`.
    pub fn text(&self) -> String {
        let percent = format!("{} %", (self.level * 1e5).round() / 1e3);
        match (self.note, self.elo, self.low, self.high) {
            (MatchNote::Perfect, _, Some(low), _) => format!(
                "above {} ({percent}, one-sided), as all games were won",
                tenths(Some(low))
            ),
            (MatchNote::Perfect, _, _, high) => format!(
                "below {} ({percent}, one-sided), as all games were lost",
                tenths(high)
            ),
            (MatchNote::AllAlike, elo, ..) => format!(
                "{}, without an interval, as all results have the same points",
                tenths(elo)
            ),
            (MatchNote::BeyondScale, elo, low, high) => format!(
                "{} [{}, {}] ({percent}); `-` is beyond the scale, which ends at +-{SCALE}",
                tenths(elo),
                tenths(low),
                tenths(high)
            ),
            (MatchNote::Unspecified, None, ..) => "unknown, as there is no whole pair".to_owned(),
            (MatchNote::Unspecified, elo, ..) => {
                format!("{} +- {} ({percent})", tenths(elo), tenths(self.half()))
            }
        }
    }

    /// What is special about the games, as scripts read it.
    pub fn note(&self) -> Option<&'static str> {
        match self.note {
            MatchNote::Unspecified => None,
            MatchNote::AllAlike => Some("all-alike"),
            MatchNote::Perfect => Some("perfect"),
            MatchNote::BeyondScale => Some("beyond-scale"),
        }
    }

    /// Whether anything is known of how the results spread, on which a likelihood ratio rests.
    pub fn has_spread(&self) -> bool {
        !matches!(self.note, MatchNote::AllAlike | MatchNote::Perfect)
    }

    fn half(&self) -> Option<f64> {
        self.elo?;
        Some(0.5 * (self.high? - self.low?))
    }
}

/// What to know of a likelihood ratio, a line each: results without a spread, and one that was not found exactly.
pub fn ratio_remarks(has_spread: bool, closed_form: bool) -> String {
    let mut text = String::new();
    if !has_spread {
        text += "All results have the same points: the ratio rests on the 0.001 results that stand in every empty cell.\n";
    }
    if closed_form {
        text += "The ratio is the closed form of normal results, as the exact maximum likelihood was not found.\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use server::ratings::{CellSet, Histogram, match_estimate};

    use super::Difference;

    #[test]
    fn what_is_unknown_is_not_printed() {
        let of = |counts: [u64; 5]| {
            let histogram = Histogram::new(CellSet::ThreePairs, &counts).unwrap();
            Difference::from(&match_estimate(&histogram, 0.95).unwrap())
        };
        let perfect = of([0, 0, 0, 0, 5]);
        assert_eq!(perfect.short(), "> 182.7");
        assert_eq!(
            perfect.text(),
            "above 182.7 (95 %, one-sided), as all games were won"
        );
        assert_eq!(of([5, 0, 0, 0, 0]).short(), "< -182.7");
        let level = of([0, 0, 9, 0, 0]);
        assert_eq!(level.short(), "0.0 +- -");
        assert!(level.text().starts_with("0.0, without an interval"));
        assert!(!level.has_spread() && of([1, 2, 3, 2, 1]).has_spread());
        let beyond = of([0, 0, 0, 1, 20]);
        assert!(
            beyond.text().contains(", -] (95 %); `-` is beyond"),
            "{}",
            beyond.text()
        );
        assert_eq!(beyond.note(), Some("beyond-scale"));
    }
}
