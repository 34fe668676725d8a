//! Puts it all together: one loop that owns the state; connection and slots only send it events.

mod desk;
mod settle;

use std::sync::Arc;
use std::time::{Duration, Instant};

use proto::v1;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::artifacts::Artifacts;
use crate::client::Link;
use crate::client::stub::Address;
use crate::executable::{Fingerprints, platform};
use crate::job::{Supplies, Variants};
use crate::play::roster::MOST_IDLE;
use crate::pool::{Pool, SlotSettings};
use crate::{WorkerConfig, WorkerError};

use desk::{Desk, Event};

/// Events of slots and preparations that may wait.
const EVENTS: usize = 1024;
/// How often what depends on time alone is looked at.
const TICK: Duration = Duration::from_millis(250);
/// After a stop: how long slots may take to give up what they do.
const GIVE_UP: Duration = Duration::from_secs(4);
/// After a stop: how long unanswered reports are waited for, once nothing runs any more.
const LAST_ANSWERS: Duration = Duration::from_secs(10);
/// After a stop: how long a coordinator that is not there is waited for.
const DESERTED: Duration = Duration::from_secs(3);
/// How long the threads of the slots may take to end, beside what their engines are waited for when told to quit.
const LAST_ENGINES: Duration = Duration::from_secs(1);
/// The same when the worker is to end at once.
const ABANDONED: Duration = Duration::from_millis(500);
/// How overdue a task may be before its slot is taken for stuck.
const STUCK: Duration = Duration::from_secs(10);

/// What a worker did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Games that the coordinator stored.
    pub games: u64,
    /// Positions that the coordinator stored.
    pub positions: u64,
    /// Reports that it refused.
    pub refused: u64,
    /// Batches given back because of a failure.
    pub failures: u64,
    /// Reports that were never answered.
    pub unanswered: u64,
}

/// Works for a coordinator until the shutdown, or until trying on is useless.
///
/// A shutdown drains: finished games are reported and their answers waited for, the others are given back, engines are
/// ended. It takes at most [`WorkerConfig::finish_within`], some fifteen seconds more and what engines may take to quit, unless
/// [`WorkerConfig::abandon`] cuts it short.
///
/// # Errors
/// The settings cannot be used, or the coordinator refuses the worker for good.
pub async fn run(
    config: WorkerConfig,
    shutdown: CancellationToken,
) -> Result<Summary, WorkerError> {
    config.check()?;
    let address = Address::new(&config.coordinator, config.token.as_deref())?;
    let (events, received) = mpsc::channel(EVENTS);
    let (slot_events, slot_received) = mpsc::channel(EVENTS);
    let slots = usize::try_from(config.slots.get()).unwrap_or(usize::MAX);
    let settings = SlotSettings {
        hang_after: config.hang_after,
        patience: config.patience,
    };
    // A slot ends its engines one after another.
    let quits = config.commands.longest_quit(config.patience) * MOST_IDLE;
    let pool = Pool::start(slots, settings, &slot_events)?;
    // Only the slots hold it from here on.
    drop(slot_events);
    let commands = Arc::new(config.commands.clone());
    let fingerprints = Arc::new(Fingerprints::default());
    let (known, named) = (fingerprints.clone(), commands.clone());
    let engines = tokio::task::spawn_blocking(move || known.of_all(&named));
    let engines = engines.await.unwrap_or_default();
    let registered = engines.iter().cloned();
    let registered = registered.map(|engine| (engine.name, engine.sha256));
    let supplies = Supplies {
        variants: Variants::default(),
        commands,
        fingerprints,
        registered: Arc::new(registered.collect()),
        launcher: Arc::from(config.launcher.clone()),
        artifacts: Artifacts::new(config.artifacts.clone(), config.artifact_room),
        build: engine::BUILD,
    };
    let registration = registration(&config, engines);
    let link = Link::new(address, registration, config.give_up_after);
    let desk = Desk::new(pool, link, supplies, events);
    let mut run = Run {
        desk,
        events: received,
        slots: slot_received,
        finish_within: config.finish_within,
    };
    let worked = tokio::select! {
        biased;
        () = config.abandon.cancelled() => None,
        worked = run.work_and_drain(&shutdown) => Some(worked),
    };
    let (summary, within) = match worked {
        Some(worked) => (worked, LAST_ENGINES + quits),
        None => (Ok(run.desk.summary()), ABANDONED),
    };
    run.desk.close(within).await;
    summary
}

