//! The rules by which a game is ended early, as `brouhaha.v1.Adjudication` defines them.

use engine::types::Colour;
use proto::v1;

use super::score::NO_SCORE;

/// An early end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Early {
    /// This side won.
    Resign(Colour),
    /// This side has the advantage.
    Advantage(Colour),
    /// Nobody won.
    Draw,
}

/// What the rules say after the last of these plies; none when the game goes on.
///
/// `scores` has one coded score a ply from the mover's point of view; `first` made the first one.
pub fn adjudicate(rules: &v1::Adjudication, first: Colour, scores: &[i32]) -> Option<Early> {
    let last = if scores.len() % 2 == 1 { first } else { !first };
    let ahead = |rule: &v1::AdjudicationRule| {
        let (run, bound) = window(rule, scores)?;
        // From the last mover's point of view, newest first.
        let mut views = run
            .iter()
            .rev()
            .zip([1, -1].into_iter().cycle())
            .map(|(&score, sign)| sign * i64::from(score));
        if views.clone().all(|score| score >= bound) {
            Some(last)
        } else {
            views.all(|score| score <= -bound).then_some(!last)
        }
    };
    if let Some(side) = rules.resign.as_ref().and_then(ahead) {
        return Some(Early::Resign(side));
    }
    if let Some(side) = rules.advantage.as_ref().and_then(ahead) {
        return Some(Early::Advantage(side));
    }
    let (run, bound) = window(rules.draw.as_ref()?, scores)?;
    run.iter()
        .all(|&score| i64::from(score).abs() <= bound)
        .then_some(Early::Draw)
}

/// The scores that a rule looks at and its bound; none when the game is too young or a score is missing.
fn window<'a>(rule: &v1::AdjudicationRule, scores: &'a [i32]) -> Option<(&'a [i32], i64)> {
    let plies = |moves: u32| usize::try_from(u64::from(moves) * 2).ok();
    let (length, after) = (plies(rule.moves)?, plies(rule.after_move)?);
    let run = scores.get(scores.len().checked_sub(length)?..)?;
    let complete = scores.len() >= after && !run.contains(&NO_SCORE);
    complete.then_some((run, i64::from(rule.score_cp)))
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use proptest::prelude::*;
    use server::model;

    use super::*;

    fn rule((score_cp, moves, after_move): (u32, u32, u32)) -> v1::AdjudicationRule {
        v1::AdjudicationRule {
            score_cp,
            moves,
            after_move,
        }
    }

    #[test]
    fn the_rules_are_tried_in_their_order() {
        let rules = v1::Adjudication {
            resign: Some(rule((500, 2, 0))),
            advantage: Some(rule((100, 1, 0))),
            draw: Some(rule((10, 1, 3))),
        };
        let early = |scores: &[i32]| adjudicate(&rules, Colour::White, scores);
        assert_eq!(early(&[]), None);
        assert_eq!(
            early(&[600, -600, 700]),
            Some(Early::Advantage(Colour::White))
        );
        assert_eq!(
            early(&[600, -600, 700, -700]),
            Some(Early::Resign(Colour::White))
        );
        assert_eq!(
            early(&[-600, 600, -700, 700]),
            Some(Early::Resign(Colour::Black))
        );
        assert_eq!(early(&[5, -5]), None);
        assert_eq!(early(&[90, 90, 90, 90, 5, -5]), Some(Early::Draw));
        assert_eq!(early(&[90, 90, 90, 90, 5, NO_SCORE]), None);
    }

    fn rules() -> impl Strategy<Value = Option<(u32, u32, u32)>> {
        proptest::option::of((0..4u32, 1..3u32, 0..4u32))
    }

    proptest! {
        // The coordinator recomputes every early end: both must read the contract alike.
        #[test]
        fn the_coordinator_says_the_same(
            resign in rules(), advantage in rules(), draw in rules(), white_first: bool,
            scores in proptest::collection::vec(prop_oneof![9 => -4..=4i32, 1 => Just(NO_SCORE)], 0..10),
        ) {
            let wire = v1::Adjudication {
                resign: resign.map(rule), advantage: advantage.map(rule), draw: draw.map(rule),
            };
            let theirs = |given: Option<(u32, u32, u32)>| given.map(|(score_cp, moves, after_move)| {
                model::AdjudicationRule { score_cp, moves: NonZeroU32::new(moves).unwrap(), after_move }
            });
            let rules = model::Adjudication {
                resign: theirs(resign), advantage: theirs(advantage), draw: theirs(draw),
            };
            let (first, their_first) = if white_first {
                (Colour::White, model::Colour::White)
            } else {
                (Colour::Black, model::Colour::Black)
            };
            let colour = |side| if side == model::Colour::White { Colour::White } else { Colour::Black };
            let expected = model::adjudicate::adjudicate(&rules, their_first, &scores).map(|result| match result.outcome {
                model::Outcome::Win(side) => Early::Resign(colour(side)),
                model::Outcome::Advantage(side) => Early::Advantage(colour(side)),
                model::Outcome::Draw => Early::Draw,
            });
            prop_assert_eq!(adjudicate(&wire, first, &scores), expected);
        }
    }
}
