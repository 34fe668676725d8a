//! Engine files of the coordinator, kept by hash: fetched with resume, checked, and dropped when they take too much room.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use proto::v1;
use sha2::{Digest, Sha256};
use tonic::{Code, Status, Streaming};

use crate::executable::hex;

/// Largest file in bytes; the protocol's limit.
pub const LARGEST: u64 = 512 * 1024 * 1024;
/// Most bytes of all kept files, when nothing else is said.
pub const USUAL_ROOM: u64 = 4 * 1024 * 1024 * 1024;
/// Age at which the beginning of a file that was never fetched whole is dropped.
const STALE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Most tries for one file in a row, each of which goes on where the one before broke off with something to show for it.
const TRIES: usize = 100;
/// What the name of a file that is not whole yet ends with.
const PARTIAL: &str = "partial";

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
    room: u64,
}

impl Artifacts {
    /// Files in this folder, which is made when it is first needed, of at most so many bytes together.
    pub fn new(folder: PathBuf, room: u64) -> Self {
        Self { folder, room }
    }

    /// The file of a hash, if it is here. It counts as used now.
    ///
    /// # Errors
    /// The hash is none.
    pub fn find(&self, hash: &str) -> Result<Option<PathBuf>, ArtifactError> {
        if !is_hash(hash) {
            return Err(ArtifactError::BadHash(hash.chars().take(80).collect()));
        }
        let path = self.folder.join(hash);
        // A file that was written by somebody else cannot be marked and is dropped first.
        let used = |file: File| file.set_modified(SystemTime::now());
        let _ = File::open(&path).and_then(used);
        Ok(path.is_file().then_some(path))
    }

    /// Fetches a file from where an earlier try broke off; `chunks` gives them from an offset on. It appears under its name only
    /// when it is whole and its hash is right.
    ///
    /// # Errors
    /// The streams broke, the hash differs, or the folder cannot be used.
    pub async fn take<F>(
        &self,
        hash: &str,
        chunks: impl Fn(u64) -> F,
    ) -> Result<PathBuf, ArtifactError>
    where
        F: Future<Output = Result<Streaming<v1::ArtifactChunk>, Status>>,
    {
        let (this, name) = (self.clone(), hash.to_owned());
        let mut partial =
            blocking(&self.folder, move || Partial::open(&this.folder, &name)).await?;
        let mut tries = 0;
        loop {
            tries += 1;
            let begun = partial.size;
            match fetch(hash, &mut partial, &chunks).await {
                Ok(()) => break,
                // With something to show for it, it is worth another try at once.
                Err(ArtifactError::Fetch { .. }) if tries < TRIES && partial.size > begun => {}
                Err(error) => return Err(error),
            }
        }
        let this = self.clone();
        blocking(&self.folder, move || {
            let path = partial.finish()?;
            this.make_room(&path);
            Ok(path)
        })
        .await
    }

    /// Drops those files that were not used for longest until the rest has room, but never the one just fetched.
    fn make_room(&self, newest: &Path) {
        let mut total = 0;
        let mut kept: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let (path, Ok(state)) = (entry.path(), entry.metadata()) else {
                continue;
            };
            let name = entry.file_name().to_string_lossy().into_owned();
            let modified = state.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            if is_hash(&name) {
                total += state.len();
                kept.push((modified, state.len(), path));
            } else if name.ends_with(PARTIAL) && modified.elapsed().is_ok_and(|age| age > STALE) {
                // One that cannot be removed is only a waste, as below.
                let _ = fs::remove_file(path);
            }
        }
        kept.sort();
        for (_, size, path) in kept.into_iter().filter(|(_, _, path)| path != newest) {
            if total <= self.room {
                break;
            }
            if fs::remove_file(&path).is_ok() {
                total -= size;
                tracing::info!(path = %path.display(), "an engine file was dropped to make room");
            }
        }
    }
}

fn is_hash(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.len() == 64 && text.bytes().all(is_digit)
}

/// A file that is being fetched. What there is of it stays when that breaks off.
struct Partial {
    hash: String,
    path: PathBuf,
    file: File,
    hasher: Sha256,
    size: u64,
}

impl Partial {
    /// Takes up what an earlier try left, unless another process is at it: then a file of its own.
    fn open(folder: &Path, hash: &str) -> Result<Self, ArtifactError> {
        fs::create_dir_all(folder).map_err(disk(folder))?;
        let mut path = folder.join(format!("{hash}.{PARTIAL}"));
        let mut file = create(&path)?;
        if file.try_lock().is_err() {
            let unique = getrandom::u64().unwrap_or_default() ^ u64::from(std::process::id());
            path = folder.join(format!("{hash}.{unique:016x}.{PARTIAL}"));
            file = create(&path)?;
        }
        let mut partial = Self {
            hash: hash.to_owned(),
            path,
            file,
            hasher: Sha256::new(),
            size: 0,
        };
        partial.read().map_err(disk(&partial.path))?;
        Ok(partial)
    }

