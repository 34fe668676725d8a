//! Values of men with additional powers (augmenters and picked bases), by the union of their moves.

use super::pair::Pair;
use super::parameters::{Parameters, usual, worth_of_reach};
use super::sampling::{Reach, Samples};
use super::terms::GRAINS;
use super::weights as w;
use crate::attacks::Mover;
use crate::position::{Compiled, Position, mix};
use crate::types::{Colour, Kind, Square};

/// Tables of the holders that a position has, each a type with a set of powers.
#[derive(Clone, Debug, Default)]
pub(super) struct Holders {
    /// Type and powers of each table.
    known: Vec<(Kind, u16)>,
    /// Open addressing by type and powers: number of the table + 1, or 0.
    slots: Vec<u16>,
    /// By table and square of White's man: what it is worth more than without powers, in grains.
    values: Vec<Pair>,
    /// By table: the usual number of squares reached.
    centre: Vec<usize>,
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
            self.centre.push(table.centre);
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

    /// What White's holder on a square is worth more than without powers, in grains (for Black's, the
    /// mirrored square).
    #[inline]
    pub fn more(&self, kind: Kind, powers: u16, square: Square) -> Option<Pair> {
        let index = self.find(kind, powers)?;
        Some(self.values[index * self.squares + square.index()])
    }

    /// What its powers add to a man's worth.
    #[inline]
    pub fn gain(&self, kind: Kind, powers: u16) -> i32 {
        self.find(kind, powers).map_or(0, |i| self.gains[i])
    }

    /// The number of squares that a holder usually reaches.
    #[inline]
    pub fn centre(&self, kind: Kind, powers: u16) -> Option<usize> {
        Some(self.centre[self.find(kind, powers)?])
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
    let bits = powers_of(compiled.powers, powers);
    movers.extend(bits.map(|bit| tables.power(Colour::White, bit)));
    compiled
        .rules
        .geometry
        .all()
        .map(|s| samples.reach(&movers, s))
        .collect()
}

/// What the man is worth with its powers, in centipawns.
pub(super) fn holder_worth<const N: usize>(
    compiled: &Compiled<N>,
    parameters: &Parameters,
    kind: Kind,
    powers: u16,
    mean: &Reach,
) -> Pair {
    let bare = worth_of_reach(parameters.reach[kind.index()]);
    let mut gain = worth_of_reach(mean.plain) - bare;
    let king = kind == compiled.rules.king;
    if king {
        gain = gain.percent(w::KING_POWERS_PERCENT);
    }
    let tuned = powers_of(compiled.powers, powers).fold(Pair::ZERO, |sum, bit| {
        sum + parameters.weights[parameters.terms.power(bit, king)]
    });
    let tuned = Pair::new(tuned.mg / GRAINS, tuned.eg / GRAINS);
    parameters.worth[kind.index()] + gain + tuned
}

/// The numbers of the powers in a set.
pub(super) fn powers_of(count: usize, powers: u16) -> impl Iterator<Item = usize> {
    (0..count).filter(move |bit| powers >> bit & 1 != 0)
}

struct Table {
    values: Vec<Pair>,
    centre: usize,
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
        let gain = holder_worth(compiled, parameters, kind, powers, &mean)
            - parameters.worth[kind.index()];
        let bare = holder_reach(compiled, samples, kind, 0);
        let bare_mean = samples.mean(&bare);
        let stand = |reach: &Reach, mean: &Reach, phase: usize, weight: i32| {
            let more = reach.weighted[phase] - mean.weighted[phase];
            (more * weight / (64 * 16)).clamp(-w::STANDING_MOST, w::STANDING_MOST)
        };
        let value = |square: Square| {
            if kind == compiled.rules.king || compiled.is_pawn(kind) {
                return gain * GRAINS;
            }
            let (with, without) = (&reach[square.index()], &bare[square.index()]);
            let more = |phase: usize, weight: i32| {
                stand(with, &mean, phase, weight) - stand(without, &bare_mean, phase, weight)
            };
            (gain + Pair::new(more(0, w::STANDING.mg), more(1, w::STANDING.eg))) * GRAINS
        };
        Table {
            values: compiled.rules.geometry.all().map(value).collect(),
            centre: usual(mean.plain),
            gain: (gain.mg + gain.eg) / 2,
        }
    }
}
