//! Legal moves of men on the board: what others call.

use super::kernels::Kernels;
use super::reaches::Reaches;
use crate::position::{Position, Threats};
use crate::types::{Colour, Move, MoveList};

/// Which moves are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All.
    All,
    /// Captures and promotions.
    Noisy,
    /// The rest.
    Quiet,
}

impl Wanted {
    #[inline(always)]
    pub(super) fn noisy(self) -> bool {
        self != Wanted::Quiet
    }

    #[inline(always)]
    pub(super) fn quiet(self) -> bool {
        self != Wanted::Noisy
    }
}

impl<const N: usize> Position<N> {
    /// Appends the legal moves to a list. In a set-up phase there are none: see [`setup_picks`](Self::setup_picks) and
    /// [`setup_placements`](Self::setup_placements).
    pub fn legal_moves(&self, wanted: Wanted, moves: &mut MoveList) {
        if self.setup().is_some() {
            return;
        }
        Kernels::at(self.level).list(self, &self.threats(), None, wanted, moves);
    }

    /// Appends the legal moves to a list, given the [`threats`](Self::threats) of this position and a memory of
    /// where men reach.
    pub fn legal_moves_with(
        &self,
        threats: &Threats<N>,
        reaches: &Reaches<N>,
        wanted: Wanted,
        moves: &mut MoveList,
    ) {
        let memory = &mut *reaches.memory();
        Kernels::at(self.level).list(self, threats, Some(memory), wanted, moves);
    }

    /// The number of legal moves: the length of the list that [`legal_moves`](Self::legal_moves) makes, without
    /// making it.
    ///
    /// ```
    /// use engine::game::AnyPosition;
    /// use engine::movegen::Reaches;
    /// use engine::variant::Catalog;
    /// let chess = Catalog::builtin().get("chess").unwrap();
    /// let start = AnyPosition::from_fen(&chess, &chess.start_fen(0).unwrap()).unwrap();
    /// let AnyPosition::One(position) = start else { unreachable!() };
    /// assert_eq!(position.count_legal(&Reaches::new(64)), 20);
    /// ```
    #[must_use]
    pub fn count_legal(&self, reaches: &Reaches<N>) -> u64 {
        if self.setup().is_some() {
            return 0;
        }
        let memory = &mut *reaches.memory();
        Kernels::at(self.level).count(self, &self.threats(), Some(memory))
    }

    /// Whether a move, wherever it comes from, is legal here, given the [`threats`](Self::threats) of this position.
    ///
    /// `scratch` is cleared and holds the legal moves of one man afterwards.
    #[must_use]
    pub fn is_legal(
        &self,
        mv: Move,
        threats: &Threats<N>,
        reaches: &Reaches<N>,
        scratch: &mut MoveList,
    ) -> bool {
        scratch.clear();
        let from = mv.from();
        if mv == Move::NONE || from.index() >= self.compiled().rules.geometry.squares() {
            return false;
        }
        let piece = self.man_on(from);
        if piece.is_none() || piece.colour() != self.side_to_move() || mv.is_setup() {
            return false;
        }
        let memory = &mut *reaches.memory();
        Kernels::at(self.level).list_like(self, threats, memory, mv, scratch);
        scratch.contains(&mv)
    }

    /// The types that a side's pawns may become now, were their square the last: all, or those in its reserve.
    #[must_use]
    pub fn promotable(&self, colour: Colour) -> u32 {
        match &self.compiled().rules.promotion {
            None => 0,
            Some(rule) if !rule.from_reserve => u32::MAX,
            Some(_) => {
                let reserve = &self.reserve[colour.index()];
                reserve
                    .iter()
                    .enumerate()
                    .fold(0, |set, (i, &n)| if n > 0 { set | 1 << i } else { set })
            }
        }
    }

    /// Whether the side to move has a legal move.
    #[must_use]
    pub fn has_legal_move(&self) -> bool {
        if self.setup().is_some() {
            return false;
        }
        Kernels::at(self.level).count(self, &self.threats(), None) > 0
    }
}
