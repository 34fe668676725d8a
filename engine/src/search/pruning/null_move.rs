//! Null move pruning (C. Donninger, 1993): if passing is good enough, moving is.

use crate::search::node::Node;
use crate::search::params as p;
use crate::search::score::Score;
use crate::search::searcher::Searcher;
use crate::types::Colour;

impl<const N: usize> Searcher<'_, N> {
    /// Not trusted without checking where few men are left, since passing may be what the side would like best.
    pub(super) fn null_move(&mut self, node: &Node<N>) -> Option<i32> {
        let Node {
            beta, depth, ply, ..
        } = *node;
        let us = self.position.side_to_move();
        let allowed = self.options.null_move
            && depth >= p::null_depth()
            && node.estimate >= beta
            && beta > -Score::FIRST_MATE
            && ply >= self.no_null_before
            && ply
                .checked_sub(1)
                .is_none_or(|before| self.plies[before].moved.is_some())
            && self.plies[ply].sum.material(us) > 0;
        if !allowed {
            return None;
        }
        let reduction = p::null_reduction()
            + depth / p::null_per_depth()
            + ((node.estimate - beta) / p::null_per_margin()).min(3);
        let made = self.make_null(ply)?;
        let score = -self.search(-beta, -beta + 1, depth - 1 - reduction, ply + 1, !node.cut);
        self.unmake_null(&made);
        if self.control.stopped || score < beta {
            return None;
        }
        let score = if score >= Score::FIRST_MATE {
            beta
        } else {
            score
        };
        if depth < p::null_verify_depth() && !self.zugzwang_is_likely(us) {
            return Some(score);
        }
        let outer = self.no_null_before;
        self.no_null_before = ply + ((depth - reduction).max(1) as usize) * 3 / 4 + 1;
        let verified = self.search(beta - 1, beta, (depth - 1 - reduction).max(1), ply, false);
        self.no_null_before = outer;
        (!self.control.stopped && verified >= beta).then_some(score)
    }

    /// Few men besides king and pawns: having to move may hurt.
    fn zugzwang_is_likely(&self, us: Colour) -> bool {
        let pawns = self.position.compiled().pawns();
        let mut men = self.position.all_men(us).count();
        for kind in pawns {
            men -= self.position.men(us, kind).count();
        }
        men <= 2
    }
}
