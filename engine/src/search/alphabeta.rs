//! The search of a position: principal variation search (A. Reinefeld, 1983, as NegaScout) in fail-soft form.

use super::params as p;
use super::picker::Picker;
use super::score::{MAX_PLY, Score};
use super::searcher::Searcher;
use super::table::{Bound, Found};
use crate::movegen::Wanted;
use crate::position::Threats;
use crate::types::{Colour, Move};

/// What is known about a node before its moves are tried.
struct Node<const N: usize> {
    alpha: i32,
    beta: i32,
    depth: i32,
    ply: usize,
    pv: bool,
    check: bool,
    /// The side to move is better off than two plies ago.
    improving: bool,
    /// [`Found::UNKNOWN`] in check.
    evaluation: i32,
    /// Evaluation, or a better guess from the table.
    estimate: i32,
    threats: Threats<N>,
}

impl<const N: usize> Searcher<'_, N> {
    /// The score of the side to move between `alpha` and `beta`, `depth` plies deep.
    pub(super) fn search(&mut self, alpha: i32, beta: i32, depth: i32, ply: usize) -> i32 {
        self.plies[ply].pv.clear();
        if let Some(score) = self.end_here(ply) {
            return score;
        }
        if depth <= 0 || ply >= MAX_PLY - 2 {
            return self.quiescence(alpha, beta, ply, 0);
        }
        let alpha = alpha.max(Score::mated_in(ply as u32).0);
        let beta = beta.min(Score::mate_in(ply as u32 + 1).0);
        if alpha >= beta {
            return alpha;
        }
        let pv = beta - alpha > 1;
        let key = self.key();
        let found = self.table.probe(key, ply);
        if let Some(found) = found
            && !pv
            && found.cuts(beta, depth)
        {
            return found.score;
        }
        let mut node = self.node((alpha, beta), depth, ply, found.as_ref());
        if !pv
            && !node.check
            && let Some(score) = self.prune(&node)
        {
            return score;
        }
        if self.control.stopped {
            return 0;
        }
        let table_move = found.map_or(Move::NONE, |f| f.mv);
        if table_move == Move::NONE && depth >= p::REDUCE_WITHOUT_MOVE_DEPTH {
            node.depth -= 1;
        }
        self.plies[ply + 1].killers = [None; 2];
        let (best, best_move) = self.moves(&node, table_move);
        if self.control.stopped {
            return 0;
        }
        let entry = Found {
            mv: best_move,
            score: best,
            evaluation: node.evaluation,
            depth: node.depth,
            bound: Bound::of(best, alpha, beta),
        };
        self.table.store(key, ply, entry);
        best
    }

    /// Looks at a position before its moves are tried.
    fn node(
        &mut self,
        (alpha, beta): (i32, i32),
        depth: i32,
        ply: usize,
        found: Option<&Found>,
    ) -> Node<N> {
        let threats = self.position.threats();
        let evaluation = match found.and_then(Found::known_evaluation) {
            _ if threats.check => Found::UNKNOWN,
            Some(known) => known,
            None => self.evaluate(ply),
        };
        let noted = if threats.check {
            -Score::INFINITE
        } else {
            evaluation
        };
        self.plies[ply].evaluation = noted;
        let before = ply.checked_sub(2).map(|two| self.plies[two].evaluation);
        Node {
            alpha,
            beta,
            depth,
            ply,
            pv: beta - alpha > 1,
            check: threats.check,
            improving: !threats.check && before.is_none_or(|e| evaluation > e),
            evaluation,
            estimate: found.map_or(evaluation, |f| f.refine(evaluation)),
            threats,
        }
    }

    /// Cuts that need no move of this node: reverse futility, razoring, null move.
    fn prune(&mut self, node: &Node<N>) -> Option<i32> {
        let Node {
            alpha,
            beta,
            depth,
            ply,
            ..
        } = *node;
        let margin = p::REVERSE_FUTILITY_MARGIN * (depth - i32::from(node.improving)).max(0);
        if depth <= p::REVERSE_FUTILITY_DEPTH
            && node.estimate - margin >= beta
            && beta.abs() < Score::FIRST_MATE
        {
            return Some(node.estimate);
        }
        if depth <= p::RAZOR_DEPTH && node.estimate + p::RAZOR_MARGIN * depth <= alpha {
            let score = self.quiescence(alpha, beta, ply, 0);
            if score <= alpha {
                return Some(score);
            }
        }
        self.null_move(node)
    }

    /// If passing is good enough, moving is (C. Donninger, 1993). Not trusted without checking where few men
    /// are left, since passing may be what the side would like best.
    fn null_move(&mut self, node: &Node<N>) -> Option<i32> {
        let Node {
            beta, depth, ply, ..
        } = *node;
        let us = self.position.side_to_move();
        let allowed = self.options.null_move
            && depth >= p::NULL_DEPTH
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
        let reduction = p::NULL_REDUCTION
            + depth / p::NULL_PER_DEPTH
            + ((node.estimate - beta) / p::NULL_PER_MARGIN).min(3);
        let made = self.make_null(ply)?;
        let score = -self.search(-beta, -beta + 1, depth - 1 - reduction, ply + 1);
        self.unmake_null(&made);
        if self.control.stopped || score < beta {
            return None;
        }
        let score = if score >= Score::FIRST_MATE {
            beta
        } else {
            score
        };
        if depth < p::NULL_VERIFY_DEPTH && !self.zugzwang_is_likely(us) {
            return Some(score);
        }
        let outer = self.no_null_before;
        self.no_null_before = ply + ((depth - reduction).max(1) as usize) * 3 / 4 + 1;
        let verified = self.search(beta - 1, beta, (depth - 1 - reduction).max(1), ply);
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

    /// Tries the moves; gives the best score and, if it is above alpha, its move.
    fn moves(&mut self, node: &Node<N>, table_move: Move) -> (i32, Move) {
        let Node {
            beta,
            depth,
            ply,
            pv,
            check,
            ..
        } = *node;
        let mut alpha = node.alpha;
        let (mut best, mut best_move) = (-Score::INFINITE, Move::NONE);
        let mut count = 0;
        self.plies[ply].tried.clear();
        let mut picker = Picker::new(self, node.threats, table_move, Wanted::All);
        while let Some(mv) = picker.next(self, ply) {
            count += 1;
            let noisy = self.is_noisy(mv);
            if best > -Score::FIRST_MATE
                && !check
                && self.may_leave_out(node, mv, noisy, count, &mut picker)
            {
                continue;
            }
            let man = self.position.man_on(mv.from());
            let history = if noisy { 0 } else { self.history.get(man, mv) };
            let Some(made) = self.make(mv, ply) else {
                return (best, best_move);
            };
            let gives_check = self.position.in_check();
            let extension =
                i32::from(gives_check && (ply as i32) < 2 * self.root_depth && !picker.at_bad());
            let new_depth = depth - 1 + extension;
            let mut score = -Score::INFINITE;
            let mut full = count == 1;
            if !full {
                let r = self.reduction(node, count, noisy, gives_check, history);
                score = -self.search(-alpha - 1, -alpha, new_depth - r, ply + 1);
                if score > alpha && r > 0 && !self.control.stopped {
                    score = -self.search(-alpha - 1, -alpha, new_depth, ply + 1);
                }
                full = pv && score > alpha;
            }
            if full && !self.control.stopped {
                score = -self.search(-beta, -alpha, new_depth, ply + 1);
            }
            self.unmake(mv, &made);
            if self.control.stopped {
                return (best, best_move);
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = mv;
                    if pv {
                        self.note_pv(ply, mv);
                    }
                    if score >= beta {
                        self.note_cut(node, mv, noisy);
                        break;
                    }
                }
            }
            if !noisy {
                self.plies[ply].tried.push(mv);
            }
        }
        if count == 0 {
            return (self.no_moves(ply, check), Move::NONE);
        }
        (best, best_move)
    }

    /// Whether a move is so unlikely to matter that it is left out.
    fn may_leave_out(
        &self,
        node: &Node<N>,
        mv: Move,
        noisy: bool,
        count: usize,
        picker: &mut Picker<N>,
    ) -> bool {
        let Node {
            alpha, depth, pv, ..
        } = *node;
        if noisy {
            return !pv
                && depth <= p::EXCHANGE_DEPTH
                && picker.at_bad()
                && !self
                    .evaluator
                    .gains_at_least(&self.position, mv, p::EXCHANGE_NOISY * depth);
        }
        if pv {
            return false;
        }
        let late = (p::LATE_BASE + depth * depth) as usize / if node.improving { 1 } else { 2 };
        if depth <= p::LATE_DEPTH && count > late {
            picker.skip_quiets = true;
            return true;
        }
        if depth <= p::FUTILITY_DEPTH
            && node.estimate + p::FUTILITY_BASE + p::FUTILITY_MARGIN * depth <= alpha
        {
            picker.skip_quiets = true;
            return true;
        }
        depth <= p::EXCHANGE_DEPTH
            && !self
                .evaluator
                .gains_at_least(&self.position, mv, p::EXCHANGE_QUIET * depth)
    }

    /// By how many plies a late move is searched less deeply.
    fn reduction(
        &self,
        node: &Node<N>,
        count: usize,
        noisy: bool,
        gives_check: bool,
        history: i32,
    ) -> i32 {
        let first = p::REDUCTION_MOVES + usize::from(node.pv);
        if !self.options.reductions
            || node.depth < p::REDUCTION_DEPTH
            || count <= first
            || noisy
            || node.check
        {
            return 0;
        }
        // Logarithms in 256ths: 0.8 + ln(depth) ln(count) / 2.2.
        let product = log2(node.depth as u32) * log2(count as u32) / 256;
        let mut r = (205 + product * 56 / 256) / 256;
        r -= i32::from(node.pv) + i32::from(gives_check);
        r += i32::from(!node.improving);
        r -= history / p::HISTORY_PER_PLY;
        r.clamp(0, node.depth - 2)
    }

    /// Remembers a move that was too good.
    fn note_cut(&mut self, node: &Node<N>, mv: Move, noisy: bool) {
        if noisy {
            return;
        }
        let ply = node.ply;
        let bonus = (node.depth * node.depth * 16 + 32 * node.depth).min(1600);
        let man = self.position.man_on(mv.from());
        self.history.update(man, mv, bonus);
        for &other in &self.plies[ply].tried {
            self.history
                .update(self.position.man_on(other.from()), other, -bonus);
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
}

/// Logarithm to the base 2 in 256ths.
fn log2(n: u32) -> i32 {
    let whole = n.max(1).ilog2();
    let mut fraction = 0;
    // The mantissa as 16.16; squaring it doubles the logarithm.
    let mut m = (u64::from(n.max(1)) << 16) >> whole;
    for bit in (0..8).rev() {
        m = (m * m) >> 16;
        if m >= 2 << 16 {
            m >>= 1;
            fraction |= 1 << bit;
        }
    }
    (whole as i32) * 256 + fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_mathematics() {
        for n in 1..300u32 {
            let exact = f64::from(n).log2() * 256.0;
            assert!((f64::from(log2(n)) - exact).abs() <= 1.01, "{n}");
        }
    }
}
