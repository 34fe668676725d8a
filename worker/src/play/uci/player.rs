//! The protocol: a player that is a UCI engine.

use std::fmt::Write as _;
use std::time::Duration;

use engine::variant::rule_set::CastlingNotation;
use tokio::time::Instant;

use super::options::Offer;
use super::parse::{Said, parse};
use crate::play::child::takes::Takes;
use crate::play::child::{Child, ChildPlayer, Event, Launch, Protocol};
use crate::play::limit::ThinkKind;
use crate::play::player::Turn;
use crate::play::{FaultKind, PlayerError, ThinkLimit};

/// The option that names the game.
const VARIANT: &str = "UCI_Variant";
/// The option by which castlings are written as the king's and the rook's squares.
const CHESS960: &str = "UCI_Chess960";
/// Most options that are read from an engine.
const MOST_OPTIONS: usize = 2000;

/// A UCI engine in a child process.
pub type UciPlayer = ChildPlayer<Uci>;

/// The protocol.
#[derive(Debug, Default)]
pub struct Uci;

impl Protocol for Uci {
    const STOP: &'static str = "stop";

    async fn greet(&mut self, child: &mut Child, launch: &Launch) -> Result<(), PlayerError> {
        let offered = introduction(child).await?;
        let program = &launch.program;
        let notation = launch.variant.rules().castling_notation;
        let deadline = Instant::now() + child.patience().ping;
        // An engine that knows the game by another name than ours is told that name by its option.
        let mut variant = &program.variant;
        let mut lines = Vec::new();
        for (name, value) in &program.options {
            if is(name, VARIANT) {
                variant = value;
                continue;
            }
            let Some(offer) = find(&offered, name) else {
                return Err(child.no_start(&format!("has no option `{name}`")));
            };
            let line = offer
                .set(value)
                .map_err(|problem| child.no_start(&problem))?;
            if is(name, CHESS960)
                && line.ends_with("true") != (notation == CastlingNotation::KingRook)
            {
                return Err(child.no_start(&format!(
                    "cannot have its option {CHESS960} set to `{value}`: how castlings are written follows from `{}`; \
                     leave the option out",
                    program.variant
                )));
            }
            lines.push(line);
        }
        lines.extend(variant_line(child, variant, &offered)?);
        // Castlings written by both squares are what this option is about.
        if notation == CastlingNotation::KingRook
            && let Some(offer) = find(&offered, CHESS960)
        {
            lines.push(format!("setoption name {} value true", offer.name));
        }
        for line in lines {
            child.tell(&line, deadline).await?;
        }
        ready(child, deadline).await
    }

    async fn begin(&mut self, child: &mut Child) -> Result<(), PlayerError> {
        let deadline = Instant::now() + child.patience().new_game;
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
            // No word of the protocol, but there is only one thing that it can mean.
            Said::BestMove(Some(best)) if best == "resign" => {
                let text = "the engine said `bestmove resign`".to_owned();
                Event::Over(FaultKind::Resign, text)
            }
            Said::BestMove(Some(best)) => Event::Move(best),
            Said::BestMove(None) => Event::Broken("sent `bestmove` without a move".to_owned()),
            _ => Event::Nothing,
        }
    }
}

/// What an engine says of itself when it is started: its options.
async fn introduction(child: &mut Child) -> Result<Vec<Offer>, PlayerError> {
    let deadline = Instant::now() + child.patience().start;
    child.tell("uci", deadline).await?;
    let mut offered: Vec<Offer> = Vec::new();
    loop {
        match parse(&child.answer("uciok", deadline).await?) {
            Said::UciOk => return Ok(offered),
            Said::Option(offer) if offered.len() < MOST_OPTIONS => offered.push(offer),
            _ => {}
        }
    }
}

/// The line that tells the game, where one is needed.
fn variant_line(
    child: &mut Child,
    variant: &str,
    offered: &[Offer],
) -> Result<Option<String>, PlayerError> {
    match find(offered, VARIANT) {
        None if variant == "chess" => Ok(None),
        None => Err(child.no_start(&format!(
            "has no option UCI_Variant, so it cannot play `{variant}`"
        ))),
        Some(Offer {
            takes: Takes::Combo(values),
            ..
        }) if !values.iter().any(|value| value == variant) => Err(child.no_start(&format!(
            "does not list `{variant}` among the values of UCI_Variant: {}",
            values.join(", ")
        ))),
        Some(offer) => Ok(Some(format!(
            "setoption name {} value {variant}",
            offer.name
        ))),
    }
}

fn find<'a>(offered: &'a [Offer], name: &str) -> Option<&'a Offer> {
    offered.iter().find(|offer| is(&offer.name, name))
}

fn is(name: &str, known: &str) -> bool {
    name.eq_ignore_ascii_case(known)
}

/// Waits until the engine has done all before. What it said until then is of no matter any more, be it a move.
async fn ready(child: &mut Child, deadline: Instant) -> Result<(), PlayerError> {
    // An answer that is there already answers something else.
    child.heard_already().await;
    child.tell("isready", deadline).await?;
    while parse(&child.answer("readyok", deadline).await?) != Said::ReadyOk {}
    Ok(())
}

fn position_line(turn: Turn<'_>) -> String {
    let moves = turn.game.moves();
    let letters: usize = moves.iter().map(|text| text.len() + 1).sum();
    let mut line = String::with_capacity(turn.opening.len() + letters + 24);
    line.push_str("position fen ");
    line.push_str(turn.opening);
    if !moves.is_empty() {
        line.push_str(" moves");
    }
    for text in moves {
        line.push(' ');
        line.push_str(text);
    }
    line
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
