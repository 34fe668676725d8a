//! Where pawns stand, what they attack, and how they stand together.

use super::evaluator::Evaluator;
use super::terms::{Sink, once};
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
    /// Files without a pawn of the side.
    pub open: [Bitboard<N>; 2],
}

/// By file: its squares, and those of the files beside. By square: the squares to the left and right.
#[derive(Clone, Debug)]
pub(super) struct Files<const N: usize> {
    pub own: Vec<Bitboard<N>>,
    beside: Vec<Bitboard<N>>,
    neighbours: Vec<Bitboard<N>>,
}

impl<const N: usize> Files<N> {
    pub fn new(board: &Geometry) -> Files<N> {
        let file = |f: i16| board.all().filter(move |&s| i16::from(board.file(s)) == f);
        let files = 0..i16::from(board.files());
        let neighbours = |s| {
            [-1, 1]
                .into_iter()
                .filter_map(move |f| board.step(s, (f, 0)))
        };
        Files {
            own: files.clone().map(|f| file(f).collect()).collect(),
            beside: files
                .map(|f| file(f - 1).chain(file(f + 1)).collect())
                .collect(),
            neighbours: board.all().map(|s| neighbours(s).collect()).collect(),
        }
    }
}

impl<const N: usize> Evaluator<N> {
    /// Looks at the pawns of a position.
    #[inline(always)]
    pub(super) fn pawns(&self, position: &Position<N>, occupancy: &Occupancy<N>) -> Pawns<N> {
        let mut pawns = Pawns {
            all: [Bitboard::EMPTY; 2],
            attacks: [Bitboard::EMPTY; 2],
            open: [Bitboard::EMPTY; 2],
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
            let all = pawns.all[us.index()];
            let open = self.files.own.iter().filter(|file| !file.meets(&all));
            pawns.open[us.index()] = open.fold(Bitboard::EMPTY, |sum, &file| sum | file);
        }
        pawns
    }

    /// How the pawns stand together.
    #[inline(always)]
    pub(super) fn structure<S: Sink>(&self, pawns: &Pawns<N>, sink: &mut S) {
        for (us, sign) in [(0, 1), (1, -1)] {
            let own = pawns.all[us];
            let guarded = (own & pawns.attacks[us]).count() as i32;
            let (mut isolated, mut doubled, mut phalanx) = (0, 0, 0);
            for (file, beside) in self.files.own.iter().zip(&self.files.beside) {
                let here = (own & *file).count() as i32;
                if here == 0 {
                    continue;
                }
                if here > 1 {
                    doubled += here;
                }
                if !own.meets(beside) {
                    isolated += here;
                }
            }
            for square in own {
                phalanx += i32::from(own.meets(&self.files.neighbours[square.index()]));
            }
            sink.add(once::GUARDED, sign * guarded);
            sink.add(once::PHALANX, sign * phalanx);
            sink.add(once::ISOLATED, sign * isolated);
            sink.add(once::DOUBLED, sign * doubled);
        }
    }
}
