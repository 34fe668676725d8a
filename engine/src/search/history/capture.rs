//! Capture history: captures and promotions by man, target and victim.

use super::gravitate;
use crate::search::params::HISTORY_MOST;
use crate::types::{Kind, Piece, Square};

/// Counters of captures.
pub(super) struct Captures {
    squares: usize,
    kinds: usize,
    counters: Vec<i16>,
}

impl Captures {
    pub fn new(kinds: usize, squares: usize) -> Captures {
        Captures {
            squares,
            kinds,
            counters: vec![0; 2 * kinds * squares * (kinds + 1)],
        }
    }

    pub fn clear(&mut self) {
        self.counters.fill(0);
    }

    #[inline]
    fn index(&self, man: Piece, to: Square, victim: Option<Kind>) -> usize {
        let row = man.code() as usize * self.squares + to.index();
        row * (self.kinds + 1) + victim.map_or(self.kinds, Kind::index)
    }

    #[inline]
    pub fn get(&self, man: Piece, to: Square, victim: Option<Kind>) -> i32 {
        i32::from(self.counters[self.index(man, to, victim)])
    }

    pub fn update(&mut self, man: Piece, to: Square, victim: Option<Kind>, bonus: i32) {
        let index = self.index(man, to, victim);
        gravitate(&mut self.counters[index], bonus, HISTORY_MOST);
    }
}
