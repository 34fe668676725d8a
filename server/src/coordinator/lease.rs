//! Give batches to workers that ask for them.

use std::{sync::Arc, time::Duration};

use proto::v1::{self, NoWorkReason, coordinator_message::Message};

use super::{Coordinator, analysis::Task, definition::Definition, openings::Book};
use crate::{
    dispatch::{
        Granted, Moment, NoBatch, Worker,
        leases::Blame,
        needs::{Lack, list_of},
    },
    model::{
        AnalysisId, Attempt, BatchIndex, GameIndex, JobId, Player, TournamentId, WorkerId, wire,
    },
    schedule::openings::pair_seed,
};

/// A game that is to be played.
struct MissingGame {
    game: GameIndex,
    generation: u32,
    /// Both players where they are made for their games, as in a tuning; else they are those of the tournament.
    made: Option<Result<[Player; 2], String>>,
}

/// A lease with what its message is made from.
enum Work {
    Games {
        granted: Granted,
        definition: Arc<Definition>,
        book: Option<Arc<Book>>,
        missing: Vec<MissingGame>,
    },
    Positions {
        granted: Granted,
        task: Arc<Task>,
        missing: Vec<u32>,
    },
}

impl Work {
    fn is_empty(&self) -> bool {
        match self {
            Self::Games { missing, .. } => missing.is_empty(),
            Self::Positions { missing, .. } => missing.is_empty(),
        }
    }
}

impl Coordinator {
    /// Gives batches to all workers that ask, as long as there are any. Blocks.
    pub(super) fn hand_out(&self) {
        loop {
            let round = self.round();
            if round.is_empty() {
                return;
            }
            for (worker, work) in round {
                self.give(worker, &work);
            }
        }
    }

    /// Leases one batch to each worker that asks; the others are told why there is none.
    fn round(&self) -> Vec<(WorkerId, Work)> {
        let now = self.now();
        let mut state = self.state();
        let mut round = Vec::new();
        if state.stopping {
            return round;
        }
        let held = state.holding(now).map(|trouble| {
            let rest = trouble.held_until().since(now);
            message(NoWorkReason::CannotStore, trouble.problem(), rest)
        });
        let asks = |worker: &&Worker| worker.stream.is_some() && worker.credits > 0;
        let asking: Vec<_> = state.registry.iter().filter(asks).cloned().collect();
        for worker in asking {
            if !worker.wants_work(now) {
                state.tell(worker.id, not_now(&worker, now));
                continue;
            }
            if let Some(held) = &held {
                state.tell(worker.id, held.clone());
                continue;
            }
            match state.lease_work(&worker, now) {
                Ok(work) => round.push((worker.id, work)),
                Err(reason) => state.tell(worker.id, no_work(&reason)),
            }
        }
        round
    }

    /// Builds the message of a lease and sends it. What cannot be sent is leased again.
    fn give(&self, worker: WorkerId, work: &Work) {
        let lease_ms = millis(self.config.lease);
        let (granted, built) = match work {
            Work::Games {
                granted,
                definition,
                book,
                missing,
            } => {
                let batch = self.games_message(granted, definition, book.as_deref(), missing);
                (
                    granted,
                    batch.map(|batch| Message::Batch(v1::Batch { lease_ms, ..batch })),
                )
            }
            Work::Positions {
                granted,
                task,
                missing,
            } => {
                let batch = positions_message(granted, task, missing);
                (
                    granted,
                    Ok(Message::Analysis(v1::AnalysisBatch { lease_ms, ..batch })),
                )
            }
        };
        let mut state = self.state();
        match built {
            Ok(message) => {
                if let Some(outbox) = state.outboxes.get_mut(&worker) {
                    outbox.told = None;
                }
                if !state.send(worker, message) {
                    state.leases.release(worker, granted.attempt, Blame::Nobody);
                }
            }
            Err(problem) => {
                tracing::error!(job = %granted.job, batch = %granted.batch, problem, "a batch could not be made");
                state.leases.release(worker, granted.attempt, Blame::Failed);
                if let Some(job) = state.leases.job_mut(granted.job) {
                    job.park(granted.batch.0);
                }
            }
        }
    }

