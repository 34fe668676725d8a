//! Tactical positions with proved solutions, and the share of them that the search solves with so many nodes.
//!
//! `engine/examples/make-tactics` makes `tactics.jsonl` without the engine's search or evaluation.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde::Deserialize;

use crate::game::Game;
use crate::search::{Engine, EngineOptions, Limits};
use crate::variant::Catalog;

/// The stored positions, a JSON object a line.
const STORED: &str = include_str!("tactics.jsonl");

/// A position in which one move, and no other, mates or wins material.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Puzzle {
    /// Id of a built-in variant.
    pub variant: String,
    /// The position.
    pub fen: String,
    /// What is to be found: `mate-2` to `mate-4` (the shortest mate has so many moves), `joker` (a piece is won by an
    /// imitator's move), `promotion` (a pawn's promotion, now or next, wins a piece's worth), `fork`.
    pub kind: String,
    /// The solving moves.
    pub best: Vec<String>,
    /// Plies of which the proof looked at every move.
    pub proof: u32,
    /// Material won at least, in pawns; absent for mates.
    #[serde(default)]
    pub gain: Option<i32>,
    /// Name of the piece that makes the solving move.
    pub by: String,
}

/// The stored positions, by variant and kind.
///
/// # Errors
/// The stored text is no list of positions.
///
/// ```
/// let puzzles = engine::bench::tactics::puzzles().unwrap();
/// assert!(puzzles.iter().any(|p| p.variant == "chess" && p.kind == "mate-2"));
/// ```
pub fn puzzles() -> Result<Vec<Puzzle>, serde_json::Error> {
    STORED.lines().map(serde_json::from_str).collect()
}

/// Whether a search of so many nodes, by an engine that has searched nothing before, plays a solving move.
///
/// Nothing if the position is none of a built-in variant's.
///
/// ```no_run
/// let puzzles = engine::bench::tactics::puzzles().unwrap();
/// println!("{:?}", engine::bench::tactics::solves(&puzzles[0], 10_000));
/// ```
#[must_use]
pub fn solves(puzzle: &Puzzle, nodes: u64) -> Option<bool> {
    let variant = Catalog::builtin().get(&puzzle.variant)?;
    let game = Game::new(Arc::clone(&variant), &puzzle.fen).ok()?;
    let limits = Limits {
        nodes: Some(nodes),
        ..Limits::default()
    };
    let found = Engine::new(variant, &EngineOptions::default()).search(
        &game,
        &limits,
        &AtomicBool::new(false),
        &mut |_| {},
    );
    Some(found.best.is_some_and(|mv| puzzle.best.contains(&mv)))
}
