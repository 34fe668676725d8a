//! Razoring: where evaluation is far below alpha, captures have to show that there is more.

use crate::search::node::Node;
use crate::search::params as p;
use crate::search::searcher::Searcher;

impl<const N: usize> Searcher<'_, N> {
    pub(super) fn razor(&mut self, node: &Node<N>) -> Option<i32> {
        if node.depth > p::razor_depth()
            || node.seeks_mate()
            || node.estimate + p::razor_margin() * node.depth > node.alpha
        {
            return None;
        }
        let score = self.quiescence(node.alpha, node.beta, node.ply, 0);
        (score <= node.alpha).then_some(score)
    }
}
