//! Typed reads of the index and, through it, of the journal. They block.

use std::{collections::BTreeMap, ops::ControlFlow, path::Path, sync::Arc};

use proto::{
    store::{
        AnalysisCreated, AnalysisStored, CourseChanged, EngineRegistered, GameStored, Record,
        TournamentCreated, VariantAdded, record::Change,
    },
    v1,
};

use super::{
    Location, StoreError,
    journal::JournalReader,
    keys::{self, Kind},
    kinds::{
        self, AnalysedEntry, AnalysisEntry, BoundEntry, CourseEntry, EngineEntry, GameEntry,
        NameEntry, TournamentEntry, VariantEntry,
    },
    state::State,
};
use crate::model::{AnalysisId, Digest, JobId, PlayingKey, TournamentId};

/// Typed reads.
#[derive(Clone)]
pub struct View {
    state: Arc<dyn State>,
    journal: JournalReader,
}

impl View {
    /// Reads of an index and its journal.
    pub(super) fn new(state: Arc<dyn State>, journal: JournalReader) -> Self {
        Self { state, journal }
    }

    pub(super) fn folder(&self) -> &Path {
        self.journal.folder()
    }

    /// The newest epoch; 0 before the first.
    pub fn epoch(&self) -> Result<u64, StoreError> {
        let entry = self.entry::<kinds::EpochEntry>("epoch", &keys::epoch())?;
        Ok(entry.map_or(0, |entry| entry.epoch))
    }

    /// The definition of a variant.
    pub fn variant(&self, hash: &Digest) -> Result<Option<VariantAdded>, StoreError> {
        let Some(entry) = self.entry::<VariantEntry>("variant", &keys::variant(hash))? else {
            return Ok(None);
        };
        self.change(entry.location, |change| match change {
            Change::VariantAdded(change) => Some(change),
            _ => None,
        })
        .map(Some)
    }

    /// All variants, in order of hash.
    pub fn variants(&self) -> Result<Vec<VariantAdded>, StoreError> {
        let entries = self.entries::<VariantEntry>("variant", &keys::all(Kind::Variant))?;
        let read = |entry: VariantEntry| {
            self.change(entry.location, |change| match change {
                Change::VariantAdded(change) => Some(change),
                _ => None,
            })
        };
        entries.into_iter().map(|(_, entry)| read(entry)).collect()
    }

    /// All tournaments, in order of number.
    pub fn tournaments(&self) -> Result<Vec<(v1::TournamentState, TournamentCreated)>, StoreError> {
        let entries =
            self.entries::<TournamentEntry>("tournament", &keys::all(Kind::Tournament))?;
        let read = |entry: TournamentEntry| {
            let created = self.change(entry.location, |change| match change {
                Change::TournamentCreated(change) => Some(change),
                _ => None,
            })?;
            Ok((entry.state(), created))
        };
        entries.into_iter().map(|(_, entry)| read(entry)).collect()
    }

    /// All playings of a tournament's games, in order of batch, game, generation, replica.
    pub fn games(
        &self,
        id: TournamentId,
        mut visit: impl FnMut(PlayingKey, GameEntry) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.state.scan(&keys::games_of(id), &mut |key, value| {
            visit(playing(key)?, kinds::decode("game", value)?)?;
            Ok(ControlFlow::Continue(()))
        })
    }

    /// One playing of a game.
    pub fn game(&self, key: &PlayingKey) -> Result<Option<GameEntry>, StoreError> {
        self.entry("game", &keys::game(key))
    }

    /// Everything about a stored game.
    pub fn game_record(&self, at: Option<Location>) -> Result<GameStored, StoreError> {
        self.change(at, |change| match change {
            Change::GameStored(change) => Some(change),
            _ => None,
        })
    }

