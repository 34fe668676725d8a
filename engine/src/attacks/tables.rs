//! The tables and how they are looked up.

use std::sync::Arc;

use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Square};

/// What stands where, as far as paths care.
#[derive(Clone, Copy, Debug)]
pub struct Occupancy<const N: usize> {
    /// Squares with a man.
    pub occupied: Bitboard<N>,
    /// Squares that exist and are empty.
    pub free: Bitboard<N>,
}

/// Where a man can go: quietly and, if an enemy stands there, by capture.
#[derive(Clone, Copy, Debug)]
pub struct Targets<const N: usize> {
    /// Reached squares that are empty.
    pub quiet: Bitboard<N>,
    /// Reached squares on which an enemy could be captured; not yet masked with the enemy's men.
    pub capture: Bitboard<N>,
}

/// The rays of one step: from each square all the squares to the edge of the rectangle.
#[derive(Clone, Debug)]
pub(super) struct Rays<const N: usize> {
    pub from: Vec<Bitboard<N>>,
    /// Whether the step leads to higher square numbers.
    pub rising: bool,
}

impl<const N: usize> Rays<N> {
    /// The squares from `square` up to and including the first that is not free.
    #[inline(always)]
    pub fn until_blocked(&self, square: Square, free: &Bitboard<N>) -> Bitboard<N> {
        let ray = self.from[square.index()];
        match self.first(ray.without(*free)) {
            None => ray,
            Some(first) => ray ^ self.from[first.index()],
        }
    }

    /// The first square of a part of a ray.
    #[inline(always)]
    pub fn first(&self, part: Bitboard<N>) -> Option<Square> {
        if self.rising {
            part.lowest()
        } else {
            part.highest()
        }
    }
}

/// A straight ride to the edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ride {
    /// Index of the rays.
    pub rays: u8,
    pub quiet: bool,
    pub capture: bool,
}

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

/// How the squares of a [`Path`] must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathKind {
    /// `clear` free, `platforms` occupied.
    Fixed,
    /// Of `clear` exactly one occupied, wherever it is, and the others free.
    OverOne,
}

/// A way of capturing from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Path<const N: usize> {
    /// Squares that must be free.
    pub clear: Bitboard<N>,
    /// Squares that must be occupied.
    pub platforms: Bitboard<N>,
    /// How to read the two sets.
    pub kind: PathKind,
    /// Whether this is the last path between its two squares.
    pub last: bool,
}

