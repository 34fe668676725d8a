//! The one thread that writes: group commit, then the index, then the answers.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
};

use prost::Message as _;
use proto::store::{EpochStarted, Record, record::Change};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::{
    ArtifactFiles, Location, Opened, StoreError, View,
    directory::Directory,
    journal::{Group, Journal},
    kinds,
    state::{Meta, Overlay, SledState, State},
};

/// Most records of one group.
const GROUP_RECORDS: usize = 1024;
/// A group is closed when it has this many bytes.
const GROUP_BYTES: usize = 8 * 1024 * 1024;

/// A record that is safe on disk and in the index.
#[derive(Debug)]
pub struct Committed<'a> {
    /// The record.
    pub record: &'a Record,
    /// Where it stands.
    pub location: Location,
}

/// What became of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is safe on disk and in the index.
    Done(Location),
    /// Its key is taken: nothing was written. The entry of the index.
    Exists(Vec<u8>),
}

struct Commit {
    record: Record,
    payload: Vec<u8>,
    answer: oneshot::Sender<Result<Answer, StoreError>>,
}

/// The store in use: a handle to its thread.
pub struct Store {
    commits: Mutex<Option<mpsc::Sender<Commit>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    view: View,
    artifacts: ArtifactFiles,
    epoch: u64,
    failure: CancellationToken,
}

impl Opened {
    /// Starts the thread that writes and begins a new epoch.
    ///
    /// `observe` is called for every record once it is safe, in order, on that thread, before its sender is answered. It
    /// must not wait for the store.
    pub fn start(
        self,
        observe: impl FnMut(&Committed<'_>) + Send + 'static,
    ) -> Result<Store, StoreError> {
        let view = self.view();
        let artifacts = ArtifactFiles::new(&self.directory.artifacts());
        let epoch = view.epoch()? + 1;
        let (commits, receiver) = mpsc::channel(self.queue);
        let failure = CancellationToken::new();
        let mut writer = Writer {
            journal: self.journal,
            state: self.state,
            meta: self.meta,
            observe,
            failed: None,
            failure: failure.clone(),
            _directory: self.directory,
        };
        writer.begin_epoch(epoch)?;
        let thread = thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || writer.run(receiver))
            .map_err(StoreError::io("start the thread of", view.folder()))?;
        Ok(Store {
            commits: Mutex::new(Some(commits)),
            thread: Mutex::new(Some(thread)),
            view,
            artifacts,
            epoch,
            failure,
        })
    }
}

impl Store {
    /// Writes a record. Resolves when it is safe on disk, or its key turned out to be taken by a safe record.
    ///
    /// Waits while the queue is full. Dropping the future after it was polled does not take the record back.
    pub async fn commit(&self, change: Change) -> Result<Answer, StoreError> {
        let sender = self
            .commits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let sender = sender.ok_or(StoreError::Closed)?;
        let record = Record {
            change: Some(change),
        };
        let payload = record.encode_to_vec();
        let (answer, answered) = oneshot::channel();
        sender
            .send(Commit {
                record,
                payload,
                answer,
            })
            .await
            .map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }

    /// Start number of the coordinator.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Resolves when the store takes no more writes after an error: the program should end.
    pub async fn failed(&self) {
        self.failure.cancelled().await;
    }

    /// Typed reads; they block.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// The artifact files.
    pub fn artifacts(&self) -> &ArtifactFiles {
        &self.artifacts
    }

