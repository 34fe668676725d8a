//! The protocol: a player that is an XBoard engine.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use engine::types::Colour;
use tokio::runtime::Runtime;
use tokio::time::Instant;

use super::edit;
use super::features::{Features, Reply};
use super::parse::{Claim, Said, parse};
use crate::play::child::process::Heard;
use crate::play::child::seen::Seen;
use crate::play::child::{Child, ChildProgram, Patience};
use crate::play::limit::ThinkKind;
use crate::play::player::Turn;
use crate::play::{Control, FaultKind, Player, PlayerError, ThinkLimit, Thought};

/// How long an engine that says nothing of its features is waited for, as the protocol has it.
const SILENT: Duration = Duration::from_secs(2);
/// How long a search that is given up may take to stop.
const CANCEL: Duration = Duration::from_millis(500);
/// The game that every engine plays.
const NORMAL: &str = "normal";

/// An XBoard engine in a child process.
pub struct XboardPlayer {
    child: Child,
    features: Features,
    /// The game as the engine calls it.
    variant: String,
    /// What it was told last of how long it may think.
    pace: Option<String>,
    /// Where the engine is; none = it has to be told the position.
    at: Option<At>,
    pings: u32,
    games: u32,
}

/// Where an engine is in a game.
struct At {
    opening: String,
    moves: usize,
    /// Whether it answers the next move by itself.
    is_playing: bool,
}

