//! The index of the journal: small entries by key, with the journal position they stand for.

mod memory;
mod overlay;
mod sled_state;

use std::{collections::BTreeMap, ops::ControlFlow};

pub use memory::MemoryState;
pub use overlay::Overlay;
pub(super) use sled_state::SledState;

use super::{Location, StoreError, keys::Key};

/// Changes to the index: a value to set, or none to remove.
pub type Changes = BTreeMap<Key, Option<Vec<u8>>>;

/// What is called with key and value of each entry of a scan.
pub type Visit<'a> = &'a mut dyn FnMut(&[u8], &[u8]) -> Result<ControlFlow<()>, StoreError>;

/// What the coordinator needs of an index. Always derived from the journal.
pub trait State: Send + Sync {
    /// The value of a key.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError>;

    /// All entries whose keys begin with a prefix, in order of key, until the visitor breaks.
    fn scan(&self, prefix: &[u8], visit: Visit<'_>) -> Result<(), StoreError>;

    /// Makes all changes or none.
    fn apply(&self, changes: &Changes) -> Result<(), StoreError>;
}

/// The entry under [`super::keys::meta`]: which journal position the index stands for.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Meta {
    /// Schema of the index.
    #[prost(uint32, tag = "1")]
    pub schema: u32,
    /// The newest record applied; none at the start.
    #[prost(message, optional, tag = "2")]
    pub applied: Option<Location>,
    /// Entries without this one.
    #[prost(uint64, tag = "3")]
    pub entries: u64,
}
