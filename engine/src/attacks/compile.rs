//! From move programs to [`Tables`].

use std::collections::BTreeMap;
use std::sync::Arc;

use super::tables::{Forest, Mover, NO_RAYS, Path, PathKind, Rays, Ride, Tables, TreeNode, flag};
use crate::betza::{From, MoveProgram, Node, Root};
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Piece, Square};
use crate::variant::RuleSet;

/// Most paths and tree nodes of all pieces of a variant together.
const MOST_ENTRIES: usize = 1_500_000;
/// Longest path of a move that leaves en passant marks.
const LONGEST_MARKED: usize = 32;

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
        imitator_reach: [Vec::new(), Vec::new()],
    };
    if rules.imitator.is_some() {
        tables.imitator_reach = Colour::ALL.map(|c| imitator_reach(rules, &tables, c));
    }
    Ok(tables)
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

/// A text that is equal for programs with the same moves in another order.
fn canonical(program: &MoveProgram) -> Vec<String> {
    let mut roots: Vec<String> = program
        .roots
        .iter()
        .map(|r| format!("{:?} {}", r.from, canonical_node(&r.node)))
        .collect();
    roots.sort();
    roots
}

fn canonical_node(node: &Node) -> String {
    let list = |nodes: &[Node]| {
        let mut texts: Vec<String> = nodes.iter().map(canonical_node).collect();
        texts.sort();
        texts.join(",")
    };
    format!(
        "{:?}{:?}{}[{}][{}]",
        node.step,
        node.stop,
        node.safe,
        list(&node.on_empty),
        list(&node.on_occupied)
    )
}

/// What a root is, if it has one of the fast forms.
enum Form {
    Ride(Ride),
    Hop(Ride),
    Grasshop(Ride),
    Other,
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

