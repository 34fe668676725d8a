//! The protocol: a player that is a UCI engine.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::time::Instant;

use super::parse::{Info, Said, parse};
use super::process::{Heard, Process};
use crate::config::CommandEngine;
use crate::play::limit::ThinkKind;
use crate::play::player::Turn;
use crate::play::{Control, Fault, FaultKind, Player, PlayerError, ThinkLimit, Thought};

/// The option that names the game.
const VARIANT: &str = "UCI_Variant";
/// Most options that are read from an engine.
const MOST_OPTIONS: usize = 2000;
/// How long a search that is given up may take to stop.
const CANCEL: Duration = Duration::from_millis(500);

/// How long an engine is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From its start to `uciok`, and to each `readyok`.
    pub start: Duration,
    /// From `stop` to `bestmove` after its time is up.
    pub stop: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            stop: Duration::from_secs(2),
        }
    }
}

/// What to start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UciProgram {
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

/// A UCI engine in a child process.
pub struct UciPlayer {
    name: String,
    // The runtime of the slot's own thread drives the pipes, so that no other thread stands between us and the engine.
    runtime: Arc<Runtime>,
    process: Process,
    patience: Patience,
    /// Whether the engine can be asked again.
    healthy: bool,
}

impl UciPlayer {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// [`PlayerError::Start`] names what failed; [`PlayerError::Cancelled`] when told so meanwhile.
    pub fn start(
        program: &UciProgram,
        runtime: &Arc<Runtime>,
        patience: Patience,
        control: &Control,
    ) -> Result<Self, PlayerError> {
        control.expect_within(patience.start * 3);
        let process = runtime
            .block_on(async { Process::start(&program.command, &program.launcher) })
            .map_err(|error| {
                PlayerError::Start(format!(
                    "engine `{}`: `{}` cannot be started: {error}",
                    program.name,
                    program.command.path.display()
                ))
            })?;
        let runtime = runtime.clone();
        let mut player = Self {
            name: program.name.clone(),
            runtime,
            process,
            patience,
            healthy: true,
        };
        let runtime = player.runtime.clone();
        runtime.block_on(async {
            tokio::select! {
                () = control.cancelled() => Err(PlayerError::Cancelled),
                started = player.handshake(program) => started,
            }
        })?;
        Ok(player)
    }

    async fn handshake(&mut self, program: &UciProgram) -> Result<(), PlayerError> {
        let deadline = Instant::now() + self.patience.start;
        self.tell("uci", deadline).await?;
        let mut offered: Vec<(String, Vec<String>)> = Vec::new();
        loop {
            match self.answer("uciok", deadline).await? {
                Said::UciOk => break,
                Said::Option { name, values } if offered.len() < MOST_OPTIONS => {
                    offered.push((name, values))
                }
                _ => {}
            }
        }
        // An engine that knows the game by another name than ours is told that name by its option.
        let mut variant = &program.variant;
        for (name, value) in &program.options {
            if name.eq_ignore_ascii_case(VARIANT) {
                variant = value;
                continue;
            }
            if !offered
                .iter()
                .any(|(offered, _)| offered.eq_ignore_ascii_case(name))
            {
                return Err(self.no_start(&format!("has no option `{name}`")));
            }
            self.tell(&format!("setoption name {name} value {value}"), deadline)
                .await?;
        }
        self.set_variant(variant, &offered, deadline).await?;
        self.ready(deadline).await
    }

