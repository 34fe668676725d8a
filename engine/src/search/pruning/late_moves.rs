//! Moves that are left out: late move pruning (move counts), futility, history and exchange pruning.

use crate::search::node::Node;
use crate::search::params as p;
use crate::search::picker::Picker;
use crate::search::reductions::{Late, base};
use crate::search::searcher::Searcher;
use crate::types::Move;

impl<const N: usize> Searcher<'_, N> {
    /// Whether a move is so unlikely to matter that it is left out.
    pub(in crate::search) fn may_leave_out(
        &self,
        node: &Node<N>,
        mv: Move,
        late: &Late,
        picker: &mut Picker<N>,
    ) -> bool {
        let Node {
            alpha, depth, pv, ..
        } = *node;
        if pv || node.seeks_mate() {
            return false;
        }
        if late.noisy {
            return depth <= p::exchange_depth()
                && late.bad
                && !self
                    .evaluator
                    .gains_at_least(&self.position, mv, p::exchange_noisy() * depth);
        }
        let most = (p::late_base() + depth * depth) as usize / if node.improving { 1 } else { 2 };
        if depth <= p::late_depth() && late.count > most {
            picker.skip_quiets = true;
            return true;
        }
        let r = base(depth, late.count) - late.history * 1024 / p::history_per_ply();
        let reduced = (depth - r / 1024).clamp(1, depth);
        if reduced <= p::futility_depth()
            && node.estimate + p::futility_base() + p::futility_margin() * reduced <= alpha
        {
            picker.skip_quiets = true;
            return true;
        }
        if reduced <= p::history_pruning_depth() && late.history < p::history_pruning() * depth {
            return true;
        }
        reduced <= p::exchange_depth()
            && !self
                .evaluator
                .gains_at_least(&self.position, mv, p::exchange_quiet() * reduced)
    }
}
