//! Engine files of the coordinator, kept by hash.

use std::io;
use std::path::{Path, PathBuf};

use proto::v1;
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;
use tonic::{Status, Streaming};

use crate::executable::hex;

/// Largest file in bytes; the protocol's limit.
pub const LARGEST: u64 = 512 * 1024 * 1024;

/// Why a file is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// The hash is none.
    #[error("`{0}` is no SHA-256: 64 lower-case hexadecimal digits are expected")]
    BadHash(String),
    /// The coordinator did not give it.
    #[error("artifact {hash} cannot be fetched: {}", status.message())]
    Fetch {
        /// Its hash.
        hash: String,
        /// What the coordinator said.
        status: Box<Status>,
    },
    /// What came is not what was asked for.
    #[error("artifact {hash} came with {problem}")]
    Wrong {
        /// Its hash.
        hash: String,
        /// What is wrong.
        problem: String,
    },
    /// The folder of artifacts cannot be used.
    #[error("cannot use `{}` for artifacts: {source}", path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// The kept files.
#[derive(Clone, Debug)]
pub struct Artifacts {
    folder: PathBuf,
}

impl Artifacts {
    /// Files in this folder, which is made when it is first needed.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The file of a hash, if it is here.
    ///
    /// # Errors
    /// The hash is none.
    pub fn find(&self, hash: &str) -> Result<Option<PathBuf>, ArtifactError> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if hash.len() != 64 || !hash.bytes().all(is_digit) {
            return Err(ArtifactError::BadHash(hash.chars().take(80).collect()));
        }
        let path = self.folder.join(hash);
        Ok(path.is_file().then_some(path))
    }

    /// Takes a file from a stream of chunks: it appears under its name only when it is whole and its hash is right.
    ///
    /// # Errors
    /// The stream broke, the hash differs, or the folder cannot be used.
    pub async fn take(
        &self,
        hash: &str,
        chunks: Streaming<v1::ArtifactChunk>,
    ) -> Result<PathBuf, ArtifactError> {
        let disk = |path: &Path| {
            let path = path.to_owned();
            move |source| ArtifactError::Disk { path, source }
        };
        tokio::fs::create_dir_all(&self.folder)
            .await
            .map_err(disk(&self.folder))?;
        // Each process and each try writes a file of its own.
        let unique = getrandom::u64().unwrap_or_default() ^ u64::from(std::process::id());
        let partial = self.folder.join(format!("{hash}.{unique:016x}.partial"));
        let path = self.folder.join(hash);
        let taken = match write(hash, &partial, chunks).await {
            Ok(()) => tokio::fs::rename(&partial, &path)
                .await
                .map_err(disk(&path)),
            Err(error) => Err(error),
        };
        if taken.is_err() {
            // A rest that cannot be removed is only a waste.
            let _ = tokio::fs::remove_file(&partial).await;
        }
        taken.map(|()| path)
    }
}

async fn write(
    hash: &str,
    path: &Path,
    mut chunks: Streaming<v1::ArtifactChunk>,
) -> Result<(), ArtifactError> {
    let disk = |source| ArtifactError::Disk {
        path: path.to_owned(),
        source,
    };
    let wrong = |problem: String| ArtifactError::Wrong {
        hash: hash.to_owned(),
        problem,
    };
    let mut options = tokio::fs::OpenOptions::new();
    options.write(true).create_new(true);
    // It will be executed.
    #[cfg(unix)]
    options.mode(0o700);
    let mut file = options.open(path).await.map_err(disk)?;
    let mut hasher = Sha256::new();
    let mut size = 0u64;
    loop {
        let chunk = chunks
            .message()
            .await
            .map_err(|status| ArtifactError::Fetch {
                hash: hash.to_owned(),
                status: Box::new(status),
            })?;
        let Some(chunk) = chunk else { break };
        size += chunk.data.len() as u64;
        if size > LARGEST {
            return Err(wrong(format!("more than {LARGEST} bytes")));
        }
        hasher.update(&chunk.data);
        file.write_all(&chunk.data).await.map_err(disk)?;
    }
    file.sync_all().await.map_err(disk)?;
    let found = hex(hasher.finalize());
    if found != hash {
        return Err(wrong(format!("the hash {found} instead; upload it again")));
    }
    Ok(())
}
