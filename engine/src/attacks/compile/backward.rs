//! Backward tables: from where, and over which squares, a square can be captured.

use super::form::Form;
use super::{Compiler, LimitExceeded, MOST_ENTRIES, has_safe};
use crate::attacks::mover::Mover;
use crate::attacks::path::{Path, PathKind};
use crate::attacks::rays::Ride;
use crate::betza::{MoveProgram, Node, Root};
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Square};
use crate::variant::RuleSet;

impl<const N: usize> Compiler<'_, N> {
    /// Fills the backward tables by going through all forward paths.
    pub(super) fn backward(
        &mut self,
        mover: &mut Mover<N>,
        program: &MoveProgram,
        colour: Colour,
        kind: Option<Kind>,
    ) -> Result<(), LimitExceeded> {
        let squares = self.squares();
        let mut found: Vec<(u8, u8, Path<N>)> = Vec::new();
        let roots = program.roots.iter().filter(|r| !has_safe(&r.node));
        let roots: Vec<(&Root, Form)> = roots.map(|r| (r, self.form(r))).collect();
        for from in self.rules.geometry.all() {
            for (root, form) in &roots {
                if !self.may_start(root, colour, kind, from) {
                    continue;
                }
                match form {
                    Form::Hop(hop) => self.hop_paths(*hop, from, root.node.step, &mut found),
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
