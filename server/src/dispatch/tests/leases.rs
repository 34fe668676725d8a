//! The lease table: nothing is lost, nothing is leased twice, everything ends.

use std::{collections::BTreeSet, time::Duration};

use super::{at, needs, offer};
use crate::{
    dispatch::{Granted, Job, LeaseTable, Moment, Needs, NoBatch, leases::Blame, needs::Lack},
    model::{Attempt, BatchIndex, JobId, TournamentId, WorkerId},
};

const LEASE: Duration = Duration::from_secs(30);

pub(super) fn job(number: u64) -> JobId {
    JobId::Tournament(TournamentId(number))
}

pub(super) fn table() -> LeaseTable {
    LeaseTable::new(3, LEASE, 5)
}

pub(super) fn lease(table: &mut LeaseTable, worker: u64, now: Moment) -> Result<Granted, NoBatch> {
    table.lease(WorkerId(worker), &offer("b", &[]), now)
}

#[test]
fn batches_go_out_in_order_and_jobs_take_turns() {
    let mut table = table();
    table.add_job(job(1), Job::new(needs(&["b"], &[]), 3, |batch| batch == 1));
    table.add_job(job(2), Job::new(Needs::default(), 2, |_| false));
    let granted: Vec<_> = std::iter::from_fn(|| lease(&mut table, 1, at(0)).ok()).collect();
    let places: Vec<_> = granted
        .iter()
        .map(|granted| (granted.job, granted.batch.0))
        .collect();
    assert_eq!(places, [(job(1), 0), (job(2), 0), (job(1), 2), (job(2), 1)]);
    let attempts: Vec<_> = granted.iter().map(|granted| granted.attempt).collect();
    assert_eq!(
        attempts[0],
        Attempt {
            epoch: 3,
            counter: 1
        }
    );
    assert_eq!(attempts.iter().collect::<BTreeSet<_>>().len(), 4);
    assert_eq!(lease(&mut table, 1, at(0)), Err(NoBatch::AllLeased));
}

#[test]
fn a_lease_lasts_as_long_as_there_is_progress() {
    let mut table = table();
    table.add_job(job(1), Job::new(Needs::default(), 1, |_| false));
    let first = lease(&mut table, 1, at(0)).unwrap();
    assert_eq!(table.next_expiry(), Some(at(30_000)));
    assert!(table.progress(WorkerId(1), first.attempt, at(29_000)));
    assert!(
        !table.progress(WorkerId(2), first.attempt, at(58_000)),
        "another worker's progress counts for nothing"
    );
    assert!(table.expire(at(58_999)).is_empty());
    let expired = table.expire(at(59_000));
    assert_eq!(expired.len(), 1);
    assert_eq!(
        (expired[0].lease, expired[0].worker, expired[0].failures),
        (first, WorkerId(1), 1)
    );
    assert!(!table.progress(WorkerId(1), first.attempt, at(59_000)));
    let second = lease(&mut table, 2, at(59_000)).unwrap();
    assert_eq!(second.batch, first.batch);
    assert_ne!(second.attempt, first.attempt);
}

#[test]
fn a_broken_stream_leaves_the_grace_time_and_a_new_one_takes_up_the_leases() {
    let mut table = table();
    table.add_job(job(1), Job::new(Needs::default(), 2, |_| false));
    let (one, other) = (
        lease(&mut table, 1, at(0)).unwrap(),
        lease(&mut table, 2, at(0)).unwrap(),
    );
    table.shorten(WorkerId(1), Duration::from_secs(5), at(1000));
    assert_eq!(table.next_expiry(), Some(at(6000)));
    assert!(table.resume(WorkerId(1), one, at(4000)));
    assert_eq!(table.next_expiry(), Some(at(30_000)));
    // Nobody takes over another worker's lease.
    assert!(!table.resume(WorkerId(1), other, at(4000)));
    // A lease that would run out before the grace time does so.
    table.shorten(WorkerId(2), Duration::from_secs(5), at(29_000));
    assert_eq!(table.next_expiry(), Some(at(30_000)));
}

