//! Register a worker, open and close its stream, hear its requests.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use proto::{
    PROTOCOL_VERSION,
    store::{WorkerQuarantined, record::Change},
    v1::{self, RefusalReason, coordinator_message::Message},
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::{Coordinator, Error, Outbox, lease};
use crate::{
    dispatch::{Offer, Registration, StreamId, leases::Blame},
    model::{Digest, JobId, SessionId, WorkerId, wire},
};

/// Messages to a worker that may wait to be sent; a worker that lags behind more loses its stream.
const OUTBOX: usize = 1024;
/// Most leases that a worker may claim when it opens a stream.
const MAX_HELD: usize = 4096;
/// Most external engines of a worker.
const MAX_COMMANDS: usize = 1000;
/// Most bytes of a failure's message that are kept.
const MAX_MESSAGE: usize = 1024;

/// The open stream of a worker.
pub struct WorkerStream {
    /// The worker.
    pub worker: WorkerId,
    /// The stream.
    pub stream: StreamId,
    /// Messages to be sent to it.
    pub outbox: mpsc::Receiver<v1::CoordinatorMessage>,
    /// Sends messages to it, waiting while it is slow.
    pub sender: mpsc::Sender<v1::CoordinatorMessage>,
    /// Cancelled when a newer stream takes over or the worker does not read.
    pub fenced: CancellationToken,
}

impl Coordinator {
    /// Admits a worker, or says why not.
    pub fn register_worker(
        &self,
        request: v1::RegisterRequest,
    ) -> Result<v1::Registered, v1::Refusal> {
        let refuse = |reason: RefusalReason, message: String, retry_after_ms| v1::Refusal {
            reason: reason.into(),
            message,
            protocol_version: PROTOCOL_VERSION,
            retry_after_ms,
        };
        if request.protocol_version != PROTOCOL_VERSION {
            let theirs = request.protocol_version;
            let message = format!(
                "the worker speaks protocol version {theirs}, the coordinator {PROTOCOL_VERSION}: use the same release"
            );
            return Err(refuse(RefusalReason::ProtocolVersion, message, 0));
        }
        let slots = request.slots;
        let registration = registration(request)
            .map_err(|message| refuse(RefusalReason::BadRequest, message, 0))?;
        let now = self.now();
        let mut state = self.state();
        if state.stopping {
            return Err(refuse(
                RefusalReason::ShuttingDown,
                Error::Stopping.to_string(),
                1000,
            ));
        }
        let most = self.config.workers.workers;
        let name = registration.name.clone();
        let Some(worker) = state.registry.register(registration, now) else {
            let message = format!("there are already {most} workers: try again later");
            return Err(refuse(RefusalReason::TooManyWorkers, message, 10_000));
        };
        let (id, session) = (worker.id, worker.session);
        // An earlier session of the same process is fenced off.
        if let Some(outbox) = state.outboxes.remove(&id) {
            outbox.fenced.cancel();
        }
        tracing::info!(worker = %id, name, slots, "a worker registered");
        Ok(v1::Registered {
            worker_id: id.0,
            session: session.0,
            epoch: self.epoch(),
            lease_ms: lease::millis(self.config.lease),
            progress_interval_ms: lease::millis(self.config.progress_interval),
            grace_ms: lease::millis(self.config.grace),
            max_credits: self.config.workers.credits,
        })
    }

