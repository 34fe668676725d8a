//! Butterfly history (J. Schaeffer, "The History Heuristic", 1983), also by man and target.

use super::gravitate;
use crate::search::params::HISTORY_MOST;
use crate::types::{Colour, Move, Piece, Square};

/// Counters of quiet moves.
pub(super) struct Butterfly {
    squares: usize,
    by_man: Vec<i16>,
    by_squares: Vec<i16>,
}

impl Butterfly {
    pub fn new(kinds: usize, squares: usize) -> Butterfly {
        Butterfly {
            squares,
            by_man: vec![0; 2 * kinds * squares],
            by_squares: vec![0; 2 * squares * squares],
        }
    }

    pub fn clear(&mut self) {
        self.by_man.fill(0);
        self.by_squares.fill(0);
    }

    pub fn age(&mut self) {
        self.by_man
            .iter_mut()
            .chain(&mut self.by_squares)
            .for_each(|h| *h /= 2);
    }

    fn man_index(&self, man: Piece, to: Square) -> usize {
        man.code() as usize * self.squares + to.index()
    }

    fn squares_index(&self, side: Colour, mv: Move) -> usize {
        (side.index() * self.squares + mv.from().index()) * self.squares + mv.to().index()
    }

    #[inline]
    pub fn get(&self, man: Piece, mv: Move) -> i32 {
        let by_man = self.by_man[self.man_index(man, mv.to())];
        let by_squares = self.by_squares[self.squares_index(man.colour(), mv)];
        i32::from(by_man) + i32::from(by_squares)
    }

    pub fn update(&mut self, man: Piece, mv: Move, bonus: i32) {
        let (a, b) = (
            self.man_index(man, mv.to()),
            self.squares_index(man.colour(), mv),
        );
        gravitate(&mut self.by_man[a], bonus, HISTORY_MOST);
        gravitate(&mut self.by_squares[b], bonus, HISTORY_MOST);
    }
}
