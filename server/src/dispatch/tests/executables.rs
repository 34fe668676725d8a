//! Which worker gets games of engines that are files: executables of its own, or of the coordinator's for its platform.

use std::{collections::BTreeMap, time::Duration};

use super::{at, command};
use crate::{
    dispatch::{
        Bindings, Granted, Job, LeaseTable, Needs, NoBatch, Offer, leases::Blame, needs::Lack,
    },
    model::{ArtifactEngine, Digest, EngineProtocol, JobId, TournamentId, WorkerId},
};

const ONE: WorkerId = WorkerId(1);
const OTHER: WorkerId = WorkerId(2);
const JOB: JobId = JobId::Tournament(TournamentId(1));

fn file(byte: u8) -> Digest {
    Digest([byte; 32])
}

/// A worker's engine `sf` with this executable.
fn offer(sha256: Option<Digest>) -> Offer {
    Offer {
        commands: BTreeMap::from([("sf".to_owned(), sha256)]),
        ..Offer::default()
    }
}

fn table(sha256: Option<Digest>) -> LeaseTable {
    let mut table = LeaseTable::new(1, Duration::from_secs(1), 100);
    let needs = Needs {
        commands: [command("sf", sha256)].into(),
        ..Needs::default()
    };
    table.add_job(JOB, Job::new(needs, 10, |_| false));
    table
}

fn lease(
    table: &mut LeaseTable,
    worker: WorkerId,
    sha256: Option<Digest>,
) -> Result<Granted, NoBatch> {
    table.lease(worker, &offer(sha256), at(0))
}

fn lacks(needed: Digest, own: Option<Digest>) -> Result<Granted, NoBatch> {
    let name = "sf".to_owned();
    Err(NoBatch::Lacking(
        JOB,
        Lack::Executable { name, needed, own },
    ))
}

#[test]
fn the_first_worker_binds_the_executable_for_all() {
    let mut table = table(None);
    lease(&mut table, ONE, Some(file(1))).unwrap();
    lease(&mut table, OTHER, Some(file(1))).unwrap();
    let other = lease(&mut table, OTHER, Some(file(2)));
    assert_eq!(other, lacks(file(1), Some(file(2))));
    // Nor is one good that cannot be read.
    assert_eq!(lease(&mut table, OTHER, None), lacks(file(1), None));
}

#[test]
fn what_a_worker_bound_and_never_played_binds_nobody() {
    let mut table = table(None);
    let first = lease(&mut table, ONE, Some(file(1))).unwrap();
    let second = lease(&mut table, ONE, Some(file(1))).unwrap();
    let version = command("sf", None).version;
    assert_eq!(table.bindings().pending(ONE), [(version, file(1))]);
    table.release(ONE, first.attempt, Blame::Failed);
    // It still plays the other batch.
    assert!(lease(&mut table, OTHER, Some(file(2))).is_err());
    table.release(ONE, second.attempt, Blame::Failed);
    lease(&mut table, OTHER, Some(file(2))).unwrap();
    assert!(lease(&mut table, ONE, Some(file(1))).is_err());
    // What is stored stays, whoever fails.
    table.bindings_mut().set(version, file(2));
    table.expire(at(5_000));
    assert_eq!(table.bindings().get(&version), Some(file(2)));
    assert_eq!(table.bindings().pending(OTHER), []);
}

#[test]
fn a_worker_whose_executable_is_unknown_binds_nothing() {
    let mut table = table(None);
    lease(&mut table, ONE, None).unwrap();
    lease(&mut table, OTHER, Some(file(2))).unwrap();
    assert!(lease(&mut table, ONE, None).is_err());
}

#[test]
fn an_executable_that_is_named_is_the_only_one() {
    let mut table = table(Some(file(7)));
    let other = lease(&mut table, ONE, Some(file(1)));
    assert_eq!(other, lacks(file(7), Some(file(1))));
    lease(&mut table, OTHER, Some(file(7))).unwrap();
    assert_eq!(table.bindings().pending(OTHER), []);
}

#[test]
fn engine_files_are_for_workers_of_their_platforms() {
    let linux = || "linux-x86_64".parse().unwrap();
    let macos = || "macos-aarch64".parse().unwrap();
    let engine = ArtifactEngine {
        protocol: EngineProtocol::Uci,
        files: BTreeMap::from([(linux(), file(1)), (macos(), file(2))]),
    };
    let needs = Needs {
        files: [engine].into(),
        ..Needs::default()
    };
    let of = |platform: Option<&str>| Offer {
        platform: platform.map(|text| text.parse().unwrap()),
        ..Offer::default()
    };
    let lack = |platform| needs.lack(&of(platform), &Bindings::default());
    assert_eq!(lack(Some("linux-x86_64")), None);
    assert_eq!(lack(Some("macos-aarch64")), None);
    for other in [Some("windows-x86_64"), None] {
        let expected = Lack::Platform(vec![linux(), macos()]);
        assert_eq!(lack(other), Some(expected), "{other:?}");
    }
}
