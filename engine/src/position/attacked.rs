//! Attacked squares and check.

use super::Position;
use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Square};

/// Whether `by` attacks `target`: see [`Position::is_attacked`].
#[inline(always)]
pub(super) fn is_attacked<const N: usize>(
    position: &Position<N>,
    target: Square,
    by: Colour,
    occupancy: &Occupancy<N>,
    excluded: &Bitboard<N>,
    imitated: Option<Kind>,
) -> bool {
    let compiled = &*position.compiled;
    let tables = &compiled.tables;
    let men = &position.men[by.index()];
    let there = !*excluded;
    let sources = tables.sources(by, target);
    for &kind in &compiled.plain_kinds {
        let set = men[kind.index()] & there;
        let from = &sources[kind.index()];
        if set.meets(&from.leaps) {
            return true;
        }
        let liners = set & from.lines;
        if liners.any() && tables.kind(by, kind).any_open(liners, target, occupancy) {
            return true;
        }
    }
    let holders = &position.holders[by.index()][..compiled.powers];
    for (bit, holders) in holders.iter().enumerate() {
        let set = *holders & there;
        let from = &sources[compiled.rules.pieces.len() + bit];
        if set.meets(&from.leaps) {
            return true;
        }
        let liners = set & from.lines;
        if liners.any() && tables.power(by, bit).any_open(liners, target, occupancy) {
            return true;
        }
    }
    match (compiled.rules.imitator, imitated) {
        (Some(imitator), Some(kind)) => {
            let set = men[imitator.index()] & there;
            set.any()
                && tables
                    .imitation(by, kind)
                    .any_attacks(&set, target, occupancy)
        }
        _ => false,
    }
}

impl<const N: usize> Position<N> {
    /// Whether `by` attacks `target`, given what stands where, the men that do not count (captured), and the
    /// type that imitators imitate.
    #[inline]
    #[must_use]
    pub fn is_attacked(
        &self,
        target: Square,
        by: Colour,
        occupancy: &Occupancy<N>,
        excluded: Bitboard<N>,
        imitated: Option<Kind>,
    ) -> bool {
        self.kernels
            .is_attacked(self, target, by, occupancy, &excluded, imitated)
    }

    /// Whether a side's king is attacked, the other side's imitators moving as what this side moved last.
    #[must_use]
    pub fn king_attacked(&self, colour: Colour) -> bool {
        let imitated = self.last_moved(colour);
        self.is_attacked(
            self.king(colour),
            !colour,
            &self.occupancy(),
            Bitboard::EMPTY,
            imitated,
        )
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        self.king_attacked(self.side)
    }

    /// Whether one of `men`, of side `by`, attacks `target`; imitators as in [`is_attacked`](Self::is_attacked).
    #[inline(always)]
    pub(crate) fn any_of_attacks(
        &self,
        men: Bitboard<N>,
        by: Colour,
        target: Square,
        occupancy: &Occupancy<N>,
        imitated: Option<Kind>,
    ) -> bool {
        let compiled = &*self.compiled;
        let tables = &compiled.tables;
        for from in men {
            let kind = self.man_on(from).kind();
            let mover = if compiled.rules.imitator != Some(kind) {
                tables.kind(by, kind)
            } else if let Some(acting) = imitated {
                tables.imitation(by, acting)
            } else {
                continue;
            };
            if mover.attacks(from, target, occupancy) {
                return true;
            }
            let mut powers = self.powers(from);
            while powers != 0 {
                let power = tables.power(by, powers.trailing_zeros() as usize);
                if power.attacks(from, target, occupancy) {
                    return true;
                }
                powers &= powers - 1;
            }
        }
        false
    }
}
