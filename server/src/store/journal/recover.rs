//! Opens a journal and cuts off a write that never finished.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use super::{FileJournal, segment};
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
    let mut numbers = segment::list(folder)?;
    let mut recovered = None;
    while let Some(&number) = numbers.last() {
        let path = segment::path(folder, number);
        let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
        if bytes.len() > segment::HEADER || segment::first_sequence(&bytes).is_ok() {
            break;
        }
        // The segment was being made: no record is in it.
        fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
        sync_folder(folder)?;
        recovered = Some(Recovered {
            path,
            offset: 0,
            bytes: bytes.len() as u64,
        });
        numbers.pop();
    }
    let Some(&last) = numbers.last() else {
        if applied > 0 {
            let path = segment::path(folder, 1);
            let problem = format!("there are no records, but {applied} were acknowledged");
            return Err(StoreError::Damaged {
                path,
                offset: 0,
                problem,
            });
        }
        let file = segment::create(folder, 1, 1)?;
        return Ok((
            FileJournal::new(folder, segment_bytes, file, 1, segment::HEADER as u64, 1),
            recovered,
        ));
    };
    let path = segment::path(folder, last);
    let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
    let damaged = |offset: usize, problem: String| StoreError::Damaged {
        path: path.clone(),
        offset: offset as u64,
        problem,
    };
    let first =
        segment::first_sequence(&bytes).map_err(|problem| damaged(0, problem.to_owned()))?;
    let (end, next) = match segment::walk(&bytes, segment::HEADER, first, |_, _| Ok(()))? {
        Ok(next) => (bytes.len(), next),
        Err(fault) => {
            if segment::later_group_exists(&bytes, &fault) {
                return Err(damaged(fault.offset, fault.problem.to_owned()));
            }
            (fault.offset, fault.expected)
        }
    };
    if next <= applied {
        let problem = format!(
            "the journal ends with record {}, but {applied} were acknowledged",
            next - 1
        );
        return Err(damaged(end, problem));
    }
    let file = File::options()
        .append(true)
        .open(&path)
        .map_err(StoreError::io("open", &path))?;
    if end < bytes.len() {
        let cut = || file.set_len(end as u64).and_then(|()| file.sync_all());
        cut().map_err(StoreError::io("shorten", &path))?;
        recovered = Some(Recovered {
            path,
            offset: end as u64,
            bytes: (bytes.len() - end) as u64,
        });
    }
    Ok((
        FileJournal::new(folder, segment_bytes, file, last, end as u64, next),
        recovered,
    ))
}

/// Removes every record from the first fault on, wherever it is. Gives what was removed, newest segment first.
pub(in crate::store) fn cut_at_first_fault(folder: &Path) -> Result<Vec<Recovered>, StoreError> {
    let numbers = segment::list(folder)?;
    let mut expected = 1;
    let mut removed = Vec::new();
    for (index, &number) in numbers.iter().enumerate() {
        let path = segment::path(folder, number);
        let bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
        let end = match segment::first_sequence(&bytes) {
            Ok(first) if first == expected => {
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
        for &later in numbers[index + 1..].iter().rev() {
            let path = segment::path(folder, later);
            let bytes = fs::metadata(&path)
                .map_err(StoreError::io("read", &path))?
                .len();
            fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
            removed.push(Recovered {
                path,
                offset: 0,
                bytes,
            });
        }
        let cut = || {
            if end == 0 {
                return fs::remove_file(&path);
            }
            let file = File::options().write(true).open(&path)?;
            file.set_len(end as u64)?;
            file.sync_all()
        };
        cut().map_err(StoreError::io("shorten", &path))?;
        removed.push(Recovered {
            path,
            offset: end as u64,
            bytes: (bytes.len() - end) as u64,
        });
        sync_folder(folder)?;
        break;
    }
    Ok(removed)
}
