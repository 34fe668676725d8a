//! A reported game: replayed, stored once, answered when it is safe.

use std::{sync::Arc, time::Duration};

use proto::{
    store::{GameKept, GameStored, KeptReason, record::Change},
    v1::{self, ReportRefusal, ReportStatus},
};

use super::{
    Coordinator, Error,
    definition::Definition,
    enlist::attempt_of,
    lease,
    openings::Book,
    verify::{Refused, Terms, Verified, verify},
};
use crate::{
    model::{
        Attempt, BatchIndex, EndClass, EndReason, GameIndex, GameKey, GameResult, PlayingKey,
        TournamentId, WorkerId, wire,
    },
    store::{
        Answer,
        kinds::{self, GameEntry},
    },
    telemetry::unix_ms,
};

/// Playings of one game that are kept aside; more are answered but not kept.
const MAX_KEPT: usize = 4;
/// When to send a report again that could not be stored now.
const RETRY: Duration = Duration::from_secs(2);

/// The answer to a report, without its sequence.
#[derive(Clone, Debug, Default)]
pub(super) struct Verdict {
    status: ReportStatus,
    refusal: ReportRefusal,
    message: String,
    retry_after: Duration,
}

impl Verdict {
    pub(super) fn of(status: ReportStatus) -> Self {
        Self {
            status,
            ..Self::default()
        }
    }

    pub(super) fn refused(why: ReportRefusal, message: impl Into<String>) -> Self {
        Self {
            status: ReportStatus::Refused,
            refusal: why,
            message: message.into(),
            ..Self::default()
        }
    }

    pub(super) fn try_again(message: impl Into<String>, retry_after: Duration) -> Self {
        Self {
            status: ReportStatus::TryAgain,
            message: message.into(),
            retry_after,
            ..Self::default()
        }
    }

    pub(super) fn answer(self, sequence: u64) -> v1::ReportAnswer {
        v1::ReportAnswer {
            sequence,
            status: self.status.into(),
            refusal: self.refusal.into(),
            message: self.message,
            retry_after_ms: lease::millis(self.retry_after),
        }
    }
}

impl From<Error> for Verdict {
    fn from(error: Error) -> Self {
        // Nothing is known to be wrong with the report.
        Self::try_again(error.to_string(), RETRY)
    }
}

impl From<Refused> for Verdict {
    fn from(refused: Refused) -> Self {
        Self::refused(refused.why, refused.message)
    }
}

/// What a report is about.
struct Subject {
    definition: Arc<Definition>,
    book: Option<Arc<Book>>,
    key: GameKey,
    movers: [usize; 2],
    attempt: Attempt,
    claimed: GameResult,
    worker: WorkerId,
    worker_name: String,
}

impl Coordinator {
    /// Takes in a reported game.
    pub async fn report_game(
        self: &Arc<Self>,
        worker: WorkerId,
        report: v1::GameReport,
    ) -> v1::ReportAnswer {
        let sequence = report.sequence;
        let verdict = self
            .judge_game(worker, report)
            .await
            .unwrap_or_else(|verdict| verdict);
        if matches!(
            verdict.status,
            ReportStatus::Refused | ReportStatus::Conflict
        ) {
            tracing::warn!(%worker, status = ?verdict.status, verdict.message, "a report is not a result");
        }
        self.patiently(verdict).answer(sequence)
    }

    /// A report that cannot be stored now waits the longer, the longer nothing can be stored.
    pub(super) fn patiently(&self, verdict: Verdict) -> Verdict {
        match verdict.status {
            ReportStatus::TryAgain => Verdict {
                retry_after: self.patience(verdict.retry_after),
                ..verdict
            },
            _ => verdict,
        }
    }

