//! The batches that the worker holds and what is left of them. Pure; time is an argument.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use proto::v1;

use super::batch::{Batch, Item, Work};
use super::prepare::{Failure, Prepared};
use crate::heartbeat::LeaseBeat;
use crate::play::Control;

/// Names a lease: its attempt is never given twice.
pub type Key = (u64, u64);

/// The key of a lease.
pub fn key(lease: &v1::Lease) -> Key {
    lease
        .attempt
        .map_or((0, 0), |attempt| (attempt.epoch, attempt.counter))
}

/// The batches that the worker holds, in order of arrival.
#[derive(Default)]
pub struct Held {
    batches: BTreeMap<Key, Entry>,
    arrivals: VecDeque<Key>,
}

struct Entry {
    lease: v1::Lease,
    beat: LeaseBeat,
    /// None until it is ready.
    prepared: Option<Arc<Prepared>>,
    items: usize,
    waiting: VecDeque<Item>,
    running: BTreeMap<Item, Control>,
    /// Why it will be given back once nothing of it runs any more.
    failure: Option<Failure>,
    /// Whether nobody is to hear of it any more.
    dropped: bool,
}

/// A game or position to work on.
#[derive(Clone)]
pub struct Task {
    /// Its batch.
    pub prepared: Arc<Prepared>,
    /// Which of it.
    pub item: Item,
    /// Shared with the slot.
    pub control: Control,
}

/// A batch that is no longer held.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Its lease.
    pub lease: v1::Lease,
    /// Why it is given back; none = it is done, or the coordinator does not want it.
    pub failure: Option<Failure>,
}

impl Held {
    /// Takes a batch that is not ready yet.
    pub fn insert(&mut self, batch: &Batch, now: Instant) {
        let key = key(&batch.lease);
        let entry = Entry {
            lease: batch.lease,
            beat: LeaseBeat::new(batch.lease_time, now),
            prepared: None,
            items: batch.items(),
            waiting: VecDeque::new(),
            running: BTreeMap::new(),
            failure: None,
            dropped: false,
        };
        if self.batches.insert(key, entry).is_none() {
            self.arrivals.push_back(key);
        }
    }

    /// A batch is ready: its items may be worked on.
    pub fn ready(&mut self, prepared: Arc<Prepared>) {
        if let Some(entry) = self.batches.get_mut(&key(&prepared.batch.lease))
            && entry.prepared.is_none()
        {
            entry.waiting = (0..prepared.batch.items()).map(Item).collect();
            entry.prepared = Some(prepared);
        }
    }

    /// The next item to work on; it runs from now on.
    pub fn next_task(&mut self) -> Option<Task> {
        let ready = |key: &&Key| {
            self.batches
                .get(key)
                .is_some_and(|entry| !entry.waiting.is_empty())
        };
        let key = *self.arrivals.iter().find(ready)?;
        let entry = self.batches.get_mut(&key)?;
        let prepared = entry.prepared.clone()?;
        let item = entry.waiting.pop_front()?;
        let control = Control::default();
        entry.running.insert(item, control.clone());
        Some(Task {
            prepared,
            item,
            control,
        })
    }

    /// Items that nobody works on yet, those of batches that are not ready included.
    pub fn waiting(&self) -> usize {
        self.batches.values().map(Entry::left).sum()
    }

    /// An item is done or given up. Gives the batch when that was its last one.
    pub fn finished(&mut self, key: Key, item: Item) -> Option<Ended> {
        self.batches.get_mut(&key)?.running.remove(&item);
        self.settle(key)
    }

    /// A batch cannot go on: nothing more of it is begun, what runs is stopped. Gives the batch when nothing of it runs.
    pub fn fail(&mut self, key: Key, failure: Failure) -> Option<Ended> {
        let entry = self.batches.get_mut(&key)?;
        entry.failure.get_or_insert(failure);
        entry.stop();
        self.settle(key)
    }

    /// The coordinator does not want a batch any more.
    pub fn drop_batch(&mut self, key: Key) {
        if let Some(entry) = self.batches.get_mut(&key) {
            entry.dropped = true;
            entry.stop();
            self.settle(key);
        }
    }

    /// All batches are given back for this reason, those of which nothing runs at once.
    pub fn fail_all(&mut self, failure: &Failure) -> Vec<Ended> {
        let keys: Vec<Key> = self.arrivals.iter().copied().collect();
        keys.into_iter()
            .filter_map(|key| self.fail(key, failure.clone()))
            .collect()
    }

