//! [`Engine`]: what lasts from move to move, and the one dispatch on the board's width.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::control::Signals;
use super::core::{Core, Task};
use super::info::{Info, Listener, SearchResult};
use super::limits::Limits;
use super::options::EngineOptions;
use super::score::Score;
use crate::game::{AnyPosition, Game};
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
        let signals = Signals {
            stop,
            pondering: None,
        };
        self.search_with(game, limits, signals, &mut |line: &Info| info(line))
    }

    /// The same with more to tell and to listen to: pondering, and the moves of the root as they are searched.
    pub fn search_with(
        &mut self,
        game: &Game,
        limits: &Limits,
        signals: Signals<'_>,
        listener: &mut dyn Listener,
    ) -> SearchResult {
        if game.variant().hash() != self.variant.hash() {
            *self = Engine::new(game.variant().clone(), &self.options);
        }
        if let Some(end) = game.end() {
            return SearchResult::nothing(Score::of_end(end, game.side_to_move()));
        }
        let task = Task {
            options: &self.options,
            game,
            limits,
            signals,
        };
        match (&mut self.core, game.position()) {
            (AnyCore::One(core), AnyPosition::One(p)) => core.search(p, &task, listener),
            (AnyCore::Two(core), AnyPosition::Two(p)) => core.search(p, &task, listener),
            (AnyCore::Four(core), AnyPosition::Four(p)) => core.search(p, &task, listener),
            // The same variant has boards of the same width.
            _ => SearchResult::nothing(Score::DRAW),
        }
    }
}
