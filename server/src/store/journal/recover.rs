//! Opens a journal and cuts off a write that never finished.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use super::{FileJournal, read::End, segment};
use crate::store::{StoreError, directory::sync_folder};

/// What was cut off at the end of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// The segment.
    pub path: PathBuf,
    /// Where it ends now.
    pub offset: u64,
    /// Bytes that were cut off.
    pub bytes: u64,
}

/// Opens the journal in a folder, or begins one.
///
/// `applied` is the newest sequence that the index has seen, 0 if it is not known: such a record was safe, so that a
/// journal that ends before it is damaged.
pub(in crate::store) fn open(
    folder: &Path,
    segment_bytes: u64,
    applied: u64,
) -> Result<(FileJournal, Option<Recovered>), StoreError> {
    let (last, unfinished) = last_segment(folder)?;
    for segment in &unfinished {
        fs::remove_file(&segment.path).map_err(StoreError::io("remove", &segment.path))?;
        sync_folder(folder)?;
    }
    let mut recovered = unfinished.into_iter().next_back();
    let Some(last) = last else {
        none_expected(folder, applied)?;
        let file = segment::create(folder, 1, 1)?;
        let journal = FileJournal::new(folder, segment_bytes, file, 1, segment::HEADER as u64, 1);
        return Ok((journal, recovered));
    };
    let path = segment::path(folder, last);
    let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
    let (end, next) = find_end(&path, &bytes, applied)?;
    let file = File::options()
        .append(true)
        .open(&path)
        .map_err(StoreError::io("open", &path))?;
    if end < bytes.len() {
        let cut = || file.set_len(end as u64).and_then(|()| file.sync_all());
        cut().map_err(StoreError::io("shorten", &path))?;
        let (offset, bytes) = (end as u64, (bytes.len() - end) as u64);
        recovered = Some(Recovered {
            path,
            offset,
            bytes,
        });
    }
    let journal = FileJournal::new(folder, segment_bytes, file, last, end as u64, next);
    Ok((journal, recovered))
}

fn damaged(path: &Path, offset: usize, problem: String) -> StoreError {
    StoreError::Damaged {
        path: path.to_owned(),
        offset: offset as u64,
        problem,
    }
}

/// Refuses a journal without records when there were some.
fn none_expected(folder: &Path, applied: u64) -> Result<(), StoreError> {
    if applied == 0 {
        return Ok(());
    }
    let problem = format!("there are no records, but {applied} were acknowledged");
    Err(damaged(&segment::path(folder, 1), 0, problem))
}

/// The last segment that was begun in full, and those after it, newest first, that were only being made: no record is in
/// them.
fn last_segment(folder: &Path) -> Result<(Option<u32>, Vec<Recovered>), StoreError> {
    let mut numbers = segment::list(folder)?;
    let mut unfinished = Vec::new();
    while let Some(&number) = numbers.last() {
        let path = segment::path(folder, number);
        let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
        if bytes.len() > segment::HEADER || segment::first_sequence(&bytes).is_ok() {
            break;
        }
        unfinished.push(Recovered {
            path,
            offset: 0,
            bytes: bytes.len() as u64,
        });
        numbers.pop();
    }
    Ok((numbers.last().copied(), unfinished))
}

/// Where the journal in a folder ends for [`open`], and what that would cut off. Changes nothing.
///
/// # Errors
/// Those of [`open`]: what follows the end had been safe.
pub(in crate::store) fn examine(
    folder: &Path,
    applied: u64,
) -> Result<(End, Vec<Recovered>), StoreError> {
    let (last, mut unfinished) = last_segment(folder)?;
    let Some(segment) = last else {
        none_expected(folder, applied)?;
        let end = End {
            segment: 0,
            offset: 0,
        };
        return Ok((end, unfinished));
    };
    let path = segment::path(folder, segment);
    let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
    let (end, _) = find_end(&path, &bytes, applied)?;
    let offset = end as u64;
    if end < bytes.len() {
        let bytes = bytes.len() as u64 - offset;
        unfinished.push(Recovered {
            path,
            offset,
            bytes,
        });
    }
    Ok((End { segment, offset }, unfinished))
}

/// Where the records of the last segment end, and the next sequence; an error unless what follows never was safe.
fn find_end(path: &Path, bytes: &[u8], applied: u64) -> Result<(usize, u64), StoreError> {
    let first =
        segment::first_sequence(bytes).map_err(|problem| damaged(path, 0, problem.to_owned()))?;
    let (end, next) = match segment::walk(bytes, segment::HEADER, first, |_, _| Ok(()))? {
        Ok(next) => (bytes.len(), next),
        Err(fault) if segment::later_group_exists(bytes, &fault) => {
            return Err(damaged(path, fault.offset, fault.problem.to_owned()));
        }
        Err(fault) => (fault.offset, fault.expected),
    };
    if next <= applied {
        let problem = format!(
            "the journal ends with record {}, but {applied} were acknowledged",
            next - 1
        );
        return Err(damaged(path, end, problem));
    }
    Ok((end, next))
}

/// Removes every record from the first fault on, wherever it is. Gives what was removed.
pub(in crate::store) fn cut_at_first_fault(folder: &Path) -> Result<Vec<Recovered>, StoreError> {
    let mut expected = 1;
    let mut removed = Vec::new();
    let mut is_cut = false;
    for (number, wanted) in segment::found(folder)?.into_iter().zip(1..) {
        let path = segment::path(folder, number);
        // After a fault or a missing segment nothing has a place.
        is_cut |= number != wanted;
        let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
        let end = match segment::first_sequence(&bytes) {
            Ok(first) if first == expected && !is_cut => {
                match segment::walk(&bytes, segment::HEADER, first, |_, _| Ok(()))? {
                    Ok(next) => {
                        expected = next;
                        continue;
                    }
                    Err(fault) => fault.offset,
                }
            }
            _ => 0,
        };
        is_cut = true;
        let cut = || match end {
            0 => fs::remove_file(&path),
            end => {
                let file = File::options().write(true).open(&path)?;
                file.set_len(end as u64)?;
                file.sync_all()
            }
        };
        cut().map_err(StoreError::io("shorten", &path))?;
        let (offset, bytes) = (end as u64, (bytes.len() - end) as u64);
        removed.push(Recovered {
            path,
            offset,
            bytes,
        });
    }
    sync_folder(folder)?;
    Ok(removed)
}
