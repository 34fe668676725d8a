//! A scripted worker: plays random legal games that depend on the game's seed alone.

use std::{collections::BTreeSet, time::Duration};

use engine::{
    game::Game,
    outcome::{BoardEnd, Outcome},
    types::Colour,
    variant::Catalog,
};
use proto::{
    PROTOCOL_VERSION,
    v1::{
        self, coordinator_message::Message as Down, worker_message::Message as Up,
        worker_service_client::WorkerServiceClient,
    },
};
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming, transport::Channel};

use super::harness::{BUILD, Running};

/// A worker with an open stream.
pub struct Worker {
    pub session: u64,
    pub up: mpsc::Sender<v1::WorkerMessage>,
    pub down: Streaming<v1::CoordinatorMessage>,
    sequence: u64,
}

/// A registration that is accepted.
pub fn registration(instance: &str) -> v1::RegisterRequest {
    v1::RegisterRequest {
        protocol_version: PROTOCOL_VERSION,
        name: format!("worker {instance}"),
        instance: format!("instance {instance}"),
        builtin_build: BUILD.to_owned(),
        slots: 2,
        ..Default::default()
    }
}

/// Registers; gives the session.
pub async fn register(
    running: &Running,
    request: v1::RegisterRequest,
) -> Result<v1::Registered, v1::Refusal> {
    register_by(running.workers().await, request).await.unwrap()
}

/// Registers by a client that may fail.
pub async fn register_by(
    mut client: WorkerServiceClient<Channel>,
    request: v1::RegisterRequest,
) -> Result<Result<v1::Registered, v1::Refusal>, Status> {
    use v1::register_response::Result as Answer;
    Ok(
        match client.register(request).await?.into_inner().result.unwrap() {
            Answer::Accepted(accepted) => Ok(accepted),
            Answer::Refused(refusal) => Err(refusal),
        },
    )
}

impl Worker {
    /// Registers and opens a stream.
    pub async fn join(running: &Running, instance: &str) -> Self {
        let session = register(running, registration(instance))
            .await
            .unwrap()
            .session;
        Self::open(running, session, vec![]).await.unwrap()
    }

    /// Opens a stream of a session.
    pub async fn open(
        running: &Running,
        session: u64,
        held: Vec<v1::Lease>,
    ) -> Result<Self, Status> {
        Self::open_by(running.workers().await, session, held).await
    }

    /// Opens a stream of a session by a client that may fail.
    pub async fn open_by(
        mut client: WorkerServiceClient<Channel>,
        session: u64,
        held: Vec<v1::Lease>,
    ) -> Result<Self, Status> {
        let (up, messages) = mpsc::channel(1000);
        let hello = v1::WorkerMessage {
            message: Some(Up::Hello(v1::Hello { session, held })),
        };
        up.send(hello).await.unwrap();
        let down = client
            .work(ReceiverStream::new(messages))
            .await?
            .into_inner();
        Ok(Self {
            session,
            up,
            down,
            sequence: 0,
        })
    }

    pub async fn send(&self, message: Up) {
        self.up
            .send(v1::WorkerMessage {
                message: Some(message),
            })
            .await
            .unwrap();
    }

    pub async fn credit(&self, batches: u32) {
        self.send(Up::Credit(v1::Credit { batches })).await;
    }

    /// The next message, which must come soon.
    pub async fn next(&mut self) -> Down {
        self.next_or_end().await.expect("the stream goes on")
    }

    /// The next message, or none at the end of the stream.
    pub async fn next_or_end(&mut self) -> Option<Down> {
        let message = tokio::time::timeout(Duration::from_secs(20), self.down.message()).await;
        message
            .expect("a message comes in time")
            .ok()
            .flatten()
            .map(|message| message.message.unwrap())
    }

    /// Asks for one batch and waits for it; other messages are dropped.
    pub async fn batch(&mut self) -> v1::Batch {
        self.credit(1).await;
        self.await_batch().await
    }

    pub async fn await_batch(&mut self) -> v1::Batch {
        loop {
            if let Down::Batch(batch) = self.next().await {
                return batch;
            }
        }
    }

    /// Asks for a batch and waits for the reason why there is none.
    pub async fn no_work(&mut self) -> v1::NoWork {
        self.credit(1).await;
        loop {
            if let Down::NoWork(no_work) = self.next().await {
                return no_work;
            }
        }
    }

    /// Waits until a batch is cancelled.
    pub async fn cancelled(&mut self) -> v1::Cancel {
        loop {
            if let Down::Cancel(cancel) = self.next().await {
                return cancel;
            }
        }
    }

    /// Reports a game and waits for the answer.
    pub async fn report(&mut self, report: v1::GameReport) -> v1::ReportAnswer {
        self.sequence += 1;
        let sequence = self.sequence;
        self.send(Up::Game(v1::GameReport { sequence, ..report }))
            .await;
        loop {
            if let Down::Answer(answer) = self.next().await
                && answer.sequence == sequence
            {
                return answer;
            }
        }
    }

    /// Plays and reports games of a batch.
    pub async fn play(
        &mut self,
        batch: &v1::Batch,
        games: std::ops::Range<usize>,
    ) -> Vec<v1::ReportStatus> {
        let mut answers = Vec::new();
        for game in &batch.games[games] {
            answers.push(self.report(played(batch, game)).await.status());
        }
        answers
    }

