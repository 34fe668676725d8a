//! [`Limits`]: how long a search may take.

use std::time::Duration;

use crate::types::Colour;

/// Time left on the clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time left, White's first.
    pub remaining: [Duration; 2],
    /// Time added for each move made, White's first.
    pub increment: [Duration; 2],
    /// Moves until time is added, if the control is of that kind.
    pub moves_to_go: Option<u32>,
}

/// How long a search may take. The first limit reached ends it; with none it goes on until it is stopped.
///
/// Limits by nodes and depth alone read no clock: with one thread the search is then deterministic.
///
/// ```
/// use engine::search::Limits;
/// let limits = Limits { nodes: Some(5000), ..Limits::default() };
/// assert!(limits.movetime.is_none());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Most nodes, a node being a move made on the search's board. Kept exactly.
    pub nodes: Option<u64>,
    /// Deepest iteration in plies.
    pub depth: Option<u32>,
    /// A mate in so many moves is looked for, with nothing left out because of evaluations, and ends the search.
    pub mate: Option<u32>,
    /// Time for the move, all of which may be used.
    pub movetime: Option<Duration>,
    /// The clocks, if there are any.
    pub clock: Option<Clock>,
    /// Time lost between the engine's answer and the clock's stop.
    pub move_overhead: Duration,
    /// If not empty, only these moves are considered at the root; texts that are no legal move are left aside.
    pub searchmoves: Vec<String>,
}

/// When a search should end by the clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Budget {
    /// No new iteration after this much time, where nothing is special about the choice.
    pub soft: Option<Duration>,
    /// The search is stopped after this much time.
    pub hard: Option<Duration>,
}

/// Moves that the rest of a game is thought to take.
const MOVES_LEFT: u32 = 32;

impl Limits {
    /// Time for the move of `side`.
    pub(super) fn budget(&self, side: Colour) -> Budget {
        let mut budget = Budget::default();
        if let Some(time) = self.movetime {
            // A fixed time is a wish about each move, not a clock that falls: little is kept back.
            let kept = self.move_overhead.min(time / 20);
            budget.hard = Some(time.saturating_sub(kept).max(Duration::from_millis(1)));
        }
        if let Some(clock) = &self.clock {
            let left = clock.remaining[side.index()];
            // An overhead of all the time left would leave nothing to think with.
            let usable = left
                .saturating_sub(self.move_overhead)
                .max(left / 20)
                .max(Duration::from_millis(1));
            let moves = clock.moves_to_go.map_or(MOVES_LEFT, |m| m.clamp(1, 50));
            let fair = usable / moves + clock.increment[side.index()] * 3 / 4;
            let most = if moves == 1 { usable } else { usable * 2 / 5 };
            let hard = (fair * 4).min(most).max(Duration::from_millis(1));
            budget.soft = Some((fair * 3 / 5).min(hard));
            budget.hard = Some(budget.hard.map_or(hard, |h| h.min(hard)));
        }
        budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clock(left: u64, increment: u64, moves_to_go: Option<u32>, overhead: u64) -> Limits {
        Limits {
            clock: Some(Clock {
                remaining: [Duration::from_millis(left), Duration::ZERO],
                increment: [Duration::from_millis(increment), Duration::ZERO],
                moves_to_go,
            }),
            move_overhead: Duration::from_millis(overhead),
            ..Limits::default()
        }
    }

    proptest! {
        #[test]
        fn never_more_than_is_left(left in 0u64..10_000_000, inc in 0u64..100_000, moves in prop::option::of(0u32..100), overhead in 0u64..5000) {
            let budget = clock(left, inc, moves, overhead).budget(Colour::White);
            let (soft, hard) = (budget.soft.unwrap(), budget.hard.unwrap());
            prop_assert!(soft <= hard);
            prop_assert!(hard <= Duration::from_millis(left.max(1)));
            if left > 2 * overhead && left > 100 {
                prop_assert!(hard + Duration::from_millis(overhead) <= Duration::from_millis(left));
            }
        }
    }

    #[test]
    fn no_clock_no_budget() {
        let limits = Limits {
            nodes: Some(10),
            depth: Some(3),
            ..Limits::default()
        };
        assert_eq!(limits.budget(Colour::Black), Budget::default());
    }
}
