//! In which order moves are tried: table move, good captures, killers and quiet moves, bad captures.

use super::params as p;
use super::searcher::Searcher;
use crate::movegen::Wanted;
use crate::position::Threats;
use crate::types::Move;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Table,
    Noisy,
    GoodNoisy,
    Quiet,
    Quiets,
    Bad,
    Done,
}

/// Where the trying of a ply's moves stands. The moves are in the searcher's [`Ply`](super::searcher::Ply).
pub(super) struct Picker<const N: usize> {
    stage: Stage,
    table_move: Move,
    pub threats: Threats<N>,
    next: usize,
    wanted: Wanted,
    /// The score of the move given last.
    last: i32,
    /// Set when quiet moves are no longer of interest.
    pub skip_quiets: bool,
}

/// Above every history.
const KILLER: i32 = 1 << 20;

impl<const N: usize> Picker<N> {
    /// Prepares to try the moves of a position; the table's move, from wherever it comes, only if it is legal.
    pub fn new(
        searcher: &mut Searcher<'_, N>,
        threats: Threats<N>,
        table_move: Move,
        wanted: Wanted,
    ) -> Picker<N> {
        let mut scratch = std::mem::take(&mut searcher.scratch);
        let legal =
            searcher
                .position
                .is_legal(table_move, &threats, searcher.reaches, &mut scratch);
        searcher.scratch = scratch;
        let fits = legal && (wanted == Wanted::All || searcher.is_noisy(table_move));
        Picker {
            stage: if fits { Stage::Table } else { Stage::Noisy },
            table_move: if fits { table_move } else { Move::NONE },
            threats,
            next: 0,
            last: 0,
            wanted,
            skip_quiets: false,
        }
    }

    /// The next move to try.
    pub fn next(&mut self, s: &mut Searcher<'_, N>, ply: usize) -> Option<Move> {
        loop {
            match self.stage {
                Stage::Table => {
                    self.stage = Stage::Noisy;
                    return Some(self.table_move);
                }
                Stage::Noisy => {
                    self.begin_noisy(s, ply);
                    self.stage = Stage::GoodNoisy;
                }
                Stage::GoodNoisy => match self.best(s, ply) {
                    Some(mv) if mv == self.table_move => {}
                    Some(mv) if s.evaluator.gains_at_least(&s.position, mv, 0) => return Some(mv),
                    Some(mv) => s.plies[ply].bad.push(mv),
                    None if self.wanted == Wanted::All => self.stage = Stage::Quiet,
                    // Quiescence does not look at captures that lose.
                    None => self.stage = Stage::Done,
                },
                Stage::Quiet => {
                    if !self.skip_quiets {
                        self.begin_quiet(s, ply);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    let mv = if self.skip_quiets {
                        None
                    } else {
                        self.best(s, ply)
                    };
                    match mv {
                        Some(mv) if mv == self.table_move => {}
                        Some(mv) => return Some(mv),
                        None => {
                            self.stage = Stage::Bad;
                            self.next = 0;
                        }
                    }
                }
                Stage::Bad => match s.plies[ply].bad.get(self.next) {
                    Some(&mv) => {
                        self.next += 1;
                        return Some(mv);
                    }
                    None => self.stage = Stage::Done,
                },
                Stage::Done => return None,
            }
        }
    }

    /// Whether the moves given now are captures that lose material.
    pub fn at_bad(&self) -> bool {
        self.stage == Stage::Bad
    }

    /// Whether the move given last is a killer or counter move.
    pub fn at_refutation(&self) -> bool {
        self.stage == Stage::Quiets && self.last >= KILLER
    }

    fn begin_noisy(&mut self, s: &mut Searcher<'_, N>, ply: usize) {
        let Searcher {
            position,
            reaches,
            evaluator,
            plies,
            history,
            ..
        } = s;
        let p = &mut plies[ply];
        p.moves.clear();
        p.scores.clear();
        p.bad.clear();
        position.legal_moves_with(&self.threats, reaches, Wanted::Noisy, &mut p.moves);
        for &mv in &p.moves {
            let man = position.man_on(mv.from());
            let own = evaluator.exchange(man.kind(), position.powers(mv.from()));
            let gain = mv
                .promotion()
                .map_or(0, |kind| evaluator.exchange(kind, 0) - own);
            let victim = position.man_on(mv.to());
            let victim = (!victim.is_none()).then(|| victim.kind());
            let learnt = history.capture(man, mv.to(), victim) / p::capture_history_part();
            p.scores
                .push((evaluator.captured(position, mv) + gain) * 16 - own.min(4000) + learnt);
        }
        self.next = 0;
    }

    fn begin_quiet(&mut self, s: &mut Searcher<'_, N>, ply: usize) {
        let reply = ply.checked_sub(1).and_then(|before| s.plies[before].moved);
        let counter = reply.map_or(Move::NONE, |(man, to)| s.history.counter(man, to));
        let contexts = s.contexts(ply);
        let Searcher {
            position,
            reaches,
            history,
            plies,
            evaluator,
            ..
        } = s;
        let p = &mut plies[ply];
        p.moves.clear();
        p.scores.clear();
        position.legal_moves_with(&self.threats, reaches, Wanted::Quiet, &mut p.moves);
        for &mv in &p.moves {
            let score = if p.killers[0] == Some(mv) {
                KILLER + 2
            } else if p.killers[1] == Some(mv) {
                KILLER + 1
            } else if mv == counter {
                KILLER
            } else {
                history.quiet(position.man_on(mv.from()), mv, contexts)
                    + evaluator.step_gain(position, mv) * p::step_gain()
            };
            p.scores.push(score);
        }
        self.next = 0;
    }

    /// Takes the best move left out of the list.
    fn best(&mut self, s: &mut Searcher<'_, N>, ply: usize) -> Option<Move> {
        let p = &mut s.plies[ply];
        let rest = p.scores.get(self.next..)?;
        // The first of equals, so that the order of generation decides.
        let (mut at, mut most) = (0, *rest.first()?);
        for (i, &score) in rest.iter().enumerate().skip(1) {
            if score > most {
                (at, most) = (i, score);
            }
        }
        self.last = most;
        p.scores.swap(self.next, self.next + at);
        p.moves.swap(self.next, self.next + at);
        self.next += 1;
        p.moves.get(self.next - 1).copied()
    }
}
