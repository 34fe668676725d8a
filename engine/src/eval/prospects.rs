//! Pawns that may promote: worth more the nearer they are and the more the reserve can give.

use super::evaluator::Evaluator;
use super::parameters::Parameters;
use super::pawns::Pawns;
use super::terms::{Sink, once};
use super::weights as w;
use crate::attacks::Occupancy;
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
    /// What the pawns hope for.
    #[inline(always)]
    pub(super) fn prospects<S: Sink>(
        &self,
        position: &Position<N>,
        pawns: &Pawns<N>,
        occupancy: &Occupancy<N>,
        sink: &mut S,
    ) {
        if self.prospects.zones.is_empty() {
            return;
        }
        for us in Colour::ALL {
            self.hopes(position, pawns, (us, occupancy), sink);
        }
    }

    #[inline(always)]
    fn hopes<S: Sink>(
        &self,
        position: &Position<N>,
        pawns: &Pawns<N>,
        (us, occupancy): (Colour, &Occupancy<N>),
        sink: &mut S,
    ) {
        let compiled = position.compiled();
        let near = pawns.all[us.index()] & self.prospects.near[us.index()];
        if near.is_empty() {
            return;
        }
        let sign = if us == Colour::White { 1 } else { -1 };
        let enemies = pawns.all[(!us).index()];
        let gains = self.gains(position, us);
        for square in near {
            // The zone that promises most, by the derived weights.
            let (mut best, mut chosen) = (0, None);
            for (zone, &gain) in self.prospects.zones.iter().zip(&gains) {
                let ranks = usize::from(zone.ranks[us.index()][square.index()]);
                if ranks > 0 && gain * w::PROMOTION_NEAR[ranks - 1] > best {
                    best = gain * w::PROMOTION_NEAR[ranks - 1];
                    chosen = Some((ranks, gain));
                }
            }
            let Some((ranks, gain)) = chosen else {
                continue;
            };
            let mut way = FREE;
            if enemies.meets(&self.prospects.ahead[us.index()][square.index()]) {
                way = STOPPED;
            } else if w::PROMOTION_NEAR[ranks - 1] >= w::PROMOTION_HOPE {
                let mover = compiled.tables.kind(us, position.man_on(square).kind());
                let t = compiled.tables.targets(mover, square, occupancy);
                if !t.quiet.meets(&occupancy.free) {
                    way = BLOCKED;
                }
            }
            let units = gain / w::GAIN_UNIT;
            sink.add(w::promotion(way, ranks), sign * units);
            if way != STOPPED && ranks <= 3 {
                for (term, king) in [(once::PASSER_OWN_KING, us), (once::PASSER_ENEMY_KING, !us)] {
                    let steps = steps_between(compiled, position.king(king), square);
                    sink.add(term, sign * steps * units / 16);
                }
            }
        }
    }

    /// Notes who attacks the squares before a side's pawns that no enemy pawn can stop.
    #[inline(always)]
    pub(super) fn passers<S: Sink>(
        &self,
        position: &Position<N>,
        pawns: &Pawns<N>,
        attacked: &[Bitboard<N>; 2],
        us: Colour,
        sink: &mut S,
    ) {
        let near = pawns.all[us.index()] & self.prospects.near[us.index()];
        let enemies = pawns.all[(!us).index()];
        let sign = if us == Colour::White { 1 } else { -1 };
        for square in near {
            if enemies.meets(&self.prospects.ahead[us.index()][square.index()]) {
                continue;
            }
            let ranks = self
                .prospects
                .zones
                .iter()
                .map(|zone| i32::from(zone.ranks[us.index()][square.index()]))
                .filter(|&ranks| ranks > 0)
                .min()
                .unwrap_or(9);
            let count = sign * (6 - ranks).max(0);
            let ahead = &self.files.ahead[us.index()][square.index()];
            let taken = position.all_men(!us) | attacked[(!us).index()];
            if taken.meets(ahead) {
                sink.add(once::PASSER_STOPPED, count);
            }
            if attacked[us.index()].meets(ahead) {
                sink.add(once::PASSER_HELPED, count);
            }
        }
    }

    /// By zone: what a pawn gains there at best, in centipawns.
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

/// What is in a pawn's way: nothing, a man before it, enemy pawns ahead.
const FREE: usize = 0;
const BLOCKED: usize = 1;
const STOPPED: usize = 2;

/// King's steps between two squares.
pub(super) fn steps_between<const N: usize>(compiled: &Compiled<N>, a: Square, b: Square) -> i32 {
    let board = &compiled.rules.geometry;
    let file = board.file(a).abs_diff(board.file(b));
    let rank = board.rank_index(a).abs_diff(board.rank_index(b));
    i32::from(file.max(rank))
}
