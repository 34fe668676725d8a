//! The node-count signature: fixed positions of all six variants searched to fixed depths.
//!
//! The count changes exactly when the way the engine plays changes, on any machine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::game::Game;
use crate::search::{Engine, EngineOptions, Limits};
use crate::variant::{Catalog, Variant};

/// A position of the signature.
#[derive(Clone, Debug)]
pub struct BenchPosition {
    /// Id of a built-in variant.
    pub variant: &'static str,
    /// Set-up number or seed of the armies.
    pub start: u64,
    /// Random plies played from the start, by a fixed seed.
    pub plies: u32,
    /// Depth of the search.
    pub depth: u32,
}

/// What was counted in a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchLine {
    /// Id of the variant.
    pub variant: &'static str,
    /// The position searched.
    pub fen: String,
    /// The move found.
    pub best: String,
    /// Nodes searched.
    pub nodes: u64,
}

const fn position(variant: &'static str, start: u64, plies: u32, depth: u32) -> BenchPosition {
    BenchPosition {
        variant,
        start,
        plies,
        depth,
    }
}

/// The positions of the signature.
pub const POSITIONS: [BenchPosition; 14] = [
    position("chess", 0, 0, 9),
    position("chess", 0, 24, 9),
    position("chess", 0, 90, 9),
    position("apothecary-modern", 14, 0, 7),
    position("apothecary-modern", 1, 30, 6),
    position("grand-apothecary-modern", 0, 0, 6),
    position("grand-apothecary-modern", 345, 30, 5),
    position("grand-apothecary-modern", 575, 120, 5),
    position("grand-apothecary-modern-2021", 7777, 0, 6),
    position("grand-apothecary-modern-2021", 1, 60, 5),
    position("war-of-the-roses", 0, 0, 5),
    position("war-of-the-roses", 0, 40, 5),
    position("augmenters", 1, 0, 7),
    position("augmenters", 2, 30, 7),
];

/// The game that a position of the signature is.
///
/// ```
/// let game = engine::bench::game(&engine::bench::POSITIONS[1]).unwrap();
/// assert_eq!(game.moves().len(), 24);
/// ```
#[must_use]
pub fn game(position: &BenchPosition) -> Option<Game> {
    use rand_chacha::rand_core::SeedableRng;
    let variant: Arc<Variant> = Catalog::builtin().get(position.variant)?;
    let fen = if variant.rules().augment.is_some() {
        variant.army_fen(position.start).ok()?
    } else {
        variant.start_fen(position.start).ok()?
    };
    let mut game = Game::new(variant, &fen).ok()?;
    let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(position.start + 1);
    for _ in 0..position.plies {
        game.play_random(&mut random);
    }
    Some(game)
}

/// Searches the positions, each with an engine of its own, and calls `done` after each.
///
/// ```no_run
/// let nodes = engine::bench::run(&mut |line| println!("{} {}", line.variant, line.nodes));
/// println!("Bench: {nodes}");
/// ```
pub fn run(done: &mut dyn FnMut(&BenchLine)) -> u64 {
    let mut all = 0;
    for position in &POSITIONS {
        let Some(game) = game(position) else { continue };
        let mut engine = Engine::new(game.variant().clone(), &EngineOptions::default());
        let limits = Limits {
            depth: Some(position.depth),
            ..Limits::default()
        };
        let found = engine.search(&game, &limits, &AtomicBool::new(false), &mut |_| {});
        all += found.nodes;
        done(&BenchLine {
            variant: position.variant,
            fen: game.fen(),
            best: found.best.unwrap_or_else(|| "none".to_owned()),
            nodes: found.nodes,
        });
    }
    all
}
