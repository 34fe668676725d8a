//! All tables of a variant, and where a man reaches by them.

use std::sync::Arc;

use super::forest::{Forest, NO_RAYS, Special, flag, walk_marks, walk_paths};
use super::mover::Mover;
use super::rays::{Rays, Ride};
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

/// What a man on a square reaches, and what that depends on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach<const N: usize> {
    /// Its targets; `quiet` is not masked with the free squares.
    pub targets: Targets<N>,
    /// Quiet targets of moves that may leave en passant marks.
    pub marks: Bitboard<N>,
    /// As long as no man comes to or leaves one of these squares, the sets above stay.
    pub touched: Bitboard<N>,
}

impl<const N: usize> Reach<N> {
    /// Nothing.
    pub const NOTHING: Self = Reach {
        targets: Targets {
            quiet: Bitboard::EMPTY,
            capture: Bitboard::EMPTY,
        },
        marks: Bitboard::EMPTY,
        touched: Bitboard::EMPTY,
    };
}

/// From where a mover captures a square.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources<const N: usize> {
    /// Whatever stands between.
    pub leaps: Bitboard<N>,
    /// If one of the paths is open.
    pub lines: Bitboard<N>,
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
    /// By colour, target and mover (types, then powers): from where the target is captured. The same as the movers'
    /// own tables, side by side because they are looked through together.
    pub(super) sources: [Vec<Sources<N>>; 2],
    /// Movers of a row of `sources`.
    pub(super) row: usize,
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

    /// From where each mover of a colour captures `target`: types, then powers.
    #[inline(always)]
    #[must_use]
    pub(crate) fn sources(&self, colour: Colour, target: Square) -> &[Sources<N>] {
        &self.sources[colour.index()][target.index() * self.row..][..self.row]
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
    #[inline(always)]
    pub fn targets(&self, mover: &Mover<N>, from: Square, occupancy: &Occupancy<N>) -> Targets<N> {
        let mut reach = Reach::NOTHING;
        self.reach(mover, from, occupancy, &mut reach);
        reach.targets.quiet &= occupancy.free;
        reach.targets
    }

    /// Adds where a man of this type on `from` can go, cautious moves aside.
    #[inline(always)]
    pub(crate) fn reach(
        &self,
        mover: &Mover<N>,
        from: Square,
        occupancy: &Occupancy<N>,
        reach: &mut Reach<N>,
    ) {
        let mut t = Targets {
            quiet: mover.leap_quiet[from.index()],
            capture: mover.leap_capture[from.index()],
        };
        let mut touched = reach.touched;
        for ride in &mover.rides {
            let reached = self.rays[ride.rays as usize].until_blocked(from, &occupancy.free);
            if ride.quiet {
                t.quiet |= reached;
            }
            if ride.capture {
                t.capture |= reached;
            }
            touched |= reached;
        }
        for hop in mover.hops.iter().chain(&mover.grasshops) {
            touched |= self.rays[hop.rays as usize].until_blocked(from, &occupancy.free);
        }
        for hop in &mover.hops {
            touched |= self.hop(*hop, from, occupancy, &mut t);
        }
        for hop in &mover.grasshops {
            self.grasshop(*hop, from, occupancy, &mut t);
        }
        if !mover.forest.starts.is_empty() {
            self.walk(&mover.forest, from, occupancy, &mut t, &mut touched);
        }
        if !mover.specials.starts.is_empty() {
            reach.marks |= walk_marks(&mover.specials, from, occupancy, &mut touched);
        }
        reach.targets.quiet |= t.quiet;
        reach.targets.capture |= t.capture;
        reach.touched = touched;
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
    fn walk(
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
            touched.insert(node.square);
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
                        *touched |= reached;
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
