//! Local worker processes: the same executable, started with `work`, the token over standard input.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStdin, Command};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use worker::play::child::{Patience, PatienceSettings};

/// How often a worker that ended is started again.
const RESTARTS: u32 = 5;
/// Wait before the first restart; it doubles each time.
const BACKOFF: Duration = Duration::from_millis(500);
/// How long a worker may take to give back its games and end.
const STOP: Duration = Duration::from_secs(25);

/// `--workers N --slots N --engine NAME=PATH --engines FILE`.
#[derive(Debug, Clone, clap::Args)]
pub struct FleetArguments {
    /// Worker processes to start [default: 2, or 1 on a single core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub workers: Option<u32>,
    /// Games at a time of each worker [default: the cores, shared among the workers]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub slots: Option<u32>,
    #[command(flatten)]
    pub engines: Engines,
}

/// External engines that workers may start.
#[derive(Debug, Clone, clap::Args)]
pub struct Engines {
    /// An external engine for players with `command = "NAME"`; it speaks UCI unless told otherwise (may be given several times)
    #[arg(long = "engine", value_name = "NAME=[xboard:]PATH")]
    pub engine: Vec<String>,
    /// A TOML file with a list [[engine]] of name, path, args, directory, environment, protocol, patience
    #[arg(long = "engines", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Seconds of silence after which an engine under a limit that is no time counts as hanging; a nodes limit adds one for each 2000 nodes
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub hang_seconds: u64,
    /// Seconds that engines are waited for, those left out as here: start=10,new_game=10,ping=10,stop=2,quit=1
    #[arg(long, value_name = "NAME=SECONDS,...")]
    pub patience: Option<String>,
}

impl Engines {
    /// How long engines are waited for.
    pub fn patience(&self) -> Result<Patience> {
        let text = self.patience.as_deref();
        let settings = text.map(PatienceSettings::from_text).transpose();
        let settings = settings.map_err(|problem| anyhow!("--patience: {problem}"))?;
        Ok(settings.unwrap_or_default().over(Patience::default()))
    }

    /// The engines, checked.
    pub fn commands(&self) -> Result<worker::Commands> {
        let mut commands = worker::Commands::default();
        for file in &self.files {
            commands.add_file(file)?;
        }
        for text in &self.engine {
            commands.add_text(text)?;
        }
        Ok(commands)
    }
}

/// Worker processes that end with this value's stop, or with this process.
pub struct Fleet {
    keepers: JoinSet<Result<()>>,
    stop: CancellationToken,
}

impl Fleet {
    /// Starts the workers.
    pub fn start(arguments: &FleetArguments, coordinator: &str, token: &str) -> Result<Fleet> {
        arguments.engines.commands()?;
        arguments.engines.patience()?;
        let executable = std::env::current_exe().context("the own executable cannot be found")?;
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
        let workers = arguments.workers.unwrap_or(cores.min(2));
        let slots = arguments.slots.unwrap_or((cores / workers).max(1));
        let stop = CancellationToken::new();
        let mut keepers = JoinSet::new();
        for number in 1..=workers {
            let keeper = Keeper {
                executable: executable.clone(),
                coordinator: coordinator.to_owned(),
                token: token.to_owned(),
                name: format!("local-{number}"),
                slots,
                engines: arguments.engines.clone(),
                stop: stop.clone(),
            };
            keepers.spawn(keeper.keep());
        }
        Ok(Fleet { keepers, stop })
    }

    /// No workers: for a coordinator that is only asked.
    pub fn none() -> Fleet {
        Fleet {
            keepers: JoinSet::new(),
            stop: CancellationToken::new(),
        }
    }

    /// Ends when every worker has ended for good.
    ///
    /// # Errors
    /// Why the last one did.
    pub async fn lost(&mut self) -> Result<()> {
        let mut last = Ok(());
        while let Some(ended) = self.keepers.join_next().await {
            last = ended
                .context("a worker's keeper failed")
                .and_then(|kept| kept);
        }
        last
    }

    /// Ends the workers.
    pub async fn stop(mut self) {
        self.stop.cancel();
        while self.keepers.join_next().await.is_some() {}
    }
}

/// Keeps one worker running.
struct Keeper {
    executable: PathBuf,
    coordinator: String,
    token: String,
    name: String,
    slots: u32,
    engines: Engines,
    stop: CancellationToken,
}

impl Keeper {
    async fn keep(self) -> Result<()> {
        let mut restarts = 0;
        loop {
            // Waiting for a child closes its standard input if that is still the child's own.
            let (mut child, stdin) = self.spawn().await?;
            let status = tokio::select! {
                status = child.wait() => status.context("a worker cannot be waited for")?,
                () = self.stop.cancelled() => return end(child, stdin).await,
            };
            if restarts == RESTARTS {
                bail!(
                    "worker {} ended {} times, the last time with {status}",
                    self.name,
                    RESTARTS + 1
                );
            }
            let wait = BACKOFF * (1 << restarts);
            restarts += 1;
            eprintln!(
                "worker {} ended ({status}); it is started again ({restarts} of {RESTARTS})",
                self.name
            );
            tokio::select! {
                () = tokio::time::sleep(wait) => {}
                () = self.stop.cancelled() => return Ok(()),
            }
        }
    }

    /// Starts the worker; its standard input stays open as long as this process lives.
    async fn spawn(&self) -> Result<(Child, ChildStdin)> {
        let mut command = Command::new(&self.executable);
        command
            .args([
                "work",
                "--coordinator",
                &self.coordinator,
                "--supervised",
                "--name",
                &self.name,
            ])
            .args(["--slots", &self.slots.to_string()])
            .args(["--hang-seconds", &self.engines.hang_seconds.to_string()])
            .env_remove("BROUHAHA_TOKEN")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .kill_on_drop(true);
        // A ctrl-c in the terminal is for this process, which ends them in its own time.
        #[cfg(unix)]
        command.process_group(0);
        for engine in &self.engines.engine {
            command.args(["--engine", engine]);
        }
        if let Some(patience) = &self.engines.patience {
            command.args(["--patience", patience]);
        }
        for file in &self.engines.files {
            command.arg("--engines").arg(file);
        }
        let mut child = command.spawn().context("a worker cannot be started")?;
        let mut stdin = child
            .stdin
            .take()
            .context("a worker has no standard input")?;
        // A worker that ended at once is noticed by waiting for it.
        let _ = stdin
            .write_all(format!("{}\n", self.token).as_bytes())
            .await;
        Ok((child, stdin))
    }
}

/// Asks a worker to end by a line on its standard input, and kills it if it does not.
async fn end(mut child: Child, mut stdin: ChildStdin) -> Result<()> {
    // One that cannot be asked has ended, which is noticed by waiting for it. The input stays open meanwhile: its end
    // would mean that this process is gone.
    let _ = stdin.write_all(b"stop\n").await;
    match tokio::time::timeout(STOP, child.wait()).await {
        Ok(status) => {
            status.context("a worker cannot be waited for")?;
        }
        Err(_) => child.kill().await.context("a worker cannot be killed")?,
    }
    Ok(())
}
