//! Reverse futility pruning, or static null move: a position so good that a margin does not matter is good enough.

use crate::search::node::Node;
use crate::search::params as p;
use crate::search::score::Score;
use crate::search::searcher::Searcher;

impl<const N: usize> Searcher<'_, N> {
    pub(super) fn reverse_futility(&self, node: &Node<N>) -> Option<i32> {
        let plies = (node.depth - i32::from(node.improving)).max(0);
        let cuts = node.depth <= p::reverse_futility_depth()
            && node.estimate - p::reverse_futility_margin() * plies >= node.beta
            && node.beta.abs() < Score::FIRST_MATE;
        cuts.then_some(node.estimate)
    }
}
