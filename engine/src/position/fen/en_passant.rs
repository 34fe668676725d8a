//! The en passant field of a FEN.

use super::{FenError, field_error};
use crate::attacks::Special;
use crate::bitboard::Bitboard;
use crate::position::{EnPassant, MOST_PASSED, Position};
use crate::types::Square;
use crate::variant::RuleSet;
use crate::variant::rule_set::EnPassantFen;

impl<const N: usize> Position<N> {
    pub(super) fn read_en_passant(&mut self, rules: &RuleSet, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let board = &rules.geometry;
        let (victim, mut passed) = match rules.en_passant_fen {
            EnPassantFen::Square => (None, text),
            EnPassantFen::Path => match board.parse_prefix(text) {
                Some((victim, rest)) if rest.starts_with(':') => (Some(victim), &rest[1..]),
                _ => {
                    return field_error(
                        "en-passant",
                        text,
                        "is `-` or the advanced man's square, a colon and the squares it passed",
                    );
                }
            },
        };
        let mut squares = Vec::new();
        while !passed.is_empty() {
            let Some((square, rest)) = board.parse_prefix(passed) else {
                return field_error(
                    "en-passant",
                    text,
                    "names a square that this board does not have",
                );
            };
            squares.push(square);
            passed = rest;
        }
        if squares.is_empty() || squares.len() > MOST_PASSED {
            return field_error(
                "en-passant",
                text,
                "does not name the squares that were passed",
            );
        }
        match self.find_marks(victim, &squares) {
            Some(mut marks) => {
                marks.live = self.may_capture_passed(&marks);
                self.state.en_passant = Some(marks);
                Ok(())
            }
            None => field_error(
                "en-passant",
                text,
                format!("no man of {} can have just passed there", !self.side),
            ),
        }
    }

    /// The man of the side that moved last that can have passed these squares.
    fn find_marks(&self, victim: Option<Square>, passed: &[Square]) -> Option<EnPassant> {
        let them = !self.side;
        for &kind in &self.compiled.plain_kinds {
            let mover = self.compiled.tables.kind(them, kind);
            if !mover.has_specials() {
                continue;
            }
            for stands in self
                .men(them, kind)
                .into_iter()
                .filter(|&s| victim.is_none_or(|v| v == s))
            {
                let occupied = self.occupancy().occupied.without(Bitboard::of(stands));
                let before = self.compiled.tables.occupancy(occupied);
                let origins = self
                    .compiled
                    .rules
                    .geometry
                    .all()
                    .filter(|&o| !before.occupied.has(o) && o != stands);
                for origin in origins {
                    let mut fits = false;
                    self.compiled
                        .tables
                        .specials(mover, origin, &before, |special, to, path| {
                            fits |= special == Special::Marks && to == stands && path == passed;
                        });
                    if fits {
                        return Some(EnPassant::new(stands, passed));
                    }
                }
            }
        }
        None
    }

    pub(super) fn en_passant_text(&self) -> String {
        let board = &self.compiled.rules.geometry;
        let Some(marks) = &self.state.en_passant else {
            return "-".to_owned();
        };
        let squares: String = marks.passed().iter().map(|&s| board.name(s)).collect();
        match self.compiled.rules.en_passant_fen {
            EnPassantFen::Square => squares,
            EnPassantFen::Path => format!("{}:{squares}", board.name(marks.victim)),
        }
    }
}
