//! How long a player may think, its clock, and when it counts as hanging.

use std::time::Duration;

use engine::types::Colour;
use proto::v1::{self, limit::Kind};

/// Slowest search that is not taken for a hanging one, in nodes a second.
const SLOWEST_NODES_PER_SECOND: u64 = 2_000;
/// A search to a depth may take this many times as long as an engine may be silent otherwise.
const DEPTH_PATIENCE: u32 = 10;
/// Least time that a player in this process keeps back; otherwise 2 % of what is allowed.
const LEAST_OVERHEAD: Duration = Duration::from_millis(5);

/// How long a player may think: exactly one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Nodes a move.
    Nodes(u64),
    /// Depth a move in plies.
    Depth(u32),
    /// Wall-clock time a move.
    MoveTime(Duration),
    /// A clock for the whole game.
    Clock {
        /// Time at the start.
        base: Duration,
        /// Time added after each own move.
        increment: Duration,
    },
}

impl Limit {
    /// The limit of a message; the error says what is wrong with it.
    pub fn from_wire(message: Option<&v1::Limit>) -> Result<Self, String> {
        match message.and_then(|limit| limit.kind) {
            Some(Kind::Nodes(nodes @ 1..)) => Ok(Self::Nodes(nodes)),
            Some(Kind::Depth(depth @ 1..=255)) => Ok(Self::Depth(depth)),
            Some(Kind::MovetimeMs(ms @ 1..)) => {
                Ok(Self::MoveTime(Duration::from_millis(ms.into())))
            }
            Some(Kind::Clock(clock)) if clock.base_ms > 0 => Ok(Self::Clock {
                base: Duration::from_millis(clock.base_ms),
                increment: Duration::from_millis(clock.increment_ms),
            }),
            Some(kind) => Err(format!("the limit {kind:?} is out of range")),
            None => Err("the limit is missing".to_owned()),
        }
    }
}

/// How long one move may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThinkLimit {
    /// What the engine is told.
    pub kind: ThinkKind,
    /// Time after which the flag has fallen, without margin; none = the move is no matter of time.
    pub allowed: Option<Duration>,
    /// Time beyond `allowed` that is granted.
    pub margin: Duration,
    /// Time after which an engine without flag counts as hanging.
    pub hang_after: Duration,
}

/// What an engine is told about one move's limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkKind {
    /// Nodes.
    Nodes(u64),
    /// Depth in plies.
    Depth(u32),
    /// Time for this move.
    MoveTime(Duration),
    /// The clocks, White's first.
    Clock {
        /// This player's time at the start of the game.
        base: Duration,
        /// Time left.
        remaining: [Duration; 2],
        /// Time added after each own move.
        increment: [Duration; 2],
    },
}

impl ThinkLimit {
    /// When the move must be there at the latest, counted from its start.
    pub fn deadline(&self) -> Duration {
        self.allowed.map_or(self.hang_after, |allowed| {
            allowed.saturating_add(self.margin)
        })
    }

    /// What a player in this process keeps back of its time for what lies between its answer and the clock's stop.
    pub fn overhead(&self) -> Duration {
        self.allowed
            .map_or(Duration::ZERO, |allowed| LEAST_OVERHEAD.max(allowed / 50))
    }

    /// The limit of a single move without a clock, as in analysis.
    pub fn single(limit: &Limit, margin: Duration, hang_after: Duration) -> Self {
        let (kind, allowed, hang_after) = match *limit {
            Limit::Nodes(nodes) => {
                let search = Duration::from_secs(nodes / SLOWEST_NODES_PER_SECOND);
                (
                    ThinkKind::Nodes(nodes),
                    None,
                    hang_after.saturating_add(search),
                )
            }
            Limit::Depth(depth) => (
                ThinkKind::Depth(depth),
                None,
                hang_after.saturating_mul(DEPTH_PATIENCE),
            ),
            Limit::MoveTime(time) => (ThinkKind::MoveTime(time), Some(time), hang_after),
            Limit::Clock { base, increment } => {
                let kind = ThinkKind::Clock {
                    base,
                    remaining: [base; 2],
                    increment: [increment; 2],
                };
                (kind, Some(base), hang_after)
            }
        };
        Self {
            kind,
            allowed,
            margin,
            hang_after,
        }
    }
}

/// The clocks of a game; a player without one is only counted as its opponent's.
#[derive(Clone, Debug)]
pub struct Clocks {
    limits: [Limit; 2],
    remaining: [Duration; 2],
    first: Colour,
    margin: Duration,
    hang_after: Duration,
}

impl Clocks {
    /// Clocks at the start; `limits` in the order of seats, seat 0 has the colour `first`.
    pub fn new(limits: [Limit; 2], first: Colour, margin: Duration, hang_after: Duration) -> Self {
        let base = |limit: Limit| match limit {
            Limit::Clock { base, .. } => base,
            _ => Duration::ZERO,
        };
        Self {
            limits,
            remaining: limits.map(base),
            first,
            margin,
            hang_after,
        }
    }

