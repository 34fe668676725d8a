//! ProbCut (M. Buro, 1995): a capture that is far too good in a shallow search is good enough in a deep one.

use crate::movegen::Wanted;
use crate::search::node::Node;
use crate::search::params as p;
use crate::search::picker::Picker;
use crate::search::score::Score;
use crate::search::searcher::Searcher;
use crate::search::table::{Bound, Found};

impl<const N: usize> Searcher<'_, N> {
    pub(super) fn probcut(&mut self, node: &Node<N>) -> Option<i32> {
        let Node {
            depth, ply, cut, ..
        } = *node;
        let beta = node.beta + p::probcut_margin();
        let shallow = depth - p::probcut_reduction();
        let unlikely = node
            .found
            .is_some_and(|f| f.bound == Bound::Upper && f.depth >= shallow && f.score < beta);
        if depth < p::probcut_depth() || node.beta.abs() >= Score::FIRST_MATE || unlikely {
            return None;
        }
        let needed = beta - node.evaluation;
        let mut picker = Picker::new(self, node.threats, node.table_move, Wanted::Noisy);
        while let Some(mv) = picker.next(self, ply) {
            if !self.evaluator.gains_at_least(&self.position, mv, needed) {
                continue;
            }
            let made = self.make(mv, ply)?;
            self.look(ply);
            let mut score = -self.quiescence(-beta, -beta + 1, ply + 1, 0);
            if score >= beta && !self.control.stopped {
                score = -self.search(-beta, -beta + 1, shallow, ply + 1, !cut);
            }
            self.unmake(mv, &made);
            if self.control.stopped {
                return None;
            }
            if score >= beta {
                let entry = Found {
                    mv,
                    score,
                    evaluation: node.raw,
                    depth: shallow + 1,
                    bound: Bound::Lower,
                    pv: node.tt_pv,
                };
                self.table.store(self.key(), ply, entry);
                return Some(score);
            }
        }
        None
    }
}
