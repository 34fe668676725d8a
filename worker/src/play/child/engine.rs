//! An engine's process as a protocol sees it: lines with a deadline, and errors that say what was exchanged.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use engine::variant::Variant;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use super::ending::{Ending, NoStart};
use super::patience::Patience;
use super::process::{Heard, Process};
use super::starts::FailedStarts;
use crate::config::CommandEngine;
use crate::play::{Fault, FaultKind, PlayerError};

/// Lines of the log in the message of an engine that did not start.
const TOLD: usize = 5;

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChildProgram {
    /// The name that errors call it by.
    pub name: String,
    /// How to start it.
    pub command: CommandEngine,
    /// What it is started through; empty = directly.
    pub launcher: Arc<[OsString]>,
    /// Options to set.
    pub options: BTreeMap<String, String>,
    /// Id of the variant to play.
    pub variant: String,
}

/// All that it takes to start an engine, and to start it again.
#[derive(Clone)]
pub struct Launch {
    /// What to start.
    pub program: ChildProgram,
    /// The rules to play by.
    pub variant: Arc<Variant>,
    /// How long it is waited for.
    pub patience: Patience,
    /// The runtime of the slot's own thread drives the pipes, so that no other thread stands between us and the engine.
    pub runtime: Arc<Runtime>,
    /// Programs that did not start lately are not tried again.
    pub failed: Arc<FailedStarts>,
}

/// An engine in a child process. Told to quit when dropped, killed if it does not or is not healthy.
pub struct Child {
    name: String,
    runtime: Arc<Runtime>,
    process: Process,
    patience: Patience,
    /// Whether the engine can be asked again.
    healthy: bool,
}

impl Child {
    /// Starts an engine's process.
    ///
    /// # Errors
    /// [`PlayerError::Start`] when the system cannot, [`PlayerError::Host`] when it has no room for it.
    pub fn start(launch: &Launch) -> Result<Self, PlayerError> {
        let (program, runtime) = (&launch.program, &launch.runtime);
        let process = runtime
            .block_on(async { Process::start(&program.command, &program.launcher) })
            .map_err(|error| {
                let told = |problem: &str| {
                    format!(
                        "engine `{}`: `{}` cannot be started: {problem}",
                        program.name,
                        program.command.path.display()
                    )
                };
                match NoStart::of(&error) {
                    NoStart::Program(problem) => PlayerError::Start(told(problem)),
                    NoStart::Host(problem) => PlayerError::Host(told(problem)),
                }
            })?;
        Ok(Self {
            name: program.name.clone(),
            runtime: runtime.clone(),
            process,
            patience: launch.patience,
            healthy: true,
        })
    }

    /// The runtime that drives its pipes.
    pub fn runtime(&self) -> Arc<Runtime> {
        self.runtime.clone()
    }

    /// How long it is waited for.
    pub fn patience(&self) -> Patience {
        self.patience
    }

    /// Whether it can be asked again.
    pub fn is_healthy(&self) -> bool {
        self.healthy
    }

    /// It is not asked again.
    pub fn give_up(&mut self) {
        self.healthy = false;
    }

    /// The last lines exchanged.
    pub fn log(&self) -> String {
        self.process.log()
    }

    /// An engine that cannot be brought to play, with the last lines exchanged.
    pub fn no_start(&mut self, what: &str) -> PlayerError {
        self.healthy = false;
        PlayerError::Start(self.with_log(what))
    }

    /// The game is no result: not the engine did wrong, but its host. With the last lines exchanged.
    pub fn host_failed(&self, what: &str) -> PlayerError {
        PlayerError::Host(self.with_log(what))
    }

    fn with_log(&self, what: &str) -> String {
        let log = self.process.log();
        let last: Vec<&str> = log.lines().rev().take(TOLD).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        format!(
            "engine `{}` {what}; last lines: {}",
            self.name,
            last.join(" | ")
        )
    }

