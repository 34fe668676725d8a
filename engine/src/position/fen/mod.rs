//! FEN: reading with all checks, and writing.

mod en_passant;
mod stage;
mod write;

use std::sync::Arc;

use super::{Compiled, Position};
use crate::types::{Colour, Piece};
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

    /// The same position read again from its FEN.
    ///
    /// # Errors
    /// The position cannot arise in play.
    pub fn reread(&self) -> Result<Position<N>, FenError> {
        Position::from_fen(&self.compiled, &self.fen())
    }
}

/// Reads a count.
fn number(field: &'static str, text: &str) -> Result<u16, FenError> {
    match text.parse::<u16>() {
        Ok(n) if text.bytes().all(|b| b.is_ascii_digit()) => Ok(n),
        _ => field_error(field, text, "is a number from 0 to 65535"),
    }
}
