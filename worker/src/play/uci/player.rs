//! The protocol: a player that is a UCI engine.

use std::fmt::Write as _;
use std::time::Duration;

use tokio::time::Instant;

use super::parse::{Said, parse};
use crate::play::child::{Child, ChildPlayer, ChildProgram, Event, Protocol};
use crate::play::limit::ThinkKind;
use crate::play::player::Turn;
use crate::play::{PlayerError, ThinkLimit};

/// The option that names the game.
const VARIANT: &str = "UCI_Variant";
/// Most options that are read from an engine.
const MOST_OPTIONS: usize = 2000;

/// A UCI engine in a child process.
pub type UciPlayer = ChildPlayer<Uci>;

/// The protocol.
#[derive(Debug, Default)]
pub struct Uci;

impl Protocol for Uci {
    const STOP: &'static str = "stop";

    async fn greet(
        &mut self,
        child: &mut Child,
        program: &ChildProgram,
    ) -> Result<(), PlayerError> {
        let deadline = Instant::now() + child.patience().start;
        child.tell("uci", deadline).await?;
        let mut offered: Vec<(String, Vec<String>)> = Vec::new();
        loop {
            match parse(&child.answer("uciok", deadline).await?) {
                Said::UciOk => break,
                Said::Option { name, values } if offered.len() < MOST_OPTIONS => {
                    offered.push((name, values));
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
                return Err(child.no_start(&format!("has no option `{name}`")));
            }
            child
                .tell(&format!("setoption name {name} value {value}"), deadline)
                .await?;
        }
        set_variant(child, variant, &offered, deadline).await?;
        ready(child, deadline).await
    }

    async fn begin(&mut self, child: &mut Child) -> Result<(), PlayerError> {
        let deadline = Instant::now() + child.patience().start;
        child.tell("ucinewgame", deadline).await?;
        ready(child, deadline).await
    }

    fn ask(
        &mut self,
        _: &mut Child,
        turn: Turn<'_>,
        limit: &ThinkLimit,
    ) -> Result<Vec<String>, PlayerError> {
        Ok(vec![position_line(turn), go_line(&limit.kind)])
    }

    fn hear(&mut self, line: &str, _: Turn<'_>) -> Event {
        match parse(line) {
            Said::Info(info) => Event::Info(info),
            Said::BestMove(Some(best)) => Event::Move(best),
            Said::BestMove(None) => Event::Broken("sent `bestmove` without a move".to_owned()),
            _ => Event::Nothing,
        }
    }
}

async fn set_variant(
    child: &mut Child,
    variant: &str,
    offered: &[(String, Vec<String>)],
    deadline: Instant,
) -> Result<(), PlayerError> {
    let option = offered
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(VARIANT));
    match option {
        None if variant == "chess" => Ok(()),
        None => Err(child.no_start(&format!(
            "has no option UCI_Variant, so it cannot play `{variant}`"
        ))),
        Some((_, values)) if !values.is_empty() && !values.iter().any(|value| value == variant) => {
            Err(child.no_start(&format!(
                "does not list `{variant}` among the values of UCI_Variant"
            )))
        }
        Some((name, _)) => {
            let line = format!("setoption name {name} value {variant}");
            child.tell(&line, deadline).await
        }
    }
}

async fn ready(child: &mut Child, deadline: Instant) -> Result<(), PlayerError> {
    child.tell("isready", deadline).await?;
    while parse(&child.answer("readyok", deadline).await?) != Said::ReadyOk {}
    Ok(())
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
