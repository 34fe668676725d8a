//! Which coordinator a command talks to: one across the network, or one in this process on a data directory.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use proto::v1;

use crate::client::{Connection, refusal};
use crate::fleet::FleetArguments;
use crate::local::Local;
use crate::settings::DataDir;

/// Where a coordinator is looked for when nothing is said.
const USUAL: &str = "http://127.0.0.1:7700";

/// `--coordinator URL --token TOKEN` or `--data-dir DIR`, for commands that only ask or steer.
#[derive(Debug, Clone, clap::Args)]
pub struct Place {
    /// Where the coordinator is [default: http://127.0.0.1:7700]
    #[arg(long, value_name = "URL", env = "BROUHAHA_COORDINATOR", global = true)]
    coordinator: Option<String>,
    /// Token that the coordinator was started with
    #[arg(
        long,
        value_name = "TOKEN",
        env = "BROUHAHA_TOKEN",
        hide_env_values = true,
        global = true
    )]
    token: Option<String>,
    /// Look into this data directory instead, while no coordinator runs on it
    #[arg(
        long,
        value_name = "DIR",
        global = true,
        conflicts_with = "coordinator"
    )]
    data_dir: Option<PathBuf>,
}

/// `--coordinator URL --token TOKEN`, or everything for a coordinator of one's own with workers.
#[derive(Debug, Clone, clap::Args)]
pub struct Workplace {
    /// Have it done by the workers of this coordinator instead of workers started here
    #[arg(long, value_name = "URL", env = "BROUHAHA_COORDINATOR")]
    coordinator: Option<String>,
    /// Token that the coordinator was started with
    #[arg(
        long,
        value_name = "TOKEN",
        env = "BROUHAHA_TOKEN",
        hide_env_values = true
    )]
    token: Option<String>,
    #[command(flatten)]
    fleet: FleetArguments,
}

/// A coordinator that a command talks to.
pub struct Site {
    /// The connection to it.
    pub connection: Connection,
    /// The one in this process, if it is that.
    local: Option<Local>,
}

impl Place {
    /// Connects.
    pub async fn open(&self) -> Result<Site> {
        match &self.data_dir {
            Some(data_dir) => {
                if !data_dir.is_dir() {
                    bail!("there is no data directory `{}`", data_dir.display());
                }
                let data_dir = DataDir {
                    data_dir: data_dir.clone(),
                };
                Ok(Site::here(Local::without_workers(&data_dir).await?))
            }
            None => {
                let url = self.coordinator.as_deref().unwrap_or(USUAL);
                Site::there(url, self.token.as_deref()).await
            }
        }
    }
}

impl Workplace {
    /// Whether a coordinator of one's own is started.
    pub fn is_local(&self) -> bool {
        self.coordinator.is_none()
    }

    /// Connects to the coordinator named, or starts one on a data directory with workers.
    pub async fn open(&self, data_dir: &DataDir) -> Result<Site> {
        match &self.coordinator {
            Some(url) => Site::there(url, self.token.as_deref()).await,
            None => Ok(Site::here(Local::start(data_dir, &self.fleet).await?)),
        }
    }

    /// Whether the workers started here, if it is they, know an external engine.
    pub fn check_command(&self, name: &str) -> Result<()> {
        if self.is_local() && self.fleet.engines.commands()?.get(name).is_none() {
            bail!(
                "the engine `{name}` is not known here; say where it is with --engine {name}=PATH"
            );
        }
        Ok(())
    }
}

impl Site {
    async fn there(url: &str, token: Option<&str>) -> Result<Site> {
        Ok(Site {
            connection: Connection::open(url, token).await?,
            local: None,
        })
    }

    /// The coordinator in this process.
    pub fn here(local: Local) -> Site {
        Site {
            connection: local.connection.clone(),
            local: Some(local),
        }
    }

    /// Pauses the other tournaments of a coordinator in this process: its workers were started for this one.
    pub async fn pause_others(&self, id: u64) -> Result<()> {
        match &self.local {
            Some(_) => pause_others(&self.connection, id).await,
            None => Ok(()),
        }
    }

    /// Ends with an error when the workers started here have all ended; never for those of another coordinator.
    pub async fn lost(&mut self) -> Result<()> {
        match &mut self.local {
            Some(local) => {
                local.fleet.lost().await.context("no worker is left")?;
                bail!("no worker is left")
            }
            None => std::future::pending().await,
        }
    }

    /// Ends what was started here.
    pub async fn close(self) -> Result<()> {
        match self.local {
            Some(local) => local.stop().await,
            None => Ok(()),
        }
    }
}

/// Pauses all running tournaments but one, and says so.
pub async fn pause_others(connection: &Connection, id: u64) -> Result<()> {
    let mut client = connection.tournaments();
    let mut page = v1::Page::default();
    loop {
        let request = v1::ListTournamentsRequest {
            page: Some(page.clone()),
        };
        let list = client.list(request).await.map_err(refusal)?.into_inner();
        for other in &list.tournaments {
            if other.id != id && other.state() == v1::TournamentState::Running {
                let request = v1::PauseTournamentRequest { id: other.id };
                client.pause(request).await.map_err(refusal)?;
                let name = other.spec.as_ref().map_or("", |spec| spec.name.as_str());
                eprintln!(
                    "tournament {} `{name}` is not finished: it is paused; run its file to go on with it",
                    other.id
                );
            }
        }
        if list.next_token.is_empty() {
            return Ok(());
        }
        page.token = list.next_token;
    }
}
