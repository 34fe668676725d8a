//! What an engine said of its search so far.

use std::time::Duration;

use crate::play::{Score, Thought};

/// What one line says of the search; what it does not say is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// The score; none for a bound.
    pub score: Option<Score>,
    /// The line expected.
    pub pv: Option<Vec<String>>,
}

/// What all lines said, newer ones first.
#[derive(Debug, Default)]
pub struct Seen(Info);

impl Seen {
    /// Takes in a line.
    pub fn note(&mut self, info: Info) {
        self.0.depth = info.depth.or(self.0.depth);
        self.0.nodes = info.nodes.or(self.0.nodes);
        self.0.score = info.score.or(self.0.score);
        self.0.pv = info.pv.or(self.0.pv.take());
    }

    /// The thought that ended in this move.
    pub fn thought(self, best: String, elapsed: Duration, offers_draw: bool) -> Thought {
        let pv = self
            .0
            .pv
            .filter(|pv| pv.first() == Some(&best))
            .unwrap_or_else(|| vec![best.clone()]);
        Thought {
            best,
            score: self.0.score,
            depth: self.0.depth.unwrap_or(0),
            nodes: self.0.nodes.unwrap_or(0),
            pv,
            elapsed,
            offers_draw,
        }
    }
}
