//! Mobility, and the safety of the kings.

use super::evaluator::Evaluator;
use super::pair::Pair;
use super::pawns::Pawns;
use super::weights as w;
use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::movegen::Reaches;
use crate::position::Position;
use crate::simd::kernels;
use crate::types::{Colour, Kind, Square};

/// What a side's men do.
#[derive(Default)]
struct Activity {
    mobility: Pair,
    attackers: usize,
    hits: i32,
}

/// A side as its men are looked at.
struct Side<'a, const N: usize> {
    position: &'a Position<N>,
    us: Colour,
    occupancy: Occupancy<N>,
    enemies: Bitboard<N>,
    /// Squares that no enemy pawn attacks.
    safe: Bitboard<N>,
    /// Squares next to the enemy's king and its own.
    zone: Bitboard<N>,
}

kernels! {
    /// The kernel of activity.
    struct Kernels<N> {
        /// What a side's men do.
        fn side(
            evaluator: &Evaluator<N>,
            side: &Side<'_, N>,
            reaches: &Reaches<N>
        ) -> Activity = Evaluator::side;
    }
}

impl<const N: usize> Evaluator<N> {
    /// White's activity less Black's.
    pub(super) fn activity(
        &self,
        position: &Position<N>,
        occupancy: &Occupancy<N>,
        pawns: &Pawns<N>,
        reaches: &Reaches<N>,
    ) -> Pair {
        if self.style.mobility == 0 && self.style.king_safety == 0 {
            return Pair::ZERO;
        }
        let side = |us: Colour| Side {
            position,
            us,
            occupancy: *occupancy,
            enemies: position.all_men(!us),
            safe: !pawns.attacks[(!us).index()],
            zone: self.zone[position.king(!us).index()],
        };
        let kernels = Kernels::at(position.level);
        let white = kernels.side(self, &side(Colour::White), reaches);
        let black = kernels.side(self, &side(Colour::Black), reaches);
        let mobility = white.mobility - black.mobility;
        let shelter = |us: Colour| {
            let pawns = pawns.all[us.index()];
            (pawns & self.shelter[us.index()][position.king(us).index()]).count() as i32
        };
        let sheltered = (shelter(Colour::White) - shelter(Colour::Black)) * w::SHELTER;
        let danger = Pair::new(white.danger() - black.danger() + sheltered, 0);
        let threats = |us: Colour| {
            let victims = position.all_men(!us).without(pawns.all[(!us).index()]);
            (victims & pawns.attacks[us.index()]).count() as i32
        };
        let threats = w::PAWN_THREAT * (threats(Colour::White) - threats(Colour::Black));
        Pair::new(mobility.mg / 1024, mobility.eg / 1024).percent(self.style.mobility)
            + danger.percent(self.style.king_safety)
            + threats
    }

    #[inline(always)]
    fn side(&self, side: &Side<'_, N>, reaches: &Reaches<N>) -> Activity {
        let (position, us) = (side.position, side.us);
        let compiled = position.compiled();
        let mut activity = Activity::default();
        for &kind in &self.active {
            for from in position.men(us, kind) {
                self.activate(side, kind, kind, from, reaches, &mut activity);
            }
        }
        if let Some(imitator) = compiled.rules.imitator
            && let Some(kind) = position.last_moved(!us)
        {
            for from in position.men(us, imitator) {
                self.activate(side, imitator, kind, from, reaches, &mut activity);
            }
        }
        activity
    }

    #[inline(always)]
    fn activate(
        &self,
        side: &Side<'_, N>,
        kind: Kind,
        acting: Kind,
        from: Square,
        reaches: &Reaches<N>,
        activity: &mut Activity,
    ) {
        let t = reaches.get(
            side.position,
            &side.occupancy,
            (side.us, kind, acting),
            from,
        );
        let mut mean = self.parameters.reach[kind.index()];
        let powers = side.position.powers(from);
        if powers != 0 {
            mean = self.holders.reach(kind, powers).unwrap_or(mean);
        }
        let reached = (t.quiet & side.occupancy.free) | (t.capture & side.enemies);
        let squares = (reached & side.safe).count() as i32 * 64;
        activity.mobility += Pair::new(
            (squares - mean[0]) * w::MOBILITY.mg,
            (squares - mean[1]) * w::MOBILITY.eg,
        );
        if side.zone.meets(&reached) || side.zone.meets(&t.capture) {
            activity.attackers += 1;
            activity.hits += ((reached | t.capture) & side.zone).count() as i32;
        }
    }
}

impl Activity {
    /// Danger for the enemy's king.
    fn danger(&self) -> i32 {
        self.hits * w::ZONE_HIT * w::BY_ATTACKERS[self.attackers.min(w::MOST_ATTACKERS)] / 16
    }
}
