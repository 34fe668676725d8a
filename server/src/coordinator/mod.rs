//! One use case a file; alone decides a change of state.
//!
//! What is in memory here is the fold of the committed records (`absorb`), read back from the index at the start
//! (`load`); a use case checks, commits a record, and answers. Locks are never held across an await.
//!
//! | module | does |
//! | --- | --- |
//! | `error` | why a use case refused |
//! | `definition`, `tournament`, `sequential`, `course`, `analysis` | one tournament, one analysis job in memory |
//! | `tuning` | the parameters of a tuning by SPSA |
//! | `openings`, `book` | which position a pair is played from; the openings of a book that was uploaded |
//! | `events` | what watchers see |
//! | `load`, `absorb` | the state at the start, and what a record changes in it |
//! | `submit` | make or find a tournament |
//! | `steer` | pause, resume, cancel, void |
//! | `draw`, `entries`, `audit` | the next round; engines come in and withdraw; every round made again |
//! | `enlist` | register a worker, open and close its stream |
//! | `lease` | give batches to workers |
//! | `reap` | end leases that ran out; the coordinator's own loop |
//! | `verify`, `report` | replay a reported game, store it once |
//! | `progress` | a game goes on |
//! | `trouble` | the store cannot be written to |
//! | `analyse` | analysis jobs |
//! | `games`, `standings`, `pools`, `ratings` | queries |
//! | `moment`, `marks` | the order of a tournament's players; rounds and forfeits for its tie-breaks |
//! | `watch` | events of a tournament |
//! | `variants`, `engines` | what is known |

mod absorb;
mod analyse;
mod analysis;
mod audit;
mod book;
mod course;
mod definition;
mod draw;
mod engines;
mod enlist;
mod entries;
mod error;
mod events;
mod executables;
mod faults;
mod games;
mod lease;
mod load;
mod marks;
mod moment;
mod openings;
mod pools;
mod progress;
mod quarantine;
mod ratings;
mod reap;
mod report;
mod sequential;
mod standings;
mod steer;
mod submit;
#[cfg(test)]
mod testing;
mod tournament;
mod trouble;
mod tuning;
mod variants;
mod verify;
mod watch;

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use proto::v1;
use tokio::{
    sync::{Notify, Semaphore, mpsc, watch as changes},
    time::Instant,
};
use tokio_util::sync::CancellationToken;

use crate::{
    config::Config,
    dispatch::{LeaseTable, Moment, Registry},
    model::{AnalysisId, TournamentId, WorkerId},
    store::{Store, StoreError},
};

pub use analyse::AnalysisWatch;
pub use engines::Retired;
pub use enlist::WorkerStream;
pub use error::Error;
pub use ratings::{CrossTable, Superiority};
pub use submit::{Created, Existing};
pub use watch::TournamentWatch;

use analysis::Analysis;
use definition::Definition;
use tournament::Tournament;
use variants::VariantCache;

/// The coordinator: state, store and clock behind its use cases.
pub struct Coordinator {
    config: Config,
    store: Store,
    shared: Arc<Shared>,
    variants: VariantCache,
    replays: Semaphore,
    queries: Semaphore,
    /// Formats that are asked what comes next, which are not to wait for queries.
    draws: Semaphore,
    /// Audits, which read all games of a tournament.
    audits: Semaphore,
    /// Checks of books, each of which takes all processors.
    books: Semaphore,
    /// Rating lists computed before.
    rating_caches: ratings::Caches,
    /// Held while a tournament is made, so that two equal requests make one.
    creating: tokio::sync::Mutex<()>,
}

/// What the store's thread changes too.
struct Shared {
    state: Mutex<State>,
    /// Something may have to be leased, or a time to wait for has changed.
    wake: Notify,
    /// Grows with every record that changes a result.
    results: changes::Sender<u64>,
    started: Instant,
}

/// Everything in memory.
struct State {
    tournaments: BTreeMap<TournamentId, Tournament>,
    analyses: BTreeMap<AnalysisId, Analysis>,
    leases: LeaseTable,
    registry: Registry,
    outboxes: HashMap<WorkerId, Outbox>,
    /// Tournaments whose record is on its way.
    prepared: HashMap<TournamentId, (Arc<Definition>, Arc<openings::Book>)>,
    /// Sequence of the newest record that was taken in.
    absorbed: u64,
    next_tournament: u64,
    next_analysis: u64,
    stopping: bool,
    /// Why nothing can be stored now.
    trouble: Option<trouble::Trouble>,
}

/// Where messages to a worker go.
struct Outbox {
    sender: mpsc::Sender<v1::CoordinatorMessage>,
    /// Cancelled when a newer stream takes over.
    fenced: CancellationToken,
    /// The reason for no work that the worker was told last.
    told: Option<v1::NoWorkReason>,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Moment {
        Moment(self.started.elapsed())
    }
}

impl State {
    /// Sends without waiting. A worker that does not read its messages loses its stream.
    fn send(&mut self, worker: WorkerId, message: v1::coordinator_message::Message) -> bool {
        let Some(outbox) = self.outboxes.get(&worker) else {
            return false;
        };
        let sent = outbox
            .sender
            .try_send(v1::CoordinatorMessage {
                message: Some(message),
            })
            .is_ok();
        if !sent {
            outbox.fenced.cancel();
        }
        sent
    }
}

impl Coordinator {
    /// Opens the store and reads everything back. Blocks.
    ///
    /// # Errors
    /// The data directory cannot be used, or the store is damaged.
    pub fn open(config: Config) -> Result<Arc<Self>, StoreError> {
        load::open(config)
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Start number of the coordinator.
    pub fn epoch(&self) -> u64 {
        self.store.epoch()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state()
    }

    fn now(&self) -> Moment {
        self.shared.now()
    }

    /// Runs a query on a thread that may block, a bounded number at a time.
    async fn query<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.blocking(&self.queries, work).await
    }

    /// Runs something on a thread that may block, as many at a time as a semaphore allows.
    async fn blocking<T: Send + 'static>(
        self: &Arc<Self>,
        permits: &Semaphore,
        work: impl FnOnce(&Self) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let _permit = permits.acquire().await.map_err(|_| Error::Stopping)?;
        let this = self.clone();
        tokio::task::spawn_blocking(move || work(&this)).await?
    }

    /// Writes everything out and closes the store. Blocks; call it when nothing is served any more.
    pub fn close(&self) {
        self.store.close();
    }
}
