//! From move programs to [`Tables`].

mod backward;
mod forest;
mod form;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::forest::Forest;
use super::mover::Mover;
use super::rays::Rays;
use super::tables::{Sources, Tables};
use crate::betza::{From, MoveProgram, Node, Root};
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Piece, Square};
use crate::variant::RuleSet;
use form::{Form, merge_rides};

/// Most paths and tree nodes of all pieces of a variant together.
const MOST_ENTRIES: usize = 1_500_000;

/// A variant whose tables would be too large.
#[derive(Debug, thiserror::Error)]
#[error(
    "the moves of its pieces need more than {MOST_ENTRIES} table entries; use fewer or simpler pieces or a smaller board"
)]
pub struct LimitExceeded;

/// Compiles the tables of a variant.
///
/// # Errors
/// The tables would be too large.
pub fn compile<const N: usize>(rules: &RuleSet) -> Result<Tables<N>, LimitExceeded> {
    let mut compiler = Compiler {
        rules,
        rays: Vec::new(),
        steps: BTreeMap::new(),
        entries: 0,
    };
    let powers: Vec<MoveProgram> = rules
        .augment
        .iter()
        .flat_map(|a| {
            a.augmenters
                .iter()
                .chain(a.regent.iter().flat_map(|r| &r.bases))
                .map(|(_, p)| p.clone())
        })
        .collect();
    let powers_count = powers.len();
    let mut programs: Vec<(MoveProgram, Option<Kind>)> = Vec::new();
    programs.extend(
        rules
            .pieces
            .iter()
            .enumerate()
            .map(|(i, p)| (p.program.clone(), Some(Kind(i as u8)))),
    );
    programs.extend(powers.into_iter().map(|p| (p, None)));
    let mut imitated = Vec::new();
    if rules.imitator.is_some() {
        for (i, piece) in rules.pieces.iter().enumerate() {
            let program = piece.program.imitated();
            if program.roots == piece.program.roots {
                imitated.push(i as u8);
            } else {
                imitated.push(programs.len() as u8);
                programs.push((program, None));
            }
        }
    }
    let mut movers = [Vec::new(), Vec::new()];
    for (program, kind) in &programs {
        let black = program.mirrored();
        let white_mover = Arc::new(compiler.mover(program, Colour::White, *kind)?);
        let shared = is_plain(program) && canonical(program) == canonical(&black);
        let black_mover = if shared {
            white_mover.clone()
        } else {
            Arc::new(compiler.mover(&black, Colour::Black, *kind)?)
        };
        movers[0].push(white_mover);
        movers[1].push(black_mover);
    }
    let main = compiler.main();
    let mut tables = Tables {
        main,
        rays: compiler.rays,
        movers,
        imitated,
        kinds: rules.pieces.len(),
        sources: [Vec::new(), Vec::new()],
        row: rules.pieces.len() + powers_count,
        imitator_reach: [Vec::new(), Vec::new()],
    };
    tables.sources = Colour::ALL.map(|c| sources(rules, &tables, c));
    if rules.imitator.is_some() {
        tables.imitator_reach = Colour::ALL.map(|c| imitator_reach(rules, &tables, c));
    }
    Ok(tables)
}

fn sources<const N: usize>(rules: &RuleSet, tables: &Tables<N>, colour: Colour) -> Vec<Sources<N>> {
    let movers = &tables.movers[colour.index()][..tables.row];
    let rows = rules.geometry.all().flat_map(|target| {
        movers.iter().map(move |mover| Sources {
            leaps: *mover.leapers_to(target),
            lines: *mover.liners_to(target),
        })
    });
    rows.collect()
}

fn imitator_reach<const N: usize>(rules: &RuleSet, tables: &Tables<N>, colour: Colour) -> Vec<u32> {
    let squares = rules.geometry.squares();
    let mut reach = vec![0; squares * squares];
    for kind in 0..rules.pieces.len() {
        let mover = tables.imitation(colour, Kind(kind as u8));
        for target in 0..squares {
            for from in mover.leap_to[target] | mover.line_to[target] {
                reach[from.index() * squares + target] |= 1 << kind;
            }
        }
    }
    reach
}

/// Whether a program's moves are the same from every square and for every state of the game.
fn is_plain(program: &MoveProgram) -> bool {
    program
        .roots
        .iter()
        .all(|r| r.from == From::Anywhere && plain_node(&r.node))
}

fn plain_node(node: &Node) -> bool {
    let special = node.stop.en_passant || node.stop.own_half || node.stop.marks_passed || node.safe;
    !special
        && node
            .on_empty
            .iter()
            .chain(&node.on_occupied)
            .all(plain_node)
}

/// The first steps of a program, with all continuations, in an order that only depends on what they are.
fn canonical(program: &MoveProgram) -> Vec<Node> {
    in_order(program.roots.iter().map(|r| &r.node))
}

