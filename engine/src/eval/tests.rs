//! Properties of evaluation: sane values, symmetry of the colours, exact bookkeeping.

use std::sync::Arc;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::{Evaluator, Memory, PawnTable, Style};
use crate::game::{AnyPosition, Game};
use crate::movegen::{Reaches, Wanted};
use crate::position::Position;
use crate::search::Keys;
use crate::types::MoveList;
use crate::variant::{Catalog, Variant};

const STYLE: Style = Style {
    mobility: 100,
    king_safety: 100,
};

fn variant(id: &str) -> Arc<Variant> {
    Catalog::builtin().get(id).unwrap()
}

fn worth(id: &str, letters: &str) -> Vec<i32> {
    let v = variant(id);
    let kinds = letters.bytes().map(|b| v.rules().kind(b).unwrap());
    let derived = super::Parameters::derived(&v);
    kinds.map(|k| derived.exchange[k.index()]).collect()
}

/// A game after so many random plies.
fn random_game(id: &str, seed: u64, plies: u32) -> Game {
    let v = variant(id);
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut game = Game::new(v.clone(), &v.army_fen(seed).unwrap()).unwrap();
    for _ in 0..plies {
        game.play_random(&mut random);
    }
    game
}

fn evaluate(game: &Game) -> i32 {
    fn of<const N: usize>(variant: &Variant, position: &Position<N>) -> i32 {
        let compiled = position.compiled();
        let mut evaluator = Evaluator::new(compiled, variant.evaluation().clone(), STYLE);
        evaluator.prepare(position);
        let sum = evaluator.accumulate(position);
        let memory = Memory {
            reaches: &Reaches::new(compiled.rules.geometry.squares()),
            pawns: &PawnTable::new(),
            key: 0,
        };
        evaluator.evaluate(position, &sum, memory)
    }
    match game.position() {
        AnyPosition::One(p) => of(game.variant(), p),
        AnyPosition::Two(p) => of(game.variant(), p),
        AnyPosition::Four(p) => of(game.variant(), p),
    }
}

#[test]
fn orthodox_men_get_orthodox_values() {
    let [pawn, knight, bishop, rook, queen] = worth("chess", "PNBRQ")[..] else {
        panic!("five")
    };
    assert_eq!(pawn, 100);
    assert!((270..=390).contains(&knight), "{knight}");
    assert!((270..=400).contains(&bishop), "{bishop}");
    assert!((430..=620).contains(&rook), "{rook}");
    assert!((850..=1200).contains(&queen), "{queen}");
    assert!(knight.abs_diff(bishop) < 70);
}

#[test]
fn values_follow_the_inventors_order() {
    let mean = |letters: &str| {
        let values = worth("grand-apothecary-modern", letters);
        values.iter().sum::<i32>() / values.len() as i32
    };
    let (heavy, average, light) = (mean("QDGLT"), mean("FRYS"), mean("BNZWC"));
    assert!(
        heavy > average + 200 && average > light + 150,
        "{heavy} {average} {light}"
    );
    let joker = mean("J");
    assert!(joker > 300 && joker < average, "{joker}");
    // Compounds of War of the Roses: the queen is rook and bishop, and so on.
    let [q, c, a, r, n, b] = worth("war-of-the-roses", "QCARNB")[..] else {
        panic!("six")
    };
    assert!(q > r.max(b) && c > r.max(n) && a > b.max(n));
    // The amazon of augmenters is worth more than any base.
    let [amazon, rook, bishop] = worth("augmenters", "ARB")[..] else {
        panic!("three")
    };
    assert!(amazon > rook + bishop);
}

/// What the move is worth to the side that has it, all men on the board.
fn tempo(variant: &Variant) -> i32 {
    variant.evaluation().weights[super::terms::once::TEMPO].mg / super::terms::GRAINS
}

#[test]
fn starts_are_even() {
    for id in Catalog::builtin().ids() {
        let v = variant(id);
        // The brouhaha squares of apothecary-modern are not mirrored; augmenters begins with nothing placed.
        if v.rules().augment.is_some() || id == "apothecary-modern" {
            continue;
        }
        for number in [v.setups().first, v.setups().last()] {
            let game = Game::new(v.clone(), &v.start_fen(number).unwrap()).unwrap();
            assert_eq!(evaluate(&game), tempo(&v), "{id} {number}");
        }
    }
}

