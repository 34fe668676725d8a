//! `brouhaha serve`: a coordinator for workers and clients on other machines.

use std::net::SocketAddr;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result};
use server::Coordinator;

use crate::output;
use crate::settings::{self, DataDir};

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  BROUHAHA_TOKEN=secret brouhaha serve --listen 0.0.0.0:7700 --data-dir /srv/brouhaha"
)]
pub struct Arguments {
    /// Address to listen on: gRPC and the web page
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7700", value_parser = settings::listen_address)]
    listen: SocketAddr,
    #[command(flatten)]
    data_dir: DataDir,
    /// Token that workers and clients must give; without one anybody who can connect may do anything
    #[arg(
        long,
        value_name = "TOKEN",
        env = "BROUHAHA_TOKEN",
        hide_env_values = true,
        value_parser = settings::token
    )]
    token: Option<String>,
    /// Seconds without progress after which a batch is given to another worker
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    lease_seconds: u64,
    /// Seconds that a worker whose connection broke keeps its batches
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(0..=3600))]
    grace_seconds: u64,
}

/// Serves until a stop signal.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    settings::log("info");
    let mut config = settings::coordinator(&arguments.data_dir, arguments.token);
    config.lease = Duration::from_secs(arguments.lease_seconds);
    config.grace = Duration::from_secs(arguments.grace_seconds);
    let open = config.token.is_none();
    settings::runtime()?.block_on(async {
        let stop = settings::stop_token();
        let coordinator = tokio::task::spawn_blocking(|| Coordinator::open(config))
            .await
            .context("opening the store failed")??;
        let (incoming, address) = server::bind(arguments.listen)?;
        if open && !address.ip().is_loopback() {
            tracing::warn!(
                "no token is set: anybody who can reach {address} may do anything (--token)"
            );
        }
        // Scripts wait for this line to learn the port.
        output::print(format!("listening on http://{address}\n"))?;
        server::serve(coordinator, incoming, stop).await?;
        Ok(ExitCode::SUCCESS)
    })
}
