//! The journal: append-only segments of checksummed frames.
//!
//! A group of records is written at once and made safe by one `fdatasync`; only then is any of them acknowledged. A frame
//! carries its sequence, so that a frame is only ever taken for the one it is, and its index within its group, so that
//! after a loss of power, when the disk may have kept any part of the last group, a hole in that group is told from
//! damage to records that were acknowledged.

mod append;
mod frame;
mod read;
pub(super) mod recover;
mod segment;

pub use append::{FileJournal, Group};
pub use frame::MAX_PAYLOAD;
pub use read::{End, JournalReader, Scanned};
pub use recover::Recovered;

use super::StoreError;

/// Where a record stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, prost::Message)]
pub struct Location {
    /// Number of the record, from 1; 0 = none.
    #[prost(uint64, tag = "1")]
    pub sequence: u64,
    /// Number of the segment, from 1.
    #[prost(uint32, tag = "2")]
    pub segment: u32,
    /// Offset of its frame in the segment in bytes.
    #[prost(uint64, tag = "3")]
    pub offset: u64,
    /// Length of its payload in bytes.
    #[prost(uint32, tag = "4")]
    pub length: u32,
}

/// What the coordinator needs of a journal. A replicated one can stand in.
pub trait Journal: Send {
    /// Begins a group; records pushed to it have their final locations.
    fn begin(&mut self) -> Result<Group, StoreError>;

    /// Writes a group and makes it safe. After an error nothing of the group counts.
    fn write(&mut self, group: Group) -> Result<(), StoreError>;

    /// Whether it can be written to: not after an error that leaves unknown what is on disk.
    fn is_usable(&self) -> bool;
}