/// The same position with the colours exchanged and the board turned over; `None` with en passant marks.
fn mirrored(game: &Game) -> Option<Game> {
    let swap = |text: &str| -> String {
        let swapped = |c: char| {
            if c.is_ascii_uppercase() {
                c.to_ascii_lowercase()
            } else {
                c.to_ascii_uppercase()
            }
        };
        text.chars().map(swapped).collect()
    };
    let upper_first = |text: String| -> String {
        let (upper, lower): (String, String) = text.chars().partition(|c| !c.is_ascii_lowercase());
        upper + &lower
    };
    let fen = game.fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    if fields[3] != "-" {
        return None;
    }
    let (board, reserve) = fields[0]
        .split_once('[')
        .map_or((fields[0], None), |(b, r)| (b, Some(r)));
    let mut out = Vec::new();
    for rank in board.split('/').rev() {
        // Letters in braces are augmenters and have no colour.
        let parts: Vec<String> = rank
            .split_inclusive(['{', '}'])
            .map(|p| {
                if p.ends_with('}') {
                    p.to_owned()
                } else {
                    swap(p)
                }
            })
            .collect();
        out.push(parts.concat());
    }
    let mut text = out.join("/");
    if let Some(reserve) = reserve {
        text += &format!("[{}]", upper_first(swap(reserve.trim_end_matches(']'))));
    }
    text += if fields[1] == "w" { " b " } else { " w " };
    text += &upper_first(swap(fields[2]));
    text += " -";
    if fields.len() == 7 {
        let last: String = swap(fields[4]).chars().rev().collect();
        text += &format!(" {last}");
    }
    text += &format!(" {} 1", fields[fields.len() - 2]);
    Some(
        Game::new(game.variant().clone(), &text).unwrap_or_else(|e| panic!("{e}: {fen} -> {text}")),
    )
}

#[test]
fn colours_are_treated_alike() {
    let mut checked = 0;
    for id in Catalog::builtin().ids() {
        if id == "apothecary-modern" {
            continue;
        }
        for seed in 0..25 {
            let game = random_game(id, seed, 4 + 5 * seed as u32);
            if let Some(mirror) = mirrored(&game) {
                assert_eq!(evaluate(&game), evaluate(&mirror), "{id}: {}", game.fen());
                checked += 1;
            }
        }
    }
    assert!(checked > 60, "{checked}");
}

/// Follows a random line and compares the sums kept with sums from nothing, and evaluation that remembers what
/// it saw on the way with evaluation that does not.
fn follow<const N: usize>(variant: &Variant, position: &Position<N>, seed: u64) {
    let mut position = position.clone();
    let mut evaluator = Evaluator::new(position.compiled(), variant.evaluation().clone(), STYLE);
    evaluator.prepare(&position);
    let mut sum = evaluator.accumulate(&position);
    let squares = position.compiled().rules.geometry.squares();
    let (reaches, pawns) = (Reaches::new(squares), PawnTable::new());
    for i in 0..80 {
        let mut moves = MoveList::new();
        position.legal_moves(Wanted::All, &mut moves);
        if moves.is_empty() {
            return;
        }
        let draw = crate::position::mix(seed * 1000 + i);
        // Half of the time a capture or promotion, castlings and the rest otherwise.
        let mut noisy = MoveList::new();
        position.legal_moves(Wanted::Noisy, &mut noisy);
        let from = if draw & 1 == 0 && !noisy.is_empty() {
            &noisy
        } else {
            &moves
        };
        let mv = from[(draw >> 8) as usize % from.len()];
        sum = evaluator.after(&position, &sum, mv);
        position.make(mv);
        assert_eq!(
            sum,
            evaluator.accumulate(&position),
            "{mv:?} to {}",
            position.fen()
        );
        let key = Keys::of(&position).pawns();
        let memory = Memory {
            reaches: &reaches,
            pawns: &pawns,
            key,
        };
        let nothing = Memory {
            reaches: &Reaches::new(squares),
            pawns: &PawnTable::new(),
            key,
        };
        assert_eq!(
            evaluator.evaluate(&position, &sum, memory),
            evaluator.evaluate(&position, &sum, nothing),
            "{mv:?} to {}",
            position.fen()
        );
    }
}

#[test]
fn what_is_kept_is_exact() {
    for id in Catalog::builtin().ids() {
        for seed in 0..20 {
            let game = random_game(id, seed, 3 * seed as u32);
            match game.position() {
                AnyPosition::One(p) => follow(game.variant(), p, seed),
                AnyPosition::Two(p) => follow(game.variant(), p, seed),
                AnyPosition::Four(p) => follow(game.variant(), p, seed),
            }
        }
    }
}

#[test]
fn scores_head_for_the_points_count() {
    let at = |halfmove: u32| {
        let fen = format!(
            "**********/10/5k4/10/10/10/10/10/10/5K4/QR8/**********[] w - - Qk {halfmove} 90"
        );
        evaluate(&Game::new(variant("apothecary-modern"), &fen).unwrap())
    };
    assert!(at(0) > 1000);
    assert!(at(0) > at(120) && at(120) > at(180) && at(180) > at(199));
    assert!(
        at(199).abs_diff(crate::search::Score::ADVANTAGE.cp()) < 25,
        "{}",
        at(199)
    );
}

