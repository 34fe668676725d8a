//! The data directory: its marker with the schema version, and its lock.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use super::StoreError;

/// Version of everything in the data directory.
pub const SCHEMA: u32 = 1;

/// Version of what the index holds; an index of another one is rebuilt from the journal. 2: when each game was stored.
pub const INDEX_SCHEMA: u32 = 2;

/// How names of files begin that are being made among the artifacts; that of an artifact is a hash.
const TEMPORARY: [&str; 3] = ["upload-", "index-", "scratch-"];

const MARKER: &str = "brouhaha-store";
const MARKER_TEXT: &str = "brouhaha store, schema ";

/// A data directory that this process holds.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    // Unlocked when the file is closed, also by a kill.
    _lock: Option<File>,
}

impl Directory {
    /// Opens a data directory for this process alone; a directory that is new or empty becomes one.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        fs::create_dir_all(path).map_err(StoreError::io("create", path))?;
        match read_marker(path)? {
            true => {}
            false => write_marker(path)?,
        }
        let lock_path = path.join("lock");
        let lock = File::options()
            .create(true)
            .append(true)
            .open(&lock_path)
            .map_err(StoreError::io("open", &lock_path))?;
        take(&lock, path)?;
        let directory = Self {
            path: path.to_owned(),
            _lock: Some(lock),
        };
        for folder in [directory.journal(), directory.artifacts()] {
            fs::create_dir_all(&folder).map_err(StoreError::io("create", &folder))?;
        }
        remove_temporaries(&directory.artifacts())?;
        sync_folder(path)?;
        Ok(directory)
    }

    /// Opens a data directory that must be there, for this process alone. Makes and changes nothing in it.
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        match read_marker(path) {
            Ok(true) => {}
            Ok(false) => return Err(StoreError::Missing(path.to_owned())),
            Err(_) if !path.exists() => return Err(StoreError::Missing(path.to_owned())),
            Err(error) => return Err(error),
        }
        let lock_path = path.join("lock");
        let lock = match File::open(&lock_path) {
            Ok(lock) => {
                take(&lock, path)?;
                Some(lock)
            }
            // Who uses a data directory makes the file first: nobody does.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(StoreError::io("open", &lock_path)(error)),
        };
        Ok(Self {
            path: path.to_owned(),
            _lock: lock,
        })
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Folder of the journal.
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal")
    }

    /// Folder of the index.
    pub fn state(&self) -> PathBuf {
        self.path.join("state")
    }

    /// Folder of the artifacts.
    pub fn artifacts(&self) -> PathBuf {
        self.path.join("artifacts")
    }
}

/// Removes what a killed process left half-made among the artifacts: a large upload must not stay for ever.
fn remove_temporaries(artifacts: &Path) -> Result<(), StoreError> {
    for entry in fs::read_dir(artifacts).map_err(StoreError::io("read", artifacts))? {
        let path = entry.map_err(StoreError::io("read", artifacts))?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| TEMPORARY.iter().any(|prefix| name.starts_with(prefix))) {
            fs::remove_file(&path).map_err(StoreError::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Locks a data directory for this process.
fn take(lock: &File, path: &Path) -> Result<(), StoreError> {
    match lock.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(StoreError::InUse(path.to_owned())),
        Err(TryLockError::Error(source)) => Err(StoreError::io("lock", &path.join("lock"))(source)),
    }
}

/// Whether the directory has the marker of this schema; false = it is empty.
fn read_marker(path: &Path) -> Result<bool, StoreError> {
    let marker = path.join(MARKER);
    match fs::read_to_string(&marker) {
        Ok(text) => {
            let found = text
                .trim_end()
                .strip_prefix(MARKER_TEXT)
                .unwrap_or("unknown");
            if found.parse() == Ok(SCHEMA) {
                return Ok(true);
            }
            Err(StoreError::Schema {
                path: marker,
                found: found.to_owned(),
                expected: SCHEMA,
            })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut entries = fs::read_dir(path).map_err(StoreError::io("read", path))?;
            // A first start that was killed in the middle leaves nothing but the marker's other name.
            let half = half_written(&marker);
            if entries.any(|entry| entry.map_or(true, |entry| entry.path() != half)) {
                return Err(StoreError::NotAStore(path.to_owned()));
            }
            Ok(false)
        }
        Err(error) if error.kind() == io::ErrorKind::InvalidData => {
            Err(StoreError::NotAStore(path.to_owned()))
        }
        Err(error) => Err(StoreError::io("read", &marker)(error)),
    }
}

fn write_marker(path: &Path) -> Result<(), StoreError> {
    let text = format!("{MARKER_TEXT}{SCHEMA}\n");
    write_durably(&path.join(MARKER), text.as_bytes())
}

/// Writes a small file so that it is there in full or not at all, also after a loss of power.
pub(super) fn write_durably(path: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    let temporary = half_written(path);
    let write = || {
        let mut file = File::create(&temporary)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().map_err(StoreError::io("write", path))?;
    sync_folder(path.parent().unwrap_or(Path::new(".")))
}

/// Where a file is until it is whole.
fn half_written(path: &Path) -> PathBuf {
    path.with_extension("new")
}

/// Makes the names in a folder safe.
pub(super) fn sync_folder(path: &Path) -> Result<(), StoreError> {
    // Only Unix lets a folder be opened and synced; elsewhere the file system does it on its own.
    if cfg!(unix) {
        File::open(path)
            .and_then(|folder| folder.sync_all())
            .map_err(StoreError::io("sync", path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_half_made_goes_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        drop(Directory::open(folder.path()).unwrap());
        let artifacts = folder.path().join("artifacts");
        let whole = ["0f".repeat(32), format!("{}-12.index", "0f".repeat(32))];
        for name in [
            "upload-7-0",
            "index-7-1",
            "scratch-7-2",
            &whole[0],
            &whole[1],
        ] {
            fs::write(artifacts.join(name), "x").unwrap();
        }
        drop(Directory::open(folder.path()).unwrap());
        let left = fs::read_dir(&artifacts).unwrap();
        let mut left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, whole.map(std::ffi::OsString::from));
    }

    #[test]
    fn a_first_start_that_was_killed_is_no_obstacle() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("brouhaha-store.new"), "brou").unwrap();
        drop(Directory::open(folder.path()).unwrap());
        // Anything else in it means that it is somebody else's.
        let other = tempfile::tempdir().unwrap();
        fs::write(other.path().join("brouhaha-store.new"), "brou").unwrap();
        fs::write(other.path().join("letter"), "dear").unwrap();
        let error = Directory::open(other.path()).unwrap_err();
        assert!(matches!(error, StoreError::NotAStore(_)), "{error}");
    }
}
