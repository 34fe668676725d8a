//! From command-line arguments to the coordinator's settings; logging; the runtime; signals.

use std::io::IsTerminal;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, bail};
use engine::search::{Engine, EngineOptions, Limits};
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// Nodes for judging whether an opening is balanced.
const OPENING_NODES: u64 = 2000;

/// Where tournaments and games are kept when nothing is said.
const USUAL_DATA_DIR: &str = "./brouhaha-data";

/// `--data-dir DIR`.
#[derive(Debug, Clone, clap::Args)]
pub struct DataDir {
    /// Where tournaments and games are kept
    #[arg(
        long,
        value_name = "DIR",
        env = "BROUHAHA_DATA",
        default_value = USUAL_DATA_DIR
    )]
    pub data_dir: PathBuf,
}

impl DataDir {
    /// The one asked for, else the environment's, else the usual one.
    pub fn or_usual(asked: Option<&PathBuf>) -> DataDir {
        let environment = || std::env::var_os("BROUHAHA_DATA").filter(|text| !text.is_empty());
        let data_dir = asked
            .cloned()
            .or_else(|| environment().map(PathBuf::from))
            .unwrap_or_else(|| PathBuf::from(USUAL_DATA_DIR));
        DataDir { data_dir }
    }
}

/// Settings of a coordinator on a data directory, with the built-in engine to judge openings and
/// evaluations.
pub fn coordinator(data_dir: &DataDir, token: Option<String>) -> server::Config {
    let mut config = server::Config::new(&data_dir.data_dir);
    config.token = token;
    config.revision = env!("BROUHAHA_REVISION").to_owned();
    config.bench_signature = bench_signature();
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
    config.evaluation_check = Some(Arc::new(|variant, text| {
        let fitting = variant.with_evaluation(text);
        fitting.map(drop).map_err(|error| error.to_string())
    }));
    config
}

/// The node-count signature that the engine of these sources has, by the file that they are checked against.
fn bench_signature() -> u64 {
    let baseline = include_str!("../../engine/benches/baseline.json");
    let baseline: Option<serde_json::Value> = serde_json::from_str(baseline).ok();
    let signature = baseline.and_then(|baseline| baseline.get("signature")?.as_u64());
    signature.unwrap_or_default()
}

/// Reads a token: an empty one would be none without saying so.
pub fn token(text: &str) -> Result<String> {
    if text.trim().is_empty() {
        bail!("the token is empty; leave --token and BROUHAHA_TOKEN away if there is to be none");
    }
    Ok(text.to_owned())
}

/// Reads an address to listen on: `HOST:PORT`, the host being a name or an IP address.
pub fn listen_address(text: &str) -> Result<SocketAddr> {
    let found = text.to_socket_addrs().with_context(|| {
        format!("`{text}` is no address; it looks like 0.0.0.0:7700 or localhost:7700")
    })?;
    // Of a name with addresses of both kinds the one that every program tries.
    let found: Vec<SocketAddr> = found.collect();
    let first = found.iter().find(|address| address.is_ipv4());
    first
        .or(found.first())
        .copied()
        .with_context(|| format!("`{text}` has no address"))
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
        .with_ansi(std::io::stderr().is_terminal())
        .try_init();
}

/// Ends on ctrl-c, on SIGTERM, or when the terminal is closed (SIGHUP).
pub async fn stop_signal() {
    let interrupt = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminate = async {
        use tokio::signal::unix::{SignalKind, signal};
        let (Ok(mut terminate), Ok(mut hangup)) = (
            signal(SignalKind::terminate()),
            signal(SignalKind::hangup()),
        ) else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
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
