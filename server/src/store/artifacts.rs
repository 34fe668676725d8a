//! Content-addressed files: engines, networks and books, named by their SHA-256.

use std::{
    fs::{self, File},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
};

use sha2::{Digest as _, Sha256};

use super::{StoreError, directory::sync_folder};
use crate::model::{Digest, check};

/// Most bytes of one artifact: as many as a book may have.
pub const MAX_ARTIFACT_BYTES: u64 = check::MAX_BOOK_BYTES;

/// What the coordinator needs of an artifact store. A replicated one can stand in.
pub trait Artifacts: Send + Sync {
    /// Size of an artifact in bytes; none when it is not there.
    fn size(&self, hash: &Digest) -> Result<Option<u64>, StoreError>;

    /// Up to `most` bytes from an offset; fewer only at the end.
    fn read(&self, hash: &Digest, offset: u64, most: usize) -> Result<Vec<u8>, StoreError>;
}

/// Artifacts as files in one folder.
#[derive(Clone, Debug)]
pub struct ArtifactFiles {
    folder: PathBuf,
}

/// An artifact that is being written. Dropped unfinished, nothing remains.
#[derive(Debug)]
pub struct Upload {
    folder: PathBuf,
    temporary: PathBuf,
    file: File,
    hash: Sha256,
    size: u64,
}

static TEMPORARIES: AtomicU64 = AtomicU64::new(0);

impl ArtifactFiles {
    /// The artifacts in a folder.
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    fn path(&self, hash: &Digest) -> PathBuf {
        self.folder.join(hash.to_string())
    }

    /// The folder.
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A path in the folder that nobody else uses.
    pub(super) fn temporary_path(&self, what: &str) -> PathBuf {
        let number = TEMPORARIES.fetch_add(1, Ordering::Relaxed);
        self.folder
            .join(format!("{what}-{}-{number}", std::process::id()))
    }

    /// Opens an artifact to be read.
    pub fn open(&self, hash: &Digest) -> Result<File, StoreError> {
        let path = self.path(hash);
        File::open(&path).map_err(StoreError::io("read", &path))
    }

    /// Begins to write an artifact whose hash is not known yet.
    pub fn upload(&self) -> Result<Upload, StoreError> {
        let temporary = self.temporary_path("upload");
        let file = File::create(&temporary).map_err(StoreError::io("create", &temporary))?;
        Ok(Upload {
            folder: self.folder.clone(),
            temporary,
            file,
            hash: Sha256::new(),
            size: 0,
        })
    }

    /// Names of files whose content is not what their name says.
    pub fn damaged(&self) -> Result<Vec<PathBuf>, StoreError> {
        let mut damaged = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(StoreError::io("read", &self.folder))? {
            let path = entry.map_err(StoreError::io("read", &self.folder))?.path();
            let Some(named) = path
                .file_name()
                .and_then(|name| name.to_str()?.parse::<Digest>().ok())
            else {
                continue;
            };
            let mut file = File::open(&path).map_err(StoreError::io("read", &path))?;
            let mut hash = Sha256::new();
            io::copy(&mut file, &mut HashWriter(&mut hash))
                .map_err(StoreError::io("read", &path))?;
            if <[u8; 32]>::from(hash.finalize()) != named.0 {
                damaged.push(path);
            }
        }
        Ok(damaged)
    }
}

struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Artifacts for ArtifactFiles {
    fn size(&self, hash: &Digest) -> Result<Option<u64>, StoreError> {
        let path = self.path(hash);
        match fs::metadata(&path) {
            Ok(metadata) => Ok(Some(metadata.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(StoreError::io("read", &path)(error)),
        }
    }

    fn read(&self, hash: &Digest, offset: u64, most: usize) -> Result<Vec<u8>, StoreError> {
        let path = self.path(hash);
        let read = || {
            let mut file = File::open(&path)?;
            file.seek(SeekFrom::Start(offset))?;
            let mut bytes = Vec::with_capacity(most);
            file.take(most as u64).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        read().map_err(StoreError::io("read", &path))
    }
}

impl Upload {
    /// Adds bytes. Gives the size so far.
    pub fn write(&mut self, bytes: &[u8]) -> Result<u64, StoreError> {
        self.size += bytes.len() as u64;
        if self.size > MAX_ARTIFACT_BYTES {
            let problem = format!("an artifact has at most {MAX_ARTIFACT_BYTES} bytes");
            let error = io::Error::new(io::ErrorKind::FileTooLarge, problem);
            return Err(StoreError::io("write", &self.temporary)(error));
        }
        self.hash.update(bytes);
        self.file
            .write_all(bytes)
            .map_err(StoreError::io("write", &self.temporary))?;
        Ok(self.size)
    }

    /// Makes the file safe under its hash. Gives hash and size.
    pub fn finish(self) -> Result<(Digest, u64), StoreError> {
        self.file
            .sync_all()
            .map_err(StoreError::io("sync", &self.temporary))?;
        let digest = Digest(self.hash.clone().finalize().into());
        let path = self.folder.join(digest.to_string());
        fs::rename(&self.temporary, &path).map_err(StoreError::io("rename", &self.temporary))?;
        sync_folder(&self.folder)?;
        Ok((digest, self.size))
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        // After `finish` it is not there any more.
        let _ = fs::remove_file(&self.temporary);
    }
}
