//! Iterative deepening with aspiration windows.

use super::info::{Info, SearchResult};
use super::params as p;
use super::score::{MAX_PLY, Score};
use super::searcher::Searcher;
use super::table::{Bound, Found};
use crate::notation::move_text;
use crate::types::Move;

/// A move of the root.
pub(super) struct RootMove {
    pub mv: Move,
    /// Nodes of its last search, by which the moves behind the best are ordered.
    nodes: u64,
}

impl RootMove {
    pub fn new(mv: Move) -> RootMove {
        RootMove { mv, nodes: 0 }
    }
}

/// What is known at the root so far.
struct Found0 {
    best: Move,
    score: i32,
    depth: i32,
    pv: Vec<Move>,
}

impl<const N: usize> Searcher<'_, N> {
    /// Deepens until a limit is reached. `moves` are the root's moves, at least one.
    pub(super) fn iterate(
        &mut self,
        moves: &mut [RootMove],
        deepest: Option<u32>,
        info: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        let deepest = deepest.map_or(MAX_PLY / 2, |d| (d as usize).min(MAX_PLY / 2)) as i32;
        let mut known = Found0 {
            best: moves[0].mv,
            score: self.evaluate(0),
            depth: 0,
            pv: vec![moves[0].mv],
        };
        let mut depth = 0;
        while depth < deepest && self.control.may_deepen() {
            depth += 1;
            self.root_depth = depth;
            self.seldepth = 0;
            self.aspire(moves, depth, &mut known);
            if self.control.stopped {
                break;
            }
            known.depth = depth;
            info(&self.info(&known));
            if self.is_settled(moves, &known) {
                break;
            }
        }
        let report = self.info(&known);
        SearchResult {
            best: Some(move_text(&self.position, known.best)),
            score: Score(known.score),
            depth: known.depth as u32,
            nodes: self.control.nodes,
            pv: report.pv,
        }
    }

    /// Whether deeper search cannot change anything that matters.
    fn is_settled(&self, moves: &[RootMove], known: &Found0) -> bool {
        let mate = Score(known.score)
            .mate()
            .is_some_and(|m| 2 * m.abs() < known.depth);
        mate || (moves.len() == 1 && self.control.by_clock() && known.depth >= 6)
    }

    /// Searches a depth with a window around the last score, widened as often as it fails.
    fn aspire(&mut self, moves: &mut [RootMove], depth: i32, known: &mut Found0) {
        let mut delta = p::ASPIRATION;
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        if depth >= p::ASPIRATION_DEPTH {
            alpha = (known.score - delta).max(-Score::INFINITE);
            beta = (known.score + delta).min(Score::INFINITE);
        }
        loop {
            let score = self.root_search(moves, alpha, beta, depth, known);
            if self.control.stopped {
                return;
            }
            if score <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (score - delta).max(-Score::INFINITE);
            } else if score >= beta {
                beta = (score + delta).min(Score::INFINITE);
            } else {
                return;
            }
            delta += delta;
            if delta > 1000 {
                (alpha, beta) = (-Score::INFINITE, Score::INFINITE);
            }
        }
    }

    /// Searches the root's moves. A move counts as found as soon as its search is complete and better.
    fn root_search(
        &mut self,
        moves: &mut [RootMove],
        mut alpha: i32,
        beta: i32,
        depth: i32,
        known: &mut Found0,
    ) -> i32 {
        let before = alpha;
        let mut best = -Score::INFINITE;
        let mut best_at = 0;
        self.plies[1].killers = [None; 2];
        self.plies[0].evaluation = self.evaluate(0);
        for (i, at) in moves.iter_mut().enumerate() {
            let mv = at.mv;
            let begun = self.control.nodes;
            let Some(made) = self.make(mv, 0) else {
                return best;
            };
            let score = self.root_move(i, alpha, beta, depth);
            self.unmake(mv, &made);
            if self.control.stopped {
                return best;
            }
            at.nodes = self.control.nodes - begun;
            if score > best {
                best = score;
                best_at = i;
                if score > alpha {
                    self.note_pv(0, mv);
                    known.best = mv;
                    known.score = score;
                    known.pv.clone_from(&self.plies[0].pv);
                    alpha = score;
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        if best <= before {
            // Nothing is known about the order of moves that all fail low.
            known.score = best;
            best_at = 0;
        }
        moves[..=best_at].rotate_right(1);
        if let Some(rest) = moves.get_mut(1..) {
            rest.sort_by_key(|m| std::cmp::Reverse(m.nodes));
        }
        let entry = Found {
            mv: moves[0].mv,
            score: best,
            evaluation: self.plies[0].evaluation,
            depth,
            bound: Bound::of(best, before, beta),
        };
        self.table.store(self.key(), 0, entry);
        best
    }

    /// The score of the root's move number `i`, which has been made.
    fn root_move(&mut self, i: usize, alpha: i32, beta: i32, depth: i32) -> i32 {
        let extension = i32::from(self.position.in_check());
        let new_depth = depth - 1 + extension;
        if i > 0 {
            let reduces = self.options.reductions && depth >= 4 && i >= 6 && extension == 0;
            let r = i32::from(reduces);
            let mut score = -self.search(-alpha - 1, -alpha, new_depth - r, 1);
            if score > alpha && r > 0 && !self.control.stopped {
                score = -self.search(-alpha - 1, -alpha, new_depth, 1);
            }
            if score <= alpha || self.control.stopped {
                return score;
            }
        }
        -self.search(-beta, -alpha, new_depth, 1)
    }

    fn info(&self, known: &Found0) -> Info {
        let mut position = self.position.clone();
        let mut texts = Vec::new();
        for &mv in &known.pv {
            texts.push(move_text(&position, mv));
            position.make(mv);
        }
        Info {
            depth: known.depth as u32,
            seldepth: self.seldepth as u32,
            score: Score(known.score),
            nodes: self.control.nodes,
            pv: texts,
            hashfull: self.table.per_mille_full(),
        }
    }
}