    /// Playings of a tournament that were kept aside, with why.
    pub fn kept(
        &self,
        id: TournamentId,
    ) -> Result<Vec<(PlayingKey, kinds::KeptEntry)>, StoreError> {
        let entries = self.entries("kept playing", &keys::kept_of(id))?;
        entries
            .into_iter()
            .map(|(key, entry)| Ok((playing(&key)?, entry)))
            .collect()
    }

    /// Voided playings of a tournament, each with the sequence of the record that voided it.
    pub fn voided(&self, id: TournamentId) -> Result<Vec<(PlayingKey, u64)>, StoreError> {
        let entries = self.entries::<kinds::VoidedEntry>("voided game", &keys::voided_of(id))?;
        let sequence = |at: Option<Location>| at.map_or(0, |at| at.sequence);
        entries
            .iter()
            .map(|(key, entry)| Ok((playing(key)?, sequence(entry.location))))
            .collect()
    }

    /// Changes of a tournament's course in order, each with the sequence of its record.
    pub fn course(&self, id: TournamentId) -> Result<Vec<(CourseChanged, u64)>, StoreError> {
        let entries = self.entries::<CourseEntry>("change of a course", &keys::course_of(id))?;
        let read = |entry: CourseEntry| {
            let change = self.change(entry.location, |change| match change {
                Change::CourseChanged(change) => Some(change),
                _ => None,
            })?;
            Ok((change, entry.location.map_or(0, |at| at.sequence)))
        };
        entries.into_iter().map(|(_, entry)| read(entry)).collect()
    }