    /// Writes what is in the queue and ends the thread. Blocks.
    pub fn close(&self) {
        drop(
            self.commits
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let thread = self
            .thread
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(thread) = thread
            && thread.join().is_err()
        {
            tracing::error!("the store's thread panicked");
        }
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        self.close();
    }
}

struct Writer<J, F> {
    journal: J,
    state: Arc<SledState>,
    meta: Meta,
    observe: F,
    failed: Option<Arc<StoreError>>,
    failure: CancellationToken,
    // Held until everything is written.
    _directory: Directory,
}

impl<J: Journal, F: FnMut(&Committed<'_>)> Writer<J, F> {
    fn begin_epoch(&mut self, epoch: u64) -> Result<(), StoreError> {
        let started = EpochStarted {
            epoch,
            unix_ms: crate::telemetry::unix_ms(),
            program_version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let record = Record {
            change: Some(Change::EpochStarted(started)),
        };
        let payload = record.encode_to_vec();
        self.commit(&[(&record, &payload)]).map(drop)
    }

    fn run(mut self, mut receiver: mpsc::Receiver<Commit>) {
        while let Some(first) = receiver.blocking_recv() {
            let mut size = first.payload.len();
            let mut commits = vec![first];
            while commits.len() < GROUP_RECORDS
                && size < GROUP_BYTES
                && let Ok(next) = receiver.try_recv()
            {
                size += next.payload.len();
                commits.push(next);
            }
            let records: Vec<_> = commits
                .iter()
                .map(|commit| (&commit.record, commit.payload.as_slice()))
                .collect();
            let answers = self.commit(&records);
            answer(commits, answers);
        }
        if let Err(error) = self.state.flush() {
            tracing::warn!(%error, "the index was not flushed; the next start replays more of the journal");
        }
    }

    /// Commits a group: judges each record against the index and the records before it, writes, enters, observes.
    fn commit(&mut self, records: &[(&Record, &[u8])]) -> Result<Vec<Answer>, StoreError> {
        if let Some(failed) = &self.failed {
            return Err(StoreError::Failed(failed.clone()));
        }
        let mut group = self.journal.begin()?;
        let state = self.state.clone();
        let mut index = Overlay::new(&*state, self.meta.clone());
        let answers = records
            .iter()
            .map(|(record, payload)| enter(record, payload, &mut group, &mut index));
        // An error here means that the index cannot be read, since the records are our own.
        let answers: Vec<Answer> = answers
            .collect::<Result<_, _>>()
            .map_err(|error| self.fail(error))?;
        if !group.is_empty() {
            self.journal
                .write(group)
                .map_err(|error| self.judge(error))?;
            let (changes, meta) = index.into_changes();
            self.state
                .apply(&changes)
                .map_err(|error| self.fail(error))?;
            self.meta = meta;
        }
        for ((record, _), answer) in records.iter().zip(&answers) {
            if let Answer::Done(location) = answer {
                (self.observe)(&Committed {
                    record,
                    location: *location,
                });
            }
        }
        Ok(answers)
    }

    /// Whether one can go on after the journal refused a group.
    fn judge(&mut self, error: StoreError) -> StoreError {
        if self.journal.is_usable() {
            error
        } else {
            self.fail(error)
        }
    }

    /// Closes the store for writes: what is on disk is safe, but the index does not show it.
    fn fail(&mut self, error: StoreError) -> StoreError {
        tracing::error!(%error, "the store takes no more writes; restart the program");
        let error = Arc::new(error);
        self.failed = Some(error.clone());
        self.failure.cancel();
        StoreError::Failed(error)
    }
}

fn enter(
    record: &Record,
    payload: &[u8],
    group: &mut Group,
    index: &mut Overlay<'_>,
) -> Result<Answer, StoreError> {
    if let Some(key) = kinds::unique_key(record)?
        && let Some(entry) = index.get(&key)?
    {
        return Ok(Answer::Exists(entry));
    }
    let location = group.push(payload)?;
    kinds::apply(record, location, index)?;
    Ok(Answer::Done(location))
}

fn answer(commits: Vec<Commit>, answers: Result<Vec<Answer>, StoreError>) {
    match answers {
        Ok(answers) => {
            for (commit, answer) in commits.into_iter().zip(answers) {
                // The sender may have given up; the record is safe all the same.
                let _ = commit.answer.send(Ok(answer));
            }
        }
        Err(error) => {
            tracing::error!(%error, records = commits.len(), "records were not stored");
            let error = Arc::new(error);
            for commit in commits {
                let _ = commit.answer.send(Err(StoreError::Group(error.clone())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{io, path::Path};

    use proto::store::ArtifactAdded;

    use super::*;
    use crate::store::{OpenOptions, journal::FileJournal, open::open};

    /// A journal whose disk is full now and then, or whose sync fails.
    struct Full {
        journal: FileJournal,
        full: bool,
        broken: bool,
    }

    impl Journal for Full {
        fn begin(&mut self) -> Result<Group, StoreError> {
            self.journal.begin()
        }

        fn write(&mut self, group: Group) -> Result<(), StoreError> {
            if self.full || self.broken {
                let error = io::Error::from(io::ErrorKind::StorageFull);
                return Err(StoreError::io("append to", Path::new("journal"))(error));
            }
            self.journal.write(group)
        }

        fn is_usable(&self) -> bool {
            !self.broken
        }
    }

    #[test]
    fn on_a_full_disk_nothing_is_half_written_and_later_it_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let opened = open(&OpenOptions::new(folder.path())).unwrap();
        let mut observed = Vec::new();
        let mut writer = Writer {
            journal: Full {
                journal: opened.journal,
                full: false,
                broken: false,
            },
            state: opened.state,
            meta: opened.meta,
            observe: |committed: &Committed<'_>| observed.push(committed.location.sequence),
            failed: None,
            failure: CancellationToken::new(),
            _directory: opened.directory,
        };
        let artifact = |digit: char| {
            let sha256 = digit.to_string().repeat(64);
            Record {
                change: Some(Change::ArtifactAdded(ArtifactAdded { sha256, size: 1 })),
            }
        };
        let commit = |writer: &mut Writer<Full, _>, full: bool, digit| {
            writer.journal.full = full;
            let record = artifact(digit);
            writer
                .commit(&[(&record, &record.encode_to_vec())])
                .map(|answers| answers[0].clone())
        };
        assert!(matches!(
            commit(&mut writer, false, 'a'),
            Ok(Answer::Done(_))
        ));
        let error = commit(&mut writer, true, 'b').unwrap_err().to_string();
        assert!(error.contains("free space"), "{error}");
        // The key is not taken, and the place is used by what comes next.
        assert!(
            matches!(commit(&mut writer, false, 'b'), Ok(Answer::Done(at)) if at.sequence == 2)
        );
        assert!(matches!(
            commit(&mut writer, false, 'b'),
            Ok(Answer::Exists(_))
        ));
        // A journal that cannot be trusted any more ends it for good.
        writer.journal.broken = true;
        assert!(matches!(
            commit(&mut writer, false, 'c'),
            Err(StoreError::Failed(_))
        ));
        writer.journal.broken = false;
        assert!(matches!(
            commit(&mut writer, false, 'd'),
            Err(StoreError::Failed(_))
        ));
        assert!(writer.failure.is_cancelled());
        drop(writer);
        assert_eq!(observed, [1, 2]);
    }
}
