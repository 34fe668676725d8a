//! The state of a worker and what each event changes in it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use proto::v1;
use proto::v1::coordinator_message::Message as Down;
use proto::v1::worker_message::Message as Up;
use tokio::sync::mpsc;

use super::Summary;
use crate::WorkerError;
use crate::client::outbox::Report;
use crate::client::{Link, LinkEvent, Outbox};
use crate::job::held::{Ended, Key, key};
use crate::job::{Batch, Failure, Held, Item, Prepared, Supplies};
use crate::play::game::millis;
use crate::play::{PlayedGame, ends};
use crate::pool::{Done, Outcome, Pool, SlotEvent};

/// Most bytes of a failure's message.
const MOST_MESSAGE: usize = 4 * 1024;
/// How long a report waits when the coordinator does not say how long.
const TRY_AGAIN: Duration = Duration::from_secs(1);

/// A batch was made ready, or cannot be.
pub(super) struct Event {
    key: Key,
    result: Result<Prepared, Failure>,
}

/// Everything a worker knows.
pub(super) struct Desk {
    pub(super) pool: Pool,
    pub(super) link: Link,
    pub(super) supplies: Supplies,
    pub(super) events: mpsc::Sender<Event>,
    pub(super) held: Held,
    pub(super) outbox: Outbox,
    /// Messages that are not repeated and must not be lost on an open stream.
    pub(super) notices: VecDeque<Up>,
    pub(super) terms: Option<v1::Registered>,
    /// Credits that the coordinator has not used yet.
    pub(super) credits: u32,
    /// Games or positions of the batch before: how much a credit is expected to bring. None before the first one.
    pub(super) batch_items: Option<usize>,
    pub(super) draining: bool,
    pub(super) summary: Summary,
}

impl Desk {
    pub(super) fn new(
        pool: Pool,
        link: Link,
        supplies: Supplies,
        events: mpsc::Sender<Event>,
    ) -> Self {
        Self {
            pool,
            link,
            supplies,
            events,
            held: Held::default(),
            outbox: Outbox::default(),
            notices: VecDeque::new(),
            terms: None,
            credits: 0,
            batch_items: None,
            draining: false,
            summary: Summary::default(),
        }
    }

    /// Something happened to the connection.
    pub(super) fn link_event(&mut self, event: LinkEvent) -> Result<(), WorkerError> {
        match event {
            LinkEvent::Due => {
                // What has unanswered reports is still ours, too.
                let mut leases: Vec<v1::Lease> =
                    self.held.leases().chain(self.outbox.leases()).collect();
                leases.sort_unstable_by_key(key);
                leases.dedup_by_key(|lease| key(lease));
                self.link.open(leases);
            }
            LinkEvent::Opened(kind, terms) => {
                tracing::info!(
                    worker = terms.worker_id,
                    ?kind,
                    "connected to the coordinator"
                );
                self.terms = Some(terms);
                self.credits = 0;
                self.outbox.reopen(kind, Instant::now());
                if self.draining {
                    self.notices.push_front(Up::Drain(v1::Drain::default()));
                }
            }
            LinkEvent::Message(message) => self.message(*message),
            LinkEvent::Down(reason) => {
                tracing::warn!(reason, "no connection to the coordinator");
                self.credits = 0;
            }
            LinkEvent::Fatal(error) => return Err(error),
        }
        Ok(())
    }

    fn message(&mut self, message: Down) {
        match message {
            // Only the first message of a stream, which the link has read.
            Down::Welcome(_) => {}
            Down::Batch(batch) => self.batch(batch.lease, Batch::of_games(batch)),
            Down::Analysis(batch) => self.batch(batch.lease, Batch::of_positions(batch)),
            Down::Cancel(cancel) => {
                let lease = cancel.lease.unwrap_or_default();
                tracing::info!(batch = lease.batch, reason = ?cancel.reason(), "the coordinator cancelled a batch");
                self.held.drop_batch(key(&lease));
            }
            Down::Answer(answer) => self.answer(&answer),
            Down::NoWork(no_work) => {
                tracing::info!(reason = ?no_work.reason(), no_work.message, "no work")
            }
            Down::Stopping(stopping) => {
                tracing::info!("the coordinator is stopping");
                self.link
                    .hold_off(Duration::from_millis(stopping.retry_after_ms.into()));
                self.credits = 0;
            }
        }
    }

    /// A batch came: it is made ready beside the loop.
    fn batch(&mut self, lease: Option<v1::Lease>, batch: Result<Batch, String>) {
        self.credits = self.credits.saturating_sub(1);
        let batch = match batch {
            Ok(batch) => Arc::new(batch),
            Err(problem) => {
                let failure = Failure::new(
                    v1::FailureReason::BadBatch,
                    format!("the batch cannot be understood: {problem}"),
                );
                return self.ended(lease.map(|lease| Ended {
                    lease,
                    failure: Some(failure),
                }));
            }
        };
        let Some(stub) = self.link.stub() else { return };
        self.batch_items = Some(batch.items());
        self.held.insert(&batch, Instant::now());
        let (supplies, events, key) = (
            self.supplies.clone(),
            self.events.clone(),
            key(&batch.lease),
        );
        tokio::spawn(async move {
            let result = supplies.prepare(batch, stub).await;
            // When nobody listens any more the worker has ended.
            let _ = events.send(Event { key, result }).await;
        });
    }

    /// A batch was made ready, or cannot be.
    pub(super) fn prepared(&mut self, event: Event) {
        match event.result {
            Ok(prepared) => self.held.ready(Arc::new(prepared)),
            Err(failure) => {
                let ended = self.held.fail(event.key, failure);
                self.ended(ended);
            }
        }
    }

