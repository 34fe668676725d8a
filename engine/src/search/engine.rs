//! [`Engine`]: what lasts from move to move, and the one dispatch on the board's width.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::control::Control;
use super::history::History;
use super::info::{Info, SearchResult};
use super::limits::Limits;
use super::options::EngineOptions;
use super::root::RootMove;
use super::score::Score;
use super::searcher::{PLIES, Ply, Searcher};
use super::table::Table;
use crate::eval::{Evaluator, Style};
use crate::game::{AnyPosition, Game};
use crate::movegen::{Reaches, Wanted};
use crate::notation::{move_text, parse_move};
use crate::position::{Compiled, Position};
use crate::types::MoveList;
use crate::variant::{AnyCompiled, Variant};

/// An engine that plays one variant.
///
/// It keeps a transposition table and what it has learnt about moves from one search to the next;
/// [`new_game`](Engine::new_game) forgets them. Two engines share nothing.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use engine::{game::Game, search::{Engine, EngineOptions, Limits}, variant::Catalog};
/// let chess = Catalog::builtin().get("chess").unwrap();
/// let game = Game::new(chess.clone(), "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1").unwrap();
/// let mut engine = Engine::new(chess, &EngineOptions::default());
/// let limits = Limits { nodes: Some(5000), ..Limits::default() };
/// let found = engine.search(&game, &limits, &AtomicBool::new(false), &mut |_| {});
/// assert_eq!(found.best.as_deref(), Some("d1d8"));
/// assert_eq!(found.score.mate(), Some(1));
/// ```
pub struct Engine {
    variant: Arc<Variant>,
    options: EngineOptions,
    core: AnyCore,
}

enum AnyCore {
    One(Box<Core<1>>),
    Two(Box<Core<2>>),
    Four(Box<Core<4>>),
}

/// The parts that depend on the board's width.
struct Core<const N: usize> {
    evaluator: Evaluator<N>,
    table: Table,
    history: History,
    plies: Vec<Ply>,
    reaches: Reaches<N>,
}

impl Engine {
    /// An engine for a variant.
    #[must_use]
    pub fn new(variant: Arc<Variant>, options: &EngineOptions) -> Engine {
        let core = match variant.compiled() {
            AnyCompiled::One(c) => AnyCore::One(Box::new(Core::new(&variant, c, options))),
            AnyCompiled::Two(c) => AnyCore::Two(Box::new(Core::new(&variant, c, options))),
            AnyCompiled::Four(c) => AnyCore::Four(Box::new(Core::new(&variant, c, options))),
        };
        Engine {
            variant,
            options: options.clone(),
            core,
        }
    }

    /// The variant it plays.
    #[must_use]
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// Forgets what was learnt in the game before, as if the engine were new.
    pub fn new_game(&mut self) {
        match &mut self.core {
            AnyCore::One(core) => core.clear(),
            AnyCore::Two(core) => core.clear(),
            AnyCore::Four(core) => core.clear(),
        }
    }

    /// Looks for the best move of a game's position until a limit is reached or `stop` is set.
    ///
    /// `info` is called after each iteration. Under limits by nodes or depth, with one thread and the same
    /// searches since [`new_game`](Engine::new_game), the result is the same on every machine. A game of another
    /// variant makes a new engine of this one.
    pub fn search(
        &mut self,
        game: &Game,
        limits: &Limits,
        stop: &AtomicBool,
        info: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        if game.variant().hash() != self.variant.hash() {
            *self = Engine::new(game.variant().clone(), &self.options);
        }
        if let Some(end) = game.end() {
            let score = Score::of_end(end, game.side_to_move());
            return SearchResult {
                best: None,
                score,
                depth: 0,
                nodes: 0,
                pv: Vec::new(),
            };
        }
        let task = Task {
            options: &self.options,
            game,
            limits,
            stop,
        };
        match (&mut self.core, game.position()) {
            (AnyCore::One(core), AnyPosition::One(p)) => core.search(p, &task, info),
            (AnyCore::Two(core), AnyPosition::Two(p)) => core.search(p, &task, info),
            (AnyCore::Four(core), AnyPosition::Four(p)) => core.search(p, &task, info),
            // The same variant has boards of the same width.
            _ => SearchResult {
                best: None,
                score: Score::DRAW,
                depth: 0,
                nodes: 0,
                pv: Vec::new(),
            },
        }
    }
}

/// What is asked of a search.
struct Task<'a> {
    options: &'a EngineOptions,
    game: &'a Game,
    limits: &'a Limits,
    stop: &'a AtomicBool,
}

impl<const N: usize> Core<N> {
    fn new(variant: &Variant, compiled: &Compiled<N>, options: &EngineOptions) -> Core<N> {
        let style = Style {
            mobility: options.mobility,
            king_safety: options.king_safety,
        };
        Core {
            evaluator: Evaluator::new(compiled, variant.evaluation().clone(), style),
            table: Table::new(options.hash_mib),
            history: History::new(),
            reaches: Reaches::new(compiled.rules.geometry.squares()),
            plies: std::iter::repeat_with(Ply::default).take(PLIES).collect(),
        }
    }

    fn clear(&mut self) {
        self.table.clear();
        self.history.clear();
        self.evaluator.forget();
    }

    fn search(
        &mut self,
        position: &Position<N>,
        task: &Task<'_>,
        info: &mut dyn FnMut(&Info),
    ) -> SearchResult {
        self.evaluator.prepare(position);
        self.table.next_search();
        self.history.age();
        let mut control = Control::new(task.limits, position.side_to_move(), task.stop);
        if position.setup().is_some() {
            return super::setup::choose(&self.evaluator, position, &mut control);
        }
        for ply in &mut self.plies {
            ply.killers = [None; 2];
            ply.moved = None;
        }
        self.plies[0].sum = self.evaluator.accumulate(position);
        let hashes = task.game.hashes().to_vec();
        let mut searcher = Searcher {
            position: position.clone(),
            evaluator: &self.evaluator,
            table: &self.table,
            history: &mut self.history,
            plies: &mut self.plies,
            reaches: &self.reaches,
            control,
            options: task.options,
            base: 0,
            root: hashes.len().saturating_sub(1),
            hashes,
            contempt: task.options.contempt,
            seldepth: 0,
            no_null_before: 0,
            scratch: MoveList::new(),
            root_depth: 0,
        };
        let mut moves = root_moves(position, &task.limits.searchmoves);
        if moves.is_empty() {
            return SearchResult {
                best: None,
                score: Score::DRAW,
                depth: 0,
                nodes: 0,
                pv: Vec::new(),
            };
        }
        searcher.iterate(&mut moves, task.limits.depth, info)
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
