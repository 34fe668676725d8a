//! What an engine means by a move that is not written as ours are.

use engine::game::{AnyPosition, Game};
use engine::types::Square;
use engine::variant::rule_set::{CastlingNotation, CastlingRule};

/// The move that a text means, as we write it: letter case aside, and with a castling written as the king's and the
/// partner's squares where ours is the king's target. A text that may mean nothing or two things stays as it is.
pub fn understood(text: String, game: &Game) -> String {
    let partner = castling(&text, game);
    // Nearly every move is written as ours are: legal moves are found only for one that looks odd.
    if partner.is_none() && !text.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return text;
    }
    let legal = game.legal_moves();
    if legal.contains(&text) {
        return text;
    }
    let lower = text.to_ascii_lowercase();
    if legal.contains(&lower) {
        return lower;
    }
    let targets = partner.map_or_else(Vec::new, |rule| targets(rule, game));
    let mut meant = targets.iter().filter(|target| legal.contains(target));
    match (meant.next(), meant.next()) {
        (Some(only), None) => only.clone(),
        _ => text,
    }
}

/// The castling whose king and partner stand on the squares of a text, where castlings are written otherwise.
fn castling<'a>(text: &str, game: &'a Game) -> Option<&'a CastlingRule> {
    let rules = game.variant().rules();
    if rules.castling_notation != CastlingNotation::KingTarget {
        return None;
    }
    let (side, king) = (game.side_to_move(), king(game));
    rules.castling.iter().find(|rule| {
        let name = |square: Square| rules.geometry.name(square);
        rule.colour == side
            && rule.king == king
            && text.eq_ignore_ascii_case(&(name(rule.king) + &name(rule.partner)))
    })
}

fn king(game: &Game) -> Square {
    let side = game.side_to_move();
    match game.position() {
        AnyPosition::One(position) => position.king(side),
        AnyPosition::Two(position) => position.king(side),
        AnyPosition::Four(position) => position.king(side),
    }
}

/// How we write the castlings of a rule, one for each distance.
fn targets(rule: &CastlingRule, game: &Game) -> Vec<String> {
    let board = &game.variant().rules().geometry;
    let (file, rank) = (
        i16::from(board.file(rule.king)),
        i16::from(board.rank_index(rule.king)),
    );
    let towards = (i16::from(board.file(rule.partner)) - file).signum();
    let target = |&distance: &u8| board.at(file + towards * i16::from(distance), rank);
    rule.distances
        .iter()
        .filter_map(target)
        .map(|square| board.name(rule.king) + &board.name(square))
        .collect()
}

#[cfg(test)]
mod tests {
    use engine::variant::Catalog;

    use super::*;

    #[test]
    fn odd_texts_are_understood_where_they_mean_one_move() {
        let castles = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
        let black = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R b KQkq - 0 1";
        // A rook stands where the king did, and the way of a castling is free.
        let rook = "k7/8/8/8/8/8/5K2/4R2R w - - 0 1";
        let no_right = "4k3/8/8/8/8/8/8/4K2R w - - 0 1";
        let promotes = "4k3/P7/8/8/8/8/8/4K3 w - - 0 1";
        for (variant, fen, text, meant) in [
            ("chess", castles, "e1h1", "e1g1"),
            ("chess", castles, "e1a1", "e1c1"),
            ("chess", black, "e8a8", "e8c8"),
            ("chess", castles, "E1H1", "e1g1"),
            ("chess", castles, "e1g1", "e1g1"),
            // The opponent's.
            ("chess", castles, "e8h8", "e8h8"),
            ("chess", rook, "e1h1", "e1h1"),
            ("chess", no_right, "e1h1", "e1h1"),
            ("chess", castles, "A2A4", "a2a4"),
            ("chess", promotes, "a7a8Q", "a7a8q"),
            ("chess", promotes, "a7a8X", "a7a8X"),
            ("chess", castles, "e2e5", "e2e5"),
            ("chess", castles, "(none)", "(none)"),
            ("chess", castles, "", ""),
            ("chess", castles, "É", "É"),
        ] {
            let variant = Catalog::builtin().get(variant).unwrap();
            let game = Game::new(variant, fen).unwrap();
            assert_eq!(understood(text.to_owned(), &game), meant, "{fen} {text}");
        }
    }
}
