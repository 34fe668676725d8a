//! The search of a position: principal variation search (A. Reinefeld, 1983, as NegaScout) in fail-soft form.

use super::node::Node;
use super::params as p;
use super::picker::Picker;
use super::reductions::Late;
use super::score::{MAX_PLY, Score};
use super::searcher::Searcher;
use super::singular::Singular;
use super::table::{Bound, Found};
use crate::movegen::Wanted;
use crate::types::Move;

impl<const N: usize> Searcher<'_, N> {
    /// The score of the side to move between `alpha` and `beta`, `depth` plies deep; `cut`: it is expected to
    /// be `beta` or more. The position's threats have been [looked at](Searcher::look).
    pub(super) fn search(
        &mut self,
        alpha: i32,
        beta: i32,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> i32 {
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
        let alone = self.plies[ply].excluded == Move::NONE;
        let found = if alone {
            self.table.probe(key, ply)
        } else {
            None
        };
        if let Some(found) = found
            && !pv
            && found.cuts(beta, depth)
        {
            return found.score;
        }
        let mut node = self.node((alpha, beta), depth, (ply, cut), found);
        if !pv
            && !node.check
            && alone
            && !self.careful
            && let Some(score) = self.prune(&node)
        {
            return score;
        }
        if self.control.stopped {
            return 0;
        }
        if node.table_move == Move::NONE && alone && depth >= p::reduce_without_move_depth() {
            // Internal iterative reduction (E. Schröder, 2021).
            node.depth -= 1;
        }
        self.plies[ply + 1].killers = [None; 2];
        self.plies[(ply + 2).min(MAX_PLY)].cutoffs = 0;
        let (best, best_move) = self.moves(&node);
        if self.control.stopped || !alone {
            return best;
        }
        self.learn_error(&node, best, best_move);
        let entry = Found {
            mv: best_move,
            score: best,
            evaluation: node.raw,
            depth: node.depth,
            bound: Bound::of(best, alpha, beta),
            pv: node.tt_pv,
        };
        self.table.store(key, ply, entry);
        best
    }

    /// Tries the moves; gives the best score and, if it is above alpha, its move.
    fn moves(&mut self, node: &Node<N>) -> (i32, Move) {
        let Node {
            beta,
            ply,
            pv,
            check,
            ..
        } = *node;
        let mut alpha = node.alpha;
        let (mut best, mut best_move) = (-Score::INFINITE, Move::NONE);
        let mut count = 0;
        let mut picker = Picker::new(self, node.threats, node.table_move, Wanted::All);
        self.plies[ply].tried.clear();
        self.plies[ply].tried_noisy.clear();
        while let Some(mv) = picker.next(self, ply) {
            if mv == node.excluded {
                continue;
            }
            count += 1;
            let noisy = self.is_noisy(mv);
            let late = Late {
                count,
                noisy,
                history: self.learnt(node, mv, noisy),
                refutation: picker.at_refutation(),
                bad: picker.at_bad(),
            };
            if best > -Score::FIRST_MATE
                && !self.careful
                && !check
                && self.may_leave_out(node, mv, &late, &mut picker)
            {
                continue;
            }
            let mut extension = 0;
            if count == 1 && mv == node.table_move {
                match self.singular(node, mv) {
                    Singular::Extend(plies) => extension = plies,
                    Singular::Cut(score) => return (score, Move::NONE),
                }
                if self.control.stopped {
                    return (best, best_move);
                }
                self.plies[ply].tried.clear();
                self.plies[ply].tried_noisy.clear();
            }
            let Some(made) = self.make(mv, ply) else {
                return (best, best_move);
            };
            let gives_check = self.look(ply);
            if gives_check
                && extension == 0
                && node.depth >= p::check_extension_depth()
                && (ply as i32) < 2 * self.root_depth
                && !late.bad
            {
                extension = 1;
            }
            let score = self.descend(node, (alpha, best), &late, gives_check, extension);
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
                        self.plies[ply].cutoffs += 1;
                        break;
                    }
                }
            }
            if noisy {
                self.plies[ply].tried_noisy.push(mv);
            } else {
                self.plies[ply].tried.push(mv);
            }
        }
        if count == 0 {
            if node.excluded != Move::NONE {
                return (node.alpha, Move::NONE);
            }
            return (self.no_moves(ply, check), Move::NONE);
        }
        if best_move != Move::NONE {
            self.learn_best(node, best_move, best);
        }
        (best, best_move)
    }

    /// The score of a move that has been made: reduced and with a null window first, if it is not the first.
    fn descend(
        &mut self,
        node: &Node<N>,
        (alpha, best): (i32, i32),
        late: &Late,
        gives_check: bool,
        extension: i32,
    ) -> i32 {
        let next = node.ply + 1;
        let mut depth = node.depth - 1 + extension;
        let mut score = -Score::INFINITE;
        let mut full = late.count == 1;
        if full && !node.pv {
            return -self.search(-node.beta, -alpha, depth, next, !node.cut);
        }
        if !full {
            let r = self.reduction(node, late, gives_check);
            let reduced = (depth - r).min(depth).max(1.min(depth));
            let r = depth - reduced;
            score = -self.search(-alpha - 1, -alpha, reduced, next, r > 0 || !node.cut);
            if score > alpha && r > 0 && !self.control.stopped {
                depth += i32::from(score > best + p::deeper() + 2 * depth);
                depth -= i32::from(score < best + p::shallower());
                if depth > reduced {
                    score = -self.search(-alpha - 1, -alpha, depth, next, !node.cut);
                }
            }
            full = node.pv && score > alpha;
        }
        if full && !self.control.stopped {
            score = -self.search(-node.beta, -alpha, depth.max(1.min(depth)), next, false);
        }
        score
    }
}
