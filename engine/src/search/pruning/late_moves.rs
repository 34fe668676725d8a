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
        if pv {
            return false;
        }
        if late.noisy {
            return depth <= p::EXCHANGE_DEPTH
                && late.bad
                && !self
                    .evaluator
                    .gains_at_least(&self.position, mv, p::EXCHANGE_NOISY * depth);
        }
        let most = (p::LATE_BASE + depth * depth) as usize / if node.improving { 1 } else { 2 };
        if depth <= p::LATE_DEPTH && late.count > most {
            picker.skip_quiets = true;
            return true;
        }
        let r = base(depth, late.count) - late.history * 1024 / p::HISTORY_PER_PLY;
        let reduced = (depth - r / 1024).clamp(1, depth);
        if reduced <= p::FUTILITY_DEPTH
            && node.estimate + p::FUTILITY_BASE + p::FUTILITY_MARGIN * reduced <= alpha
        {
            picker.skip_quiets = true;
            return true;
        }
        if reduced <= p::HISTORY_PRUNING_DEPTH && late.history < p::HISTORY_PRUNING * depth {
            return true;
        }
        reduced <= p::EXCHANGE_DEPTH
            && !self
                .evaluator
                .gains_at_least(&self.position, mv, p::EXCHANGE_QUIET * reduced)
    }
}
