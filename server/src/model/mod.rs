//! Ids and domain types: tournament, engine version, batch, game record. Pure.
//!
//! | module | holds |
//! | --- | --- |
//! | [`ids`] | numbers and hashes that name things |
//! | [`limit`] | how long a player may think |
//! | [`source`] | where an engine comes from: built in, a command of the worker's, files of several platforms |
//! | [`engine`] | engines as written, and the versions and players they resolve to |
//! | [`spec`] | what a tournament plays |
//! | [`spsa`] | a tuning of options |
//! | [`standings`] | how its players with equal points are ordered |
//! | [`check`] | what a specification must fulfil |
//! | [`normal`] | the hash by which a tournament is found again |
//! | [`quarantine`] | when an engine's own faults stop it |
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
pub mod quarantine;
pub mod source;
pub mod spec;
pub mod spsa;
pub mod standings;
pub mod tournament_file;
pub mod wire;

pub use end::{Colour, EndClass, EndReason, GameResult, Outcome};
pub use engine::{EngineSpec, Player};
pub use format::{FormatKeys, FormatName};
pub use ids::{
    AnalysisId, Attempt, BatchIndex, Digest, DigestError, GameIndex, GameKey, JobId, PlayingKey,
    SessionId, TournamentId, WorkerId,
};
pub use limit::Limit;
pub use quarantine::Quarantine;
pub use source::{ArtifactEngine, BadPlatform, EngineProtocol, EngineSource, Platform};
pub use spec::{
    AdaptiveGoal, Adjudication, AdjudicationRule, BookOpenings, Format, FormatKind, OpeningOrder,
    Openings, Seeding, SpecError, Sprt, TournamentSpec, TournamentState, UntilDecided,
    VariantSource,
};
pub use spsa::{SpsaParameter, SpsaSpec};
pub use standings::Standings;
