//! The child process of an engine: its pipes, its process group, its end.

use std::ffi::OsString;
use std::io;
use std::pin::Pin;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::time::{Instant, Sleep, timeout, timeout_at};

use super::ending::Ending;
use super::lines::Lines;
use super::log::{LogTail, Writer};
use super::strays::{self, Strays};
use crate::config::CommandEngine;

/// How often it is seen whether the process has ended, as its pipes may be held open by others. The timer is set anew only
/// when it has fired: a new one for each line would wake the runtime once more.
const TICK: Duration = Duration::from_millis(50);
/// How long the last words on the standard error of an engine that has ended are waited for.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// What a pipe and the reader before it hold together at most on the usual systems, in bytes.
const PIPE: usize = 128 * 1024;
/// How long the system may take to report the end of a process.
const REAP: Duration = Duration::from_secs(1);

/// A running engine. Killed with its process group when dropped; [`Process::quit`] is kinder.
pub struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: Lines<ChildStdout>,
    /// None once it is closed.
    stderr: Option<Lines<ChildStderr>>,
    log: LogTail,
    group: Option<Group>,
    /// By which what it starts is found.
    mark: String,
    /// Its process has ended; what is left in its pipes is still read.
    has_ended: bool,
    /// Fires every [`TICK`], or at a deadline before.
    tick: Pin<Box<Sleep>>,
}

/// What came from an engine.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line of its standard output.
    Line(String),
    /// Nothing in time.
    Silence,
    /// Its process has ended, or its standard output is closed.
    End,
}

