//! Reads records back, one by its location or all in order.

use std::{
    fs::{self, File},
    io::{Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    Location,
    frame::{self, Frame},
    segment,
};
use crate::store::StoreError;

/// Reads a journal, also while another thread appends to it.
#[derive(Clone, Debug)]
pub struct JournalReader {
    folder: Arc<PathBuf>,
    end: Option<End>,
}

/// Where a journal ends, or is to be taken as ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The last segment; 0 = there is none.
    pub segment: u32,
    /// Its bytes that count.
    pub offset: u64,
}

impl End {
    /// Right after a record.
    pub fn after(at: Location) -> Self {
        Self {
            segment: at.segment,
            offset: at.offset + (frame::HEADER as u64) + u64::from(at.length),
        }
    }
}

/// What a scan of the whole journal found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Segments.
    pub segments: u32,
    /// Records.
    pub records: u64,
    /// Bytes, headers included.
    pub bytes: u64,
}

impl JournalReader {
    /// A reader of the journal in a folder.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: Arc::new(folder.to_owned()),
            end: None,
        }
    }

    /// Scans no further than an end.
    pub fn ending_at(self, end: End) -> Self {
        Self {
            end: Some(end),
            ..self
        }
    }

    pub(in crate::store) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The record at a location.
    pub fn read(&self, at: Location) -> Result<Vec<u8>, StoreError> {
        let path = segment::path(&self.folder, at.segment);
        let size = frame::HEADER + usize::try_from(at.length).unwrap_or(usize::MAX);
        let mut bytes = vec![0; size];
        let mut read = || {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(at.offset))?;
            file.read_exact(&mut bytes)
        };
        read().map_err(StoreError::io("read", &path))?;
        let damaged = |problem: &str| StoreError::Damaged {
            path: path.clone(),
            offset: at.offset,
            problem: problem.to_owned(),
        };
        match frame::decode(&bytes) {
            Ok(Frame {
                sequence, payload, ..
            }) if sequence == at.sequence && payload.len() + frame::HEADER == size => {
                bytes.drain(..frame::HEADER);
                Ok(bytes)
            }
            Ok(_) => Err(damaged(
                "the frame is another one than the one that belongs here",
            )),
            Err(problem) => Err(damaged(problem)),
        }
    }

    /// All records after a location, in order; from the start when it is none.
    ///
    /// A fault anywhere is an error that names file and offset.
    pub fn scan(
        &self,
        after: Option<Location>,
        mut visit: impl FnMut(Location, &[u8]) -> Result<(), StoreError>,
    ) -> Result<Scanned, StoreError> {
        let mut expected = after.map_or(1, |at| at.sequence + 1);
        let mut scanned = Scanned::default();
        let from = after.map_or(1, |at| at.segment);
        for number in segment::list(&self.folder)?
            .into_iter()
            .filter(|&number| number >= from && self.end.is_none_or(|end| number <= end.segment))
        {
            let path = segment::path(&self.folder, number);
            let mut bytes = fs::read(&path).map_err(StoreError::io("read", &path))?;
            if let Some(end) = self.end.filter(|end| end.segment == number) {
                bytes.truncate(usize::try_from(end.offset).unwrap_or(usize::MAX));
            }
            let damaged = |offset: usize, problem: &str| StoreError::Damaged {
                path: path.clone(),
                offset: offset as u64,
                problem: problem.to_owned(),
            };
            let first = segment::first_sequence(&bytes).map_err(|problem| damaged(0, problem))?;
            let start = match after {
                Some(at) if at.segment == number => {
                    usize::try_from(End::after(at).offset).unwrap_or(usize::MAX)
                }
                _ if first == expected => segment::HEADER,
                _ => {
                    return Err(damaged(
                        0,
                        &format!("it begins with record {first} instead of {expected}"),
                    ));
                }
            };
            let before = expected;
            let walked = segment::walk(&bytes, start, expected, |offset, frame| {
                let length = u32::try_from(frame.payload.len()).unwrap_or(u32::MAX);
                let at = Location {
                    sequence: frame.sequence,
                    segment: number,
                    offset: offset as u64,
                    length,
                };
                visit(at, frame.payload)
            })?;
            expected = walked.map_err(|fault| damaged(fault.offset, fault.problem))?;
            scanned.segments += 1;
            scanned.records += expected - before;
            scanned.bytes += bytes.len() as u64;
        }
        Ok(scanned)
    }

    /// Whether the record with this sequence stands at this location.
    pub fn holds(&self, at: Location) -> bool {
        self.read(at).is_ok()
    }
}
