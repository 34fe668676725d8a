//! Runs a session: the calling thread reads, another searches.

use std::io::{BufRead, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::command::{Command, GoCommand};
use super::report::Report;
use super::session::Session;
use crate::search::Signals;
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
    Go(Box<GoCommand>, Arc<Flags>),
    Other(Command),
}

/// What the reading thread tells a search.
struct Flags {
    stop: AtomicBool,
    pondering: AtomicBool,
}

/// Where answers go. After the first error nothing more is written.
pub(super) struct Out<W> {
    writer: Mutex<(W, Option<std::io::Error>)>,
}

impl<W: Write> Out<W> {
    pub fn lines(&self, lines: &[String]) {
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

    pub fn line(&self, line: String) {
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
    flags: Arc<Flags>,
    /// It ends by itself, once no opponent is pondered on.
    limited: bool,
}

impl Asked {
    fn is_bounded(&self) -> bool {
        self.limited && !self.flags.pondering.load(Relaxed)
    }
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
                reader.stop(|asked| !asked.is_bounded());
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
            .for_each(|a| a.flags.stop.store(true, Relaxed));
    }

    /// Answers a line, or hands it on.
    fn line(&mut self, line: &[u8]) -> Next {
        // A finished search has dropped its flag.
        self.asked.retain(|a| Arc::strong_count(&a.flags) > 1);
        let Ok(text) = std::str::from_utf8(line) else {
            self.out.trouble("a line is not UTF-8");
            return Next::Line;
        };
        let task = match Command::parse(text) {
            Err(error) => {
                self.out.trouble(error);
                return Next::Line;
            }
            Ok(Command::Nothing) => return Next::Line,
            Ok(Command::PonderHit) => {
                self.asked
                    .iter()
                    .for_each(|a| a.flags.pondering.store(false, Relaxed));
                return Next::Line;
            }
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
                let flags = Arc::new(Flags {
                    stop: AtomicBool::new(false),
                    pondering: AtomicBool::new(go.ponder),
                });
                self.asked.push(Asked {
                    flags: flags.clone(),
                    limited: go.is_limited(),
                });
                Task::Go(go, flags)
            }
            Ok(other) => Task::Other(other),
        };
        self.hand_on(task)
    }

    fn hand_on(&self, task: Task) -> Next {
        match self.sender.try_send(task) {
            Ok(()) => Next::Line,
            // The searches that are waited for end by themselves.
            Err(TrySendError::Full(task)) if self.asked.iter().all(Asked::is_bounded) => {
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

/// Carries out commands in order.
fn work<W: Write>(out: &Out<W>, tasks: &Receiver<Task>, mut session: Session) {
    for task in tasks {
        let done = match task {
            Task::Go(go, flags) => search(out, &mut session, &go, &flags),
            Task::Other(Command::Uci) => {
                out.lines(&session.identify());
                Ok(())
            }
            Task::Other(Command::IsReady) => {
                // Being ready includes having the engine's tables, so that no move is charged for them.
                let ready = session.prepare().map(|_| ());
                out.line("readyok".to_owned());
                ready
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
    flags: &Flags,
) -> Result<(), String> {
    for text in session.illegal(&go.searchmoves) {
        out.trouble(format_args!(
            "searchmoves: `{text}` is no legal move here and is left aside"
        ));
    }
    let limits = session.limits(go);
    let mut report = Report::new(out, session.style());
    let (engine, game) = session.prepare()?;
    let signals = Signals {
        stop: &flags.stop,
        pondering: Some(&flags.pondering),
    };
    let result = engine.search_with(game, &limits, signals, &mut report);
    // The protocol wants no move before `stop` in a search without limits, nor before `ponderhit`.
    let waits = || go.waits_for_stop() || flags.pondering.load(Relaxed);
    while waits() && !flags.stop.load(Relaxed) && !out.is_broken() {
        std::thread::sleep(PATIENCE);
    }
    report.end(&result);
    Ok(())
}
