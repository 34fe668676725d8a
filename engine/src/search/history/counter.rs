//! Counter moves (J. Uiterwijk, "The Countermove Heuristic", 1992): the reply that refuted a move last.

use crate::types::{Move, Piece, Square};

/// Replies by the man that arrived and where.
pub(super) struct Counters {
    squares: usize,
    replies: Vec<u32>,
}

impl Counters {
    pub fn new(kinds: usize, squares: usize) -> Counters {
        Counters {
            squares,
            replies: vec![Move::NONE.bits(); 2 * kinds * squares],
        }
    }

    pub fn clear(&mut self) {
        self.replies.fill(Move::NONE.bits());
    }

    fn index(&self, man: Piece, to: Square) -> usize {
        man.code() as usize * self.squares + to.index()
    }

    #[inline]
    pub fn get(&self, man: Piece, to: Square) -> Move {
        Move::from_bits(self.replies[self.index(man, to)])
    }

    pub fn set(&mut self, man: Piece, to: Square, reply: Move) {
        let index = self.index(man, to);
        self.replies[index] = reply.bits();
    }
}