    /// Parked batches of a job.
    pub fn parked(&self, job: JobId) -> Result<Vec<v1::ParkedBatch>, StoreError> {
        let entries = self.entries("parked batch", &keys::parked_of(job))?;
        Ok(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    /// Engines that were stopped in a tournament by their own faults, in that order.
    pub fn stopped(&self, id: TournamentId) -> Result<Vec<v1::QuarantinedEngine>, StoreError> {
        let entries = self.entries("stopped engine", &keys::stopped_of(id))?;
        Ok(entries.into_iter().map(|(_, entry)| entry).collect())
    }

    /// All engine versions, in order of hash.
    pub fn engines(&self) -> Result<Vec<v1::EngineVersion>, StoreError> {
        let entries = self.entries::<EngineEntry>("engine version", &keys::all(Kind::Engine))?;
        let versions = entries.into_iter().map(|(_, entry)| self.engine_of(entry));
        let mut versions: Vec<v1::EngineVersion> = versions.collect::<Result<_, _>>()?;
        let (mut names, mut bound) = (self.engine_names()?, self.executables()?);
        for version in &mut versions {
            version.names = names.remove(&version.version).unwrap_or_default();
            version.bound_sha256 = bound.remove(&version.version).unwrap_or_default();
        }
        Ok(versions)
    }

    /// Executables that versions are bound to, those of tunings included: SHA-256 by version.
    pub fn executables(&self) -> Result<BTreeMap<String, String>, StoreError> {
        let entries = self.entries::<BoundEntry>("executable", &keys::all(Kind::Bound))?;
        let pair = |(_, entry): (keys::Key, BoundEntry)| (entry.version, entry.sha256);
        Ok(entries.into_iter().map(pair).collect())
    }

    /// Registered names by version, each in order.
    fn engine_names(&self) -> Result<BTreeMap<String, Vec<String>>, StoreError> {
        let mut names: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (_, entry) in self.entries::<NameEntry>("name of an engine", &keys::all(Kind::Name))? {
            names.entry(entry.version).or_default().push(entry.name);
        }
        Ok(names)
    }

    /// The hash of the version that was registered under a name.
    pub fn engine_named(&self, name: &str) -> Result<Option<String>, StoreError> {
        let entry: Option<NameEntry> = self.entry("name of an engine", &keys::engine_name(name))?;
        Ok(entry.map(|entry| entry.version))
    }

    /// An engine version; none when it is not known.
    pub fn engine(&self, version: &Digest) -> Result<Option<v1::EngineVersion>, StoreError> {
        let entry = self.entry("engine version", &keys::engine(version))?;
        let Some(entry) = entry else {
            return Ok(None);
        };
        let engine = self.engine_of(entry)?;
        let names = self.engine_names()?.remove(&engine.version);
        let bound: Option<BoundEntry> = self.entry("executable", &keys::bound(version))?;
        Ok(Some(v1::EngineVersion {
            names: names.unwrap_or_default(),
            bound_sha256: bound.map(|bound| bound.sha256).unwrap_or_default(),
            ..engine
        }))
    }

    fn engine_of(&self, entry: EngineEntry) -> Result<v1::EngineVersion, StoreError> {
        let registered: EngineRegistered = self.change(entry.location, |change| match change {
            Change::EngineRegistered(change) => Some(change),
            _ => None,
        })?;
        Ok(v1::EngineVersion {
            retired: entry.retired,
            ..registered.engine.unwrap_or_default()
        })
    }

    /// All analysis jobs, in order of number, with whether a user ended them.
    pub fn analyses(&self) -> Result<Vec<(bool, AnalysisCreated)>, StoreError> {
        let entries = self.entries::<AnalysisEntry>("analysis job", &keys::all(Kind::Analysis))?;
        let read = |entry: AnalysisEntry| {
            let created = self.change(entry.location, |change| match change {
                Change::AnalysisCreated(change) => Some(change),
                _ => None,
            })?;
            Ok((entry.cancelled, created))
        };
        entries.into_iter().map(|(_, entry)| read(entry)).collect()
    }

    /// Analysed positions of a job, in order, with where they stand.
    pub fn analysed(&self, id: AnalysisId) -> Result<Vec<(u32, Option<Location>)>, StoreError> {
        let entries = self.entries::<AnalysedEntry>("analysed position", &keys::analysed_of(id))?;
        let position = |key: &[u8]| {
            keys::last_u32(key)
                .ok_or_else(|| StoreError::unreadable("a key of the index", "it is too short"))
        };
        entries
            .into_iter()
            .map(|(key, entry)| Ok((position(&key)?, entry.location)))
            .collect()
    }

    /// Everything about an analysed position.
    pub fn analysed_record(&self, at: Option<Location>) -> Result<AnalysisStored, StoreError> {
        self.change(at, |change| match change {
            Change::AnalysisStored(change) => Some(change),
            _ => None,
        })
    }

    fn entry<T: prost::Message + Default>(
        &self,
        what: &str,
        key: &[u8],
    ) -> Result<Option<T>, StoreError> {
        self.state
            .get(key)?
            .map(|value| kinds::decode(what, &value))
            .transpose()
    }

    fn entries<T: prost::Message + Default>(
        &self,
        what: &str,
        prefix: &[u8],
    ) -> Result<Vec<(keys::Key, T)>, StoreError> {
        let mut entries = Vec::new();
        self.state.scan(prefix, &mut |key, value| {
            entries.push((key.to_vec(), kinds::decode(what, value)?));
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(entries)
    }

    /// The change at a location, which must be of the kind that its index entry says.
    fn change<T>(
        &self,
        at: Option<Location>,
        pick: impl FnOnce(Change) -> Option<T>,
    ) -> Result<T, StoreError> {
        let at = at.ok_or_else(|| {
            StoreError::unreadable(
                "an entry of the index",
                "it does not say where its record is",
            )
        })?;
        let Record { change } = kinds::decode_record(at, &self.journal.read(at)?)?;
        change.and_then(pick).ok_or_else(|| {
            StoreError::unreadable(
                format!("record {} of the journal", at.sequence),
                "it is of another kind",
            )
        })
    }
}

fn playing(key: &[u8]) -> Result<PlayingKey, StoreError> {
    keys::read_playing(key)
        .ok_or_else(|| StoreError::unreadable("a key of the index", "it is too short"))
}