    /// Sends a line outside of a search.
    ///
    /// # Errors
    /// [`PlayerError::Start`] when the engine does not take it.
    pub async fn tell(&mut self, line: &str, deadline: Instant) -> Result<(), PlayerError> {
        match self.process.send(line, deadline).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.no_start("does not read its input")),
            Err(_) => Err(self.ended().await),
        }
    }

    /// The next line outside of a search.
    ///
    /// # Errors
    /// [`PlayerError::Start`] when there is none.
    pub async fn answer(
        &mut self,
        awaited: &str,
        deadline: Instant,
    ) -> Result<String, PlayerError> {
        match self.process.hear(deadline).await {
            Heard::Line(line) => Ok(line),
            Heard::Silence => Err(self.no_start(&format!("did not answer `{awaited}` in time"))),
            Heard::End => Err(self.ended().await),
        }
    }

    /// The next line by the deadline, whatever that means. Dropping the future loses nothing.
    pub async fn hear(&mut self, deadline: Instant) -> Heard {
        self.process.hear(deadline).await
    }

    /// The lines that came already, without waiting.
    pub async fn heard_already(&mut self) -> Vec<String> {
        self.process.heard_already().await
    }

    /// The error of a process that ended outside of a search.
    pub async fn ended(&mut self) -> PlayerError {
        let ending = self.process.ending().await;
        match self.killed(&ending) {
            Some(error) => error,
            None => self.no_start(&format!("ended before the game ({ending})")),
        }
    }

    /// The error of a process that somebody else ended.
    fn killed(&mut self, ending: &Ending) -> Option<PlayerError> {
        let how = ending.from_outside()?;
        self.healthy = false;
        Some(self.host_failed(&format!(
            "was {how} ({ending}): look at the host's memory and the kernel's log, or give the worker fewer slots"
        )))
    }

    /// Sends the lines of a search that was begun at `asked`.
    ///
    /// # Errors
    /// The engine's fault, when it does not take them.
    pub async fn ask(
        &mut self,
        lines: &[String],
        deadline: Instant,
        asked: Instant,
    ) -> Result<(), PlayerError> {
        match self.process.send_all(lines, deadline).await {
            Ok(true) => Ok(()),
            Ok(false) => {
                let text = "does not read its input".to_owned();
                Err(self.fault(FaultKind::Hang, text, asked))
            }
            Err(_) => Err(self.crashed(asked).await),
        }
    }

    /// Sends a line by the deadline; gives whether the engine took it.
    pub async fn try_send(&mut self, line: &str, deadline: Instant) -> bool {
        self.process.send(line, deadline).await.unwrap_or(false)
    }

    /// The fault of a process that ended in a search, unless somebody else ended it.
    pub async fn crashed(&mut self, asked: Instant) -> PlayerError {
        let ending = self.process.ending().await;
        if let Some(error) = self.killed(&ending) {
            return error;
        }
        self.fault(
            FaultKind::Crash,
            format!("the engine's process ended while thinking ({ending})"),
            asked,
        )
    }

    /// A fault after which the process is not used again.
    pub fn fault(&mut self, kind: FaultKind, text: String, asked: Instant) -> PlayerError {
        self.healthy = false;
        PlayerError::Fault(Fault {
            kind,
            text,
            elapsed: asked.elapsed(),
        })
    }

    /// The end of a game that the engine itself spoke of, and after which it can play another one.
    pub fn ended_by_word(&self, kind: FaultKind, text: String, asked: Instant) -> PlayerError {
        PlayerError::Fault(Fault {
            kind,
            text,
            elapsed: asked.elapsed(),
        })
    }

    /// The fault of an engine whose time is up: a time forfeit if it moved when told to stop, else it hangs.
    pub fn overran(
        &mut self,
        answer: Option<String>,
        allowed: Option<Duration>,
        asked: Instant,
        spent: Duration,
    ) -> PlayerError {
        let spent = spent.as_millis();
        match (answer, allowed) {
            (Some(best), Some(allowed)) => {
                let text = format!(
                    "no move after {spent} ms, {} ms were allowed; `{best}` came when told to stop",
                    allowed.as_millis()
                );
                PlayerError::Fault(Fault {
                    kind: FaultKind::Time,
                    text,
                    elapsed: asked.elapsed(),
                })
            }
            (Some(best), None) => {
                let text = format!("no move after {spent} ms; `{best}` came when told to stop");
                self.fault(FaultKind::Hang, text, asked)
            }
            (None, _) => {
                let text = format!("no move after {spent} ms, nor when told to stop");
                self.fault(FaultKind::Hang, text, asked)
            }
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let runtime = self.runtime.clone();
        if self.healthy {
            runtime.block_on(self.process.quit(self.patience.quit));
        } else {
            runtime.block_on(self.process.kill());
        }
    }
}
