//! How a game ended, as reported.

use engine::game::{GameEnd, Outcome};
use engine::outcome::BoardEnd;
use engine::types::Colour;
use proto::v1;

use super::adjudicate::Early;

/// Most bytes of [`v1::Evidence::text`].
pub const MAX_EVIDENCE_TEXT: usize = 4 * 1024;
/// Most bytes of [`v1::Evidence::engine_log`].
pub const MAX_EVIDENCE_LOG: usize = 16 * 1024;

/// A colour as the protocol writes it.
pub fn colour(colour: Colour) -> v1::Colour {
    match colour {
        Colour::White => v1::Colour::White,
        Colour::Black => v1::Colour::Black,
    }
}

fn result(outcome: v1::Outcome, winner: Option<Colour>, reason: v1::EndReason) -> v1::GameResult {
    v1::GameResult {
        outcome: outcome.into(),
        winner: winner.map_or(v1::Colour::Unspecified, colour).into(),
        reason: reason.into(),
        count: None,
    }
}

/// The result of an end on the board.
pub fn board(end: &GameEnd) -> v1::GameResult {
    let reason = match end.reason {
        BoardEnd::Checkmate => v1::EndReason::Checkmate,
        BoardEnd::Stalemate => v1::EndReason::Stalemate,
        BoardEnd::BareKings => v1::EndReason::BareKings,
        BoardEnd::DeadPosition => v1::EndReason::DeadPosition,
        BoardEnd::Repetition => v1::EndReason::Repetition,
        BoardEnd::NMove => v1::EndReason::NMove,
    };
    worth(end, reason)
}

/// The result of a game that reached its ply limit, of this worth.
pub fn max_plies(end: &GameEnd) -> v1::GameResult {
    worth(end, v1::EndReason::MaxPlies)
}

fn worth(end: &GameEnd, reason: v1::EndReason) -> v1::GameResult {
    let outcome = match end.outcome {
        Outcome::Win => v1::Outcome::Win,
        Outcome::Advantage => v1::Outcome::Advantage,
        Outcome::Draw => v1::Outcome::Draw,
    };
    let count = end
        .count
        .map(|(white, black)| v1::PointsCount { white, black });
    v1::GameResult {
        count,
        ..result(outcome, end.winner, reason)
    }
}

/// The result of an early end.
pub fn early(early: Early) -> v1::GameResult {
    match early {
        Early::Resign(side) => result(
            v1::Outcome::Win,
            Some(side),
            v1::EndReason::AdjudicatedResign,
        ),
        Early::Advantage(side) => result(
            v1::Outcome::Advantage,
            Some(side),
            v1::EndReason::AdjudicatedAdvantage,
        ),
        Early::Draw => result(v1::Outcome::Draw, None, v1::EndReason::AdjudicatedDraw),
    }
}

/// The result of a game in which both engines offered a draw.
pub fn agreed() -> v1::GameResult {
    result(v1::Outcome::Draw, None, v1::EndReason::Agreed)
}

/// The result of a game that the side to move lost by a fault of its own, or gave up.
pub fn forfeit(loser: Colour, reason: v1::EndReason) -> v1::GameResult {
    result(v1::Outcome::Win, Some(!loser), reason)
}

/// The first bytes of a text, cut at a character.
pub fn head(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

/// The last bytes of a text, cut at a character.
pub fn tail(text: &str, most: usize) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(most))..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_at_characters() {
        assert_eq!(head("añb", 2), "a");
        assert_eq!(tail("añb", 2), "b");
        assert_eq!((head("ab", 9), tail("ab", 9)), ("ab", "ab"));
    }
}
