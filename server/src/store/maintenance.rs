//! Check and rebuild, while no coordinator runs.

use std::{collections::BTreeMap, ops::ControlFlow, path::PathBuf};

use super::{
    OpenOptions, StoreError,
    artifacts::ArtifactFiles,
    directory::Directory,
    journal::{JournalReader, Recovered, Scanned, recover},
    open,
    state::{MemoryState, Meta, SledState, State},
};

/// What a check found.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Size of the journal; up to the first fault, if there is one.
    pub journal: Scanned,
    /// Entries of the index.
    pub index_entries: u64,
    /// What is wrong, in words; empty = all is well.
    pub problems: Vec<String>,
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
pub fn check(options: &OpenOptions) -> Result<CheckReport, StoreError> {
    let directory = Directory::open(&options.path)?;
    let reader = JournalReader::new(&directory.journal());
    let mut report = CheckReport::default();
    let expected = MemoryState::default();
    match reader.scan(None, |_, _| Ok(())) {
        Ok(scanned) => {
            report.journal = scanned;
            if let Err(error) = open::replay(&reader, &expected, Meta::default()) {
                report.problems.push(error.to_string());
            } else {
                check_index(&directory, options, expected, &mut report);
            }
        }
        Err(error) => report.problems.push(error.to_string()),
    }
    for path in ArtifactFiles::new(&directory.artifacts()).damaged()? {
        report.problems.push(format!(
            "`{}` is damaged: upload the artifact again",
            path.display()
        ));
    }
    Ok(report)
}

fn check_index(
    directory: &Directory,
    options: &OpenOptions,
    expected: MemoryState,
    report: &mut CheckReport,
) {
    const REMEDY: &str = "run `brouhaha store rebuild`";
    if !directory.state().exists() {
        // It is rebuilt at the next start.
        return;
    }
    let mut found = BTreeMap::new();
    let read = SledState::open(&directory.state(), options.cache_bytes).and_then(|state| {
        state.scan(&[], &mut |key, value| {
            found.insert(key.to_vec(), value.to_vec());
            Ok(ControlFlow::Continue(()))
        })
    });
    report.index_entries = found.len() as u64;
    if let Err(error) = read {
        report.problems.push(error.to_string());
        return;
    }
    let expected = expected.into_entries();
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
    if missing + surplus + different > 0 {
        report.problems.push(format!(
            "the index differs from the journal: {missing} entries missing, {surplus} too many, {different} different: \
             {REMEDY}"
        ));
    }
}

/// Makes the index anew from the journal.
///
/// A damaged journal is cut off at its first fault, and everything after it given up: only call this when the user says so.
pub fn rebuild(options: &OpenOptions) -> Result<RebuildReport, StoreError> {
    let directory = Directory::open(&options.path)?;
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
