//! What becomes of a score as the N-move rule comes near: it heads for what the rule would give.

use super::evaluator::Evaluator;
use crate::outcome;
use crate::position::Position;
use crate::search::Score;
use crate::types::Colour;
use crate::variant::rule_set::CountResult;

impl<const N: usize> Evaluator<N> {
    /// The score of the side to move, drawn towards the outcome of the N-move rule by how near it is.
    pub(super) fn outlook(&self, position: &Position<N>, score: i32) -> i32 {
        let Some(rule) = position.compiled().rules.ends.n_move else {
            return score;
        };
        let (plies, halfmove) = (i32::from(rule.plies), i32::from(position.halfmove()));
        let quiet = plies / 4;
        if halfmove <= quiet {
            return score;
        }
        let end = match rule.result {
            CountResult::Points => count(position),
            CountResult::Draw => 0,
        };
        let near = (halfmove - quiet).min(plies - quiet);
        (score * (plies - quiet - near) + end * near) / (plies - quiet).max(1)
    }
}

/// What a points count would give the side to move. Leads that do not yet suffice count in proportion.
fn count<const N: usize>(position: &Position<N>) -> i32 {
    let rule = &position.compiled().rules.points;
    let (Some(rule), Some((white, black))) = (rule, outcome::points(position)) else {
        return 0;
    };
    let lead = white as i32 - black as i32;
    let lead = if position.side_to_move() == Colour::White {
        lead
    } else {
        -lead
    };
    let needed = rule.lead.max(1) as i32;
    if lead.abs() >= needed {
        Score::ADVANTAGE.cp() * lead.signum()
    } else {
        Score::ADVANTAGE.cp() * lead / (2 * needed)
    }
}