    fn games_message(
        &self,
        granted: &Granted,
        definition: &Definition,
        book: Option<&Book>,
        missing: &[MissingGame],
    ) -> Result<v1::Batch, String> {
        let book = book.ok_or("its openings are not known")?;
        let mut players: Vec<Player> = Vec::new();
        let games = missing.iter().map(|missing| {
            let game = missing.game;
            let movers = definition.movers(game).ok_or("a game is not in the plan")?;
            let [first, second] = match &missing.made {
                Some(made) => {
                    let made = made.as_ref().map_err(String::clone)?;
                    movers.map(|index| made.get(index))
                }
                None => movers.map(|index| definition.players.get(index)),
            }
            .map(|player| Some(place(&mut players, player?)));
            let (Some(first), Some(second)) = (first, second) else {
                return Err("a player is missing".to_owned());
            };
            let pairing = definition
                .pairing(game)
                .ok_or("a game is not in the plan")?;
            let opening_fen = book
                .fen(pairing.opening)
                .map_err(|error| error.to_string())?;
            let seed = game_seed(definition.spec.seed, pairing.opening, game);
            Ok::<_, String>(v1::BatchGame {
                game: game.0,
                generation: missing.generation,
                opening_fen,
                first,
                second,
                seed,
            })
        });
        Ok(v1::Batch {
            lease: Some(to_wire(granted)),
            lease_ms: 0,
            variant: Some(definition.variant.clone()),
            games: games.collect::<Result<_, _>>()?,
            players: players.iter().map(wire::player_to_wire).collect(),
            adjudication: Some(wire::adjudication_to_wire(&definition.spec.adjudication)),
            max_plies: definition.spec.max_plies,
            time_margin_ms: millis(self.config.time_margin),
        })
    }
}

impl super::State {
    /// Leases the next batch in which something is missing.
    fn lease_work(&mut self, worker: &Worker, now: Moment) -> Result<Work, NoBatch> {
        loop {
            let offer = &worker.registration.offer;
            let granted = self.leases.lease(worker.id, offer, now)?;
            match self.work(granted) {
                Some(work) if work.is_empty() => {
                    // A batch that is complete must not be leased; it is not, any more.
                    tracing::warn!(job = %granted.job, batch = %granted.batch, "a batch without work was ready to be leased");
                    self.leases.complete(granted.job, granted.batch);
                }
                Some(work) => {
                    self.registry.spend_credit(worker.id);
                    return Ok(work);
                }
                // Its job is gone: cannot happen, but a lease without work must not stay.
                None => {
                    _ = (self.leases).release(worker.id, granted.attempt, Blame::Failed);
                }
            }
        }
    }

    /// Tells a worker why there is no batch, when the reason is another one than before.
    fn tell(&mut self, worker: WorkerId, no_work: v1::NoWork) {
        let reason = Some(no_work.reason());
        if let Some(outbox) = self.outboxes.get_mut(&worker)
            && outbox.told != reason
        {
            outbox.told = reason;
            self.send(worker, Message::NoWork(no_work));
        }
    }

    /// What a lease is about: the games or positions that are still missing.
    fn work(&self, granted: Granted) -> Option<Work> {
        match granted.job {
            JobId::Tournament(id) => {
                let tournament = self.tournaments.get(&id)?;
                let games = tournament.definition.games_of(granted.batch).map(GameIndex);
                let missing = games
                    .filter(|&game| tournament.is_missing(game))
                    .filter_map(|game| {
                        Some(MissingGame {
                            game,
                            generation: tournament.key(game)?.game.generation,
                            made: tournament.tuned_players(game),
                        })
                    })
                    .collect();
                let (definition, book) = (tournament.definition.clone(), tournament.book.clone());
                Some(Work::Games {
                    granted,
                    definition,
                    book,
                    missing,
                })
            }
            JobId::Analysis(id) => {
                let analysis = self.analyses.get(&id)?;
                let positions = analysis.task.positions_of(granted.batch);
                let missing = positions
                    .filter(|&position| analysis.result(position).is_none())
                    .collect();
                Some(Work::Positions {
                    granted,
                    task: analysis.task.clone(),
                    missing,
                })
            }
        }
    }
}