    /// Limit of a seat's next move.
    pub fn next(&self, seat: usize) -> ThinkLimit {
        let Limit::Clock { base, increment } = self.limits[seat] else {
            return ThinkLimit::single(&self.limits[seat], self.margin, self.hang_after);
        };
        // An opponent without a clock is shown as having this player's own.
        let other = match self.limits[1 - seat] {
            Limit::Clock { increment, .. } => (self.remaining[1 - seat], increment),
            _ => (self.remaining[seat], increment),
        };
        let own = (self.remaining[seat], increment);
        let white_is_own = (seat == 0) == (self.first == Colour::White);
        let [white, black] = if white_is_own {
            [own, other]
        } else {
            [other, own]
        };
        ThinkLimit {
            kind: ThinkKind::Clock {
                base,
                remaining: [white.0, black.0],
                increment: [white.1, black.1],
            },
            allowed: Some(self.remaining[seat]),
            margin: self.margin,
            hang_after: self.hang_after,
        }
    }

    /// Takes a move's time off a seat's clock and adds its increment.
    pub fn punch(&mut self, seat: usize, elapsed: Duration) {
        if let Limit::Clock { increment, .. } = self.limits[seat] {
            self.remaining[seat] = self.remaining[seat]
                .saturating_sub(elapsed)
                .saturating_add(increment);
        }
    }

    /// White's and Black's time left; none for a player without a clock.
    pub fn shown(&self) -> [Option<Duration>; 2] {
        let shown = |seat: usize| {
            matches!(self.limits[seat], Limit::Clock { .. }).then_some(self.remaining[seat])
        };
        if self.first == Colour::White {
            [shown(0), shown(1)]
        } else {
            [shown(1), shown(0)]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn clocks_run_for_their_own_side_only() {
        let clock = Limit::Clock {
            base: 1000 * MS,
            increment: 10 * MS,
        };
        let slow = Limit::Clock {
            base: 9000 * MS,
            increment: MS,
        };
        // Black moves first, so seat 0 is Black's.
        let mut clocks = Clocks::new([clock, slow], Colour::Black, 5 * MS, 60_000 * MS);
        clocks.punch(0, 300 * MS);
        assert_eq!(clocks.shown(), [Some(9000 * MS), Some(710 * MS)]);
        let next = clocks.next(0);
        assert_eq!(
            next.kind,
            ThinkKind::Clock {
                base: 1000 * MS,
                remaining: [9000 * MS, 710 * MS],
                increment: [MS, 10 * MS]
            }
        );
        assert_eq!((next.allowed, next.deadline()), (Some(710 * MS), 715 * MS));
        clocks.punch(0, 2000 * MS);
        assert_eq!(clocks.shown()[1], Some(10 * MS));
    }

    #[test]
    fn a_player_in_process_keeps_a_little_back() {
        let overhead = |limit| ThinkLimit::single(&limit, 100 * MS, 60_000 * MS).overhead();
        assert_eq!(overhead(Limit::MoveTime(1500 * MS)), 30 * MS);
        assert_eq!(overhead(Limit::MoveTime(20 * MS)), 5 * MS);
        assert_eq!(overhead(Limit::Nodes(1)), Duration::ZERO);
    }

    #[test]
    fn a_side_without_a_clock_sees_none_and_shows_none() {
        let clock = Limit::Clock {
            base: 1000 * MS,
            increment: Duration::ZERO,
        };
        let mut clocks = Clocks::new([clock, Limit::Nodes(4000)], Colour::White, MS, 60_000 * MS);
        clocks.punch(1, 500 * MS);
        assert_eq!(clocks.shown(), [Some(1000 * MS), None]);
        let next = clocks.next(1);
        assert_eq!((next.kind, next.allowed), (ThinkKind::Nodes(4000), None));
        assert_eq!(next.deadline(), 62_000 * MS);
        assert_eq!(
            clocks.next(0).kind,
            ThinkKind::Clock {
                base: 1000 * MS,
                remaining: [1000 * MS; 2],
                increment: [Duration::ZERO; 2]
            }
        );
    }

    #[test]
    fn limits_out_of_range_are_refused() {
        for kind in [
            Kind::Nodes(0),
            Kind::Depth(0),
            Kind::Depth(256),
            Kind::MovetimeMs(0),
            Kind::Clock(v1::ClockLimit {
                base_ms: 0,
                increment_ms: 5,
            }),
        ] {
            assert!(
                Limit::from_wire(Some(&v1::Limit { kind: Some(kind) })).is_err(),
                "{kind:?}"
            );
        }
        assert!(Limit::from_wire(None).is_err());
        let depth = v1::Limit {
            kind: Some(Kind::Depth(255)),
        };
        assert_eq!(Limit::from_wire(Some(&depth)), Ok(Limit::Depth(255)));
    }
}
