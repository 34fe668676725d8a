//! What a search can be asked for beyond a best move: several lines, threads, pondering, mates.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use engine::game::Game;
use engine::search::{Engine, EngineOptions, Info, Limits, Signals};

use crate::search::{ALL, variant};

fn options(set: &[(&str, &str)]) -> EngineOptions {
    let mut options = EngineOptions::default();
    options.set("Hash", "2").unwrap();
    for (name, value) in set {
        options.set(name, value).unwrap();
    }
    options
}

fn nodes(nodes: u64) -> Limits {
    Limits {
        nodes: Some(nodes),
        ..Limits::default()
    }
}

/// Lines of the last iteration that reported as many as were asked for.
fn lines(game: &Game, count: usize, limits: &Limits) -> Vec<Info> {
    let set = options(&[("MultiPV", &count.to_string())]);
    let mut engine = Engine::new(game.variant().clone(), &set);
    let mut all: Vec<Info> = Vec::new();
    engine.search(game, limits, &AtomicBool::new(false), &mut |info| {
        if info.rank == 1 {
            all.clear();
        }
        all.push(info.clone());
    });
    all
}

#[test]
fn several_lines_are_different_and_in_order() {
    for id in ALL {
        let v = variant(id);
        let game = Game::new(v.clone(), &v.army_fen(2).unwrap()).unwrap();
        let found = lines(&game, 4, &nodes(20_000));
        assert_eq!(found.len(), 4, "{id}");
        for (i, info) in found.iter().enumerate() {
            assert_eq!(info.rank as usize, i + 1);
            assert!(i == 0 || found[i - 1].score >= info.score, "{id} {found:?}");
            assert!(found[..i].iter().all(|other| other.pv[0] != info.pv[0]));
            let mut after = game.clone();
            for mv in &info.pv {
                after.play(mv).unwrap_or_else(|e| panic!("{id}: {e}"));
            }
        }
    }
}

/// The second line is what would be found without the first.
#[test]
fn the_second_line_is_the_best_of_the_rest() {
    let mate = "6k1/5ppp/8/8/8/8/q4PPP/1Q1R2K1 w - - 0 1";
    let game = Game::new(variant("chess"), mate).unwrap();
    let found = lines(&game, 2, &nodes(20_000));
    // Two mates in one: queen and rook.
    assert_eq!(found[0].score.mate(), Some(1));
    let fen = "7k/8/8/8/8/3q4/8/1K1R4 w - - 0 1";
    let game = Game::new(variant("chess"), fen).unwrap();
    let found = lines(&game, 9, &nodes(20_000));
    assert_eq!(found[0].pv[0], "d1d3");
    assert!(
        found[0].score.cp() > 300 && found[1].score.cp() < 0,
        "{found:?}"
    );
    // There are fewer moves than lines asked for.
    assert_eq!(found.len(), game.legal_moves().len().min(9));
}

#[test]
fn several_threads_keep_the_node_limit_and_play_legal_moves() {
    for id in ALL {
        let v = variant(id);
        let mut game = Game::new(v.clone(), &v.army_fen(7).unwrap()).unwrap();
        let mut engine = Engine::new(v, &options(&[("Threads", "3")]));
        for _ in 0..6 {
            let limit = 9_000;
            let found = engine.search(&game, &nodes(limit), &AtomicBool::new(false), &mut |_| {});
            assert!(found.nodes <= limit, "{id}: {}", found.nodes);
            // The others may hold back a poll interval each; a search that is settled ends early.
            let settled = found.score.mate().is_some();
            assert!(
                settled || found.nodes + 3 * 128 >= limit,
                "{id}: {}",
                found.nodes
            );
            let Some(best) = found.best else { break };
            assert_eq!(found.pv.first(), Some(&best));
            for (i, mv) in found.pv.iter().enumerate() {
                let mut line = game.clone();
                for before in &found.pv[..i] {
                    line.play(before).unwrap();
                }
                line.play(mv).unwrap_or_else(|e| panic!("{id}: {e}"));
            }
            game.play(&best).unwrap();
        }
    }
}

#[test]
fn several_threads_find_the_mate_of_one() {
    let fen = "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w - - 0 1";
    let game = Game::new(variant("chess"), fen).unwrap();
    let mut engine = Engine::new(game.variant().clone(), &options(&[("Threads", "4")]));
    let found = engine.search(&game, &nodes(400_000), &AtomicBool::new(false), &mut |_| {});
    assert_eq!(found.best.as_deref(), Some("d2h6"), "{found:?}");
}

#[test]
fn a_mate_asked_for_ends_the_search() {
    let fen = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1";
    let game = Game::new(variant("chess"), fen).unwrap();
    let limits = Limits {
        mate: Some(2),
        ..nodes(3_000_000)
    };
    let mut engine = Engine::new(game.variant().clone(), &options(&[]));
    let found = engine.search(&game, &limits, &AtomicBool::new(false), &mut |_| {});
    assert_eq!(found.score.mate(), Some(2));
    assert_eq!(found.best.as_deref(), Some("a1a6"));
    assert!(found.nodes < 100_000, "{}", found.nodes);
}

/// A clock that has run out does not end a search before the opponent has moved, and does so soon after.
#[test]
fn pondering_runs_no_clock() {
    let v = variant("chess");
    let game = Game::new(v.clone(), &v.start_fen(0).unwrap()).unwrap();
    let (stop, pondering) = (AtomicBool::new(false), Arc::new(AtomicBool::new(true)));
    let limits = Limits {
        movetime: Some(Duration::from_millis(1)),
        ..Limits::default()
    };
    let hit = pondering.clone();
    let opponent = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(60));
        hit.store(false, Relaxed);
    });
    let begun = Instant::now();
    let signals = Signals {
        stop: &stop,
        pondering: Some(&pondering),
    };
    let mut engine = Engine::new(v, &options(&[]));
    let found = engine.search_with(&game, &limits, signals, &mut |_: &Info| {});
    assert!(begun.elapsed() >= Duration::from_millis(55));
    assert!(found.best.is_some());
    opponent.join().unwrap();
}

#[test]
fn a_table_larger_than_memory_is_refused_by_name() {
    let mut set = EngineOptions::default();
    set.set("Hash", "1048576").unwrap();
    if let Err(error) = set.check_memory() {
        let text = error.to_string();
        assert!(
            text.contains("1048576 MiB") && text.contains("`Hash`"),
            "{text}"
        );
    }
    set.set("Hash", "1").unwrap();
    set.check_memory().unwrap();
}
