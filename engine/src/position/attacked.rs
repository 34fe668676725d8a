//! Attacked squares, check, and what could expose a king.

use super::Position;
use crate::attacks::{Occupancy, PathKind};
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Square};

/// What has to be looked at before a move is known to be legal.
///
/// A move of a man other than the king, that is neither castling nor en passant, is legal without a
/// further look if the side is not in check, the man does not stand on `from`, does not go to `to`
/// and is of no type in `kinds`.
#[derive(Clone, Copy, Debug)]
pub struct Threats<const N: usize> {
    /// Whether the side to move is in check.
    pub check: bool,
    /// Squares that are the last obstacle (or one platform too many) on an enemy's path to the king.
    pub from: Bitboard<N>,
    /// Squares where a man would become the platform that an enemy's path to the king lacks.
    pub to: Bitboard<N>,
    /// Types as which an enemy imitator might reach the king.
    pub kinds: u32,
}

impl<const N: usize> Position<N> {
    /// Whether `by` attacks `target`, given what stands where, the men that do not count (captured), and the
    /// type that imitators imitate.
    #[must_use]
    pub fn is_attacked(
        &self,
        target: Square,
        by: Colour,
        occupancy: &Occupancy<N>,
        excluded: Bitboard<N>,
        imitated: Option<Kind>,
    ) -> bool {
        let compiled = &*self.compiled;
        let men = &self.men[by.index()];
        for &kind in &compiled.plain_kinds {
            let set = men[kind.index()].without(excluded);
            if set.any()
                && compiled
                    .tables
                    .kind(by, kind)
                    .any_attacks(&set, target, occupancy)
            {
                return true;
            }
        }
        for bit in 0..compiled.powers {
            let set = self.holders[by.index()][bit].without(excluded);
            if set.any()
                && compiled
                    .tables
                    .power(by, bit)
                    .any_attacks(&set, target, occupancy)
            {
                return true;
            }
        }
        match (compiled.rules.imitator, imitated) {
            (Some(imitator), Some(kind)) => {
                let set = men[imitator.index()].without(excluded);
                set.any()
                    && compiled
                        .tables
                        .imitation(by, kind)
                        .any_attacks(&set, target, occupancy)
            }
            _ => false,
        }
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

    /// What has to be looked at before moves of the side to move are known to be legal.
    #[must_use]
    pub fn threats(&self) -> Threats<N> {
        let us = self.side;
        let (by, king) = (!us, self.king(us));
        let compiled = &*self.compiled;
        let mut scan = Scan {
            occupancy: self.occupancy(),
            own: self.occupied[us.index()],
            threats: Threats {
                check: false,
                from: Bitboard::EMPTY,
                to: Bitboard::EMPTY,
                kinds: 0,
            },
        };
        for &kind in &compiled.plain_kinds {
            let set = self.men[by.index()][kind.index()];
            scan.mover(compiled.tables.kind(by, kind), set, king);
        }
        for bit in 0..compiled.powers {
            scan.mover(
                compiled.tables.power(by, bit),
                self.holders[by.index()][bit],
                king,
            );
        }
        if let Some(imitator) = compiled.rules.imitator {
            let jokers = self.men(by, imitator);
            for joker in jokers {
                scan.threats.kinds |= compiled.tables.imitator_reach(by, joker, king);
            }
            if let Some(kind) = self.last_moved(us).filter(|_| jokers.any()) {
                scan.threats.check |=
                    compiled
                        .tables
                        .imitation(by, kind)
                        .any_attacks(&jokers, king, &scan.occupancy);
            }
        }
        scan.threats
    }
}

struct Scan<const N: usize> {
    occupancy: Occupancy<N>,
    own: Bitboard<N>,
    threats: Threats<N>,
}

impl<const N: usize> Scan<N> {
    #[inline]
    fn mover(&mut self, mover: &crate::attacks::Mover<N>, men: Bitboard<N>, king: Square) {
        if men.meets(mover.leapers_to(king)) {
            self.threats.check = true;
        }
        for from in men & *mover.liners_to(king) {
            for path in mover.paths(from, king) {
                self.path(path);
            }
        }
    }

    #[inline]
    fn path(&mut self, path: &crate::attacks::Path<N>) {
        let blocked = path.clear.without(self.occupancy.free);
        let obstacles = blocked.count();
        match path.kind {
            PathKind::Fixed => {
                let lacking = path.platforms.without(self.occupancy.occupied);
                match (obstacles, lacking.count()) {
                    (0, 0) => self.threats.check = true,
                    (1, 0) => self.threats.from |= blocked & self.own,
                    (0, 1) => self.threats.to |= lacking,
                    (1, 1) => self.threats.from |= blocked & self.own,
                    _ => {}
                }
            }
            PathKind::OverOne => match obstacles {
                0 => self.threats.to |= path.clear,
                1 if blocked.meets(&self.occupancy.occupied) => self.threats.check = true,
                2 => self.threats.from |= blocked & self.own,
                _ => {}
            },
        }
    }
}
