//! The lease table under random events, against a plain model.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use proptest::prelude::*;

use super::{
    at,
    leases::{job, lease, table},
};
use crate::{
    dispatch::{Granted, Job, LeaseTable, Needs, leases::Blame},
    model::{Attempt, BatchIndex, JobId, WorkerId},
};

/// What may happen to a lease table.
#[derive(Clone, Debug)]
enum Event {
    Lease(u64),
    Progress(u64, usize),
    GiveBack(u64, usize, bool),
    Complete(u64, u32),
    Break(u64),
    Wait(u64),
    Resume(u64, u64, u32, u64),
    Pause(u64, bool),
    Unpark(u64),
    Reopen(u64, u32),
}

fn events() -> impl Strategy<Value = Event> {
    let (worker, number, batch) = (1u64..4, 1u64..3, 0u32..6);
    prop_oneof![
        6 => worker.clone().prop_map(Event::Lease),
        3 => (worker.clone(), 0usize..9).prop_map(|(worker, lease)| Event::Progress(worker, lease)),
        2 => (worker.clone(), 0usize..9, any::<bool>()).prop_map(|(worker, lease, blame)| Event::GiveBack(worker, lease, blame)),
        3 => (number.clone(), batch.clone()).prop_map(|(number, batch)| Event::Complete(number, batch)),
        1 => worker.clone().prop_map(Event::Break),
        4 => (0u64..20_000).prop_map(Event::Wait),
        1 => (worker, number.clone(), batch.clone(), 0u64..20).prop_map(|(worker, number, batch, counter)| Event::Resume(worker, number, batch, counter)),
        1 => (number.clone(), any::<bool>()).prop_map(|(number, running)| Event::Pause(number, running)),
        1 => number.clone().prop_map(Event::Unpark),
        1 => (number, batch).prop_map(|(number, batch)| Event::Reopen(number, batch)),
    ]
}

/// What the table must agree with, kept in the plainest way.
#[derive(Default)]
struct Plain {
    leases: BTreeMap<Attempt, (WorkerId, JobId, u32)>,
    complete: BTreeSet<(JobId, u32)>,
    given: BTreeSet<Attempt>,
}

proptest! {
    #[test]
    fn no_batch_is_lost_or_leased_twice(steps in proptest::collection::vec(events(), 0..200)) {
        let sizes = [(job(1), 5u32), (job(2), 3)];
        let mut table = table();
        for (id, size) in sizes {
            table.add_job(id, Job::new(Needs::default(), size, |_| false));
        }
        let mut plain = Plain::default();
        let mut now = 0;
        for step in steps {
            apply(step, &mut table, &mut plain, &mut now);
            agree(&table, &plain, &sizes);
        }
        finish(&mut table, &mut plain, now, &sizes);
    }
}

