//! Executables of external engines: where they are, and the hashes that they are known by.

use std::collections::HashMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use proto::v1;
use sha2::{Digest, Sha256};

use crate::config::{CommandEngine, Commands};

/// Operating system and processor of this program, as `linux-x86_64`.
pub fn platform() -> String {
    format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH)
}

/// A hash in lower-case hexadecimal digits.
pub fn hex(hash: impl AsRef<[u8]>) -> String {
    let bytes = hash.as_ref().iter();
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of the executable of an engine; a bare name is looked up as the system does.
///
/// # Errors
/// It is not found or cannot be read.
pub fn sha256(engine: &CommandEngine) -> io::Result<String> {
    sha256_of(&find(engine)?)
}

fn find(engine: &CommandEngine) -> io::Result<PathBuf> {
    // What the system looks up relative to the engine's own directory is not looked for here: configured paths are complete.
    which::which(&engine.path).map_err(|error| io::Error::new(io::ErrorKind::NotFound, error))
}

fn sha256_of(path: &Path) -> io::Result<String> {
    let mut file = std::fs::File::open(path)?;
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Ok(hex(hash.finalize())),
            Ok(length) => hash.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Hashes of executables, computed anew only when a file has changed.
#[derive(Debug, Default)]
pub struct Fingerprints(Mutex<HashMap<PathBuf, Known>>);

#[derive(Clone, Debug)]
struct Known {
    size: u64,
    modified: Option<SystemTime>,
    sha256: String,
}

impl Fingerprints {
    /// The SHA-256 of an engine's executable as it is now. Blocks.
    ///
    /// # Errors
    /// It is not found or cannot be read.
    pub fn of(&self, engine: &CommandEngine) -> io::Result<String> {
        let path = find(engine)?;
        let state = std::fs::metadata(&path)?;
        let (size, modified) = (state.len(), state.modified().ok());
        let known = self.lock().get(&path).cloned();
        if let Some(known) = known
            && known.size == size
            && known.modified == modified
            && modified.is_some()
        {
            return Ok(known.sha256);
        }
        let sha256 = sha256_of(&path)?;
        let known = Known {
            size,
            modified,
            sha256: sha256.clone(),
        };
        self.lock().insert(path, known);
        Ok(sha256)
    }

    /// What a worker says of its engines. One whose executable cannot be read is named all the same: why is told when it is to
    /// be started. Blocks.
    pub fn of_all(&self, commands: &Commands) -> Vec<v1::WorkerEngine> {
        let engine = |(name, engine): (&String, &CommandEngine)| v1::WorkerEngine {
            name: name.clone(),
            sha256: self.of(engine).unwrap_or_else(|error| {
                let path = engine.path.display();
                tracing::warn!(name, %path, %error, "the executable of an engine cannot be read");
                String::new()
            }),
        };
        commands.iter().map(engine).collect()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<PathBuf, Known>> {
        // Entries are whole even if a thread panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn write(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn an_executable_is_known_by_its_content_as_it_is_now() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engine");
        write(&path, "abc");
        let engine = CommandEngine::new(&path);
        let known = Fingerprints::default();
        // FIPS 180-2, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(known.of(&engine).unwrap(), abc);
        assert_eq!(known.of(&engine).unwrap(), abc);
        write(&path, "abcd");
        let changed = known.of(&engine).unwrap();
        assert_eq!(changed, sha256(&engine).unwrap());
        assert_ne!(changed, abc);
        std::fs::remove_file(&path).unwrap();
        assert!(known.of(&engine).is_err());
        // A bare name is looked up.
        assert!(known.of(&CommandEngine::new("sh")).is_ok());
        assert!(known.of(&CommandEngine::new("no-such-program")).is_err());
    }
}
