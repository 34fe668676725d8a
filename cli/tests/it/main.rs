//! Tests of the binary with real processes.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod agreement;
mod bad_input;
mod books;
mod compare;
mod engines;
mod evaluation;
mod files;
mod formats;
mod kill;
mod process;
mod query;
mod ratings;
#[cfg(unix)]
mod revisions;
mod run;
mod standings;
mod stats;
mod tune;
