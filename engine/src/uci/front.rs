//! Runs a session: the calling thread reads, another searches.

use std::io::{BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::command::{Command, GoCommand};
use super::session::Session;
use crate::search::{Info, SearchResult};
use crate::variant::Catalog;

/// Longest line in bytes.
const LONGEST_LINE: u64 = 1 << 20;
/// Most commands that wait while a search is running.
const MOST_WAITING: usize = 1024;
/// How often an `infinite` search that has nothing left to do looks for `stop`.
const PATIENCE: Duration = Duration::from_millis(2);

/// Why a session broke off.
#[derive(Debug, thiserror::Error)]
pub enum UciError {
    /// Commands cannot be read.
    #[error("the commands cannot be read")]
    Input(#[source] std::io::Error),
    /// Answers cannot be written.
    #[error("the answers cannot be written")]
    Output(#[source] std::io::Error),
}

/// A command on its way to the searching thread; a `go` with the flag that stops it.
enum Task {
    Go(Box<GoCommand>, Arc<AtomicBool>),
    Other(Command),
}

/// Where answers go. After the first error nothing more is written.
struct Out<W> {
    writer: Mutex<(W, Option<std::io::Error>)>,
}

impl<W: Write> Out<W> {
    fn lines(&self, lines: &[String]) {
        let mut guard = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let (writer, error) = &mut *guard;
        if error.is_some() {
            return;
        }
        let written = lines
            .iter()
            .try_for_each(|line| writeln!(writer, "{line}"))
            .and_then(|()| writer.flush());
        *error = written.err();
    }

    fn line(&self, line: String) {
        self.lines(&[line]);
    }

    fn trouble(&self, what: impl std::fmt::Display) {
        self.line(format!("info string error: {what}").replace(['\n', '\r'], " "));
    }

    fn is_broken(&self) -> bool {
        self.writer
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .1
            .is_some()
    }
}

/// A search that was asked for.
struct Asked {
    stop: Arc<AtomicBool>,
    bounded: bool,
}

/// Answers commands until `quit` or the end of the input.
///
/// Whatever the input holds, it is answered or refused with an `info string error`; at its end a bounded search
/// is finished first.
///
/// # Errors
/// Reading or writing fails.
///
/// ```
/// let input = "uci\nposition startpos moves e2e4\ngo depth 1\n";
/// let mut output = Vec::new();
/// engine::uci::run(input.as_bytes(), &mut output, engine::variant::Catalog::builtin()).unwrap();
/// let output = String::from_utf8(output).unwrap();
/// assert!(output.contains("uciok") && output.contains("bestmove "));
/// ```
pub fn run(
    input: impl BufRead,
    output: impl Write + Send,
    catalog: Catalog,
) -> Result<(), UciError> {
    let out = Out {
        writer: Mutex::new((output, None)),
    };
    let (sender, receiver) = sync_channel(MOST_WAITING);
    let read = std::thread::scope(|scope| {
        let out = &out;
        scope.spawn(move || work(out, &receiver, Session::new(catalog)));
        // The sender goes when reading ends, and with it the thread above.
        read(input, out, sender)
    });
    let (_, error) = out
        .writer
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    match (read, error) {
        (_, Some(error)) => Err(UciError::Output(error)),
        (Err(error), None) => Err(UciError::Input(error)),
        (Ok(()), None) => Ok(()),
    }
}

/// Reads commands and hands them on; `stop` and `isready` are answered here while a search is running.
fn read<W: Write>(
    mut input: impl BufRead,
    out: &Out<W>,
    sender: SyncSender<Task>,
) -> Result<(), std::io::Error> {
    let mut reader = Reader {
        out,
        sender,
        asked: Vec::new(),
    };
    let mut line = Vec::new();
    let read = loop {
        line.clear();
        match (&mut input).take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) => {
                // Bounded searches are finished before the session ends.
                reader.stop(|asked| !asked.bounded);
                return Ok(());
            }
            Ok(_) if out.is_broken() => break Ok(()),
            Ok(_) if line.len() as u64 == LONGEST_LINE && !line.ends_with(b"\n") => {
                out.trouble(format_args!("a line is longer than {LONGEST_LINE} bytes"));
                if let Err(error) = skip_line(&mut input) {
                    break Err(error);
                }
            }
            Ok(_) => {
                if reader.line(&line) == Next::End {
                    break Ok(());
                }
            }
            Err(error) => break Err(error),
        }
    };
    reader.stop(|_| true);
    read
}

/// Whether reading goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Line,
    End,
}

/// The reading side of a session.
struct Reader<'a, W> {
    out: &'a Out<W>,
    sender: SyncSender<Task>,
    /// Searches that are running or wait.
    asked: Vec<Asked>,
}

