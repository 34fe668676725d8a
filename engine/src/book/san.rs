//! Moves in standard algebraic notation (PGN standard, section 8.2.3), for boards and pieces of any variant.
//!
//! A piece is its upper-case letter of the variant, a pawn has none; files are letters and ranks numbers, so that `Nf10` is a
//! move. Castlings are `O-O` towards the files of higher letters and `O-O-O` towards those of lower ones.

use crate::game::{AnyPosition, Game, PlayError};
use crate::movegen::Wanted;
use crate::notation::move_text;
use crate::position::Position;
use crate::types::{Move, MoveKind, MoveList};

/// Plays a move written in coordinates (`e2e4`) or in algebraic notation (`Nbd7`, `exd8=Q+`, `O-O`).
///
/// ```
/// use engine::{book::play_text, game::Game, variant::Catalog};
/// let chess = Catalog::builtin().get("chess").unwrap();
/// let mut game = Game::new(chess.clone(), &chess.start_fen(0).unwrap()).unwrap();
/// for mv in ["e4", "e7e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"] {
///     play_text(&mut game, mv).unwrap();
/// }
/// assert_eq!(game.moves()[6], "e1g1");
/// ```
///
/// # Errors
/// No legal move, or more than one, is written so; or the game is over.
pub fn play_text(game: &mut Game, text: &str) -> Result<(), PlayError> {
    match game.play(text) {
        Err(PlayError::Illegal(shown)) => {
            let coordinates = match game.position() {
                AnyPosition::One(position) => find(position, text),
                AnyPosition::Two(position) => find(position, text),
                AnyPosition::Four(position) => find(position, text),
            };
            coordinates.map_or(Err(PlayError::Illegal(shown)), |text| game.play(&text))
        }
        played => played,
    }
}

/// A move in algebraic notation, taken apart.
struct San<'a> {
    /// The letter of the man that moves; none = a pawn.
    man: Option<u8>,
    /// What is said of the square that it leaves: file, rank, both or nothing.
    file: Option<char>,
    rank: &'a str,
    target: &'a str,
    promotion: Option<u8>,
}

/// The coordinates of the one legal move that is written so.
fn find<const N: usize>(position: &Position<N>, text: &str) -> Option<String> {
    if position.setup().is_some() {
        return None;
    }
    let text = text.trim_end_matches(['+', '#', '!', '?']);
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::All, &mut moves);
    let castling = match text {
        "O-O" | "0-0" | "o-o" => Some(true),
        "O-O-O" | "0-0-0" | "o-o-o" => Some(false),
        _ => None,
    };
    let san = match castling {
        Some(_) => None,
        None => Some(parse(text)?),
    };
    let is_meant = |mv: &Move| match (&san, castling) {
        (Some(san), _) => is_written_so(position, *mv, san),
        (None, up) => is_castling(position, *mv, up == Some(true)),
    };
    let mut meant = moves.iter().copied().filter(is_meant);
    match (meant.next(), meant.next()) {
        (Some(mv), None) => Some(move_text(position, mv)),
        _ => None,
    }
}

fn is_castling<const N: usize>(position: &Position<N>, mv: Move, up: bool) -> bool {
    let board = &position.compiled().rules.geometry;
    mv.kind() == MoveKind::Castle
        && (file(&board.name(mv.to())) > file(&board.name(mv.from()))) == up
}

fn is_written_so<const N: usize>(position: &Position<N>, mv: Move, san: &San<'_>) -> bool {
    let rules = &position.compiled().rules;
    if mv.kind() == MoveKind::Castle || rules.geometry.name(mv.to()) != san.target {
        return false;
    }
    let man = rules.piece(position.man_on(mv.from()).kind());
    let is_man = san
        .man
        .map_or(man.pawn, |letter| man.letter.to_ascii_uppercase() == letter);
    let promotion = mv.promotion().map(|kind| rules.piece(kind).letter);
    let from = rules.geometry.name(mv.from());
    is_man
        && promotion.map(|letter| letter.to_ascii_uppercase()) == san.promotion
        && san.file.is_none_or(|letter| file(&from) == Some(letter))
        && (san.rank.is_empty() || from.trim_start_matches(char::is_alphabetic) == san.rank)
}

fn file(square: &str) -> Option<char> {
    square.chars().next()
}

/// Takes `Nb1xd2`, `exd8=Q` or `e4` apart.
fn parse(text: &str) -> Option<San<'_>> {
    let text = text.trim_end_matches("e.p.");
    let (text, promotion) = promotion(text)?;
    let digits = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let file_at = digits.len().checked_sub(1)?;
    if digits.len() == text.len() || !digits.as_bytes()[file_at].is_ascii_lowercase() {
        return None;
    }
    let (before, target) = text.split_at(file_at);
    let before = before.trim_end_matches(['x', '-', ':']);
    let man = before.bytes().next().filter(u8::is_ascii_uppercase);
    let left = &before[usize::from(man.is_some())..];
    let file = left.chars().next().filter(char::is_ascii_lowercase);
    let rank = &left[usize::from(file.is_some())..];
    rank.bytes().all(|b| b.is_ascii_digit()).then_some(San {
        man,
        file,
        rank,
        target,
        promotion,
    })
}

