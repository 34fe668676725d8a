//! Where pawns stand, what they attack, and how they stand together.

use super::evaluator::Evaluator;
use super::terms::{Sink, once};
use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::geometry::Geometry;
use crate::position::Position;
use crate::types::{Colour, Square};

/// The pawns of both sides, White's first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pawns<const N: usize> {
    pub all: [Bitboard<N>; 2],
    /// Squares that they attack.
    pub attacks: [Bitboard<N>; 2],
    /// Files without a pawn of the side.
    pub open: [Bitboard<N>; 2],
    /// Those near promotion, with no enemy pawn ahead that may stop them.
    pub free: [Bitboard<N>; 2],
}

impl<const N: usize> Pawns<N> {
    /// None.
    pub const NONE: Pawns<N> = Pawns {
        all: [Bitboard::EMPTY; 2],
        attacks: [Bitboard::EMPTY; 2],
        open: [Bitboard::EMPTY; 2],
        free: [Bitboard::EMPTY; 2],
    };
}

/// By file: its squares, and those of the files beside. By square: the squares to the left and right.
#[derive(Clone, Debug)]
pub(super) struct Files<const N: usize> {
    pub own: Vec<Bitboard<N>>,
    beside: Vec<Bitboard<N>>,
    neighbours: Vec<Bitboard<N>>,
    /// By colour and square: the square ahead.
    pub ahead: [Vec<Bitboard<N>>; 2],
    /// By colour and square: from where pawns of the other side may come to attack a man of the colour there.
    pub hunters: [Vec<Bitboard<N>>; 2],
    /// By colour: the ranks beyond the middle of the board, and by number those beyond the third.
    pub beyond: [Bitboard<N>; 2],
    advanced: [Vec<Bitboard<N>>; 2],
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
        let set = |keep: &dyn Fn(Square) -> bool| board.all().filter(|&s| keep(s)).collect();
        let rank = |c: Colour, s: Square| board.relative_rank(c, s);
        let middle = i16::from(board.main_ranks()) / 2;
        Files {
            ahead: Colour::ALL.map(|c| {
                let step = |from: Square| {
                    set(&|s| board.file(s) == board.file(from) && rank(c, s) == rank(c, from) + 1)
                };
                board.all().map(step).collect()
            }),
            hunters: Colour::ALL.map(|c| {
                let from = |at: Square| {
                    set(&|s| {
                        board.file(s).abs_diff(board.file(at)) == 1 && rank(c, s) > rank(c, at)
                    })
                };
                board.all().map(from).collect()
            }),
            beyond: Colour::ALL.map(|c| set(&|s| rank(c, s) >= middle)),
            advanced: Colour::ALL.map(|c| {
                let beyond = |from: i16| set(&|s| rank(c, s) > from);
                (3..i16::from(board.main_ranks())).map(beyond).collect()
            }),
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
        let mut pawns = Pawns::NONE;
        let tables = &position.compiled().tables;
        for us in Colour::ALL {
            for &kind in &self.pawn_kinds {
                let men = position.men(us, kind);
                pawns.all[us.index()] |= men;
                let mover = tables.kind(us, kind);
                for from in men {
                    let targets = if self.pawns_leap {
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
        for us in Colour::ALL {
            let enemies = pawns.all[(!us).index()];
            for square in self.prospects.near(us) & pawns.all[us.index()] {
                if !enemies.meets(self.prospects.ahead(us, square)) {
                    pawns.free[us.index()].insert(square);
                }
            }
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
            let mut together = own & pawns.attacks[us];
            let mut backward = 0;
            for square in own {
                if own.meets(&self.files.neighbours[square.index()]) {
                    phalanx += 1;
                    together.insert(square);
                } else if !pawns.attacks[us].has(square)
                    && pawns.attacks[1 - us].meets(&self.files.ahead[us][square.index()])
                {
                    backward += 1;
                }
            }
            let advanced = self.files.advanced[us].iter();
            let advanced: u32 = advanced.map(|beyond| (together & *beyond).count()).sum();
            sink.add(once::BACKWARD, sign * backward);
            sink.add(once::ADVANCED, sign * advanced as i32);
            sink.add(once::GUARDED, sign * guarded);
            sink.add(once::PHALANX, sign * phalanx);
            sink.add(once::ISOLATED, sign * isolated);
            sink.add(once::DOUBLED, sign * doubled);
        }
    }
}
