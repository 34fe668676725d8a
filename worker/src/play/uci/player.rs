//! The protocol: a player that is a UCI engine.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::time::Instant;

use super::parse::{Said, parse};
use crate::play::child::process::Heard;
use crate::play::child::seen::Seen;
use crate::play::child::{Child, ChildProgram, Patience};
use crate::play::limit::ThinkKind;
use crate::play::player::Turn;
use crate::play::{Control, FaultKind, Player, PlayerError, ThinkLimit, Thought};

/// The option that names the game.
const VARIANT: &str = "UCI_Variant";
/// Most options that are read from an engine.
const MOST_OPTIONS: usize = 2000;
/// How long a search that is given up may take to stop.
const CANCEL: Duration = Duration::from_millis(500);

/// A UCI engine in a child process.
pub struct UciPlayer {
    child: Child,
}

impl UciPlayer {
    /// Starts an engine and sets its options.
    ///
    /// # Errors
    /// [`PlayerError::Start`] names what failed; [`PlayerError::Cancelled`] when told so meanwhile.
    pub fn start(
        program: &ChildProgram,
        runtime: &Arc<Runtime>,
        patience: Patience,
        control: &Control,
    ) -> Result<Self, PlayerError> {
        control.expect_within(patience.start * 3);
        let child = Child::start(program, runtime, patience)?;
        let mut player = Self { child };
        runtime.block_on(async {
            tokio::select! {
                () = control.cancelled() => Err(PlayerError::Cancelled),
                started = player.handshake(program) => started,
            }
        })?;
        Ok(player)
    }

    async fn handshake(&mut self, program: &ChildProgram) -> Result<(), PlayerError> {
        let deadline = Instant::now() + self.child.patience().start;
        self.child.tell("uci", deadline).await?;
        let mut offered: Vec<(String, Vec<String>)> = Vec::new();
        loop {
            match parse(&self.child.answer("uciok", deadline).await?) {
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
                return Err(self.child.no_start(&format!("has no option `{name}`")));
            }
            self.child
                .tell(&format!("setoption name {name} value {value}"), deadline)
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
            None => Err(self.child.no_start(&format!(
                "has no option UCI_Variant, so it cannot play `{variant}`"
            ))),
            Some((_, values))
                if !values.is_empty() && !values.iter().any(|value| value == variant) =>
            {
                Err(self.child.no_start(&format!(
                    "does not list `{variant}` among the values of UCI_Variant"
                )))
            }
            Some((name, _)) => {
                self.child
                    .tell(&format!("setoption name {name} value {variant}"), deadline)
                    .await
            }
        }
    }

    async fn ready(&mut self, deadline: Instant) -> Result<(), PlayerError> {
        self.child.tell("isready", deadline).await?;
        while parse(&self.child.answer("readyok", deadline).await?) != Said::ReadyOk {}
        Ok(())
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
            self.child.ask(&line, deadline, asked).await?;
        }
        let mut seen = Seen::default();
        loop {
            let heard = tokio::select! {
                biased;
                () = control.cancelled() => {
                    if self.stopped(CANCEL).await.is_none() {
                        self.child.give_up();
                    }
                    return Err(PlayerError::Cancelled);
                }
                heard = self.child.hear(deadline) => heard,
            };
            match heard {
                Heard::Line(line) => match parse(&line) {
                    Said::Info(info) => seen.note(info),
                    Said::BestMove(Some(best)) => return Ok(seen.thought(best, asked.elapsed())),
                    Said::BestMove(None) => {
                        let text = "sent `bestmove` without a move".to_owned();
                        return Err(self.child.fault(FaultKind::Crash, text, asked));
                    }
                    _ => {}
                },
                Heard::Silence => {
                    let spent = asked.elapsed();
                    let answer = self.stopped(self.child.patience().stop).await;
                    return Err(self.child.overran(answer, limit.allowed, asked, spent));
                }
                Heard::End => return Err(self.child.crashed(asked).await),
            }
        }
    }

    /// Tells the engine to stop. Gives its move if it answers in time.
    async fn stopped(&mut self, patience: Duration) -> Option<String> {
        let deadline = Instant::now() + patience;
        if !self.child.try_send("stop", deadline).await {
            return None;
        }
        loop {
            match self.child.hear(deadline).await {
                Heard::Line(line) => {
                    if let Said::BestMove(best) = parse(&line) {
                        return Some(best.unwrap_or_default());
                    }
                }
                Heard::Silence | Heard::End => return None,
            }
        }
    }
}

impl Player for UciPlayer {
    fn new_game(&mut self, control: &Control) -> Result<(), PlayerError> {
        control.expect_within(self.child.patience().start * 2);
        let runtime = self.child.runtime();
        runtime.block_on(async {
            let deadline = Instant::now() + self.child.patience().start;
            tokio::select! {
                () = control.cancelled() => {
                    // An answer that is still to come would be taken for another one's.
                    self.child.give_up();
                    Err(PlayerError::Cancelled)
                }
                ready = async {
                    self.child.tell("ucinewgame", deadline).await?;
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
        control.expect_within(limit.deadline() + self.child.patience().stop);
        let runtime = self.child.runtime();
        runtime.block_on(self.search(turn, limit, control))
    }

    fn log_tail(&self) -> String {
        self.child.log()
    }

    fn is_healthy(&self) -> bool {
        self.child.is_healthy()
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
            ..
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