    /// Works until a tournament is over, however often there is nothing to do in between; gives the games it played.
    pub async fn work_to_end(&mut self, running: &Running, id: u64) -> Vec<u32> {
        self.report_to_end(running, id, played).await
    }

    /// The same with games that go as `report` says.
    pub async fn report_to_end(
        &mut self,
        running: &Running,
        id: u64,
        report: impl Fn(&v1::Batch, &v1::BatchGame) -> v1::GameReport,
    ) -> Vec<u32> {
        let mut games = Vec::new();
        self.credit(1).await;
        loop {
            match tokio::time::timeout(Duration::from_millis(50), self.down.message()).await {
                Ok(Ok(Some(v1::CoordinatorMessage {
                    message: Some(Down::Batch(batch)),
                }))) => {
                    games.extend(batch.games.iter().map(|game| game.game));
                    for game in &batch.games {
                        self.report(report(&batch, game)).await;
                    }
                    self.credit(1).await;
                }
                Ok(Ok(Some(_))) => {}
                Ok(_) => return games,
                Err(_) => {
                    let state = running.tournament(id).await.state();
                    if state == v1::TournamentState::Finished {
                        return games;
                    }
                }
            }
        }
    }

    /// Works until there is nothing to do; gives the games it was given.
    pub async fn work(&mut self) -> Vec<u32> {
        let mut games = Vec::new();
        self.credit(1).await;
        loop {
            match self.next().await {
                Down::Batch(batch) => {
                    games.extend(batch.games.iter().map(|game| game.game));
                    let answers = self.play(&batch, 0..batch.games.len()).await;
                    assert!(
                        answers
                            .iter()
                            .all(|status| *status == v1::ReportStatus::Stored),
                        "{answers:?}"
                    );
                    self.credit(1).await;
                }
                Down::NoWork(no_work) if no_work.reason() == v1::NoWorkReason::NothingRunning => {
                    return games;
                }
                _ => {}
            }
        }
    }
}

/// The report of a game, played at random from its seed.
pub fn played(batch: &v1::Batch, game: &v1::BatchGame) -> v1::GameReport {
    play_with_seed(batch, game, game.seed)
}

/// The report of a game, played at random from any seed.
pub fn play_with_seed(batch: &v1::Batch, game: &v1::BatchGame, seed: u64) -> v1::GameReport {
    let variant = Catalog::builtin()
        .get(&batch.variant.as_ref().unwrap().id)
        .unwrap();
    assert_eq!(
        variant.hash().to_string(),
        batch.variant.as_ref().unwrap().hash
    );
    let mut board = Game::new(variant, &game.opening_fen).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    while board.moves().len() < batch.max_plies as usize && board.play_random(&mut random) {}
    v1::GameReport {
        lease: batch.lease,
        game: game.game,
        generation: game.generation,
        moves: board.moves().to_vec(),
        result: Some(result(&board)),
        ..Default::default()
    }
}

/// The report of a game in which one side resigns before the first move.
pub fn resigned(batch: &v1::Batch, game: &v1::BatchGame, first_wins: bool) -> v1::GameReport {
    let first = match game.opening_fen.split_whitespace().nth(1) {
        Some("b") => [v1::Colour::Black, v1::Colour::White],
        _ => [v1::Colour::White, v1::Colour::Black],
    };
    let winner = first[usize::from(!first_wins)];
    v1::GameReport {
        lease: batch.lease,
        game: game.game,
        generation: game.generation,
        result: Some(v1::GameResult {
            outcome: v1::Outcome::Win.into(),
            winner: winner.into(),
            reason: v1::EndReason::Resign.into(),
            count: None,
        }),
        evidence: Some(v1::Evidence {
            text: "resigns".into(),
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// How a game ended: on the board or by the ply limit.
fn result(board: &Game) -> v1::GameResult {
    let (end, reason) = match board.end() {
        Some(end) => (*end, reason(end.reason)),
        None => (board.stopped(), v1::EndReason::MaxPlies),
    };
    let outcome = match end.outcome {
        Outcome::Win => v1::Outcome::Win,
        Outcome::Advantage => v1::Outcome::Advantage,
        Outcome::Draw => v1::Outcome::Draw,
    };
    let winner = match end.winner {
        Some(Colour::White) => v1::Colour::White,
        Some(Colour::Black) => v1::Colour::Black,
        None => v1::Colour::Unspecified,
    };
    v1::GameResult {
        outcome: outcome.into(),
        winner: winner.into(),
        reason: reason.into(),
        count: end
            .count
            .map(|(white, black)| v1::PointsCount { white, black }),
    }
}

fn reason(reason: BoardEnd) -> v1::EndReason {
    match reason {
        BoardEnd::Checkmate => v1::EndReason::Checkmate,
        BoardEnd::Stalemate => v1::EndReason::Stalemate,
        BoardEnd::BareKings => v1::EndReason::BareKings,
        BoardEnd::DeadPosition => v1::EndReason::DeadPosition,
        BoardEnd::Repetition => v1::EndReason::Repetition,
        BoardEnd::NMove => v1::EndReason::NMove,
    }
}

/// Games of a tournament, each once.
#[track_caller]
pub fn assert_each_once(games: &[u32], total: u32) {
    assert_eq!(
        games.iter().copied().collect::<BTreeSet<_>>(),
        (0..total).collect()
    );
    assert_eq!(games.len(), total as usize);
}