    /// The fast form of a root.
    fn form(&mut self, root: &Root) -> Form {
        if root.from != From::Anywhere || !plain_node(&root.node) {
            return Form::Other;
        }
        let longest = usize::from(self.rules.geometry.files().max(self.rules.geometry.ranks())) - 1;
        let node = &root.node;
        let ride = |this: &mut Self, stop: crate::betza::Stop| Ride {
            rays: this.step(node.step),
            quiet: stop.quiet,
            capture: stop.capture,
        };
        if chain(node, node.step, longest, |n, first| {
            n.stop == first.stop && n.on_occupied.is_empty()
        }) && (node.stop.quiet || node.stop.capture)
            && longest > 1
        {
            return Form::Ride(ride(self, node.stop));
        }
        let no_stop = |n: &Node| !n.stop.quiet && !n.stop.capture;
        let landing = node
            .on_occupied
            .first()
            .filter(|l| l.step == node.step)
            .map(|l| l.stop);
        let Some(stop) = landing else {
            return Form::Other;
        };
        let after = |n: &Node, wanted: usize| {
            n.on_occupied.len() == 1
                && n.on_occupied[0].stop == stop
                && n.on_occupied[0].step == node.step
                && chain(&n.on_occupied[0], node.step, wanted, |m, _| {
                    m.stop == stop && m.on_occupied.is_empty()
                })
        };
        let mut remaining = longest;
        let (mut hop, mut grasshop) = (true, true);
        let mut current = Some(node);
        while let Some(n) = current {
            if n.step != node.step || !no_stop(n) || n.on_empty.len() > 1 {
                return Form::Other;
            }
            if remaining > 1 {
                hop &= after(n, remaining - 1);
                let leaf = n
                    .on_occupied
                    .first()
                    .is_some_and(|l| l.on_empty.is_empty() && l.on_occupied.is_empty());
                grasshop &= n.on_occupied.len() == 1
                    && n.on_occupied[0].step == node.step
                    && n.on_occupied[0].stop == stop
                    && leaf;
                remaining -= 1;
            }
            current = n.on_empty.first();
        }
        if remaining > 1 {
            return Form::Other;
        }
        match (hop, grasshop) {
            (_, true) if longest > 2 => Form::Grasshop(ride(self, stop)),
            (true, _) => Form::Hop(ride(self, stop)),
            _ => Form::Other,
        }
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

    /// Builds leap masks and forests of the roots that have no faster form.
    fn plant(
        &mut self,
        mover: &mut Mover<N>,
        roots: &[&Root],
        colour: Colour,
        kind: Option<Kind>,
    ) -> Result<(), LimitExceeded> {
        let mut forests = [Forest::default(), Forest::default(), Forest::default()];
        for square in self.rules.geometry.all() {
            for forest in &mut forests {
                forest.starts.push(forest.nodes.len() as u32);
            }
            for root in roots {
                if !self.may_start(root, colour, kind, square) {
                    continue;
                }
                let cautious = has_safe(&root.node);
                let Some(step) = self.rules.geometry.step(square, root.node.step) else {
                    continue;
                };
                for (which, forest) in forests.iter_mut().enumerate() {
                    let layer = [Layer::Ordinary, Layer::Special, Layer::Cautious][which];
                    if cautious != (layer == Layer::Cautious) {
                        continue;
                    }
                    let before = forest.nodes.len();
                    let place = Place {
                        origin: square,
                        colour,
                        layer,
                    };
                    self.grow(&root.node, step, place, 1, &mut forest.nodes);
                    let grown = forest.nodes.len() - before;
                    let plain_leaf = grown == 1
                        && layer == Layer::Ordinary
                        && forest.nodes[before].rays == [NO_RAYS; 2];
                    if plain_leaf {
                        let leaf = forest.nodes.remove(before);
                        if leaf.flags & flag::QUIET != 0 {
                            mover.leap_quiet[square.index()].insert(leaf.square);
                        }
                        if leaf.flags & flag::CAPTURE != 0 {
                            mover.leap_capture[square.index()].insert(leaf.square);
                        }
                    } else {
                        self.spend(grown)?;
                    }
                }
            }
        }
        for forest in &mut forests {
            if forest.nodes.is_empty() {
                forest.starts.clear();
            } else {
                forest.starts.push(forest.nodes.len() as u32);
            }
        }
        [mover.forest, mover.specials, mover.cautious] = forests;
        mover.en_passant = self.en_passant_reach(&mover.specials);
        Ok(())
    }

    fn en_passant_reach(&self, specials: &Forest) -> Vec<Bitboard<N>> {
        if !specials
            .nodes
            .iter()
            .any(|n| n.flags & flag::EN_PASSANT != 0)
        {
            return Vec::new();
        }
        let of = |square: Square| {
            let (start, end) = specials.range(square);
            specials.nodes[start..end]
                .iter()
                .filter(|n| n.flags & flag::EN_PASSANT != 0)
                .map(|n| n.square)
                .collect()
        };
        self.rules.geometry.all().map(of).collect()
    }

    /// Appends the tree of `node`, which stands on `square`, leaving out what leads nowhere.
    ///
    /// A path may lead over the square that the man has just left, which is then empty; it does not end there.
    fn grow(
        &mut self,
        node: &Node,
        square: Square,
        place: Place,
        depth: usize,
        out: &mut Vec<TreeNode>,
    ) {
        let start = out.len();
        let at_origin = square == place.origin;
        let flags = if at_origin {
            0
        } else {
            self.flags(node, square, place.colour, place.layer)
        };
        if !at_origin {
            out.push(TreeNode {
                square,
                flags,
                rays: [NO_RAYS; 2],
                skip: 0,
            });
        }
        let mut rays = 0;
        for child in &node.on_empty {
            let Some(next) = self.rules.geometry.step(square, child.step) else {
                continue;
            };
            let ordinary = place.layer == Layer::Ordinary && !at_origin;
            if ordinary && rays < 2 && self.is_full_ride(child, square, place.origin) {
                out[start].rays[rays] = self.step(child.step);
                rays += 1;
            } else if place.layer != Layer::Special || depth < LONGEST_MARKED {
                self.grow(child, next, place, depth + 1, out);
            }
        }
        if at_origin {
            return;
        }
        out[start].skip = out.len() as u32;
        if out.len() == start + 1 && flags & !flag::SAFE == 0 && rays == 0 {
            out.truncate(start);
        }
        if node.on_occupied.is_empty() || place.layer == Layer::Special {
            return;
        }
        let platform = out.len();
        out.push(TreeNode {
            square,
            flags: flag::PLATFORM,
            rays: [NO_RAYS; 2],
            skip: 0,
        });
        for child in &node.on_occupied {
            if let Some(next) = self.rules.geometry.step(square, child.step) {
                self.grow(child, next, place, depth + 1, out);
            }
        }
        out[platform].skip = out.len() as u32;
        if out.len() == platform + 1 {
            out.truncate(platform);
        }
    }

    fn flags(&self, node: &Node, square: Square, colour: Colour, layer: Layer) -> u8 {
        let stop = node.stop;
        let quiet =
            stop.quiet && (!stop.own_half || self.rules.geometry.in_own_half(colour, square));
        let mut flags = 0;
        if layer == Layer::Special {
            if quiet && stop.marks_passed {
                flags |= flag::MARKS;
            }
            if stop.en_passant {
                flags |= flag::EN_PASSANT;
            }
            return flags;
        }
        if quiet && !stop.marks_passed {
            flags |= flag::QUIET;
        }
        if stop.capture {
            flags |= flag::CAPTURE;
        }
        if node.safe {
            flags |= flag::SAFE;
        }
        flags
    }

    /// Whether a child of the node on `square` is a ride to the edge with all stops.
    fn is_full_ride(&self, child: &Node, square: Square, origin: Square) -> bool {
        let mut length = 0;
        let mut at = self.rules.geometry.step(square, child.step);
        while let Some(next) = at {
            if next == origin {
                return false;
            }
            length += 1;
            at = self.rules.geometry.step(next, child.step);
        }
        child.stop.quiet
            && child.stop.capture
            && plain_node(child)
            && chain(child, child.step, length, |n, first| {
                n.stop == first.stop && n.on_occupied.is_empty()
            })
    }

    /// Fills the backward tables by going through all forward paths.
    fn backward(
        &mut self,
        mover: &mut Mover<N>,
        program: &MoveProgram,
        colour: Colour,
        kind: Option<Kind>,
    ) -> Result<(), LimitExceeded> {
        let squares = self.squares();
        let mut found: Vec<(u8, u8, Path<N>)> = Vec::new();
        for from in self.rules.geometry.all() {
            for root in &program.roots {
                if !self.may_start(root, colour, kind, from) || has_safe(&root.node) {
                    continue;
                }
                match self.form(root) {
                    Form::Hop(hop) => self.hop_paths(hop, from, root.node.step, &mut found),
                    _ => {
                        let mut walker = PathWalker {
                            rules: self.rules,
                            from,
                            found: &mut found,
                        };
                        walker.walk(&root.node, from, Bitboard::EMPTY, Bitboard::EMPTY);
                    }
                }
                if found.len() + self.entries > MOST_ENTRIES {
                    return Err(LimitExceeded);
                }
            }
        }
        found.sort_by_key(|(from, target, path)| {
            (*target, *from, path.clear.count() + path.platforms.count())
        });
        mover.row = vec![0; squares];
        mover.column = vec![0; squares * squares];
        let mut i = 0;
        for target in 0..squares {
            mover.row[target] = mover.paths.len() as u32;
            while i < found.len() && usize::from(found[i].1) == target {
                let from = found[i].0;
                let mut end = i;
                while end < found.len()
                    && (found[end].0, usize::from(found[end].1)) == (from, target)
                {
                    end += 1;
                }
                self.keep_paths(mover, &found[i..end], Square(from), target)?;
                i = end;
            }
        }
        self.spend(mover.paths.len())
    }

    /// Stores the paths from one square to another that are not implied by others.
    fn keep_paths(
        &self,
        mover: &mut Mover<N>,
        found: &[(u8, u8, Path<N>)],
        from: Square,
        target: usize,
    ) -> Result<(), LimitExceeded> {
        if found[0].2.clear.is_empty() && found[0].2.platforms.is_empty() {
            mover.leap_to[target].insert(from);
            return Ok(());
        }
        mover.line_to[target].insert(from);
        let start = mover.paths.len();
        let column = start - mover.row[target] as usize;
        mover.column[target * self.squares() + from.index()] =
            u16::try_from(column).map_err(|_| LimitExceeded)?;
        for (_, _, path) in found {
            let implied = mover.paths[start..].iter().any(|p| {
                p.kind == path.kind
                    && p.clear.without(path.clear).is_empty()
                    && p.platforms.without(path.platforms).is_empty()
                    && (p.kind == PathKind::Fixed || p.clear == path.clear)
            });
            if !implied {
                mover.paths.push(*path);
            }
        }
        if let Some(last) = mover.paths.last_mut() {
            last.last = true;
        }
        Ok(())
    }

    fn hop_paths(
        &self,
        hop: Ride,
        from: Square,
        step: (i8, i8),
        found: &mut Vec<(u8, u8, Path<N>)>,
    ) {
        if !hop.capture {
            return;
        }
        let board = &self.rules.geometry;
        let mut between = Bitboard::EMPTY;
        let mut at = board.step(from, step);
        while let Some(square) = at {
            if between.any() {
                let path = Path {
                    clear: between,
                    platforms: Bitboard::EMPTY,
                    kind: PathKind::OverOne,
                    last: false,
                };
                found.push((from.0, square.0, path));
            }
            between.insert(square);
            at = board.step(square, step);
        }
    }
}

/// Where a tree grows.
#[derive(Clone, Copy)]
struct Place {
    origin: Square,
    colour: Colour,
    layer: Layer,
}

/// Which of a mover's forests is built.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layer {
    Ordinary,
    Special,
    Cautious,
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

/// Joins rides along the same rays.
fn merge_rides(rides: &mut Vec<Ride>) {
    let mut merged: Vec<Ride> = Vec::new();
    for ride in rides.iter() {
        match merged.iter_mut().find(|r| r.rays == ride.rays) {
            Some(r) => {
                r.quiet |= ride.quiet;
                r.capture |= ride.capture;
            }
            None => merged.push(*ride),
        }
    }
    *rides = merged;
}

/// Goes through every path of a program from one square and notes the captures.
struct PathWalker<'a, const N: usize> {
    rules: &'a RuleSet,
    from: Square,
    found: &'a mut Vec<(u8, u8, Path<N>)>,
}

impl<const N: usize> PathWalker<'_, N> {
    fn walk(&mut self, node: &Node, before: Square, clear: Bitboard<N>, platforms: Bitboard<N>) {
        let Some(square) = self.rules.geometry.step(before, node.step) else {
            return;
        };
        if node.stop.capture && square != self.from && self.found.len() <= MOST_ENTRIES {
            self.found.push((
                self.from.0,
                square.0,
                Path {
                    clear,
                    platforms,
                    kind: PathKind::Fixed,
                    last: false,
                },
            ));
        }
        // The origin has been left: on the way it is empty and no platform.
        let clear_next = if square == self.from {
            clear
        } else {
            clear | Bitboard::of(square)
        };
        for child in &node.on_empty {
            self.walk(child, square, clear_next, platforms);
        }
        if square != self.from {
            for child in &node.on_occupied {
                self.walk(child, square, clear, platforms | Bitboard::of(square));
            }
        }
    }
}
