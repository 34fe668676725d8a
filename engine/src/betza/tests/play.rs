//! A plain interpreter of programs, with which the tests look at moves instead of nodes.

use std::collections::{BTreeMap, BTreeSet};

use super::super::{From, MoveProgram, Node, Stop, compile};

/// A square relative to the moving piece, as (file, rank).
pub(super) type Offset = (i8, i8);
pub(super) type Squares = BTreeSet<Offset>;

/// A set of squares from a list.
pub(super) fn squares(list: &[Offset]) -> Squares {
    list.iter().copied().collect()
}

/// The offset in all its reflections and rotations.
pub(super) fn all_of(x: i8, y: i8) -> Squares {
    let mut all = Squares::new();
    for (x, y) in [(x, y), (y, x)] {
        all.extend([(x, y), (x, -y), (-x, y), (-x, -y)]);
    }
    all
}

pub(super) fn union(sets: &[Squares]) -> Squares {
    sets.iter().flatten().copied().collect()
}

/// Squares in a line from `start`, a step apart.
pub(super) fn line(start: Offset, step: Offset, count: i8) -> Squares {
    (0..count)
        .map(|index| (start.0 + step.0 * index, start.1 + step.1 * index))
        .collect()
}

/// What a piece can do in a position.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Moves {
    pub(super) quiet: Squares,
    pub(super) capture: Squares,
}

/// The moves among `enemies` on a board that reaches `radius` squares to every side.
pub(super) fn moves(text: &str, enemies: &[Offset], radius: i8) -> Moves {
    let program = compile(text).unwrap();
    let board = Board {
        enemies: squares(enemies),
        radius,
    };
    let mut moves = Moves::default();
    for root in &program.roots {
        board.walk(&root.node, (0, 0), &mut moves);
    }
    moves
}

/// Quiet moves on an empty board of radius 15.
pub(super) fn quiet(text: &str) -> Squares {
    moves(text, &[], 15).quiet
}

struct Board {
    enemies: Squares,
    radius: i8,
}

impl Board {
    fn walk(&self, node: &Node, from: Offset, moves: &mut Moves) {
        let at = (from.0 + node.step.0, from.1 + node.step.1);
        if at.0.abs().max(at.1.abs()) > self.radius {
            return;
        }
        let occupied = self.enemies.contains(&at);
        if occupied && node.stop.capture {
            moves.capture.insert(at);
        }
        if !occupied && node.stop.quiet {
            moves.quiet.insert(at);
        }
        let behind = if occupied {
            &node.on_occupied
        } else {
            &node.on_empty
        };
        for next in behind {
            self.walk(next, at, moves);
        }
    }
}

/// A way to one square: what lies on it and how it ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Path {
    /// The squares before the target, each with how it must be.
    pub(super) over: Vec<(Offset, Need)>,
    pub(super) target: Offset,
}

/// What a square on the way must be like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Need {
    Empty,
    Safe,
    Occupied,
}

/// All paths of a program with their ends.
pub(super) fn paths(program: &MoveProgram) -> Vec<(From, Path, Stop)> {
    fn walk(from: &From, node: &Node, before: &Path, found: &mut Vec<(From, Path, Stop)>) {
        let at = (before.target.0 + node.step.0, before.target.1 + node.step.1);
        let mut path = before.clone();
        path.target = at;
        if !node.stop.is_none() {
            found.push((from.clone(), path.clone(), node.stop));
        }
        let empty = if node.safe { Need::Safe } else { Need::Empty };
        for (need, behind) in [(empty, &node.on_empty), (Need::Occupied, &node.on_occupied)] {
            for next in behind {
                let mut longer = path.clone();
                longer.over.push((at, need));
                walk(from, next, &longer, found);
            }
        }
    }
    let mut found = Vec::new();
    let start = Path {
        over: Vec::new(),
        target: (0, 0),
    };
    for root in &program.roots {
        walk(&root.from, &root.node, &start, &mut found);
    }
    found
}

/// The paths to each target, without their ends.
pub(super) fn paths_by_target(text: &str) -> BTreeMap<Offset, Vec<Vec<(Offset, Need)>>> {
    let mut by_target: BTreeMap<Offset, Vec<Vec<(Offset, Need)>>> = BTreeMap::new();
    for (_, path, _) in paths(&compile(text).unwrap()) {
        by_target.entry(path.target).or_default().push(path.over);
    }
    by_target.values_mut().for_each(|paths| paths.sort());
    by_target
}