fn in_order<'a>(nodes: impl Iterator<Item = &'a Node>) -> Vec<Node> {
    let sorted = nodes.map(|node| Node {
        on_empty: in_order(node.on_empty.iter()),
        on_occupied: in_order(node.on_occupied.iter()),
        ..*node
    });
    let mut sorted: Vec<Node> = sorted.collect();
    sorted.sort();
    sorted
}

struct Compiler<'a, const N: usize> {
    rules: &'a RuleSet,
    rays: Vec<Rays<N>>,
    steps: BTreeMap<(i8, i8), u8>,
    entries: usize,
}

impl<const N: usize> Compiler<'_, N> {
    fn main(&self) -> Bitboard<N> {
        let mut words = [0; N];
        words.copy_from_slice(&self.rules.geometry.main()[..N]);
        Bitboard(words)
    }

    fn squares(&self) -> usize {
        self.rules.geometry.squares()
    }

    fn spend(&mut self, entries: usize) -> Result<(), LimitExceeded> {
        self.entries += entries;
        if self.entries > MOST_ENTRIES {
            Err(LimitExceeded)
        } else {
            Ok(())
        }
    }

    fn mover(
        &mut self,
        program: &MoveProgram,
        colour: Colour,
        kind: Option<Kind>,
    ) -> Result<Mover<N>, LimitExceeded> {
        let squares = self.squares();
        let mut mover = Mover {
            leap_quiet: vec![Bitboard::EMPTY; squares],
            leap_capture: vec![Bitboard::EMPTY; squares],
            rides: Vec::new(),
            hops: Vec::new(),
            grasshops: Vec::new(),
            forest: Forest::default(),
            specials: Forest::default(),
            cautious: Forest::default(),
            leap_to: vec![Bitboard::EMPTY; squares],
            line_to: vec![Bitboard::EMPTY; squares],
            paths: Vec::new(),
            row: Vec::new(),
            column: Vec::new(),
            en_passant: Vec::new(),
            en_passant_to: Vec::new(),
        };
        let mut others = Vec::new();
        for root in &program.roots {
            match self.form(root) {
                Form::Ride(ride) => mover.rides.push(ride),
                Form::Hop(ride) => mover.hops.push(ride),
                Form::Grasshop(ride) => mover.grasshops.push(ride),
                Form::Other => others.push(root),
            }
        }
        merge_rides(&mut mover.rides);
        merge_rides(&mut mover.hops);
        merge_rides(&mut mover.grasshops);
        self.plant(&mut mover, &others, colour, kind)?;
        self.backward(&mut mover, program, colour, kind)?;
        Ok(mover)
    }

    /// The index of the rays of a step.
    fn step(&mut self, step: (i8, i8)) -> u8 {
        if let Some(&index) = self.steps.get(&step) {
            return index;
        }
        let board = &self.rules.geometry;
        let from = board
            .all()
            .map(|start| {
                let mut ray = Bitboard::EMPTY;
                let mut at = board.step(start, step);
                while let Some(square) = at {
                    ray.insert(square);
                    at = board.step(square, step);
                }
                ray
            })
            .collect();
        let index = self.rays.len() as u8;
        let delta = i32::from(step.1) * i32::from(board.files()) + i32::from(step.0);
        self.rays.push(Rays {
            from,
            rising: delta > 0,
        });
        self.steps.insert(step, index);
        index
    }

    fn may_start(&self, root: &Root, colour: Colour, kind: Option<Kind>, square: Square) -> bool {
        match &root.from {
            From::Anywhere => true,
            From::StartSquare => kind.is_some_and(|k| {
                self.rules.start.homes[square.index()].contains(&Piece::new(colour, k))
            }),
            From::Ranks(ranks) => {
                let rank = self.rules.geometry.relative_rank(colour, square);
                u8::try_from(rank).is_ok_and(|r| ranks.contains(&r))
            }
        }
    }
}

/// Whether a path needs unattacked squares.
fn has_safe(node: &Node) -> bool {
    node.safe || node.on_empty.iter().chain(&node.on_occupied).any(has_safe)
}

/// Whether a node begins a chain of at least `length` equal steps over free squares.
fn chain(node: &Node, step: (i8, i8), length: usize, same: impl Fn(&Node, &Node) -> bool) -> bool {
    let mut current = node;
    for i in 1..=length {
        if current.step != step || !same(current, node) || current.on_empty.len() > 1 {
            return false;
        }
        if i == length {
            // What follows leaves the board, but only if it goes straight on.
            return current.on_empty.iter().all(|next| next.step == step);
        }
        match current.on_empty.first() {
            Some(next) => current = next,
            None => return false,
        }
    }
    true
}
