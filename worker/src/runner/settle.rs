//! What a worker does of its own accord after each event: slots get work, messages go out, batches are asked for.

use std::time::{Duration, Instant};

use proto::v1;
use proto::v1::worker_message::Message as Up;

use super::STUCK;
use super::desk::Desk;
use crate::WorkerError;
use crate::client::outbox::MOST_UNANSWERED;
use crate::job::Failure;
use crate::job::held::key;

impl Desk {
    /// After each event: gives slots work, asks for more, sends what is to be sent.
    pub(super) fn settle(&mut self, now: Instant) -> Result<(), WorkerError> {
        self.watch(now)?;
        self.fill_slots();
        self.flush(now);
        for beat in self.held.beats(now) {
            self.send(Up::Progress(beat));
        }
        self.ask();
        Ok(())
    }

    /// Stops tasks that are overdue: built-in searches, since processes of engines are watched by their own slot.
    fn watch(&mut self, now: Instant) -> Result<(), WorkerError> {
        let overdue = |limit: Duration| {
            self.held
                .running()
                .position(move |control| control.overdue(now).is_some_and(|by| by > limit))
        };
        if let Some(slot) = overdue(STUCK * 2) {
            return Err(WorkerError::SlotStuck { slot });
        }
        for control in self.held.running() {
            if control.overdue(now).is_some_and(|by| by > STUCK) {
                control.cancel();
            }
        }
        Ok(())
    }

    fn fill_slots(&mut self) {
        if self.draining || self.outbox.len() >= MOST_UNANSWERED {
            return;
        }
        let interval = self.terms.map_or(Duration::from_secs(1), |terms| {
            Duration::from_millis(terms.progress_interval_ms.into())
        });
        while let Some(slot) = self.pool.idle() {
            let Some(task) = self.held.next_task() else {
                return;
            };
            let (key, item) = (key(&task.prepared.batch.lease), task.item);
            if !self.pool.give(slot, task, interval) {
                let failure = Failure::new(v1::FailureReason::Internal, "a slot has ended");
                let failed = self.held.fail(key, failure);
                self.ended(failed);
                let finished = self.held.finished(key, item);
                self.ended(finished);
                return;
            }
        }
    }

    /// Sends notices and due reports, in this order, as far as the stream takes them. A batch is given back only after
    /// the reports of its finished games.
    fn flush(&mut self, now: Instant) {
        let Some(sender) = self.link.sender() else {
            return;
        };
        let send = |message: Up| {
            sender
                .try_send(v1::WorkerMessage {
                    message: Some(message),
                })
                .is_ok()
        };
        self.outbox
            .flush(now, |message| sender.try_send(message).is_ok());
        while let Some(notice) = self.notices.front() {
            if !send(notice.clone()) {
                return;
            }
            self.notices.pop_front();
        }
    }

    /// Sends a message that may be lost; gives whether the stream took it.
    pub(super) fn send(&self, message: Up) -> bool {
        let message = v1::WorkerMessage {
            message: Some(message),
        };
        self.link
            .sender()
            .is_some_and(|sender| sender.try_send(message).is_ok())
    }

    /// Asks for batches: enough for the idle slots, and some ahead so that no slot waits for an answer.
    fn ask(&mut self) {
        let Some(terms) = self.terms.filter(|_| self.link.sender().is_some()) else {
            return;
        };
        if self.draining || self.outbox.len() >= MOST_UNANSWERED {
            return;
        }
        let ahead = self.pool.len() / 4 + 1;
        let wanted = self.pool.idle_count() + ahead;
        let missing = wanted.saturating_sub(self.held.waiting());
        // The first batch tells how large they are: asking for many would take them from others.
        let batches = match self.batch_items {
            Some(items) => missing.div_ceil(items.max(1)),
            None => missing.min(1),
        };
        let batches = u32::try_from(batches).unwrap_or(u32::MAX);
        let more = batches.min(terms.max_credits).saturating_sub(self.credits);
        if more > 0 && self.send(Up::Credit(v1::Credit { batches: more })) {
            self.credits += more;
        }
    }
}
