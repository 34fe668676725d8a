//! What the histories learn from the end of a node's search.

use super::node::Node;
use super::params as p;
use super::score::Score;
use super::searcher::Searcher;
use crate::types::Move;

/// What a move that was best earns by the depth of its search.
fn bonus(depth: i32) -> i32 {
    (depth * p::bonus_a_ply()).min(p::bonus_most())
}

impl<const N: usize> Searcher<'_, N> {
    /// What the histories say about a move.
    #[inline]
    pub(super) fn learnt(&self, node: &Node<N>, mv: Move, noisy: bool) -> i32 {
        let man = self.position.man_on(mv.from());
        if noisy {
            self.history.capture(man, mv.to(), self.victim(mv))
        } else {
            self.history.quiet(man, mv, node.contexts)
        }
    }

    /// Remembers the best move, and what was tried before it.
    pub(super) fn learn_best(&mut self, node: &Node<N>, mv: Move, best: i32) {
        if best < node.beta && !node.pv {
            return;
        }
        let ply = node.ply;
        let cut = best >= node.beta;
        let bonus = bonus(node.depth);
        let noisy = self.is_noisy(mv);
        let man = self.position.man_on(mv.from());
        if cut && !noisy {
            self.history.update_quiet(man, mv, node.contexts, bonus);
            for i in 0..self.plies[ply].tried.len() {
                let other = self.plies[ply].tried[i];
                let man = self.position.man_on(other.from());
                self.history.update_quiet(man, other, node.contexts, -bonus);
            }
            let killers = &mut self.plies[ply].killers;
            if killers[0] != Some(mv) {
                *killers = [Some(mv), killers[0]];
            }
            if let Some((man, to)) = ply
                .checked_sub(1)
                .and_then(|before| self.plies[before].moved)
            {
                self.history.set_counter(man, to, mv);
            }
        }
        if cut && noisy {
            let victim = self.victim(mv);
            self.history.update_capture(man, mv.to(), victim, bonus);
        }
        if cut {
            for i in 0..self.plies[ply].tried_noisy.len() {
                let other = self.plies[ply].tried_noisy[i];
                let man = self.position.man_on(other.from());
                let victim = self.victim(other);
                self.history.update_capture(man, other.to(), victim, -bonus);
            }
        }
    }

    /// Compares what search found with the static evaluation, where a quiet position was seen.
    pub(super) fn learn_error(&mut self, node: &Node<N>, best: i32, best_move: Move) {
        let loud = node.check || (best_move != Move::NONE && self.is_noisy(best_move));
        let above = best >= node.beta && best <= node.evaluation;
        let below = best_move == Move::NONE && best >= node.evaluation;
        if loud || above || below || best.abs() >= Score::FIRST_MATE {
            return;
        }
        let error = best - node.evaluation;
        self.history
            .correction
            .update(node.sites, error, node.depth);
    }
}
