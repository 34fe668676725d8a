//! The workers: sessions, streams, credits, quarantine.

use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

use super::{Bucket, Moment, Offer};
use crate::model::{SessionId, WorkerId};

/// What a worker says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    /// Name for people.
    pub name: String,
    /// Identity of the process.
    pub instance: String,
    /// What it can play.
    pub offer: Offer,
    /// Games at the same time.
    pub slots: u32,
}

/// Bounds of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegistryLimits {
    /// Most workers at a time.
    pub workers: usize,
    /// Most credits of a worker.
    pub credits: u32,
    /// Testimony ends that a worker may report at once.
    pub testimony_burst: u32,
    /// Time after which it may report one more.
    pub testimony_refill: Duration,
    /// Failures without a stored game between them after which a worker gets no work for a while.
    pub failures: u32,
    /// The same of a worker beside others.
    pub failures_beside_others: u32,
    /// How long, the first time; doubled each time up to 16 times.
    pub quarantine: Duration,
    /// How long a worker that is gone is still listed.
    pub forget: Duration,
}

/// Names one stream of a worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamId(u64);

/// One worker.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Its number.
    pub id: WorkerId,
    /// What it said of itself.
    pub registration: Registration,
    /// Its present session.
    pub session: SessionId,
    /// Its open stream.
    pub stream: Option<StreamId>,
    /// Batches it asks for.
    pub credits: u32,
    /// Whether it wants no more batches.
    pub draining: bool,
    /// Games stored from it.
    pub stored_games: u64,
    /// Testimony ends among them.
    pub testimony_ends: u64,
    /// Failures in all.
    pub failures: u64,
    /// Until when it gets no work.
    pub quarantined_until: Moment,
    failures_in_a_row: u32,
    quarantines: u32,
    testimony: Bucket,
    gone_since: Moment,
}

impl Worker {
    /// Whether it gets no work for a while.
    pub fn is_quarantined(&self, now: Moment) -> bool {
        self.quarantined_until > now
    }

    /// Whether it is to get a batch.
    pub fn wants_work(&self, now: Moment) -> bool {
        self.stream.is_some() && self.credits > 0 && !self.draining && !self.is_quarantined(now)
    }
}

/// All workers of this epoch.
#[derive(Debug)]
pub struct Registry {
    limits: RegistryLimits,
    /// Numbers of sessions begin here, so that those of another epoch are not known.
    session_base: u64,
    counter: u64,
    workers: BTreeMap<WorkerId, Worker>,
    instances: HashMap<String, WorkerId>,
    sessions: HashMap<SessionId, WorkerId>,
}

impl Registry {
    /// No workers.
    pub fn new(epoch: u64, limits: RegistryLimits) -> Self {
        Self {
            limits,
            session_base: epoch << 32,
            counter: 0,
            workers: BTreeMap::new(),
            instances: HashMap::new(),
            sessions: HashMap::new(),
        }
    }

