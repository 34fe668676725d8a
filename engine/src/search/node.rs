//! [`Node`]: what is known about a position of the tree before its moves are tried.

use super::history::{Contexts, Sites};
use super::score::Score;
use super::searcher::Searcher;
use super::table::Found;
use crate::position::Threats;
use crate::types::Move;

/// What is known about a node before its moves are tried.
pub(super) struct Node<const N: usize> {
    pub alpha: i32,
    pub beta: i32,
    pub depth: i32,
    pub ply: usize,
    pub pv: bool,
    /// A cut is expected: the first move should be too good.
    pub cut: bool,
    pub check: bool,
    /// The side to move is better off than two plies ago.
    pub improving: bool,
    /// As the evaluator gives it, [`Found::UNKNOWN`] in check.
    pub raw: i32,
    /// Corrected by what search found in like positions.
    pub evaluation: i32,
    /// Evaluation, or a better guess from the table.
    pub estimate: i32,
    pub threats: Threats<N>,
    pub sites: Sites,
    pub contexts: Contexts,
    /// A move that is not looked at, while its alternatives are.
    pub excluded: Move,
    pub found: Option<Found>,
    /// Searched with an open window now or before.
    pub tt_pv: bool,
    /// The table's move, which may be of another position.
    pub table_move: Move,
    pub table_noisy: bool,
}

impl<const N: usize> Node<N> {
    /// A mate is known and a faster one is looked for: no evaluation says anything about that.
    #[inline]
    pub fn seeks_mate(&self) -> bool {
        self.alpha >= Score::FIRST_MATE
    }
}

impl<const N: usize> Searcher<'_, N> {
    /// Looks at a position before its moves are tried.
    pub(super) fn node(
        &mut self,
        (alpha, beta): (i32, i32),
        depth: i32,
        (ply, cut): (usize, bool),
        found: Option<Found>,
    ) -> Node<N> {
        let threats = self.threats[ply];
        let excluded = self.plies[ply].excluded;
        let sites = self.plies[ply].keys.sites(self.position.side_to_move());
        let raw = match found.and_then(|f| f.known_evaluation()) {
            _ if threats.check => Found::UNKNOWN,
            Some(known) => known,
            None if excluded != Move::NONE => self.plies[ply].raw,
            None => self.evaluate(ply),
        };
        let evaluation = if threats.check {
            -Score::INFINITE
        } else {
            self.corrected(raw, sites)
        };
        self.plies[ply].raw = raw;
        self.plies[ply].evaluation = evaluation;
        let pv = beta - alpha > 1;
        let table_move = found.map_or(Move::NONE, |f| f.mv);
        Node {
            alpha,
            beta,
            depth,
            ply,
            pv,
            cut,
            check: threats.check,
            improving: !threats.check && self.improves(ply, evaluation),
            raw,
            evaluation,
            estimate: found.map_or(evaluation, |f| f.refine(evaluation)),
            threats,
            sites,
            contexts: self.contexts(ply),
            excluded,
            found,
            tt_pv: pv || found.is_some_and(|f| f.pv),
            table_move,
            table_noisy: table_move != Move::NONE && self.is_noisy(table_move),
        }
    }

    /// Whether the side to move is better off than when it moved last without being in check.
    fn improves(&self, ply: usize, evaluation: i32) -> bool {
        let before = |back: usize| {
            let at = ply.checked_sub(back)?;
            Some(self.plies[at].evaluation).filter(|&e| e > -Score::INFINITE)
        };
        before(2)
            .or_else(|| before(4))
            .is_none_or(|e| evaluation > e)
    }

    /// An evaluation with what was learnt about its errors.
    #[inline]
    pub(super) fn corrected(&self, raw: i32, sites: Sites) -> i32 {
        let most = Score::LARGEST_EVALUATION;
        (raw + self.history.correction.get(sites)).clamp(-most, most)
    }
}