    async fn set_variant(
        &mut self,
        variant: &str,
        offered: &[(String, Vec<String>)],
        deadline: Instant,
    ) -> Result<(), PlayerError> {
        let option = offered
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(VARIANT));
        match option {
            None if variant == "chess" => Ok(()),
            None => Err(self.no_start(&format!(
                "has no option UCI_Variant, so it cannot play `{variant}`"
            ))),
            Some((_, values))
                if !values.is_empty() && !values.iter().any(|value| value == variant) =>
            {
                Err(self.no_start(&format!(
                    "does not list `{variant}` among the values of UCI_Variant"
                )))
            }
            Some((name, _)) => {
                self.tell(&format!("setoption name {name} value {variant}"), deadline)
                    .await
            }
        }
    }

    async fn ready(&mut self, deadline: Instant) -> Result<(), PlayerError> {
        self.tell("isready", deadline).await?;
        while self.answer("readyok", deadline).await? != Said::ReadyOk {}
        Ok(())
    }

    fn no_start(&mut self, what: &str) -> PlayerError {
        self.healthy = false;
        let log = self.process.log();
        let last: Vec<&str> = log.lines().rev().take(5).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        PlayerError::Start(format!(
            "engine `{}` {what}; last lines: {}",
            self.name,
            last.join(" | ")
        ))
    }

    /// Sends a line outside of a search.
    async fn tell(&mut self, line: &str, deadline: Instant) -> Result<(), PlayerError> {
        match self.process.send(line, deadline).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.no_start("does not read its input")),
            Err(_) => Err(self.ended().await),
        }
    }

    /// The next thing said outside of a search.
    async fn answer(&mut self, awaited: &str, deadline: Instant) -> Result<Said, PlayerError> {
        match self.process.hear(deadline).await {
            Heard::Line(line) => Ok(parse(&line)),
            Heard::Silence => Err(self.no_start(&format!("did not answer `{awaited}` in time"))),
            Heard::End => Err(self.ended().await),
        }
    }

    async fn ended(&mut self) -> PlayerError {
        let ending = self.process.ending().await;
        self.no_start(&format!("ended before the game ({ending})"))
    }

    async fn search(
        &mut self,
        turn: Turn<'_>,
        limit: &ThinkLimit,
        control: &Control,
    ) -> Result<Thought, PlayerError> {
        let asked = Instant::now();
        let deadline = asked + limit.deadline();
        let position = position_line(turn);
        for line in [position, go_line(&limit.kind)] {
            match self.process.send(&line, deadline).await {
                Ok(true) => {}
                Ok(false) => {
                    return Err(self.fault(
                        FaultKind::Hang,
                        "does not read its input".to_owned(),
                        asked,
                    ));
                }
                Err(_) => return Err(self.crashed(asked).await),
            }
        }
        let mut seen = Seen::default();
        loop {
            let heard = tokio::select! {
                biased;
                () = control.cancelled() => {
                    self.healthy = self.stopped(CANCEL).await.is_some();
                    return Err(PlayerError::Cancelled);
                }
                heard = self.process.hear(deadline) => heard,
            };
            match heard {
                Heard::Line(line) => match parse(&line) {
                    Said::Info(info) => seen.note(info),
                    Said::BestMove(Some(best)) => return Ok(seen.thought(best, asked.elapsed())),
                    Said::BestMove(None) => {
                        let text = "sent `bestmove` without a move".to_owned();
                        return Err(self.fault(FaultKind::Crash, text, asked));
                    }
                    _ => {}
                },
                Heard::Silence => return Err(self.overrun(limit, asked).await),
                Heard::End => return Err(self.crashed(asked).await),
            }
        }
    }

    /// Tells the engine to stop. Gives its move if it answers in time.
    async fn stopped(&mut self, patience: Duration) -> Option<String> {
        let deadline = Instant::now() + patience;
        if !self.process.send("stop", deadline).await.unwrap_or(false) {
            return None;
        }
        loop {
            match self.process.hear(deadline).await {
                Heard::Line(line) => {
                    if let Said::BestMove(best) = parse(&line) {
                        return Some(best.unwrap_or_default());
                    }
                }
                Heard::Silence | Heard::End => return None,
            }
        }
    }

    /// The engine's time is up: a time forfeit if it still answers to `stop`, else it hangs.
    async fn overrun(&mut self, limit: &ThinkLimit, asked: Instant) -> PlayerError {
        let spent = asked.elapsed().as_millis();
        let answer = self.stopped(self.patience.stop).await;
        match (answer, limit.allowed) {
            (Some(best), Some(allowed)) => {
                let text = format!(
                    "no move after {spent} ms, {} ms were allowed; `{best}` came when told to stop",
                    allowed.as_millis()
                );
                let fault = Fault {
                    kind: FaultKind::Time,
                    text,
                    elapsed: asked.elapsed(),
                };
                PlayerError::Fault(fault)
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

    async fn crashed(&mut self, asked: Instant) -> PlayerError {
        let ending = self.process.ending().await;
        self.fault(
            FaultKind::Crash,
            format!("the engine's process ended while thinking ({ending})"),
            asked,
        )
    }

    /// A fault after which the process is not used again.
    fn fault(&mut self, kind: FaultKind, text: String, asked: Instant) -> PlayerError {
        self.healthy = false;
        PlayerError::Fault(Fault {
            kind,
            text,
            elapsed: asked.elapsed(),
        })
    }
}

impl Player for UciPlayer {
    fn new_game(&mut self, control: &Control) -> Result<(), PlayerError> {
        control.expect_within(self.patience.start * 2);
        let runtime = self.runtime.clone();
        runtime.block_on(async {
            let deadline = Instant::now() + self.patience.start;
            tokio::select! {
                () = control.cancelled() => {
                    // An answer that is still to come would be taken for another one's.
                    self.healthy = false;
                    Err(PlayerError::Cancelled)
                }
                ready = async {
                    self.tell("ucinewgame", deadline).await?;
                    self.ready(deadline).await
                } => ready,
            }
        })
    }

    fn think(
        &mut self,
        turn: Turn<'_>,
        limit: &ThinkLimit,
        control: &Control,
    ) -> Result<Thought, PlayerError> {
        control.expect_within(limit.deadline() + self.patience.stop);
        let runtime = self.runtime.clone();
        runtime.block_on(self.search(turn, limit, control))
    }

    fn log_tail(&self) -> String {
        self.process.log()
    }

    fn is_healthy(&self) -> bool {
        self.healthy
    }
}

impl Drop for UciPlayer {
    fn drop(&mut self) {
        let runtime = self.runtime.clone();
        if self.healthy {
            runtime.block_on(self.process.quit());
        } else {
            runtime.block_on(self.process.kill());
        }
    }
}

/// What the `info` lines said so far.
#[derive(Default)]
struct Seen(Info);

impl Seen {
    fn note(&mut self, info: Info) {
        self.0.depth = info.depth.or(self.0.depth);
        self.0.nodes = info.nodes.or(self.0.nodes);
        self.0.score = info.score.or(self.0.score);
        self.0.pv = info.pv.or(self.0.pv.take());
    }

    fn thought(self, best: String, elapsed: Duration) -> Thought {
        let pv = self
            .0
            .pv
            .filter(|pv| pv.first() == Some(&best))
            .unwrap_or_else(|| vec![best.clone()]);
        Thought {
            best,
            score: self.0.score,
            depth: self.0.depth.unwrap_or(0),
            nodes: self.0.nodes.unwrap_or(0),
            pv,
            elapsed,
        }
    }
}

fn position_line(turn: Turn<'_>) -> String {
    let moves = turn.game.moves();
    if moves.is_empty() {
        return format!("position fen {}", turn.opening);
    }
    format!("position fen {} moves {}", turn.opening, moves.join(" "))
}

fn go_line(kind: &ThinkKind) -> String {
    match kind {
        ThinkKind::Nodes(nodes) => format!("go nodes {nodes}"),
        ThinkKind::Depth(depth) => format!("go depth {depth}"),
        ThinkKind::MoveTime(time) => format!("go movetime {}", time.as_millis()),
        ThinkKind::Clock {
            remaining: [white, black],
            increment: [white_more, black_more],
        } => {
            // Some engines take a clock of zero for no clock.
            let left = |time: &Duration| time.as_millis().max(1);
            let mut line = format!("go wtime {} btime {}", left(white), left(black));
            if !white_more.is_zero() || !black_more.is_zero() {
                // Writing to a text cannot fail.
                let _ = write!(
                    line,
                    " winc {} binc {}",
                    white_more.as_millis(),
                    black_more.as_millis()
                );
            }
            line
        }
    }
}
