//! Reads the files of a tournament, none larger than such a file can be.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

use super::FileError;
use crate::model::check;

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
            Self::Openings => 16 * 1024 * 1024,
            Self::Evaluation => check::MAX_EVALUATION_BYTES as u64,
        }
    }
}

/// The text of a file; `origin` is the tournament file that names it, where it is not that file itself.
pub(super) fn text(
    path: &Path,
    origin: Option<&str>,
    purpose: Purpose,
) -> Result<String, FileError> {
    let failed = |source: io::Error| FileError::Read {
        path: path.to_owned(),
        origin: origin.map(str::to_owned),
        source,
    };
    // Before it is opened, since opening a pipe waits for who writes to it.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(FileError::NotAFile(path.to_owned()));
    }
    let most = purpose.most_bytes();
    let file = File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    // A file may grow, or say that it is smaller than it is.
    file.take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > most {
        return Err(FileError::TooLarge {
            path: path.to_owned(),
            most,
        });
    }
    String::from_utf8(bytes)
        .map_err(|error| failed(io::Error::new(io::ErrorKind::InvalidData, error)))
}
