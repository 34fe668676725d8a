//! The engine in this process.

use std::sync::Arc;
use std::time::{Duration, Instant};

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
        let limits = Limits {
            move_overhead: limit.overhead(),
            ..limits(&limit.kind)
        };
        let (started, computed) = (Instant::now(), computing_time());
        let found = self
            .engine
            .search(turn.game, &limits, control.stop_flag(), &mut |_| {});
        let computed = computing_time()
            .zip(computed)
            .map(|(end, begin)| end.saturating_sub(begin));
        let elapsed = charged(started.elapsed(), computed, limit.allowed);
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
            offers_draw: false,
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

/// The time that a move is charged with: by the wall clock, but beyond what is allowed only as far as the engine was
/// computing. A slot that the machine keeps waiting for a processor does not lose games for it.
fn charged(wall: Duration, computed: Option<Duration>, allowed: Option<Duration>) -> Duration {
    match (computed, allowed) {
        (Some(computed), Some(allowed)) if wall > allowed => wall.min(allowed.max(computed)),
        _ => wall,
    }
}

/// How long this thread has had a processor, where the system tells.
#[cfg(unix)]
fn computing_time() -> Option<Duration> {
    Duration::try_from(rustix::time::clock_gettime(
        rustix::time::ClockId::ThreadCPUTime,
    ))
    .ok()
}

#[cfg(not(unix))]
fn computing_time() -> Option<Duration> {
    None
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
            ..
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_processor_is_not_charged_beyond_what_is_allowed() {
        let ms = Duration::from_millis;
        let charge = |wall, computed: Option<u64>, allowed: Option<u64>| {
            charged(ms(wall), computed.map(ms), allowed.map(ms))
        };
        // Within the limit the wall clock counts.
        assert_eq!(charge(1400, Some(900), Some(1500)), ms(1400));
        // Kept waiting: the limit, and no more.
        assert_eq!(charge(1741, Some(1400), Some(1500)), ms(1500));
        // Computed for too long: that, and never more than has passed.
        assert_eq!(charge(1741, Some(1650), Some(1500)), ms(1650));
        assert_eq!(charge(1741, Some(1800), Some(1500)), ms(1741));
        assert_eq!(charge(1741, None, Some(1500)), ms(1741));
        assert_eq!(charge(1741, Some(1400), None), ms(1741));
    }
}
