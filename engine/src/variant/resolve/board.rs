//! The board and the pieces.

use super::{Res, Resolver};
use crate::betza::{self, MoveProgram};
use crate::geometry::Geometry;
use crate::variant::VariantError;
use crate::variant::rule_set::PieceRule;

impl Resolver<'_> {
    pub(super) fn board(&self) -> Res<Geometry> {
        let b = &self.spec.board;
        if !(1..=Geometry::LONGEST).contains(&b.files) {
            return self.fail(
                "board.files",
                format!(
                    "is {}; a board has 1 to {} files",
                    b.files,
                    Geometry::LONGEST
                ),
            );
        }
        if !(2..=Geometry::LONGEST).contains(&b.ranks) {
            return self.fail(
                "board.ranks",
                format!(
                    "is {}; a board has 2 to {} ranks",
                    b.ranks,
                    Geometry::LONGEST
                ),
            );
        }
        let above = format!("{}", b.ranks + 1);
        let on_rank = |rank: &str| {
            b.brouhaha
                .iter()
                .any(|n| n.trim_start_matches(|c: char| c.is_ascii_lowercase()) == rank)
        };
        let (below, over) = (u8::from(on_rank("0")), u8::from(on_rank(&above)));
        let squares = usize::from(b.files) * usize::from(b.ranks + below + over);
        if squares > 256 {
            return self.fail(
                "board",
                format!("has {squares} squares with its extra ranks; at most 256 fit"),
            );
        }
        let mut geometry = Geometry::new(b.files, b.ranks, below, over);
        for name in &b.brouhaha {
            match geometry.parse(name) {
                Some(square) => geometry.set_brouhaha(square),
                None => return self.fail("board.brouhaha", format!("`{name}` is no square of this board or of the ranks 0 and {above} beside it")),
            }
        }
        for name in &b.holes {
            match geometry.parse(name).filter(|&s| geometry.is_main(s)) {
                Some(square) => geometry.set_hole(square),
                None => {
                    return self.fail(
                        "board.holes",
                        format!("`{name}` is no main square of this board"),
                    );
                }
            }
        }
        Ok(geometry)
    }

    pub(super) fn pieces(&self) -> Res<Vec<PieceRule>> {
        let mut pieces = Vec::new();
        for (letter, piece) in &self.spec.piece {
            let key = format!("piece.{letter}");
            let &[byte @ b'A'..=b'Z'] = letter.as_bytes() else {
                return self.fail(key, "a piece's key is one letter A to Z");
            };
            if piece.name.len() > 40 {
                return self.fail(format!("{key}.name"), "is at most 40 characters");
            }
            let name = if piece.name.is_empty() {
                letter.clone()
            } else {
                piece.name.clone()
            };
            pieces.push(PieceRule {
                letter: byte,
                name,
                program: self.program(&format!("{key}.move"), &piece.r#move, piece.royal)?,
                royal: piece.royal,
                pawn: piece.pawn,
            });
        }
        Ok(pieces)
    }

    /// Compiles a move text; an empty one is a piece without moves of its own.
    pub(super) fn program(&self, key: &str, text: &str, royal: bool) -> Res<MoveProgram> {
        if text.trim().is_empty() {
            return Ok(MoveProgram::default());
        }
        let program = betza::compile(text).map_err(|source| VariantError::Betza {
            origin: self.origin.to_owned(),
            key: key.to_owned(),
            source,
        })?;
        if !royal && program.needs_safe_squares() {
            return self.fail(
                key,
                "only the royal piece can be lame over unattacked squares",
            );
        }
        if royal && program.imitator {
            return self.fail(key, "the royal piece cannot imitate");
        }
        Ok(program)
    }
}
