//! How the players of a tournament are ordered when they have equal points.

use super::{FormatKind, SpecError};

/// How players with equal points are told apart. Fixed when the tournament is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standings {
    /// What decides, in this order; at last the order of the file does.
    pub tie_breaks: Vec<TieBreak>,
    /// How rounds that a player did not play count for the Buchholz family.
    pub unplayed: Unplayed,
}

/// How rounds that a player did not play count for the Buchholz family.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unplayed {
    /// Not at all.
    #[default]
    NotCounted,
    /// As games against a dummy with the player's own final points, up to the most games that anyone has played.
    Dummy,
}

/// Declares the tie-breaks with their names in a tournament file.
macro_rules! tie_breaks {
    ($($(#[$doc:meta])* $name:ident = $text:literal),+ $(,)?) => {
        /// A way of telling players with equal points apart.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum TieBreak {
            $($(#[$doc])* $name),+
        }

        impl TieBreak {
            /// All there are.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// Its name in a tournament file.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text),+
                }
            }
        }
    };
}

tie_breaks! {
    /// Points among the tied, where all of them met equally often.
    DirectEncounter = "direct-encounter",
    /// Own points weighted by the opponents' final points.
    SonnebornBerger = "sonneborn-berger",
    /// Number of wins.
    Wins = "wins",
    /// Number of wins in games in which the opponent moved first.
    WinsSecond = "wins-second",
    /// Opponents' final points.
    Buchholz = "buchholz",
    /// Opponents' final points without the lowest.
    BuchholzCut1 = "buchholz-cut-1",
    /// Opponents' final points without the lowest and the highest.
    MedianBuchholz = "median-buchholz",
    /// Number of games in which the opponent moved first.
    GamesSecond = "games-second",
    /// Points against opponents with at least half of their points.
    Koya = "koya",
    /// Sum of the running scores after each round.
    Progressive = "progressive",
    /// Fewer crashes, hangs, time forfeits and illegal moves.
    FewerForfeits = "fewer-forfeits",
    /// Mean rating of the opponents, in hundredths of an Elo. Ratings are those that the results of the tournament itself
    /// give (STATS.md 1.2, model A), rounded once. Void where not all compare.
    MeanOpponentRating = "mean-opponent-rating",
    /// Rating at which the points obtained against these opponents would have been expected, in hundredths of an Elo. Void
    /// as the one before.
    Performance = "performance",
}

const FIELD: &str = "standings.tie_breaks";

impl Standings {
    /// What a format has when its tournament does not say.
    pub fn of_format(kind: &FormatKind) -> Self {
        use TieBreak::{
            Buchholz, BuchholzCut1, DirectEncounter, Progressive, SonnebornBerger, Wins, WinsSecond,
        };
        let tie_breaks = match kind {
            FormatKind::Swiss { .. } => vec![
                BuchholzCut1,
                Buchholz,
                SonnebornBerger,
                Progressive,
                DirectEncounter,
            ],
            FormatKind::RoundRobin
            | FormatKind::Gauntlet { .. }
            | FormatKind::HeadToHead
            | FormatKind::Pyramid
            | FormatKind::Knockout { .. }
            | FormatKind::Ladder { .. }
            | FormatKind::Adaptive { .. }
            | FormatKind::Spsa(_) => {
                vec![DirectEncounter, SonnebornBerger, Wins, WinsSecond]
            }
        };
        Self {
            tie_breaks,
            unplayed: Unplayed::default(),
        }
    }

    /// What a tournament of a format says; without tie-breaks it has those of its format.
    pub fn new(
        tie_breaks: Vec<TieBreak>,
        unplayed: Unplayed,
        kind: &FormatKind,
    ) -> Result<Self, SpecError> {
        let twice = tie_breaks
            .iter()
            .enumerate()
            .find(|(index, own)| tie_breaks[..*index].contains(own));
        if let Some((index, own)) = twice {
            let problem = format!("names `{}` twice: name each once", own.text());
            return Err(SpecError::new(format!("{FIELD}[{index}]"), problem));
        }
        Ok(Self {
            tie_breaks: match tie_breaks.is_empty() {
                true => Self::of_format(kind).tie_breaks,
                false => tie_breaks,
            },
            unplayed,
        })
    }
}

impl TieBreak {
    /// The tie-breaks of their names.
    pub fn of_names(names: &[String]) -> Result<Vec<Self>, SpecError> {
        if names.is_empty() {
            let problem = "is empty: name some, or leave it out for those of the format";
            return Err(SpecError::new(FIELD, problem));
        }
        let named = |(index, name): (usize, &String)| {
            let all = Self::ALL.iter();
            let found = all.clone().find(|tie_break| tie_break.text() == name);
            found.copied().ok_or_else(|| {
                let known: Vec<_> = all.map(|tie_break| tie_break.text()).collect();
                SpecError::new(
                    format!("{FIELD}[{index}]"),
                    format!("is `{name}`: it must be one of {}", known.join(", ")),
                )
            })
        };
        names.iter().enumerate().map(named).collect()
    }
}