impl Process {
    /// Starts an engine, through a launcher unless that is empty. Must be called within a tokio runtime, as all methods.
    ///
    /// # Errors
    /// The system cannot start it.
    pub fn start(engine: &CommandEngine, launcher: &[OsString]) -> io::Result<Self> {
        let mut command = match launcher {
            [] => Command::new(&engine.path),
            [program, arguments @ ..] => {
                let mut command = Command::new(program);
                command.args(arguments).arg(&engine.path);
                command
            }
        };
        let mark = strays::mark();
        command
            .args(&engine.args)
            .envs(&engine.environment)
            .env(strays::MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(directory) = &engine.directory {
            command.current_dir(directory);
        }
        // Of its own, so that what the engine itself starts ends with it, and a ctrl-c in the terminal does not reach it.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command.spawn()?;
        let closed = || io::Error::other("a pipe to the engine is missing");
        Ok(Self {
            stdin: child.stdin.take().ok_or_else(closed)?,
            stdout: Lines::new(child.stdout.take().ok_or_else(closed)?),
            stderr: child.stderr.take().map(Lines::new),
            log: LogTail::default(),
            group: Group::of(&child),
            mark,
            has_ended: false,
            tick: Box::pin(tokio::time::sleep(TICK)),
            child,
        })
    }

    /// Sends a line, as [`Process::send_all`].
    ///
    /// # Errors
    /// The engine has closed its input.
    pub async fn send(&mut self, line: &str, deadline: Instant) -> io::Result<bool> {
        self.send_all(&[line], deadline).await
    }

    /// Sends lines, at once so that an engine wakes once for them; gives whether it took them by the deadline.
    ///
    /// # Errors
    /// The engine has closed its input.
    pub async fn send_all(
        &mut self,
        lines: &[impl AsRef<str>],
        deadline: Instant,
    ) -> io::Result<bool> {
        let mut text =
            String::with_capacity(lines.iter().map(|line| line.as_ref().len() + 1).sum());
        for line in lines {
            self.log.add(Writer::Worker, line.as_ref());
            text.push_str(line.as_ref());
            text.push('\n');
        }
        match timeout_at(deadline, self.stdin.write_all(text.as_bytes())).await {
            Ok(written) => written.map(|()| true),
            Err(_) => Ok(false),
        }
    }

    /// The next line by the deadline. Dropping the future loses nothing.
    pub async fn hear(&mut self, deadline: Instant) -> Heard {
        loop {
            // A flood of lines must not keep the deadline from being seen, nor one of bytes without a line end.
            if Instant::now() >= deadline {
                return Heard::Silence;
            }
            if self.has_ended {
                // Its children may hold the pipe open: what it wrote itself is there by now, once the runtime has asked.
                tokio::task::yield_now().await;
                return self.ready_line().await.map_or(Heard::End, Heard::Line);
            }
            if self.tick.deadline() > deadline {
                self.tick.as_mut().reset(deadline);
            }
            let line = tokio::select! {
                biased;
                () = self.tick.as_mut() => {
                    self.tick.as_mut().reset(Instant::now() + TICK);
                    // That its state is unknown is found out by what it says, or does not.
                    self.has_ended = self.child.try_wait().ok().flatten().is_some();
                    continue;
                }
                line = self.stdout.next() => line,
                error = next_error(&mut self.stderr) => {
                    match error {
                        Some(line) => self.log.add(Writer::Error, &line),
                        None => self.stderr = None,
                    }
                    continue;
                }
            };
            return match line {
                Ok(Some(line)) => {
                    self.log.add(Writer::Engine, &line);
                    Heard::Line(line)
                }
                // A pipe that cannot be read is as good as closed.
                Ok(None) | Err(_) => Heard::End,
            };
        }
    }

    /// The lines that came already: nothing is waited for, and no more is read than fits into a pipe.
    pub async fn heard_already(&mut self) -> Vec<String> {
        if self.stdout.is_drained() {
            return Vec::new();
        }
        // Lets the runtime ask the system what has come.
        tokio::task::yield_now().await;
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while bytes < PIPE
            && let Some(line) = self.ready_line().await
        {
            bytes += line.len() + 1;
            lines.push(line);
        }
        lines
    }

    /// A line that is known to have come.
    async fn ready_line(&mut self) -> Option<String> {
        let line = tokio::select! {
            biased;
            line = self.stdout.next() => line.ok().flatten()?,
            () = std::future::ready(()) => return None,
        };
        self.log.add(Writer::Engine, &line);
        Some(line)
    }

    /// How the process ended, waiting a moment for it, with what it had still written to its standard error.
    pub async fn ending(&mut self) -> Ending {
        let status = timeout(REAP, self.child.wait()).await;
        let by = Instant::now() + LAST_WORDS;
        while self.stderr.is_some()
            && let Ok(Some(line)) = timeout_at(by, next_error(&mut self.stderr)).await
        {
            self.log.add(Writer::Error, &line);
        }
        match status {
            Ok(Ok(status)) => Ending::Status(status),
            Ok(Err(_)) => Ending::Unknown,
            Err(_) => Ending::GoesOn,
        }
    }

    /// The last lines exchanged.
    pub fn log(&self) -> String {
        self.log.text()
    }

    /// Tells the engine to quit, and kills it with all that it started when it has not ended after this time.
    pub async fn quit(&mut self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let strays = Strays::of(self.child.id(), &self.mark);
        // Whether it hears that or not, it ends.
        if self.send("quit", deadline).await.unwrap_or(false) {
            let _ = timeout_at(deadline, self.child.wait()).await;
        }
        strays.kill();
        self.kill().await;
    }

    /// Kills the engine and all that it started.
    pub async fn kill(&mut self) {
        self.kill_all();
        // Fails only when it has ended already.
        let _ = self.child.start_kill();
        let _ = timeout(REAP, self.child.wait()).await;
    }

    /// Kills its process group and what left that. Its descendants are looked for while it is still there.
    fn kill_all(&mut self) {
        let strays = Strays::of(self.child.id(), &self.mark);
        if let Some(group) = self.group.take() {
            group.kill();
        }
        strays.kill();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.group.is_some() {
            self.kill_all();
        }
    }
}

/// The next line of the standard error; none at its end, and for ever pending when there is none any more.
async fn next_error(stderr: &mut Option<Lines<ChildStderr>>) -> Option<String> {
    match stderr {
        Some(lines) => lines.next().await.ok().flatten(),
        None => std::future::pending().await,
    }
}

/// A process group.
#[cfg(unix)]
struct Group(rustix::process::Pid);

#[cfg(unix)]
impl Group {
    fn of(leader: &Child) -> Option<Self> {
        let id = i32::try_from(leader.id()?).ok()?;
        rustix::process::Pid::from_raw(id).map(Self)
    }

    fn kill(self) {
        // Fails only when nobody is left in it.
        let _ = rustix::process::kill_process_group(self.0, rustix::process::Signal::KILL);
    }
}

/// Elsewhere only the engine itself is killed.
#[cfg(not(unix))]
struct Group;

#[cfg(not(unix))]
impl Group {
    fn of(_: &Child) -> Option<Self> {
        None
    }

    fn kill(self) {}
}
