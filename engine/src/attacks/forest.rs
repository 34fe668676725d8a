//! Path trees: the moves that have no faster form, walked with the occupied squares.

use super::tables::Occupancy;
use crate::bitboard::Bitboard;
use crate::types::Square;

/// Flags of a [`TreeNode`].
pub(super) mod flag {
    pub const QUIET: u8 = 1;
    pub const CAPTURE: u8 = 2;
    pub const EN_PASSANT: u8 = 4;
    pub const MARKS: u8 = 8;
    pub const SAFE: u8 = 16;
    /// The children are walked if the square is occupied, and the node does nothing else.
    pub const PLATFORM: u8 = 32;
}

/// No rays.
pub(super) const NO_RAYS: u8 = u8::MAX;

/// A square of a path tree in preorder: children follow, `skip` is the node after the last of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeNode {
    pub square: Square,
    pub flags: u8,
    /// Rides that start here if the square is free.
    pub rays: [u8; 2],
    pub skip: u32,
}

/// A tree for each square.
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    pub nodes: Vec<TreeNode>,
    /// Where the trees begin; one more than squares. Empty if there are no trees at all.
    pub starts: Vec<u32>,
}

impl Forest {
    #[inline(always)]
    pub fn range(&self, square: Square) -> (usize, usize) {
        (
            self.starts[square.index()] as usize,
            self.starts[square.index() + 1] as usize,
        )
    }
}

/// Special moves of a type from one square that are not simply quiet moves or captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// A quiet move that may be captured en passant on the squares it passes.
    Marks,
    /// A capture en passant if the target has just been passed.
    EnPassant,
}

/// The open targets of the moves of a tree that leave en passant marks; adds the squares on which they depend.
#[inline(always)]
pub(super) fn walk_marks<const N: usize>(
    forest: &Forest,
    from: Square,
    occupancy: &Occupancy<N>,
    touched: &mut Bitboard<N>,
) -> Bitboard<N> {
    let mut marks = Bitboard::EMPTY;
    let (mut i, end) = forest.range(from);
    while i < end {
        let node = &forest.nodes[i];
        let leaf = node.skip as usize == i + 1;
        if leaf && node.flags & flag::MARKS == 0 {
            // A capture en passant and nothing behind it.
            i += 1;
            continue;
        }
        touched.insert(node.square);
        if occupancy.free.has(node.square) {
            if node.flags & flag::MARKS != 0 {
                marks.insert(node.square);
            }
            i += 1;
        } else {
            i = node.skip as usize;
        }
    }
    marks
}

/// Walks a tree and calls `visit` on each square reached over free squares, with the squares before it.
pub(super) fn walk_paths<const N: usize>(
    forest: &Forest,
    from: Square,
    occupancy: &Occupancy<N>,
    mut visit: impl FnMut(&TreeNode, &[Square]),
) {
    let (mut i, end) = forest.range(from);
    let mut passed = arrayvec::ArrayVec::<(Square, u32), 32>::new();
    let mut squares = arrayvec::ArrayVec::<Square, 32>::new();
    while i < end {
        while passed.last().is_some_and(|&(_, skip)| skip as usize <= i) {
            passed.pop();
            squares.pop();
        }
        let node = &forest.nodes[i];
        if occupancy.free.has(node.square) {
            visit(node, &squares);
            if node.skip as usize > i + 1 && passed.try_push((node.square, node.skip)).is_ok() {
                let _ = squares.try_push(node.square);
            }
            i += 1;
        } else {
            i = node.skip as usize;
        }
    }
}
