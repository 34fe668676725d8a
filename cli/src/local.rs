//! A coordinator inside this process with local worker processes: the same code path as across machines.

use anyhow::{Context, Result};
use server::Coordinator;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::client::Connection;
use crate::fleet::{Fleet, FleetArguments};
use crate::settings::{self, DataDir};

/// A running coordinator with its workers.
pub struct Local {
    /// A client of the coordinator.
    pub connection: Connection,
    /// The workers.
    pub fleet: Fleet,
    url: String,
    token: String,
    serving: JoinHandle<Result<(), server::ServeError>>,
    shutdown: CancellationToken,
}

impl Local {
    /// Opens the store and serves on a free loopback port, without workers.
    pub async fn open(data_dir: &DataDir) -> Result<Local> {
        let token = random_token()?;
        let config = settings::coordinator(data_dir, Some(token.clone()));
        let coordinator = tokio::task::spawn_blocking(|| Coordinator::open(config))
            .await
            .context("opening the store failed")??;
        let (incoming, address) = server::bind(([127, 0, 0, 1], 0).into())?;
        let shutdown = CancellationToken::new();
        let serving = tokio::spawn(server::serve(coordinator, incoming, shutdown.clone()));
        let url = format!("http://{address}");
        let connection = Connection::open(&url, Some(&token)).await?;
        Ok(Local {
            connection,
            fleet: Fleet::none(),
            url,
            token,
            serving,
            shutdown,
        })
    }

    /// Starts the workers.
    pub fn start_workers(&mut self, fleet: &FleetArguments) -> Result<()> {
        self.fleet = Fleet::start(fleet, &self.url, &self.token)?;
        Ok(())
    }

    /// Ends the workers, then the coordinator.
    pub async fn stop(self) -> Result<()> {
        self.fleet.stop().await;
        self.shutdown.cancel();
        self.serving.await.context("the coordinator failed")??;
        Ok(())
    }
}

/// A token that nobody else on this machine can guess.
fn random_token() -> Result<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| anyhow::anyhow!("the system gives no random bytes: {e}"))?;
    Ok(bytes.iter().map(|b| format!("{b:02x}")).collect())
}
