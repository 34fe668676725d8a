//! The rules by which a game is ended early, recomputed from the reported scores.

use super::{Adjudication, AdjudicationRule, Colour, EndReason, GameResult, Outcome};

/// Score of a ply whose engine gave none.
pub const NO_SCORE: i32 = i32::MAX;

/// What the rules say after the last of these plies; none when the game goes on.
///
/// `scores` has one entry a ply in centipawns from the mover's point of view; `first` moved first. The rules are tried in
/// the order resign, advantage, draw.
pub fn adjudicate(rules: &Adjudication, first: Colour, scores: &[i32]) -> Option<GameResult> {
    let last_mover = if scores.len() % 2 == 1 {
        first
    } else {
        first.other()
    };
    let decided = |outcome, reason| {
        Some(GameResult {
            outcome,
            reason,
            count: None,
        })
    };
    if let Some(side) = rules
        .resign
        .and_then(|rule| ahead(&rule, last_mover, scores))
    {
        return decided(Outcome::Win(side), EndReason::AdjudicatedResign);
    }
    if let Some(side) = rules
        .advantage
        .and_then(|rule| ahead(&rule, last_mover, scores))
    {
        return decided(Outcome::Advantage(side), EndReason::AdjudicatedAdvantage);
    }
    let bound = |rule: &AdjudicationRule, score: i32| score.unsigned_abs() <= rule.score_cp;
    if rules.draw.is_some_and(|rule| {
        run(&rule, scores).is_some_and(|run| run.iter().all(|&score| bound(&rule, score)))
    }) {
        return decided(Outcome::Draw, EndReason::AdjudicatedDraw);
    }
    None
}

/// The scores a rule looks at, oldest first; none when the game is too young or a score is missing.
fn run<'a>(rule: &AdjudicationRule, scores: &'a [i32]) -> Option<&'a [i32]> {
    let plies = usize::try_from(rule.moves.get()).ok()?.checked_mul(2)?;
    let after = usize::try_from(rule.after_move).ok()?.checked_mul(2)?;
    if scores.len() < after {
        return None;
    }
    let run = &scores[scores.len().checked_sub(plies)?..];
    run.iter().all(|&score| score != NO_SCORE).then_some(run)
}

/// The side that is ahead by the rule's bound throughout its run.
fn ahead(rule: &AdjudicationRule, last_mover: Colour, scores: &[i32]) -> Option<Colour> {
    let run = run(rule, scores)?;
    let bound = i64::from(rule.score_cp);
    // Scores from the point of view of the last mover, newest first.
    let mut views = run.iter().rev().enumerate().map(|(back, &score)| {
        let score = i64::from(score);
        if back % 2 == 0 { score } else { -score }
    });
    if views.clone().all(|score| score >= bound) {
        return Some(last_mover);
    }
    views
        .all(|score| score <= -bound)
        .then(|| last_mover.other())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use super::*;

    fn rule(score_cp: u32, moves: u32, after_move: u32) -> Option<AdjudicationRule> {
        Some(AdjudicationRule {
            score_cp,
            moves: NonZeroU32::new(moves).unwrap(),
            after_move,
        })
    }

    #[test]
    fn resign_needs_both_players_to_agree_for_long_enough() {
        let rules = Adjudication {
            resign: rule(500, 2, 0),
            ..Default::default()
        };
        let outcome =
            |scores: &[i32]| adjudicate(&rules, Colour::White, scores).map(|result| result.outcome);
        // White moved first; its scores and Black's negated ones both say +500 or more.
        assert_eq!(
            outcome(&[500, -510, 700, -900]),
            Some(Outcome::Win(Colour::White))
        );
        assert_eq!(
            outcome(&[0, 0, -600, 500, -700, 800]),
            Some(Outcome::Win(Colour::Black))
        );
        // The last mover changes who is who, not who wins.
        assert_eq!(
            outcome(&[0, -500, 500, -510, 700]),
            Some(Outcome::Win(Colour::White))
        );
        for still in [
            &[500, -510, 700][..],
            &[500, -499, 700, -900],
            &[500, -510, NO_SCORE, -900],
            &[500, 500, 500, 500],
        ] {
            assert_eq!(outcome(still), None, "{still:?}");
        }
        assert_eq!(
            adjudicate(&rules, Colour::Black, &[500, -510, 700, -900]).map(|result| result.outcome),
            Some(Outcome::Win(Colour::Black))
        );
    }

    #[test]
    fn a_draw_waits_for_its_move_and_resign_goes_first() {
        let rules = Adjudication {
            draw: rule(10, 1, 3),
            advantage: rule(100, 1, 0),
            resign: rule(900, 1, 0),
        };
        let reason =
            |scores: &[i32]| adjudicate(&rules, Colour::White, scores).map(|result| result.reason);
        assert_eq!(reason(&[0, 0, 0, 0]), None);
        assert_eq!(
            reason(&[0, 0, 0, 0, 10, -10]),
            Some(EndReason::AdjudicatedDraw)
        );
        assert_eq!(reason(&[0, 0, 0, 0, 10, -11]), None);
        assert_eq!(reason(&[150, -150]), Some(EndReason::AdjudicatedAdvantage));
        assert_eq!(reason(&[950, -950]), Some(EndReason::AdjudicatedResign));
        assert_eq!(reason(&[]), None);
    }
}
