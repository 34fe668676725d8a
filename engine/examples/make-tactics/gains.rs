//! Wins of material that one move alone brings about: through a joker, by promotion, by a fork.

use engine::movegen::Wanted;
use engine::notation::move_text;
use engine::position::Position;
use engine::types::{Move, MoveList};

use crate::Puzzle;
use crate::games::Seen;
use crate::material::{Counter, Values, WON};

/// Material that must be won: a piece.
const GAIN: i32 = 3;
/// Plies after the first move that all moves are compared by.
const DEPTH: u32 = 2;
/// Plies after the first move by which the winner is tried again.
const PROOF: u32 = 4;
/// Moves made for the comparison, and for the proof.
const BUDGET: (u64, u64) = (3_000_000, 6_000_000);

/// The puzzle that a position is, if one move wins a piece and every other move two points less.
pub(crate) fn puzzle<const N: usize>(
    seen: &Seen<N>,
    values: &Values,
    wanted: &dyn Fn(&'static str) -> bool,
) -> Option<Puzzle> {
    let kinds = ["joker", "promotion", "fork"];
    let mut position = seen.position.clone();
    let mut counter = Counter::new(values, BUDGET.0);
    let standing = counter.balance(&position);
    if !kinds.iter().any(|&kind| wanted(kind)) {
        return None;
    }
    // What the next exchange shows is no puzzle, unless it is which type to promote to.
    let promoting = promotions(&position);
    if seen.best >= standing + GAIN - 1 && !promoting {
        return None;
    }
    let mv = only_winner(&mut position, &mut counter, standing)?;
    if seen.best >= standing + GAIN - 1 && mv.promotion().is_none() {
        return None;
    }
    let kind = kind(&mut position, values, mv)?;
    if !wanted(kind) || !holds(&mut position, values, mv, standing) {
        return None;
    }
    let rules = &position.compiled().rules;
    Some(Puzzle {
        variant: values.variant.to_owned(),
        fen: position.fen(),
        kind,
        best: vec![move_text(&position, mv)],
        proof: PROOF + 1,
        gain: Some(GAIN),
        by: rules.piece(position.man_on(mv.from()).kind()).name.clone(),
    })
}

/// The move that wins a piece against every answer, if no other comes within two points of that.
fn only_winner<const N: usize>(
    position: &mut Position<N>,
    counter: &mut Counter,
    standing: i32,
) -> Option<Move> {
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::All, &mut moves);
    moves.sort_unstable_by_key(|mv| mv.bits());
    let nearly = standing + GAIN - 1;
    // Most positions are settled by the moves that threaten something; the others are looked at for the proof.
    let (threats, others): (MoveList, MoveList) = moves
        .into_iter()
        .partition(|&mv| threatens(position, counter, mv, nearly));
    let mut only = None;
    let first_other = threats.len();
    for (i, mv) in threats.into_iter().chain(others).enumerate() {
        if i == first_other && only.is_none() {
            return None;
        }
        let undo = position.make(mv);
        let won = -counter.search(position, DEPTH, -nearly, 1 - nearly);
        position.unmake(mv, &undo);
        if won >= nearly && only.replace(mv).is_some() || counter.spent() {
            return None;
        }
    }
    let mv = only?;
    let undo = position.make(mv);
    let won = -counter.search(position, DEPTH, -i32::MAX, i32::MAX);
    position.unmake(mv, &undo);
    (won >= standing + GAIN && won < WON / 2 && !counter.spent()).then_some(mv)
}

/// Whether a pawn can promote.
fn promotions<const N: usize>(position: &Position<N>) -> bool {
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::Noisy, &mut moves);
    moves.iter().any(|mv| mv.promotion().is_some())
}

/// Whether a move gives check, or would win something if the other side did not answer.
fn threatens<const N: usize>(
    position: &mut Position<N>,
    counter: &mut Counter,
    mv: Move,
    nearly: i32,
) -> bool {
    let undo = position.make(mv);
    let threatens = position.in_check() || {
        let null = position.make_null();
        let won = counter.search(position, 1, nearly - 1, nearly);
        position.unmake_null(&null);
        won >= nearly
    };
    position.unmake(mv, &undo);
    threatens
}

/// Whether the gain is still there when every move is looked at two plies further.
fn holds<const N: usize>(
    position: &mut Position<N>,
    values: &Values,
    mv: Move,
    standing: i32,
) -> bool {
    let mut counter = Counter::new(values, BUDGET.1);
    let undo = position.make(mv);
    let lost = counter.search(position, PROOF, -(standing + GAIN), -(standing + GAIN - 1));
    let stands = -lost >= standing + GAIN && !counter.spent();
    let shown = stands && shown(position, &mut counter, standing);
    position.unmake(mv, &undo);
    shown
}

/// Whether every answer leaves a move that has the gain on the board at once, so that no long exchange is believed.
fn shown<const N: usize>(position: &mut Position<N>, counter: &mut Counter, standing: i32) -> bool {
    let mut answers = MoveList::new();
    position.legal_moves(Wanted::All, &mut answers);
    answers.into_iter().all(|answer| {
        let undo = position.make(answer);
        let before = counter.balance(position);
        let mut moves = MoveList::new();
        position.legal_moves(Wanted::All, &mut moves);
        let shown = moves.into_iter().any(|mv| {
            let undo = position.make(mv);
            let mut left = MoveList::new();
            position.legal_moves(Wanted::All, &mut left);
            let mated = left.is_empty() && position.in_check();
            let after = -counter.balance(position);
            position.unmake(mv, &undo);
            mated || after.max(before) >= standing + GAIN
        });
        position.unmake(answer, &undo);
        shown
    })
}

/// What kind of win it is, by the move and the best play after it.
fn kind<const N: usize>(
    position: &mut Position<N>,
    values: &Values,
    mv: Move,
) -> Option<&'static str> {
    let mut counter = Counter::new(values, u64::MAX);
    let mover = position.man_on(mv.from()).kind();
    let imitator = position.compiled().rules.imitator;
    let undo = position.make(mv);
    let answer = counter.best(position, DEPTH);
    let mut second = None;
    let mut second_mover = None;
    if let Some(answer) = answer {
        let undo = position.make(answer);
        second = counter.best(position, 1);
        second_mover = second.map(|s| position.man_on(s.from()).kind());
        position.unmake(answer, &undo);
    }
    let targets = targets(position, &mut counter, mv);
    position.unmake(mv, &undo);
    let second = second?;
    let rules = &position.compiled().rules;
    let letter = rules.piece(mover).letter.to_ascii_uppercase() as char;
    if mv.promotion().is_some() || rules.piece(mover).pawn && second.promotion().is_some() {
        Some("promotion")
    } else if imitator.is_some() && (imitator == Some(mover) || imitator == second_mover) {
        Some("joker")
    } else if targets >= 2
        && second.from() == mv.to()
        && (values.forks.is_empty() || values.forks.contains(letter))
    {
        Some("fork")
    } else {
        None
    }
}

/// How many men worth a piece, the king among them, the man just moved attacks.
fn targets<const N: usize>(position: &mut Position<N>, counter: &mut Counter, mv: Move) -> usize {
    if position.in_check() {
        // The king is one of two; that the man then takes something is seen by its next move.
        return 2;
    }
    let undo = position.make_null();
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::Noisy, &mut moves);
    let attacked = moves
        .iter()
        .filter(|m| m.from() == mv.to() && counter.takes(position, **m) >= GAIN)
        .count();
    position.unmake_null(&undo);
    attacked
}
