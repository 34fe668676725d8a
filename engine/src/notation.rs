//! Move text, as in UCI with the additions of the variants.

use crate::movegen::{Wanted, pick_text, placement_text};
use crate::position::Position;
use crate::types::{Move, MoveKind, MoveList};
use crate::variant::rule_set::CastlingNotation;

/// The text of a move that is legal in the position.
#[must_use]
pub fn move_text<const N: usize>(position: &Position<N>, mv: Move) -> String {
    let rules = &position.compiled().rules;
    let board = &rules.geometry;
    match mv.kind() {
        MoveKind::PickBases => return pick_text(position, mv),
        MoveKind::PlaceAugmenters => return placement_text(position, mv),
        MoveKind::Castle if rules.castling_notation == CastlingNotation::KingRook => {
            let partner = rules.castling[mv.castling_right() as usize].partner;
            return board.name(mv.from()) + &board.name(partner);
        }
        _ => {}
    }
    let mut text = board.name(mv.from()) + &board.name(mv.to());
    if let Some(kind) = mv.promotion() {
        text.push(rules.piece(kind).letter.to_ascii_lowercase() as char);
    }
    text
}

/// The legal move of a text, if it is one.
#[must_use]
pub fn parse_move<const N: usize>(position: &Position<N>, text: &str) -> Option<Move> {
    if position.setup().is_some() {
        return position.parse_setup(text);
    }
    let rules = &position.compiled().rules;
    let (from, rest) = rules.geometry.parse_prefix(text)?;
    let (to, rest) = rules.geometry.parse_prefix(rest)?;
    let promotion = match rest.as_bytes() {
        [] => None,
        &[letter @ b'a'..=b'z'] => Some(rules.kind(letter.to_ascii_uppercase())?),
        _ => return None,
    };
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::All, &mut moves);
    let king_rook = rules.castling_notation == CastlingNotation::KingRook;
    moves.into_iter().find(|mv| {
        let target = match mv.kind() {
            MoveKind::Castle if king_rook => rules.castling[mv.castling_right() as usize].partner,
            _ => mv.to(),
        };
        mv.from() == from && target == to && mv.promotion() == promotion
    })
}
