//! Static exchange evaluation: what a series of captures on one square comes to.
//!
//! The swap algorithm with every kind of mover: paths are looked up again after each capture, so that
//! riders behind riders, hoppers that lose or gain a platform, and imitators whose type changes with
//! each capture all count.

use crate::attacks::Mover;
use crate::bitboard::Bitboard;
use crate::eval::Evaluator;
use crate::position::Position;
use crate::simd::kernels;
use crate::types::{Colour, Kind, Move, MoveKind, Square};

kernels! {
    /// The kernel of exchanges.
    struct Kernels<N> {
        /// Whether a move gains at least a threshold.
        fn gains_at_least(
            evaluator: &Evaluator<N>,
            position: &Position<N>,
            mv: Move,
            threshold: i32
        ) -> bool = Evaluator::gains_by_exchange;
    }
}

/// A capture on the square of the exchange.
struct Attacker {
    value: i32,
    square: Square,
    /// The type as which it captures.
    acting: Kind,
    king: bool,
}

struct Exchange<'a, const N: usize> {
    position: &'a Position<N>,
    evaluator: &'a Evaluator<N>,
    on: Square,
    occupied: Bitboard<N>,
    /// Men that are still there.
    left: Bitboard<N>,
}

impl<const N: usize> Evaluator<N> {
    /// Whether a legal move gains at least `threshold` by exchanges on its target.
    pub(crate) fn gains_at_least(&self, position: &Position<N>, mv: Move, threshold: i32) -> bool {
        Kernels::at(position.level).gains_at_least(self, position, mv, threshold)
    }

    #[inline(always)]
    fn gains_by_exchange(&self, position: &Position<N>, mv: Move, threshold: i32) -> bool {
        if matches!(mv.kind(), MoveKind::Castle | MoveKind::KingLeap) {
            return threshold <= 0;
        }
        let (from, on) = (mv.from(), mv.to());
        let man = position.man_on(from);
        let mut next = self.exchange(man.kind(), position.powers(from));
        let mut balance = self.captured(position, mv) - threshold;
        if let Some(kind) = mv.promotion() {
            let gain = self.exchange(kind, 0) - next;
            balance += gain;
            next += gain;
        }
        if balance < 0 {
            return false;
        }
        balance -= next;
        if balance >= 0 {
            return true;
        }
        let mut occupied = position.occupancy().occupied;
        occupied.remove(from);
        if mv.kind() == MoveKind::EnPassant
            && let Some(marks) = position.en_passant()
        {
            occupied.remove(marks.victim);
        }
        occupied.insert(on);
        let left = occupied.without(Bitboard::of(on));
        let imitator = position.compiled().rules.imitator == Some(man.kind());
        let acting = if imitator {
            position.last_moved(!man.colour()).unwrap_or(man.kind())
        } else {
            man.kind()
        };
        Exchange {
            position,
            evaluator: self,
            on,
            occupied,
            left,
        }
        .swap(!man.colour(), acting, balance)
    }

    /// What a move captures.
    #[inline(always)]
    pub(crate) fn captured(&self, position: &Position<N>, mv: Move) -> i32 {
        let on = match mv.kind() {
            MoveKind::EnPassant => position.en_passant().map_or(mv.to(), |e| e.victim),
            MoveKind::Castle => return 0,
            _ => mv.to(),
        };
        let victim = position.man_on(on);
        if victim.is_none() {
            0
        } else {
            self.exchange(victim.kind(), position.powers(on))
        }
    }
}

impl<const N: usize> Exchange<'_, N> {
    /// Lets the sides capture in turn, cheapest man first; whether the side that moved first comes out ahead.
    #[inline(always)]
    fn swap(&mut self, mut side: Colour, mut last: Kind, mut balance: i32) -> bool {
        // The side to capture loses the argument if it cannot or does not.
        let first = side;
        loop {
            let Some(attacker) = self.cheapest(side, last) else {
                return side == first;
            };
            self.occupied.remove(attacker.square);
            self.left.remove(attacker.square);
            if attacker.king && self.cheapest(!side, attacker.acting).is_some() {
                return side == first;
            }
            last = attacker.acting;
            side = !side;
            balance = -balance - 1 - attacker.value;
            if balance >= 0 {
                return side == first;
            }
        }
    }

    /// The cheapest man of a side that can capture; imitators act as `imitated`.
    #[inline(always)]
    fn cheapest(&self, side: Colour, imitated: Kind) -> Option<Attacker> {
        let compiled = self.position.compiled();
        let mut best: Option<Attacker> = None;
        for &kind in self.evaluator.by_worth() {
            let men = self.position.men(side, kind) & self.left;
            if men.any()
                && let Some(square) = self.attacker(compiled.tables.kind(side, kind), men)
            {
                best = Some(self.attacker_on(square, kind));
                break;
            }
        }
        if let Some(imitator) = compiled.rules.imitator {
            let men = self.position.men(side, imitator) & self.left;
            if men.any()
                && let Some(square) = self.attacker(compiled.tables.imitation(side, imitated), men)
            {
                self.better(&mut best, self.attacker_on(square, imitated));
            }
        }
        for bit in 0..compiled.powers {
            let men = self.position.holders(side, bit) & self.left;
            if men.any()
                && let Some(square) = self.attacker(compiled.tables.power(side, bit), men)
            {
                let kind = self.position.man_on(square).kind();
                self.better(&mut best, self.attacker_on(square, kind));
            }
        }
        best
    }

    #[inline(always)]
    fn better(&self, best: &mut Option<Attacker>, other: Attacker) {
        if best.as_ref().is_none_or(|b| other.value < b.value) {
            *best = Some(other);
        }
    }

    #[inline(always)]
    fn attacker_on(&self, square: Square, acting: Kind) -> Attacker {
        let man = self.position.man_on(square);
        Attacker {
            value: self
                .evaluator
                .exchange(man.kind(), self.position.powers(square)),
            square,
            acting,
            king: man.kind() == self.position.compiled().rules.king,
        }
    }

    /// A man of `men` that attacks the square.
    #[inline(always)]
    fn attacker(&self, mover: &Mover<N>, men: Bitboard<N>) -> Option<Square> {
        if let Some(square) = (men & *mover.leapers_to(self.on)).lowest() {
            return Some(square);
        }
        let liners = men & *mover.liners_to(self.on);
        if liners.is_empty() {
            return None;
        }
        let occupancy = self.position.compiled().tables.occupancy(self.occupied);
        liners
            .into_iter()
            .find(|&from| mover.paths(from, self.on).any(|p| p.is_open(&occupancy)))
    }
}
