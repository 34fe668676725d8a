//! The one thread that writes: group commit, then the index, then the answers.

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
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

/// Least time between two lines of the log about writes that fail for the same reason.
const LOG_PAUSE: Duration = Duration::from_secs(10);

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
    failure: Arc<Failure>,
}

/// The error after which nothing can be written any more, once there is one.
#[derive(Debug, Default)]
struct Failure {
    error: OnceLock<Arc<StoreError>>,
    happened: CancellationToken,
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
        let failure = Arc::<Failure>::default();
        let mut writer = Writer {
            journal: self.journal,
            state: self.state,
            meta: self.meta,
            observe,
            failure: failure.clone(),
            log: FailureLog::default(),
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
    pub async fn failed(&self) -> Arc<StoreError> {
        self.failure.happened.cancelled().await;
        self.failure()
            .unwrap_or_else(|| Arc::new(StoreError::Closed))
    }

    /// The error after which the store takes no more writes, if there was one.
    pub fn failure(&self) -> Option<Arc<StoreError>> {
        self.failure.error.get().cloned()
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
    failure: Arc<Failure>,
    log: FailureLog,
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
            match &answers {
                Ok(_) => self.log = FailureLog::default(),
                Err(error) => self.log.note(error, Instant::now()),
            }
            answer(commits, answers);
        }
        if let Err(error) = self.state.flush() {
            tracing::warn!(%error, "the index was not flushed; the next start replays more of the journal");
        }
    }

    /// Commits a group: judges each record against the index and the records before it, writes, enters, observes.
    fn commit(&mut self, records: &[(&Record, &[u8])]) -> Result<Vec<Answer>, StoreError> {
        if let Some(failed) = self.failure.error.get() {
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
        // Only the first one is kept; nothing is tried after it.
        let first = self.failure.error.get_or_init(|| error).clone();
        self.failure.happened.cancel();
        StoreError::Failed(first)
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
            let error = Arc::new(error);
            for commit in commits {
                let _ = commit.answer.send(Err(StoreError::Group(error.clone())));
            }
        }
    }
}

/// Writes about failed groups to the log: at once when the reason is new, else now and then.
#[derive(Default)]
struct FailureLog {
    last: Option<(String, Instant)>,
    /// Failed groups since the last line.
    silent: u64,
}

impl FailureLog {
    fn note(&mut self, error: &StoreError, now: Instant) {
        if self.is_due(&error.to_string(), now) {
            tracing::error!(%error, others = self.silent, "records were not stored");
            self.last = Some((error.to_string(), now));
            self.silent = 0;
        } else {
            self.silent += 1;
        }
    }

    fn is_due(&self, reason: &str, now: Instant) -> bool {
        self.last
            .as_ref()
            .is_none_or(|(last, at)| last != reason || now.duration_since(*at) >= LOG_PAUSE)
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
            failure: Arc::default(),
            log: FailureLog::default(),
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
        assert!(writer.failure.happened.is_cancelled());
        let error = writer.failure.error.get().unwrap().to_string();
        assert!(error.contains("free space"), "{error}");
        drop(writer);
        assert_eq!(observed, [1, 2]);
    }

    #[test]
    fn the_log_is_not_flooded() {
        let failed = |action| {
            let error = io::Error::from(io::ErrorKind::StorageFull);
            StoreError::io(action, Path::new("journal"))(error)
        };
        let start = Instant::now();
        let mut log = FailureLog::default();
        let mut lines = 0;
        for number in 0..1000u64 {
            let action = if number < 500 { "append to" } else { "sync" };
            let now = start + Duration::from_millis(30 * number);
            lines += u32::from(log.is_due(&failed(action).to_string(), now));
            log.note(&failed(action), now);
        }
        // At 0, 10.02, then for the new reason at 15, 25.02 seconds.
        assert_eq!(lines, 4);
    }
}