#[test]
fn after_a_restart_a_worker_keeps_what_nobody_else_has() {
    let mut table = table();
    table.add_job(job(1), Job::new(Needs::default(), 3, |batch| batch == 2));
    let old = |batch, counter| Granted {
        job: job(1),
        batch: BatchIndex(batch),
        attempt: Attempt { epoch: 2, counter },
    };
    assert!(table.resume(WorkerId(1), old(0, 7), at(0)));
    assert!(!table.resume(WorkerId(2), old(0, 8), at(0)), "it is leased");
    assert!(
        !table.resume(WorkerId(2), old(2, 9), at(0)),
        "it is complete"
    );
    assert!(
        !table.resume(WorkerId(2), old(5, 9), at(0)),
        "it does not exist"
    );
    let never = Granted {
        attempt: Attempt {
            epoch: 3,
            counter: 1,
        },
        ..old(1, 1)
    };
    assert!(
        !table.resume(WorkerId(2), never, at(0)),
        "it was never given"
    );
    assert_eq!(lease(&mut table, 2, at(0)).unwrap().batch, BatchIndex(1));
    assert_eq!(table.holder(old(0, 7).attempt), Some(WorkerId(1)));
}

#[test]
fn five_failures_park_a_batch_until_it_is_resumed() {
    let mut table = table();
    table.add_job(job(1), Job::new(Needs::default(), 2, |batch| batch == 1));
    for failures in 1..=5 {
        let granted = lease(&mut table, 1, at(0)).unwrap();
        let released = table
            .release(WorkerId(1), granted.attempt, Blame::Failed)
            .unwrap();
        assert_eq!(
            (released.failures, released.parked),
            (failures, failures == 5)
        );
    }
    assert_eq!(lease(&mut table, 1, at(0)), Err(NoBatch::Parked(job(1))));
    table.job_mut(job(1)).unwrap().unpark();
    // Giving back without blame never parks.
    for _ in 0..9 {
        let granted = lease(&mut table, 1, at(0)).unwrap();
        assert!(
            !table
                .release(WorkerId(1), granted.attempt, Blame::Nobody)
                .unwrap()
                .parked
        );
    }
}

#[test]
fn the_reason_for_no_batch_is_the_one_that_helps() {
    let mut table = table();
    assert_eq!(lease(&mut table, 1, at(0)), Err(NoBatch::NothingRunning));
    table.add_job(job(1), Job::new(Needs::default(), 1, |_| true));
    assert_eq!(lease(&mut table, 1, at(0)), Err(NoBatch::NothingRunning));
    table.add_job(job(2), Job::new(Needs::default(), 1, |_| false));
    table.job_mut(job(2)).unwrap().set_running(false);
    assert_eq!(lease(&mut table, 1, at(0)), Err(NoBatch::Paused));
    table.add_job(job(3), Job::new(needs(&["other"], &[]), 1, |_| false));
    assert_eq!(
        lease(&mut table, 1, at(0)),
        Err(NoBatch::Lacking(job(3), Lack::Build("other".into())))
    );
    table.remove_job(job(3));
    table.add_job(
        job(4),
        Job::new(needs(&["b"], &["stockfish"]), 1, |_| false),
    );
    assert_eq!(
        lease(&mut table, 1, at(0)),
        Err(NoBatch::Lacking(job(4), Lack::Command("stockfish".into())))
    );
    assert!(
        table
            .lease(WorkerId(1), &offer("b", &["stockfish"]), at(0))
            .is_ok()
    );
    table.remove_job(job(2));
    assert_eq!(lease(&mut table, 1, at(0)), Err(NoBatch::AllLeased));
}

#[test]
fn a_reopened_batch_is_leased_again() {
    let mut table = table();
    table.add_job(job(1), Job::new(Needs::default(), 2, |_| false));
    for batch in 0..2 {
        let granted = lease(&mut table, 1, at(0)).unwrap();
        assert_eq!(
            table.complete(job(1), BatchIndex(batch)),
            Some((WorkerId(1), granted))
        );
    }
    assert_eq!(lease(&mut table, 1, at(0)), Err(NoBatch::NothingRunning));
    table.job_mut(job(1)).unwrap().reopen(0);
    assert_eq!(lease(&mut table, 1, at(0)).unwrap().batch, BatchIndex(0));
}