    fn next(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    /// Admits a worker under a new session; an earlier session of the same process ends. None when there are too many.
    pub fn register(&mut self, registration: Registration, now: Moment) -> Option<&Worker> {
        self.forget(now);
        let known = self.instances.get(&registration.instance).copied();
        if known.is_none() && self.workers.len() >= self.limits.workers {
            return None;
        }
        let id = known.unwrap_or_else(|| WorkerId(self.next()));
        let session = SessionId(self.session_base + self.next());
        let limits = self.limits;
        let worker = self.workers.entry(id).or_insert_with(|| Worker {
            id,
            registration: registration.clone(),
            session,
            stream: None,
            credits: 0,
            draining: false,
            stored_games: 0,
            testimony_ends: 0,
            failures: 0,
            quarantined_until: Moment::default(),
            failures_in_a_row: 0,
            quarantines: 0,
            testimony: Bucket::new(limits.testimony_burst, limits.testimony_refill, now),
            gone_since: now,
        });
        self.sessions.remove(&worker.session);
        self.sessions.insert(session, id);
        self.instances.insert(registration.instance.clone(), id);
        worker.registration = registration;
        worker.session = session;
        worker.stream = None;
        worker.credits = 0;
        worker.draining = false;
        worker.gone_since = now;
        Some(worker)
    }

    /// Opens a stream of a session; an older stream of it is closed. None when the session is not known.
    pub fn attach(&mut self, session: SessionId) -> Option<(WorkerId, StreamId)> {
        let id = *self.sessions.get(&session)?;
        let stream = StreamId(self.next());
        let worker = self.workers.get_mut(&id)?;
        worker.stream = Some(stream);
        worker.credits = 0;
        Some((id, stream))
    }

    /// Closes a stream. Gives whether it was the worker's present one.
    pub fn detach(&mut self, id: WorkerId, stream: StreamId, now: Moment) -> bool {
        match self.workers.get_mut(&id) {
            Some(worker) if worker.stream == Some(stream) => {
                worker.stream = None;
                worker.credits = 0;
                worker.gone_since = now;
                true
            }
            _ => false,
        }
    }

    /// Whether this is the worker's present stream.
    pub fn is_current(&self, id: WorkerId, stream: StreamId) -> bool {
        self.workers
            .get(&id)
            .is_some_and(|worker| worker.stream == Some(stream))
    }

    /// Adds credits, up to the limit.
    pub fn add_credits(&mut self, id: WorkerId, credits: u32) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.credits = worker
                .credits
                .saturating_add(credits)
                .min(self.limits.credits);
        }
    }

    /// Uses up a credit.
    pub fn spend_credit(&mut self, id: WorkerId) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.credits = worker.credits.saturating_sub(1);
        }
    }

    /// Begins or ends a drain.
    pub fn set_draining(&mut self, id: WorkerId, draining: bool) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.draining = draining;
        }
    }

    /// Asks whether the worker may report one more testimony end now; if not, when.
    pub fn admit_testimony(&mut self, id: WorkerId, now: Moment) -> Result<(), Duration> {
        self.workers
            .get_mut(&id)
            .map_or(Ok(()), |worker| worker.testimony.take(now))
    }

    /// Counts a stored game.
    pub fn stored(&mut self, id: WorkerId, is_testimony: bool) {
        if let Some(worker) = self.workers.get_mut(&id) {
            worker.stored_games += 1;
            worker.testimony_ends += u64::from(is_testimony);
            worker.failures_in_a_row = 0;
        }
    }

    /// Counts a failure. Gives how long the worker gets no work, when this was one too many. Where others could do its work it
    /// takes fewer, before a batch has failed so often that it is parked.
    pub fn failed(&mut self, id: WorkerId, now: Moment) -> Option<Duration> {
        let others = self.workers.values().any(|other| {
            other.id != id
                && other.stream.is_some()
                && !other.draining
                && !other.is_quarantined(now)
        });
        let most = if others {
            self.limits.failures_beside_others
        } else {
            self.limits.failures
        };
        let worker = self.workers.get_mut(&id)?;
        worker.failures += 1;
        worker.failures_in_a_row += 1;
        if worker.failures_in_a_row < most {
            return None;
        }
        worker.failures_in_a_row = 0;
        let time = self
            .limits
            .quarantine
            .saturating_mul(1 << worker.quarantines.min(4));
        worker.quarantines += 1;
        worker.quarantined_until = now + time;
        Some(time)
    }

    /// A worker.
    pub fn get(&self, id: WorkerId) -> Option<&Worker> {
        self.workers.get(&id)
    }

    /// All workers, in order of number.
    pub fn iter(&self) -> impl Iterator<Item = &Worker> {
        self.workers.values()
    }

    /// When the next quarantine ends.
    pub fn next_release(&self, now: Moment) -> Option<Moment> {
        self.workers
            .values()
            .map(|worker| worker.quarantined_until)
            .filter(|&until| until > now)
            .min()
    }

    /// Drops workers that have been gone for long.
    fn forget(&mut self, now: Moment) {
        let limit = self.limits.forget;
        let gone =
            |worker: &Worker| worker.stream.is_none() && now.since(worker.gone_since) >= limit;
        for worker in self
            .workers
            .extract_if(.., |_, worker| gone(worker))
            .map(|(_, worker)| worker)
        {
            self.instances.remove(&worker.registration.instance);
            self.sessions.remove(&worker.session);
        }
    }
}
