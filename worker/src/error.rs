//! Why a worker gives up.

use std::{io, path::PathBuf, time::Duration};

/// Why a worker gives up. Anything that may mend itself is retried and is no error.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// A setting cannot be used.
    #[error("{setting}: {problem}")]
    Config {
        /// The setting.
        setting: String,
        /// What is wrong and what is expected.
        problem: String,
    },
    /// A file of the worker's own cannot be read or written.
    #[error("cannot use `{}`", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The coordinator refused the registration for good.
    #[error("the coordinator at {address} refused this worker: {message}")]
    Refused {
        /// Where the coordinator is.
        address: String,
        /// What it said; names the remedy.
        message: String,
    },
    /// The coordinator did not accept the token.
    #[error(
        "the coordinator at {address} did not accept the token: {message}; give the token that it was started with"
    )]
    Unauthenticated {
        /// Where the coordinator is.
        address: String,
        /// What it said.
        message: String,
    },
    /// The coordinator could not be reached for as long as the worker was told to try.
    #[error("no coordinator could be reached at {address} for {} s: {message}", tried.as_secs())]
    Unreachable {
        /// Where the coordinator should be.
        address: String,
        /// How long it was tried.
        tried: Duration,
        /// What the last attempt said.
        message: String,
    },
    /// A slot's thread neither finished nor could be stopped; only ending the process ends it.
    #[error(
        "slot {slot} cannot be stopped: its built-in engine ignores the watchdog; restart the worker and report this"
    )]
    SlotStuck {
        /// Number of the slot, from 0.
        slot: usize,
    },
}