    /// Hashes what is there.
    fn read(&mut self) -> io::Result<()> {
        let mut buffer = vec![0; 1 << 16];
        self.file.seek(SeekFrom::Start(0))?;
        loop {
            match self.file.read(&mut buffer)? {
                0 => return Ok(()),
                length => {
                    self.hasher.update(&buffer[..length]);
                    self.size += length as u64;
                }
            }
        }
    }

    /// Begins anew.
    fn clear(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.hasher = Sha256::new();
        self.size = 0;
        Ok(())
    }

    fn add(&mut self, data: &[u8]) -> io::Result<()> {
        self.file.write_all(data)?;
        self.hasher.update(data);
        self.size += data.len() as u64;
        Ok(())
    }

    /// The file under its name, if its hash is right.
    fn finish(self) -> Result<PathBuf, ArtifactError> {
        let found = hex(self.hasher.clone().finalize());
        if found != self.hash {
            // It would be wrong the next time, too.
            fs::remove_file(&self.path).map_err(disk(&self.path))?;
            return Err(ArtifactError::Wrong {
                problem: format!("the hash {found} instead; upload it again"),
                hash: self.hash,
            });
        }
        // It will be executed, whoever made it.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::Permissions::from_mode(0o700);
            self.file.set_permissions(mode).map_err(disk(&self.path))?;
        }
        self.file.sync_all().map_err(disk(&self.path))?;
        let path = self.path.with_file_name(&self.hash);
        match fs::rename(&self.path, &path) {
            // Another process had it whole in the meantime.
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_file() => {}
            renamed => renamed.map_err(disk(&path))?,
        }
        Ok(path)
    }
}

fn create(path: &Path) -> Result<File, ArtifactError> {
    let mut options = fs::OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(path).map_err(disk(path))
}

fn disk(path: &Path) -> impl FnOnce(io::Error) -> ArtifactError + use<> {
    let path = path.to_owned();
    move |source| ArtifactError::Disk { path, source }
}

async fn fetch<F>(
    hash: &str,
    partial: &mut Partial,
    chunks: &impl Fn(u64) -> F,
) -> Result<(), ArtifactError>
where
    F: Future<Output = Result<Streaming<v1::ArtifactChunk>, Status>>,
{
    let broken = |status| ArtifactError::Fetch {
        hash: hash.to_owned(),
        status: Box::new(status),
    };
    let mut stream = match chunks(partial.size).await {
        // More than there is: not the beginning of that file.
        Err(status) if status.code() == Code::InvalidArgument && partial.size > 0 => {
            partial.clear().map_err(disk(&partial.path))?;
            chunks(0).await.map_err(broken)?
        }
        other => other.map_err(broken)?,
    };
    while let Some(chunk) = stream.message().await.map_err(broken)? {
        if partial.size + chunk.data.len() as u64 > LARGEST {
            partial.clear().map_err(disk(&partial.path))?;
            return Err(ArtifactError::Wrong {
                hash: hash.to_owned(),
                problem: format!("more than {LARGEST} bytes"),
            });
        }
        // A chunk is small, and the system buffers it.
        partial.add(&chunk.data).map_err(disk(&partial.path))?;
    }
    Ok(())
}

async fn blocking<T: Send + 'static>(
    folder: &Path,
    work: impl FnOnce() -> Result<T, ArtifactError> + Send + 'static,
) -> Result<T, ArtifactError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(disk(folder)(io::Error::other(error))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_not_used_for_longest_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let artifacts = Artifacts::new(folder.path().to_owned(), 25);
        let now = SystemTime::now();
        let write = |name: &str, size: usize, age: u64| {
            let path = folder.path().join(name);
            fs::write(&path, vec![b'x'; size]).unwrap();
            let file = File::options().append(true).open(&path).unwrap();
            file.set_modified(now - Duration::from_secs(age)).unwrap();
            path
        };
        let name = |digit: &str| digit.repeat(64);
        let (oldest, used) = (write(&name("a"), 10, 300), write(&name("b"), 10, 400));
        let (newer, newest) = (write(&name("c"), 10, 100), write(&name("d"), 10, 500));
        let stale = write("x.partial", 10, STALE.as_secs() + 100);
        let (begun, other) = (write("y.partial", 10, 10), write("notes.txt", 1000, 10_000));
        assert_eq!(artifacts.find(&name("b")).unwrap(), Some(used.clone()));
        artifacts.make_room(&newest);
        let left = [&oldest, &used, &newer, &newest, &stale, &begun, &other].map(|p| p.exists());
        assert_eq!(left, [false, true, false, true, false, true, true]);
    }
}
