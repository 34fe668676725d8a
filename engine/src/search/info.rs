//! What a search reports: [`Info`] after each iteration, [`SearchResult`] at its end.

use super::Score;

/// What is known of a line after an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Info {
    /// Depth of the iteration in plies.
    pub depth: u32,
    /// Longest line looked at, in plies.
    pub seldepth: u32,
    /// Rank of the line among those asked for by `MultiPV`, from 1.
    pub rank: u32,
    /// What the position is worth to the side to move.
    pub score: Score,
    /// Nodes (moves made) so far.
    pub nodes: u64,
    /// The principal variation: the moves expected.
    pub pv: Vec<String>,
    /// How full the transposition table is, in thousandths.
    pub hashfull: u32,
}

/// A move of the root whose search begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentMove {
    /// Depth of the iteration in plies.
    pub depth: u32,
    /// The move.
    pub text: String,
    /// Its place in the order of trying, from 1.
    pub number: u32,
}

/// Listens to a search.
pub trait Listener {
    /// A line after an iteration.
    fn line(&mut self, info: &Info);

    /// Whether [`current`](Listener::current) is of interest now.
    fn wants_current(&mut self) -> bool {
        false
    }

    /// A move of the root is being searched.
    fn current(&mut self, _current: &CurrentMove) {}
}

impl<F: FnMut(&Info) + ?Sized> Listener for F {
    fn line(&mut self, info: &Info) {
        self(info);
    }
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

impl SearchResult {
    /// The result where there is nothing to search.
    pub(super) fn nothing(score: Score) -> SearchResult {
        SearchResult {
            best: None,
            score,
            depth: 0,
            nodes: 0,
            pv: Vec::new(),
        }
    }
}
