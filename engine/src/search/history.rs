//! What quiet moves were good for elsewhere in the tree.

use super::params::HISTORY_MOST;
use crate::types::{Colour, Kind, Move, Piece, Square};

/// Squares of a table row.
const SQUARES: usize = 256;

/// Counters of quiet moves by man and target and by origin and target, and replies to moves.
pub(super) struct History {
    by_man: Vec<i16>,
    by_squares: Vec<i16>,
    counters: Vec<u32>,
}

impl History {
    pub fn new() -> History {
        History {
            by_man: vec![0; 2 * Kind::MAX * SQUARES],
            by_squares: vec![0; 2 * SQUARES * SQUARES],
            counters: vec![Move::NONE.bits(); 2 * Kind::MAX * SQUARES],
        }
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.by_man.fill(0);
        self.by_squares.fill(0);
        self.counters.fill(Move::NONE.bits());
    }

    /// Makes what is known count less for the next search.
    pub fn age(&mut self) {
        self.by_man
            .iter_mut()
            .chain(&mut self.by_squares)
            .for_each(|h| *h /= 2);
    }

    fn man_index(man: Piece, to: Square) -> usize {
        man.code() as usize * SQUARES + to.index()
    }

    fn squares_index(side: Colour, mv: Move) -> usize {
        (side.index() * SQUARES + mv.from().index()) * SQUARES + mv.to().index()
    }

    /// How good a quiet move of a man has been.
    #[inline]
    pub fn get(&self, man: Piece, mv: Move) -> i32 {
        let by_man = self.by_man[Self::man_index(man, mv.to())];
        let by_squares = self.by_squares[Self::squares_index(man.colour(), mv)];
        i32::from(by_man) + i32::from(by_squares)
    }

    /// Notes that a quiet move was good (or, with a negative bonus, not).
    pub fn update(&mut self, man: Piece, mv: Move, bonus: i32) {
        gravitate(&mut self.by_man[Self::man_index(man, mv.to())], bonus);
        gravitate(
            &mut self.by_squares[Self::squares_index(man.colour(), mv)],
            bonus,
        );
    }

    /// The quiet move that refuted a man's arrival on a square last.
    #[inline]
    pub fn counter(&self, man: Piece, to: Square) -> Move {
        Move::from_bits(self.counters[Self::man_index(man, to)])
    }

    pub fn set_counter(&mut self, man: Piece, to: Square, reply: Move) {
        self.counters[Self::man_index(man, to)] = reply.bits();
    }
}

/// Moves a counter towards the bonus's sign, the less the further it is already.
fn gravitate(counter: &mut i16, bonus: i32) {
    let now = i32::from(*counter);
    *counter = (now + bonus - now * bonus.abs() / HISTORY_MOST) as i16;
}