fn apply(step: Event, table: &mut LeaseTable, plain: &mut Plain, now: &mut u64) {
    let nth = |plain: &Plain, n: usize| plain.leases.keys().nth(n).copied();
    match step {
        Event::Lease(worker) => {
            if let Ok(granted) = lease(table, worker, at(*now)) {
                assert!(
                    plain.given.insert(granted.attempt),
                    "an attempt was given twice"
                );
                assert!(
                    !plain.complete.contains(&(granted.job, granted.batch.0)),
                    "a complete batch was leased"
                );
                let clash = plain
                    .leases
                    .values()
                    .any(|&(_, id, batch)| (id, batch) == (granted.job, granted.batch.0));
                assert!(!clash, "a batch was leased twice");
                plain.leases.insert(
                    granted.attempt,
                    (WorkerId(worker), granted.job, granted.batch.0),
                );
            }
        }
        Event::Progress(worker, lease) => {
            if let Some(attempt) = nth(plain, lease) {
                let is_holder = plain.leases[&attempt].0 == WorkerId(worker);
                assert_eq!(
                    table.progress(WorkerId(worker), attempt, at(*now)),
                    is_holder
                );
            }
        }
        Event::GiveBack(worker, lease, blame) => {
            if let Some(attempt) = nth(plain, lease) {
                let blame = if blame { Blame::Failed } else { Blame::Nobody };
                let released = table.release(WorkerId(worker), attempt, blame);
                assert_eq!(
                    released.is_some(),
                    plain.leases[&attempt].0 == WorkerId(worker)
                );
                if released.is_some() {
                    plain.leases.remove(&attempt);
                }
            }
        }
        Event::Complete(number, batch) => {
            let told = table.complete(job(number), BatchIndex(batch));
            let held = plain
                .leases
                .iter()
                .find(|(_, lease)| (lease.1, lease.2) == (job(number), batch));
            let held = held.map(|(&attempt, lease)| (attempt, lease.0));
            assert_eq!(
                told.map(|(worker, granted)| (granted.attempt, worker)),
                held
            );
            plain
                .leases
                .retain(|_, lease| (lease.1, lease.2) != (job(number), batch));
            if table
                .job(job(number))
                .is_some_and(|job| batch < job.batches())
            {
                plain.complete.insert((job(number), batch));
            }
        }
        Event::Break(worker) => table.shorten(WorkerId(worker), Duration::from_secs(5), at(*now)),
        Event::Wait(ms) => {
            *now += ms;
            for expired in table.expire(at(*now)) {
                let (worker, ..) = plain
                    .leases
                    .remove(&expired.lease.attempt)
                    .expect("only leases run out");
                assert_eq!(worker, expired.worker);
            }
            assert!(table.next_expiry().is_none_or(|expiry| expiry > at(*now)));
        }
        Event::Resume(worker, number, batch, counter) => {
            let claimed = Granted {
                job: job(number),
                batch: BatchIndex(batch),
                attempt: Attempt { epoch: 1, counter },
            };
            if table.resume(WorkerId(worker), claimed, at(*now)) {
                plain
                    .leases
                    .insert(claimed.attempt, (WorkerId(worker), claimed.job, batch));
            }
        }
        Event::Pause(number, running) => table.job_mut(job(number)).unwrap().set_running(running),
        Event::Unpark(number) => table.job_mut(job(number)).unwrap().unpark(),
        Event::Reopen(number, batch) => {
            table.job_mut(job(number)).unwrap().reopen(batch);
            plain.complete.remove(&(job(number), batch));
        }
    }
}

fn agree(table: &LeaseTable, plain: &Plain, sizes: &[(JobId, u32)]) {
    for &(id, size) in sizes {
        let job = table.job(id).unwrap();
        let complete = plain.complete.iter().filter(|(of, _)| *of == id).count();
        assert_eq!(job.open() as usize, size as usize - complete);
        for batch in 0..size {
            // Exactly one of the four states.
            let states = [
                job.is_waiting(batch),
                job.leased().contains_key(&batch),
                job.parked().contains(&batch),
                plain.complete.contains(&(id, batch)),
            ];
            assert_eq!(
                states.iter().filter(|state| **state).count(),
                1,
                "{id} batch {batch}: {states:?}"
            );
        }
    }
    for (&attempt, &(worker, id, batch)) in &plain.leases {
        assert_eq!(table.holder(attempt), Some(worker));
        assert_eq!(table.job(id).unwrap().leased().get(&batch), Some(&attempt));
    }
    let leased: usize = sizes
        .iter()
        .map(|&(id, _)| table.job(id).unwrap().leased().len())
        .sum();
    assert_eq!(leased, plain.leases.len());
}

/// Whatever happened, a worker that works finishes everything.
fn finish(table: &mut LeaseTable, plain: &mut Plain, now: u64, sizes: &[(JobId, u32)]) {
    table.expire(at(now + 100_000));
    plain.leases.clear();
    for &(id, _) in sizes {
        let job = table.job_mut(id).unwrap();
        job.set_running(true);
        job.unpark();
    }
    while let Ok(granted) = lease(table, 9, at(now + 100_000)) {
        table.complete(granted.job, granted.batch);
    }
    assert!(
        sizes
            .iter()
            .all(|&(id, _)| table.job(id).unwrap().open() == 0)
    );
}
