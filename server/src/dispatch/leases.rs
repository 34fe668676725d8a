//! Which batch is with whom, until when.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::{Bindings, Job, Moment, Offer, needs::Lack};
use crate::model::{Attempt, BatchIndex, JobId, WorkerId};

/// All leases. They live in memory only: after a restart unfinished batches are leased again.
#[derive(Debug)]
pub struct LeaseTable {
    epoch: u64,
    counter: u64,
    duration: Duration,
    most_failures: u32,
    jobs: BTreeMap<JobId, Job>,
    leases: BTreeMap<Attempt, Lease>,
    expiries: BTreeSet<(Moment, Attempt)>,
    turn: u64,
    bindings: Bindings,
}

#[derive(Clone, Debug)]
struct Lease {
    job: JobId,
    batch: BatchIndex,
    worker: WorkerId,
    expires: Moment,
}

/// A batch that was leased.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Granted {
    /// The job.
    pub job: JobId,
    /// The batch.
    pub batch: BatchIndex,
    /// Names this lease.
    pub attempt: Attempt,
}

/// Why nothing was leased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoBatch {
    /// There is no job with open batches.
    NothingRunning,
    /// All open batches are leased.
    AllLeased,
    /// Only paused jobs have waiting batches.
    Paused,
    /// All open batches that are not leased are parked.
    Parked(JobId),
    /// The worker lacks something.
    Lacking(JobId, Lack),
}

/// A lease that ended without success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Released {
    /// The lease.
    pub lease: Granted,
    /// Who had it.
    pub worker: WorkerId,
    /// Failed attempts at the batch so far.
    pub failures: u32,
    /// Whether it was parked now.
    pub parked: bool,
}

/// A lease that ran out.
pub type Expired = Released;

impl LeaseTable {
    /// No jobs. `duration` is how long a lease lasts without progress, `most_failures` how many attempts at a batch may
    /// fail before it is parked.
    pub fn new(epoch: u64, duration: Duration, most_failures: u32) -> Self {
        Self {
            epoch,
            counter: 0,
            duration,
            most_failures,
            jobs: BTreeMap::new(),
            leases: BTreeMap::new(),
            expiries: BTreeSet::new(),
            bindings: Bindings::default(),
            turn: 0,
        }
    }

    /// Adds a job, or replaces it.
    pub fn add_job(&mut self, id: JobId, job: Job) {
        self.remove_job(id);
        self.jobs.insert(id, job);
    }

    /// Removes a job. Gives its leases, whose workers are to be told.
    pub fn remove_job(&mut self, id: JobId) -> Vec<(WorkerId, Granted)> {
        let Some(job) = self.jobs.remove(&id) else {
            return Vec::new();
        };
        let end = |(&batch, &attempt)| {
            self.end(attempt).map(|lease| {
                (
                    lease.worker,
                    Granted {
                        job: id,
                        batch: BatchIndex(batch),
                        attempt,
                    },
                )
            })
        };
        job.leased().iter().filter_map(end).collect()
    }

    /// A job.
    pub fn job(&self, id: JobId) -> Option<&Job> {
        self.jobs.get(&id)
    }

    /// A job, to pause, resume, unpark or reopen.
    pub fn job_mut(&mut self, id: JobId) -> Option<&mut Job> {
        self.jobs.get_mut(&id)
    }

    /// Leases the next batch to a worker: of the jobs that it can work for, the one whose turn is longest ago.
    pub fn lease(
        &mut self,
        worker: WorkerId,
        offer: &Offer,
        now: Moment,
    ) -> Result<Granted, NoBatch> {
        let bindings = &self.bindings;
        let ready = |(id, job): (&JobId, &mut Job)| {
            let ready = job.is_running() && job.needs().lack(offer, bindings).is_none();
            if ready {
                job.peek().map(|batch| (job.turn, *id, batch))
            } else {
                None
            }
        };
        let Some((_, job, batch)) = self.jobs.iter_mut().filter_map(ready).min() else {
            return Err(self.why_not(offer));
        };
        self.counter += 1;
        let attempt = Attempt {
            epoch: self.epoch,
            counter: self.counter,
        };
        let granted = Granted {
            job,
            batch: BatchIndex(batch),
            attempt,
        };
        self.enter(granted, worker, now);
        self.bind(granted.job, worker, offer);
        Ok(granted)
    }

