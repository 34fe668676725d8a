//! From command-line arguments to the coordinator's settings; logging; the runtime; signals.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result};
use engine::search::{Engine, EngineOptions, Limits};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Nodes for judging whether an opening is balanced.
const OPENING_NODES: u64 = 2000;

/// `--data-dir DIR`.
#[derive(Debug, Clone, clap::Args)]
pub struct DataDir {
    /// Where tournaments and games are kept
    #[arg(
        long,
        value_name = "DIR",
        env = "BROUHAHA_DATA",
        default_value = "./brouhaha-data"
    )]
    pub data_dir: PathBuf,
}

/// Settings of a coordinator on a data directory, with the built-in engine to judge openings.
pub fn coordinator(data_dir: &DataDir, token: Option<String>) -> server::Config {
    let mut config = server::Config::new(&data_dir.data_dir);
    config.token = token;
    config.opening_score = Some(Arc::new(|game| {
        let mut engine = Engine::new(game.variant().clone(), &EngineOptions::default());
        let limits = Limits {
            nodes: Some(OPENING_NODES),
            ..Limits::default()
        };
        engine
            .search(game, &limits, &AtomicBool::new(false), &mut |_| {})
            .score
            .cp()
    }));
    config
}

/// The threads of an asynchronous command.
pub fn runtime() -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

/// Sends logs to standard error; `BROUHAHA_LOG` overrides the level, e.g. `info` or `server=debug`.
pub fn log(level: &str) {
    let filter = tracing_subscriber::EnvFilter::try_from_env("BROUHAHA_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(level));
    // A second call, as in tests, changes nothing.
    let _ = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .try_init();
}

/// Ends on ctrl-c or SIGTERM.
pub async fn stop_signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminate = std::future::pending::<()>();
    tokio::select! {
        () = interrupt => {}
        () = terminate => {}
    }
}

/// A token that is cancelled by the first stop signal.
pub fn stop_token() -> CancellationToken {
    let token = CancellationToken::new();
    let cancelled = token.clone();
    tokio::spawn(async move {
        stop_signal().await;
        cancelled.cancel();
    });
    token
}
