//! Pawns that may promote: worth more the nearer they are and the more the reserve can give.

use super::evaluator::Evaluator;
use super::pair::Pair;
use super::parameters::Parameters;
use super::pawns::Pawns;
use super::weights as w;
use crate::bitboard::Bitboard;
use crate::position::{Compiled, Position};
use crate::types::{Colour, Kind, Square};

/// Squares with the same set of types to become.
#[derive(Clone, Debug)]
struct Zone {
    /// The types, the most valuable first.
    kinds: Vec<Kind>,
    /// By colour and square: ranks to go to the zone on the same file, at least 1; 0: none or too far.
    ranks: [Vec<u8>; 2],
}

/// Promotion zones as evaluation needs them.
#[derive(Clone, Debug)]
pub(super) struct Prospects<const N: usize> {
    zones: Vec<Zone>,
    /// By colour: the squares from which a zone is near.
    near: [Bitboard<N>; 2],
    /// By colour and square: the squares from which enemy pawns may stop a pawn, ahead on its file and beside.
    ahead: [Vec<Bitboard<N>>; 2],
    from_reserve: bool,
}

impl<const N: usize> Prospects<N> {
    pub fn new(compiled: &Compiled<N>, parameters: &Parameters) -> Prospects<N> {
        let rules = &compiled.rules;
        let board = &rules.geometry;
        let mut prospects = Prospects {
            zones: Vec::new(),
            near: [Bitboard::EMPTY; 2],
            ahead: [Vec::new(), Vec::new()],
            from_reserve: false,
        };
        let Some(rule) = &rules.promotion else {
            return prospects;
        };
        prospects.from_reserve = rule.from_reserve;
        let mut sets: Vec<u32> = rule
            .to
            .iter()
            .flatten()
            .copied()
            .filter(|&s| s != 0)
            .collect();
        sets.sort_unstable();
        sets.dedup();
        for set in sets {
            let mut kinds: Vec<Kind> = (0..rules.pieces.len())
                .filter(|k| set >> k & 1 != 0)
                .map(|k| Kind(k as u8))
                .collect();
            kinds.sort_by_key(|k| -parameters.exchange[k.index()]);
            let ranks = Colour::ALL.map(|c| {
                let ranks_to_go = |from: Square| {
                    let goals = board.all().filter(|&to| {
                        board.file(to) == board.file(from) && rule.to[c.index()][to.index()] == set
                    });
                    let distances =
                        goals.map(|to| board.relative_rank(c, to) - board.relative_rank(c, from));
                    let nearest = distances
                        .filter(|&d| d >= 0)
                        .min()
                        .unwrap_or(i16::MAX)
                        .max(1);
                    if nearest as usize <= w::PROMOTION_NEAR.len() {
                        nearest as u8
                    } else {
                        0
                    }
                };
                board.all().map(ranks_to_go).collect::<Vec<u8>>()
            });
            for c in Colour::ALL {
                let near = board.all().filter(|s| ranks[c.index()][s.index()] > 0);
                prospects.near[c.index()] |= near.collect();
            }
            prospects.zones.push(Zone { kinds, ranks });
        }
        prospects.ahead = Colour::ALL.map(|c| {
            let ahead = |from: Square| {
                let stops = |&to: &Square| {
                    board.file(to).abs_diff(board.file(from)) <= 1
                        && board.relative_rank(c, to) > board.relative_rank(c, from)
                };
                board.all().filter(stops).collect()
            };
            board.all().map(ahead).collect()
        });
        prospects
    }
}

impl<const N: usize> Evaluator<N> {
    /// What the pawns' hopes are worth, White's less Black's.
    pub(super) fn prospects(&self, position: &Position<N>, pawns: &Pawns<N>) -> Pair {
        if self.prospects.zones.is_empty() {
            return Pair::ZERO;
        }
        self.hopes(position, pawns, Colour::White) - self.hopes(position, pawns, Colour::Black)
    }

    fn hopes(&self, position: &Position<N>, pawns: &Pawns<N>, us: Colour) -> Pair {
        let compiled = position.compiled();
        let near = pawns.all[us.index()] & self.prospects.near[us.index()];
        if near.is_empty() {
            return Pair::ZERO;
        }
        let enemies = pawns.all[(!us).index()];
        let occupancy = position.occupancy();
        let gains = self.gains(position, us);
        let mut sum = Pair::ZERO;
        for square in near {
            let mut best = 0;
            for (zone, gain) in self.prospects.zones.iter().zip(&gains) {
                let ranks = zone.ranks[us.index()][square.index()];
                if ranks > 0 {
                    best = best.max(gain * w::PROMOTION_NEAR[ranks as usize - 1] / 256);
                }
            }
            if enemies.meets(&self.prospects.ahead[us.index()][square.index()]) {
                best = best * w::PROMOTION_STOPPED_PERCENT / 100;
            }
            if best >= w::PROMOTION_HOPE {
                let mover = compiled.tables.kind(us, position.man_on(square).kind());
                let t = compiled.tables.targets(mover, square, &occupancy);
                if t.quiet.is_empty() {
                    best = best * w::PROMOTION_BLOCKED_PERCENT / 100;
                }
            }
            sum += Pair::new(best / 2, best);
        }
        sum
    }

    /// By zone: what a pawn gains there at best.
    fn gains(&self, position: &Position<N>, us: Colour) -> arrayvec::ArrayVec<i32, 16> {
        let available = |k: &&Kind| !self.prospects.from_reserve || position.reserve(us, **k) > 0;
        let gain = |zone: &Zone| {
            let best = zone.kinds.iter().find(available);
            best.map_or(0, |k| {
                (self.parameters.exchange[k.index()] - w::PAWN.eg).max(0)
            })
        };
        self.prospects.zones.iter().take(16).map(gain).collect()
    }
}
