//! The stored tactical positions: every mate is proved again, every gain counted again, by slow code of the tests' own.

use std::collections::{BTreeMap, HashMap};

use engine::bench::tactics::{Puzzle, puzzles, solves};
use engine::game::{AnyPosition, Game};
use engine::movegen::Wanted;
use engine::notation::{move_text, parse_move};
use engine::position::Position;
use engine::types::MoveList;

use crate::search::variant;

fn legal<const N: usize>(position: &Position<N>) -> MoveList {
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::All, &mut moves);
    moves
}

/// Answers of this proof: whether the side to move of a position mates in so many moves.
type Known = HashMap<(String, u32), bool>;

/// Whether the side to move mates in `n` moves against every defence. The FEN tells positions apart, not their hash.
fn mates<const N: usize>(position: &mut Position<N>, n: u32, known: &mut Known) -> bool {
    let key = (n > 1).then(|| (position.fen(), n));
    if let Some(answer) = key.as_ref().and_then(|key| known.get(key)) {
        return *answer;
    }
    let answer = legal(position).into_iter().any(|mv| {
        let undo = position.make(mv);
        let lost = (n > 1 || position.in_check()) && is_lost(position, n - 1, known);
        position.unmake(mv, &undo);
        lost
    });
    if let Some(key) = key {
        known.insert(key, answer);
    }
    answer
}

/// Whether the side to move is mated, or will be in `n` moves whatever it does.
fn is_lost<const N: usize>(position: &mut Position<N>, n: u32, known: &mut Known) -> bool {
    let moves = legal(position);
    if moves.is_empty() {
        return position.in_check();
    }
    n > 0
        && moves.into_iter().all(|mv| {
            let undo = position.make(mv);
            let lost = mates(position, n, known);
            position.unmake(mv, &undo);
            lost
        })
}

/// All first moves that mate in `n`, as text.
fn keys<const N: usize>(position: &mut Position<N>, n: u32) -> Vec<String> {
    let mut known = Known::new();
    let moves = legal(position);
    let mut keys = Vec::new();
    for mv in moves {
        let undo = position.make(mv);
        let lost = is_lost(position, n - 1, &mut known);
        position.unmake(mv, &undo);
        if lost {
            keys.push(move_text(position, mv));
        }
    }
    keys
}

fn keys_of(puzzle: &Puzzle, n: u32) -> Vec<String> {
    match AnyPosition::from_fen(&variant(&puzzle.variant), &puzzle.fen).unwrap() {
        AnyPosition::One(mut p) => keys(&mut p, n),
        AnyPosition::Two(mut p) => keys(&mut p, n),
        AnyPosition::Four(mut p) => keys(&mut p, n),
    }
}

#[test]
fn every_mate_is_the_shortest_and_has_one_first_move() {
    let mut proved = 0;
    for puzzle in puzzles().unwrap() {
        let Some(n) = puzzle.kind.strip_prefix("mate-") else {
            continue;
        };
        let n: u32 = n.parse().unwrap();
        assert_eq!(puzzle.proof, 2 * n, "{puzzle:?}");
        assert_eq!(keys_of(&puzzle, n), puzzle.best, "{puzzle:?}");
        assert!(keys_of(&puzzle, n - 1).is_empty(), "{puzzle:?}");
        proved += 1;
    }
    assert!(proved >= 10, "{proved} mates");
}

/// What men are worth, by letter: not more than the least that anybody says, so that what is counted is won.
fn worth(id: &str, letter: u8) -> i32 {
    match (id, letter.to_ascii_uppercase()) {
        (_, b'K') => 0,
        (_, b'P' | b'X') => 1,
        ("chess", b'Q') => 9,
        ("chess", b'R') => 5,
        ("chess", _) => 3,
        ("war-of-the-roses", b'Q' | b'C') => 12,
        ("war-of-the-roses", b'A') => 10,
        ("augmenters", b'A') => 11,
        ("augmenters", b'E') => 10,
        ("war-of-the-roses" | "augmenters", b'R') => 7,
        ("war-of-the-roses" | "augmenters", _) => 5,
        (_, b'J') => 4,
        (_, b'Q' | b'D' | b'G' | b'L' | b'T') => 9,
        (_, b'F' | b'R' | b'Y' | b'S') => 6,
        _ => 3,
    }
}

