//! Perft: the number of move sequences of a length, the usual test of a move generator.

use crate::game::AnyPosition;
use crate::movegen::{Reaches, Wanted};
use crate::notation::move_text;
use crate::position::Position;
use crate::types::{Move, MoveList};

/// Counts the sequences of `depth` legal moves. Games ended by anything but mate or stalemate go on.
#[must_use]
pub fn perft<const N: usize>(position: &mut Position<N>, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let mut lists = vec![MoveList::new(); depth as usize - 1];
    let reaches = Reaches::new(position.compiled().rules.geometry.squares());
    count(position, &reaches, &mut lists)
}

/// The count behind each move; nothing at depth 0.
#[must_use]
pub fn divide<const N: usize>(position: &mut Position<N>, depth: u32) -> Vec<(Move, u64)> {
    let Some(deeper) = depth.checked_sub(1) else {
        return Vec::new();
    };
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::All, &mut moves);
    moves
        .into_iter()
        .map(|mv| {
            let undo = position.make(mv);
            let nodes = perft(position, deeper);
            position.unmake(mv, &undo);
            (mv, nodes)
        })
        .collect()
}

fn count<const N: usize>(
    position: &mut Position<N>,
    reaches: &Reaches<N>,
    lists: &mut [MoveList],
) -> u64 {
    let Some((moves, deeper)) = lists.split_first_mut() else {
        return position.count_legal(reaches);
    };
    moves.clear();
    position.legal_moves(Wanted::All, moves);
    let mut nodes = 0;
    for &mv in moves.iter() {
        let undo = position.make(mv);
        nodes += count(position, reaches, deeper);
        position.unmake(mv, &undo);
    }
    nodes
}

/// [`perft`] of a position of any width.
///
/// ```
/// use engine::{game::AnyPosition, perft::perft_any, variant::Catalog};
/// let chess = Catalog::builtin().get("chess").unwrap();
/// let start = AnyPosition::from_fen(&chess, &chess.start_fen(0).unwrap()).unwrap();
/// assert_eq!(perft_any(&start, 3), 8902);
/// ```
#[must_use]
pub fn perft_any(position: &AnyPosition, depth: u32) -> u64 {
    match position.clone() {
        AnyPosition::One(mut p) => perft(&mut p, depth),
        AnyPosition::Two(mut p) => perft(&mut p, depth),
        AnyPosition::Four(mut p) => perft(&mut p, depth),
    }
}

/// [`divide`] of a position of any width, by the moves' texts, sorted.
///
/// ```
/// use engine::{game::AnyPosition, perft::divide_any, variant::Catalog};
/// let chess = Catalog::builtin().get("chess").unwrap();
/// let start = AnyPosition::from_fen(&chess, &chess.start_fen(0).unwrap()).unwrap();
/// assert_eq!(divide_any(&start, 2)[0], ("a2a3".to_owned(), 20));
/// ```
#[must_use]
pub fn divide_any(position: &AnyPosition, depth: u32) -> Vec<(String, u64)> {
    fn texts<const N: usize>(mut position: Position<N>, depth: u32) -> Vec<(String, u64)> {
        let counts = divide(&mut position, depth);
        counts
            .into_iter()
            .map(|(mv, n)| (move_text(&position, mv), n))
            .collect()
    }
    let mut counts = match position.clone() {
        AnyPosition::One(p) => texts(*p, depth),
        AnyPosition::Two(p) => texts(*p, depth),
        AnyPosition::Four(p) => texts(*p, depth),
    };
    counts.sort();
    counts
}
