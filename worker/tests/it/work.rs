//! Batches for the tests, and a worker to work on them.

use std::num::NonZeroU32;
use std::time::Duration;

use proto::v1::{self, engine_source, limit};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use worker::{Summary, WorkerConfig, WorkerError};

use crate::coordinator::Coordinator;
use crate::engines::chess;

/// A worker that runs beside the test.
pub struct Running {
    pub shutdown: CancellationToken,
    task: JoinHandle<Result<Summary, WorkerError>>,
}

impl Running {
    pub fn start(config: WorkerConfig) -> Self {
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(worker::run(config, shutdown.clone()));
        Self { shutdown, task }
    }

    /// Waits for its end.
    pub async fn ended(self) -> Result<Summary, WorkerError> {
        tokio::time::timeout(Duration::from_secs(60), self.task)
            .await
            .expect("the worker ends")
            .unwrap()
    }

    /// Stops it and waits for its end.
    pub async fn stopped(self) -> Result<Summary, WorkerError> {
        self.shutdown.cancel();
        self.ended().await
    }
}

pub fn config(coordinator: &Coordinator, slots: u32) -> WorkerConfig {
    WorkerConfig::new(coordinator.url(), NonZeroU32::new(slots).unwrap())
}

pub fn lease(batch: u32) -> v1::Lease {
    let attempt = Some(v1::Attempt {
        epoch: 1,
        counter: u64::from(batch) + 1,
    });
    v1::Lease {
        work_id: 1,
        batch,
        attempt,
        analysis: false,
    }
}

pub fn nodes(nodes: u64) -> v1::Limit {
    v1::Limit {
        kind: Some(limit::Kind::Nodes(nodes)),
    }
}

pub fn movetime(ms: u32) -> v1::Limit {
    v1::Limit {
        kind: Some(limit::Kind::MovetimeMs(ms)),
    }
}

pub fn builtin() -> engine_source::Kind {
    engine_source::Kind::Builtin(v1::BuiltinEngine {
        build: engine::BUILD.to_owned(),
        evaluation: String::new(),
    })
}

pub fn player(name: &str, source: engine_source::Kind, limit: v1::Limit) -> v1::Player {
    v1::Player {
        id: format!("{name:0>64}"),
        version: format!("{name:0>64}"),
        name: name.to_owned(),
        source: Some(v1::EngineSource { kind: Some(source) }),
        options: [].into(),
        limit: Some(limit),
    }
}

pub fn chess_ref() -> v1::VariantRef {
    v1::VariantRef {
        id: "chess".to_owned(),
        hash: chess().hash().to_string(),
    }
}

/// A batch of chess games between two players that take turns in moving first.
pub fn batch(number: u32, games: u32, players: [v1::Player; 2], max_plies: u32) -> v1::Batch {
    let opening = chess().start_fen(0).unwrap();
    let game = |index: u32| v1::BatchGame {
        game: number * games + index,
        generation: 0,
        opening_fen: opening.clone(),
        first: index % 2,
        second: 1 - index % 2,
        seed: 0,
    };
    v1::Batch {
        lease: Some(lease(number)),
        lease_ms: 30_000,
        variant: Some(chess_ref()),
        players: players.to_vec(),
        games: (0..games).map(game).collect(),
        adjudication: None,
        max_plies,
        time_margin_ms: 1000,
    }
}

/// Two built-in players of different strength.
pub fn builtins() -> [v1::Player; 2] {
    [
        player("a", builtin(), nodes(60)),
        player("b", builtin(), nodes(30)),
    ]
}