impl XboardPlayer {
    /// Starts an engine, asks what it can and sets its options.
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
        let mut player = Self {
            child,
            features: Features::default(),
            variant: NORMAL.to_owned(),
            pace: None,
            at: None,
            pings: 0,
            games: 0,
        };
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
        self.child.tell("xboard", deadline).await?;
        self.child.tell("protover 2", deadline).await?;
        self.hear_features(deadline).await?;
        self.choose_variant(program)?;
        self.set_options(&program.options, deadline).await?;
        self.ping(deadline).await
    }

    /// Listens until the engine has said what it can, or says nothing for a while.
    async fn hear_features(&mut self, deadline: Instant) -> Result<(), PlayerError> {
        let mut until = deadline.min(Instant::now() + SILENT);
        while !self.features.is_done {
            match self.child.hear(until).await {
                Heard::Line(line) => {
                    let Said::Feature(text) = parse(&line) else {
                        continue;
                    };
                    for (name, reply) in self.features.take(&text) {
                        let word = match reply {
                            Reply::Accepted => "accepted",
                            Reply::Rejected => "rejected",
                        };
                        self.child.tell(&format!("{word} {name}"), deadline).await?;
                    }
                    if self.features.is_unfinished {
                        until = deadline;
                    }
                }
                Heard::Silence if self.features.is_unfinished => {
                    return Err(self
                        .child
                        .no_start("did not end its features by `done=1` in time"));
                }
                Heard::Silence => return Ok(()),
                Heard::End => return Err(self.child.ended().await),
            }
        }
        Ok(())
    }

    /// Finds the engine's name for the game: that of the option `variant`, else ours.
    fn choose_variant(&mut self, program: &ChildProgram) -> Result<(), PlayerError> {
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
            return Err(self.child.no_start(&format!(
                "does not play `{wanted}`, but {known}; give the engine's own name of the game as the option `variant`"
            )));
        }
        self.variant = wanted.to_owned();
        Ok(())
    }

    async fn set_options(
        &mut self,
        options: &BTreeMap<String, String>,
        deadline: Instant,
    ) -> Result<(), PlayerError> {
        for (name, value) in options.iter().filter(|(name, _)| !is_variant(name)) {
            let line = match self.features.option(name) {
                Some(setting) => match (setting.kind.as_str(), value.as_str()) {
                    ("button" | "save" | "reset", _) => format!("option {}", setting.name),
                    ("check", "true" | "1") => format!("option {}=1", setting.name),
                    ("check", "false" | "0") => format!("option {}=0", setting.name),
                    _ => format!("option {}={value}", setting.name),
                },
                None if self.features.memory && is_one(name, &["Hash", "memory"]) => {
                    format!("memory {value}")
                }
                None if self.features.smp && is_one(name, &["Threads", "cores"]) => {
                    format!("cores {value}")
                }
                None => return Err(self.child.no_start(&format!("has no option `{name}`"))),
            };
            self.child.tell(&line, deadline).await?;
        }
        Ok(())
    }

    /// Waits until everything before was done, if the engine can say so.
    async fn ping(&mut self, deadline: Instant) -> Result<(), PlayerError> {
        if !self.features.ping {
            return Ok(());
        }
        self.pings += 1;
        self.child
            .tell(&format!("ping {}", self.pings), deadline)
            .await?;
        loop {
            let line = self.child.answer("ping", deadline).await?;
            if parse(&line) == Said::Pong(self.pings) {
                return Ok(());
            }
        }
    }

    async fn begin(&mut self) -> Result<(), PlayerError> {
        let deadline = Instant::now() + self.child.patience().start;
        self.at = None;
        self.pace = None;
        self.games += 1;
        for line in self.new_lines() {
            self.child.tell(&line, deadline).await?;
        }
        // Thinking output, but not in the opponent's time.
        for line in ["easy", "post", "computer"] {
            if line != "computer" || self.features.colors {
                self.child.tell(line, deadline).await?;
            }
        }
        self.ping(deadline).await
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
    fn set_up(&mut self, fen: &str) -> Result<Vec<String>, PlayerError> {
        if self.features.setboard {
            return Ok(vec!["force".to_owned(), format!("setboard {fen}")]);
        }
        let edit = edit::lines(fen).map_err(|problem| {
            self.child.no_start(&format!(
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

    /// What brings the engine to think about the position.
    fn lines(&mut self, turn: Turn<'_>, limit: &ThinkLimit) -> Result<Vec<String>, PlayerError> {
        let mut lines = Vec::new();
        let moves = turn.game.moves();
        let mut is_playing = false;
        let known = match &self.at {
            Some(at) if at.opening == turn.opening && at.moves <= moves.len() => {
                is_playing = at.is_playing;
                at.moves
            }
            _ => {
                lines.extend(self.set_up(turn.opening)?);
                0
            }
        };
        let pace = pace(limit)?;
        if self.pace.as_ref() != Some(&pace) {
            lines.push(pace.clone());
            self.pace = Some(pace);
        }
        let new = &moves[known..];
        let answers = is_playing && new.len() == 1;
        if is_playing && !answers {
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
            is_playing: true,
        });
        Ok(lines)
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

    async fn search(
        &mut self,
        turn: Turn<'_>,
        limit: &ThinkLimit,
        control: &Control,
    ) -> Result<Thought, PlayerError> {
        let asked = Instant::now();
        let deadline = asked + limit.deadline();
        for line in self.lines(turn, limit)? {
            self.child.ask(&line, deadline, asked).await?;
        }
        let mut seen = Seen::default();
        let mut offers_draw = false;
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
            let said = match heard {
                Heard::Line(line) => parse(&line),
                Heard::Silence => {
                    let spent = asked.elapsed();
                    let answer = self.stopped(self.child.patience().stop).await;
                    return Err(self.child.overran(answer, limit.allowed, asked, spent));
                }
                Heard::End => return Err(self.child.crashed(asked).await),
            };
            match said {
                Said::Move(best) => {
                    let thought = seen.thought(best, asked.elapsed());
                    return Ok(Thought {
                        offers_draw,
                        ..thought
                    });
                }
                Said::Thinking(info) => seen.note(info),
                Said::DrawOffer => offers_draw = true,
                Said::Resign => return Err(self.over(FaultKind::Resign, "resign", asked)),
                Said::Result(claim, text) => {
                    let kind = match (claim, turn.game.side_to_move()) {
                        (Claim::White, Colour::Black) | (Claim::Black, Colour::White) => {
                            FaultKind::Resign
                        }
                        _ => FaultKind::FalseClaim,
                    };
                    return Err(self.over(kind, &text, asked));
                }
                Said::Refused(text) if self.is_about_a_move(&text, turn) => {
                    return Err(self.over(FaultKind::FalseClaim, &text, asked));
                }
                Said::Refused(_) | Said::Feature(_) | Said::Pong(_) | Said::Other => {}
            }
        }
    }

    /// Whether a refusal is of the last move or of the position, and not of a command that not every engine knows.
    fn is_about_a_move(&self, text: &str, turn: Turn<'_>) -> bool {
        text.starts_with("Illegal")
            || turn.game.moves().last().is_some_and(|last| {
                text.rsplit(|c: char| c.is_whitespace() || c == ':').next() == Some(last.as_str())
            })
    }

    /// The game is over for the engine, which can play another one.
    fn over(&mut self, kind: FaultKind, said: &str, asked: Instant) -> PlayerError {
        self.at = None;
        PlayerError::Fault(crate::play::Fault {
            kind,
            text: format!("the engine said `{said}`"),
            elapsed: asked.elapsed(),
        })
    }

    /// Tells the engine to move now. Gives its move if it comes in time.
    async fn stopped(&mut self, patience: Duration) -> Option<String> {
        self.at = None;
        let deadline = Instant::now() + patience;
        if !self.child.try_send("?", deadline).await {
            return None;
        }
        loop {
            match self.child.hear(deadline).await {
                Heard::Line(line) => {
                    if let Said::Move(best) = parse(&line) {
                        return Some(best);
                    }
                }
                Heard::Silence | Heard::End => return None,
            }
        }
    }
}

impl Player for XboardPlayer {
    fn new_game(&mut self, control: &Control) -> Result<(), PlayerError> {
        control.expect_within(self.child.patience().start * 2);
        let runtime = self.child.runtime();
        runtime.block_on(async {
            tokio::select! {
                () = control.cancelled() => {
                    // An answer that is still to come would be taken for another one's.
                    self.child.give_up();
                    Err(PlayerError::Cancelled)
                }
                begun = self.begin() => begun,
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
        // One that cannot be asked whether it has done with the last game may still speak of that in the next.
        let goes_on = self.features.reuse && self.features.ping;
        self.child.is_healthy() && (goes_on || self.games == 0)
    }
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
            Ok(format!("level 0 {base} {}", seconds(increment[0].min(increment[1]))))
        }
        ThinkKind::Nodes(_) => Err(PlayerError::Start(
            "the XBoard protocol has no limit of nodes: give such an engine a depth, a time for a move or a clock"
                .to_owned(),
        )),
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
