//! Makes the tactical positions of `brouhaha bench tactics`: JSON lines on standard output.
//!
//! `cargo run --release -p engine --example make-tactics -- GAMES [SEED]` plays GAMES seeded games of every
//! built-in variant and prints each position in which exhaustive search proves one move, and no other, to mate or
//! to win material. Neither search nor evaluation of the engine has a part in it: the same seed gives the same
//! positions for as long as the rules are the same.

mod gains;
mod games;
mod material;
mod mates;

use std::collections::HashMap;
use std::io::Write;
use std::process::ExitCode;

use engine::game::AnyPosition;
use engine::position::Position;
use engine::variant::{Catalog, Variant};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde::Serialize;

use crate::games::Player;
use crate::material::Values;

/// A position and its proved solution, as stored.
#[derive(Debug, Serialize)]
pub(crate) struct Puzzle {
    variant: String,
    fen: String,
    kind: &'static str,
    best: Vec<String>,
    /// Plies looked at in full.
    proof: u32,
    /// Material won at least, in the units of the values that the proof counted; absent for mates.
    #[serde(skip_serializing_if = "Option::is_none")]
    gain: Option<i32>,
    /// The piece that makes the first move.
    by: String,
}

/// How many positions of a kind are kept of each variant.
const QUOTA: [(&str, usize); 6] = [
    ("mate-2", 10),
    ("mate-3", 8),
    ("mate-4", 4),
    ("joker", 8),
    ("promotion", 8),
    ("fork", 8),
];

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>());
    let (games, seed) = match (arguments.next(), arguments.next()) {
        (Some(Ok(games)), None) => (games, 1),
        (Some(Ok(games)), Some(Ok(seed))) => (games, seed),
        _ => {
            let _ = writeln!(std::io::stderr(), "usage: make-tactics GAMES [SEED]");
            return ExitCode::from(2);
        }
    };
    match make(games, seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "{error}");
            ExitCode::FAILURE
        }
    }
}

fn make(games: u64, seed: u64) -> std::io::Result<()> {
    let catalog = Catalog::builtin();
    let mut found: HashMap<(String, &'static str), usize> = HashMap::new();
    for game in 0..games {
        for values in Values::all() {
            let Some(variant) = catalog.get(values.variant) else {
                continue;
            };
            let mut random = ChaCha8Rng::seed_from_u64(seed << 32 | game);
            let Some(start) = start(&variant, &mut random) else {
                continue;
            };
            let wanted = |kind| {
                let had = found.get(&(variant.id().to_owned(), kind)).unwrap_or(&0);
                QUOTA.iter().any(|&(k, most)| k == kind && *had < most)
            };
            let puzzles = match start {
                AnyPosition::One(p) => puzzles(*p, &values, &mut random, &wanted),
                AnyPosition::Two(p) => puzzles(*p, &values, &mut random, &wanted),
                AnyPosition::Four(p) => puzzles(*p, &values, &mut random, &wanted),
            };
            let mut out = std::io::stdout().lock();
            for puzzle in puzzles {
                *found
                    .entry((puzzle.variant.clone(), puzzle.kind))
                    .or_insert(0) += 1;
                serde_json::to_writer(&mut out, &puzzle)?;
                writeln!(out)?;
            }
            out.flush()?;
        }
        writeln!(
            std::io::stderr(),
            "game {game}: {} positions",
            found.values().sum::<usize>()
        )?;
    }
    Ok(())
}

/// A start of the variant, drawn from all there are.
fn start(variant: &std::sync::Arc<Variant>, random: &mut ChaCha8Rng) -> Option<AnyPosition> {
    let setups = variant.setups();
    let drawn = random.next_u64();
    let fen = if variant.rules().augment.is_some() {
        variant.army_fen(drawn)
    } else {
        variant.start_fen(setups.first + drawn % setups.count.max(1))
    };
    AnyPosition::from_fen(variant, &fen.ok()?).ok()
}

/// The puzzles of one game, at most one of a kind.
fn puzzles<const N: usize>(
    start: Position<N>,
    values: &Values,
    random: &mut ChaCha8Rng,
    wanted: &dyn Fn(&'static str) -> bool,
) -> Vec<Puzzle> {
    let mut player = Player::new(start, values);
    let mut puzzles: Vec<Puzzle> = Vec::new();
    while let Some(seen) = player.play(random) {
        if seen.ply < 8 || seen.position.halfmove() > 60 || seen.best > material::WON / 2 {
            continue;
        }
        let new = |kind: &'static str| wanted(kind) && puzzles.iter().all(|p| p.kind != kind);
        let puzzle = mates::puzzle(&seen.position, values, &new)
            .or_else(|| gains::puzzle(&seen, values, &new));
        puzzles.extend(puzzle);
    }
    puzzles
}
