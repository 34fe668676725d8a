//! Settings of the coordinator.

use std::{fmt, path::PathBuf, sync::Arc, thread::available_parallelism, time::Duration};

use crate::{
    dispatch::RegistryLimits,
    rules::{Game, Variant},
    store::OpenOptions,
};

/// Evaluation of an opening in centipawns, from the point of view of the side to move; for openings with a balance
/// bound. The coordinator has no evaluation of its own.
pub type OpeningScore = Arc<dyn Fn(&Game) -> i32 + Send + Sync>;

/// What is wrong with the text of an evaluation file for a variant, if anything is. The coordinator cannot tell itself.
pub type EvaluationCheck = Arc<dyn Fn(&Variant, &str) -> Result<(), String> + Send + Sync>;

/// Settings of the coordinator.
#[derive(Clone)]
pub struct Config {
    /// The data directory.
    pub data_dir: PathBuf,
    /// Token that every call must carry as `authorization: Bearer TOKEN`; none = open to all who can connect.
    pub token: Option<String>,
    /// Identity of the build of the built-in engine that versions without a build of their own resolve to.
    pub builtin_build: String,
    /// Revision of that build's sources, for people; empty = unknown.
    pub revision: String,
    /// Node-count signature of that build's search, for people; 0 = unknown.
    pub bench_signature: u64,
    /// How long a lease lasts without progress.
    pub lease: Duration,
    /// How long leases outlive a broken stream.
    pub grace: Duration,
    /// Least time between two progress messages of one game.
    pub progress_interval: Duration,
    /// Failed attempts after which a batch is parked.
    pub most_failures: u32,
    /// Time granted to an engine beyond its time before its flag falls.
    pub time_margin: Duration,
    /// Bounds of the registry of workers.
    pub workers: RegistryLimits,
    /// Games replayed at the same time.
    pub replays: usize,
    /// Queries computed at the same time.
    pub queries: usize,
    /// Cache of the index in bytes.
    pub cache_bytes: u64,
    /// Evaluation of openings; none = a balance bound is refused.
    pub opening_score: Option<OpeningScore>,
    /// Check of built-in engines' evaluations; none = only workers find out that one does not fit.
    pub evaluation_check: Option<EvaluationCheck>,
}

impl Config {
    /// The defaults, for a data directory.
    pub fn new(data_dir: impl Into<PathBuf>) -> Self {
        let threads = available_parallelism().map_or(1, usize::from);
        Self {
            data_dir: data_dir.into(),
            token: None,
            builtin_build: engine::BUILD.to_owned(),
            revision: String::new(),
            bench_signature: 0,
            lease: Duration::from_secs(30),
            grace: Duration::from_secs(5),
            progress_interval: Duration::from_secs(1),
            most_failures: 5,
            time_margin: Duration::from_millis(100),
            workers: RegistryLimits {
                workers: 10_000,
                credits: 64,
                testimony_burst: 50,
                testimony_refill: Duration::from_secs(6),
                failures: 5,
                failures_beside_others: 3,
                quarantine: Duration::from_secs(30),
                forget: Duration::from_secs(600),
            },
            replays: threads,
            queries: threads,
            cache_bytes: 64 * 1024 * 1024,
            opening_score: None,
            evaluation_check: None,
        }
    }

    /// How the store is opened.
    pub fn store(&self) -> OpenOptions {
        OpenOptions {
            cache_bytes: self.cache_bytes,
            ..OpenOptions::new(&self.data_dir)
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("data_dir", &self.data_dir)
            .field("token", &self.token.as_ref().map(|_| "(secret)"))
            .field("builtin_build", &self.builtin_build)
            .finish_non_exhaustive()
    }
}
