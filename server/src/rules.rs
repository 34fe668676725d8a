//! The one place that calls the rules of the games.

use std::sync::Arc;

use engine::{
    game::Outcome as BoardOutcome,
    outcome::BoardEnd,
    types::Colour as BoardColour,
    variant::{Catalog, VariantError},
};
use proto::v1;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng as _};

pub use engine::{
    game::{Game, PlayError},
    variant::Variant,
};

use crate::model::{Colour, Digest, EndReason, GameResult, Outcome};

/// The hash of a variant's definition.
pub fn hash(variant: &Variant) -> Digest {
    Digest(*variant.hash().as_bytes())
}

/// A variant by name and hash.
pub fn reference(variant: &Variant) -> v1::VariantRef {
    v1::VariantRef {
        id: variant.id().to_owned(),
        hash: hash(variant).to_string(),
    }
}

/// The ids of the built-in variants.
pub fn builtin_ids() -> Vec<String> {
    Catalog::builtin()
        .ids()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

/// A built-in variant.
pub fn builtin(id: &str) -> Option<Arc<Variant>> {
    Catalog::builtin().get(id)
}

/// The variant of a user's file; it may extend built-in ones.
pub fn from_file_text(text: &str) -> Result<Arc<Variant>, VariantError> {
    Catalog::builtin().load_text(text, "variant_file")
}

/// The variant of a resolved definition.
pub fn from_definition(text: &str) -> Result<Arc<Variant>, VariantError> {
    Variant::from_definition(text)
}

/// Begins a game; the error says what is wrong with the FEN.
pub fn begin(variant: &Arc<Variant>, fen: &str) -> Result<Game, String> {
    Game::new(variant.clone(), fen).map_err(|error| error.to_string())
}

/// Plays random moves from a random set-up. None when the game ended on the way, or came to a position whose FEN no game
/// can be begun from: the opening reaches the players as its FEN.
pub fn random_opening(variant: &Arc<Variant>, seed: u64, plies: u32) -> Option<Game> {
    let fen = variant.army_fen(seed).ok()?;
    let mut game = Game::new(variant.clone(), &fen).ok()?;
    // Not the stream that drew the set-up from the same seed.
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    random.set_stream(1);
    for _ in 0..plies {
        if !game.play_random(&mut random) {
            return None;
        }
    }
    begin(variant, &game.fen())
        .ok()
        .filter(|game| game.end().is_none())
}

/// The side to move.
pub fn side_to_move(game: &Game) -> Colour {
    colour(game.side_to_move())
}

/// How a game ended on the board, if it has.
pub fn board_end(game: &Game) -> Option<GameResult> {
    game.end().map(|end| GameResult {
        outcome: outcome(end.outcome, end.winner),
        reason: match end.reason {
            BoardEnd::Checkmate => EndReason::Checkmate,
            BoardEnd::Stalemate => EndReason::Stalemate,
            BoardEnd::BareKings => EndReason::BareKings,
            BoardEnd::DeadPosition => EndReason::DeadPosition,
            BoardEnd::Repetition => EndReason::Repetition,
            BoardEnd::NMove => EndReason::NMove,
        },
        count: end.count,
    })
}

/// The result of a game that is stopped by the ply limit.
pub fn stopped(game: &Game) -> GameResult {
    let end = game.stopped();
    GameResult {
        outcome: outcome(end.outcome, end.winner),
        reason: EndReason::MaxPlies,
        count: end.count,
    }
}

fn colour(colour: BoardColour) -> Colour {
    match colour {
        BoardColour::White => Colour::White,
        BoardColour::Black => Colour::Black,
    }
}

fn outcome(outcome: BoardOutcome, winner: Option<BoardColour>) -> Outcome {
    match (outcome, winner.map(colour)) {
        (BoardOutcome::Win, Some(side)) => Outcome::Win(side),
        (BoardOutcome::Advantage, Some(side)) => Outcome::Advantage(side),
        // A draw has no winner, and nothing else goes without one.
        (BoardOutcome::Draw, _) | (_, None) => Outcome::Draw,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Workers are sent the opening as a FEN, which must be a position that they accept.
    #[test]
    fn random_openings_can_be_begun_in_every_variant() {
        let mut bad = Vec::new();
        for id in builtin_ids() {
            let variant = builtin(&id).unwrap();
            let games =
                (0..40).filter_map(|seed| random_opening(&variant, seed, 8 + 2 * seed as u32));
            for game in games {
                let fen = game.fen();
                match begin(&variant, &fen) {
                    Ok(game) if game.end().is_none() => {}
                    Ok(_) => bad.push(format!("{id}: {fen}: over")),
                    Err(error) => bad.push(format!("{id}: {fen}: {error}")),
                }
            }
        }
        assert!(bad.is_empty(), "{bad:#?}");
    }
}
