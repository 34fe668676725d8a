//! When a search ends: node limit, clock, stop flag.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use super::limits::{Budget, Limits};
use super::params::POLL_NODES;
use crate::types::Colour;

/// Watches over a search's limits.
pub(super) struct Control<'a> {
    stop: &'a AtomicBool,
    most_nodes: u64,
    /// Nodes at which the clock and the flag are looked at next.
    next_poll: u64,
    budget: Budget,
    /// Read only if there is a budget.
    begun: Option<Instant>,
    pub nodes: u64,
    pub stopped: bool,
}

impl<'a> Control<'a> {
    pub fn new(limits: &Limits, side: Colour, stop: &'a AtomicBool) -> Control<'a> {
        let budget = limits.budget(side);
        let timed = budget.soft.is_some() || budget.hard.is_some();
        Control {
            stop,
            most_nodes: limits.nodes.unwrap_or(u64::MAX),
            next_poll: POLL_NODES,
            budget,
            begun: timed.then(Instant::now),
            nodes: 0,
            stopped: false,
        }
    }

    /// Asks for a node; `false` if the search must end instead.
    #[inline]
    pub fn take_node(&mut self) -> bool {
        if self.stopped || self.nodes >= self.most_nodes {
            self.stopped = true;
            return false;
        }
        if self.nodes >= self.next_poll {
            self.poll();
            if self.stopped {
                return false;
            }
        }
        self.nodes += 1;
        true
    }

    #[cold]
    fn poll(&mut self) {
        self.next_poll = self.nodes + POLL_NODES;
        let late = match (self.begun, self.budget.hard) {
            (Some(begun), Some(hard)) => begun.elapsed() >= hard,
            _ => false,
        };
        self.stopped = late || self.stop.load(Relaxed);
    }

    /// Whether another iteration may begin.
    pub fn may_deepen(&mut self) -> bool {
        self.poll();
        let late = match (self.begun, self.budget.soft) {
            (Some(begun), Some(soft)) => begun.elapsed() >= soft,
            _ => false,
        };
        !self.stopped && !late && self.nodes < self.most_nodes
    }

    /// Whether the time is given by a clock, so that obvious moves may save some.
    pub fn by_clock(&self) -> bool {
        self.budget.soft.is_some()
    }
}
