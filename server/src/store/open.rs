//! Brings journal and index together: replays what the index has not seen, rebuilds it on any doubt.

use std::{fs, io, path::PathBuf, sync::Arc};

use super::{
    Location, StoreError, View,
    directory::{Directory, INDEX_SCHEMA},
    journal::{FileJournal, JournalReader, Recovered, recover},
    keys, kinds,
    state::{Meta, Overlay, SledState, State},
};

/// Where the store is and how large its parts are.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// The data directory.
    pub path: PathBuf,
    /// A segment of the journal is closed when it has this size or more.
    pub segment_bytes: u64,
    /// Cache of the index; real memory may be up to twice as much.
    pub cache_bytes: u64,
    /// Records that may wait to be written; more wait at the sender.
    pub queue: usize,
}

impl OpenOptions {
    /// The defaults for a data directory.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            segment_bytes: 64 * 1024 * 1024,
            cache_bytes: 64 * 1024 * 1024,
            queue: 4096,
        }
    }
}

/// A store that is open but not yet written to.
pub struct Opened {
    pub(super) directory: Directory,
    pub(super) journal: FileJournal,
    pub(super) state: Arc<SledState>,
    pub(super) meta: Meta,
    pub(super) queue: usize,
    /// What was cut off at the end of the journal.
    pub recovered: Option<Recovered>,
    /// Why the index was rebuilt, when it was.
    pub rebuilt: Option<String>,
    /// Records that were entered into the index.
    pub replayed: u64,
}

/// Opens the store of a data directory.
pub fn open(options: &OpenOptions) -> Result<Opened, StoreError> {
    let directory = Directory::open(&options.path)?;
    let (found, mut doubt) = match examine(&directory, options.cache_bytes) {
        Ok(found) => (Some(found), None),
        Err(problem) => (None, Some(problem)),
    };
    let applied = found.as_ref().and_then(|(_, meta)| meta.applied);
    let acknowledged = applied.map_or(0, |at| at.sequence);
    let (journal, recovered) =
        recover::open(&directory.journal(), options.segment_bytes, acknowledged)?;
    let reader = JournalReader::new(&directory.journal());
    if let Some(at) = applied
        && !reader.holds(at)
    {
        doubt = Some(format!(
            "it refers to record {} where the journal has another",
            at.sequence
        ));
    }
    let (state, meta) = match found {
        Some(found) if doubt.is_none() => found,
        found => {
            drop(found);
            set_aside(&directory)?;
            (
                SledState::open(&directory.state(), options.cache_bytes)?,
                Meta::default(),
            )
        }
    };
    // An index that was never there is not in doubt: it is new, or was deleted on purpose.
    let rebuilt = doubt.or_else(|| {
        (meta.applied.is_none() && journal.next_sequence() > 1)
            .then(|| "it was missing or empty".to_owned())
    });
    let (meta, replayed) = replay(&reader, &state, meta)?;
    Ok(Opened {
        directory,
        journal,
        state: Arc::new(state),
        meta,
        queue: options.queue,
        recovered,
        rebuilt,
        replayed,
    })
}

impl Opened {
    /// Typed reads.
    pub fn view(&self) -> View {
        View::new(
            self.state.clone(),
            JournalReader::new(&self.directory.journal()),
        )
    }
}

/// Opens the index and says what is doubtful about it.
fn examine(directory: &Directory, cache_bytes: u64) -> Result<(SledState, Meta), String> {
    let state =
        SledState::open(&directory.state(), cache_bytes).map_err(|error| error.to_string())?;
    let read = || {
        let meta: Option<Meta> = state
            .get(&keys::meta())?
            .map(|bytes| kinds::decode("position", &bytes))
            .transpose()?;
        Ok::<_, StoreError>((meta, state.count()?))
    };
    match read().map_err(|error| error.to_string())? {
        (None, 0) => Ok((state, Meta::default())),
        (None, _) => Err("it does not say which journal position it stands for".to_owned()),
        (Some(meta), _) if meta.schema != INDEX_SCHEMA => {
            Err(format!("it has schema {}", meta.schema))
        }
        (Some(meta), count) if meta.entries + 1 != count => Err(format!(
            "it has {} entries instead of {}",
            count.saturating_sub(1),
            meta.entries
        )),
        (Some(meta), _) => Ok((state, meta)),
    }
}

/// Moves the index aside; one that was set aside before is removed.
pub(super) fn set_aside(directory: &Directory) -> Result<(), StoreError> {
    let (state, aside) = (directory.state(), directory.path().join("state.aside"));
    let absent = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    let removed = match fs::remove_dir_all(&aside) {
        // Nothing of ours is a file there, but it must not stand in the way.
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => fs::remove_file(&aside),
        removed => removed,
    };
    match removed {
        Err(error) if !absent(&error) => return Err(StoreError::io("remove", &aside)(error)),
        _ => {}
    }
    match fs::rename(&state, &aside) {
        Err(error) if !absent(&error) => Err(StoreError::io("move aside", &state)(error)),
        _ => Ok(()),
    }
}

/// Records entered into the index at a time while replaying.
const REPLAY_GROUP: u32 = 1000;

/// Enters all records after the index's position. Gives the new position and how many there were.
pub(super) fn replay(
    reader: &JournalReader,
    state: &dyn State,
    meta: Meta,
) -> Result<(Meta, u64), StoreError> {
    let after = meta.applied;
    let mut pending = Overlay::new(state, meta);
    let mut waiting = 0;
    let scanned = reader.scan(after, |at: Location, payload| {
        kinds::apply(&kinds::decode_record(at, payload)?, at, &mut pending)?;
        waiting += 1;
        if waiting == REPLAY_GROUP {
            waiting = 0;
            pending.flush()?;
        }
        Ok(())
    })?;
    if waiting > 0 {
        pending.flush()?;
    }
    let (_, meta) = pending.into_changes();
    Ok((meta, scanned.records))
}
