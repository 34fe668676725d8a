//! What is on disk, and when it is safe.
//!
//! ```text
//! data directory
//!   brouhaha-store      says that this is one, with the schema's version
//!   lock                held while a program uses it
//!   journal/            append-only segments of checksummed records: the only truth
//!   state/              sled: an index of the journal, thrown away and rebuilt on any doubt
//!   artifacts/          files named by their SHA-256
//! ```
//!
//! | module | does |
//! | --- | --- |
//! | [`error`] | what can go wrong |
//! | [`directory`] | the data directory: marker, schema version, lock |
//! | [`journal`] | frames, segments, group append, recovery of the tail |
//! | [`keys`] | keys of the index |
//! | [`kinds`] | what each kind of record changes in the index |
//! | [`state`] | the index: the trait, sled, and a map in memory |
//! | [`open`] | brings journal and index together |
//! | [`committer`] | the one thread that writes |
//! | [`view`] | typed reads |
//! | [`artifacts`] | content-addressed files |
//! | [`books`] | where the openings of a book begin: derived, beside its artifact |
//! | [`maintenance`] | check and rebuild |

pub mod artifacts;
pub mod books;
pub mod committer;
pub mod directory;
pub mod error;
pub mod journal;
pub mod keys;
pub mod kinds;
pub mod maintenance;
pub mod open;
pub mod state;
pub mod view;

pub use artifacts::{ArtifactFiles, Artifacts};
pub use committer::{Answer, Committed, Store};
pub use error::StoreError;
pub use journal::Location;
pub use maintenance::{CheckReport, RebuildReport, check, rebuild};
pub use open::{OpenOptions, Opened};
pub use view::View;

#[cfg(test)]
mod tests;
