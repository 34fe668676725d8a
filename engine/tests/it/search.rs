//! Search from outside: legal moves in all variants, determinism, limits, mates, the five outcomes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use engine::game::Game;
use engine::search::{Engine, EngineOptions, Limits, Score, SearchResult};
use engine::variant::{Catalog, Variant};
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

pub const ALL: [&str; 6] = [
    "chess",
    "apothecary-modern",
    "grand-apothecary-modern",
    "grand-apothecary-modern-2021",
    "war-of-the-roses",
    "augmenters",
];

pub fn variant(id: &str) -> Arc<Variant> {
    Catalog::builtin().get(id).unwrap()
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

fn depth(depth: u32) -> Limits {
    Limits {
        depth: Some(depth),
        ..Limits::default()
    }
}

fn small() -> EngineOptions {
    EngineOptions {
        hash_mib: 1,
        ..EngineOptions::default()
    }
}

pub fn search(game: &Game, limits: &Limits) -> SearchResult {
    let mut engine = Engine::new(game.variant().clone(), &small());
    engine.search(game, limits, &AtomicBool::new(false), &mut |_| {})
}

fn position(id: &str, fen: &str) -> Game {
    Game::new(variant(id), fen).unwrap()
}

/// Plays a game of the engine against itself, every move checked.
fn self_play(
    id: &str,
    seed: u64,
    random_plies: u32,
    budget: u64,
    plies: usize,
) -> (Vec<String>, u64) {
    let v = variant(id);
    let mut game = Game::new(v.clone(), &v.army_fen(seed).unwrap()).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..random_plies {
        game.play_random(&mut random);
    }
    let mut engine = Engine::new(v, &small());
    let mut all = 0;
    for _ in 0..plies {
        let found = engine.search(&game, &nodes(budget), &AtomicBool::new(false), &mut |_| {});
        assert!(
            found.nodes <= budget,
            "{id}: {} nodes of {budget}",
            found.nodes
        );
        all += found.nodes;
        let Some(best) = found.best else {
            assert!(game.end().is_some(), "{id}: no move in {}", game.fen());
            break;
        };
        assert_eq!(found.pv.first(), Some(&best));
        game.play(&best)
            .unwrap_or_else(|e| panic!("{id}: {e} in {}", game.fen()));
    }
    (game.moves().to_vec(), all)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_move_is_legal(which in 0usize..6, seed: u64, random_plies in 0u32..120, budget in 1u64..400) {
        self_play(ALL[which], seed, random_plies, budget, 60);
    }
}

#[test]
fn the_principal_variation_is_playable() {
    for id in ALL {
        let v = variant(id);
        for seed in 0..4 {
            let mut game = Game::new(v.clone(), &v.army_fen(seed).unwrap()).unwrap();
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            for _ in 0..20 * seed {
                game.play_random(&mut random);
            }
            let found = search(&game, &nodes(3000));
            for mv in &found.pv {
                game.play(mv)
                    .unwrap_or_else(|e| panic!("{id}: {e} in {}", game.fen()));
            }
        }
    }
}

#[test]
fn fixed_nodes_are_deterministic() {
    for id in ALL {
        let first = self_play(id, 11, 10, 300, 30);
        assert_eq!(first, self_play(id, 11, 10, 300, 30), "{id}");
    }
}

#[test]
fn a_new_game_forgets_the_old_one() {
    let v = variant("grand-apothecary-modern");
    let game = Game::new(v.clone(), &v.start_fen(3).unwrap()).unwrap();
    let other = Game::new(v.clone(), &v.start_fen(4).unwrap()).unwrap();
    let go = |engine: &mut Engine, game: &Game| {
        engine.search(game, &nodes(4000), &AtomicBool::new(false), &mut |_| {})
    };
    let mut engine = Engine::new(v, &small());
    let fresh = go(&mut engine, &game);
    go(&mut engine, &other);
    engine.new_game();
    assert_eq!(go(&mut engine, &game), fresh);
}

#[test]
fn the_node_limit_is_exact() {
    for id in ALL {
        let v = variant(id);
        let game = Game::new(v.clone(), &v.army_fen(5).unwrap()).unwrap();
        for limit in [1, 2, 17, 1000, 4321] {
            let found = search(&game, &nodes(limit));
            assert_eq!(found.nodes, limit, "{id}");
            assert!(found.best.is_some());
        }
    }
}

#[test]
fn the_depth_limit_ends_the_search() {
    let game = position(
        "chess",
        "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3",
    );
    let mut depths = Vec::new();
    let mut engine = Engine::new(game.variant().clone(), &small());
    let found = engine.search(&game, &depth(5), &AtomicBool::new(false), &mut |info| {
        depths.push(info.depth)
    });
    assert_eq!((found.depth, depths), (5, vec![1, 2, 3, 4, 5]));
}

#[test]
fn a_set_flag_and_a_spent_clock_still_give_a_move() {
    for id in ALL {
        let v = variant(id);
        let game = Game::new(v.clone(), &v.army_fen(1).unwrap()).unwrap();
        let mut engine = Engine::new(v, &small());
        let found = engine.search(
            &game,
            &Limits::default(),
            &AtomicBool::new(true),
            &mut |_| {},
        );
        assert!(found.best.is_some(), "{id}");
        let limits = Limits {
            movetime: Some(Duration::ZERO),
            ..Limits::default()
        };
        assert!(
            engine
                .search(&game, &limits, &AtomicBool::new(false), &mut |_| {})
                .best
                .is_some()
        );
    }
}

#[test]
fn only_searchmoves_are_considered() {
    let v = variant("chess");
    let game = Game::new(v.clone(), &v.start_fen(0).unwrap()).unwrap();
    let only = |moves: &[&str]| {
        let searchmoves = moves.iter().map(|m| (*m).to_owned()).collect();
        search(
            &game,
            &Limits {
                searchmoves,
                ..depth(4)
            },
        )
        .best
        .unwrap()
    };
    assert_eq!(only(&["a2a3"]), "a2a3");
    assert_eq!(only(&["h2h4", "nonsense", "e7e5"]), "h2h4");
}

#[test]
fn a_finished_game_has_no_best_move() {
    let mated = position("chess", "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1");
    let found = search(&mated, &nodes(100));
    assert_eq!(
        (found.best, found.score.mate(), found.nodes),
        (None, Some(0), 0)
    );
}

#[test]
fn set_up_phases_are_played_through() {
    let v = variant("augmenters");
    let mut game = Game::new(v.clone(), &v.start_fen(0).unwrap()).unwrap();
    let mut engine = Engine::new(v, &small());
    let mut actions = 0;
    while game.in_setup() {
        let found = engine.search(&game, &nodes(500), &AtomicBool::new(false), &mut |_| {});
        game.play(&found.best.unwrap()).unwrap();
        actions += 1;
    }
    assert_eq!(actions, 4);
    assert!(!game.legal_moves().is_empty());
}

#[test]
fn options_change_how_it_plays() {
    let v = variant("grand-apothecary-modern");
    let mut game = Game::new(v.clone(), &v.start_fen(9).unwrap()).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(9);
    for _ in 0..60 {
        game.play_random(&mut random);
    }
    let count = |name: &str, value: &str| {
        let map = BTreeMap::from([(name.to_owned(), value.to_owned())]);
        let mut engine = Engine::new(v.clone(), &EngineOptions::from_map(&map).unwrap());
        engine
            .search(&game, &depth(5), &AtomicBool::new(false), &mut |_| {})
            .nodes
    };
    let usual = count("Hash", "16");
    for (name, value) in [
        ("Mobility", "0"),
        ("KingSafety", "300"),
        ("NullMove", "false"),
        ("Reductions", "false"),
    ] {
        assert_ne!(count(name, value), usual, "{name}");
    }
}

#[test]
fn an_ended_game_is_scored_for_the_side_to_move() {
    assert_eq!(
        Score::of_end(
            position("chess", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
                .end()
                .unwrap(),
            engine::types::Colour::Black
        ),
        Score::DRAW
    );
}