fn registration(config: &WorkerConfig, engines: Vec<v1::WorkerEngine>) -> v1::RegisterRequest {
    let instance = getrandom::u64().unwrap_or_default();
    v1::RegisterRequest {
        protocol_version: proto::PROTOCOL_VERSION,
        name: config.name.clone(),
        instance: format!("{instance:016x}-{}", std::process::id()),
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        builtin_build: engine::BUILD.to_owned(),
        commands: config.commands.names().cloned().collect(),
        slots: config.slots.get(),
        cores: std::thread::available_parallelism()
            .map_or(0, |cores| u32::try_from(cores.get()).unwrap_or(u32::MAX)),
        memory_mib: 0,
        engines,
        platform: platform(),
    }
}

/// The loop with what it waits for.
struct Run {
    desk: Desk,
    events: mpsc::Receiver<Event>,
    slots: mpsc::Receiver<crate::pool::SlotEvent>,
    finish_within: Duration,
}

impl Run {
    async fn work_and_drain(
        &mut self,
        shutdown: &CancellationToken,
    ) -> Result<Summary, WorkerError> {
        self.work(shutdown).await?;
        self.drain().await
    }

    /// Works until the shutdown.
    async fn work(&mut self, shutdown: &CancellationToken) -> Result<(), WorkerError> {
        loop {
            let stop = tokio::select! {
                () = shutdown.cancelled() => true,
                turned = self.turn() => {
                    turned?;
                    false
                }
            };
            if stop {
                return Ok(());
            }
        }
    }

    /// Waits for one event and deals with it.
    async fn turn(&mut self) -> Result<(), WorkerError> {
        let wait = self.desk.next_due().map_or(TICK, |due| {
            due.saturating_duration_since(Instant::now()).min(TICK)
        });
        tokio::select! {
            Some(event) = self.slots.recv() => self.desk.slot(event),
            Some(event) = self.events.recv() => self.desk.prepared(event),
            event = self.desk.link.next() => self.desk.link_event(event)?,
            () = tokio::time::sleep(wait) => {}
        }
        self.desk.settle(Instant::now())
    }

    /// Gives back what is not finished and waits for the last answers.
    async fn drain(&mut self) -> Result<Summary, WorkerError> {
        let begun = Instant::now();
        let finish_by = begun + self.finish_within;
        self.desk.begin_drain();
        // Games in flight may go on for a while.
        while self.desk.is_working() && Instant::now() < finish_by {
            self.turn_until(finish_by).await?;
        }
        self.desk.give_up_all();
        let by = Instant::now() + GIVE_UP;
        while self.desk.is_working() && Instant::now() < by {
            self.turn_until(by).await?;
        }
        let by = Instant::now() + LAST_ANSWERS;
        while self.desk.has_unanswered() && Instant::now() < by && !self.is_deserted() {
            self.turn_until(by).await?;
        }
        Ok(self.desk.summary())
    }

    /// Whether the coordinator has been gone for so long that it will not hear the end either.
    fn is_deserted(&self) -> bool {
        let down = self.desk.link.down_for(Instant::now());
        down.is_some_and(|time| time >= DESERTED)
    }

    async fn turn_until(&mut self, by: Instant) -> Result<(), WorkerError> {
        match tokio::time::timeout_at(by.into(), self.turn()).await {
            Ok(turned) => turned,
            Err(_) => Ok(()),
        }
    }
}
