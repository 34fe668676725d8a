//! Cuts without looking at (all) moves.
//!
//! - `reverse_futility`, `razoring`, `null_move`, `probcut`: before a node's moves are tried;
//! - `late_moves`: single moves that are left out.

mod late_moves;
mod null_move;
mod probcut;
mod razoring;
mod reverse_futility;

use super::node::Node;
use super::searcher::Searcher;

impl<const N: usize> Searcher<'_, N> {
    /// Cuts that need none or few moves of this node.
    pub(super) fn prune(&mut self, node: &Node<N>) -> Option<i32> {
        if let Some(score) = self.reverse_futility(node) {
            return Some(score);
        }
        if let Some(score) = self.razor(node) {
            return Some(score);
        }
        if let Some(score) = self.null_move(node) {
            return Some(score);
        }
        if self.control.stopped {
            return None;
        }
        self.probcut(node)
    }
}
