//! Checkmate and stalemate.

use super::{BoardEnd, GameEnd, Outcome};
use crate::position::Position;
use crate::variant::rule_set::StalemateResult;

/// The end of a side to move without a legal move.
pub(super) fn judge<const N: usize>(position: &Position<N>) -> Option<GameEnd> {
    if position.has_legal_move() {
        return None;
    }
    let moved_last = !position.side_to_move();
    let end = |outcome, reason| {
        let winner = (outcome != Outcome::Draw).then_some(moved_last);
        Some(GameEnd {
            outcome,
            winner,
            reason,
            count: None,
        })
    };
    if position.in_check() {
        return end(Outcome::Win, BoardEnd::Checkmate);
    }
    let outcome = match position.compiled().rules.ends.stalemate {
        StalemateResult::Draw => Outcome::Draw,
        StalemateResult::Advantage => Outcome::Advantage,
        StalemateResult::Win => Outcome::Win,
    };
    end(outcome, BoardEnd::Stalemate)
}
