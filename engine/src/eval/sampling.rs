//! How far men reach on average: sampled occupied squares, the same on every machine.

use super::weights::{ADVANCED_WEIGHT, CENTRE_WEIGHT, DENSITIES};
use crate::attacks::{Mover, Occupancy};
use crate::bitboard::Bitboard;
use crate::geometry::Geometry;
use crate::position::{Compiled, mix};
use crate::types::{Colour, Square};

/// One sampled board.
struct Sample<const N: usize> {
    occupied: Bitboard<N>,
    enemies: Bitboard<N>,
}

/// Sampled boards of both phases, and the weights of squares.
pub(super) struct Samples<'a, const N: usize> {
    compiled: &'a Compiled<N>,
    boards: [Vec<Sample<N>>; 2],
    /// By square, in 64ths.
    weight: Vec<i32>,
}

/// What a man reaches from a square on average, in 64ths of a square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reach {
    /// Middle game and endgame, all squares alike.
    pub plain: [i32; 2],
    /// The same with squares weighted by where they lie.
    pub weighted: [i32; 2],
}

/// Boards of each density.
const EACH: u64 = 3;

impl<'a, const N: usize> Samples<'a, N> {
    pub fn new(compiled: &'a Compiled<N>) -> Samples<'a, N> {
        let board = &compiled.rules.geometry;
        let boards = [0, 1].map(|phase: usize| {
            let numbers = DENSITIES[phase].iter().zip(1u64..);
            numbers
                .flat_map(|(&density, i)| {
                    (0..EACH).map(move |j| (density, (phase as u64) << 40 | i << 32 | j << 24))
                })
                .map(|(density, seed)| sample(compiled, density, seed))
                .collect()
        });
        let weight = board.all().map(|s| square_weight(board, s)).collect();
        Samples {
            compiled,
            boards,
            weight,
        }
    }

    /// What a man that moves by all of `movers` (White's) reaches from a square.
    pub fn reach(&self, movers: &[&Mover<N>], from: Square) -> Reach {
        let mut reach = Reach::default();
        let tables = &self.compiled.tables;
        for phase in 0..2 {
            let (mut plain, mut weighted) = (0, 0);
            for sample in &self.boards[phase] {
                let occupancy: Occupancy<N> =
                    tables.occupancy(sample.occupied.without(Bitboard::of(from)));
                let mut set = Bitboard::EMPTY;
                for mover in movers {
                    let t = tables.targets(mover, from, &occupancy);
                    set |= t.quiet | (t.capture & sample.enemies);
                }
                set.remove(from);
                for to in set {
                    plain += 64;
                    weighted += self.weight[to.index()];
                }
            }
            let boards = self.boards[phase].len() as i32;
            reach.plain[phase] = plain / boards;
            reach.weighted[phase] = weighted / boards;
        }
        reach
    }

    /// The mean over the main squares.
    pub fn mean(&self, reach: &[Reach]) -> Reach {
        let board = &self.compiled.rules.geometry;
        let mut sum = Reach::default();
        let mut count = 0;
        for square in board.all().filter(|&s| board.is_main(s)) {
            count += 1;
            for phase in 0..2 {
                sum.plain[phase] += reach[square.index()].plain[phase];
                sum.weighted[phase] += reach[square.index()].weighted[phase];
            }
        }
        let count = count.max(1);
        Reach {
            plain: sum.plain.map(|s| s / count),
            weighted: sum.weighted.map(|s| s / count),
        }
    }
}

fn sample<const N: usize>(compiled: &Compiled<N>, density: u64, seed: u64) -> Sample<N> {
    let board = &compiled.rules.geometry;
    let (mut occupied, mut enemies) = (Bitboard::EMPTY, Bitboard::EMPTY);
    for square in board.all().filter(|&s| board.is_main(s)) {
        let draw = mix(seed | (square.index() as u64 + 1));
        if draw >> 56 < density {
            occupied.insert(square);
            if draw & 1 != 0 {
                enemies.insert(square);
            }
        }
    }
    Sample { occupied, enemies }
}

/// More for squares near the centre and in the enemy's half.
fn square_weight(board: &Geometry, square: Square) -> i32 {
    let half = i32::from(board.files().min(board.main_ranks())) / 2;
    let near = (half - steps_from_centre(board, square)).max(0);
    let advanced = if board.in_own_half(Colour::White, square) {
        0
    } else {
        ADVANCED_WEIGHT
    };
    64 + CENTRE_WEIGHT * near * 4 / half.max(1) + advanced
}

/// King's steps from the middle of the main board, rounded down.
pub(super) fn steps_from_centre(board: &Geometry, square: Square) -> i32 {
    let off = |at: i32, length: i32| (2 * at - (length - 1)).abs() / 2;
    let file = off(i32::from(board.file(square)), i32::from(board.files()));
    let rank = i32::from(board.relative_rank(Colour::White, square)) - 1;
    file.max(off(rank, i32::from(board.main_ranks())))
}

/// Steps from the middle files, rounded down.
pub(super) fn files_from_centre(board: &Geometry, square: Square) -> i32 {
    (2 * i32::from(board.file(square)) - (i32::from(board.files()) - 1)).abs() / 2
}
