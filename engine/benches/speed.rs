//! `cargo bench -p engine --bench speed`: times of single operations and of search, per variant.
#![expect(
    clippy::unwrap_used,
    reason = "a bench without its positions measures nothing"
)]

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use divan::Bencher;
use divan::counter::ItemsCount;
use engine::bench::{middle, middles};
use engine::game::AnyPosition;
use engine::movegen::Wanted;
use engine::perft::perft_any;
use engine::search::{Engine, EngineOptions, Limits};
use engine::types::MoveList;

fn main() {
    divan::main();
}

fn variants() -> Vec<&'static str> {
    middles().iter().map(|m| m.variant).collect()
}

/// Runs an expression with a position of any width.
macro_rules! with_position {
    ($any:expr, $position:ident => $body:expr) => {
        match $any {
            AnyPosition::One($position) => $body,
            AnyPosition::Two($position) => $body,
            AnyPosition::Four($position) => $body,
        }
    };
}

/// Leaves of a middle game's perft; the rate is in leaves.
#[divan::bench(args = variants(), sample_count = 10, sample_size = 1)]
fn perft(bencher: Bencher, variant: &str) {
    let middle = middle(variant).unwrap();
    let leaves = perft_any(middle.game.position(), middle.depth);
    bencher
        .counter(ItemsCount::new(leaves))
        .bench_local(|| perft_any(black_box(middle.game.position()), middle.depth));
}

/// Each legal move made and unmade once; the rate is in moves.
#[divan::bench(args = variants())]
fn make_unmake(bencher: Bencher, variant: &str) {
    let middle = middle(variant).unwrap();
    with_position!(middle.game.position().clone(), position => {
        let mut position = *position;
        let mut moves = MoveList::new();
        position.legal_moves(Wanted::All, &mut moves);
        bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
            for &mv in &moves {
                let undo = position.make(black_box(mv));
                position.unmake(mv, &undo);
            }
        });
    });
}

/// Whether the side to move is in check.
#[divan::bench(args = variants())]
fn in_check(bencher: Bencher, variant: &str) {
    let middle = middle(variant).unwrap();
    with_position!(middle.game.position(), position => {
        bencher.bench_local(|| black_box(position).in_check());
    });
}

/// The list of legal moves; the rate is in moves.
#[divan::bench(args = variants())]
fn legal_moves(bencher: Bencher, variant: &str) {
    let middle = middle(variant).unwrap();
    with_position!(middle.game.position(), position => {
        let mut moves = MoveList::new();
        position.legal_moves(Wanted::All, &mut moves);
        bencher.counter(ItemsCount::new(moves.len())).bench_local(|| {
            moves.clear();
            black_box(position).legal_moves(Wanted::All, &mut moves);
            moves.len()
        });
    });
}

/// A search of 50,000 nodes with an empty table; the rate is in nodes.
#[divan::bench(args = variants(), sample_count = 5, sample_size = 1)]
fn search(bencher: Bencher, variant: &str) {
    let middle = middle(variant).unwrap();
    let mut engine = Engine::new(middle.game.variant().clone(), &EngineOptions::default());
    let limits = Limits {
        nodes: Some(50_000),
        ..Limits::default()
    };
    bencher
        .counter(ItemsCount::new(50_000_u32))
        .bench_local(|| {
            engine.new_game();
            engine.search(&middle.game, &limits, &AtomicBool::new(false), &mut |_| {})
        });
}
