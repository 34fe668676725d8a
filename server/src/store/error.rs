//! What can go wrong with the store.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// What can go wrong with the store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file system refused something.
    #[error("cannot {action} `{}`: {source}{}", path.display(), remedy(source))]
    Io {
        /// What was tried.
        action: &'static str,
        /// On which file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The data directory belongs to something else.
    #[error(
        "`{}` is not a data directory of brouhaha and not empty: give an empty or new directory with --data-dir",
        .0.display()
    )]
    NotAStore(PathBuf),
    /// There is no data directory where one was named.
    #[error("there is no data directory at `{}`: name the one that the coordinator was started with", .0.display())]
    Missing(PathBuf),
    /// The data directory was written by another version.
    #[error("`{}` has store schema {found}, this program uses {expected}: use the release that wrote it", path.display())]
    Schema {
        /// The marker file.
        path: PathBuf,
        /// The version found.
        found: String,
        /// The version of this program.
        expected: u32,
    },
    /// Another process uses the data directory.
    #[error("`{}` is in use by another process: stop that one, or give another --data-dir", .0.display())]
    InUse(PathBuf),
    /// The journal is damaged, other than by a write that was cut off at its end.
    #[error("the journal is damaged: `{}` at byte {offset}: {problem}: {}", path.display(), DAMAGE_REMEDY)]
    Damaged {
        /// The segment.
        path: PathBuf,
        /// Where in it.
        offset: u64,
        /// What is wrong.
        problem: String,
    },
    /// The index cannot be used.
    #[error("the index in `{}` failed: {problem}: stop the program and run `brouhaha store rebuild`", path.display())]
    State {
        /// Its directory.
        path: PathBuf,
        /// What it said.
        problem: String,
    },
    /// A record in the journal or an entry of the index makes no sense.
    #[error("{what} cannot be read back: {problem}: run `brouhaha store check`")]
    Unreadable {
        /// Which one.
        what: String,
        /// What is wrong.
        problem: String,
    },
    /// A record is larger than a frame may be.
    #[error("a record of {bytes} bytes is too large for the journal: at most {most} are possible")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        most: usize,
    },
    /// An earlier error closed the store, so that nothing can be acknowledged that is not safe.
    #[error("the store takes no more writes after an earlier error: {0}")]
    Failed(Arc<StoreError>),
    /// The group in which the record was to be written failed.
    #[error(transparent)]
    Group(Arc<StoreError>),
    /// The store was shut down.
    #[error("the store is shut down")]
    Closed,
}

const DAMAGE_REMEDY: &str =
    "restore the file from a backup, or give up what follows with `brouhaha store rebuild`";

fn remedy(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ": free space on the disk",
        io::ErrorKind::PermissionDenied => ": check the owner and the permissions",
        io::ErrorKind::ReadOnlyFilesystem => ": the file system is mounted read-only",
        _ => "",
    }
}

impl StoreError {
    /// Whether nothing else could be written either, as on a full disk.
    pub fn is_unwritable(&self) -> bool {
        match self {
            Self::Group(error) => error.is_unwritable(),
            Self::Io { .. } | Self::Failed(_) => true,
            _ => false,
        }
    }

    /// Names what was tried on which file.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io {
            action,
            path,
            source,
        }
    }

    /// Names what cannot be read back.
    pub(crate) fn unreadable(what: impl Into<String>, problem: impl ToString) -> Self {
        Self::Unreadable {
            what: what.into(),
            problem: problem.to_string(),
        }
    }
}