impl<W: Write> Reader<'_, W> {
    /// Stops the searches that `which` names.
    fn stop(&self, which: impl Fn(&Asked) -> bool) {
        self.asked
            .iter()
            .filter(|a| which(a))
            .for_each(|a| a.stop.store(true, Relaxed));
    }

    /// Answers a line, or hands it on.
    fn line(&mut self, line: &[u8]) -> Next {
        // A finished search has dropped its flag.
        self.asked.retain(|a| Arc::strong_count(&a.stop) > 1);
        let Ok(text) = std::str::from_utf8(line) else {
            self.out.trouble("a line is not UTF-8");
            return Next::Line;
        };
        let task = match Command::parse(text) {
            Err(error) => {
                self.out.trouble(error);
                return Next::Line;
            }
            Ok(Command::Nothing | Command::PonderHit) => return Next::Line,
            Ok(Command::Stop) => {
                self.stop(|_| true);
                return Next::Line;
            }
            Ok(Command::Quit) => return Next::End,
            Ok(Command::IsReady) if !self.asked.is_empty() => {
                self.out.line("readyok".to_owned());
                return Next::Line;
            }
            Ok(Command::Go(go)) => {
                let stop = Arc::new(AtomicBool::new(false));
                self.asked.push(Asked {
                    stop: stop.clone(),
                    bounded: go.is_bounded(),
                });
                Task::Go(go, stop)
            }
            Ok(other) => Task::Other(other),
        };
        self.hand_on(task)
    }

    fn hand_on(&self, task: Task) -> Next {
        match self.sender.try_send(task) {
            Ok(()) => Next::Line,
            // The searches that are waited for end by themselves.
            Err(TrySendError::Full(task)) if self.asked.iter().all(|a| a.bounded) => {
                if self.sender.send(task).is_ok() {
                    Next::Line
                } else {
                    Next::End
                }
            }
            Err(TrySendError::Full(_)) => {
                self.out.trouble(format_args!(
                    "{MOST_WAITING} commands wait for the end of an infinite search; send `stop`"
                ));
                Next::Line
            }
            Err(TrySendError::Disconnected(_)) => Next::End,
        }
    }
}

fn skip_line(input: &mut impl BufRead) -> Result<(), std::io::Error> {
    loop {
        let chunk = input.fill_buf()?;
        let end = chunk.iter().position(|&b| b == b'\n');
        let used = end.map_or(chunk.len(), |i| i + 1);
        input.consume(used);
        if end.is_some() || used == 0 {
            return Ok(());
        }
    }
}

impl GoCommand {
    /// Whether the search ends by itself.
    fn is_bounded(&self) -> bool {
        let limited = self.nodes.is_some()
            || self.depth.is_some()
            || self.movetime.is_some()
            || self.time.iter().any(Option::is_some);
        limited && !self.infinite
    }
}

/// Carries out commands in order.
fn work<W: Write>(out: &Out<W>, tasks: &Receiver<Task>, mut session: Session) {
    for task in tasks {
        let done = match task {
            Task::Go(go, stop) => search(out, &mut session, &go, &stop),
            Task::Other(Command::Uci) => {
                out.lines(&session.identify());
                Ok(())
            }
            Task::Other(Command::IsReady) => {
                out.line("readyok".to_owned());
                Ok(())
            }
            Task::Other(Command::NewGame) => {
                session.new_game();
                Ok(())
            }
            Task::Other(Command::Position(position)) => session.position(&position),
            Task::Other(Command::SetOption { name, value }) => session.set_option(&name, &value),
            Task::Other(Command::Display) => {
                out.lines(&session.display());
                Ok(())
            }
            Task::Other(_) => Ok(()),
        };
        if let Err(trouble) = done {
            out.trouble(trouble);
        }
    }
}

fn search<W: Write>(
    out: &Out<W>,
    session: &mut Session,
    go: &GoCommand,
    stop: &AtomicBool,
) -> Result<(), String> {
    let begun = Instant::now();
    let limits = session.limits(go);
    let (engine, game) = session.prepare()?;
    let result = engine.search(game, &limits, stop, &mut |info| {
        out.line(info_line(info, begun.elapsed()))
    });
    // The protocol wants no move before `stop` in a search without limits.
    while !go.is_bounded() && !stop.load(Relaxed) && !out.is_broken() {
        std::thread::sleep(PATIENCE);
    }
    out.line(last_line(&result, begun.elapsed()));
    out.line(format!(
        "bestmove {}",
        result.best.as_deref().unwrap_or("0000")
    ));
    Ok(())
}

fn info_line(info: &Info, time: Duration) -> String {
    format!(
        "info depth {} seldepth {} score {} {} hashfull {} pv {}",
        info.depth,
        info.seldepth,
        info.score,
        speed(info.nodes, time),
        info.hashfull,
        info.pv.join(" ")
    )
}

/// Tells what a search that was broken off inside an iteration came to.
fn last_line(result: &SearchResult, time: Duration) -> String {
    let pv = if result.pv.is_empty() {
        String::new()
    } else {
        format!(" pv {}", result.pv.join(" "))
    };
    format!(
        "info depth {} score {} {}{pv}",
        result.depth,
        result.score,
        speed(result.nodes, time)
    )
}

fn speed(nodes: u64, time: Duration) -> String {
    let micros = time.as_micros().max(1);
    format!(
        "nodes {nodes} nps {} time {}",
        u128::from(nodes) * 1_000_000 / micros,
        time.as_millis()
    )
}