    /// Binds the engines of a job that are not bound yet to the worker's executables.
    fn bind(&mut self, job: JobId, worker: WorkerId, offer: &Offer) {
        let needs = self.jobs.get(&job).map(Job::needs);
        for need in needs.into_iter().flat_map(|needs| &needs.commands) {
            let own = offer.commands.get(&need.name).copied().flatten();
            if let (None, Some(own)) = (need.sha256, own) {
                self.bindings.bind(need.version, own, worker);
            }
        }
    }

    /// Which executables engines of the workers' own configurations are.
    pub fn bindings(&self) -> &Bindings {
        &self.bindings
    }

    /// The same, to take in what is stored.
    pub fn bindings_mut(&mut self) -> &mut Bindings {
        &mut self.bindings
    }

    fn enter(&mut self, granted: Granted, worker: WorkerId, now: Moment) {
        if let Some(job) = self.jobs.get_mut(&granted.job) {
            self.turn += 1;
            job.turn = self.turn;
            job.lease(granted.batch.0, granted.attempt);
            let expires = now + self.duration;
            self.leases.insert(
                granted.attempt,
                Lease {
                    job: granted.job,
                    batch: granted.batch,
                    worker,
                    expires,
                },
            );
            self.expiries.insert((expires, granted.attempt));
        }
    }

    fn why_not(&mut self, offer: &Offer) -> NoBatch {
        let mut reason = NoBatch::NothingRunning;
        for (&id, job) in &mut self.jobs {
            if job.open() == 0 {
                continue;
            }
            let lack = job.needs().lack(offer, &self.bindings);
            let this = match (job.is_running(), job.has_waiting(), lack) {
                (true, true, Some(lack)) => NoBatch::Lacking(id, lack),
                (false, true, _) => NoBatch::Paused,
                (_, false, _) if !job.leased().is_empty() => NoBatch::AllLeased,
                _ => NoBatch::Parked(id),
            };
            if rank(&this) > rank(&reason) {
                reason = this;
            }
        }
        reason
    }

    /// Takes a lease up again that a worker says it holds: the same one, or one that nobody else holds, as after a
    /// restart. Gives whether the worker has it now.
    pub fn resume(&mut self, worker: WorkerId, claimed: Granted, now: Moment) -> bool {
        if let Some(lease) = self.leases.get(&claimed.attempt) {
            let same =
                lease.worker == worker && lease.job == claimed.job && lease.batch == claimed.batch;
            return same && self.progress(worker, claimed.attempt, now);
        }
        // An attempt that was never given is no lease.
        let was_given = claimed.attempt.epoch < self.epoch
            || claimed.attempt.epoch == self.epoch && claimed.attempt.counter <= self.counter;
        let waits = self
            .jobs
            .get(&claimed.job)
            .is_some_and(|job| job.is_waiting(claimed.batch.0));
        if was_given && waits {
            self.enter(claimed, worker, now);
        }
        was_given && waits
    }

    /// Prolongs a lease. Gives whether the worker has it.
    pub fn progress(&mut self, worker: WorkerId, attempt: Attempt, now: Moment) -> bool {
        self.reset(worker, attempt, now + self.duration)
    }

    fn reset(&mut self, worker: WorkerId, attempt: Attempt, expires: Moment) -> bool {
        match self.leases.get_mut(&attempt) {
            Some(lease) if lease.worker == worker => {
                self.expiries.remove(&(lease.expires, attempt));
                lease.expires = expires;
                self.expiries.insert((expires, attempt));
                true
            }
            _ => false,
        }
    }

