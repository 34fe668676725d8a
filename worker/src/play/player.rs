//! What the game loop asks of a player.

use std::time::Duration;

use engine::game::Game;

use super::{Control, Score, ThinkLimit};

/// Someone who finds moves. A slot owns its players; nothing of theirs is shared with another slot.
pub trait Player: Send {
    /// Forgets everything of earlier games.
    ///
    /// # Errors
    /// The engine cannot be brought to play; the game has not begun.
    fn new_game(&mut self, control: &Control) -> Result<(), PlayerError>;

    /// Finds a move for the side to move of a game that is not over.
    ///
    /// # Errors
    /// There is no move: see [`PlayerError`].
    fn think(
        &mut self,
        turn: Turn<'_>,
        limit: &ThinkLimit,
        control: &Control,
    ) -> Result<Thought, PlayerError>;

    /// The last lines exchanged with the engine, as evidence; empty for a player that has none.
    fn log_tail(&self) -> String {
        String::new()
    }

    /// Whether it can play another game.
    fn is_healthy(&self) -> bool {
        true
    }
}

/// The position to move in.
#[derive(Clone, Copy)]
pub struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// The FEN that it began at.
    pub opening: &'a str,
    /// Whether the opponent offered a draw with its last move.
    pub draw_offered: bool,
}

/// A move and what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thought {
    /// The move as the engine wrote it.
    pub best: String,
    /// The score, from the mover's point of view.
    pub score: Option<Score>,
    /// Depth reached in plies; 0 = unknown.
    pub depth: u32,
    /// Nodes searched; 0 = unknown.
    pub nodes: u64,
    /// The line expected, the move first.
    pub pv: Vec<String>,
    /// Wall-clock time from asking to answer.
    pub elapsed: Duration,
    /// Whether the engine offers a draw with its move, or accepts the opponent's offer.
    pub offers_draw: bool,
}

/// Why there is no move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerError {
    /// The task was given up.
    #[error("cancelled")]
    Cancelled,
    /// The engine's fault: it loses the game.
    #[error("{}", .0.text)]
    Fault(Fault),
    /// The engine could not be started: no result.
    #[error("{0}")]
    Start(String),
    /// The fault of the host that the worker runs on: no result.
    #[error("{0}")]
    Host(String),
    /// This worker's fault: no result.
    #[error("{0}")]
    Own(String),
}

/// What an engine did wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The kind of fault.
    pub kind: FaultKind,
    /// What was seen, for people.
    pub text: String,
    /// How long it had thought.
    pub elapsed: Duration,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Its process ended or broke the protocol.
    Crash,
    /// It gave no move, not even when told to stop.
    Hang,
    /// It moved too late.
    Time,
    /// It resigned.
    Resign,
    /// It said of a game that goes on that it is over, or of a legal move that it is not.
    FalseClaim,
}
