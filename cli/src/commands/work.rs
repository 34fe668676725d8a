//! `brouhaha work`: a worker process.

use std::io::BufRead;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio_util::sync::CancellationToken;

use crate::client::Address;
use crate::fleet::Engines;
use crate::settings;

/// Arguments of `work`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  BROUHAHA_TOKEN=secret brouhaha work --coordinator http://10.0.0.5:7700 --slots 8 --engine fairy=/usr/games/fairy-stockfish"
)]
pub struct Arguments {
    #[command(flatten)]
    address: Address,
    /// Games or positions at a time [default: the cores]
    #[arg(long, value_name = "N")]
    slots: Option<NonZeroU32>,
    /// Name for people [default: the host's name]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    engines: Engines,
    /// Where engine files of the coordinator are kept [default: a folder for temporary files]
    #[arg(long, value_name = "DIR")]
    artifacts: Option<PathBuf>,
    /// Most MiB of these files together: those not used for longest are dropped [default: 4096]
    #[arg(long, value_name = "MIB")]
    artifacts_mib: Option<u64>,
    /// Seconds that games in flight may go on after a stop signal before they are given back
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    finish_seconds: u64,
    /// Give up when no coordinator has answered for this many seconds [default: never]
    #[arg(long, value_name = "SECONDS")]
    give_up_seconds: Option<u64>,
    /// The token is the first line of standard input, a second line asks for the end, and the end of the input means that the parent is gone
    #[arg(long)]
    supervised: bool,
}

/// Works until a stop signal, or until trying on is useless.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    settings::log(if arguments.supervised { "warn" } else { "info" });
    let cores = std::thread::available_parallelism()
        .ok()
        .and_then(|n| NonZeroU32::try_from(n).ok());
    let slots = arguments.slots.or(cores).unwrap_or(NonZeroU32::MIN);
    let mut config = worker::WorkerConfig::new(&arguments.address.coordinator, slots);
    config.token = arguments.address.token;
    config.name = arguments.name.unwrap_or_else(host_name);
    config.commands = arguments.engines.commands()?;
    config.patience = arguments.engines.patience()?;
    let executable = std::env::current_exe().context("the own executable cannot be found")?;
    config.launcher = vec![executable.into(), "guard".into(), "--".into()];
    config.hang_after = Duration::from_secs(arguments.engines.hang_seconds);
    config.finish_within = Duration::from_secs(arguments.finish_seconds);
    config.give_up_after = arguments.give_up_seconds.map(Duration::from_secs);
    if let Some(folder) = arguments.artifacts {
        config.artifacts = folder;
    }
    if let Some(mib) = arguments.artifacts_mib {
        config.artifact_room = mib.saturating_mul(1 << 20);
    }
    let parent = Parent {
        asks: CancellationToken::new(),
        gone: config.abandon.clone(),
    };
    if arguments.supervised {
        config.token = Some(parent.read_token()?);
    }
    settings::runtime()?.block_on(async {
        let shutdown = CancellationToken::new();
        let stopped = shutdown.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = settings::stop_signal() => {}
                () = parent.asks.cancelled() => {}
            }
            stopped.cancel();
        });
        let summary = worker::run(config, shutdown).await?;
        tracing::info!(
            games = summary.games,
            positions = summary.positions,
            refused = summary.refused,
            failures = summary.failures,
            unanswered = summary.unanswered,
            "done"
        );
        Ok(ExitCode::SUCCESS)
    })
}

/// The process that started this one and holds the other end of its standard input.
struct Parent {
    /// Cancelled when it asks for the end.
    asks: CancellationToken,
    /// Cancelled when it is gone.
    gone: CancellationToken,
}

impl Parent {
    /// Reads the token, and listens on.
    fn read_token(&self) -> Result<String> {
        let mut token = String::new();
        std::io::stdin()
            .lock()
            .read_line(&mut token)
            .context("the token cannot be read from standard input")?;
        let (asks, gone) = (self.asks.clone(), self.gone.clone());
        std::thread::spawn(move || {
            let mut line = String::new();
            while std::io::stdin()
                .lock()
                .read_line(&mut line)
                .is_ok_and(|n| n > 0)
            {
                line.clear();
                asks.cancel();
            }
            gone.cancel();
        });
        Ok(token.trim().to_owned())
    }
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let name: String = name
        .trim()
        .chars()
        .filter(|c| !c.is_control())
        .take(100)
        .collect();
    if name.is_empty() {
        "worker".to_owned()
    } else {
        name
    }
}
