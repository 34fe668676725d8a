//! Check and rebuild, while no coordinator runs.

use std::{collections::BTreeMap, ops::ControlFlow, path::PathBuf};

use super::{
    Location, OpenOptions, StoreError,
    artifacts::{ArtifactFiles, Artifacts as _},
    directory::Directory,
    journal::{End, JournalReader, Recovered, Scanned, recover},
    keys::{self, Key, Kind},
    kinds, open,
    state::{MemoryState, Meta, SledState, State},
};
use crate::model::Digest;

/// What a check found.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Size of the journal; up to the first fault, if there is one.
    pub journal: Scanned,
    /// Entries of the index.
    pub index_entries: u64,
    /// What is wrong, in words; empty = all is well.
    pub problems: Vec<String>,
    /// What the next start will do on its own, in words, as after a crash.
    pub notes: Vec<String>,
}

/// What a rebuild did.
#[derive(Debug)]
pub struct RebuildReport {
    /// Records entered into the new index.
    pub records: u64,
    /// What was given up because the journal was damaged; empty = nothing.
    pub removed: Vec<Recovered>,
    /// Where the old index is now.
    pub aside: PathBuf,
}

/// Checks everything in a data directory without changing it: all frames of the journal, the index against a fresh one,
/// the artifacts against their names.
///
/// The index is opened in place, and may tidy its own files; what it says stays the same.
pub fn check(options: &OpenOptions) -> Result<CheckReport, StoreError> {
    let directory = Directory::open_existing(&options.path)?;
    let mut report = CheckReport::default();
    let index = read_index(&directory, options);
    let applied = match &index {
        Ok(Some(index)) => index.meta.as_ref().and_then(|meta| meta.applied),
        Ok(None) | Err(_) => None,
    };
    let known = index.as_ref().ok().and_then(Option::as_ref);
    let known: Vec<Digest> = known.map(Index::artifacts).unwrap_or_default();
    match check_journal(&directory, applied, &mut report) {
        Ok(reader) => match index {
            Ok(index) => check_index(&reader, index, &mut report),
            Err(error) => report.problems.push(error.to_string()),
        },
        Err(error) => report.problems.push(error.to_string()),
    }
    if directory.artifacts().exists() {
        for path in ArtifactFiles::new(&directory.artifacts()).damaged()? {
            report.problems.push(format!(
                "`{}` is damaged: upload the artifact again",
                path.display()
            ));
        }
    }
    let files = ArtifactFiles::new(&directory.artifacts());
    for hash in known {
        if files.size(&hash)?.is_none() {
            report
                .problems
                .push(format!("artifact {hash} is missing: upload it again"));
        }
    }
    Ok(report)
}

/// Everything in the index.
struct Index {
    entries: BTreeMap<Key, Vec<u8>>,
    meta: Option<Meta>,
}

impl Index {
    /// Hashes of the artifacts that were stored.
    fn artifacts(&self) -> Vec<Digest> {
        let prefix = keys::all(Kind::Artifact);
        let keys = self.entries.keys().filter(|key| key.starts_with(&prefix));
        let hash = |key: &Key| Some(Digest(*key.get(prefix.len()..)?.first_chunk()?));
        keys.filter_map(hash).collect()
    }
}

/// The index; none when it is missing.
fn read_index(directory: &Directory, options: &OpenOptions) -> Result<Option<Index>, StoreError> {
    if !directory.state().exists() {
        return Ok(None);
    }
    let mut entries = BTreeMap::new();
    let state = SledState::open(&directory.state(), options.cache_bytes)?;
    state.scan(&[], &mut |key, value| {
        entries.insert(key.to_vec(), value.to_vec());
        Ok(ControlFlow::Continue(()))
    })?;
    let meta = entries
        .get(&keys::meta())
        .map(|bytes| kinds::decode("position", bytes))
        .transpose()?;
    Ok(Some(Index { entries, meta }))
}

/// Scans the journal up to where a start would end it. Gives a reader that ends there.
fn check_journal(
    directory: &Directory,
    applied: Option<Location>,
    report: &mut CheckReport,
) -> Result<JournalReader, StoreError> {
    let acknowledged = applied.map_or(0, |at| at.sequence);
    let (end, unfinished) = recover::examine(&directory.journal(), acknowledged)?;
    for tail in unfinished {
        report.notes.push(format!(
            "the last write was not finished and never acknowledged: the next start cuts off {} bytes of `{}` after byte {}",
            tail.bytes,
            tail.path.display(),
            tail.offset
        ));
    }
    let reader = JournalReader::new(&directory.journal()).ending_at(end);
    // What cannot be read back is found too.
    report.journal = reader.scan(None, |at, payload| {
        kinds::decode_record(at, payload).map(drop)
    })?;
    Ok(reader)
}

/// Compares the index with a fresh one of the records that it has seen.
fn check_index(reader: &JournalReader, index: Option<Index>, report: &mut CheckReport) {
    const REMEDY: &str = "run `brouhaha store rebuild`";
    let rebuilt = |what: &str| format!("the index is {what}: the next start rebuilds it");
    let Some(Index {
        entries: found,
        meta,
    }) = index
    else {
        report.notes.push(rebuilt("missing"));
        return;
    };
    report.index_entries = found.len() as u64;
    if found.is_empty() {
        report.notes.push(rebuilt("empty"));
        return;
    }
    let Some(applied) = meta.and_then(|meta| meta.applied) else {
        report.problems.push(format!(
            "the index does not say which record it has seen last: {REMEDY}"
        ));
        return;
    };
    if !reader.holds(applied) {
        report.problems.push(format!(
            "the index refers to record {} where the journal has another: {REMEDY}",
            applied.sequence
        ));
        return;
    }
    let expected = MemoryState::default();
    let seen = reader.clone().ending_at(End::after(applied));
    if let Err(error) = open::replay(&seen, &expected, Meta::default()) {
        report.problems.push(error.to_string());
        return;
    }
    if let Some(difference) = difference(&expected.into_entries(), &found) {
        report.problems.push(format!(
            "the index differs from the journal: {difference}: {REMEDY}"
        ));
    }
    let lag = report.journal.records.saturating_sub(applied.sequence);
    if lag > 0 {
        report.notes.push(format!(
            "{lag} records will be entered into the index at the next start"
        ));
    }
}

/// How two indexes differ, in words.
fn difference(expected: &BTreeMap<Key, Vec<u8>>, found: &BTreeMap<Key, Vec<u8>>) -> Option<String> {
    let missing = expected
        .keys()
        .filter(|key| !found.contains_key(*key))
        .count();
    let surplus = found
        .keys()
        .filter(|key| !expected.contains_key(*key))
        .count();
    let different = expected
        .iter()
        .filter(|(key, value)| found.get(*key).is_some_and(|found| found != *value))
        .count();
    (missing + surplus + different > 0)
        .then(|| format!("{missing} entries missing, {surplus} too many, {different} different"))
}

/// Makes the index anew from the journal.
///
/// A damaged journal is cut off at its first fault, and everything after it given up: only call this when the user says so.
pub fn rebuild(options: &OpenOptions) -> Result<RebuildReport, StoreError> {
    let directory = Directory::open_existing(&options.path)?;
    let removed = recover::cut_at_first_fault(&directory.journal())?;
    open::set_aside(&directory)?;
    let aside = directory.path().join("state.aside");
    drop(directory);
    let opened = open::open(options)?;
    opened.state.flush()?;
    Ok(RebuildReport {
        records: opened.replayed,
        removed,
        aside,
    })
}