/// Cuts the promotion off: `=Q`, `(Q)` or `Q` after the rank.
fn promotion(text: &str) -> Option<(&str, Option<u8>)> {
    let text = text.strip_suffix(')').unwrap_or(text);
    match text.as_bytes() {
        [.., before, letter] if letter.is_ascii_alphabetic() => {
            let marks = usize::from(matches!(before, b'=' | b'(' | b'/'));
            let rest = text.get(..text.len() - 1 - marks)?;
            let letter = letter.to_ascii_uppercase();
            Some((rest, Some(letter)))
        }
        _ => Some((text, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variant::Catalog;

    fn played(variant: &str, fen: &str, text: &str) -> Option<String> {
        let variant = Catalog::builtin().get(variant).unwrap();
        let mut game = Game::new(variant, fen).unwrap();
        play_text(&mut game, text).ok()?;
        game.moves().last().cloned()
    }

    // Expected moves by hand.
    #[test]
    fn algebraic_notation_is_understood() {
        let knights = "4k3/8/8/8/8/5N2/8/RN2K2R w KQ - 0 1";
        let pawns = "3rk3/4P3/8/2pP4/8/8/8/R3K3 w Q c6 0 1";
        for (fen, text, expected) in [
            (knights, "Nbd2", Some("b1d2")),
            (knights, "N3d2", Some("f3d2")),
            (knights, "Nf3d2!?", Some("f3d2")),
            (knights, "Nf3-d2", Some("f3d2")),
            (knights, "Nd2", None),
            (knights, "Nc3", Some("b1c3")),
            (knights, "O-O", Some("e1g1")),
            (knights, "0-0", Some("e1g1")),
            (knights, "O-O-O", None),
            (knights, "Kg1", None),
            (knights, "Rg1", Some("h1g1")),
            (knights, "Ke2+", Some("e1e2")),
            (pawns, "exd8=Q+", Some("e7d8q")),
            (pawns, "exd8N", Some("e7d8n")),
            (pawns, "exd8(R)", Some("e7d8r")),
            (pawns, "exd8", None),
            (pawns, "dxc6", Some("d5c6")),
            (pawns, "dxc6e.p.", Some("d5c6")),
            (pawns, "d6", Some("d5d6")),
            (pawns, "O-O-O", Some("e1c1")),
            (pawns, "a1a8", Some("a1a8")),
            (pawns, "Ra8", Some("a1a8")),
            (pawns, "", None),
            (pawns, "x", None),
            (pawns, "é4", None),
            (pawns, "Qé", None),
            (pawns, "8", None),
        ] {
            assert_eq!(played("chess", fen, text).as_deref(), expected, "{text}");
        }
    }

    /// Every legal move written in full is understood as that move, in every variant.
    #[test]
    fn full_algebraic_moves_are_those_of_coordinates() {
        use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};
        let catalog = Catalog::builtin();
        let mut seen = 0;
        for id in catalog.ids() {
            let variant = catalog.get(id).unwrap();
            for seed in 0..12 {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                let fen = variant.army_fen(seed).unwrap();
                let mut game = Game::new(variant.clone(), &fen).unwrap();
                for _ in 0..30 {
                    seen += all_are_understood(&game);
                    game.play_random(&mut random);
                }
            }
        }
        assert!(seen > 5_000, "{seen}");
    }

    fn all_are_understood(game: &Game) -> usize {
        match game.position() {
            AnyPosition::One(position) => all_of(game, position),
            AnyPosition::Two(position) => all_of(game, position),
            AnyPosition::Four(position) => all_of(game, position),
        }
    }

    fn all_of<const N: usize>(game: &Game, position: &Position<N>) -> usize {
        if position.setup().is_some() || game.end().is_some() {
            return 0;
        }
        let rules = &position.compiled().rules;
        let mut moves = MoveList::new();
        position.legal_moves(Wanted::All, &mut moves);
        moves.retain(|mv| mv.kind() != MoveKind::Castle);
        for &mv in &moves {
            let man = rules.piece(position.man_on(mv.from()).kind());
            let mut text = String::new();
            if !man.pawn {
                text.push(man.letter.to_ascii_uppercase() as char);
            }
            text += &rules.geometry.name(mv.from());
            text += &rules.geometry.name(mv.to());
            if let Some(kind) = mv.promotion() {
                text.push('=');
                text.push(rules.piece(kind).letter.to_ascii_uppercase() as char);
            }
            assert_eq!(
                find(position, &text),
                Some(move_text(position, mv)),
                "{text}"
            );
        }
        moves.len()
    }
}
