//! Which coordinator a command talks to: one across the network, or one in this process on a data directory.

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use proto::v1::{self, engine_source};

use crate::client::{Connection, refusal};
use crate::contest;
use crate::fleet::FleetArguments;
use crate::local::Local;
use crate::settings::{self, DataDir};

/// Where a coordinator is looked for when nothing is said.
const USUAL: &str = "http://127.0.0.1:7700";

/// `--coordinator URL --token TOKEN` or `--data-dir DIR`, for commands that only ask or steer.
#[derive(Debug, Clone, clap::Args)]
pub struct Place {
    /// Where the coordinator is [env: BROUHAHA_COORDINATOR] [default: http://127.0.0.1:7700]
    #[arg(long, value_name = "URL", global = true)]
    coordinator: Option<String>,
    /// Token that the coordinator was started with
    #[arg(
        long,
        value_name = "TOKEN",
        env = "BROUHAHA_TOKEN",
        hide_env_values = true,
        value_parser = settings::token,
        global = true
    )]
    token: Option<String>,
    /// Look into this data directory instead, whatever the environment says, while no coordinator runs on it
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
    /// Have it done by the workers of this coordinator instead of workers started here [env: BROUHAHA_COORDINATOR]
    #[arg(long, value_name = "URL")]
    coordinator: Option<String>,
    /// Token that the coordinator was started with
    #[arg(
        long,
        value_name = "TOKEN",
        env = "BROUHAHA_TOKEN",
        hide_env_values = true,
        value_parser = settings::token
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
    /// The workers that it is to have.
    fleet: Option<FleetArguments>,
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
                Ok(Site::here(Local::open(&data_dir).await?, None))
            }
            None => {
                let url = self.coordinator.clone().or_else(of_environment);
                let url = url.as_deref().unwrap_or(USUAL);
                Site::there(url, self.token.as_deref()).await
            }
        }
    }
}

impl Workplace {
    /// The place with the environment's coordinator, unless a data directory was asked for.
    pub fn or_environment(mut self, data_dir: Option<&PathBuf>) -> Workplace {
        if data_dir.is_none() {
            self.coordinator = self.coordinator.or_else(of_environment);
        }
        self
    }

    /// Connects to the coordinator named, or starts one on a data directory.
    pub async fn open(&self, data_dir: &DataDir) -> Result<Site> {
        match &self.coordinator {
            Some(url) => Site::there(url, self.token.as_deref()).await,
            None => Site::with_workers(data_dir, &self.fleet).await,
        }
    }

    /// Whether the workers started here, if it is they, know an external engine.
    pub fn check_command(&self, name: &str) -> Result<()> {
        if self.coordinator.is_none() && self.fleet.engines.commands()?.get(name).is_none() {
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
            fleet: None,
        })
    }

    fn here(local: Local, fleet: Option<FleetArguments>) -> Site {
        Site {
            connection: local.connection.clone(),
            local: Some(local),
            fleet,
        }
    }

    /// A coordinator in this process, and workers as soon as they are started.
    pub async fn with_workers(data_dir: &DataDir, fleet: &FleetArguments) -> Result<Site> {
        fleet.engines.commands()?;
        Ok(Site::here(
            Local::open(data_dir).await?,
            Some(fleet.clone()),
        ))
    }

    /// Starts the workers of a coordinator in this process, now that it is settled what they are to do.
    pub fn start_workers(&mut self) -> Result<()> {
        match (&mut self.local, &self.fleet) {
            (Some(local), Some(fleet)) => local.start_workers(fleet),
            _ => Ok(()),
        }
    }

    /// Ties engines of the configuration to the executables that they have now, where the workers are started here: an engine that
    /// was built anew is another version. Elsewhere the first worker that plays decides.
    pub fn pin(&self, engines: &mut [v1::EngineSpec]) -> Result<()> {
        let Some(fleet) = &self.fleet else {
            return Ok(());
        };
        let commands = fleet.engines.commands()?;
        for engine in engines {
            let kind = engine
                .source
                .as_mut()
                .and_then(|source| source.kind.as_mut());
            if let Some(kind) = kind
                && let engine_source::Kind::Command(name) = &*kind
                && let Some(command) = commands.get(name)
            {
                let sha256 = worker::executable::sha256(command)
                    .with_context(|| format!("engine `{name}`: `{}`", command.path.display()))?;
                let name = name.clone();
                *kind = engine_source::Kind::Pinned(v1::PinnedCommand { name, sha256 });
            }
        }
        Ok(())
    }

    /// Pauses the other tournaments of a coordinator in this process: its workers were started for these.
    pub async fn pause_others(&self, ids: &[u64]) -> Result<()> {
        match &self.local {
            Some(_) => pause_others(&self.connection, ids).await,
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

/// The coordinator that the environment names.
fn of_environment() -> Option<String> {
    let url = std::env::var("BROUHAHA_COORDINATOR").ok();
    url.filter(|url| !url.is_empty())
}

/// Pauses all running tournaments but these, and says so.
pub async fn pause_others(connection: &Connection, ids: &[u64]) -> Result<()> {
    let mut client = connection.tournaments();
    let mut page = v1::Page::default();
    loop {
        let request = v1::ListTournamentsRequest {
            page: Some(page.clone()),
        };
        let list = client.list(request).await.map_err(refusal)?.into_inner();
        for other in &list.tournaments {
            if !ids.contains(&other.id) && other.state() == v1::TournamentState::Running {
                let request = v1::PauseTournamentRequest { id: other.id };
                client.pause(request).await.map_err(refusal)?;
                let name = other.spec.as_ref().map_or("", |spec| spec.name.as_str());
                eprintln!(
                    "tournament {} `{name}` is not finished: it is paused; {} goes on with it",
                    other.id,
                    if contest::is_comparison(other) {
                        "the same `brouhaha compare` again"
                    } else if contest::is_tuning(other) {
                        "the same `brouhaha tune spsa` again"
                    } else {
                        "`brouhaha run` with its file"
                    }
                );
            }
        }
        if list.next_token.is_empty() {
            return Ok(());
        }
        page.token = list.next_token;
    }
}