    /// Nothing more is begun; batches of which nothing runs are given back at once.
    pub fn begin_nothing(&mut self, failure: &Failure) -> Vec<Ended> {
        let keys: Vec<Key> = self.arrivals.iter().copied().collect();
        let give_back = |key: Key| {
            let entry = self.batches.get_mut(&key)?;
            if entry.left() > 0 {
                entry.failure.get_or_insert_with(|| failure.clone());
                entry.items = entry.running.len();
                entry.waiting.clear();
            }
            self.settle(key)
        };
        keys.into_iter().filter_map(give_back).collect()
    }

    fn settle(&mut self, key: Key) -> Option<Ended> {
        let entry = self.batches.get(&key)?;
        let ended = entry.running.is_empty()
            && (entry.failure.is_some()
                || entry.dropped
                || entry.prepared.is_some() && entry.waiting.is_empty());
        if !ended {
            return None;
        }
        self.arrivals.retain(|&held| held != key);
        let entry = self.batches.remove(&key)?;
        (!entry.dropped).then_some(Ended {
            lease: entry.lease,
            failure: entry.failure,
        })
    }

    /// The coordinator hears of a lease.
    pub fn heard(&mut self, key: Key, now: Instant) {
        if let Some(entry) = self.batches.get_mut(&key) {
            entry.beat.heard(now);
        }
    }

    /// Whether a batch is held.
    pub fn holds(&self, key: Key) -> bool {
        self.batches.contains_key(&key)
    }

    /// Whether no batch is held.
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// The leases held.
    pub fn leases(&self) -> impl Iterator<Item = v1::Lease> + '_ {
        self.arrivals
            .iter()
            .filter_map(|key| self.batches.get(key))
            .map(|entry| entry.lease)
    }

    /// Signs of life that are due: a lease of which something runs, or waits for a slot while others run.
    ///
    /// An item that is overdue gives none: a lease must not outlive work that does not go on.
    pub fn beats(&mut self, now: Instant) -> Vec<v1::Progress> {
        let alive = |control: &Control| control.overdue(now).is_none();
        let anything_runs = self
            .batches
            .values()
            .flat_map(|entry| entry.running.values())
            .any(alive);
        let due = self
            .batches
            .values_mut()
            .filter(|entry| entry.beat.is_due(now) && !entry.dropped);
        let beat = |entry: &mut Entry| {
            let running = entry
                .running
                .iter()
                .find(|(_, control)| alive(control))
                .map(|(item, _)| *item);
            let waits = entry.running.is_empty() && (anything_runs || entry.prepared.is_none());
            let item = running
                .or_else(|| waits.then(|| entry.waiting.front().copied().unwrap_or(Item(0))))?;
            entry.beat.heard(now);
            let game = entry
                .prepared
                .as_ref()
                .map_or(0, |prepared| prepared.batch.number(item));
            Some(v1::Progress {
                lease: Some(entry.lease),
                game,
                ..v1::Progress::default()
            })
        };
        due.filter_map(beat).collect()
    }

    /// Number of a game or position in its tournament or job.
    pub fn number(&self, key: Key, item: Item) -> u32 {
        let prepared = self
            .batches
            .get(&key)
            .and_then(|entry| entry.prepared.as_ref());
        prepared.map_or(0, |prepared| prepared.batch.number(item))
    }

    /// A game as it was asked for.
    pub fn game(&self, key: Key, item: Item) -> Option<v1::BatchGame> {
        match &self.batches.get(&key)?.prepared.as_ref()?.batch.work {
            Work::Games { games, .. } => games.get(item.0).cloned(),
            Work::Positions(_) => None,
        }
    }

    /// The items that run, each with its control.
    pub fn running(&self) -> impl Iterator<Item = &Control> {
        self.batches
            .values()
            .flat_map(|entry| entry.running.values())
    }
}

impl Entry {
    /// Items that nobody works on yet.
    fn left(&self) -> usize {
        if self.prepared.is_some() || self.failure.is_some() || self.dropped {
            self.waiting.len()
        } else {
            self.items
        }
    }

    fn stop(&mut self) {
        self.waiting.clear();
        self.items = 0;
        self.running.values().for_each(Control::cancel);
    }
}
