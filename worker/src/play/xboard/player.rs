//! The protocol: a player that is an XBoard engine.

use std::collections::BTreeMap;
use std::time::Duration;

use engine::types::Colour;
use tokio::time::Instant;

use super::edit;
use super::features::{Features, Reply};
use super::parse::{Claim, Said, parse};
use super::settings::count;
use crate::play::child::process::Heard;
use crate::play::child::{Child, ChildPlayer, ChildProgram, Event, Launch, Protocol};
use crate::play::limit::ThinkKind;
use crate::play::player::Turn;
use crate::play::{FaultKind, Limit, PlayerError, ThinkLimit};

/// How long an engine that says nothing of its features is waited for, as the protocol has it.
const SILENT: Duration = Duration::from_secs(2);
/// Why a limit of nodes is refused.
const NO_NODES: &str = "the XBoard protocol has no limit of nodes: give such an engine a depth, a time for a move or a clock";
/// The game that every engine plays.
const NORMAL: &str = "normal";

/// An XBoard engine in a child process.
pub type XboardPlayer = ChildPlayer<Xboard>;

/// The protocol, and where an engine is in it.
#[derive(Default)]
pub struct Xboard {
    features: Features,
    /// The game as the engine calls it.
    variant: String,
    /// What it was told last of how long it may think.
    pace: Option<String>,
    /// Where the engine is and plays on by itself; none = it has to be told the position.
    at: Option<At>,
    pings: u32,
    games: u32,
}

/// Where an engine is in a game.
struct At {
    opening: String,
    moves: usize,
}

impl Protocol for Xboard {
    const STOP: &'static str = "?";

    fn refuses(limit: &Limit) -> Option<&'static str> {
        matches!(limit, Limit::Nodes(_)).then_some(NO_NODES)
    }

    async fn greet(&mut self, child: &mut Child, launch: &Launch) -> Result<(), PlayerError> {
        let program = &launch.program;
        let deadline = Instant::now() + child.patience().start;
        child.tell("xboard", deadline).await?;
        child.tell("protover 2", deadline).await?;
        self.hear_features(child, deadline).await?;
        self.choose_variant(child, program)?;
        let deadline = Instant::now() + child.patience().ping;
        self.set_options(child, &program.options, deadline).await?;
        self.ping(child, deadline).await
    }

    async fn begin(&mut self, child: &mut Child) -> Result<(), PlayerError> {
        let deadline = Instant::now() + child.patience().new_game;
        self.at = None;
        self.pace = None;
        self.games += 1;
        for line in self.new_lines() {
            child.tell(&line, deadline).await?;
        }
        // Thinking output, but not in the opponent's time.
        for line in ["easy", "post", "computer"] {
            if line != "computer" || self.features.colors {
                child.tell(line, deadline).await?;
            }
        }
        self.ping(child, deadline).await
    }

    fn ask(
        &mut self,
        child: &mut Child,
        turn: Turn<'_>,
        limit: &ThinkLimit,
    ) -> Result<Vec<String>, PlayerError> {
        let mut lines = Vec::new();
        let moves = turn.game.moves();
        let at = self.at.take();
        let at = at.filter(|at| at.opening == turn.opening && at.moves <= moves.len());
        let known = match &at {
            Some(at) => at.moves,
            None => {
                lines.extend(self.set_up(child, turn.opening)?);
                0
            }
        };
        let pace = pace(limit)?;
        if self.pace.as_ref() != Some(&pace) {
            lines.push(pace.clone());
            self.pace = Some(pace);
        }
        let new = &moves[known..];
        let answers = at.is_some() && new.len() == 1;
        if at.is_some() && !answers {
            lines.push("force".to_owned());
        }
        let clocks = self.clocks(turn, limit);
        let (before, after) = match answers {
            true => (clocks, Vec::new()),
            false => (Vec::new(), clocks),
        };
        lines.extend(before);
        lines.extend(new.iter().map(|text| self.move_line(text)));
        lines.extend(after);
        if turn.draw_offered && self.features.draw {
            lines.push("draw".to_owned());
        }
        if !answers {
            lines.push("go".to_owned());
        }
        self.at = Some(At {
            opening: turn.opening.to_owned(),
            moves: moves.len() + 1,
        });
        Ok(lines)
    }

    fn hear(&mut self, line: &str, turn: Turn<'_>) -> Event {
        match parse(line) {
            Said::Move(best) => Event::Move(best),
            Said::Thinking(info) => Event::Info(info),
            Said::DrawOffer => Event::DrawOffer,
            Said::Resign => self.over(FaultKind::Resign, "resign"),
            Said::Result(claim, text) => {
                let kind = match (claim, turn.game.side_to_move()) {
                    (Claim::White, Colour::Black) | (Claim::Black, Colour::White) => {
                        FaultKind::Resign
                    }
                    _ => FaultKind::FalseClaim,
                };
                self.over(kind, &text)
            }
            Said::Refused(text) if is_about_a_move(&text, turn) => {
                self.over(FaultKind::FalseClaim, &text)
            }
            Said::Refused(_) | Said::Feature(_) | Said::Pong(_) | Said::Other => Event::Nothing,
        }
    }

    fn lost_track(&mut self) {
        self.at = None;
    }

    fn is_reusable(&self) -> bool {
        // One that cannot be asked whether it has done with the last game may still speak of that in the next.
        let goes_on = self.features.reuse && self.features.ping;
        goes_on || self.games == 0
    }
}

