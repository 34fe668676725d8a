//! Appends groups of records, each made safe by one `fdatasync`.

use std::{
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
};

use super::{
    Journal, Location, MAX_PAYLOAD,
    frame::{self, Frame},
    segment,
};
use crate::store::StoreError;

/// A journal in files, open for appending.
#[derive(Debug)]
pub struct FileJournal {
    folder: PathBuf,
    /// A segment is closed when it has this size or more.
    segment_bytes: u64,
    file: File,
    segment: u32,
    length: u64,
    next: u64,
    /// Set when it is not known what is on disk: nothing may be written any more.
    broken: bool,
}

/// Records that will be written together.
#[derive(Debug)]
pub struct Group {
    bytes: Vec<u8>,
    first: u64,
    count: u32,
    segment: u32,
    start: u64,
}

impl Group {
    /// Adds a record and gives the place where it will stand.
    pub fn push(&mut self, payload: &[u8]) -> Result<Location, StoreError> {
        if payload.len() > MAX_PAYLOAD {
            return Err(StoreError::TooLarge {
                bytes: payload.len(),
                most: MAX_PAYLOAD,
            });
        }
        let sequence = self.first + u64::from(self.count);
        let offset = self.start + self.bytes.len() as u64;
        frame::encode(
            &Frame {
                sequence,
                in_group: self.count,
                payload,
            },
            &mut self.bytes,
        );
        self.count += 1;
        let length = u32::try_from(payload.len()).unwrap_or(u32::MAX);
        Ok(Location {
            sequence,
            segment: self.segment,
            offset,
            length,
        })
    }

    /// Bytes so far.
    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Whether it has no records.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl FileJournal {
    pub(super) fn new(
        folder: &Path,
        segment_bytes: u64,
        file: File,
        segment: u32,
        length: u64,
        next: u64,
    ) -> Self {
        Self {
            folder: folder.to_owned(),
            segment_bytes,
            file,
            segment,
            length,
            next,
            broken: false,
        }
    }

    /// Sequence of the next record.
    pub fn next_sequence(&self) -> u64 {
        self.next
    }

    fn path(&self) -> PathBuf {
        segment::path(&self.folder, self.segment)
    }
}

impl Journal for FileJournal {
    fn begin(&mut self) -> Result<Group, StoreError> {
        if self.length >= self.segment_bytes && self.length > segment::HEADER as u64 {
            self.file = segment::create(&self.folder, self.segment + 1, self.next)?;
            self.segment += 1;
            self.length = segment::HEADER as u64;
        }
        Ok(Group {
            bytes: Vec::new(),
            first: self.next,
            count: 0,
            segment: self.segment,
            start: self.length,
        })
    }

    fn write(&mut self, group: Group) -> Result<(), StoreError> {
        if self.broken {
            return Err(StoreError::Closed);
        }
        if let Err(source) = self.file.write_all(&group.bytes) {
            // Nothing was acknowledged, so a part that was written is taken back; on a full disk one can go on later.
            self.broken = self.file.set_len(self.length).is_err();
            return Err(StoreError::io("append to", &self.path())(source));
        }
        if let Err(source) = self.file.sync_data() {
            // After a failed sync the kernel may have dropped the pages: trying again would prove nothing.
            self.broken = true;
            return Err(StoreError::io("sync", &self.path())(source));
        }
        self.length += group.bytes.len() as u64;
        self.next += u64::from(group.count);
        Ok(())
    }

    fn is_usable(&self) -> bool {
        !self.broken
    }
}
