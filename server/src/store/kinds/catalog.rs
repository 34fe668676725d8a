//! Epochs, variants, engine versions, artifacts, quarantines.

use prost::Message as _;
use proto::{
    store::{
        ArtifactAdded, CommandBound, EngineNamed, EngineRegistered, EngineRetired, EpochStarted,
        VariantAdded, WorkerQuarantined,
    },
    v1,
};

use super::{decode, digest};
use crate::store::{
    Location, StoreError,
    keys::{self, Key},
    state::Overlay,
};

/// A known variant.
#[derive(Clone, PartialEq, prost::Message)]
pub struct VariantEntry {
    /// Its id.
    #[prost(string, tag = "1")]
    pub id: String,
    /// The record with its definition.
    #[prost(message, optional, tag = "2")]
    pub location: Option<Location>,
}

/// A known engine version.
#[derive(Clone, PartialEq, prost::Message)]
pub struct EngineEntry {
    /// The record with it.
    #[prost(message, optional, tag = "1")]
    pub location: Option<Location>,
    /// Whether it is out of use.
    #[prost(bool, tag = "2")]
    pub retired: bool,
}

/// The executable of an engine version.
#[derive(Clone, PartialEq, prost::Message)]
pub struct BoundEntry {
    /// The version's hash.
    #[prost(string, tag = "1")]
    pub version: String,
    /// SHA-256 of the executable.
    #[prost(string, tag = "2")]
    pub sha256: String,
}

/// The engine version of a name.
#[derive(Clone, PartialEq, prost::Message)]
pub struct NameEntry {
    /// The name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The version's hash.
    #[prost(string, tag = "2")]
    pub version: String,
}

/// A worker that was put in quarantine.
#[derive(Clone, PartialEq, prost::Message)]
pub struct QuarantineEntry {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Why.
    #[prost(string, tag = "2")]
    pub reason: String,
}

/// The newest epoch.
#[derive(Clone, PartialEq, prost::Message)]
pub(in crate::store) struct EpochEntry {
    /// Its number.
    #[prost(uint64, tag = "1")]
    pub(in crate::store) epoch: u64,
}

pub(super) fn epoch(change: &EpochStarted, index: &mut Overlay<'_>) -> Result<(), StoreError> {
    index.set(
        keys::epoch(),
        EpochEntry {
            epoch: change.epoch,
        }
        .encode_to_vec(),
    )
}

pub(super) fn unique_variant(change: &VariantAdded) -> Result<Key, StoreError> {
    let hash = change.variant.as_ref().map_or("", |variant| &variant.hash);
    Ok(keys::variant(&digest("a variant's hash", hash)?))
}

pub(super) fn variant(
    change: &VariantAdded,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let id = change
        .variant
        .as_ref()
        .map(|variant| variant.id.clone())
        .unwrap_or_default();
    index.set(
        unique_variant(change)?,
        VariantEntry {
            id,
            location: Some(at),
        }
        .encode_to_vec(),
    )
}

pub(super) fn quarantine(
    change: &WorkerQuarantined,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    let entry = QuarantineEntry {
        name: change.name.clone(),
        reason: change.reason.clone(),
    };
    index.set(keys::quarantine(at.sequence), entry.encode_to_vec())
}

pub(super) fn unique_engine(change: &EngineRegistered) -> Result<Key, StoreError> {
    let engine: Option<&v1::EngineVersion> = change.engine.as_ref();
    Ok(keys::engine(&digest(
        "an engine version's hash",
        engine.map_or("", |engine| &engine.version),
    )?))
}

pub(super) fn engine(
    change: &EngineRegistered,
    at: Location,
    index: &mut Overlay<'_>,
) -> Result<(), StoreError> {
    index.set(
        unique_engine(change)?,
        EngineEntry {
            location: Some(at),
            ..EngineEntry::default()
        }
        .encode_to_vec(),
    )
}

pub(super) fn named(change: &EngineNamed, index: &mut Overlay<'_>) -> Result<(), StoreError> {
    let entry = NameEntry {
        name: change.name.clone(),
        version: change.version.clone(),
    };
    index.set(keys::engine_name(&change.name), entry.encode_to_vec())
}

pub(super) fn retired(change: &EngineRetired, index: &mut Overlay<'_>) -> Result<(), StoreError> {
    let key = keys::engine(&digest("an engine version's hash", &change.version)?);
    let Some(bytes) = index.get(&key)? else {
        return Err(StoreError::unreadable(
            format!("engine version {}", change.version),
            "it is retired but was never made known",
        ));
    };
    let mut entry: EngineEntry = decode("engine version", &bytes)?;
    entry.retired = change.retired;
    index.set(key, entry.encode_to_vec())
}

pub(super) fn bound(change: &CommandBound, index: &mut Overlay<'_>) -> Result<(), StoreError> {
    let key = keys::bound(&digest("an engine version's hash", &change.version)?);
    let entry = BoundEntry {
        version: change.version.clone(),
        sha256: change.sha256.clone(),
    };
    index.set(key, entry.encode_to_vec())
}

pub(super) fn unique_artifact(change: &ArtifactAdded) -> Result<Key, StoreError> {
    Ok(keys::artifact(&digest(
        "an artifact's hash",
        &change.sha256,
    )?))
}

pub(super) fn artifact(change: &ArtifactAdded, index: &mut Overlay<'_>) -> Result<(), StoreError> {
    index.set(unique_artifact(change)?, change.size.to_be_bytes().to_vec())
}
