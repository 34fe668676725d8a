//! Analysis jobs and analysed positions.

use prost::Message as _;
use proto::store::{AnalysisCancelled, AnalysisCreated, AnalysisStored};

use super::decode;
use crate::{
    model::AnalysisId,
    store::{
        Location, StoreError,
        keys::{self, Key},
        state::Overlay,
    },
};

/// An analysis job.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AnalysisEntry {
    /// The record that made it.
    #[prost(message, optional, tag = "1")]
    pub location: Option<Location>,
    /// Whether a user ended it.
    #[prost(bool, tag = "2")]
    pub cancelled: bool,
}

/// An analysed position.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AnalysedEntry {
    /// The record with the evaluation.
    #[prost(message, optional, tag = "1")]
    pub location: Option<Location>,
}

pub(super) fn unique_job(change: &AnalysisCreated) -> Key {
    keys::analysis(AnalysisId(change.id))
}

pub(super) fn created(
    change: &AnalysisCreated,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    index.set(
        unique_job(change),
        AnalysisEntry {
            location: Some(at),
            cancelled: false,
        }
        .encode_to_vec(),
    )
}

pub(super) fn unique(change: &AnalysisStored) -> Key {
    keys::analysed(AnalysisId(change.id), change.position)
}

pub(super) fn stored(
    change: &AnalysisStored,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    index.set(
        unique(change),
        AnalysedEntry { location: Some(at) }.encode_to_vec(),
    )
}

pub(super) fn cancelled(
    change: &AnalysisCancelled,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let key = keys::analysis(AnalysisId(change.id));
    let Some(bytes) = index.get(&key)? else {
        return Err(StoreError::unreadable(
            format!("analysis job {}", change.id),
            "it is ended but was never made",
        ));
    };
    let entry: AnalysisEntry = decode("analysis job", &bytes)?;
    index.set(
        key,
        AnalysisEntry {
            cancelled: true,
            ..entry
        }
        .encode_to_vec(),
    )
}
