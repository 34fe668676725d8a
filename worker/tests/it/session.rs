//! What a worker does with batches, answers, cancels, broken streams and stops.

use std::collections::BTreeMap;
use std::time::Duration;

use proto::v1::coordinator_message::Message as Down;
use proto::v1::register_response::Result as Registration;
use proto::v1::worker_message::Message as Up;
use proto::v1::{self, CancelReason, FailureReason, ReportStatus, engine_source};
use tokio_util::sync::CancellationToken;
use tonic::{Request, Status};

use crate::coordinator::{Coordinator, admit, terms};
use crate::engines::script;
use crate::work::{Running, batch, builtin, builtins, config, lease, movetime, nodes, player};

const MULTI: &str = "a tokio runtime of several threads";

/// Moves of all games of some batches, played on this many slots.
async fn moves_on(slots: u32) -> BTreeMap<u32, Vec<String>> {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, slots));
    let mut stream = coordinator.stream().await;
    let mut given = 0;
    let mut games = BTreeMap::new();
    while games.len() < 12 {
        match stream.next().await.unwrap() {
            Up::Credit(credit) => {
                for _ in 0..credit.batches.min(3 - given) {
                    stream
                        .tell(Down::Batch(batch(given, 4, builtins(), 30)))
                        .await;
                    given += 1;
                }
            }
            Up::Game(report) => {
                stream.answer(report.sequence, ReportStatus::Stored).await;
                let first_time = games.insert(report.game, report.moves).is_none();
                assert!(first_time, "game {}", report.game);
            }
            _ => {}
        }
    }
    let rest = tokio::spawn(stream.store_rest());
    let summary = worker.stopped().await.unwrap();
    assert_eq!(
        (summary.games, summary.unanswered, summary.failures),
        (12, 0, 0)
    );
    let rest = rest.await.unwrap();
    assert!(rest.iter().any(|message| matches!(message, Up::Drain(_))));
    assert!(!rest.iter().any(|message| matches!(message, Up::Failure(_))));
    games
}

