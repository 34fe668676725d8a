//! Mobility, and the safety of the kings.

use super::evaluator::Evaluator;
use super::pair::Pair;
use super::weights as w;
use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::types::{Colour, Kind, Square};

/// What a side's men do.
#[derive(Default)]
struct Activity {
    mobility: Pair,
    attackers: usize,
    hits: i32,
}

impl<const N: usize> Evaluator<N> {
    /// White's activity less Black's.
    pub(super) fn activity(&self, position: &Position<N>) -> Pair {
        if self.style.mobility == 0 && self.style.king_safety == 0 {
            return Pair::ZERO;
        }
        let occupancy = position.occupancy();
        let white = self.side(position, Colour::White, &occupancy);
        let black = self.side(position, Colour::Black, &occupancy);
        let mobility = white.mobility - black.mobility;
        let danger = Pair::new(white.danger() - black.danger(), 0);
        Pair::new(mobility.mg / 1024, mobility.eg / 1024).percent(self.style.mobility)
            + danger.percent(self.style.king_safety)
    }

    fn side(&self, position: &Position<N>, us: Colour, occupancy: &Occupancy<N>) -> Activity {
        let compiled = position.compiled();
        let zone = self.zone[position.king(!us).index()];
        let mut activity = Activity::default();
        for &kind in &compiled.plain_kinds {
            if compiled.is_pawn(kind) || kind == compiled.rules.king {
                continue;
            }
            let mover = compiled.tables.kind(us, kind);
            for from in position.men(us, kind) {
                let t = compiled.tables.targets(mover, from, occupancy);
                self.activate(
                    position,
                    us,
                    (kind, from),
                    t.quiet,
                    t.capture,
                    &zone,
                    &mut activity,
                );
            }
        }
        if let Some(imitator) = compiled.rules.imitator
            && let Some(kind) = position.last_moved(!us)
        {
            let mover = compiled.tables.imitation(us, kind);
            for from in position.men(us, imitator) {
                let t = compiled.tables.targets(mover, from, occupancy);
                self.activate(
                    position,
                    us,
                    (imitator, from),
                    t.quiet,
                    t.capture,
                    &zone,
                    &mut activity,
                );
            }
        }
        activity
    }

    #[inline]
    #[expect(
        clippy::too_many_arguments,
        reason = "two sets and the man they belong to"
    )]
    fn activate(
        &self,
        position: &Position<N>,
        us: Colour,
        (kind, from): (Kind, Square),
        mut quiet: Bitboard<N>,
        mut capture: Bitboard<N>,
        zone: &Bitboard<N>,
        activity: &mut Activity,
    ) {
        let mut mean = self.parameters.reach[kind.index()];
        let mut powers = position.powers(from);
        if powers != 0 {
            mean = self.holders.reach(kind, powers).unwrap_or(mean);
            let occupancy = position.occupancy();
            let tables = &position.compiled().tables;
            while powers != 0 {
                let power = tables.power(us, powers.trailing_zeros() as usize);
                let t = tables.targets(power, from, &occupancy);
                quiet |= t.quiet;
                capture |= t.capture;
                powers &= powers - 1;
            }
        }
        let reached = quiet | (capture & position.all_men(!us));
        let squares = reached.count() as i32 * 64;
        activity.mobility += Pair::new(
            (squares - mean[0]) * w::MOBILITY.mg,
            (squares - mean[1]) * w::MOBILITY.eg,
        );
        let hits = ((quiet | capture) & *zone).count() as i32;
        if hits > 0 {
            activity.attackers += 1;
            activity.hits += hits;
        }
    }
}

impl Activity {
    /// Danger for the enemy's king.
    fn danger(&self) -> i32 {
        self.hits * w::ZONE_HIT * w::BY_ATTACKERS[self.attackers.min(w::MOST_ATTACKERS)] / 16
    }
}