    fn answer(&mut self, answer: &v1::ReportAnswer) {
        let status = answer.status();
        if status == v1::ReportStatus::TryAgain {
            let wait = Duration::from_millis(answer.retry_after_ms.into());
            let wait = if wait.is_zero() { TRY_AGAIN } else { wait };
            self.outbox.again(answer.sequence, wait, Instant::now());
            return;
        }
        let Some(report) = self.outbox.answered(answer.sequence) else {
            return;
        };
        match status {
            v1::ReportStatus::Stored => match report {
                Report::Game(_) => self.summary.games += 1,
                Report::Position(_) => self.summary.positions += 1,
            },
            v1::ReportStatus::Refused => {
                let number = report.number();
                tracing::error!(number, reason = ?answer.refusal(), answer.message, "the coordinator refused a report");
                self.summary.refused += 1;
                // It would be missing for ever while the lease is held.
                let lease = report.lease();
                let message = format!("the report of {number} was refused: {}", answer.message);
                let failure = Failure::new(v1::FailureReason::Internal, message);
                if self.held.holds(key(&lease)) {
                    let ended = self.held.fail(key(&lease), failure);
                    self.ended(ended);
                } else {
                    self.ended(Some(Ended {
                        lease,
                        failure: Some(failure),
                    }));
                }
            }
            status => tracing::debug!(
                number = report.number(),
                ?status,
                answer.message,
                "a report was answered"
            ),
        }
    }

    /// A slot says something.
    pub(super) fn slot(&mut self, event: SlotEvent) {
        match event {
            SlotEvent::Progress(progress) => {
                let lease = progress.lease.unwrap_or_default();
                if self.held.holds(key(&lease)) && self.send(Up::Progress(progress)) {
                    self.held.heard(key(&lease), Instant::now());
                }
            }
            SlotEvent::Done(done) => self.done(*done),
        }
    }

    fn done(&mut self, done: Done) {
        let Done {
            slot,
            key,
            lease,
            item,
            outcome,
        } = done;
        self.pool.free(slot);
        let now = Instant::now();
        match outcome {
            Outcome::Game(game) => {
                if let Some(report) = self.game_report(lease, key, item, game) {
                    self.outbox.add(Report::Game(Box::new(report)), now);
                }
            }
            Outcome::Position(evaluation) => {
                let position = self.held.number(key, item);
                let evaluation = Some(evaluation);
                let report = v1::AnalysisReport {
                    sequence: 0,
                    lease: Some(lease),
                    position,
                    evaluation,
                };
                self.outbox.add(Report::Position(Box::new(report)), now);
            }
            Outcome::Cancelled => {}
            Outcome::Failed(failure) => {
                tracing::error!(reason = ?failure.reason, failure.message, "a batch cannot go on");
                let ended = self.held.fail(key, failure);
                self.ended(ended);
            }
        }
        let ended = self.held.finished(key, item);
        self.ended(ended);
    }

    fn game_report(
        &self,
        lease: v1::Lease,
        key: Key,
        item: Item,
        game: PlayedGame,
    ) -> Option<v1::GameReport> {
        let asked = self.held.game(key, item)?;
        Some(v1::GameReport {
            sequence: 0,
            lease: Some(lease),
            game: asked.game,
            generation: asked.generation,
            moves: game.moves,
            result: Some(game.result),
            stats: Some(game.stats),
            evidence: game.evidence,
            started_unix_ms: game.started_unix_ms,
            duration_ms: millis(game.duration),
        })
    }

    /// A batch is no longer held: the coordinator hears of it if it is not done.
    pub(super) fn ended(&mut self, ended: Option<Ended>) {
        let Some(Ended {
            lease,
            failure: Some(Failure { reason, message }),
        }) = ended
        else {
            return;
        };
        if reason != v1::FailureReason::Draining {
            self.summary.failures += 1;
            tracing::warn!(
                batch = lease.batch,
                ?reason,
                message,
                "a batch is given back"
            );
        }
        let message = ends::head(&message, MOST_MESSAGE).to_owned();
        self.notices.push_back(Up::Failure(v1::BatchFailure {
            lease: Some(lease),
            reason: reason.into(),
            message,
        }));
    }

    /// No new work; what nothing runs of is given back.
    pub(super) fn begin_drain(&mut self) {
        self.draining = true;
        self.notices.push_back(Up::Drain(v1::Drain::default()));
        for ended in self.held.begin_nothing(&draining()) {
            self.ended(Some(ended));
        }
    }

    /// What runs is stopped and given back.
    pub(super) fn give_up_all(&mut self) {
        for ended in self.held.fail_all(&draining()) {
            self.ended(Some(ended));
        }
    }

    /// Whether any slot works.
    pub(super) fn is_working(&self) -> bool {
        self.pool.idle_count() < self.pool.len()
    }

    /// Whether the coordinator has still to hear or to answer something.
    pub(super) fn has_unanswered(&self) -> bool {
        !self.outbox.is_empty() || !self.notices.is_empty()
    }

    /// When something is due by time.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.outbox
            .next_due()
            .filter(|_| self.link.sender().is_some())
    }

    /// What was done so far.
    pub(super) fn summary(&self) -> Summary {
        Summary {
            unanswered: self.outbox.len() as u64,
            ..self.summary
        }
    }

    /// Ends the slots with their engines, waiting no longer than this for them, and the connection.
    pub(super) async fn close(self, within: Duration) {
        for control in self.held.running() {
            control.cancel();
        }
        if !self.pool.stop(within).await {
            tracing::error!("a slot did not end in time");
        }
        self.link.close().await;
    }
}

fn draining() -> Failure {
    Failure::new(v1::FailureReason::Draining, "the worker is stopping")
}
