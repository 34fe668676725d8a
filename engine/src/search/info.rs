//! What a search reports: [`Info`] after each iteration, [`SearchResult`] at its end.

use super::Score;

/// State of a search after an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Depth of the iteration in plies.
    pub depth: u32,
    /// Longest line looked at, in plies.
    pub seldepth: u32,
    /// What the position is worth to the side to move.
    pub score: Score,
    /// Nodes (moves made) so far.
    pub nodes: u64,
    /// The principal variation: the moves expected.
    pub pv: Vec<String>,
    /// How full the transposition table is, in thousandths.
    pub hashfull: u32,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// The move to play; `None` only if the game is over.
    pub best: Option<String>,
    /// What the position is worth to the side to move.
    pub score: Score,
    /// Deepest iteration finished, in plies.
    pub depth: u32,
    /// Nodes (moves made).
    pub nodes: u64,
    /// The principal variation, `best` first.
    pub pv: Vec<String>,
}