/// The terms of a position come to what evaluation says.
#[cfg(feature = "tune")]
#[test]
fn traces_come_to_the_evaluation() {
    fn of<const N: usize>(variant: &Variant, position: &Position<N>) -> Option<i32> {
        let compiled = position.compiled();
        let parameters = variant.evaluation().clone();
        let mut evaluator = Evaluator::new(compiled, parameters.clone(), STYLE);
        evaluator.prepare(position);
        let reaches = Reaches::new(compiled.rules.geometry.squares());
        let trace = evaluator.trace(position, &reaches)?;
        let white = trace.value(&parameters.weights) * trace.scale / 64;
        let us = position.side_to_move();
        Some(if us == crate::types::Colour::White {
            white
        } else {
            -white
        })
    }
    let mut checked = 0;
    for id in Catalog::builtin().ids() {
        for seed in 0..25 {
            let game = random_game(id, seed, 4 + 5 * seed as u32);
            let traced = match game.position() {
                AnyPosition::One(p) => of(game.variant(), p),
                AnyPosition::Two(p) => of(game.variant(), p),
                AnyPosition::Four(p) => of(game.variant(), p),
            };
            if let Some(traced) = traced {
                // Each phase of king safety is rounded on its own.
                assert!(
                    traced.abs_diff(evaluate(&game)) <= 1,
                    "{id}: {traced} {}",
                    game.fen()
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked}");
}

/// The terms of a chess position.
#[cfg(feature = "tune")]
fn trace(fen: &str) -> super::Trace {
    let v = variant("chess");
    let game = Game::new(v.clone(), fen).unwrap();
    let AnyPosition::One(position) = game.position() else {
        panic!("chess fits into one word")
    };
    let evaluator = Evaluator::new(position.compiled(), v.evaluation().clone(), STYLE);
    let trace = evaluator.trace(position, &Reaches::new(64));
    trace.expect("nothing special about the position")
}

#[test]
#[cfg(feature = "tune")]
fn terms_occur_where_they_should() {
    use super::terms::once::*;
    for (fen, term, expected) in [
        // White's e3 is backward; Black's d5 is guarded, on its fourth rank.
        ("4k3/8/2p5/3p4/8/4P3/8/4K3 w - - 0 1", BACKWARD, 1),
        ("4k3/8/2p5/3p4/8/4P3/8/4K3 w - - 0 1", ADVANCED, -1),
        ("4k3/8/8/3p4/8/4P3/8/4K3 w - - 0 1", ADVANCED, 0),
        ("4k3/p6p/8/3N4/4P3/8/8/4K3 w - - 0 1", OUTPOST, 1),
        // c7-c6 drives the knight away, and nobody guards it.
        ("4k3/p1p4p/8/3N4/4P3/8/8/4K3 w - - 0 1", OUTPOST, 0),
        ("4k3/p6p/8/3N4/8/4P3/8/4K3 w - - 0 1", OUTPOST, 0),
        ("3k4/4b3/8/3N4/8/8/8/4K3 w - - 0 1", LIGHT_HITS_LIGHT, 1),
        ("3k4/4b3/8/8/8/8/7K/4R3 w - - 0 1", LIGHT_HITS_LIGHT, 0),
        ("3k4/4b3/8/8/8/8/7K/4R3 w - - 0 1", HEAVY_HITS_LIGHT, 1),
        // Both knights attack e3; Black's pawn guards it in the second position, so that only Black is pleased.
        ("4k3/8/8/8/6n1/3p4/8/3NK3 w - - 0 1", CONTESTED, 0),
        ("4k3/8/8/8/3p2n1/8/8/3NK3 w - - 0 1", CONTESTED, -1),
        // Three ranks to go count three; Black's king guards d6, White's does.
        ("8/3k4/8/3P4/8/8/8/6K1 w - - 0 1", PASSER_STOPPED, 3),
        ("8/3k4/8/3P4/8/8/8/6K1 w - - 0 1", PASSER_HELPED, 0),
        ("k7/8/8/3PK3/8/8/8/8 w - - 0 1", PASSER_STOPPED, 0),
        ("k7/8/8/3PK3/8/8/8/8 w - - 0 1", PASSER_HELPED, 3),
        ("k7/2p5/8/3PK3/8/8/8/8 w - - 0 1", PASSER_HELPED, 0),
    ] {
        let found = trace(fen).terms.into_iter().filter(|t| t.0 == term);
        let sum: i32 = found.map(|t| t.1).sum();
        assert_eq!(sum, expected, "term {term} in {fen}");
    }
}

#[test]
#[cfg(feature = "tune")]
fn checks_count_twice_at_most_and_guarded_ones_apart() {
    use super::terms::{Own, once::UNIT_CHECK};
    let v = variant("chess");
    let queen = v.rules().kind(b'Q').unwrap();
    let terms = &v.evaluation().terms;
    for (fen, safe, guarded) in [
        // a1, d4, d8 and h5.
        ("7k/p7/8/8/8/8/8/3QK3 w - - 0 1", 2, 0),
        // d4, where the rook is taken, and h5.
        ("7k/8/8/8/3r4/8/8/3QK3 w - - 0 1", 2, 0),
        // a1, and h5 under the eyes of the rook.
        ("7k/8/8/8/7r/8/3P4/3QK3 w - - 0 1", 1, 1),
    ] {
        let units = &trace(fen).units[0];
        let sum = |term| -> i32 { units.iter().filter(|u| u.0 == term).map(|u| u.1).sum() };
        let found = (sum(terms.own(Own::UnitCheck, queen)), sum(UNIT_CHECK));
        assert_eq!(found, (safe, guarded), "{fen}");
    }
}
