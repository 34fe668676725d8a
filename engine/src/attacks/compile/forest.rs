//! Forward trees of the moves that have no faster form.

use super::{Compiler, LimitExceeded, chain, has_safe, plain_node};
use crate::attacks::forest::{Forest, NO_RAYS, TreeNode, flag};
use crate::attacks::mover::Mover;
use crate::betza::{Node, Root};
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Square};

/// Longest path of a move that leaves en passant marks.
const LONGEST_MARKED: usize = 32;

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

impl<const N: usize> Compiler<'_, N> {
    /// Builds leap masks and forests of the roots that have no faster form.
    pub(super) fn plant(
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
        mover.en_passant_to = vec![Bitboard::EMPTY; mover.en_passant.len()];
        for from in self.rules.geometry.all() {
            for target in mover.en_passant_reach(from) {
                mover.en_passant_to[target.index()].insert(from);
            }
        }
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
}