    /// Opens a stream of a session and takes up the leases that the worker still holds.
    pub fn open_stream(&self, hello: v1::Hello) -> Result<WorkerStream, Error> {
        let now = self.now();
        let mut state = self.state();
        if state.stopping {
            return Err(Error::Stopping);
        }
        if hello.held.len() > MAX_HELD {
            return Err(Error::Invalid(format!("held: more than {MAX_HELD} leases")));
        }
        let (worker, stream) = state
            .registry
            .attach(SessionId(hello.session))
            .ok_or(Error::UnknownSession)?;
        let (sender, outbox) = mpsc::channel(OUTBOX + MAX_HELD);
        let fenced = CancellationToken::new();
        let opened = Outbox {
            sender: sender.clone(),
            fenced: fenced.clone(),
            told: None,
        };
        if let Some(older) = state.outboxes.insert(worker, opened) {
            older.fenced.cancel();
        }
        let mut kept = BTreeSet::new();
        let mut lost = Vec::new();
        for held in &hello.held {
            let granted = lease::from_wire(held);
            match granted {
                Some(granted) if state.leases.resume(worker, granted, now) => {
                    _ = kept.insert(granted.attempt)
                }
                _ => lost.push(*held),
            }
        }
        // What never reached the worker is leased again at once, and nobody is to blame.
        let dropped: Vec<_> = state
            .leases
            .held_by(worker)
            .filter(|attempt| !kept.contains(attempt))
            .collect();
        for attempt in dropped {
            state.leases.release(worker, attempt, Blame::Nobody);
        }
        let kept_leases = u32::try_from(kept.len()).unwrap_or(u32::MAX);
        state.send(worker, Message::Welcome(v1::Welcome { kept_leases }));
        for lease in lost {
            let reason = state.why_lost(&lease).into();
            state.send(
                worker,
                Message::Cancel(v1::Cancel {
                    lease: Some(lease),
                    reason,
                }),
            );
        }
        self.shared.wake.notify_one();
        Ok(WorkerStream {
            worker,
            stream,
            outbox,
            sender,
            fenced,
        })
    }

    /// Closes a stream; the worker's leases run out after the grace time unless it comes back.
    pub fn close_stream(&self, worker: WorkerId, stream: StreamId) {
        let now = self.now();
        let mut state = self.state();
        if state.registry.detach(worker, stream, now) {
            state.outboxes.remove(&worker);
            state.leases.shorten(worker, self.config.grace, now);
            tracing::info!(%worker, "a worker's stream closed");
        }
        drop(state);
        self.shared.wake.notify_one();
    }

    /// Whether this is the worker's present stream.
    pub fn is_current(&self, worker: WorkerId, stream: StreamId) -> bool {
        self.state().registry.is_current(worker, stream)
    }

    /// The worker asks for batches.
    pub fn add_credits(&self, worker: WorkerId, credits: u32) {
        self.state().registry.add_credits(worker, credits);
        self.shared.wake.notify_one();
    }

    /// The worker begins or ends a drain.
    pub fn set_draining(&self, worker: WorkerId, draining: bool) {
        self.state().registry.set_draining(worker, draining);
        self.shared.wake.notify_one();
    }

    /// The worker gives a batch back.
    pub async fn give_back(
        self: &Arc<Self>,
        worker: WorkerId,
        failure: v1::BatchFailure,
    ) -> Result<(), Error> {
        let blame = match failure.reason() {
            v1::FailureReason::Draining => Blame::Nobody,
            _ => Blame::Failed,
        };
        let Some(granted) = failure.lease.as_ref().and_then(lease::from_wire) else {
            return Err(Error::Invalid("failure.lease: is missing".to_owned()));
        };
        let released = self.state().leases.release(worker, granted.attempt, blame);
        self.shared.wake.notify_one();
        let Some(released) = released.filter(|_| blame == Blame::Failed) else {
            return Ok(());
        };
        let message: String = failure.message.chars().take(MAX_MESSAGE / 4).collect();
        let reason = failure
            .reason()
            .as_str_name()
            .trim_start_matches("FAILURE_REASON_")
            .to_lowercase();
        tracing::warn!(%worker, job = %granted.job, batch = %granted.batch, reason, message, "a worker gave a batch back");
        self.note_failure(&released, &format!("{reason}: {message}"))
            .await
    }

    /// Counts a failed attempt: may park the batch and put the worker in quarantine.
    pub(super) async fn note_failure(
        self: &Arc<Self>,
        released: &crate::dispatch::Released,
        message: &str,
    ) -> Result<(), Error> {
        if released.parked {
            self.park(released, message).await?;
        }
        self.blame_worker(released.worker, message).await
    }

