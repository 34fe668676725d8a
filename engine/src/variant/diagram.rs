//! The first field of a FEN: the men on the board.

use super::rule_set::RuleSet;
use crate::types::{Colour, Piece, Square};

/// The men on a board, by square, with the powers that holders of augmenters have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagram {
    /// By square.
    pub men: Vec<Piece>,
    /// By square: bit `i` is augmenter `i`, then the regent's bases.
    pub powers: Vec<u16>,
}

/// What is wrong in a diagram.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum DiagramError {
    /// Wrong number of ranks.
    #[error("has {found} ranks, the board has {wanted}, joined by `/`")]
    Ranks {
        /// Ranks found.
        found: usize,
        /// Ranks of the board.
        wanted: u8,
    },
    /// A rank is too long or too short.
    #[error("rank {rank} (`{text}`) fills {found} squares, the board has {wanted} files")]
    Width {
        /// The rank's number.
        rank: u8,
        /// The rank's text.
        text: String,
        /// Squares described, at least.
        found: usize,
        /// Files of the board.
        wanted: u8,
    },
    /// A letter that is no piece.
    #[error("`{letter}` on rank {rank} is no piece of this variant; its pieces are {known}")]
    Letter {
        /// The letter.
        letter: char,
        /// The rank's number.
        rank: u8,
        /// The variant's letters.
        known: String,
    },
    /// A man where there is no square.
    #[error("a man stands on {square}, which does not exist")]
    ManOnHole {
        /// The square.
        square: String,
    },
    /// A number of empty squares runs over a square that does not exist.
    #[error("{square} does not exist while it is empty: write `*` for it")]
    EmptyHole {
        /// The square.
        square: String,
    },
    /// A star on a square that always exists.
    #[error("{square} always exists: `*` cannot stand there")]
    StarOnMain {
        /// The square.
        square: String,
    },
    /// Braces that do not fit.
    #[error("`{{{text}}}` after the {letter} on {square}: {reason}")]
    Powers {
        /// What is in the braces.
        text: String,
        /// The man's letter.
        letter: char,
        /// The square.
        square: String,
        /// What is wrong.
        reason: String,
    },
    /// A number that counts nothing.
    #[error("`{text}` on rank {rank} is no number of empty squares")]
    Number {
        /// The number's text.
        text: String,
        /// The rank's number.
        rank: u8,
    },
}

impl Diagram {
    /// Reads a diagram.
    ///
    /// # Errors
    /// Says which rank or square does not fit the variant's board.
    pub fn parse(rules: &RuleSet, text: &str) -> Result<Diagram, DiagramError> {
        let board = &rules.geometry;
        let mut diagram = Diagram {
            men: vec![Piece::NONE; board.squares()],
            powers: vec![0; board.squares()],
        };
        let ranks = text.split('/').count();
        if ranks != usize::from(board.ranks()) {
            return Err(DiagramError::Ranks {
                found: ranks,
                wanted: board.ranks(),
            });
        }
        for (row, rank_text) in text.split('/').enumerate() {
            let rank_index = board.ranks() - 1 - row as u8;
            Reader {
                rules,
                rank_index,
                text: rank_text,
                file: 0,
            }
            .read(&mut diagram)?;
        }
        Ok(diagram)
    }

    /// Writes a diagram.
    #[must_use]
    pub fn write(&self, rules: &RuleSet) -> String {
        let board = &rules.geometry;
        let mut out = String::new();
        for rank in (0..board.ranks()).rev() {
            let mut empty = 0;
            for file in 0..board.files() {
                let square = Square(rank * board.files() + file);
                let piece = self.men[square.index()];
                if piece.is_none() && board.is_main(square) {
                    empty += 1;
                    continue;
                }
                if empty > 0 {
                    out.push_str(&empty.to_string());
                    empty = 0;
                }
                if piece.is_none() {
                    out.push('*');
                } else {
                    out.push(rules.letter(piece) as char);
                    write_powers(rules, self.powers[square.index()], &mut out);
                }
            }
            if empty > 0 {
                out.push_str(&empty.to_string());
            }
            if rank > 0 {
                out.push('/');
            }
        }
        out
    }
}

/// Writes what a holder holds, in braces, if anything.
fn write_powers(rules: &RuleSet, powers: u16, out: &mut String) {
    let Some(augment) = &rules.augment else {
        return;
    };
    if powers == 0 {
        return;
    }
    out.push('{');
    let shift = augment.base_shift();
    if let Some(regent) = augment
        .regent
        .as_ref()
        .filter(|_| powers & augment.base_mask() != 0)
    {
        let bases = regent
            .bases
            .iter()
            .enumerate()
            .filter(|(i, _)| powers >> (shift + i) & 1 != 0);
        out.extend(bases.map(|(_, (letter, _))| *letter as char));
        if powers & !augment.base_mask() != 0 {
            out.push('+');
        }
    }
    let held = augment
        .augmenters
        .iter()
        .enumerate()
        .filter(|(i, _)| powers >> i & 1 != 0);
    out.extend(held.map(|(_, (letter, _))| *letter as char));
    out.push('}');
}

/// Reads one rank.
struct Reader<'a> {
    rules: &'a RuleSet,
    rank_index: u8,
    text: &'a str,
    file: usize,
}

