//! When a search ends: node limit, clock, stop flag, for one thread or several.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::limits::{Budget, Limits};
use super::params::POLL_NODES;
use crate::types::Colour;

/// What the one who asks for a search may tell it later.
#[derive(Clone, Copy)]
pub struct Signals<'a> {
    /// Set to end the search.
    pub stop: &'a AtomicBool,
    /// Set while the opponent is thinking: no clock runs before it is cleared. `None` is never.
    pub pondering: Option<&'a AtomicBool>,
}

/// What the threads of a search share.
pub(super) struct Shared<'a> {
    signals: Signals<'a>,
    most_nodes: u64,
    /// Nodes that threads have taken, up to a poll interval a thread before they are searched.
    taken: AtomicU64,
    /// Set when the first thread has ended.
    over: AtomicBool,
}

/// Watches over the limits in one thread.
pub(super) struct Control<'a> {
    shared: &'a Shared<'a>,
    /// The thread that looks at the clock and gives the answer.
    first: bool,
    budget: Budget,
    /// Read only if there is a budget, and not before pondering ends.
    begun: Option<Instant>,
    /// Nodes that may be searched before asking for more.
    granted: u64,
    /// Nodes of this thread.
    pub nodes: u64,
    pub stopped: bool,
}

impl<'a> Shared<'a> {
    pub fn new(limits: &Limits, signals: Signals<'a>) -> Shared<'a> {
        Shared {
            signals,
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
            taken: AtomicU64::new(0),
            over: AtomicBool::new(false),
        }
    }

    /// Ends the search of all threads.
    pub fn end(&self) {
        self.over.store(true, Relaxed);
    }
}

impl<'a> Control<'a> {
    /// Control of the first thread, or of one of its helpers.
    pub fn new(shared: &'a Shared<'a>, limits: &Limits, side: Colour, first: bool) -> Control<'a> {
        let mut control = Control {
            shared,
            first,
            budget: limits.budget(side),
            begun: None,
            granted: 0,
            nodes: 0,
            stopped: false,
        };
        control.elapsed();
        control
    }

    /// Asks for a node; `false` if the search must end instead.
    #[inline]
    pub fn take_node(&mut self) -> bool {
        if self.nodes >= self.granted {
            self.ask();
        }
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        true
    }

    /// Looks at the signals and takes more nodes out of the common limit.
    #[cold]
    fn ask(&mut self) {
        self.poll();
        let before = self.shared.taken.fetch_add(POLL_NODES, Relaxed);
        let left = self.shared.most_nodes.saturating_sub(before);
        if left == 0 {
            self.shared.taken.fetch_sub(POLL_NODES, Relaxed);
            self.stopped = true;
        }
        self.granted = self.nodes + left.min(POLL_NODES);
    }

    fn poll(&mut self) {
        let late = self.first
            && matches!((self.elapsed(), self.budget.hard), (Some(e), Some(hard)) if e >= hard);
        self.stopped |= late || self.is_over();
    }

    fn is_over(&self) -> bool {
        self.shared.over.load(Relaxed) || self.shared.signals.stop.load(Relaxed)
    }

    /// Time on the clock, where there is a budget and the clock runs.
    fn elapsed(&mut self) -> Option<Duration> {
        let timed = self.first && (self.budget.soft.is_some() || self.budget.hard.is_some());
        if !timed || self.is_pondering() {
            return None;
        }
        Some(self.begun.get_or_insert_with(Instant::now).elapsed())
    }

    fn is_pondering(&self) -> bool {
        self.shared
            .signals
            .pondering
            .is_some_and(|p| p.load(Relaxed))
    }

    /// Whether another iteration may begin, of which so many percent of the usual time are made.
    pub fn may_deepen(&mut self, percent: u32) -> bool {
        self.poll();
        let late = match (self.elapsed(), self.budget.soft) {
            (Some(elapsed), Some(soft)) => elapsed >= soft * percent / 100,
            _ => false,
        };
        !self.stopped && !late && self.shared.most_nodes > self.all_nodes()
    }

    /// Nodes of all threads; exact with one thread.
    pub fn all_nodes(&self) -> u64 {
        let taken = self.shared.taken.load(Relaxed);
        taken - (self.granted - self.nodes).min(taken)
    }

    /// Whether the time is given by a clock that runs, so that obvious moves may save some.
    pub fn by_clock(&self) -> bool {
        self.budget.soft.is_some() && !self.is_pondering()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(nodes: u64) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }

    #[test]
    fn threads_never_take_more_nodes_than_there_are() {
        let stop = AtomicBool::new(false);
        let signals = Signals {
            stop: &stop,
            pondering: None,
        };
        let limits = limits(10_001);
        let shared = Shared::new(&limits, signals);
        let count = |first| {
            let mut control = Control::new(&shared, &limits, Colour::White, first);
            while control.take_node() {}
            control.nodes
        };
        let all: u64 = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|i| scope.spawn(move || count(i == 0))).collect();
            threads.into_iter().map(|t| t.join().unwrap()).sum()
        });
        assert_eq!(all, 10_001);
    }

    #[test]
    fn no_clock_runs_while_pondering() {
        let stop = AtomicBool::new(false);
        let pondering = AtomicBool::new(true);
        let signals = Signals {
            stop: &stop,
            pondering: Some(&pondering),
        };
        let limits = Limits {
            movetime: Some(Duration::ZERO),
            ..Limits::default()
        };
        let shared = Shared::new(&limits, signals);
        let mut control = Control::new(&shared, &limits, Colour::White, true);
        std::thread::sleep(Duration::from_millis(3));
        assert!(control.may_deepen(100) && control.take_node());
        pondering.store(false, Relaxed);
        control.may_deepen(100);
        std::thread::sleep(Duration::from_millis(3));
        assert!(!control.may_deepen(100) && !control.take_node());
    }
}
