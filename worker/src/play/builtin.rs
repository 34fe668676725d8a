//! The engine in this process.

use std::sync::Arc;
use std::time::Instant;

use engine::search::{Clock, Engine, EngineOptions, Limits};
use engine::variant::Variant;

use super::limit::ThinkKind;
use super::player::Turn;
use super::{Control, Player, PlayerError, Score, ThinkLimit, Thought};

/// The engine built into the worker: one thread, its own transposition table.
pub struct BuiltinPlayer {
    engine: Engine,
}

impl BuiltinPlayer {
    /// An engine for a variant.
    pub fn new(variant: &Arc<Variant>, options: &EngineOptions) -> Self {
        Self {
            engine: Engine::new(variant.clone(), options),
        }
    }
}

impl Player for BuiltinPlayer {
    fn new_game(&mut self, _: &Control) -> Result<(), PlayerError> {
        self.engine.new_game();
        Ok(())
    }

    fn think(
        &mut self,
        turn: Turn<'_>,
        limit: &ThinkLimit,
        control: &Control,
    ) -> Result<Thought, PlayerError> {
        let limits = limits(&limit.kind);
        let started = Instant::now();
        let found = self
            .engine
            .search(turn.game, &limits, control.stop_flag(), &mut |_| {});
        let elapsed = started.elapsed();
        if control.is_cancelled() {
            return Err(PlayerError::Cancelled);
        }
        let best = found.best.ok_or_else(|| {
            PlayerError::Own(format!(
                "the built-in engine found no move in `{}`",
                turn.game.fen()
            ))
        })?;
        Ok(Thought {
            best,
            score: Some(
                found
                    .score
                    .mate()
                    .map_or(Score::Cp(found.score.cp()), Score::Mate),
            ),
            depth: found.depth,
            nodes: found.nodes,
            pv: found.pv,
            elapsed,
        })
    }
}

fn limits(kind: &ThinkKind) -> Limits {
    match *kind {
        ThinkKind::Nodes(nodes) => Limits {
            nodes: Some(nodes),
            ..Limits::default()
        },
        ThinkKind::Depth(depth) => Limits {
            depth: Some(depth),
            ..Limits::default()
        },
        ThinkKind::MoveTime(time) => Limits {
            movetime: Some(time),
            ..Limits::default()
        },
        ThinkKind::Clock {
            remaining,
            increment,
        } => {
            let clock = Clock {
                remaining,
                increment,
                moves_to_go: None,
            };
            Limits {
                clock: Some(clock),
                ..Limits::default()
            }
        }
    }
}
