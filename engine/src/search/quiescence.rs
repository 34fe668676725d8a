//! Quiescence: captures and promotions until nothing hangs.

use super::params as p;
use super::picker::Picker;
use super::score::{MAX_PLY, Score};
use super::searcher::Searcher;
use super::table::{Bound, Found};
use crate::movegen::Wanted;
use crate::types::{Move, Square};

impl<const N: usize> Searcher<'_, N> {
    /// The score of the side to move between `alpha` and `beta`; `depth` is 0 or below and falls.
    pub(super) fn quiescence(&mut self, mut alpha: i32, beta: i32, ply: usize, depth: i32) -> i32 {
        self.plies[ply].pv.clear();
        self.seldepth = self.seldepth.max(ply);
        if ply >= MAX_PLY - 2 {
            return self.evaluate(ply);
        }
        let key = self.key();
        let found = self.table.probe(key, ply);
        if let Some(found) = found
            && beta - alpha == 1
            && found.cuts(beta, 0)
        {
            return found.score;
        }
        // The main search has looked already.
        if depth < 0 {
            self.threats[ply] = self.position.threats();
        }
        let threats = self.threats[ply];
        let sites = self.plies[ply].keys.sites(self.position.side_to_move());
        let mut best = -Score::INFINITE;
        let (mut evaluation, mut stored) = (0, Found::UNKNOWN);
        if !threats.check {
            let known = found.and_then(|f| f.known_evaluation());
            let exact = known.map_or_else(|| self.evaluate_within(ply, alpha, beta), Ok);
            stored = exact.unwrap_or(Found::UNKNOWN);
            evaluation = self.corrected(exact.unwrap_or_else(|guess| guess), sites);
            best = found.map_or(evaluation, |f| f.refine(evaluation));
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
        }
        let before = alpha;
        let mut best_move = Move::NONE;
        let wanted = if threats.check {
            Wanted::All
        } else {
            Wanted::Noisy
        };
        let table_move = found.map_or(Move::NONE, |f| f.mv);
        let recapture = self.recapture_square(ply, depth);
        let mut picker = Picker::new(self, threats, table_move, wanted);
        while let Some(mv) = picker.next(self, ply) {
            if !threats.check && best > -Score::FIRST_MATE {
                if recapture.is_some_and(|square| mv.to() != square) {
                    continue;
                }
                let reached = evaluation + self.evaluator.captured(&self.position, mv) + p::delta();
                if mv.promotion().is_none() && reached <= alpha {
                    best = best.max(reached);
                    continue;
                }
            }
            let Some(made) = self.make(mv, ply) else {
                return 0;
            };
            let score = -self.quiescence(-beta, -alpha, ply + 1, depth - 1);
            self.unmake(mv, &made);
            if self.control.stopped {
                return 0;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = mv;
                    if beta - before > 1 {
                        self.note_pv(ply, mv);
                    }
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        if best == -Score::INFINITE {
            // In check, and no move at all.
            return Score::mated_in(ply as u32).0;
        }
        let bound = if best >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        self.table.store(
            key,
            ply,
            Found {
                mv: best_move,
                score: best,
                evaluation: stored,
                depth: 0,
                bound,
                pv: found.is_some_and(|f| f.pv),
            },
        );
        best
    }

    /// Deep in quiescence, the only square on which captures still count.
    fn recapture_square(&self, ply: usize, depth: i32) -> Option<Square> {
        if depth > -p::recaptures_after() {
            return None;
        }
        ply.checked_sub(1)
            .and_then(|before| self.plies[before].moved)
            .map(|(_, to)| to)
    }
}

impl Found {
    /// Whether the entry settles a null-window search below `beta` at a depth.
    pub(super) fn cuts(&self, beta: i32, depth: i32) -> bool {
        self.depth >= depth
            && match self.bound {
                Bound::Exact => true,
                Bound::Lower => self.score >= beta,
                Bound::Upper => self.score < beta,
                Bound::None => false,
            }
    }

    /// An evaluation that was not made.
    pub(super) const UNKNOWN: i32 = i16::MIN as i32;

    /// The stored evaluation, if there is one.
    pub(super) fn known_evaluation(&self) -> Option<i32> {
        (self.evaluation != Self::UNKNOWN).then_some(self.evaluation)
    }

    /// The evaluation, or the stored score where it says more.
    pub(super) fn refine(&self, evaluation: i32) -> i32 {
        let better = match self.bound {
            Bound::Exact => true,
            Bound::Lower => self.score > evaluation,
            Bound::Upper => self.score < evaluation,
            Bound::None => false,
        };
        if better && self.score.abs() < Score::FIRST_MATE {
            self.score
        } else {
            evaluation
        }
    }
}
