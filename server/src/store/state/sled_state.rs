//! The index in sled 0.34.7: the only module that names it.
//!
//! Its known faults and what is done about them: it panics on damaged files, so opening is guarded; a truncated file opens
//! empty, so the caller compares position and entry count with the journal; its lock may outlive a killed process for a
//! moment, so opening is tried again; its `flush` is not safe against loss of power, so nothing relies on it.

use std::{
    io,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    thread::sleep,
    time::Duration,
};

use super::{Changes, State, Visit};
use crate::store::StoreError;

/// Times that opening is tried while another handle still holds the lock.
const LOCK_TRIES: u32 = 20;
/// Time between two of them.
const LOCK_PAUSE: Duration = Duration::from_millis(50);

/// The index in sled.
pub(in crate::store) struct SledState {
    tree: sled::Tree,
    db: sled::Db,
    path: PathBuf,
}

impl SledState {
    /// Opens the index; an error means that it has to be rebuilt.
    pub(in crate::store) fn open(path: &Path, cache_bytes: u64) -> Result<Self, StoreError> {
        let config = sled::Config::new()
            .path(path)
            // The default is 1 GiB, and the real use up to twice the number.
            .cache_capacity(cache_bytes)
            .flush_every_ms(Some(500));
        let mut tries = 0;
        let db = loop {
            tries += 1;
            let opened = catch_unwind(AssertUnwindSafe(|| config.open()));
            match opened {
                Ok(Ok(db)) => break db,
                Ok(Err(sled::Error::Io(error))) if is_lock(&error) && tries < LOCK_TRIES => {
                    sleep(LOCK_PAUSE)
                }
                Ok(Err(error)) => return Err(failed(path)(error)),
                Err(_) => return Err(unusable(path, "it is damaged".to_owned())),
            }
        };
        let tree = db.open_tree(b"index").map_err(failed(path))?;
        Ok(Self {
            tree,
            db,
            path: path.to_owned(),
        })
    }

    /// Number of entries, counted.
    pub(in crate::store) fn count(&self) -> Result<u64, StoreError> {
        let mut entries = 0;
        self.scan(&[], &mut |_, _| {
            entries += 1;
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(entries)
    }

    /// Writes out what is in memory, so that less has to be replayed at the next start.
    pub(in crate::store) fn flush(&self) -> Result<(), StoreError> {
        self.db.flush().map(drop).map_err(failed(&self.path))
    }
}

fn is_lock(error: &io::Error) -> bool {
    error.to_string().contains("could not acquire lock")
}

/// An error of sled. Where the file system refused something, the index is as good as before: that is told as such.
fn failed(path: &Path) -> impl Fn(sled::Error) -> StoreError {
    use io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let path = path.to_owned();
    move |error| match error {
        sled::Error::Io(source)
            if matches!(
                source.kind(),
                StorageFull | QuotaExceeded | PermissionDenied | ReadOnlyFilesystem
            ) =>
        {
            StoreError::Io {
                action: "write the index in",
                path: path.clone(),
                source,
            }
        }
        error => unusable(&path, error.to_string()),
    }
}

fn unusable(path: &Path, problem: String) -> StoreError {
    StoreError::State {
        path: path.to_owned(),
        problem,
    }
}

/// sled may panic when it meets a damaged page.
fn guarded<T>(path: &Path, work: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err(unusable(path, "it is damaged".to_owned())))
}

impl State for SledState {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        guarded(&self.path, || {
            let value = self.tree.get(key).map_err(failed(&self.path))?;
            Ok(value.map(|value| value.to_vec()))
        })
    }

    fn scan(&self, prefix: &[u8], visit: Visit<'_>) -> Result<(), StoreError> {
        guarded(&self.path, || {
            for entry in self.tree.scan_prefix(prefix) {
                let (key, value) = entry.map_err(failed(&self.path))?;
                if visit(&key, &value)?.is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    fn apply(&self, changes: &Changes) -> Result<(), StoreError> {
        let mut batch = sled::Batch::default();
        for (key, value) in changes {
            match value {
                Some(value) => batch.insert(key.as_slice(), value.as_slice()),
                None => batch.remove(key.as_slice()),
            }
        }
        guarded(&self.path, || {
            self.tree.apply_batch(batch).map_err(failed(&self.path))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_no_broken_index() {
        let told = |kind: io::ErrorKind| {
            let error = sled::Error::Io(io::Error::from(kind));
            failed(Path::new("data/state"))(error).to_string()
        };
        let full = told(io::ErrorKind::StorageFull);
        assert!(
            full.starts_with("cannot write the index in `data/state`"),
            "{full}"
        );
        assert!(full.ends_with(": free space on the disk"), "{full}");
        assert!(told(io::ErrorKind::UnexpectedEof).contains("store rebuild"));
    }
}
