//! What each kind of record changes in the index.
//!
//! The same code runs when a record is committed, when the tail of the journal is replayed, and when the index is rebuilt,
//! so that all three end in the same entries.

mod analysis;
mod catalog;
mod game;
mod tournament;

use prost::Message as _;
use proto::store::{Record, record::Change};

pub use analysis::{AnalysedEntry, AnalysisEntry};
pub(super) use catalog::EpochEntry;
pub use catalog::{BoundEntry, EngineEntry, NameEntry, QuarantineEntry, VariantEntry};
pub use game::{GameEntry, KeptEntry, VoidedEntry, moves_digest, playing_key};
pub use tournament::{CourseEntry, TournamentEntry};

use super::{
    Location, StoreError,
    keys::{self, Key},
    state::Overlay,
};

/// Enters a record into the index.
pub fn apply(record: &Record, at: Location, index: &mut Overlay<'_>) -> Result<(), StoreError> {
    match &record.change {
        // A record of a later release that this one does not know changes nothing here.
        None => Ok(()),
        Some(Change::EpochStarted(change)) => catalog::epoch(change, index),
        Some(Change::VariantAdded(change)) => catalog::variant(change, at, index),
        Some(Change::WorkerQuarantined(change)) => catalog::quarantine(change, at, index),
        Some(Change::EngineRegistered(change)) => catalog::engine(change, at, index),
        Some(Change::EngineNamed(change)) => catalog::named(change, index),
        Some(Change::EngineRetired(change)) => catalog::retired(change, index),
        Some(Change::CommandBound(change)) => catalog::bound(change, index),
        Some(Change::ArtifactAdded(change)) => catalog::artifact(change, index),
        Some(Change::TournamentCreated(change)) => tournament::created(change, at, index),
        Some(Change::TournamentStateChanged(change)) => tournament::state_changed(change, index),
        Some(Change::CourseChanged(change)) => tournament::course_changed(change, at, index),
        Some(Change::BatchParked(change)) => tournament::parked(change, index),
        Some(Change::EngineQuarantined(change)) => tournament::stopped(change, at, index),
        Some(Change::GameStored(change)) => game::stored(change, at, index),
        Some(Change::GameKept(change)) => game::kept(change, at, index),
        Some(Change::GameVoided(change)) => game::voided(change, at, index),
        Some(Change::AnalysisCreated(change)) => analysis::created(change, at, index),
        Some(Change::AnalysisStored(change)) => analysis::stored(change, at, index),
        Some(Change::AnalysisCancelled(change)) => analysis::cancelled(change, index),
    }?;
    index.applied(at);
    Ok(())
}

/// The key that must be free for a record to be entered, for records that may be entered only once.
pub fn unique_key(record: &Record) -> Result<Option<Key>, StoreError> {
    match &record.change {
        Some(Change::GameStored(change)) => game::unique(change).map(Some),
        Some(Change::TournamentCreated(change)) => Ok(Some(tournament::unique(change))),
        Some(Change::CourseChanged(change)) => Ok(Some(tournament::unique_course(change))),
        Some(Change::AnalysisCreated(change)) => Ok(Some(analysis::unique_job(change))),
        Some(Change::AnalysisStored(change)) => Ok(Some(analysis::unique(change))),
        Some(Change::VariantAdded(change)) => catalog::unique_variant(change).map(Some),
        Some(Change::EngineRegistered(change)) => catalog::unique_engine(change).map(Some),
        Some(Change::EngineNamed(change)) => Ok(Some(keys::engine_name(&change.name))),
        Some(Change::ArtifactAdded(change)) => catalog::unique_artifact(change).map(Some),
        _ => Ok(None),
    }
}

/// Reads an entry of the index.
pub fn decode<T: prost::Message + Default>(what: &str, bytes: &[u8]) -> Result<T, StoreError> {
    T::decode(bytes)
        .map_err(|error| StoreError::unreadable(format!("an entry of the index ({what})"), error))
}

/// Reads a record of the journal.
pub fn decode_record(at: Location, bytes: &[u8]) -> Result<Record, StoreError> {
    Record::decode(bytes).map_err(|error| {
        StoreError::unreadable(format!("record {} of the journal", at.sequence), error)
    })
}

fn digest(what: &str, text: &str) -> Result<crate::model::Digest, StoreError> {
    text.parse()
        .map_err(|error| StoreError::unreadable(what, error))
}
