//! Writing FENs.

use crate::position::Position;
use crate::types::{Colour, Kind, Piece};
use crate::variant::Diagram;
use crate::variant::rule_set::CastlingFen;

impl<const N: usize> Position<N> {
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
}
