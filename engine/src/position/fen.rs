//! FEN: reading with all checks, and writing.

use std::sync::Arc;

use super::{Compiled, EnPassant, MOST_PASSED, Position, SetupStage};
use crate::attacks::Special;
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Piece, Square};
use crate::variant::rule_set::{CastlingFen, EnPassantFen};
use crate::variant::{Diagram, DiagramError, RuleSet};

/// Longest FEN in bytes.
const LONGEST: usize = 4000;
/// Most men of a type in a reserve.
const MOST_RESERVE: u32 = 100;

/// A FEN that is no position of the variant.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum FenError {
    /// Too long to be one.
    #[error("the FEN has {0} bytes; the longest has {LONGEST}")]
    Length(usize),
    /// Wrong number of fields.
    #[error("the FEN has {found} fields separated by single spaces; this variant's are: {shape}")]
    Fields {
        /// Fields found.
        found: usize,
        /// Their names.
        shape: String,
    },
    /// The board field is wrong.
    #[error("the board field {0}")]
    Board(#[from] DiagramError),
    /// Another field is wrong.
    #[error("the {field} field `{text}`: {reason}")]
    Field {
        /// Which field.
        field: &'static str,
        /// Its text.
        text: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The men are not those of a position.
    #[error("{0}")]
    Position(String),
}

fn field_error<T>(
    field: &'static str,
    text: &str,
    reason: impl Into<String>,
) -> Result<T, FenError> {
    Err(FenError::Field {
        field,
        text: text.chars().take(60).collect(),
        reason: reason.into(),
    })
}

impl<const N: usize> Position<N> {
    /// Reads a FEN.
    ///
    /// # Errors
    /// Says which field does not fit, or why the men are no position.
    pub(crate) fn from_fen(
        compiled: &Arc<Compiled<N>>,
        fen: &str,
    ) -> Result<Position<N>, FenError> {
        if fen.len() > LONGEST {
            return Err(FenError::Length(fen.len()));
        }
        let rules = compiled.rules.clone();
        let fields: Vec<&str> = fen.trim().split(' ').collect();
        let wanted = if rules.has_last_moved_field() { 7 } else { 6 };
        if fields.len() != wanted || fields.iter().any(|f| f.is_empty()) {
            let board = if rules.has_reserve_field() {
                "board[reserve]"
            } else {
                "board"
            };
            let last = if rules.has_last_moved_field() {
                " last-moved"
            } else {
                ""
            };
            let shape = format!("{board} side castling en-passant{last} halfmove fullmove");
            return Err(FenError::Fields {
                found: fields.len(),
                shape,
            });
        }
        let mut position = Position::empty(compiled.clone());
        position.read_board(&rules, fields[0])?;
        position.read_side(fields[1])?;
        position.read_rights(&rules, fields[2])?;
        if rules.has_last_moved_field() {
            position.read_last_moved(&rules, fields[4])?;
        }
        position.state.halfmove = number("halfmove", fields[wanted - 2])?;
        position.state.fullmove = number("fullmove", fields[wanted - 1])?;
        position.check_men(&rules)?;
        position.read_en_passant(&rules, fields[3])?;
        position.state.setup = position.find_stage(&rules)?;
        Ok(position)
    }

    fn read_board(&mut self, rules: &RuleSet, text: &str) -> Result<(), FenError> {
        let board = match (text.split_once('['), rules.has_reserve_field()) {
            (None, false) => text,
            (None, true) => {
                return field_error(
                    "board",
                    text,
                    "has no reserve; write `[]` after it if it is empty",
                );
            }
            (Some(_), false) => {
                return field_error(
                    "board",
                    text,
                    "has a reserve, which this variant does not know",
                );
            }
            (Some((board, reserve)), true) => {
                let Some(reserve) = reserve.strip_suffix(']') else {
                    return field_error("reserve", reserve, "has no closing `]` at its end");
                };
                self.read_reserve(rules, reserve)?;
                board
            }
        };
        let diagram = Diagram::parse(rules, board)?;
        for square in rules.geometry.all() {
            let man = diagram.men[square.index()];
            if !man.is_none() {
                self.put(man, square);
                self.set_powers(man.colour(), square, diagram.powers[square.index()]);
            }
        }
        Ok(())
    }

    fn read_reserve(&mut self, rules: &RuleSet, text: &str) -> Result<(), FenError> {
        for c in text.chars() {
            let colour = if c.is_ascii_uppercase() {
                Colour::White
            } else {
                Colour::Black
            };
            let kind = if c.is_ascii_alphabetic() {
                rules.kind(c.to_ascii_uppercase() as u8)
            } else {
                None
            };
            let Some(kind) = kind else {
                return field_error(
                    "reserve",
                    text,
                    format!("`{c}` is no piece of this variant"),
                );
            };
            if rules.piece(kind).royal {
                return field_error("reserve", text, "a king cannot be in a reserve");
            }
            if rules.piece(kind).pawn {
                continue;
            }
            let count = self.reserve(colour, kind);
            if u32::from(count) >= MOST_RESERVE {
                return field_error(
                    "reserve",
                    text,
                    format!("has more than {MOST_RESERVE} men of one type"),
                );
            }
            self.set_reserve(colour, kind, count + 1);
        }
        Ok(())
    }

    fn read_side(&mut self, text: &str) -> Result<(), FenError> {
        match text {
            "w" => self.set_side(Colour::White),
            "b" => self.set_side(Colour::Black),
            _ => return field_error("side", text, "is `w` or `b`"),
        }
        Ok(())
    }

    fn read_rights(&mut self, rules: &RuleSet, text: &str) -> Result<(), FenError> {
        if text == "-" {
            return Ok(());
        }
        let mut letters: Vec<u8> = rules.castling.iter().map(|r| r.letter).collect();
        if rules.king_leap.is_some() {
            letters = b"Kk".to_vec();
        }
        let mut rights = 0u32;
        for c in text.chars() {
            let Some(i) = letters.iter().position(|&l| l as char == c) else {
                let known = String::from_utf8_lossy(&letters).into_owned();
                let reason = if known.is_empty() {
                    "is always `-` in this variant".to_owned()
                } else {
                    format!("is `-` or letters of {known}")
                };
                return field_error("castling", text, reason);
            };
            if rights >> i & 1 != 0 {
                return field_error("castling", text, format!("has `{c}` twice"));
            }
            rights |= 1 << i;
        }
        self.set_rights(rights & self.rights_at_home(rules));
        Ok(())
    }

    /// The rights whose king and partner stand at home.
    fn rights_at_home(&self, rules: &RuleSet) -> u32 {
        let mut home = 0;
        for (i, right) in rules.castling.iter().enumerate() {
            let king = self.man_on(right.king) == Piece::new(right.colour, rules.king);
            if king && self.man_on(right.partner) == Piece::new(right.colour, right.kind) {
                home |= 1 << i;
            }
        }
        for (i, leap) in rules.king_leap.iter().flatten().enumerate() {
            if self.man_on(leap.from) == Piece::new(Colour::ALL[i], rules.king) {
                home |= 1 << i;
            }
        }
        home
    }

    fn read_last_moved(&mut self, rules: &RuleSet, text: &str) -> Result<(), FenError> {
        let mut chars = text.chars();
        let (Some(white), Some(black), None) = (chars.next(), chars.next(), chars.next()) else {
            return field_error(
                "last-moved",
                text,
                "has two characters: what White moved last, then what Black moved last",
            );
        };
        for (c, colour) in [(white, Colour::White), (black, Colour::Black)] {
            if c == '-' {
                continue;
            }
            let own_case =
                c.is_ascii_alphabetic() && c.is_ascii_uppercase() == (colour == Colour::White);
            let kind = if own_case {
                rules.kind(c.to_ascii_uppercase() as u8)
            } else {
                None
            };
            match kind {
                Some(kind) if Some(kind) != rules.imitator => {
                    self.state.last_moved[colour.index()] = Some(kind)
                }
                Some(_) => {
                    return field_error(
                        "last-moved",
                        text,
                        format!("`{c}` only imitates: the type it imitated stands here"),
                    );
                }
                None => {
                    return field_error(
                        "last-moved",
                        text,
                        format!(
                            "`{c}` is no piece of {colour}'s (White's are upper case and stand first)"
                        ),
                    );
                }
            }
        }
        Ok(())
    }

    fn check_men(&self, rules: &RuleSet) -> Result<(), FenError> {
        for colour in Colour::ALL {
            let kings = self.men(colour, rules.king).count();
            if kings != 1 {
                return Err(FenError::Position(format!(
                    "{colour} has {kings} kings; each side has exactly one"
                )));
            }
        }
        if let Some(promotion) = &rules.promotion {
            for square in rules.geometry.all() {
                let man = self.man_on(square);
                if man.is_none() || !rules.piece(man.kind()).pawn {
                    continue;
                }
                let c = man.colour().index();
                if promotion.must[c][square.index()] || promotion.no_pawn[c][square.index()] {
                    let name = rules.geometry.name(square);
                    return Err(FenError::Position(format!(
                        "a pawn of {} cannot stand on {name}",
                        man.colour()
                    )));
                }
            }
        }
        if self.king_attacked(!self.side) {
            return Err(FenError::Position(format!(
                "{} is in check and {} is to move",
                !self.side, self.side
            )));
        }
        Ok(())
    }

    fn read_en_passant(&mut self, rules: &RuleSet, text: &str) -> Result<(), FenError> {
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
        let one = rules.en_passant_fen == EnPassantFen::Square && squares.len() != 1;
        if squares.is_empty() || squares.len() > MOST_PASSED || one {
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

    /// The set-up action that is due in this position, if any.
    fn find_stage(&self, rules: &RuleSet) -> Result<Option<SetupStage>, FenError> {
        let Some(augment) = &rules.augment else {
            return Ok(None);
        };
        let at_home = rules.geometry.all().all(|s| {
            let homes = &rules.start.homes[s.index()];
            let man = self.man_on(s);
            if man.is_none() {
                homes.is_empty()
            } else {
                homes.contains(&man)
            }
        });
        if !at_home {
            return Ok(None);
        }
        let has_regent = augment.regent.is_some();
        let side = |colour: Colour| {
            let held: Vec<u16> = self
                .slots(colour)
                .iter()
                .map(|&(s, _)| self.powers(s))
                .collect();
            let bases = !has_regent || held.iter().any(|p| p & augment.base_mask() != 0);
            let placed = held
                .iter()
                .filter(|&p| p & !augment.base_mask() != 0)
                .count();
            (bases, placed == held.len(), placed == 0)
        };
        let regent_placed = |colour: Colour| {
            let regent = augment.regent.as_ref().map(|r| r.kind);
            self.slots(colour).iter().any(|&(s, _)| {
                regent.is_none_or(|k| self.man_on(s).kind() == k)
                    && self.powers(s) & !augment.base_mask() != 0
            })
        };
        let ((wb, wp, wn), (bb, bp, bn)) = (side(Colour::White), side(Colour::Black));
        if wb && bb && regent_placed(Colour::White) && regent_placed(Colour::Black) {
            return Ok(None);
        }
        let stage = match (wb, bb, wp, bp) {
            _ if !(wp || wn) || !(bp || bn) => None,
            (false, false, false, false) => Some(SetupStage::Bases(Colour::White)),
            (true, false, false, false) => Some(SetupStage::Bases(Colour::Black)),
            (true, true, false, false) => Some(SetupStage::Augmenters(Colour::White)),
            (true, true, true, false) => Some(SetupStage::Augmenters(Colour::Black)),
            _ => None,
        };
        match stage {
            Some(stage) if stage.side() == self.side => Ok(Some(stage)),
            Some(stage) => Err(FenError::Position(format!("in this stage of the set-up it is {}'s turn", stage.side()))),
            None => Err(FenError::Position(
                "the set-up phase goes: White picks bases, Black picks, White places all augmenters, Black places all; these men are at none of its stages".to_owned(),
            )),
        }
    }

    /// The same position read again from its FEN.
    ///
    /// # Errors
    /// The position cannot arise in play.
    pub fn reread(&self) -> Result<Position<N>, FenError> {
        Position::from_fen(&self.compiled, &self.fen())
    }

    /// Writes the FEN.
    #[must_use]
    pub fn fen(&self) -> String {
        let rules = &self.compiled.rules;
        let squares = rules.geometry.squares();
        let powers = if self.powers.is_empty() {
            vec![0; squares]
        } else {
            self.powers.clone()
        };
        let mut fen = Diagram {
            men: self.board[..squares].to_vec(),
            powers,
        }
        .write(rules);
        if rules.has_reserve_field() {
            fen.push('[');
            for colour in Colour::ALL {
                for i in 0..rules.pieces.len() {
                    let letter = rules.letter(Piece::new(colour, Kind(i as u8))) as char;
                    fen.extend(std::iter::repeat_n(
                        letter,
                        usize::from(self.reserve[colour.index()][i]),
                    ));
                }
                debug_assert!(rules.pieces.is_sorted_by_key(|p| p.letter));
            }
            fen.push(']');
        }
        fen.push(' ');
        fen.push(self.side.fen_letter());
        fen.push(' ');
        fen.push_str(&self.rights_text());
        fen.push(' ');
        fen.push_str(&self.en_passant_text());
        if rules.has_last_moved_field() {
            fen.push(' ');
            for colour in Colour::ALL {
                fen.push(
                    self.last_moved(colour)
                        .map_or('-', |k| rules.letter(Piece::new(colour, k)) as char),
                );
            }
        }
        fen.push_str(&format!(" {} {}", self.state.halfmove, self.state.fullmove));
        fen
    }

    fn rights_text(&self) -> String {
        let rules = &self.compiled.rules;
        let held = |i: usize| self.state.rights >> i & 1 != 0;
        let mut text: String = rules
            .castling
            .iter()
            .enumerate()
            .filter(|(i, _)| held(*i))
            .map(|(_, r)| r.letter as char)
            .collect();
        if rules.king_leap.is_some() {
            text = "Kk"
                .chars()
                .enumerate()
                .filter(|(i, _)| held(*i))
                .map(|(_, c)| c)
                .collect();
        }
        debug_assert!(rules.castling_fen != CastlingFen::Kqkq || text.len() <= 4);
        if text.is_empty() {
            "-".to_owned()
        } else {
            text
        }
    }

    fn en_passant_text(&self) -> String {
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

/// Reads a count.
fn number(field: &'static str, text: &str) -> Result<u16, FenError> {
    match text.parse::<u16>() {
        Ok(n) if text.bytes().all(|b| b.is_ascii_digit()) => Ok(n),
        _ => field_error(field, text, "is a number from 0 to 65535"),
    }
}
