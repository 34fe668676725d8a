//! Changes not yet made, seen as if they were: what a group of records is judged against.

use std::ops::ControlFlow;

use super::{Changes, Meta, State};
use crate::store::{Location, StoreError, directory::INDEX_SCHEMA, keys};

/// An index with changes on top.
pub struct Overlay<'a> {
    state: &'a dyn State,
    changes: Changes,
    meta: Meta,
}

impl<'a> Overlay<'a> {
    /// No changes yet.
    pub fn new(state: &'a dyn State, meta: Meta) -> Self {
        Self {
            state,
            changes: Changes::new(),
            meta,
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        match self.changes.get(key) {
            Some(value) => Ok(value.clone()),
            None => self.state.get(key),
        }
    }

    /// Keys that begin with a prefix, in order.
    pub fn keys(&self, prefix: &[u8]) -> Result<Vec<keys::Key>, StoreError> {
        let mut found = Vec::new();
        self.state.scan(prefix, &mut |key, _| {
            if !self.changes.contains_key(key) {
                found.push(key.to_vec());
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let changed = self
            .changes
            .range(prefix.to_vec()..)
            .take_while(|(key, _)| key.starts_with(prefix));
        found.extend(
            changed
                .filter(|(_, value)| value.is_some())
                .map(|(key, _)| key.clone()),
        );
        found.sort_unstable();
        Ok(found)
    }

    /// Sets a value.
    pub fn set(&mut self, key: keys::Key, value: Vec<u8>) -> Result<(), StoreError> {
        if self.get(&key)?.is_none() {
            self.meta.entries += 1;
        }
        self.changes.insert(key, Some(value));
        Ok(())
    }

    /// Removes a key.
    pub fn remove(&mut self, key: keys::Key) -> Result<(), StoreError> {
        if self.get(&key)?.is_some() {
            self.meta.entries = self.meta.entries.saturating_sub(1);
        }
        self.changes.insert(key, None);
        Ok(())
    }

    /// Notes the newest record that the changes come from.
    pub fn applied(&mut self, at: Location) {
        self.meta.applied = Some(at);
    }

    /// Makes the changes and begins anew on top of them.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        let fresh = Self::new(self.state, self.meta.clone());
        let (changes, meta) = std::mem::replace(self, fresh).into_changes();
        self.state.apply(&changes)?;
        self.meta = meta;
        Ok(())
    }

    /// All changes with the position they stand for, to be made at once.
    pub fn into_changes(self) -> (Changes, Meta) {
        let Self {
            mut changes,
            mut meta,
            ..
        } = self;
        meta.schema = INDEX_SCHEMA;
        changes.insert(keys::meta(), Some(prost::Message::encode_to_vec(&meta)));
        (changes, meta)
    }
}
