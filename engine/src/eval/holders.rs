//! Values of men with additional powers (augmenters and picked bases), by the union of their moves.

use super::pair::Pair;
use super::parameters::{Parameters, worth_of_reach};
use super::sampling::{Reach, Samples};
use super::weights as w;
use crate::attacks::Mover;
use crate::position::{Compiled, Position, mix};
use crate::types::{Colour, Kind, Piece, Square};

/// Tables of the holders that a position has, each a type with a set of powers.
#[derive(Clone, Debug, Default)]
pub(super) struct Holders {
    /// Type and powers of each table.
    known: Vec<(Kind, u16)>,
    /// Open addressing by type and powers: number of the table + 1, or 0.
    slots: Vec<u16>,
    /// By table and square of White's man.
    values: Vec<Pair>,
    /// By table: squares reached on average in 64ths.
    reach: Vec<[i32; 2]>,
    /// By table: what the powers add to the type's worth.
    gains: Vec<i32>,
    squares: usize,
}

impl Holders {
    /// Adds tables for the holders of a position that have none yet.
    pub fn learn<const N: usize>(&mut self, parameters: &Parameters, position: &Position<N>) {
        let compiled = position.compiled();
        if compiled.powers == 0 {
            return;
        }
        self.squares = parameters.squares;
        let mut samples = None;
        for square in compiled.rules.geometry.all() {
            let (man, powers) = (position.man_on(square), position.powers(square));
            if man.is_none() || powers == 0 || self.find(man.kind(), powers).is_some() {
                continue;
            }
            let samples = samples.get_or_insert_with(|| Samples::new(compiled));
            let table = Table::new(compiled, parameters, samples, man.kind(), powers);
            self.known.push((man.kind(), powers));
            self.values.extend(table.values);
            self.reach.push(table.reach);
            self.gains.push(table.gain);
            self.rehash();
        }
    }

    fn rehash(&mut self) {
        let size = (4 * self.known.len()).next_power_of_two();
        self.slots = vec![0; size];
        for (i, &(kind, powers)) in self.known.iter().enumerate() {
            let mut slot = slot_of(kind, powers) & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = i as u16 + 1;
        }
    }

    #[inline]
    fn find(&self, kind: Kind, powers: u16) -> Option<usize> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut slot = slot_of(kind, powers) & mask;
        loop {
            let index = self.slots[slot].checked_sub(1)? as usize;
            if self.known[index] == (kind, powers) {
                return Some(index);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Worth and standing of White's holder on a square (for Black's, the mirrored square).
    #[inline]
    pub fn value(&self, kind: Kind, powers: u16, square: Square) -> Option<Pair> {
        let index = self.find(kind, powers)?;
        Some(self.values[index * self.squares + square.index()])
    }

    /// What its powers add to a man's worth.
    #[inline]
    pub fn gain(&self, kind: Kind, powers: u16) -> i32 {
        self.find(kind, powers).map_or(0, |i| self.gains[i])
    }

    /// Squares that a holder reaches on average, in 64ths.
    #[inline]
    pub fn reach(&self, kind: Kind, powers: u16) -> Option<[i32; 2]> {
        Some(self.reach[self.find(kind, powers)?])
    }
}

#[inline]
fn slot_of(kind: Kind, powers: u16) -> usize {
    mix(u64::from(kind.0) << 16 | u64::from(powers)) as usize
}

/// Reach by square of White's man of a type with powers.
pub(super) fn holder_reach<const N: usize>(
    compiled: &Compiled<N>,
    samples: &Samples<'_, N>,
    kind: Kind,
    powers: u16,
) -> Vec<Reach> {
    let tables = &compiled.tables;
    let mut movers: Vec<&Mover<N>> = vec![tables.kind(Colour::White, kind)];
    let bits = (0..compiled.powers).filter(|bit| powers >> bit & 1 != 0);
    movers.extend(bits.map(|bit| tables.power(Colour::White, bit)));
    compiled
        .rules
        .geometry
        .all()
        .map(|s| samples.reach(&movers, s))
        .collect()
}

/// What the man is worth with its powers.
pub(super) fn holder_worth<const N: usize>(
    compiled: &Compiled<N>,
    parameters: &Parameters,
    kind: Kind,
    mean: &Reach,
) -> Pair {
    let bare = worth_of_reach(parameters.reach[kind.index()]);
    let mut gain = worth_of_reach(mean.plain) - bare;
    if kind == compiled.rules.king {
        gain = gain.percent(w::KING_POWERS_PERCENT);
    }
    parameters.worth[kind.index()] + gain
}

struct Table {
    values: Vec<Pair>,
    reach: [i32; 2],
    gain: i32,
}

impl Table {
    fn new<const N: usize>(
        compiled: &Compiled<N>,
        parameters: &Parameters,
        samples: &Samples<'_, N>,
        kind: Kind,
        powers: u16,
    ) -> Table {
        let reach = holder_reach(compiled, samples, kind, powers);
        let mean = samples.mean(&reach);
        let worth = holder_worth(compiled, parameters, kind, &mean);
        let bare = parameters.worth[kind.index()];
        let white = Piece::new(Colour::White, kind);
        let stand = |more: i32, weight: i32| {
            (more * weight / (64 * 16)).clamp(-w::STANDING_MOST, w::STANDING_MOST)
        };
        let value = |square: Square| {
            if kind == compiled.rules.king || compiled.is_pawn(kind) {
                return parameters.man(white, square) - bare + worth;
            }
            let r = &reach[square.index()];
            let more = |phase: usize| r.weighted[phase] - mean.weighted[phase];
            worth
                + Pair::new(
                    stand(more(0), w::STANDING.mg),
                    stand(more(1), w::STANDING.eg),
                )
        };
        Table {
            values: compiled.rules.geometry.all().map(value).collect(),
            reach: mean.plain,
            gain: (worth.mg + worth.eg - bare.mg - bare.eg) / 2,
        }
    }
}