impl<const N: usize> Path<N> {
    /// Whether the way is open.
    #[inline(always)]
    #[must_use]
    pub fn is_open(&self, occupancy: &Occupancy<N>) -> bool {
        let blocked = self.clear.without(occupancy.free);
        match self.kind {
            PathKind::Fixed => {
                blocked.is_empty() && self.platforms.without(occupancy.occupied).is_empty()
            }
            PathKind::OverOne => blocked.count() == 1 && blocked.meets(&occupancy.occupied),
        }
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

/// The tables of one type of man of one colour.
#[derive(Clone, Debug)]
pub struct Mover<const N: usize> {
    pub(super) leap_quiet: Vec<Bitboard<N>>,
    pub(super) leap_capture: Vec<Bitboard<N>>,
    pub(super) rides: Vec<Ride>,
    /// Rides over exactly one man of either side.
    pub(super) hops: Vec<Ride>,
    /// Rides to the first man met that land on the square just beyond it.
    pub(super) grasshops: Vec<Ride>,
    /// Everything else that moves quietly and captures.
    pub(super) forest: Forest,
    /// Moves that leave or use en passant marks.
    pub(super) specials: Forest,
    /// Lame moves over squares that must not be attacked.
    pub(super) cautious: Forest,
    pub(super) leap_to: Vec<Bitboard<N>>,
    pub(super) line_to: Vec<Bitboard<N>>,
    pub(super) paths: Vec<Path<N>>,
    /// By target: first path of the target's row.
    pub(super) row: Vec<u32>,
    /// By target and origin: path relative to the row.
    pub(super) column: Vec<u16>,
    /// Squares that a capture en passant of this type can reach, by origin; empty if it makes none.
    pub(super) en_passant: Vec<Bitboard<N>>,
}

impl<const N: usize> Mover<N> {
    /// Squares from which a man of this type captures `target` whatever stands between.
    #[inline(always)]
    #[must_use]
    pub fn leapers_to(&self, target: Square) -> &Bitboard<N> {
        &self.leap_to[target.index()]
    }

    /// Squares from which it captures `target` if one of the [paths](Self::paths) is open.
    #[inline(always)]
    #[must_use]
    pub fn liners_to(&self, target: Square) -> &Bitboard<N> {
        &self.line_to[target.index()]
    }

    /// The paths from `from`, which is in [`liners_to`](Self::liners_to), to `target`.
    #[inline(always)]
    pub fn paths(&self, from: Square, target: Square) -> impl Iterator<Item = &Path<N>> {
        let column = target.index() * self.leap_to.len() + from.index();
        let mut rest = self.paths
            [(self.row[target.index()] + u32::from(self.column[column])) as usize..]
            .iter();
        let mut done = false;
        std::iter::from_fn(move || {
            if done {
                return None;
            }
            let path = rest.next()?;
            done = path.last;
            Some(path)
        })
    }

    /// Whether a man of this type on `from` attacks `target`.
    #[inline(always)]
    #[must_use]
    pub fn attacks(&self, from: Square, target: Square, occupancy: &Occupancy<N>) -> bool {
        self.leapers_to(target).has(from)
            || (self.liners_to(target).has(from)
                && self.paths(from, target).any(|p| p.is_open(occupancy)))
    }

    /// Whether a man of this type on any square of `men` attacks `target`.
    #[inline(always)]
    #[must_use]
    pub fn any_attacks(&self, men: &Bitboard<N>, target: Square, occupancy: &Occupancy<N>) -> bool {
        if men.meets(self.leapers_to(target)) {
            return true;
        }
        let liners = *men & *self.liners_to(target);
        liners.any()
            && liners
                .into_iter()
                .any(|from| self.paths(from, target).any(|p| p.is_open(occupancy)))
    }

    /// Whether all it does (en passant and cautious moves aside) are leaps, whatever stands between.
    #[inline]
    #[must_use]
    pub fn only_leaps(&self) -> bool {
        self.rides.is_empty()
            && self.hops.is_empty()
            && self.grasshops.is_empty()
            && self.forest.starts.is_empty()
    }

    /// Its leaps from a square, on whatever stands there.
    #[inline]
    #[must_use]
    pub fn leaps(&self, from: Square) -> Targets<N> {
        Targets {
            quiet: self.leap_quiet[from.index()],
            capture: self.leap_capture[from.index()],
        }
    }

    /// Whether it can capture en passant at all.
    #[must_use]
    pub fn captures_en_passant(&self) -> bool {
        !self.en_passant.is_empty()
    }

    /// Squares it could capture on en passant from `from`, were the way open.
    #[inline]
    #[must_use]
    pub fn en_passant_reach(&self, from: Square) -> Bitboard<N> {
        self.en_passant
            .get(from.index())
            .copied()
            .unwrap_or_default()
    }

    /// Whether it has moves that leave en passant marks.
    #[must_use]
    pub fn has_specials(&self) -> bool {
        !self.specials.starts.is_empty()
    }
}

/// All tables of a variant on boards of `N` words. Immutable.
#[derive(Clone, Debug)]
pub struct Tables<const N: usize> {
    /// Squares that always exist.
    pub main: Bitboard<N>,
    pub(super) rays: Vec<Rays<N>>,
    /// By colour: the types, then the powers of holders, then types as an imitator makes them.
    pub(super) movers: [Vec<Arc<Mover<N>>>; 2],
    /// By type: the mover of an imitator.
    pub(super) imitated: Vec<u8>,
    pub(super) kinds: usize,
    /// By colour, origin and target: types as which an imitator might attack the target.
    pub(super) imitator_reach: [Vec<u32>; 2],
}

impl<const N: usize> Tables<N> {
    /// The tables of a type.
    #[inline(always)]
    #[must_use]
    pub fn kind(&self, colour: Colour, kind: Kind) -> &Mover<N> {
        &self.movers[colour.index()][kind.index()]
    }

    /// The tables of a power that a holder has: augmenters, then the regent's bases.
    #[inline(always)]
    #[must_use]
    pub fn power(&self, colour: Colour, bit: usize) -> &Mover<N> {
        &self.movers[colour.index()][self.kinds + bit]
    }

    /// The tables of an imitator that imitates a type.
    #[inline(always)]
    #[must_use]
    pub fn imitation(&self, colour: Colour, kind: Kind) -> &Mover<N> {
        &self.movers[colour.index()][self.imitated[kind.index()] as usize]
    }

    /// The types (as a set) as which an imitator on `from` might attack `target`.
    #[inline(always)]
    #[must_use]
    pub fn imitator_reach(&self, colour: Colour, from: Square, target: Square) -> u32 {
        let squares = self.movers[0][0].leap_to.len();
        self.imitator_reach[colour.index()]
            .get(from.index() * squares + target.index())
            .copied()
            .unwrap_or(0)
    }

    /// The squares free when these are occupied.
    #[inline(always)]
    #[must_use]
    pub fn occupancy(&self, occupied: Bitboard<N>) -> Occupancy<N> {
        Occupancy {
            occupied,
            free: self.main.without(occupied),
        }
    }

    /// Where a man of this type on `from` can go, en passant and cautious moves aside.
    #[inline]
    pub fn targets(&self, mover: &Mover<N>, from: Square, occupancy: &Occupancy<N>) -> Targets<N> {
        let mut unused = Bitboard::EMPTY;
        let mut t = self.collect::<false>(mover, from, occupancy, &mut unused);
        t.quiet &= occupancy.free;
        t
    }

    /// The same before `quiet` is masked with the free squares, and the squares on whose being occupied the
    /// two sets depend are added to `touched`: as long as no man comes to or leaves one of those, the sets stay.
    #[inline]
    pub fn targets_touching(
        &self,
        mover: &Mover<N>,
        from: Square,
        occupancy: &Occupancy<N>,
        touched: &mut Bitboard<N>,
    ) -> Targets<N> {
        self.collect::<true>(mover, from, occupancy, touched)
    }

    #[inline(always)]
    fn collect<const TOUCH: bool>(
        &self,
        mover: &Mover<N>,
        from: Square,
        occupancy: &Occupancy<N>,
        touched: &mut Bitboard<N>,
    ) -> Targets<N> {
        let mut t = Targets {
            quiet: mover.leap_quiet[from.index()],
            capture: mover.leap_capture[from.index()],
        };
        for ride in &mover.rides {
            let reached = self.rays[ride.rays as usize].until_blocked(from, &occupancy.free);
            if ride.quiet {
                t.quiet |= reached;
            }
            if ride.capture {
                t.capture |= reached;
            }
            if TOUCH {
                *touched |= reached;
            }
        }
        for hop in mover.hops.iter().chain(&mover.grasshops) {
            if TOUCH {
                *touched |= self.rays[hop.rays as usize].until_blocked(from, &occupancy.free);
            }
        }
        for hop in &mover.hops {
            let reached = self.hop(*hop, from, occupancy, &mut t);
            if TOUCH {
                *touched |= reached;
            }
        }
        for hop in &mover.grasshops {
            self.grasshop(*hop, from, occupancy, &mut t);
        }
        if !mover.forest.starts.is_empty() {
            self.walk::<TOUCH>(&mover.forest, from, occupancy, &mut t, touched);
        }
        t
    }

    /// Adds a hop's targets and gives the squares beyond the platform that it reaches.
    #[inline(always)]
    fn hop(
        &self,
        hop: Ride,
        from: Square,
        occupancy: &Occupancy<N>,
        t: &mut Targets<N>,
    ) -> Bitboard<N> {
        let rays = &self.rays[hop.rays as usize];
        let Some(platform) = rays.first(rays.from[from.index()].without(occupancy.free)) else {
            return Bitboard::EMPTY;
        };
        if !occupancy.occupied.has(platform) {
            return Bitboard::EMPTY;
        }
        let reached = rays.until_blocked(platform, &occupancy.free);
        if hop.quiet {
            t.quiet |= reached;
        }
        if hop.capture {
            t.capture |= reached;
        }
        reached
    }

    #[inline(always)]
    fn grasshop(&self, hop: Ride, from: Square, occupancy: &Occupancy<N>, t: &mut Targets<N>) {
        let rays = &self.rays[hop.rays as usize];
        let Some(platform) = rays.first(rays.from[from.index()].without(occupancy.free)) else {
            return;
        };
        if !occupancy.occupied.has(platform) {
            return;
        }
        if let Some(landing) = rays.first(rays.from[platform.index()]) {
            if hop.quiet {
                t.quiet.insert(landing);
            }
            if hop.capture {
                t.capture.insert(landing);
            }
        }
    }

    #[inline(always)]
    fn walk<const TOUCH: bool>(
        &self,
        forest: &Forest,
        from: Square,
        occupancy: &Occupancy<N>,
        t: &mut Targets<N>,
        touched: &mut Bitboard<N>,
    ) {
        let (mut i, end) = forest.range(from);
        while i < end {
            let node = &forest.nodes[i];
            if TOUCH {
                touched.insert(node.square);
            }
            if node.flags & flag::PLATFORM != 0 {
                i = if occupancy.occupied.has(node.square) {
                    i + 1
                } else {
                    node.skip as usize
                };
                continue;
            }
            if occupancy.free.has(node.square) {
                if node.flags & flag::QUIET != 0 {
                    t.quiet.insert(node.square);
                }
                for rays in node.rays {
                    if rays != NO_RAYS {
                        let reached =
                            self.rays[rays as usize].until_blocked(node.square, &occupancy.free);
                        t.quiet |= reached;
                        t.capture |= reached;
                        if TOUCH {
                            *touched |= reached;
                        }
                    }
                }
                i += 1;
            } else {
                if node.flags & flag::CAPTURE != 0 {
                    t.capture.insert(node.square);
                }
                i = node.skip as usize;
            }
        }
    }

    /// Calls `found` for each special move from `from` whose way is open, with the squares it passes in order.
    pub fn specials(
        &self,
        mover: &Mover<N>,
        from: Square,
        occupancy: &Occupancy<N>,
        mut found: impl FnMut(Special, Square, &[Square]),
    ) {
        if !mover.specials.starts.is_empty() {
            walk_paths(&mover.specials, from, occupancy, |node, passed| {
                if node.flags & flag::MARKS != 0 {
                    found(Special::Marks, node.square, passed);
                }
                if node.flags & flag::EN_PASSANT != 0 {
                    found(Special::EnPassant, node.square, passed);
                }
            });
        }
    }

    /// The lame moves over squares that must not be attacked: `safe` is asked about each of those.
    pub fn cautious(
        &self,
        mover: &Mover<N>,
        from: Square,
        occupancy: &Occupancy<N>,
        mut safe: impl FnMut(Square) -> bool,
    ) -> Targets<N> {
        let mut t = Targets {
            quiet: Bitboard::EMPTY,
            capture: Bitboard::EMPTY,
        };
        if mover.cautious.starts.is_empty() {
            return t;
        }
        let (mut i, end) = mover.cautious.range(from);
        while i < end {
            let node = mover.cautious.nodes[i];
            let free = occupancy.free.has(node.square);
            if free && node.flags & flag::QUIET != 0 {
                t.quiet.insert(node.square);
            }
            if !free && node.flags & flag::CAPTURE != 0 {
                t.capture.insert(node.square);
            }
            let leaf = node.skip as usize == i + 1;
            let goes_on = free && !leaf && (node.flags & flag::SAFE == 0 || safe(node.square));
            i = if goes_on { i + 1 } else { node.skip as usize };
        }
        t
    }
}

/// Walks a tree and calls `visit` on each square reached over free squares, with the squares before it.
fn walk_paths<const N: usize>(
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
