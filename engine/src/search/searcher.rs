//! [`Searcher`]: the state of one thread's search.

use super::control::Control;
use super::history::{BACK, Contexts, History, Keys};
use super::options::EngineOptions;
use super::score::MAX_PLY;
use super::table::Table;
use crate::eval::{Accumulator, Evaluator, Memory, PawnTable};
use crate::movegen::Reaches;
use crate::position::{Position, Threats, Undo, mix};
use crate::types::{Kind, Move, MoveKind, MoveList, Piece, Square};

/// What is kept for each ply of the line being searched. Reused, so that nodes do not allocate.
pub(super) struct Ply {
    pub moves: MoveList,
    pub scores: Vec<i32>,
    /// Captures that lose material, tried last.
    pub bad: MoveList,
    /// Quiet moves searched before the one that cut.
    pub tried: MoveList,
    /// Captures searched before the one that cut.
    pub tried_noisy: MoveList,
    pub pv: MoveList,
    pub sum: Accumulator,
    pub keys: Keys,
    /// The evaluator's word on the position.
    pub raw: i32,
    /// Corrected; below every score in check.
    pub evaluation: i32,
    pub killers: [Option<Move>; 2],
    /// The man that the move made here moved, and where to.
    pub moved: Option<(Piece, Square)>,
    /// What that move is to continuation history.
    pub context: u16,
    /// A move that is not looked at, while its alternatives are.
    pub excluded: Move,
    /// Cuts at this ply since the one two plies above was entered.
    pub cutoffs: u32,
}

impl Default for Ply {
    fn default() -> Ply {
        Ply {
            moves: MoveList::new(),
            scores: Vec::new(),
            bad: MoveList::new(),
            tried: MoveList::new(),
            tried_noisy: MoveList::new(),
            pv: MoveList::new(),
            sum: Accumulator::default(),
            keys: Keys::default(),
            raw: 0,
            evaluation: 0,
            killers: [None; 2],
            moved: None,
            context: 0,
            excluded: Move::NONE,
            cutoffs: 0,
        }
    }
}

/// The state of one thread's search.
pub(super) struct Searcher<'a, const N: usize> {
    pub position: Position<N>,
    pub evaluator: &'a Evaluator<N>,
    pub table: &'a Table,
    pub history: &'a mut History,
    pub plies: &'a mut [Ply],
    /// By ply: threats, where they are known.
    pub threats: Vec<Threats<N>>,
    pub reaches: &'a Reaches<N>,
    pub pawns: &'a PawnTable<N>,
    pub control: Control<'a>,
    pub options: &'a EngineOptions,
    /// Hashes of the game's positions since the last capture and of the line searched, the current one last.
    pub hashes: Vec<u64>,
    /// Index of the first hash that the current position can repeat.
    pub base: usize,
    /// Index of the root's hash.
    pub root: usize,
    /// What a draw is worth less than nothing to the side that moves at the root.
    pub contempt: i32,
    /// A mate is looked for: nothing is left out because of evaluations.
    pub careful: bool,
    pub seldepth: usize,
    /// No null moves above this ply: a cut is being verified.
    pub no_null_before: usize,
    pub scratch: MoveList,
    /// Shallow iterations do not extend lines beyond twice their depth.
    pub root_depth: i32,
}

/// Plies that a searcher needs.
pub(super) const PLIES: usize = MAX_PLY + 4;

/// What taking a move back needs.
pub(super) struct Made {
    undo: Undo,
    base: usize,
}