impl Reader<'_> {
    fn rank_number(&self) -> u8 {
        self.rank_index + self.rules.geometry.first_rank()
    }

    fn width_error(&self) -> DiagramError {
        DiagramError::Width {
            rank: self.rank_number(),
            text: self.text.chars().take(80).collect(),
            found: self.file,
            wanted: self.rules.geometry.files(),
        }
    }

    /// The square of the current file.
    fn square(&self) -> Option<Square> {
        self.rules
            .geometry
            .at(self.file as i16, i16::from(self.rank_index))
    }

    fn read(mut self, diagram: &mut Diagram) -> Result<(), DiagramError> {
        let board = &self.rules.geometry;
        let mut rest = self.text;
        while let Some(c) = rest.chars().next() {
            if c.is_ascii_digit() {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                self.skip(&rest[..digits])?;
                rest = &rest[digits..];
                continue;
            }
            let Some(square) = self.square() else {
                self.file += 1;
                return Err(self.width_error());
            };
            rest = &rest[c.len_utf8()..];
            if c == '*' {
                if board.is_main(square) {
                    return Err(DiagramError::StarOnMain {
                        square: board.name(square),
                    });
                }
            } else {
                let piece = self.man(c)?;
                if !board.is_main(square) && !board.is_brouhaha(square) {
                    return Err(DiagramError::ManOnHole {
                        square: board.name(square),
                    });
                }
                diagram.men[square.index()] = piece;
                if let Some(inner) = rest.strip_prefix('{') {
                    let Some(end) = inner.find('}') else {
                        return Err(DiagramError::Powers {
                            text: inner.chars().take(40).collect(),
                            letter: c,
                            square: board.name(square),
                            reason: "the closing `}` is missing".to_owned(),
                        });
                    };
                    diagram.powers[square.index()] =
                        self.powers(&inner[..end], c, piece, square)?;
                    rest = &inner[end + 1..];
                }
            }
            self.file += 1;
        }
        if self.file == usize::from(board.files()) {
            Ok(())
        } else {
            Err(self.width_error())
        }
    }

    /// Goes over a run of empty squares.
    fn skip(&mut self, digits: &str) -> Result<(), DiagramError> {
        let run = digits
            .parse::<usize>()
            .ok()
            .filter(|&n| n > 0 && n <= 255 && !digits.starts_with('0'));
        let Some(run) = run else {
            return Err(DiagramError::Number {
                text: digits.chars().take(20).collect(),
                rank: self.rank_number(),
            });
        };
        for _ in 0..run {
            match self.square() {
                Some(square) if !self.rules.geometry.is_main(square) => {
                    return Err(DiagramError::EmptyHole {
                        square: self.rules.geometry.name(square),
                    });
                }
                Some(_) => self.file += 1,
                None => {
                    self.file += 1;
                    return Err(self.width_error());
                }
            }
        }
        Ok(())
    }

    fn man(&self, c: char) -> Result<Piece, DiagramError> {
        let colour = if c.is_ascii_uppercase() {
            Colour::White
        } else {
            Colour::Black
        };
        let kind = if c.is_ascii_alphabetic() {
            self.rules.kind(c.to_ascii_uppercase() as u8)
        } else {
            None
        };
        kind.map(|k| Piece::new(colour, k))
            .ok_or_else(|| DiagramError::Letter {
                letter: c,
                rank: self.rank_number(),
                known: self.rules.pieces.iter().map(|p| p.letter as char).collect(),
            })
    }

    /// Reads what is in the braces after a holder's letter.
    fn powers(
        &self,
        text: &str,
        letter: char,
        piece: Piece,
        square: Square,
    ) -> Result<u16, DiagramError> {
        let fail = |reason: String| DiagramError::Powers {
            text: text.chars().take(40).collect(),
            letter,
            square: self.rules.geometry.name(square),
            reason,
        };
        let Some(augment) = self
            .rules
            .augment
            .as_ref()
            .filter(|a| a.holders >> piece.kind().index() & 1 != 0)
        else {
            return Err(fail(
                "this man holds nothing; take the braces away".to_owned(),
            ));
        };
        let mut powers = 0;
        let mut held = text;
        if let Some(regent) = augment.regent.as_ref().filter(|r| r.kind == piece.kind()) {
            let (bases, rest) = text
                .split_once('+')
                .map_or((text, None), |(b, r)| (b, Some(r)));
            let letters: Vec<u8> = regent.bases.iter().map(|b| b.0).collect();
            let set = sorted_set(bases, &letters).map_err(&fail)?;
            if set.count_ones() != u32::from(regent.pick) {
                return Err(fail(format!("a regent has {} bases", regent.pick)));
            }
            powers |= set << augment.base_shift();
            match rest {
                None => return Ok(powers),
                Some(rest) => held = rest,
            }
        }
        let letters: Vec<u8> = augment.augmenters.iter().map(|a| a.0).collect();
        let set = sorted_set(held, &letters).map_err(&fail)?;
        let most = augment.most(&self.rules.start.homes, piece.kind());
        if set == 0 || set.count_ones() > u32::from(most) {
            return Err(fail(format!("this man holds 1 to {most} augmenters")));
        }
        Ok(powers | set)
    }
}

/// The set of letters of a text in which they stand once each and sorted.
pub(crate) fn sorted_set(text: &str, letters: &[u8]) -> Result<u16, String> {
    let known = || String::from_utf8_lossy(letters).into_owned();
    let mut set = 0u16;
    for c in text.chars() {
        let Some(i) = letters.iter().position(|&l| l as char == c) else {
            return Err(format!("`{c}` is none of {}", known()));
        };
        if set >> i != 0 {
            return Err(format!(
                "`{c}` is out of order: letters stand once each and sorted"
            ));
        }
        set |= 1 << i;
    }
    Ok(set)
}
