//! [`Accumulator`]: material and squares, kept up to date move by move.

use super::evaluator::Evaluator;
use super::pair::Pair;
use crate::position::{Position, castled_partner};
use crate::types::{Colour, Kind, Move, MoveKind, Piece, Square};

/// White's men less Black's, and how much is left on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Accumulator {
    /// In grains.
    pub(super) balance: Pair,
    /// Worth of the men of each side but king and pawns, for the phase.
    pub(super) material: [i32; 2],
}

impl<const N: usize> Evaluator<N> {
    /// The accumulator of a position, from nothing.
    pub fn accumulate(&self, position: &Position<N>) -> Accumulator {
        let mut sum = Accumulator::default();
        for colour in Colour::ALL {
            for square in position.all_men(colour) {
                self.add(
                    &mut sum,
                    position.man_on(square),
                    position.powers(square),
                    square,
                );
            }
        }
        sum
    }

    /// The accumulator after a move that is legal in the position and not made yet.
    pub fn after(&self, position: &Position<N>, before: &Accumulator, mv: Move) -> Accumulator {
        let mut sum = *before;
        let (from, to) = (mv.from(), mv.to());
        let (man, powers) = (position.man_on(from), position.powers(from));
        if mv.kind() == MoveKind::Castle {
            let right = &position.compiled().rules.castling[mv.castling_right() as usize];
            let beside = castled_partner(right.king, right.partner, to);
            let partner = position.man_on(right.partner);
            self.shift(
                &mut sum,
                partner,
                position.powers(right.partner),
                right.partner,
                beside,
            );
            self.shift(&mut sum, man, powers, from, to);
            return sum;
        }
        let victim_on = match mv.kind() {
            MoveKind::EnPassant => position.en_passant().map_or(to, |e| e.victim),
            _ => to,
        };
        let victim = position.man_on(victim_on);
        if !victim.is_none() {
            self.remove(&mut sum, victim, position.powers(victim_on), victim_on);
        }
        match mv.promotion() {
            Some(kind) => {
                self.remove(&mut sum, man, powers, from);
                self.add(&mut sum, Piece::new(man.colour(), kind), powers, to);
            }
            None => self.shift(&mut sum, man, powers, from, to),
        }
        sum
    }

    /// Worth and standing of a man in grains, positive for White.
    #[inline]
    pub(super) fn man(&self, man: Piece, powers: u16, square: Square) -> Pair {
        let value = self.parameters.man(man, square);
        if powers != 0 {
            let white = man.colour() == Colour::White;
            let seen = if white {
                square
            } else {
                self.mirror[square.index()]
            };
            if let Some(more) = self.holders.more(man.kind(), powers, seen) {
                return if white { value + more } else { value - more };
            }
        }
        value
    }

    #[inline]
    fn add(&self, sum: &mut Accumulator, man: Piece, powers: u16, square: Square) {
        sum.balance += self.man(man, powers, square);
        sum.material[man.colour().index()] += self.phase[man.kind().index()];
    }

    #[inline]
    fn remove(&self, sum: &mut Accumulator, man: Piece, powers: u16, square: Square) {
        sum.balance -= self.man(man, powers, square);
        sum.material[man.colour().index()] -= self.phase[man.kind().index()];
    }

    #[inline]
    fn shift(&self, sum: &mut Accumulator, man: Piece, powers: u16, from: Square, to: Square) {
        sum.balance += self.man(man, powers, to) - self.man(man, powers, from);
    }

    /// By how much better, in centipawns, a man of the side to move stands after a step.
    #[inline]
    pub fn step_gain(&self, position: &Position<N>, mv: Move) -> i32 {
        let (man, powers) = (position.man_on(mv.from()), position.powers(mv.from()));
        let gain = self.man(man, powers, mv.to()) - self.man(man, powers, mv.from());
        let white = (gain.mg + gain.eg) / 2;
        if man.colour() == Colour::White {
            white
        } else {
            -white
        }
    }

    /// What a man is worth in an exchange.
    #[inline]
    pub fn exchange(&self, kind: Kind, powers: u16) -> i32 {
        if powers == 0 {
            return self.parameters.exchange[kind.index()];
        }
        self.parameters.exchange[kind.index()] + self.holders.gain(kind, powers)
    }
}

impl Accumulator {
    /// Worth of a side's men but king and pawns.
    pub fn material(&self, colour: Colour) -> i32 {
        self.material[colour.index()]
    }
}
