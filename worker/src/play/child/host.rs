//! How late this host is: time that an engine lost because nothing ran that was due.
//!
//! The thread that waits for an engine wakes at set times. When the system lets it run much later than that, everything
//! on this host may have stood still for as long, the engine included, and its answer is noticed that much too late.
//! Such lateness is added up over a move. It is a lower bound of what the engine lost: a thread that sleeps mostly
//! is let run before one that computes, so a host that is only crowded is not seen as late.

use std::time::Duration;

use tokio::time::Instant;

/// How often the thread wakes.
const TICK: Duration = Duration::from_millis(50);
/// Lateness that is usual and does not count.
const USUAL: Duration = Duration::from_millis(10);

/// The lateness during one move. Pure; time is an argument.
#[derive(Clone, Copy, Debug)]
pub struct Lateness {
    due: Instant,
    late: Duration,
}

impl Lateness {
    /// Nothing yet.
    pub fn new(now: Instant) -> Self {
        Self {
            due: now + TICK,
            late: Duration::ZERO,
        }
    }

    /// When to wake next, at this deadline at the latest.
    pub fn next(&mut self, deadline: Instant) -> Instant {
        self.due = self.due.min(deadline);
        self.due
    }

    /// The thread runs.
    pub fn woke(&mut self, now: Instant) {
        let Some(by) = now.checked_duration_since(self.due) else {
            return;
        };
        if by > USUAL {
            self.late += by;
        }
        self.due = now + TICK;
    }

    /// All lateness so far, as far as it goes beyond what the margin of a move covers anyway.
    pub fn beyond(&self, margin: Duration) -> Duration {
        if self.late > margin {
            self.late
        } else {
            Duration::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn only_wakes_that_are_much_too_late_count() {
        let begun = Instant::now();
        let far = begun + 10_000 * MS;
        let mut host = Lateness::new(begun);
        assert_eq!(host.next(far), begun + 50 * MS);
        // Before it is due: a line of the engine came.
        host.woke(begun + 20 * MS);
        assert_eq!(host.next(far), begun + 50 * MS);
        // As late as is usual.
        host.woke(begun + 59 * MS);
        assert_eq!(host.next(far), begun + 109 * MS);
        assert_eq!(host.beyond(Duration::ZERO), Duration::ZERO);
        host.woke(begun + 229 * MS);
        assert_eq!(host.beyond(100 * MS), 120 * MS);
        assert_eq!(host.beyond(120 * MS), Duration::ZERO);
        // A deadline before the next tick is when it is due.
        assert_eq!(host.next(begun + 240 * MS), begun + 240 * MS);
        host.woke(begun + 540 * MS);
        assert_eq!(host.beyond(100 * MS), 420 * MS);
    }
}