impl Xboard {
    /// Listens until the engine has said what it can, or says nothing for a while.
    async fn hear_features(
        &mut self,
        child: &mut Child,
        deadline: Instant,
    ) -> Result<(), PlayerError> {
        let mut until = deadline.min(Instant::now() + SILENT);
        while !self.features.is_done {
            match child.hear(until).await {
                Heard::Line(line) => {
                    let Said::Feature(text) = parse(&line) else {
                        continue;
                    };
                    for (name, reply) in self.features.take(&text) {
                        let word = match reply {
                            Reply::Accepted => "accepted",
                            Reply::Rejected => "rejected",
                        };
                        child.tell(&format!("{word} {name}"), deadline).await?;
                    }
                    if self.features.is_unfinished {
                        until = deadline;
                    }
                }
                Heard::Silence if self.features.is_unfinished => {
                    return Err(child.no_start("did not end its features by `done=1` in time"));
                }
                Heard::Silence => return Ok(()),
                Heard::End => return Err(child.ended().await),
            }
        }
        Ok(())
    }

    /// Finds the engine's name for the game: that of the option `variant`, else ours.
    fn choose_variant(
        &mut self,
        child: &mut Child,
        program: &ChildProgram,
    ) -> Result<(), PlayerError> {
        let named = program
            .options
            .iter()
            .find(|(name, _)| is_variant(name))
            .map(|(_, value)| value.as_str());
        let wanted = match named.unwrap_or(&program.variant) {
            "chess" => NORMAL,
            other => other,
        };
        if !self.features.variants.iter().any(|known| known == wanted) {
            let known = self.features.variants.join(", ");
            return Err(child.no_start(&format!(
                "does not play `{wanted}`, but {known}; give the engine's own name of the game as the option `variant`"
            )));
        }
        self.variant = wanted.to_owned();
        Ok(())
    }

    async fn set_options(
        &self,
        child: &mut Child,
        options: &BTreeMap<String, String>,
        deadline: Instant,
    ) -> Result<(), PlayerError> {
        for (name, value) in options.iter().filter(|(name, _)| !is_variant(name)) {
            let line = match self.features.option(name) {
                Some(setting) => setting
                    .set(value)
                    .map_err(|problem| child.no_start(&problem))?,
                None if self.features.memory && is_one(name, &["Hash", "memory"]) => {
                    count("memory", name, value).map_err(|problem| child.no_start(&problem))?
                }
                None if self.features.smp && is_one(name, &["Threads", "cores"]) => {
                    count("cores", name, value).map_err(|problem| child.no_start(&problem))?
                }
                None => return Err(child.no_start(&format!("has no option `{name}`"))),
            };
            child.tell(&line, deadline).await?;
        }
        Ok(())
    }

    /// Waits until everything before was done, if the engine can say so.
    async fn ping(&mut self, child: &mut Child, deadline: Instant) -> Result<(), PlayerError> {
        if !self.features.ping {
            return Ok(());
        }
        self.pings += 1;
        child
            .tell(&format!("ping {}", self.pings), deadline)
            .await?;
        loop {
            let line = child.answer("ping", deadline).await?;
            if parse(&line) == Said::Pong(self.pings) {
                return Ok(());
            }
        }
    }

