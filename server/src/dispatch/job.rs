//! The batches of one tournament or analysis job.

use std::collections::{BTreeMap, BTreeSet};

use super::Needs;
use crate::model::Attempt;

/// The batches of one job: each is waiting, leased, parked or complete.
#[derive(Clone, Debug)]
pub struct Job {
    needs: Needs,
    running: bool,
    complete: Vec<bool>,
    open: u32,
    /// Everything from here on was never leased, unless it is complete or parked.
    next: u32,
    /// Batches from here on are not to be leased yet.
    released: u32,
    /// Batches before `next` that wait again, lowest first.
    returned: BTreeSet<u32>,
    leased: BTreeMap<u32, Attempt>,
    /// Failed attempts of batches.
    failed: BTreeMap<u32, u32>,
    parked: BTreeSet<u32>,
    /// When it last got its turn, among all jobs.
    pub(super) turn: u64,
}

impl Job {
    /// A running job of this many batches, of which some are complete.
    pub fn new(needs: Needs, batches: u32, is_complete: impl Fn(u32) -> bool) -> Self {
        let complete: Vec<bool> = (0..batches).map(is_complete).collect();
        let open = complete.iter().map(|complete| u32::from(!complete)).sum();
        Self {
            needs,
            running: true,
            complete,
            open,
            next: 0,
            released: u32::MAX,
            returned: BTreeSet::new(),
            leased: BTreeMap::new(),
            failed: BTreeMap::new(),
            parked: BTreeSet::new(),
            turn: 0,
        }
    }

    /// Appends batches until there are this many.
    pub fn extend(&mut self, batches: u32) {
        let more = batches.saturating_sub(self.batches());
        self.complete
            .resize(self.complete.len() + more as usize, false);
        self.open += more;
    }

    /// Lets the batches before this one be leased, and none of the others yet.
    pub fn release(&mut self, batches: u32) {
        self.released = batches;
    }

    /// Changes what a worker must have.
    pub fn set_needs(&mut self, needs: Needs) {
        self.needs = needs;
    }

    /// What a worker must have.
    pub fn needs(&self) -> &Needs {
        &self.needs
    }

    /// Whether its batches are leased.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Starts or stops leasing.
    pub fn set_running(&mut self, running: bool) {
        self.running = running;
    }

    /// Number of batches.
    pub fn batches(&self) -> u32 {
        u32::try_from(self.complete.len()).unwrap_or(u32::MAX)
    }

    /// Batches that are not complete.
    pub fn open(&self) -> u32 {
        self.open
    }

    /// Batches that are leased, with their attempts.
    pub fn leased(&self) -> &BTreeMap<u32, Attempt> {
        &self.leased
    }

    /// Batches that are parked.
    pub fn parked(&self) -> &BTreeSet<u32> {
        &self.parked
    }

    /// Whether this batch exists and waits.
    pub fn is_waiting(&self, batch: u32) -> bool {
        self.complete.get(batch as usize) == Some(&false)
            && !self.leased.contains_key(&batch)
            && !self.parked.contains(&batch)
    }

    /// The batch that is to be leased next.
    pub fn peek(&mut self) -> Option<u32> {
        if let Some(&batch) = self.returned.first() {
            return Some(batch);
        }
        let end = self.batches().min(self.released);
        while self.next < end && !self.is_waiting(self.next) {
            self.next += 1;
        }
        (self.next < end).then_some(self.next)
    }

    /// Whether any batch waits.
    pub fn has_waiting(&mut self) -> bool {
        self.peek().is_some()
    }

    /// Leases a waiting batch.
    pub(super) fn lease(&mut self, batch: u32, attempt: Attempt) {
        debug_assert!(self.is_waiting(batch));
        self.returned.remove(&batch);
        self.leased.insert(batch, attempt);
    }

    /// Takes a leased batch back.
    pub(super) fn give_back(&mut self, batch: u32) {
        if self.leased.remove(&batch).is_some() {
            self.wait(batch);
        }
    }

    /// Notes a failed attempt of a waiting batch. Gives how many there are now.
    pub(super) fn fail(&mut self, batch: u32) -> u32 {
        let failed = self.failed.entry(batch).or_insert(0);
        *failed += 1;
        *failed
    }

    /// Parks a batch.
    pub fn park(&mut self, batch: u32) {
        if self.is_waiting(batch) {
            self.returned.remove(&batch);
            self.parked.insert(batch);
        }
    }

    /// Lets all parked batches wait again, with no failed attempts.
    pub fn unpark(&mut self) {
        for batch in std::mem::take(&mut self.parked) {
            self.failed.remove(&batch);
            self.wait(batch);
        }
    }

    /// Marks a batch complete. Gives its attempt when it is leased.
    pub(super) fn complete(&mut self, batch: u32) -> Option<Attempt> {
        let complete = self.complete.get_mut(batch as usize)?;
        self.open -= u32::from(!*complete);
        *complete = true;
        self.returned.remove(&batch);
        self.parked.remove(&batch);
        self.failed.remove(&batch);
        self.leased.remove(&batch)
    }

    /// Marks a complete batch as not complete: one of its games was voided.
    pub fn reopen(&mut self, batch: u32) {
        if let Some(complete) = self.complete.get_mut(batch as usize)
            && *complete
        {
            *complete = false;
            self.open += 1;
            self.wait(batch);
        }
    }

    fn wait(&mut self, batch: u32) {
        if batch < self.next && self.is_waiting(batch) {
            self.returned.insert(batch);
        }
    }
}
