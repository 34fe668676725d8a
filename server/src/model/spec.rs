//! What a tournament plays.

use std::num::{NonZeroU32, NonZeroU64};

use engine::book::BookFormat;

use super::{Digest, EngineSpec, Limit, Quarantine, SpsaSpec, Standings};
use crate::ratings::{
    CellSet,
    sprt::{self, EloUnit, SprtSpec},
};

/// What a tournament plays, checked. The TOML file and the protocol message are the same model.
#[derive(Clone, Debug, PartialEq)]
pub struct TournamentSpec {
    /// Name for people.
    pub name: String,
    /// The rules.
    pub variant: VariantSource,
    /// Seed of everything random.
    pub seed: u64,
    /// Pairs a batch; none = chosen by the coordinator.
    pub batch_pairs: Option<NonZeroU32>,
    /// Where the openings come from.
    pub openings: Openings,
    /// Who meets whom and how often.
    pub format: Format,
    /// Limit of the engines that have none of their own.
    pub limit: Option<Limit>,
    /// The engines, at least two.
    pub engines: Vec<EngineSpec>,
    /// When a game may be ended early.
    pub adjudication: Adjudication,
    /// A sequential test of the second engine (candidate) against the first (base).
    pub sprt: Option<Sprt>,
    /// A game that reaches this many plies ends, 1 to [`TournamentSpec::MAX_PLIES`].
    pub max_plies: u32,
    /// How players with equal points are ordered; none = as its format does.
    pub standings: Option<Standings>,
    /// When an engine's own faults stop it; none = [`Quarantine::default`].
    pub quarantine: Option<Quarantine>,
}

impl TournamentSpec {
    /// Most plies of a game, and the default of `max_plies`.
    pub const MAX_PLIES: u32 = 4000;

    /// How players with equal points are ordered.
    pub fn standings(&self) -> Standings {
        let given = self.standings.clone();
        given.unwrap_or_else(|| Standings::of_format(&self.format.kind))
    }

    /// Name of the pool in which the games are rated, together with the variant's hash.
    pub fn limit_class(&self) -> String {
        self.limit
            .map_or_else(|| "own".to_owned(), |limit| limit.to_string())
    }
}

/// The rules of a tournament.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VariantSource {
    /// Id of the variant; may be empty when there is a text.
    pub id: String,
    /// Text of a user's variant file.
    pub text: Option<String>,
}

/// Where the openings come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Openings {
    /// The variant's numbered set-ups.
    Setups {
        /// Exactly these, in this order; empty = drawn from all.
        numbers: Vec<u64>,
        /// Draw only this many different ones; none = all.
        sample: Option<NonZeroU64>,
    },
    /// Random armies drawn by the seed.
    Armies,
    /// Given positions.
    List {
        /// FENs, at least one.
        fens: Vec<String>,
        /// In which order they are used.
        order: OpeningOrder,
    },
    /// A book that was uploaded.
    Book(BookOpenings),
    /// Random moves from the start.
    Random {
        /// Random plies from a random set-up.
        plies: u32,
        /// Bound of the evaluation's distance from zero in centipawns.
        balance_cp: Option<NonZeroU32>,
    },
}

/// The openings of a book that was uploaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookOpenings {
    /// SHA-256 of the file.
    pub sha256: Digest,
    /// In which order its openings are used.
    pub order: OpeningOrder,
    /// How it is written; none = told by how it begins.
    pub format: Option<BookFormat>,
    /// Plies that are played of each game of a PGN; none = all.
    pub plies: Option<NonZeroU32>,
    /// Number of the opening with which a sequential order begins, from 1; none = the first.
    pub start: Option<NonZeroU64>,
    /// Use only this many different ones; none = all.
    pub sample: Option<NonZeroU64>,
}

/// In which order given positions are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningOrder {
    /// As given.
    Sequential,
    /// Shuffled by the seed.
    Random,
}

/// Who meets whom and how often.
#[derive(Clone, Debug, PartialEq)]
pub struct Format {
    /// Who meets whom.
    pub kind: FormatKind,
    /// Pairs an encounter, or an iteration of SPSA: two games each, colours reversed.
    pub pairs: NonZeroU32,
    /// In which order the engines are seeded, for formats that seed: Swiss, knockout and ladder.
    pub seeding: Seeding,
}

