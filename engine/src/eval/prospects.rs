//! Pawns that may promote: worth more the nearer they are and the more the reserve can give.

use arrayvec::ArrayVec;

use super::evaluator::Evaluator;
use super::parameters::Parameters;
use super::pawns::Pawns;
use super::terms::{Sink, once};
use super::weights as w;
use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::position::{Compiled, Position, mix};
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

/// Promotion zones that count.
const MOST_ZONES: usize = 16;

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
        for set in sets.into_iter().take(MOST_ZONES) {
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

    /// Squares from which a zone is near.
    #[inline(always)]
    pub fn near(&self, us: Colour) -> Bitboard<N> {
        self.near[us.index()]
    }

    /// Squares from which enemy pawns may stop a pawn near a zone: ahead on its file and beside.
    #[inline(always)]
    pub fn ahead(&self, us: Colour, square: Square) -> &Bitboard<N> {
        &self.ahead[us.index()][square.index()]
    }

    /// A key of what pawns gain, where that changes with the reserve.
    #[inline(always)]
    pub fn key(&self, gains: &Gains) -> u64 {
        if !self.from_reserve {
            return 0;
        }
        let all = gains.iter().flatten();
        all.fold(0, |key, &gain| mix(key ^ gain as u64))
    }

    /// Ranks to go to the zone that promises a pawn most, by the derived weights, and what it gains there.
    #[inline(always)]
    fn hope(&self, us: Colour, square: Square, gains: &Gains) -> Option<(usize, i32)> {
        let (mut best, mut chosen) = (0, None);
        for (zone, &gain) in self.zones.iter().zip(&gains[us.index()]) {
            let ranks = usize::from(zone.ranks[us.index()][square.index()]);
            if ranks > 0 && gain * w::PROMOTION_NEAR[ranks - 1] > best {
                best = gain * w::PROMOTION_NEAR[ranks - 1];
                chosen = Some((ranks, gain));
            }
        }
        chosen
    }
}

/// By side and zone: what a pawn gains there at best, in centipawns.
pub(super) type Gains = [ArrayVec<i32, MOST_ZONES>; 2];

impl<const N: usize> Evaluator<N> {
    /// What pawns that enemy pawns may stop hope for: where the pawns stand and what they gain decide alone.
    #[inline(always)]
    pub(super) fn distant_hopes<S: Sink>(&self, pawns: &Pawns<N>, gains: &Gains, sink: &mut S) {
        for us in Colour::ALL {
            let near = pawns.all[us.index()] & self.prospects.near(us);
            for square in near.without(pawns.free[us.index()]) {
                if let Some((ranks, gain)) = self.prospects.hope(us, square, gains) {
                    let units = sign(us) * (gain / w::GAIN_UNIT);
                    sink.add(w::promotion(STOPPED, ranks), units);
                }
            }
        }
    }

    /// What the other pawns near promotion hope for.
    #[inline(always)]
    pub(super) fn near_hopes<S: Sink>(
        &self,
        position: &Position<N>,
        occupancy: &Occupancy<N>,
        (pawns, gains): (&Pawns<N>, &Gains),
        sink: &mut S,
    ) {
        let compiled = position.compiled();
        for us in Colour::ALL {
            for square in pawns.free[us.index()] {
                let Some((ranks, gain)) = self.prospects.hope(us, square, gains) else {
                    continue;
                };
                let mut way = FREE;
                if w::PROMOTION_NEAR[ranks - 1] >= w::PROMOTION_HOPE {
                    let mover = compiled.tables.kind(us, position.man_on(square).kind());
                    let t = compiled.tables.targets(mover, square, occupancy);
                    if !t.quiet.meets(&occupancy.free) {
                        way = BLOCKED;
                    }
                }
                let units = gain / w::GAIN_UNIT;
                sink.add(w::promotion(way, ranks), sign(us) * units);
                if ranks <= 3 {
                    for (term, king) in
                        [(once::PASSER_OWN_KING, us), (once::PASSER_ENEMY_KING, !us)]
                    {
                        let steps = steps_between(compiled, position.king(king), square);
                        sink.add(term, sign(us) * steps * units / 16);
                    }
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
        for square in pawns.free[us.index()] {
            let ranks = self
                .prospects
                .zones
                .iter()
                .map(|zone| i32::from(zone.ranks[us.index()][square.index()]))
                .filter(|&ranks| ranks > 0)
                .min()
                .unwrap_or(9);
            let count = sign(us) * (6 - ranks).max(0);
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

    /// What pawns gain by promotion.
    #[inline(always)]
    pub(super) fn gains(&self, position: &Position<N>) -> Gains {
        let mut all = Gains::default();
        for us in Colour::ALL {
            for zone in &self.prospects.zones {
                let available =
                    |k: &&Kind| !self.prospects.from_reserve || position.reserve(us, **k) > 0;
                let best = zone.kinds.iter().find(available);
                all[us.index()].push(best.map_or(0, |k| {
                    (self.parameters.exchange[k.index()] - w::PAWN.eg).max(0)
                }));
            }
        }
        all
    }
}

/// What is in a pawn's way: nothing, a man before it, enemy pawns ahead.
const FREE: usize = 0;
const BLOCKED: usize = 1;
const STOPPED: usize = 2;

fn sign(us: Colour) -> i32 {
    if us == Colour::White { 1 } else { -1 }
}

/// King's steps between two squares.
pub(super) fn steps_between<const N: usize>(compiled: &Compiled<N>, a: Square, b: Square) -> i32 {
    let board = &compiled.rules.geometry;
    let file = board.file(a).abs_diff(board.file(b));
    let rank = board.rank_index(a).abs_diff(board.rank_index(b));
    i32::from(file.max(rank))
}
