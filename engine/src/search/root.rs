//! Iterative deepening with aspiration windows, for one or several principal variations.

use super::clock::Effort;
use super::info::{CurrentMove, Info, Listener};
use super::params as p;
use super::score::{MAX_PLY, Score};
use super::searcher::Searcher;
use super::table::{Bound, Found};
use crate::notation::move_text;
use crate::types::{Move, MoveList};

/// A move of the root.
#[derive(Clone)]
pub(super) struct RootMove {
    pub mv: Move,
    /// Score of its last search with an open window, for the order of several lines.
    score: i32,
    /// What follows it then.
    pv: MoveList,
    /// Nodes of its last search, by which the moves behind the best are ordered.
    nodes: u64,
}

impl RootMove {
    pub fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            score: -Score::INFINITE,
            pv: vec![mv],
            nodes: 0,
        }
    }
}

/// What is known at the root so far.
pub(super) struct Known {
    pub best: Move,
    pub score: i32,
    /// The deepest iteration finished.
    pub depth: i32,
    pub pv: MoveList,
}

/// How deep and wide to search.
#[derive(Clone, Copy)]
pub(super) struct Course {
    pub deepest: Option<u32>,
    /// Mate in so many moves ends the search.
    pub mate: Option<u32>,
    /// Lines wanted.
    pub lines: usize,
    /// Iteration to begin with.
    pub first_depth: i32,
}