    /// What leads to the beginning of the game, with nobody thinking.
    fn new_lines(&self) -> Vec<String> {
        let mut lines = vec!["new".to_owned()];
        if self.variant != NORMAL {
            lines.push(format!("variant {}", self.variant));
        }
        lines.push("force".to_owned());
        lines
    }

    /// What leads to a position.
    fn set_up(&mut self, child: &mut Child, fen: &str) -> Result<Vec<String>, PlayerError> {
        if self.features.setboard {
            return Ok(vec!["force".to_owned(), format!("setboard {fen}")]);
        }
        let edit = edit::lines(fen).map_err(|problem| {
            child.no_start(&format!(
                "cannot set up every position (`feature setboard=0`), and the opening `{fen}` {problem}; give openings \
                 without that, as the usual beginning"
            ))
        })?;
        // `new` takes back what it was told of its time.
        self.pace = None;
        let mut lines = self.new_lines();
        lines.extend(edit);
        Ok(lines)
    }

    fn move_line(&self, text: &str) -> String {
        match self.features.usermove {
            true => format!("usermove {text}"),
            false => text.to_owned(),
        }
    }

    fn clocks(&self, turn: Turn<'_>, limit: &ThinkLimit) -> Vec<String> {
        let ThinkKind::Clock { remaining, .. } = limit.kind else {
            return Vec::new();
        };
        if !self.features.time {
            return Vec::new();
        }
        let [own, other] = match turn.game.side_to_move() {
            Colour::White => remaining,
            Colour::Black => [remaining[1], remaining[0]],
        };
        // In centiseconds; some engines take a clock of zero for no clock.
        let left = |time: Duration| (time.as_millis() / 10).max(1);
        vec![
            format!("time {}", left(own)),
            format!("otim {}", left(other)),
        ]
    }

    /// The game is over for the engine, which can play another one.
    fn over(&mut self, kind: FaultKind, said: &str) -> Event {
        self.at = None;
        Event::Over(kind, format!("the engine said `{said}`"))
    }
}

/// Whether a refusal is of the last move or of the position, and not of a command that not every engine knows.
fn is_about_a_move(text: &str, turn: Turn<'_>) -> bool {
    text.starts_with("Illegal")
        || turn.game.moves().last().is_some_and(|last| {
            let words = text.rsplit(|c: char| c.is_whitespace() || c == ':');
            words.take(1).any(|word| word == last)
        })
}

fn is_variant(name: &str) -> bool {
    is_one(name, &["variant", "UCI_Variant"])
}

fn is_one(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// How an engine is told how long it may think.
fn pace(limit: &ThinkLimit) -> Result<String, PlayerError> {
    let seconds = |time: Duration| time.as_millis() as f64 / 1000.0;
    match limit.kind {
        ThinkKind::Depth(depth) => Ok(format!("sd {depth}")),
        ThinkKind::MoveTime(time) => Ok(format!("st {}", seconds(time))),
        ThinkKind::Clock {
            base, increment, ..
        } => {
            let whole = base.as_secs();
            let base = format!("{}:{:02}", whole / 60, whole % 60);
            // The protocol has one increment for both.
            Ok(format!(
                "level 0 {base} {}",
                seconds(increment[0].min(increment[1]))
            ))
        }
        ThinkKind::Nodes(_) => Err(PlayerError::Start(NO_NODES.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_written_as_the_protocol_has_them() {
        let text = |kind| {
            pace(&ThinkLimit {
                kind,
                allowed: None,
                margin: Duration::ZERO,
                hang_after: Duration::ZERO,
            })
        };
        let seconds = Duration::from_secs_f64;
        assert_eq!(text(ThinkKind::Depth(7)).unwrap(), "sd 7");
        assert_eq!(text(ThinkKind::MoveTime(seconds(0.25))).unwrap(), "st 0.25");
        assert_eq!(text(ThinkKind::MoveTime(seconds(3.0))).unwrap(), "st 3");
        let clock = ThinkKind::Clock {
            base: seconds(605.0),
            remaining: [seconds(1.0); 2],
            increment: [seconds(0.1); 2],
        };
        assert_eq!(text(clock).unwrap(), "level 0 10:05 0.1");
        assert!(
            text(ThinkKind::Nodes(9))
                .unwrap_err()
                .to_string()
                .contains("no limit of nodes")
        );
    }
}
