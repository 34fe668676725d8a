//! Tournaments, their states and parked batches.

use prost::Message as _;
use proto::{
    store::{
        BatchParked, CourseChanged, EngineQuarantined, TournamentCreated, TournamentStateChanged,
    },
    v1,
};

use super::decode;
use crate::{
    model::{AnalysisId, Digest, JobId, TournamentId},
    store::{
        Location, StoreError,
        keys::{self, Key},
        state::Overlay,
    },
};

/// A tournament.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TournamentEntry {
    /// The record that made it.
    #[prost(message, optional, tag = "1")]
    pub location: Option<Location>,
    /// Its state.
    #[prost(enumeration = "v1::TournamentState", tag = "2")]
    pub state: i32,
}

/// A change of a tournament's course.
#[derive(Clone, PartialEq, prost::Message)]
pub struct CourseEntry {
    /// The record.
    #[prost(message, optional, tag = "1")]
    pub location: Option<Location>,
}

pub(super) fn unique_course(change: &CourseChanged) -> Key {
    keys::course(TournamentId(change.id), change.number)
}

pub(super) fn course_changed(
    change: &CourseChanged,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let entry = CourseEntry { location: Some(at) };
    index.set(unique_course(change), entry.encode_to_vec())
}

pub(super) fn unique(change: &TournamentCreated) -> Key {
    keys::tournament(TournamentId(change.id))
}

pub(super) fn created(
    change: &TournamentCreated,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let entry = TournamentEntry {
        location: Some(at),
        state: v1::TournamentState::Running.into(),
    };
    index.set(unique(change), entry.encode_to_vec())?;
    let hash = <[u8; 32]>::try_from(change.spec_hash.as_slice()).map_err(|_| {
        StoreError::unreadable(
            format!("tournament {}", change.id),
            "its hash has not 32 bytes",
        )
    })?;
    index.set(
        keys::spec_hash_of(&Digest(hash), TournamentId(change.id)),
        Vec::new(),
    )
}

pub(super) fn state_changed(
    change: &TournamentStateChanged,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let id = TournamentId(change.id);
    let key = keys::tournament(id);
    let Some(bytes) = index.get(&key)? else {
        return Err(StoreError::unreadable(
            format!("tournament {id}"),
            "its state changes but it was never made",
        ));
    };
    let entry: TournamentEntry = decode("tournament", &bytes)?;
    index.set(
        key,
        TournamentEntry {
            state: change.state,
            ..entry
        }
        .encode_to_vec(),
    )?;
    if change.state() == v1::TournamentState::Running {
        for key in index.keys(&keys::parked_of(JobId::Tournament(id)))? {
            index.remove(key)?;
        }
    }
    Ok(())
}

pub(super) fn parked(change: &BatchParked, index: &mut Overlay<'_>) -> Result<(), StoreError> {
    let job = if change.analysis {
        JobId::Analysis(AnalysisId(change.work_id))
    } else {
        JobId::Tournament(TournamentId(change.work_id))
    };
    let parked = change.parked.clone().unwrap_or_default();
    index.set(keys::parked(job, parked.batch), parked.encode_to_vec())
}

pub(super) fn stopped(
    change: &EngineQuarantined,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let key = keys::stopped(TournamentId(change.id), at.sequence);
    let engine = change.engine.unwrap_or_default();
    index.set(key, engine.encode_to_vec())
}