impl<const N: usize> Searcher<'_, N> {
    /// Makes a legal move; `None` if the search must end instead.
    pub fn make(&mut self, mv: Move, ply: usize) -> Option<Made> {
        if !self.control.take_node() {
            return None;
        }
        let capture = self.is_capture(mv);
        let man = self.position.man_on(mv.from());
        let here = &mut self.plies[ply];
        here.moved = Some((man, mv.to()));
        here.context = self.history.context(man, mv.to());
        let keys = here.keys.after(&self.position, mv);
        let sum = self.evaluator.after(&self.position, &here.sum, mv);
        self.plies[ply + 1].keys = keys;
        self.plies[ply + 1].sum = sum;
        let made = Made {
            undo: self.position.make(mv),
            base: self.base,
        };
        if capture {
            self.base = self.hashes.len();
        }
        self.hashes.push(self.position.hash());
        self.table.prefetch(self.key());
        Some(made)
    }

    /// Takes a move back.
    pub fn unmake(&mut self, mv: Move, made: &Made) {
        self.position.unmake(mv, &made.undo);
        self.hashes.pop();
        self.base = made.base;
    }

    /// Passes; `None` if the search must end instead.
    pub fn make_null(&mut self, ply: usize) -> Option<Made> {
        if !self.control.take_node() {
            return None;
        }
        self.plies[ply].moved = None;
        self.plies[ply].context = 0;
        self.plies[ply + 1].sum = self.plies[ply].sum;
        self.plies[ply + 1].keys = self.plies[ply].keys;
        let made = Made {
            undo: self.position.make_null(),
            base: self.base,
        };
        self.base = self.hashes.len();
        self.hashes.push(self.position.hash());
        self.threats[ply + 1] = self.position.threats();
        Some(made)
    }

    pub fn unmake_null(&mut self, made: &Made) {
        self.position.unmake_null(&made.undo);
        self.hashes.pop();
        self.base = made.base;
    }

    /// Looks at the position after a move made at `ply`: whether it gives check.
    pub fn look(&mut self, ply: usize) -> bool {
        let threats = self.position.threats();
        self.threats[ply + 1] = threats;
        threats.check
    }

    /// Whether a move captures.
    #[inline]
    pub fn is_capture(&self, mv: Move) -> bool {
        match mv.kind() {
            MoveKind::EnPassant => true,
            MoveKind::Castle | MoveKind::KingLeap => false,
            _ => !self.position.man_on(mv.to()).is_none(),
        }
    }

    /// Whether a move captures or promotes.
    #[inline]
    pub fn is_noisy(&self, mv: Move) -> bool {
        mv.promotion().is_some() || self.is_capture(mv)
    }

    /// The type that a move captures on its target.
    #[inline]
    pub fn victim(&self, mv: Move) -> Option<Kind> {
        let man = self.position.man_on(mv.to());
        (!man.is_none()).then(|| man.kind())
    }

    /// What moves at a ply follow.
    #[inline]
    pub fn contexts(&self, ply: usize) -> Contexts {
        BACK.map(|back| {
            ply.checked_sub(back)
                .map_or(0, |before| self.plies[before].context)
        })
    }

    /// The table's key of the position: near the N-move rule what a position is worth depends on the count.
    pub fn key(&self) -> u64 {
        let hash = self.hashes.last().copied().unwrap_or_default();
        let halfmove = self.position.halfmove();
        match self.position.compiled().rules.ends.n_move {
            Some(rule) if halfmove > rule.plies / 4 => {
                let last = rule.plies.saturating_sub(halfmove) < 16;
                let bucket = if last { 4096 + halfmove } else { halfmove / 8 };
                hash ^ mix(0x4e00_0000 + u64::from(bucket))
            }
            _ => hash,
        }
    }

    /// What the position is worth to the side to move, without searching.
    pub fn evaluate(&self, ply: usize) -> i32 {
        let sum = &self.plies[ply].sum;
        self.evaluator
            .evaluate(&self.position, sum, self.memory(ply))
    }

    /// The same, but a guess (`Err`) may do where the position is far outside the window.
    pub fn evaluate_within(&self, ply: usize, alpha: i32, beta: i32) -> Result<i32, i32> {
        let sum = &self.plies[ply].sum;
        self.evaluator
            .evaluate_within(&self.position, sum, self.memory(ply), (alpha, beta))
    }

    fn memory(&self, ply: usize) -> Memory<'_, N> {
        Memory {
            reaches: self.reaches,
            pawns: self.pawns,
            key: self.plies[ply].keys.pawns(),
        }
    }

    /// Notes the principal variation from a ply: a move and what follows it.
    pub fn note_pv(&mut self, ply: usize, mv: Move) {
        let (head, tail) = self.plies.split_at_mut(ply + 1);
        let pv = &mut head[ply].pv;
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&tail[0].pv);
    }
}