/// White's material less Black's, read from the letters of the FEN.
fn material(id: &str, fen: &str) -> i32 {
    let board = fen.split_once(' ').unwrap().0;
    let board = board.split('[').next().unwrap();
    let (mut sum, mut powers) = (0, false);
    for letter in board.bytes() {
        powers = letter == b'{' || powers && letter != b'}';
        if !powers && letter.is_ascii_alphabetic() {
            let worth = worth(id, letter);
            sum += if letter.is_ascii_uppercase() {
                worth
            } else {
                -worth
            };
        }
    }
    sum
}

/// The most that the side to move has, in material, after one move: what it takes or becomes at once.
fn at_once<const N: usize>(id: &str, position: &mut Position<N>, sign: i32) -> i32 {
    let mut most = sign * material(id, &position.fen());
    for mv in legal(position) {
        let undo = position.make(mv);
        let mated = position.in_check() && legal(position).is_empty();
        most = most.max(if mated {
            1000
        } else {
            sign * material(id, &position.fen())
        });
        position.unmake(mv, &undo);
    }
    most
}

/// The least by which material can have risen for the mover after its move, any answer and its next move.
fn risen<const N: usize>(puzzle: &Puzzle, mut position: Position<N>) -> i32 {
    let id = &puzzle.variant;
    let sign = if puzzle.fen.split(' ').nth(1) == Some("w") {
        1
    } else {
        -1
    };
    let before = sign * material(id, &position.fen());
    let mv = parse_move(&position, &puzzle.best[0]).unwrap();
    position.make(mv);
    let answers = legal(&position);
    assert!(!answers.is_empty(), "{puzzle:?}");
    let mut least = i32::MAX;
    for answer in answers {
        let undo = position.make(answer);
        least = least.min(at_once(id, &mut position, sign));
        position.unmake(answer, &undo);
    }
    least - before
}

#[test]
fn every_gain_stands_after_any_answer() {
    let mut counted = 0;
    let mut less = Vec::new();
    for puzzle in puzzles().unwrap() {
        let Some(gain) = puzzle.gain else { continue };
        let risen = match AnyPosition::from_fen(&variant(&puzzle.variant), &puzzle.fen).unwrap() {
            AnyPosition::One(p) => risen(&puzzle, *p),
            AnyPosition::Two(p) => risen(&puzzle, *p),
            AnyPosition::Four(p) => risen(&puzzle, *p),
        };
        if risen < gain {
            less.push(format!("{risen} {puzzle:?}"));
        }
        counted += 1;
    }
    assert!(less.is_empty(), "{less:#?}");
    assert!(counted >= 10, "{counted} gains");
}

#[test]
fn positions_are_sound_and_of_every_variant() {
    let mut of: BTreeMap<String, u32> = BTreeMap::new();
    let puzzles = puzzles().unwrap();
    for (i, puzzle) in puzzles.iter().enumerate() {
        let game = Game::new(variant(&puzzle.variant), &puzzle.fen).unwrap();
        assert_eq!(game.end(), None, "{puzzle:?}");
        let moves = game.legal_moves();
        assert!(
            puzzle.best.iter().all(|mv| moves.contains(mv)),
            "{puzzle:?}"
        );
        assert!(
            puzzles[..i].iter().all(|p| p.fen != puzzle.fen),
            "twice: {puzzle:?}"
        );
        *of.entry(puzzle.variant.clone()).or_insert(0) += 1;
    }
    assert_eq!(of.len(), 6, "{of:?}");
}

#[test]
fn a_mate_in_two_is_solved_and_a_wrong_move_is_not() {
    let mut puzzle = puzzles()
        .unwrap()
        .into_iter()
        .find(|p| p.kind == "mate-2")
        .unwrap();
    assert_eq!(solves(&puzzle, 200_000), Some(true), "{puzzle:?}");
    puzzle.best = vec!["a1a1".to_owned()];
    assert_eq!(solves(&puzzle, 1000), Some(false));
    puzzle.variant = "none".to_owned();
    assert_eq!(solves(&puzzle, 1000), None);
}

/// A slower mate that is found first does not hide the fastest behind an evaluation that no mate is measured by.
#[test]
fn the_fastest_mate_is_found_beside_a_slower_one() {
    let sought = [("apothecary-modern", "e7e2"), ("war-of-the-roses", "e8e2")];
    for (variant, best) in sought {
        let puzzles = puzzles().unwrap();
        let of_these = |p: &&Puzzle| p.variant == variant && p.best == [best] && p.kind == "mate-2";
        let puzzle = puzzles.iter().find(of_these).unwrap();
        assert_eq!(solves(puzzle, 30_000), Some(true), "{}", puzzle.fen);
    }
}
