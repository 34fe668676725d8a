//! Where pawns stand, what they attack, and how they stand together.

use super::evaluator::Evaluator;
use super::pair::Pair;
use super::weights as w;
use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::geometry::Geometry;
use crate::position::Position;
use crate::types::Colour;

/// The pawns of both sides, White's first.
pub(super) struct Pawns<const N: usize> {
    pub all: [Bitboard<N>; 2],
    /// Squares that they attack.
    pub attacks: [Bitboard<N>; 2],
}

/// By square: the squares of the file, and of the files beside.
#[derive(Clone, Debug)]
pub(super) struct Files<const N: usize> {
    own: Vec<Bitboard<N>>,
    beside: Vec<Bitboard<N>>,
}

impl<const N: usize> Files<N> {
    pub fn new(board: &Geometry) -> Files<N> {
        let squares = |apart: u8| {
            let near = move |s| {
                board
                    .all()
                    .filter(move |&t| board.file(t).abs_diff(board.file(s)) == apart)
            };
            board.all().map(|s| near(s).collect()).collect()
        };
        Files {
            own: squares(0),
            beside: squares(1),
        }
    }
}

impl<const N: usize> Evaluator<N> {
    /// Looks at the pawns of a position.
    pub(super) fn pawns(&self, position: &Position<N>, occupancy: &Occupancy<N>) -> Pawns<N> {
        let mut pawns = Pawns {
            all: [Bitboard::EMPTY; 2],
            attacks: [Bitboard::EMPTY; 2],
        };
        let tables = &position.compiled().tables;
        for us in Colour::ALL {
            for &kind in &self.pawn_kinds {
                let men = position.men(us, kind);
                pawns.all[us.index()] |= men;
                let mover = tables.kind(us, kind);
                for from in men {
                    let targets = if mover.only_leaps() {
                        mover.leaps(from)
                    } else {
                        tables.targets(mover, from, occupancy)
                    };
                    pawns.attacks[us.index()] |= targets.capture;
                }
            }
        }
        pawns
    }

    /// How the pawns stand together, White's less Black's.
    pub(super) fn structure(&self, pawns: &Pawns<N>) -> Pair {
        self.side_structure(pawns, Colour::White) - self.side_structure(pawns, Colour::Black)
    }

    fn side_structure(&self, pawns: &Pawns<N>, us: Colour) -> Pair {
        let own = pawns.all[us.index()];
        let mut sum = w::PAWN_GUARDED * (own & pawns.attacks[us.index()]).count() as i32;
        for square in own {
            if !own.meets(&self.files.beside[square.index()]) {
                sum += w::PAWN_ISOLATED;
            }
            if (own & self.files.own[square.index()]).count() > 1 {
                sum += w::PAWN_DOUBLED;
            }
        }
        sum
    }
}