#[tokio::test(flavor = "multi_thread")]
async fn games_do_not_depend_on_who_plays_what_when() {
    let one = moves_on(1).await;
    assert_eq!(moves_on(3).await, one, "{MULTI}");
    // Games 0, 2 … are the same game again: nothing is left of the game before.
    assert_eq!(one[&0], one[&2]);
    assert_eq!(one[&1], one[&7]);
    assert_ne!(one[&0], one[&1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_are_sent_again_until_they_are_answered() {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    assert_eq!((stream.hello.session, stream.hello.held.len()), (1, 0));
    stream.credit().await;
    stream.tell(Down::Batch(batch(5, 2, builtins(), 8))).await;
    let (first, second) = (stream.game().await, stream.game().await);
    assert_eq!((first.sequence, second.sequence), (1, 2));
    assert_eq!(first.lease, Some(lease(5)));
    stream.answer(1, ReportStatus::Stored).await;
    // The session goes on: same numbers, and the lease of the unanswered report is still claimed.
    stream.fail(Status::unavailable("broken")).await;
    let mut stream = coordinator.stream().await;
    assert_eq!(
        (stream.hello.session, stream.hello.held.clone()),
        (1, vec![lease(5)])
    );
    let again = stream.game().await;
    assert_eq!(again, second);
    // Not now means later, on the same stream.
    stream.answer(2, ReportStatus::TryAgain).await;
    assert_eq!(stream.game().await, second);
    let rest = tokio::spawn(async move {
        stream.answer(2, ReportStatus::Stored).await;
        stream.store_rest().await
    });
    let summary = worker.stopped().await.unwrap();
    assert_eq!((summary.games, summary.unanswered), (2, 0));
    rest.await.unwrap();
    assert_eq!(coordinator.registrations().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_coordinator_gets_what_the_old_one_did_not_answer() {
    // No grace: every stream needs a registration.
    let admission = |before: usize, _: &Request<v1::RegisterRequest>| {
        Ok(Registration::Accepted(v1::Registered {
            grace_ms: 0,
            ..terms(before as u64 + 1)
        }))
    };
    let mut coordinator = Coordinator::start(admission).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let slow = [
        player("a", builtin(), movetime(5000)),
        player("b", builtin(), movetime(5000)),
    ];
    stream.tell(Down::Batch(batch(0, 2, builtins(), 4))).await;
    let reports = [stream.game().await, stream.game().await];
    stream.tell(Down::Batch(batch(1, 2, slow, 10))).await;
    // What came before the break still counts.
    stream.fail(Status::internal("gone")).await;
    let mut stream = coordinator.stream().await;
    assert_eq!(stream.hello.session, 2);
    assert_eq!(stream.hello.held, [lease(0), lease(1)]);
    // Numbers begin anew with the session.
    for (index, report) in reports.into_iter().enumerate() {
        let expected = v1::GameReport {
            sequence: index as u64 + 1,
            ..report
        };
        assert_eq!(stream.game().await, expected);
    }
    // The batch that the new coordinator does not want any more is dropped without a word.
    let cancel = v1::Cancel {
        lease: Some(lease(1)),
        reason: CancelReason::LeaseLost.into(),
    };
    stream.tell(Down::Cancel(cancel)).await;
    stream.answer(1, ReportStatus::Stored).await;
    stream.answer(2, ReportStatus::Duplicate).await;
    assert!(stream.credit().await > 0);
    let rest = tokio::spawn(stream.store_rest());
    let summary = worker.stopped().await.unwrap();
    assert_eq!((summary.games, summary.unanswered), (1, 0));
    assert!(
        rest.await
            .unwrap()
            .iter()
            .all(|message| !matches!(message, Up::Failure(_)))
    );
    let instances: Vec<String> = coordinator
        .registrations()
        .into_iter()
        .map(|request| request.instance)
        .collect();
    assert_eq!(instances.len(), 2);
    assert_eq!(instances[0], instances[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_gives_games_in_flight_back() {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let slow = || {
        [
            player("a", builtin(), movetime(100)),
            player("b", builtin(), movetime(100)),
        ]
    };
    stream.tell(Down::Batch(batch(0, 1, builtins(), 4))).await;
    let report = stream.game().await;
    stream.tell(Down::Batch(batch(1, 1, slow(), 4000))).await;
    stream.tell(Down::Batch(batch(2, 1, slow(), 4000))).await;
    // The long game is begun when its first progress comes.
    let progress = stream
        .find(|message| {
            if let Up::Progress(progress) = message {
                Some(progress)
            } else {
                None
            }
        })
        .await;
    assert!((1..=2).contains(&progress.game));
    assert!(progress.from_ply == 0 && progress.score_cp.is_some() && progress.white_ms.is_none());
    let rest = tokio::spawn(async move {
        let sequence = report.sequence;
        stream.answer(sequence, ReportStatus::Stored).await;
        stream.store_rest().await
    });
    let summary = worker.stopped().await.unwrap();
    assert_eq!((summary.games, summary.failures), (1, 0));
    let mut given_back: Vec<_> = rest
        .await
        .unwrap()
        .into_iter()
        .filter_map(|message| {
            if let Up::Failure(failure) = message {
                Some(failure)
            } else {
                None
            }
        })
        .map(|failure| (failure.lease.unwrap().batch, failure.reason()))
        .collect();
    given_back.sort_unstable();
    assert_eq!(
        given_back,
        [(1, FailureReason::Draining), (2, FailureReason::Draining)],
        "progress of {}",
        progress.game
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_abandoned_worker_waits_for_no_answer() {
    let mut coordinator = Coordinator::start(admit).await;
    let config = config(&coordinator, 1);
    let (abandon, shutdown) = (config.abandon.clone(), CancellationToken::new());
    let worker = tokio::spawn(worker::run(config, shutdown.clone()));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let slow = [
        player("a", builtin(), movetime(5000)),
        player("b", builtin(), movetime(5000)),
    ];
    stream.tell(Down::Batch(batch(0, 1, builtins(), 4))).await;
    stream.game().await;
    stream.tell(Down::Batch(batch(1, 1, slow, 4000))).await;
    // Also in the middle of a stop, which would wait ten seconds for the answer.
    shutdown.cancel();
    abandon.cancel();
    let ended = tokio::time::timeout(Duration::from_secs(5), worker).await;
    let summary = ended.expect("it ends at once").unwrap().unwrap();
    assert_eq!((summary.games, summary.unanswered), (0, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_may_let_games_in_flight_finish() {
    let mut coordinator = Coordinator::start(admit).await;
    let mut config = config(&coordinator, 1);
    config.finish_within = Duration::from_secs(60);
    let worker = Running::start(config);
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let slow = || {
        [
            player("a", builtin(), movetime(50)),
            player("b", builtin(), movetime(50)),
        ]
    };
    // Two games: the second is not begun any more.
    stream.tell(Down::Batch(batch(0, 2, slow(), 30))).await;
    stream
        .find(|message| {
            if let Up::Progress(_) = message {
                Some(())
            } else {
                None
            }
        })
        .await;
    let rest = tokio::spawn(stream.store_rest());
    let summary = worker.stopped().await.unwrap();
    assert_eq!(summary.games, 1);
    let rest = rest.await.unwrap();
    let failures: Vec<_> = rest
        .iter()
        .filter(|message| matches!(message, Up::Failure(_)))
        .collect();
    assert!(
        matches!(failures[..], [Up::Failure(failure)] if failure.reason() == FailureReason::Draining)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_batch_makes_room() {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let slow = [
        player("a", builtin(), movetime(20_000)),
        player("b", builtin(), movetime(20_000)),
    ];
    stream.tell(Down::Batch(batch(0, 2, slow, 4000))).await;
    stream.tell(Down::Batch(batch(1, 1, builtins(), 4))).await;
    let cancel = v1::Cancel {
        lease: Some(lease(0)),
        reason: CancelReason::Cancelled.into(),
    };
    stream.tell(Down::Cancel(cancel)).await;
    assert_eq!(stream.game().await.game, 1);
    let rest = tokio::spawn(async move {
        stream.answer(1, ReportStatus::Stored).await;
        stream.store_rest().await
    });
    worker.stopped().await.unwrap();
    assert!(
        rest.await
            .unwrap()
            .iter()
            .all(|message| !matches!(message, Up::Failure(_)))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_engine_keeps_its_lease_and_those_that_wait() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = Coordinator::start(admit).await;
    let mut config = config(&coordinator, 1);
    config
        .commands
        .add("slow", script(folder.path(), "slow", "sleep 60"))
        .unwrap();
    config.hang_after = Duration::from_secs(2);
    config.patience.stop = Duration::from_millis(200);
    let worker = Running::start(config);
    let mut stream = coordinator.stream().await;
    assert_eq!(coordinator.registrations()[0].commands, ["slow"]);
    stream.credit().await;
    let slow = player("s", engine_source::Kind::Command("slow".into()), nodes(9));
    for number in 0..2 {
        let mut batch = batch(
            number,
            1,
            [slow.clone(), player("b", builtin(), nodes(9))],
            4,
        );
        batch.lease_ms = 600;
        stream.tell(Down::Batch(batch)).await;
    }
    let mut signs = [0, 0];
    let report = loop {
        match stream.next().await.unwrap() {
            Up::Progress(progress) => signs[progress.lease.unwrap().batch as usize] += 1,
            Up::Game(report) => break report,
            _ => {}
        }
    };
    // A sign of life at least every lease time, and none more after the watchdog.
    assert!(signs.iter().all(|&signs| signs >= 3), "{signs:?}");
    assert_eq!(report.result.unwrap().reason(), v1::EndReason::Hang);
    stream.answer(1, ReportStatus::Stored).await;
    tokio::spawn(stream.store_rest());
    worker.stopped().await.unwrap();
}
