//! The registry: sessions fence each other, credits are bounded, failing workers wait.

use std::time::Duration;

use super::{at, offer};
use crate::{
    dispatch::{Registration, Registry, RegistryLimits},
    model::SessionId,
};

const LIMITS: RegistryLimits = RegistryLimits {
    workers: 2,
    credits: 4,
    testimony_burst: 2,
    testimony_refill: Duration::from_secs(10),
    failures: 3,
    failures_beside_others: 2,
    quarantine: Duration::from_secs(60),
    forget: Duration::from_secs(600),
};

fn registration(instance: &str) -> Registration {
    Registration {
        name: "host".into(),
        instance: instance.into(),
        offer: offer("b", &[]),
        slots: 2,
    }
}

#[test]
fn a_second_registration_of_a_process_fences_the_first() {
    let mut registry = Registry::new(1, LIMITS);
    let first = registry.register(registration("a"), at(0)).unwrap().clone();
    let (id, old_stream) = registry.attach(first.session).unwrap();
    let second = registry
        .register(registration("a"), at(10))
        .unwrap()
        .clone();
    assert_eq!(
        second.id, id,
        "it is the same worker, so its leases stay with it"
    );
    assert_eq!(registry.attach(first.session), None);
    assert!(!registry.is_current(id, old_stream));
    let (_, stream) = registry.attach(second.session).unwrap();
    // The end of the old stream does not touch the new one.
    assert!(!registry.detach(id, old_stream, at(20)));
    assert!(registry.is_current(id, stream));
    assert!(registry.detach(id, stream, at(30)));
}

#[test]
fn a_second_stream_of_a_session_replaces_the_first_and_begins_without_credits() {
    let mut registry = Registry::new(1, LIMITS);
    let session = registry.register(registration("a"), at(0)).unwrap().session;
    let (id, old) = registry.attach(session).unwrap();
    registry.add_credits(id, 3);
    let (_, new) = registry.attach(session).unwrap();
    assert!(!registry.is_current(id, old) && registry.is_current(id, new));
    assert_eq!(registry.get(id).unwrap().credits, 0);
}

#[test]
fn sessions_of_another_epoch_are_not_known() {
    let mut old = Registry::new(1, LIMITS);
    let session = old.register(registration("a"), at(0)).unwrap().session;
    let mut new = Registry::new(2, LIMITS);
    new.register(registration("b"), at(0));
    assert_eq!(new.attach(session), None);
    assert_eq!(new.attach(SessionId(0)), None);
}

#[test]
fn credits_and_workers_are_bounded() {
    let mut registry = Registry::new(1, LIMITS);
    let one = registry.register(registration("a"), at(0)).unwrap().clone();
    assert!(registry.register(registration("b"), at(0)).is_some());
    assert!(registry.register(registration("c"), at(0)).is_none());
    assert!(
        registry.register(registration("a"), at(0)).is_some(),
        "a known worker may come again"
    );
    let session = registry.get(one.id).unwrap().session;
    registry.attach(session);
    registry.add_credits(one.id, u32::MAX);
    registry.add_credits(one.id, 1);
    assert_eq!(registry.get(one.id).unwrap().credits, 4);
    // Workers that are gone for long make room.
    assert!(registry.register(registration("c"), at(700_000)).is_some());
    assert!(
        registry.get(one.id).is_some(),
        "one that is connected stays"
    );
}

#[test]
fn failures_in_a_row_put_a_worker_in_quarantine_ever_longer() {
    let mut registry = Registry::new(1, LIMITS);
    let worker = registry.register(registration("a"), at(0)).unwrap().clone();
    registry.attach(worker.session);
    registry.add_credits(worker.id, 1);
    let id = worker.id;
    assert_eq!([(); 2].map(|()| registry.failed(id, at(0))), [None, None]);
    registry.stored(id, false);
    assert_eq!([(); 2].map(|()| registry.failed(id, at(0))), [None, None]);
    assert_eq!(registry.failed(id, at(0)), Some(Duration::from_secs(60)));
    assert!(!registry.get(id).unwrap().wants_work(at(59_999)));
    assert_eq!(registry.next_release(at(0)), Some(at(60_000)));
    assert!(registry.get(id).unwrap().wants_work(at(60_000)));
    registry.failed(id, at(60_000));
    registry.failed(id, at(60_000));
    assert_eq!(
        registry.failed(id, at(60_000)),
        Some(Duration::from_secs(120))
    );
}

#[test]
fn beside_others_fewer_failures_are_enough() {
    let mut registry = Registry::new(1, LIMITS);
    let join = |registry: &mut Registry, instance: &str| {
        let session = registry
            .register(registration(instance), at(0))
            .unwrap()
            .session;
        registry.attach(session).unwrap()
    };
    let (bad, _) = join(&mut registry, "a");
    let (good, stream) = join(&mut registry, "b");
    assert_eq!(registry.failed(bad, at(0)), None);
    assert_eq!(registry.failed(bad, at(0)), Some(Duration::from_secs(60)));
    // The other one is alone as long as that lasts, and so it is once it is gone.
    assert_eq!([(); 2].map(|()| registry.failed(good, at(0))), [None, None]);
    registry.detach(good, stream, at(60_000));
    assert_eq!(registry.failed(bad, at(60_000)), None);
    assert_eq!(registry.failed(bad, at(60_000)), None);
    assert!(registry.failed(bad, at(60_000)).is_some());
}

#[test]
fn testimony_is_rate_limited() {
    let mut registry = Registry::new(1, LIMITS);
    let id = registry.register(registration("a"), at(0)).unwrap().id;
    assert_eq!(
        [(); 2].map(|()| registry.admit_testimony(id, at(0))),
        [Ok(()), Ok(())]
    );
    assert_eq!(
        registry.admit_testimony(id, at(1000)),
        Err(Duration::from_secs(9))
    );
    assert_eq!(registry.admit_testimony(id, at(10_000)), Ok(()));
}
