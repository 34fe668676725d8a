//! [`MoveProgram`]: what a piece may do, as a tree of steps that no longer knows its notation.
//!
//! A program is written from White's point of view and knows no board: steps are `(file, rank)`
//! changes, forward is `+rank`. Rides are unrolled to at most [`MoveProgram::LONGEST_RIDE`] steps,
//! the longest that fits on a board of 16 files or ranks; whoever places the program on a board cuts
//! what leaves it. Black's moves are the mirror image in the rank.
//!
//! No path sets foot on the square where it started: a step over it is written as one step.

use std::ops::RangeInclusive;

/// All ways of moving of one piece type.
///
/// Moves are a set: two paths to one square are one move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveProgram {
    /// The first steps, each with the condition on the square it starts from.
    pub roots: Vec<Root>,
    /// The piece also moves as the type that the opponent moved last (Betza atom `I`).
    pub imitator: bool,
}

/// A first step and where it may start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Root {
    /// Where the piece must stand to begin this move.
    pub from: From,
    /// The first step.
    pub node: Node,
}

/// Where a piece must stand to begin a move.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum From {
    /// Anywhere.
    Anywhere,
    /// On one of the squares that its type and colour occupies in the start position (modifier `i`).
    StartSquare,
    /// On one of these ranks, counted from the owner's side, first main-board rank = 1 (suffix `@`).
    Ranks(RangeInclusive<u8>),
}

/// One step of a path, and what may follow.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Node {
    /// Change of (file, rank) from the square before, White's forward being positive.
    pub step: (i8, i8),
    /// The ways in which the move may end on this square.
    pub stop: Stop,
    /// The square must not be attacked by the opponent for the path to go on over it
    /// (our modifier for the king of War of the Roses); meaningful only with `on_empty`.
    pub safe: bool,
    /// Continuations if this square exists and is empty.
    pub on_empty: Vec<Node>,
    /// Continuations if this square is occupied by a man of either side, which stays (a platform).
    pub on_occupied: Vec<Node>,
}

/// The ways in which a move may end on a square.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stop {
    /// It may end here if the square is empty.
    pub quiet: bool,
    /// It may end here by capturing an enemy man.
    pub capture: bool,
    /// It may end here, on an empty square that an enemy has just passed, by en passant.
    pub en_passant: bool,
    /// `quiet` holds only if this square is in the mover's own half of the board (range `*`, steps
    /// after the first).
    pub own_half: bool,
    /// A move that ends here may be captured en passant on every square of its path before this one.
    pub marks_passed: bool,
}

impl MoveProgram {
    /// The longest ride: 15 steps cross a board of 16 squares.
    ///
    /// No path leaves the square of this radius round its start, and no straight ride has more
    /// steps; a path that turns may have.
    pub const LONGEST_RIDE: u8 = 15;

    /// What a piece that imitates this one may do: plain moves and captures only.
    ///
    /// Left out are moves that begin on certain squares only, en passant, steps of a range `*`
    /// after the first, moves that can be captured en passant, and paths over squares that must
    /// not be attacked. The imitation does not imitate in turn.
    ///
    /// ```
    /// use engine::betza::compile;
    /// let pawn = compile("mfW*fceF").unwrap();
    /// assert_eq!(pawn.imitated(), compile("mfWfcF").unwrap());
    /// ```
    pub fn imitated(&self) -> MoveProgram {
        let roots = self.roots.iter().filter(|root| root.from == From::Anywhere);
        MoveProgram {
            roots: roots
                .filter_map(|root| {
                    Some(Root {
                        from: From::Anywhere,
                        node: root.node.imitated()?,
                    })
                })
                .collect(),
            imitator: false,
        }
    }

    /// The same moves seen from the other side: forward and backward exchanged.
    ///
    /// Conditions on where a move begins ([`From`]) are told from the owner's side and stay.
    ///
    /// ```
    /// use engine::betza::compile;
    /// assert_eq!(compile("fR").unwrap().mirrored(), compile("bR").unwrap());
    /// ```
    pub fn mirrored(&self) -> MoveProgram {
        let roots = self.roots.iter().map(|root| Root {
            from: root.from.clone(),
            node: root.node.mirrored(),
        });
        MoveProgram {
            roots: roots.collect(),
            imitator: self.imitator,
        }
    }

    /// Whether a path leads over squares that must not be attacked (modifier `n!`).
    ///
    /// ```
    /// use engine::betza::compile;
    /// assert!(compile("Kn!D").unwrap().needs_safe_squares());
    /// assert!(!compile("KnD").unwrap().needs_safe_squares());
    /// ```
    pub fn needs_safe_squares(&self) -> bool {
        self.roots.iter().any(|root| root.node.needs_safe_squares())
    }

    /// The number of nodes in all trees.
    ///
    /// ```
    /// assert_eq!(engine::betza::compile("R").unwrap().node_count(), 4 * 15);
    /// ```
    pub fn node_count(&self) -> usize {
        self.roots.iter().map(|root| root.node.count()).sum()
    }
}

impl Node {
    /// Whether no move ends here or behind.
    pub(super) fn leads_nowhere(&self) -> bool {
        self.stop.is_none() && self.on_empty.is_empty() && self.on_occupied.is_empty()
    }

    fn imitated(&self) -> Option<Node> {
        if self.safe {
            return None;
        }
        let imitate = |nodes: &[Node]| nodes.iter().filter_map(Node::imitated).collect();
        let mut stop = Stop {
            en_passant: false,
            ..self.stop
        };
        if stop.own_half || stop.marks_passed {
            stop = Stop::default();
        }
        let node = Node {
            step: self.step,
            stop,
            safe: false,
            on_empty: imitate(&self.on_empty),
            on_occupied: imitate(&self.on_occupied),
        };
        (!node.leads_nowhere()).then_some(node)
    }

    fn mirrored(&self) -> Node {
        let mirror = |nodes: &[Node]| nodes.iter().map(Node::mirrored).collect();
        Node {
            step: (self.step.0, -self.step.1),
            stop: self.stop,
            safe: self.safe,
            on_empty: mirror(&self.on_empty),
            on_occupied: mirror(&self.on_occupied),
        }
    }

    fn count(&self) -> usize {
        1 + self.children().map(Node::count).sum::<usize>()
    }

    fn needs_safe_squares(&self) -> bool {
        self.safe || self.children().any(Node::needs_safe_squares)
    }

    /// All continuations.
    fn children(&self) -> impl Iterator<Item = &Node> {
        self.on_empty.iter().chain(&self.on_occupied)
    }
}

impl Stop {
    /// Whether no move may end here.
    pub fn is_none(self) -> bool {
        !(self.quiet || self.capture || self.en_passant)
    }
}