/// In which order the engines of a tournament are seeded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seeding {
    /// As they stand in the specification.
    #[default]
    Order,
    /// By their ratings in the tournament's pool at the time when it is made, best first; those without one come last.
    Rating,
}

/// Who meets whom.
#[derive(Clone, Debug, PartialEq)]
pub enum FormatKind {
    /// Every engine meets every other one.
    RoundRobin,
    /// The challengers, by index of the engine, meet all others.
    Gauntlet {
        /// At least one and not all.
        challengers: Vec<usize>,
    },
    /// Two engines meet.
    HeadToHead,
    /// Every engine meets every other one, engine by engine: the second meets the first, the third those two, and so on.
    Pyramid,
    /// Engines with about equal points meet, in rounds.
    Swiss {
        /// Rounds; none = by the number of engines.
        rounds: Option<NonZeroU32>,
    },
    /// Who loses an encounter is out; engines are seeded in their order.
    Knockout {
        /// Most further pairs of a level encounter.
        tie_pairs: u32,
        /// Whether those who lost the semi-finals play for the third place.
        third_place: bool,
        /// A sequential test that ends an encounter; none = it is `pairs` long.
        until: Option<UntilDecided>,
    },
    /// Who beats the engine above takes its place; engines stand in their order at first.
    Ladder {
        /// Rounds; none = as many as engines.
        rounds: Option<NonZeroU32>,
    },
    /// The encounters that tell most about the ratings.
    Adaptive {
        /// Pairs in all.
        total_pairs: NonZeroU32,
        /// Percent of the encounters that are drawn at random.
        random_percent: u32,
        /// What the encounters are to tell.
        goal: AdaptiveGoal,
    },
    /// Options of one engine are tuned: it plays against itself, with the options moved both ways.
    Spsa(SpsaSpec),
}

/// An encounter that goes on until it is decided who is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UntilDecided {
    /// The test is of minus this against plus this, in normalized Elo.
    pub elo: NonZeroU32,
    /// At most this many pairs; then points decide.
    pub most_pairs: NonZeroU32,
}

/// What the encounters of an adaptive tournament are to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AdaptiveGoal {
    /// All ratings, so that the sum of their variances is small.
    #[default]
    Ratings,
    /// All ratings together, so that their common confidence region is small.
    Volume,
    /// Who is better than whom among neighbours of the list.
    Order,
}

/// When a game may be ended early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Adjudication {
    /// A side is lost: a win for the other.
    pub resign: Option<AdjudicationRule>,
    /// Nobody wins: a draw.
    pub draw: Option<AdjudicationRule>,
    /// A side is better: an advantage.
    pub advantage: Option<AdjudicationRule>,
}

/// One adjudication rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdjudicationRule {
    /// Bound in centipawns.
    pub score_cp: u32,
    /// Full moves in a row for which the bound must hold.
    pub moves: NonZeroU32,
    /// Full moves that must have been played before.
    pub after_move: u32,
}

/// A sequential probability ratio test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    /// Elo difference of the null hypothesis.
    pub elo0: f64,
    /// Elo difference of the alternative.
    pub elo1: f64,
    /// Probability of a false acceptance.
    pub alpha: f64,
    /// Probability of a false rejection.
    pub beta: f64,
    /// Unit of the differences.
    pub unit: EloUnit,
    /// Whether the bounds of the ratio move in by the estimated overshoot; none = yes if a batch has more than one pair.
    pub overshoot_correction: Option<bool>,
}

impl Sprt {
    /// The question that is asked of game pairs.
    pub fn question(&self) -> Result<SprtSpec, sprt::SpecError> {
        SprtSpec::new(
            self.unit,
            self.elo0,
            self.elo1,
            self.alpha,
            self.beta,
            CellSet::FivePairs,
        )
    }
}

/// The state of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TournamentState {
    /// Batches are leased.
    Running,
    /// No batches are leased.
    Paused,
    /// All games are stored, or the sequential test has its verdict.
    Finished,
    /// Ended by a user.
    Cancelled,
}

impl TournamentState {
    /// Whether nothing will be played any more.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Cancelled)
    }
}

/// What is wrong with a specification, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct SpecError {
    /// Path of the key as in the TOML file, e.g. `engine[1].limit.nodes`.
    pub field: String,
    /// What is wrong and what is expected.
    pub problem: String,
}

impl SpecError {
    /// An error at a key.
    pub fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            problem: problem.into(),
        }
    }
}