impl<const N: usize> Searcher<'_, N> {
    /// Deepens until a limit is reached. `moves` are the root's moves, at least one.
    pub(super) fn iterate(
        &mut self,
        moves: &mut [RootMove],
        course: Course,
        listener: &mut dyn Listener,
    ) -> Known {
        let most = MAX_PLY / 2;
        let deepest = course.deepest.map_or(most, |d| (d as usize).min(most)) as i32;
        let lines = course.lines.clamp(1, moves.len());
        let mut known = Known {
            best: moves[0].mv,
            score: self.evaluate(0),
            depth: 0,
            pv: vec![moves[0].mv],
        };
        let (mut effort, mut percent) = (Effort::default(), 100);
        let mut depth = course.first_depth.min(deepest) - 1;
        while depth < deepest && self.control.may_deepen(percent) {
            depth += 1;
            self.root_depth = depth;
            self.seldepth = 0;
            let begun = self.control.nodes;
            for line in 0..lines {
                self.aspire(moves, line, depth, &mut known, listener);
                if self.control.stopped {
                    return known;
                }
            }
            moves[..lines].sort_by_key(|m| std::cmp::Reverse(m.score));
            if lines > 1 {
                (known.best, known.score) = (moves[0].mv, moves[0].score);
                known.pv.clone_from(&moves[0].pv);
            }
            known.depth = depth;
            let all = (self.control.nodes - begun).max(1);
            percent = effort.percent(known.best, moves[0].nodes * 1000 / all, known.score);
            for info in self.infos(&known, &moves[..lines]) {
                listener.line(&info);
            }
            if self.is_settled(moves, &known, course.mate) {
                break;
            }
        }
        known
    }

    /// Whether deeper search cannot change anything that matters.
    fn is_settled(&self, moves: &[RootMove], known: &Known, wanted: Option<u32>) -> bool {
        let mate = Score(known.score).mate();
        let found = wanted.is_some_and(|n| mate.is_some_and(|m| m > 0 && m as u32 <= n));
        let sure = mate.is_some_and(|m| 2 * m.abs() < known.depth);
        found || sure || (moves.len() == 1 && self.control.by_clock() && known.depth >= 6)
    }

    /// Searches a line's depth with a window around the last score, widened as often as it fails.
    fn aspire(
        &mut self,
        moves: &mut [RootMove],
        line: usize,
        depth: i32,
        known: &mut Known,
        listener: &mut dyn Listener,
    ) {
        let mut delta = p::aspiration();
        let (mut alpha, mut beta) = (-Score::INFINITE, Score::INFINITE);
        let before = if line == 0 {
            known.score
        } else {
            moves[line].score
        };
        if depth >= p::aspiration_depth() && before > -Score::INFINITE {
            alpha = (before - delta).max(-Score::INFINITE);
            beta = (before + delta).min(Score::INFINITE);
        }
        loop {
            let score = self.root_search(moves, line, (alpha, beta), depth, known, listener);
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

    /// Searches the root's moves from number `line` on, those before being taken by better lines. A move counts
    /// as found as soon as its search is complete and better.
    fn root_search(
        &mut self,
        moves: &mut [RootMove],
        line: usize,
        (mut alpha, beta): (i32, i32),
        depth: i32,
        known: &mut Known,
        listener: &mut dyn Listener,
    ) -> i32 {
        let before = alpha;
        let mut best = -Score::INFINITE;
        let mut best_at = line;
        self.plies[1].killers = [None; 2];
        let raw = self.evaluate(0);
        let sites = self.plies[0].keys.sites(self.position.side_to_move());
        self.plies[0].evaluation = self.corrected(raw, sites);
        for (i, at) in moves.iter_mut().enumerate().skip(line) {
            let mv = at.mv;
            self.announce(mv, i, depth, listener);
            let begun = self.control.nodes;
            let Some(made) = self.make(mv, 0) else {
                return best;
            };
            let score = self.root_move(i - line, alpha, beta, depth);
            self.unmake(mv, &made);
            if self.control.stopped {
                return best;
            }
            at.nodes = self.control.nodes - begun;
            at.score = -Score::INFINITE;
            if score > best {
                best = score;
                best_at = i;
                if score > alpha {
                    self.note_pv(0, mv);
                    at.score = score;
                    at.pv.clone_from(&self.plies[0].pv);
                    if line == 0 {
                        known.best = mv;
                        known.score = score;
                        known.pv.clone_from(&at.pv);
                    }
                    alpha = score;
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        if best <= before {
            // Nothing is known about the order of moves that all fail low.
            if line == 0 {
                known.score = best;
            }
            moves[line].score = best;
            best_at = line;
        }
        moves[line..=best_at].rotate_right(1);
        if let Some(rest) = moves.get_mut(line + 1..) {
            rest.sort_by_key(|m| std::cmp::Reverse(m.nodes));
        }
        let entry = Found {
            mv: moves[line].mv,
            score: best,
            evaluation: raw,
            depth,
            bound: Bound::of(best, before, beta),
            pv: true,
        };
        if line == 0 {
            self.table.store(self.key(), 0, entry);
        }
        best
    }

    /// Tells the listener which move is searched, if it wants to know.
    fn announce(&self, mv: Move, at: usize, depth: i32, listener: &mut dyn Listener) {
        if listener.wants_current() {
            listener.current(&CurrentMove {
                depth: depth as u32,
                text: move_text(&self.position, mv),
                number: at as u32 + 1,
            });
        }
    }

    /// The score of the root's move number `i`, which has been made.
    fn root_move(&mut self, i: usize, alpha: i32, beta: i32, depth: i32) -> i32 {
        let extension = i32::from(self.look(0));
        let new_depth = depth - 1 + extension;
        if i > 0 {
            let r = self.root_reduction(depth, i + 1, extension > 0);
            let mut score = -self.search(-alpha - 1, -alpha, new_depth - r, 1, true);
            if score > alpha && r > 0 && !self.control.stopped {
                score = -self.search(-alpha - 1, -alpha, new_depth, 1, true);
            }
            if score <= alpha || self.control.stopped {
                return score;
            }
        }
        -self.search(-beta, -alpha, new_depth, 1, false)
    }

    /// The lines after an iteration, best first.
    fn infos(&self, known: &Known, lines: &[RootMove]) -> Vec<Info> {
        let info = |(i, line): (usize, &RootMove)| {
            let (score, pv) = if i == 0 {
                (known.score, &known.pv)
            } else {
                (line.score, &line.pv)
            };
            Info {
                depth: known.depth as u32,
                seldepth: self.seldepth as u32,
                rank: i as u32 + 1,
                score: Score(score),
                nodes: self.control.all_nodes(),
                pv: self.texts(pv),
                hashfull: self.table.per_mille_full(),
            }
        };
        lines.iter().enumerate().map(info).collect()
    }

    /// The texts of a line of moves.
    pub(super) fn texts(&self, pv: &[Move]) -> Vec<String> {
        let mut position = self.position.clone();
        let mut texts = Vec::new();
        for &mv in pv {
            texts.push(move_text(&position, mv));
            position.make(mv);
        }
        texts
    }
}