    async fn judge_game(
        self: &Arc<Self>,
        worker: WorkerId,
        report: v1::GameReport,
    ) -> Result<Verdict, Verdict> {
        let subject = self.subject(worker, &report)?;
        if subject.claimed.reason == EndReason::WorkerFailure {
            self.blame_worker(worker, "the worker failed in a game")
                .await?;
            return Ok(Verdict::of(ReportStatus::Noted));
        }
        let permit = self.replays.acquire().await.map_err(|_| Error::Stopping)?;
        let this = self.clone();
        let checked = tokio::task::spawn_blocking(move || this.check(subject, report)).await;
        drop(permit);
        let (subject, record) = match checked.map_err(Error::from)?? {
            Checked::Stored(subject, entry, record) => {
                return self.compare(&subject, &entry, record).await;
            }
            Checked::New(subject, record) => (subject, record),
        };
        let players = subject
            .movers
            .map(|player| subject.definition.players.get(player));
        self.check_executables(worker, players.into_iter().flatten())
            .await?;
        let is_testimony = subject.claimed.reason.class() == EndClass::Testimony;
        if is_testimony {
            let admitted = self.state().registry.admit_testimony(worker, self.now());
            admitted.map_err(|rest| {
                Verdict::try_again("the worker reports too many testimony ends", rest)
            })?;
        }
        let answer = self
            .commit(Change::GameStored((*record).clone()))
            .await
            .map_err(Error::from)?;
        match answer {
            Answer::Done(_) => {
                self.state().registry.stored(worker, is_testimony);
                Ok(Verdict::of(ReportStatus::Stored))
            }
            Answer::Exists(entry) => {
                let entry: GameEntry = kinds::decode("game", &entry).map_err(Error::from)?;
                self.compare(&subject, &entry, record).await
            }
        }
    }

    /// Finds out what a report is about, and prolongs its lease.
    fn subject(&self, worker: WorkerId, report: &v1::GameReport) -> Result<Subject, Verdict> {
        let unknown = |message: String| Verdict::refused(ReportRefusal::UnknownGame, message);
        let malformed = |message: String| Verdict::refused(ReportRefusal::Malformed, message);
        let lease = report
            .lease
            .ok_or_else(|| malformed("the lease is missing".to_owned()))?;
        let result = report
            .result
            .as_ref()
            .ok_or_else(|| malformed("the result is missing".to_owned()))?;
        let claimed = wire::result_from_wire(result).map_err(malformed)?;
        let id = TournamentId(lease.work_id);
        let (batch, game) = (BatchIndex(lease.batch), GameIndex(report.game));
        let now = self.now();
        let mut state = self.state();
        let attempt = attempt_of(Some(&lease));
        state.leases.progress(worker, attempt, now);
        let worker_name = state
            .registry
            .get(worker)
            .map(|worker| worker.registration.name.clone())
            .unwrap_or_default();
        let tournament = state
            .tournaments
            .get(&id)
            .filter(|_| !lease.analysis)
            .ok_or_else(|| unknown(format!("tournament {id} does not exist")))?;
        let definition = tournament.definition.clone();
        let key = tournament.key(game).filter(|key| key.game.batch == batch);
        let key = key
            .ok_or_else(|| {
                unknown(format!(
                    "batch {batch} of tournament {id} has no game {game}"
                ))
            })?
            .game;
        if key.generation != report.generation {
            return Err(unknown(format!(
                "{key} is wanted, not generation {}",
                report.generation
            )));
        }
        if !tournament.is_missing(game) && tournament.score(game).is_none() {
            return Err(Verdict {
                message: format!("a player of {key} has withdrawn"),
                ..Verdict::of(ReportStatus::Superseded)
            });
        }
        let movers = definition
            .movers(game)
            .ok_or_else(|| unknown(format!("{key} has no players")))?;
        let book = tournament.book.clone();
        Ok(Subject {
            definition,
            book,
            key,
            movers,
            attempt,
            claimed,
            worker,
            worker_name,
        })
    }

    /// Replays a game and makes its record. Blocks.
    fn check(&self, subject: Subject, report: v1::GameReport) -> Result<Checked, Verdict> {
        let key = PlayingKey {
            game: subject.key,
            replica: 0,
        };
        let stored = self.store.view().game(&key).map_err(Error::from)?;
        if let Some(entry) = &stored
            && is_same(entry, &report, subject.claimed.reason)
        {
            return Err(Verdict::of(ReportStatus::Duplicate));
        }
        let definition = &subject.definition;
        let variant = self.variant(&definition.variant_hash)?;
        let book = match &subject.book {
            Some(book) => book.clone(),
            // A late report of a tournament that was over at the start.
            None => Arc::new(self.book(&variant, &definition.spec)?),
        };
        let pairing = definition.pairing(subject.key.game).ok_or_else(|| {
            let message = format!("{} is not in the plan", subject.key);
            Verdict::refused(ReportRefusal::UnknownGame, message)
        })?;
        let opening = book.fen(pairing.opening)?;
        let [first, second] = subject.movers.map(|index| definition.players.get(index));
        let (Some(first), Some(second)) = (first, second) else {
            return Err(Verdict::refused(
                ReportRefusal::UnknownGame,
                format!("{} has no players", subject.key),
            ));
        };
        let terms = Terms::new(&definition.spec, &variant, &opening, [first, second]);
        let verified = verify(&terms, &report, &subject.claimed)?;
        let record = Box::new(record(&subject, key, &verified, opening.clone(), report));
        Ok(match stored {
            Some(entry) => Checked::Stored(subject, Box::new(entry), record),
            None => Checked::New(subject, record),
        })
    }

