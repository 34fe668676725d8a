//! The slow oracle: move programs walked square by square, without tables, to test the tables against.

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::{Occupancy, Tables};
use crate::betza::{From, MoveProgram, Node};
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Piece, Square};
use crate::variant::{Catalog, RuleSet};

/// Quiet targets and capture targets of a man, en passant, marking and cautious moves aside.
struct Walk<'a> {
    rules: &'a RuleSet,
    colour: Colour,
    origin: Square,
    occupied: &'a BTreeSet<Square>,
    quiet: BTreeSet<Square>,
    capture: BTreeSet<Square>,
}

impl Walk<'_> {
    fn node(&mut self, node: &Node, before: Square) {
        let (df, dr) = node.step;
        let step = if self.colour == Colour::White {
            (df, dr)
        } else {
            (df, -dr)
        };
        let Some(square) = self.rules.geometry.step(before, step) else {
            return;
        };
        let home = square == self.origin;
        let occupied = self.occupied.contains(&square) && !home;
        let free = home || (!occupied && self.rules.geometry.is_main(square));
        let own_half = self.rules.geometry.in_own_half(self.colour, square);
        let stop = node.stop;
        if free && !home && stop.quiet && !stop.marks_passed && (!stop.own_half || own_half) {
            self.quiet.insert(square);
        }
        if !home && stop.capture {
            self.capture.insert(square);
        }
        if free {
            node.on_empty.iter().for_each(|n| self.node(n, square));
        }
        if occupied {
            node.on_occupied.iter().for_each(|n| self.node(n, square));
        }
    }
}

fn slow(
    rules: &RuleSet,
    program: &MoveProgram,
    colour: Colour,
    kind: Option<Kind>,
    from: Square,
    occupied: &BTreeSet<Square>,
) -> (BTreeSet<Square>, BTreeSet<Square>) {
    let mut walk = Walk {
        rules,
        colour,
        origin: from,
        occupied,
        quiet: BTreeSet::new(),
        capture: BTreeSet::new(),
    };
    for root in &program.roots {
        let may = match &root.from {
            From::Anywhere => true,
            From::StartSquare => kind
                .is_some_and(|k| rules.start.homes[from.index()].contains(&Piece::new(colour, k))),
            From::Ranks(r) => u8::try_from(rules.geometry.relative_rank(colour, from))
                .is_ok_and(|x| r.contains(&x)),
        };
        if may && !safe_inside(&root.node) {
            walk.node(&root.node, from);
        }
    }
    (walk.quiet, walk.capture)
}

fn safe_inside(node: &Node) -> bool {
    node.safe || node.on_empty.iter().any(safe_inside)
}

/// Every mover of every built-in variant, against the oracle, on a board with these squares occupied.
fn agree<const N: usize>(rules: &RuleSet, tables: &Tables<N>, occupied: &BTreeSet<Square>) {
    let set: Bitboard<N> = occupied.iter().copied().collect();
    let occupancy: Occupancy<N> = tables.occupancy(set);
    let kinds = rules
        .pieces
        .iter()
        .enumerate()
        .map(|(i, p)| (p.program.clone(), Some(Kind(i as u8)), i));
    let powers = rules.augment.iter().flat_map(|a| {
        a.augmenters
            .iter()
            .chain(a.regent.iter().flat_map(|r| &r.bases))
    });
    let powers = powers
        .enumerate()
        .map(|(i, (_, p))| (p.clone(), None, rules.pieces.len() + i));
    let imitations = rules
        .pieces
        .iter()
        .enumerate()
        .filter(|_| rules.imitator.is_some());
    let imitations =
        imitations.map(|(i, p)| (p.program.imitated(), None, tables.imitated[i] as usize));
    for (program, kind, index) in kinds.chain(powers).chain(imitations) {
        for colour in Colour::ALL {
            let mover = &tables.movers[colour.index()][index];
            for &from in occupied {
                let (quiet, capture) = slow(rules, &program, colour, kind, from, occupied);
                let fast = tables.targets(mover, from, &occupancy);
                let label =
                    || format!("mover {index} of {colour} on {}", rules.geometry.name(from));
                assert_eq!(
                    fast.quiet.into_iter().collect::<BTreeSet<_>>(),
                    quiet,
                    "quiet, {}",
                    label()
                );
                let captures: BTreeSet<_> = (fast.capture & set.without(Bitboard::of(from)))
                    .into_iter()
                    .collect();
                let expected: BTreeSet<_> = capture.intersection(occupied).copied().collect();
                assert_eq!(captures, expected, "captures, {}", label());
                for &target in occupied.iter().filter(|&&t| t != from) {
                    assert_eq!(
                        mover.attacks(from, target, &occupancy),
                        expected.contains(&target),
                        "attack on {}, {}",
                        rules.geometry.name(target),
                        label()
                    );
                }
            }
        }
    }
}

fn check(id: &str, squares: &[u16]) {
    let variant = Catalog::builtin().get(id).unwrap();
    let rules = variant.rules();
    let exists = |s: &Square| rules.geometry.is_main(*s) || rules.geometry.is_brouhaha(*s);
    let occupied: BTreeSet<Square> = squares
        .iter()
        .map(|&s| Square((usize::from(s) % rules.geometry.squares()) as u8))
        .filter(exists)
        .collect();
    match variant.compiled() {
        crate::variant::AnyCompiled::One(c) => agree(rules, &Arc::clone(c).tables, &occupied),
        crate::variant::AnyCompiled::Two(c) => agree(rules, &Arc::clone(c).tables, &occupied),
        crate::variant::AnyCompiled::Four(c) => agree(rules, &Arc::clone(c).tables, &occupied),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn tables_agree_with_the_oracle(squares in prop::collection::vec(0u16..512, 1..90)) {
        for id in Catalog::builtin().ids() {
            check(id, &squares);
        }
    }
}
