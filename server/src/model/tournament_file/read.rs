//! Reads the files of a tournament, none larger than such a file can be.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use sha2::{Digest as _, Sha256};

use super::FileError;
use crate::model::{Digest, check};

/// What a file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The tournament file itself.
    Tournament,
    /// The file that `variant_file` names.
    Variant,
    /// The file that `openings.path` names.
    Openings,
    /// The file that an engine's `evaluation_file` names.
    Evaluation,
}

impl Purpose {
    /// Most bytes of such a file.
    pub fn most_bytes(self) -> u64 {
        match self {
            Self::Tournament => 1024 * 1024,
            Self::Variant => 256 * 1024,
            Self::Openings => check::MAX_BOOK_BYTES,
            Self::Evaluation => check::MAX_EVALUATION_BYTES as u64,
        }
    }
}

/// The SHA-256 of a book, which may be too large to be held in memory; `origin` as for [`text`].
pub(super) fn digest(path: &Path, origin: Option<&str>) -> Result<Digest, FileError> {
    let failed = failed(path, origin);
    let mut file = open(path, origin)?;
    let most = Purpose::Openings.most_bytes();
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 256 * 1024];
    let mut size = 0;
    loop {
        let bytes = file.read(&mut buffer).map_err(&failed)?;
        if bytes == 0 {
            return Ok(Digest(hash.finalize().into()));
        }
        hash.update(&buffer[..bytes]);
        size += bytes as u64;
        if size > most {
            return Err(FileError::TooLarge {
                path: path.to_owned(),
                most,
            });
        }
    }
}

/// The text of a file; `origin` is the tournament file that names it, where it is not that file itself.
pub(super) fn text(
    path: &Path,
    origin: Option<&str>,
    purpose: Purpose,
) -> Result<String, FileError> {
    let failed = failed(path, origin);
    let most = purpose.most_bytes();
    let file = open(path, origin)?;
    let mut bytes = Vec::new();
    // A file may grow, or say that it is smaller than it is.
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(&failed)?;
    if bytes.len() as u64 > most {
        return Err(FileError::TooLarge {
            path: path.to_owned(),
            most,
        });
    }
    String::from_utf8(bytes)
        .map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))
}

/// Opens a regular file.
fn open(path: &Path, origin: Option<&str>) -> Result<File, FileError> {
    let failed = failed(path, origin);
    // Before it is opened, since opening a pipe waits for who writes to it.
    if !std::fs::metadata(path).map_err(&failed)?.is_file() {
        return Err(FileError::NotAFile(path.to_owned()));
    }
    File::open(path).map_err(&failed)
}

fn failed<'a>(path: &'a Path, origin: Option<&'a str>) -> impl Fn(io::Error) -> FileError + 'a {
    move |source| FileError::Read {
        path: path.to_owned(),
        origin: origin.map(str::to_owned),
        source,
    }
}