/// The place of a player in a list, in which it is once.
fn place(players: &mut Vec<Player>, player: &Player) -> u32 {
    // Who has the same id and name is the same, without looking at an evaluation's text.
    let is_same = |known: &Player| known.id == player.id && known.name == player.name;
    let known = players.iter().position(is_same);
    let index = known.unwrap_or_else(|| {
        players.push(player.clone());
        players.len() - 1
    });
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// Seed of a game, its own also within a pair.
fn game_seed(seed: u64, opening: u64, game: GameIndex) -> u64 {
    pair_seed(seed, opening.wrapping_mul(2) + u64::from(game.0 % 2))
}

fn positions_message(granted: &Granted, task: &Task, missing: &[u32]) -> v1::AnalysisBatch {
    let position = |&position: &u32| {
        let fen = task.fens.get(position as usize)?.clone();
        Some(v1::AnalysisPosition { position, fen })
    };
    v1::AnalysisBatch {
        lease: Some(to_wire(granted)),
        lease_ms: 0,
        variant: Some(task.variant.clone()),
        player: Some(wire::player_to_wire(&task.player)),
        positions: missing.iter().filter_map(position).collect(),
    }
}

/// Why a worker that asks gets nothing whatever there is.
fn not_now(worker: &Worker, now: Moment) -> v1::NoWork {
    if worker.draining {
        return message(NoWorkReason::Draining, "the worker drains", Duration::ZERO);
    }
    let rest = worker.quarantined_until.since(now);
    message(
        NoWorkReason::Quarantined,
        "the worker failed or reported testimony ends too often",
        rest,
    )
}

fn no_work(reason: &NoBatch) -> v1::NoWork {
    let (reason, text) = match reason {
        NoBatch::NothingRunning => (
            NoWorkReason::NothingRunning,
            "nothing is running".to_owned(),
        ),
        NoBatch::AllLeased => (
            NoWorkReason::AllLeased,
            "all batches are with other workers".to_owned(),
        ),
        NoBatch::Paused => (
            NoWorkReason::Paused,
            "what has batches left is paused".to_owned(),
        ),
        NoBatch::Parked(job) => (
            NoWorkReason::Parked,
            format!("the batches left of {job} failed too often: mend the cause, then resume it"),
        ),
        NoBatch::Lacking(job, Lack::Build(build)) => {
            let short: String = build.chars().take(16).collect();
            (
                NoWorkReason::OtherBuild,
                format!("{job} needs build {short} of the built-in engine: use the same release"),
            )
        }
        NoBatch::Lacking(job, Lack::Command(command)) => (
            NoWorkReason::CommandMissing,
            format!("{job} needs the engine `{command}`: name it in the worker's configuration"),
        ),
        NoBatch::Lacking(job, Lack::Executable { name, needed, own }) => {
            let own = own.map_or_else(
                || "cannot be read".to_owned(),
                |own| format!("is {}", own.short()),
            );
            let text = format!(
                "{job} needs the engine `{name}` with the executable {}, by its SHA-256; this worker's {own}: install the same file, or play the other one under another name",
                needed.short(),
            );
            (NoWorkReason::OtherExecutable, text)
        }
        NoBatch::Lacking(job, Lack::Platform(platforms)) => (
            NoWorkReason::OtherPlatform,
            format!(
                "{job} needs a worker of {}: upload a file for this platform to play it here, too",
                list_of(platforms)
            ),
        ),
    };
    message(reason, &text, Duration::ZERO)
}

fn message(reason: NoWorkReason, text: &str, rest: Duration) -> v1::NoWork {
    v1::NoWork {
        reason: reason.into(),
        message: text.to_owned(),
        retry_after_ms: millis(rest),
    }
}

/// Milliseconds as the protocol has them.
pub(super) fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

/// The message of a lease.
pub(super) fn to_wire(granted: &Granted) -> v1::Lease {
    let (work_id, analysis) = match granted.job {
        JobId::Tournament(id) => (id.0, false),
        JobId::Analysis(id) => (id.0, true),
    };
    let attempt = Some(wire::attempt_to_wire(granted.attempt));
    v1::Lease {
        work_id,
        batch: granted.batch.0,
        attempt,
        analysis,
    }
}

/// The job that a lease is about.
pub(super) fn job_of(lease: &v1::Lease) -> JobId {
    match lease.analysis {
        true => JobId::Analysis(AnalysisId(lease.work_id)),
        false => JobId::Tournament(TournamentId(lease.work_id)),
    }
}

/// The lease of a message; none without an attempt.
pub(super) fn from_wire(lease: &v1::Lease) -> Option<Granted> {
    let v1::Attempt { epoch, counter } = lease.attempt?;
    let attempt = Attempt { epoch, counter };
    Some(Granted {
        job: job_of(lease),
        batch: BatchIndex(lease.batch),
        attempt,
    })
}