    /// Counts a failure of a worker; too many in a row put it in quarantine.
    pub(super) async fn blame_worker(&self, worker: WorkerId, why: &str) -> Result<(), Error> {
        let now = self.now();
        let quarantined = {
            let mut state = self.state();
            let time = state.registry.failed(worker, now);
            time.zip(
                state
                    .registry
                    .get(worker)
                    .map(|worker| worker.registration.clone()),
            )
        };
        if let Some((time, registration)) = quarantined {
            tracing::warn!(%worker, name = registration.name, ?time, why, "a worker gets no work for a while");
            let Registration { name, instance, .. } = registration;
            let change = WorkerQuarantined {
                name,
                instance,
                reason: why.to_owned(),
            };
            self.commit(Change::WorkerQuarantined(change)).await?;
            self.shared.wake.notify_one();
        }
        Ok(())
    }

    /// The workers known now.
    pub fn list_workers(&self) -> Vec<v1::WorkerInfo> {
        let now = self.now();
        let state = self.state();
        let info = |worker: &crate::dispatch::Worker| v1::WorkerInfo {
            worker_id: worker.id.0,
            name: worker.registration.name.clone(),
            connected: worker.stream.is_some(),
            slots: worker.registration.slots,
            leases: u32::try_from(state.leases.held_by(worker.id).count()).unwrap_or(u32::MAX),
            stored_games: worker.stored_games,
            testimony_ends: worker.testimony_ends,
            failures: worker.failures,
            draining: worker.draining,
            quarantined: worker.is_quarantined(now),
            builtin_build: worker.registration.offer.build.clone().unwrap_or_default(),
        };
        state.registry.iter().map(info).collect()
    }
}

impl super::State {
    /// Why a worker does not keep a lease that it claims.
    fn why_lost(&self, lease: &v1::Lease) -> v1::CancelReason {
        let job = lease::job_of(lease);
        if self.leases.job(job).is_some() {
            return v1::CancelReason::LeaseLost;
        }
        let is_known = match job {
            JobId::Tournament(id) => self
                .tournaments
                .get(&id)
                .map(|tournament| tournament.state().is_over()),
            JobId::Analysis(id) => self.analyses.get(&id).map(|analysis| analysis.cancelled),
        };
        match is_known {
            Some(true) => v1::CancelReason::Cancelled,
            Some(false) => v1::CancelReason::Complete,
            None => v1::CancelReason::Unknown,
        }
    }
}

fn registration(request: v1::RegisterRequest) -> Result<Registration, String> {
    let bounds = [
        ("name", request.name.chars().count(), 1, 128),
        ("instance", request.instance.len(), 8, 64),
    ];
    for (field, length, least, most) in bounds {
        if !(least..=most).contains(&length) {
            return Err(format!("{field}: must have {least} to {most} characters"));
        }
    }
    if !(1..=4096).contains(&request.slots) {
        return Err(format!("slots: is {}, must be 1 to 4096", request.slots));
    }
    if request.commands.len().max(request.engines.len()) > MAX_COMMANDS {
        return Err(format!("engines: more than {MAX_COMMANDS}"));
    }
    let named = request.commands.into_iter().map(|name| (name, None));
    let mut commands: BTreeMap<String, Option<Digest>> = named.collect();
    for engine in request.engines {
        let sha256 = match engine.sha256.as_str() {
            "" => None,
            text => Some(text.parse().map_err(|error| {
                format!("engines: the executable of `{}`: {error}", engine.name)
            })?),
        };
        commands.insert(engine.name, sha256);
    }
    let platform = match request.platform.as_str() {
        "" => None,
        text => Some(text.parse().map_err(|error| format!("platform: {error}"))?),
    };
    Ok(Registration {
        name: request.name,
        instance: request.instance,
        offer: Offer {
            build: Some(request.builtin_build).filter(|build| !build.is_empty()),
            commands,
            platform,
        },
        slots: request.slots,
    })
}

/// The attempt that a message names.
pub(super) fn attempt_of(lease: Option<&v1::Lease>) -> crate::model::Attempt {
    wire::attempt_from_wire(lease.and_then(|lease| lease.attempt.as_ref()))
}
