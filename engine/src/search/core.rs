//! The part of an [`Engine`](super::Engine) that depends on the board's width: threads over one table.
//!
//! Several threads search the same position ("lazy SMP"): what they know of it in common is the transposition
//! table, by which each goes faster than it would alone.

use super::control::{Control, Shared, Signals};
use super::history::{History, Keys};
use super::info::{Info, Listener, SearchResult};
use super::limits::Limits;
use super::options::EngineOptions;
use super::root::{Course, Known, RootMove};
use super::score::Score;
use super::searcher::{PLIES, Ply, Searcher};
use super::table::Table;
use crate::eval::{Evaluator, PawnTable, Style};
use crate::game::Game;
use crate::movegen::{Reaches, Wanted};
use crate::notation::{move_text, parse_move};
use crate::position::{Compiled, Position};
use crate::types::{Move, MoveList};
use crate::variant::Variant;

/// Bytes of a helper's stack: a line of most plies needs about a quarter.
const STACK: usize = 8 << 20;

/// What is asked of a search.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub options: &'a EngineOptions,
    pub game: &'a Game,
    pub limits: &'a Limits,
    pub signals: Signals<'a>,
}

/// What lasts from search to search.
pub(super) struct Core<const N: usize> {
    table: Table,
    /// One a thread, the first giving the answer.
    workers: Vec<Worker<N>>,
}

/// What a thread keeps for itself.
struct Worker<const N: usize> {
    evaluator: Evaluator<N>,
    history: History,
    plies: Vec<Ply>,
    reaches: Reaches<N>,
    pawns: PawnTable<N>,
}

impl<const N: usize> Core<N> {
    pub fn new(variant: &Variant, compiled: &Compiled<N>, options: &EngineOptions) -> Core<N> {
        let worker = || Worker::new(variant, compiled, options);
        Core {
            table: Table::new(options.hash_mib),
            workers: std::iter::repeat_with(worker)
                .take(options.threads.max(1))
                .collect(),
        }
    }

    /// Forgets the game before.
    pub fn clear(&mut self) {
        self.table.clear();
        for worker in &mut self.workers {
            worker.history.clear();
            worker.evaluator.forget();
        }
    }

    /// Looks for the best move.
    pub fn search(
        &mut self,
        position: &Position<N>,
        task: &Task<'_>,
        listener: &mut dyn Listener,
    ) -> SearchResult {
        self.table.next_search();
        let shared = Shared::new(task.limits, task.signals);
        let side = position.side_to_move();
        for worker in &mut self.workers {
            worker.evaluator.prepare(position);
        }
        let (table, Some((first, helpers))) = (&self.table, self.workers.split_first_mut()) else {
            return SearchResult::nothing(Score::DRAW);
        };
        if position.setup().is_some() {
            let mut control = Control::new(&shared, task.limits, side, true);
            return super::setup::choose(&first.evaluator, position, &mut control);
        }
        let mut moves = root_moves(position, &task.limits.searchmoves);
        if moves.is_empty() {
            return SearchResult::nothing(Score::DRAW);
        }
        let course = Course {
            deepest: task.limits.depth,
            mate: task.limits.mate,
            lines: task.options.multi_pv,
            first_depth: 1,
        };
        let shared = &shared;
        std::thread::scope(|scope| {
            let mut threads = Vec::new();
            for (i, helper) in helpers.iter_mut().enumerate() {
                let mut moves = moves.clone();
                let help = Course {
                    // Half of the helpers are a ply ahead.
                    first_depth: 1 + (i as i32 + 1) % 2,
                    ..course
                };
                let search = move || {
                    let control = Control::new(shared, task.limits, side, false);
                    let mut searcher = helper.searcher(position, task, table, control);
                    let known = searcher.iterate(&mut moves, help, &mut |_: &Info| {});
                    (known, searcher.control.nodes)
                };
                // A machine that gives no more threads searches with those it has given.
                let builder = std::thread::Builder::new().stack_size(STACK);
                if let Ok(thread) = builder.spawn_scoped(scope, search) {
                    threads.push(thread);
                }
            }
            let control = Control::new(shared, task.limits, side, true);
            let mut searcher = first.searcher(position, task, table, control);
            let mut known = searcher.iterate(&mut moves, course, listener);
            shared.end();
            let mut nodes = searcher.control.nodes;
            for (theirs, count) in threads.into_iter().filter_map(|t| t.join().ok()) {
                nodes += count;
                if is_better(&theirs, &known) && task.options.multi_pv == 1 {
                    known = theirs;
                }
            }
            let pv = searcher.texts(&known.pv);
            SearchResult {
                best: Some(move_text(position, known.best)),
                score: Score(known.score),
                depth: known.depth as u32,
                nodes,
                pv,
            }
        })
    }
}

/// Whether a helper knows more: a deeper iteration whose score is no worse.
fn is_better(theirs: &Known, ours: &Known) -> bool {
    theirs.depth > ours.depth && theirs.score >= ours.score
}

impl<const N: usize> Worker<N> {
    fn new(variant: &Variant, compiled: &Compiled<N>, options: &EngineOptions) -> Worker<N> {
        let style = Style {
            mobility: options.mobility,
            king_safety: options.king_safety,
        };
        let rules = &compiled.rules;
        Worker {
            evaluator: Evaluator::new(compiled, variant.evaluation().clone(), style),
            history: History::new(&rules.geometry, rules.pieces.len()),
            reaches: Reaches::new(rules.geometry.squares()),
            pawns: PawnTable::new(),
            plies: std::iter::repeat_with(Ply::default).take(PLIES).collect(),
        }
    }

    /// Begins a search.
    fn searcher<'a>(
        &'a mut self,
        position: &Position<N>,
        task: &Task<'a>,
        table: &'a Table,
        control: Control<'a>,
    ) -> Searcher<'a, N> {
        self.history.age();
        for ply in &mut self.plies {
            ply.killers = [None; 2];
            ply.moved = None;
            ply.context = 0;
            ply.excluded = Move::NONE;
            ply.cutoffs = 0;
        }
        self.plies[0].sum = self.evaluator.accumulate(position);
        self.plies[0].keys = Keys::of(position);
        let hashes = task.game.hashes().to_vec();
        Searcher {
            position: position.clone(),
            evaluator: &self.evaluator,
            table,
            history: &mut self.history,
            plies: &mut self.plies,
            threats: vec![position.threats(); PLIES],
            reaches: &self.reaches,
            pawns: &self.pawns,
            control,
            options: task.options,
            base: 0,
            root: hashes.len().saturating_sub(1),
            hashes,
            contempt: task.options.contempt,
            careful: task.limits.mate.is_some(),
            seldepth: 0,
            no_null_before: 0,
            scratch: MoveList::new(),
            root_depth: 0,
        }
    }
}

/// The moves to consider at the root, in the order of their texts.
fn root_moves<const N: usize>(position: &Position<N>, only: &[String]) -> Vec<RootMove> {
    let mut wanted = MoveList::new();
    for mv in only.iter().filter_map(|text| parse_move(position, text)) {
        if !wanted.contains(&mv) {
            wanted.push(mv);
        }
    }
    if wanted.is_empty() {
        position.legal_moves(Wanted::All, &mut wanted);
    }
    wanted.sort_by_cached_key(|&mv| move_text(position, mv));
    wanted.into_iter().map(RootMove::new).collect()
}