    /// Answers a playing of a game that is stored already.
    async fn compare(
        self: &Arc<Self>,
        subject: &Subject,
        entry: &GameEntry,
        record: Box<GameStored>,
    ) -> Result<Verdict, Verdict> {
        let moves = record.game.as_ref().map_or(&[][..], |game| &game.moves);
        let reason = entry
            .summary
            .as_ref()
            .and_then(|summary| summary.result)
            .map(|result| result.reason());
        let same_reason = reason == Some(subject.claimed.reason.to_wire());
        if kinds::moves_digest(moves).0.as_slice() == entry.moves && same_reason {
            return Ok(Verdict::of(ReportStatus::Duplicate));
        }
        let same_attempt = wire::attempt_from_wire(entry.attempt.as_ref()) == subject.attempt;
        let is_conflict = same_attempt || subject.definition.is_deterministic(subject.key.game);
        let (reason, status) = match is_conflict {
            true => (KeptReason::Conflict, ReportStatus::Conflict),
            false => (KeptReason::Superseded, ReportStatus::Superseded),
        };
        let id = subject.key.tournament;
        let key = subject.key;
        let kept = self
            .query(move |this| {
                let kept = this.store.view().kept(id)?;
                Ok(kept
                    .iter()
                    .filter(|(playing, _)| playing.game == key)
                    .count())
            })
            .await?;
        if kept < MAX_KEPT {
            let kept = GameKept {
                playing: Some(*record),
                reason: reason.into(),
            };
            self.commit(Change::GameKept(kept))
                .await
                .map_err(Error::from)?;
        }
        if is_conflict {
            self.blame_worker(
                subject.worker,
                "the worker played a deterministic game differently",
            )
            .await?;
        }
        let message = format!("{} was played otherwise before", subject.key);
        Ok(Verdict {
            message,
            ..Verdict::of(status)
        })
    }
}

/// A report that passed the replay check.
enum Checked {
    New(Subject, Box<GameStored>),
    /// The game is stored already, played otherwise.
    Stored(Subject, Box<GameEntry>, Box<GameStored>),
}

fn is_same(entry: &GameEntry, report: &v1::GameReport, reason: EndReason) -> bool {
    let stored = entry
        .summary
        .as_ref()
        .and_then(|summary| summary.result)
        .map(|result| result.reason());
    stored == Some(reason.to_wire())
        && kinds::moves_digest(&report.moves).0.as_slice() == entry.moves
}

fn record(
    subject: &Subject,
    key: PlayingKey,
    verified: &Verified,
    opening_fen: String,
    report: v1::GameReport,
) -> GameStored {
    let [first, second] = subject
        .movers
        .map(|index| u32::try_from(index).unwrap_or(u32::MAX));
    let summary = v1::GameSummary {
        game: subject.key.game.0,
        batch: subject.key.batch.0,
        generation: subject.key.generation,
        first,
        second,
        first_colour: verified.first.to_wire().into(),
        result: Some(wire::result_to_wire(&verified.result)),
        first_quarters: verified.result.outcome.quarters(verified.first).into(),
        plies: u32::try_from(report.moves.len()).unwrap_or(u32::MAX),
        worker: subject.worker_name.clone(),
    };
    GameStored {
        key: Some(key.into()),
        game: Some(v1::Game {
            summary: Some(summary),
            opening_fen,
            moves: report.moves,
            stats: report.stats,
            evidence: report.evidence,
            started_unix_ms: report.started_unix_ms,
            duration_ms: report.duration_ms,
        }),
        attempt: Some(wire::attempt_to_wire(subject.attempt)),
        stored_unix_ms: unix_ms(),
    }
}
