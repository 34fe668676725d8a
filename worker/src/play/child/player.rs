//! A player that is an engine in a process of its own: all that does not depend on the protocol.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Runtime;
use tokio::time::Instant;

use super::engine::{Child, ChildProgram, Patience};
use super::process::Heard;
use super::seen::{Info, Seen};
use crate::play::player::Turn;
use crate::play::{Control, FaultKind, Player, PlayerError, ThinkLimit, Thought};

/// How long a search that is given up may take to stop.
const CANCEL: Duration = Duration::from_millis(500);

/// What is particular to a protocol.
pub trait Protocol: Default + Send {
    /// What tells the engine to move now.
    const STOP: &'static str;

    /// Asks a new process what it can, and sets its options.
    fn greet(
        &mut self,
        child: &mut Child,
        program: &ChildProgram,
    ) -> impl Future<Output = Result<(), PlayerError>>;

    /// Begins a game.
    fn begin(&mut self, child: &mut Child) -> impl Future<Output = Result<(), PlayerError>>;

    /// The lines that bring the engine to think about a position.
    ///
    /// # Errors
    /// The protocol or the engine has no words for it.
    fn ask(
        &mut self,
        child: &mut Child,
        turn: Turn<'_>,
        limit: &ThinkLimit,
    ) -> Result<Vec<String>, PlayerError>;

    /// What a line says while the engine thinks.
    fn hear(&mut self, line: &str, turn: Turn<'_>) -> Event;

    /// The engine was told to move now, so that it is not where it was thought to be.
    fn lost_track(&mut self) {}

    /// Whether the process can play another game.
    fn is_reusable(&self) -> bool {
        true
    }
}

/// What an engine says while it thinks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Something about its search.
    Info(Info),
    /// Its move.
    Move(String),
    /// It offers a draw.
    DrawOffer,
    /// The game is over for it, as it says itself: the kind of that, and for people.
    Over(FaultKind, String),
    /// It broke the protocol, and is not used again.
    Broken(String),
    /// Nothing that matters.
    Nothing,
}

/// An engine in a child process as a player.
pub struct ChildPlayer<P> {
    child: Child,
    protocol: P,
}

impl<P: Protocol> ChildPlayer<P> {
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
        let mut child = Child::start(program, runtime, patience)?;
        let mut protocol = P::default();
        runtime.block_on(async {
            tokio::select! {
                () = control.cancelled() => Err(PlayerError::Cancelled),
                started = protocol.greet(&mut child, program) => started,
            }
        })?;
        Ok(Self { child, protocol })
    }

    async fn search(
        &mut self,
        turn: Turn<'_>,
        limit: &ThinkLimit,
        control: &Control,
    ) -> Result<Thought, PlayerError> {
        let asked = Instant::now();
        let deadline = asked + limit.deadline();
        for line in self.protocol.ask(&mut self.child, turn, limit)? {
            self.child.ask(&line, deadline, asked).await?;
        }
        let mut seen = Seen::default();
        let mut offers_draw = false;
        loop {
            let heard = tokio::select! {
                biased;
                () = control.cancelled() => {
                    if self.stopped(turn, CANCEL).await.is_none() {
                        self.child.give_up();
                    }
                    return Err(PlayerError::Cancelled);
                }
                heard = self.child.hear(deadline) => heard,
            };
            let event = match heard {
                Heard::Line(line) => self.protocol.hear(&line, turn),
                Heard::Silence => {
                    let spent = asked.elapsed();
                    let answer = self.stopped(turn, self.child.patience().stop).await;
                    return Err(self.child.overran(answer, limit.allowed, asked, spent));
                }
                Heard::End => return Err(self.child.crashed(asked).await),
            };
            match event {
                Event::Info(info) => seen.note(info),
                Event::Move(best) => {
                    return Ok(seen.thought(best, asked.elapsed(), offers_draw));
                }
                Event::DrawOffer => offers_draw = true,
                Event::Over(kind, text) => return Err(self.child.ended_by_word(kind, text, asked)),
                Event::Broken(text) => return Err(self.child.fault(FaultKind::Crash, text, asked)),
                Event::Nothing => {}
            }
        }
    }

    /// Tells the engine to move now. Gives its move, or what else it says to the end of the game, if it comes in time.
    async fn stopped(&mut self, turn: Turn<'_>, patience: Duration) -> Option<String> {
        self.protocol.lost_track();
        let deadline = Instant::now() + patience;
        if !self.child.try_send(P::STOP, deadline).await {
            return None;
        }
        loop {
            match self.child.hear(deadline).await {
                Heard::Line(line) => match self.protocol.hear(&line, turn) {
                    Event::Move(text) | Event::Over(_, text) | Event::Broken(text) => {
                        return Some(text);
                    }
                    Event::Info(_) | Event::DrawOffer | Event::Nothing => {}
                },
                Heard::Silence | Heard::End => return None,
            }
        }
    }
}

impl<P: Protocol> Player for ChildPlayer<P> {
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
                begun = self.protocol.begin(&mut self.child) => begun,
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
        self.child.is_healthy() && self.protocol.is_reusable()
    }
}
