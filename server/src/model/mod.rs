//! Ids and domain types: tournament, engine version, batch, game record. Pure.
//!
//! | module | holds |
//! | --- | --- |
//! | [`ids`] | numbers and hashes that name things |
//! | [`limit`] | how long a player may think |
//! | [`engine`] | engines as written, and the versions and players they resolve to |
//! | [`spec`] | what a tournament plays |
//! | [`standings`] | how its players with equal points are ordered |
//! | [`check`] | what a specification must fulfil |
//! | [`normal`] | the hash by which a tournament is found again |
//! | [`wire`] | the model to and from its protocol messages |
//! | [`tournament_file`] | the model to and from TOML |
//! | [`end`] | results and end reasons |
//! | [`format`](mod@format) | the keys of a format |
//! | [`adjudicate`] | the rules by which a game is ended early |

pub mod adjudicate;
pub mod check;
pub mod end;
pub mod engine;
pub mod format;
pub mod ids;
pub mod limit;
pub mod normal;
pub mod spec;
pub mod standings;
pub mod tournament_file;
pub mod wire;

pub use end::{Colour, EndClass, EndReason, GameResult, Outcome};
pub use engine::{EngineSource, EngineSpec, Player};
pub use format::{FormatKeys, FormatName};
pub use ids::{
    AnalysisId, Attempt, BatchIndex, Digest, DigestError, GameIndex, GameKey, JobId, PlayingKey,
    SessionId, TournamentId, WorkerId,
};
pub use limit::Limit;
pub use spec::{
    AdaptiveGoal, Adjudication, AdjudicationRule, BookOpenings, Format, FormatKind, OpeningOrder,
    Openings, Seeding, SpecError, Sprt, TournamentSpec, TournamentState, UntilDecided,
    VariantSource,
};
pub use standings::Standings;
