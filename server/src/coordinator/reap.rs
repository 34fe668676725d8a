//! End leases that ran out, park what failed too often, draw what is due: the coordinator's own loop.

use std::{sync::Arc, time::Duration};

use proto::{
    store::{BatchParked, record::Change},
    v1,
};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::{Coordinator, Error};
use crate::{dispatch::Released, model::JobId};

/// Longest time that the loop sleeps when nothing is known to happen.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

impl Coordinator {
    /// Hands out work and ends leases until the shutdown. Sleeps while there is nothing to do.
    pub async fn run(self: Arc<Self>, shutdown: CancellationToken) {
        loop {
            let next = self.next_event();
            tokio::select! {
                () = shutdown.cancelled() => break,
                () = self.shared.wake.notified() => {}
                () = sleep_until(next) => {}
            }
            // What the store refuses is told once, by `trouble`.
            if let Err(error) = self.reap().await
                && !matches!(error, Error::Store(_))
            {
                tracing::error!(%error, "leases that ran out could not be noted");
            }
            if let Err(error) = self.quarantine().await
                && !matches!(error, Error::Store(_))
            {
                tracing::error!(%error, "an engine could not be stopped");
            }
            self.draw_due();
            let this = self.clone();
            if let Err(error) = tokio::task::spawn_blocking(move || this.hand_out()).await {
                tracing::error!(%error, "batches could not be handed out");
            }
        }
        self.stop();
    }

    /// Ends all leases that have run out by now.
    async fn reap(self: &Arc<Self>) -> Result<(), Error> {
        let now = self.now();
        let expired = {
            let mut state = self.state();
            let expired = state.leases.expire(now);
            for released in &expired {
                state.cancel_lease(
                    released.worker,
                    &released.lease,
                    v1::CancelReason::LeaseLost,
                );
                if let JobId::Tournament(id) = released.lease.job {
                    state.tidy(id);
                }
            }
            expired
        };
        for released in expired {
            let (job, batch) = (released.lease.job, released.lease.batch);
            tracing::warn!(%job, %batch, worker = %released.worker, failures = released.failures, "a lease ran out");
            self.note_failure(&released, "the lease ran out without progress")
                .await?;
        }
        Ok(())
    }

    /// Notes that a batch was parked.
    pub(super) async fn park(&self, released: &Released, message: &str) -> Result<(), Error> {
        let (work_id, analysis) = match released.lease.job {
            JobId::Tournament(id) => (id.0, false),
            JobId::Analysis(id) => (id.0, true),
        };
        let (job, batch) = (released.lease.job, released.lease.batch);
        tracing::error!(%job, %batch, message, "a batch failed too often and is parked");
        let message = message.to_owned();
        let parked = v1::ParkedBatch {
            batch: batch.0,
            attempts: released.failures,
            message,
        };
        self.commit(Change::BatchParked(BatchParked {
            work_id,
            parked: Some(parked),
            analysis,
        }))
        .await?;
        Ok(())
    }

    fn next_event(&self) -> Instant {
        let now = self.now();
        let state = self.state();
        let next = state
            .leases
            .next_expiry()
            .into_iter()
            .chain(state.registry.next_release(now))
            .chain(state.holding(now).map(|trouble| trouble.held_until()))
            .min();
        let rest = next.map_or(LONGEST_SLEEP, |next| next.since(now).min(LONGEST_SLEEP));
        Instant::now() + rest
    }

    /// Tells all workers that the coordinator stops, and takes no new ones.
    fn stop(&self) {
        let mut state = self.state();
        state.stopping = true;
        let workers: Vec<_> = state.outboxes.keys().copied().collect();
        for worker in workers {
            let stopping = v1::Stopping {
                retry_after_ms: 1000,
            };
            state.send(worker, v1::coordinator_message::Message::Stopping(stopping));
        }
        // Dropping the senders ends the streams once they are read to the end.
        state.outboxes.clear();
    }
}
