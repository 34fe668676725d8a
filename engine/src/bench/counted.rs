//! Fixed work whose machine instructions are counted: each case goes through `counted`, which a profiler that
//! counts instructions takes for the begin and the end.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use super::{Middle, middle, middles};
use crate::game::AnyPosition;
use crate::movegen::Wanted;
use crate::perft::perft_any;
use crate::position::Position;
use crate::search::{Engine, EngineOptions, Limits};
use crate::types::MoveList;

/// Nodes of a counted search.
const NODES: u64 = 5_000;
/// Rounds of the work that is over in no time.
const ROUNDS: u32 = 50;

/// Part of the name, as profilers show it, of the function between whose begin and end is counted.
pub const FUNCTION: &str = "counted::counted";

/// The kinds of work.
const WORKS: [&str; 5] = ["perft", "make-unmake", "in-check", "legal-moves", "search"];

/// Names of the cases: a variant and a kind of work, with a space between.
///
/// ```
/// assert!(engine::bench::counted::names().contains(&"chess perft".to_owned()));
/// ```
#[must_use]
pub fn names() -> Vec<String> {
    middles()
        .iter()
        .flat_map(|middle| WORKS.map(|work| format!("{} {work}", middle.variant)))
        .collect()
}

/// Does the work of a case once, within `counted`; nothing if no case has the name.
///
/// ```no_run
/// engine::bench::counted::run("chess perft").unwrap();
/// ```
#[must_use]
pub fn run(name: &str) -> Option<()> {
    let (variant, work) = name.split_once(' ')?;
    let middle = middle(variant)?;
    match work {
        "perft" => counted(&mut || {
            black_box(perft_any(black_box(middle.game.position()), middle.depth));
        }),
        "search" => search(&middle),
        _ => match middle.game.position().clone() {
            AnyPosition::One(p) => single(*p, work)?,
            AnyPosition::Two(p) => single(*p, work)?,
            AnyPosition::Four(p) => single(*p, work)?,
        },
    }
    Some(())
}

/// Does the work. Never inlined, so that it has a name, a begin and an end.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

/// Moves made and unmade, looks for check, or lists of moves.
fn single<const N: usize>(mut position: Position<N>, work: &str) -> Option<()> {
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::All, &mut moves);
    match work {
        "make-unmake" => counted(&mut || {
            for _ in 0..ROUNDS {
                for &mv in &moves {
                    let undo = position.make(black_box(mv));
                    position.unmake(mv, &undo);
                }
            }
        }),
        "in-check" => counted(&mut || {
            for _ in 0..ROUNDS {
                black_box(black_box(&position).in_check());
            }
        }),
        "legal-moves" => counted(&mut || {
            for _ in 0..ROUNDS {
                moves.clear();
                black_box(&position).legal_moves(Wanted::All, &mut moves);
            }
        }),
        _ => return None,
    }
    Some(())
}

fn search(middle: &Middle) {
    let mut engine = Engine::new(middle.game.variant().clone(), &EngineOptions::default());
    let limits = Limits {
        nodes: Some(NODES),
        ..Limits::default()
    };
    counted(&mut || {
        black_box(engine.search(&middle.game, &limits, &AtomicBool::new(false), &mut |_| {}));
    });
}
