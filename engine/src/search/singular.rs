//! Singular extensions (T. Anantharaman, M. Campbell and F. Hsu, 1988): is the table's move the only good one?

use super::node::Node;
use super::params as p;
use super::score::Score;
use super::searcher::Searcher;
use super::table::Bound;
use crate::types::Move;

/// What looking at the alternatives says.
pub(super) enum Singular {
    /// By so many plies the move is searched deeper.
    Extend(i32),
    /// Several moves are too good ("multi-cut", Y. Björnsson and T. Marsland, 1998).
    Cut(i32),
}

impl<const N: usize> Searcher<'_, N> {
    /// Searches the alternatives of the table's move with a window below its score.
    pub(super) fn singular(&mut self, node: &Node<N>, mv: Move) -> Singular {
        let Some(found) = node.found.filter(|f| {
            node.depth >= p::singular_depth()
                && node.excluded == Move::NONE
                && f.depth >= node.depth - 3
                && matches!(f.bound, Bound::Lower | Bound::Exact)
                && f.score.abs() < Score::FIRST_MATE
                && (node.ply as i32) < 2 * self.root_depth
        }) else {
            return Singular::Extend(0);
        };
        let beta = found.score - p::singular_margin() * node.depth / 16;
        self.plies[node.ply].excluded = mv;
        let score = self.search(beta - 1, beta, (node.depth - 1) / 2, node.ply, node.cut);
        self.plies[node.ply].excluded = Move::NONE;
        if self.control.stopped {
            return Singular::Extend(0);
        }
        if score < beta {
            let double = !node.pv && score < beta - p::singular_double();
            return Singular::Extend(1 + i32::from(double));
        }
        if score >= node.beta && score < Score::FIRST_MATE && !node.pv {
            return Singular::Cut(score);
        }
        if found.score >= node.beta || node.cut {
            return Singular::Extend(-p::negative_extension());
        }
        Singular::Extend(0)
    }
}