    /// Lets a worker's leases run out after a grace time at the latest: its stream broke.
    pub fn shorten(&mut self, worker: WorkerId, grace: Duration, now: Moment) {
        let latest = now + grace;
        let late = self
            .leases
            .iter()
            .filter(|(_, lease)| lease.worker == worker && lease.expires > latest);
        for attempt in late.map(|(&attempt, _)| attempt).collect::<Vec<_>>() {
            self.reset(worker, attempt, latest);
        }
    }

    /// Ends a lease that a worker gives back. Without `blame` it is no failed attempt. None when the worker has no such
    /// lease.
    pub fn release(
        &mut self,
        worker: WorkerId,
        attempt: Attempt,
        blame: Blame,
    ) -> Option<Released> {
        if self.leases.get(&attempt)?.worker != worker {
            return None;
        }
        self.give_back(attempt, blame)
    }

    fn give_back(&mut self, attempt: Attempt, blame: Blame) -> Option<Released> {
        let Lease {
            job: id,
            batch,
            worker,
            ..
        } = self.end(attempt)?;
        let lease = Granted {
            job: id,
            batch,
            attempt,
        };
        // It has nothing to show for what it bound, unless it goes on with other batches.
        if blame == Blame::Failed && self.held_by(worker).next().is_none() {
            self.bindings.give_up(worker);
        }
        let job = self.jobs.get_mut(&id)?;
        job.give_back(batch.0);
        let failures = match blame {
            Blame::Failed => job.fail(batch.0),
            Blame::Nobody => 0,
        };
        let parked = failures >= self.most_failures;
        if parked {
            job.park(batch.0);
        }
        Some(Released {
            lease,
            worker,
            failures,
            parked,
        })
    }

    fn end(&mut self, attempt: Attempt) -> Option<Lease> {
        let lease = self.leases.remove(&attempt)?;
        self.expiries.remove(&(lease.expires, attempt));
        Some(lease)
    }

    /// Marks a batch complete. Gives the worker that has it leased, to be told.
    pub fn complete(&mut self, id: JobId, batch: BatchIndex) -> Option<(WorkerId, Granted)> {
        let attempt = self.jobs.get_mut(&id)?.complete(batch.0)?;
        let lease = self.end(attempt)?;
        Some((
            lease.worker,
            Granted {
                job: id,
                batch,
                attempt,
            },
        ))
    }

    /// Takes a batch back that is leased, without blame. Gives the worker that had it, to be told.
    pub fn take_back(&mut self, id: JobId, batch: BatchIndex) -> Option<(WorkerId, Granted)> {
        let attempt = *self.jobs.get(&id)?.leased().get(&batch.0)?;
        let released = self.give_back(attempt, Blame::Nobody)?;
        Some((released.worker, released.lease))
    }

    /// Ends all leases that have run out by now.
    pub fn expire(&mut self, now: Moment) -> Vec<Expired> {
        let mut expired = Vec::new();
        while let Some(&(expires, attempt)) = self.expiries.first()
            && expires <= now
        {
            expired.extend(self.give_back(attempt, Blame::Failed));
        }
        expired
    }

    /// When the next lease runs out.
    pub fn next_expiry(&self) -> Option<Moment> {
        self.expiries.first().map(|&(expires, _)| expires)
    }

    /// Leases of a worker.
    pub fn held_by(&self, worker: WorkerId) -> impl Iterator<Item = Attempt> + '_ {
        self.leases
            .iter()
            .filter(move |(_, lease)| lease.worker == worker)
            .map(|(&attempt, _)| attempt)
    }

    /// The worker that has a lease.
    pub fn holder(&self, attempt: Attempt) -> Option<WorkerId> {
        self.leases.get(&attempt).map(|lease| lease.worker)
    }
}

/// Whether the end of a lease counts as a failed attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blame {
    /// It counts.
    Failed,
    /// It does not: the worker drains.
    Nobody,
}

/// Which of several reasons is told: the one that the worker's owner can do most about.
fn rank(reason: &NoBatch) -> u8 {
    match reason {
        NoBatch::NothingRunning => 0,
        NoBatch::Parked(_) => 1,
        NoBatch::Paused => 2,
        NoBatch::AllLeased => 3,
        NoBatch::Lacking(..) => 4,
    }
}
