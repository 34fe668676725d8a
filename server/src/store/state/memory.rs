//! The index as a map in memory: what the index on disk must equal.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{Changes, State, Visit};
use crate::store::{StoreError, keys::Key};

/// The index as a map in memory.
#[derive(Debug, Default)]
pub struct MemoryState {
    entries: Mutex<BTreeMap<Key, Vec<u8>>>,
}

impl MemoryState {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<Key, Vec<u8>>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All entries.
    pub fn into_entries(self) -> BTreeMap<Key, Vec<u8>> {
        self.entries
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl State for MemoryState {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.entries().get(key).cloned())
    }

    fn scan(&self, prefix: &[u8], visit: Visit<'_>) -> Result<(), StoreError> {
        for (key, value) in self
            .entries()
            .range(prefix.to_vec()..)
            .take_while(|(key, _)| key.starts_with(prefix))
        {
            if visit(key, value)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn apply(&self, changes: &Changes) -> Result<(), StoreError> {
        let mut entries = self.entries();
        for (key, value) in changes {
            match value {
                Some(value) => entries.insert(key.clone(), value.clone()),
                None => entries.remove(key),
            };
        }
        Ok(())
    }
}
