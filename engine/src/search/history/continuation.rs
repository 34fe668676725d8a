//! Continuation history: quiet moves in the light of a move played shortly before.
//!
//! A pair of (type, target) and (type, target) has its counter. On large boards with many types that would be
//! tens of MiB in which nothing is met twice; there the earlier target counts by blocks of squares.

use super::gravitate;
use crate::geometry::Geometry;
use crate::search::params::{CONTINUATION_ENTRIES, HISTORY_MOST};
use crate::types::{Piece, Square};

/// Counters of quiet moves by what went before.
pub(super) struct Continuation {
    squares: usize,
    /// By square: its block.
    block: Vec<u16>,
    blocks: usize,
    /// One row a context, of so many counters.
    row: usize,
    /// Contexts, the first of which is none.
    rows: usize,
    counters: Vec<i16>,
}

impl Continuation {
    pub fn new(board: &Geometry, kinds: usize) -> Continuation {
        let row = kinds * board.squares();
        let mut side = 1;
        let (block, blocks) = loop {
            let (block, blocks) = divide(board, side);
            // Blocks as wide as the board are all one.
            if 2 * (kinds * blocks + 1) * row <= CONTINUATION_ENTRIES || blocks == 1 {
                break (block, blocks);
            }
            side += 1;
        };
        let rows = kinds * blocks + 1;
        Continuation {
            squares: board.squares(),
            block,
            blocks,
            row,
            rows,
            counters: vec![0; 2 * rows * row],
        }
    }

    pub fn clear(&mut self) {
        self.counters.fill(0);
    }

    /// The row of a move that has been played.
    #[inline]
    pub fn context(&self, man: Piece, to: Square) -> u16 {
        let block = usize::from(self.block[to.index()]);
        (1 + man.kind().index() * self.blocks + block) as u16
    }

    #[inline]
    fn index(&self, context: u16, man: Piece, to: Square) -> usize {
        let row = man.colour().index() * self.rows + usize::from(context);
        row * self.row + man.kind().index() * self.squares + to.index()
    }

    #[inline]
    pub fn get(&self, context: u16, man: Piece, to: Square) -> i32 {
        i32::from(self.counters[self.index(context, man, to)])
    }

    pub fn update(&mut self, context: u16, man: Piece, to: Square, bonus: i32) {
        if context != 0 {
            let index = self.index(context, man, to);
            gravitate(&mut self.counters[index], bonus, HISTORY_MOST);
        }
    }
}

/// The squares of a board in blocks of so many files and ranks; their number.
fn divide(board: &Geometry, side: u8) -> (Vec<u16>, usize) {
    let wide = u16::from(board.files().div_ceil(side));
    let block =
        |s: Square| u16::from(board.rank_index(s) / side) * wide + u16::from(board.file(s) / side);
    let all = (0..board.squares()).map(|s| block(Square(s as u8)));
    let block: Vec<u16> = all.collect();
    let blocks = block.iter().max().map_or(1, |&b| usize::from(b) + 1);
    (block, blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{Colour, Kind};
    use crate::variant::Catalog;

    /// Every context and move of every game has a counter of its own and none lies outside.
    #[test]
    fn counters_do_not_overlap() {
        let catalog = Catalog::builtin();
        for id in catalog.ids() {
            let variant = catalog.get(id).unwrap();
            let kinds = variant.rules().pieces.len();
            let squares = variant.geometry().squares();
            let table = Continuation::new(variant.geometry(), kinds);
            assert!(table.counters.len() <= CONTINUATION_ENTRIES, "{id}");
            let mut seen = vec![false; table.counters.len()];
            for context in 0..table.rows {
                for man in
                    (0..kinds).flat_map(|k| Colour::ALL.map(|c| Piece::new(c, Kind(k as u8))))
                {
                    for to in 0..squares {
                        let at = table.index(context as u16, man, Square(to as u8));
                        assert!(!std::mem::replace(&mut seen[at], true), "{id}");
                    }
                }
            }
            let last = Square(squares as u8 - 1);
            for kind in 0..kinds {
                let context = table.context(Piece::new(Colour::White, Kind(kind as u8)), last);
                assert!((1..table.rows).contains(&usize::from(context)), "{id}");
            }
        }
    }

    #[test]
    fn nothing_is_learnt_without_a_context() {
        let chess = Catalog::builtin().get("chess").unwrap();
        let mut table = Continuation::new(chess.geometry(), 6);
        let man = Piece::new(Colour::Black, Kind(2));
        table.update(0, man, Square(9), 500);
        assert_eq!(table.get(0, man, Square(9)), 0);
        table.update(7, man, Square(9), 500);
        assert_eq!(table.get(7, man, Square(9)), 500);
        assert_eq!(table.get(8, man, Square(9)), 0);
    }
}
