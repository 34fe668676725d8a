//! Leases, credits, fences, refusals.

use std::time::Duration;

use proto::v1::{
    self, CancelReason, FormatKind, NoWorkReason, RefusalReason,
    coordinator_message::Message as Down, worker_message::Message as Up,
};
use tonic::Code;

use super::{
    harness::{Running, spec},
    worker::{Worker, assert_each_once, register, registration},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_vanishes_loses_its_batch_and_only_missing_games_are_played() {
    let (running, _folder) = Running::fresh().await;
    let tournament = running.create(spec(FormatKind::HeadToHead, 2, 2)).await;
    let mut first = Worker::join(&running, "one").await;
    let batch = first.batch().await;
    assert_eq!(batch.games.len(), 4);
    first.play(&batch, 0..3).await;
    drop(first);
    // The grace time is shorter than the lease.
    let again = Worker::join(&running, "two").await.batch().await;
    assert_eq!(again.lease.unwrap().batch, batch.lease.unwrap().batch);
    assert_eq!(
        again.games.iter().map(|game| game.game).collect::<Vec<_>>(),
        [3]
    );
    assert_eq!(running.tournament(tournament.id).await.stored_games, 3);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_hangs_loses_its_batch_and_one_that_progresses_keeps_it() {
    let (running, _folder) = Running::fresh().await;
    running.create(spec(FormatKind::HeadToHead, 2, 4)).await;
    let mut hanging = Worker::join(&running, "one").await;
    let mut working = Worker::join(&running, "two").await;
    let lost = hanging.batch().await;
    let kept = working.batch().await;
    assert_ne!(lost.lease, kept.lease);
    for _ in 0..16 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        let progress = v1::Progress {
            lease: kept.lease,
            game: kept.games[0].game,
            ..Default::default()
        };
        working.send(Up::Progress(progress)).await;
    }
    let cancel = hanging.cancelled().await;
    assert_eq!(
        (cancel.lease, cancel.reason()),
        (lost.lease, CancelReason::LeaseLost)
    );
    // The batch goes to the one that works.
    let again = working.batch().await;
    assert_eq!(again.lease.unwrap().batch, lost.lease.unwrap().batch);
    let statuses = working.play(&kept, 0..kept.games.len()).await;
    assert!(
        statuses
            .iter()
            .all(|status| *status == v1::ReportStatus::Stored)
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reconnect_within_the_grace_time_keeps_the_leases() {
    let (running, _folder) = Running::fresh().await;
    running.create(spec(FormatKind::HeadToHead, 2, 4)).await;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    let session = worker.session;
    drop(worker);
    let lost = v1::Lease {
        batch: 1,
        ..batch.lease.unwrap()
    };
    let mut worker = Worker::open(&running, session, vec![batch.lease.unwrap(), lost])
        .await
        .unwrap();
    assert_eq!(
        worker.next().await,
        Down::Welcome(v1::Welcome { kept_leases: 1 })
    );
    let cancel = worker.cancelled().await;
    assert_eq!(
        (cancel.lease, cancel.reason()),
        (Some(lost), CancelReason::LeaseLost)
    );
    tokio::time::sleep(Duration::from_millis(500)).await;
    let statuses = worker.play(&batch, 0..4).await;
    assert!(
        statuses
            .iter()
            .all(|status| *status == v1::ReportStatus::Stored),
        "{statuses:?}"
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_session_of_a_process_fences_the_old_stream() {
    let (running, _folder) = Running::fresh().await;
    let mut old = Worker::join(&running, "one").await;
    assert!(matches!(old.next().await, Down::Welcome(_)));
    let new = Worker::join(&running, "one").await;
    assert_eq!(old.next_or_end().await, None);
    let status = Worker::open(&running, old.session, vec![])
        .await
        .err()
        .unwrap();
    assert_eq!(status.code(), Code::FailedPrecondition);
    let workers = running
        .workers()
        .await
        .list_workers(v1::ListWorkersRequest {})
        .await
        .unwrap()
        .into_inner()
        .workers;
    assert_eq!(workers.len(), 1);
    assert!(workers[0].connected);
    drop(new);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn credits_bound_what_a_worker_is_given() {
    let (running, _folder) = Running::fresh().await;
    let tournament = running.create(spec(FormatKind::RoundRobin, 3, 4)).await;
    let mut worker = Worker::join(&running, "one").await;
    worker.credit(2).await;
    let batches = [worker.await_batch().await, worker.await_batch().await];
    assert_ne!(batches[0].lease, batches[1].lease);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(running.tournament(tournament.id).await.leased_batches, 2);
    worker.credit(1).await;
    worker.await_batch().await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_typed() {
    let (running, _folder) = Running::fresh().await;
    let cases = [
        (
            v1::RegisterRequest {
                protocol_version: 99,
                ..registration("one")
            },
            RefusalReason::ProtocolVersion,
            "99",
        ),
        (
            v1::RegisterRequest {
                slots: 0,
                ..registration("one")
            },
            RefusalReason::BadRequest,
            "slots",
        ),
        (
            v1::RegisterRequest {
                instance: "x".into(),
                ..registration("one")
            },
            RefusalReason::BadRequest,
            "instance",
        ),
        (
            v1::RegisterRequest {
                name: String::new(),
                ..registration("one")
            },
            RefusalReason::BadRequest,
            "name",
        ),
    ];
    for (request, reason, word) in cases {
        let refusal = register(&running, request).await.unwrap_err();
        assert_eq!(
            (refusal.reason(), refusal.protocol_version),
            (reason, proto::PROTOCOL_VERSION)
        );
        assert!(refusal.message.contains(word), "{}", refusal.message);
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_reasons_for_no_work_are_typed() {
    let (running, _folder) = Running::fresh().await;
    let mut worker = Worker::join(&running, "one").await;
    assert_eq!(
        worker.no_work().await.reason(),
        NoWorkReason::NothingRunning
    );

    let mut commands = spec(FormatKind::HeadToHead, 2, 1);
    commands.engines[1].source = Some(v1::EngineSource {
        kind: Some(v1::engine_source::Kind::Command("stockfish".into())),
    });
    running.create(commands).await;
    let no_work = Worker::join(&running, "two").await.no_work().await;
    assert_eq!(no_work.reason(), NoWorkReason::CommandMissing);
    assert!(no_work.message.contains("stockfish"));

    let request = v1::RegisterRequest {
        builtin_build: "older".into(),
        ..registration("three")
    };
    let session = register(&running, request).await.unwrap().session;
    let mut older = Worker::open(&running, session, vec![]).await.unwrap();
    assert_eq!(older.no_work().await.reason(), NoWorkReason::OtherBuild);

    let request = v1::RegisterRequest {
        commands: vec!["stockfish".into()],
        ..registration("four")
    };
    let session = register(&running, request).await.unwrap().session;
    let mut able = Worker::open(&running, session, vec![]).await.unwrap();
    let batch = able.batch().await;
    assert_eq!(batch.games.len(), 2);
    assert_eq!(able.no_work().await.reason(), NoWorkReason::AllLeased);

    // More batches than there are outstanding credits.
    let paused = running.create(spec(FormatKind::HeadToHead, 2, 40)).await.id;
    running
        .tournaments()
        .await
        .pause(v1::PauseTournamentRequest { id: paused })
        .await
        .unwrap();
    able.play(&batch, 0..2).await;
    let mut late = Worker::join(&running, "five").await;
    assert_eq!(late.no_work().await.reason(), NoWorkReason::Paused);
    late.send(Up::Drain(v1::Drain { resume: false })).await;
    loop {
        if let Down::NoWork(no_work) = late.next().await {
            assert_eq!(no_work.reason(), NoWorkReason::Draining);
            break;
        }
    }
    // After the resume the outstanding credit is served as soon as the drain is taken back.
    running
        .tournaments()
        .await
        .resume(v1::ResumeTournamentRequest { id: paused })
        .await
        .unwrap();
    late.send(Up::Drain(v1::Drain { resume: true })).await;
    late.await_batch().await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_failures_park_a_batch_and_a_resume_tries_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = super::harness::config(folder.path());
    // Only the batch is looked at here.
    config.workers.failures = 100;
    let running = Running::start(config).await;
    let tournament = running.create(spec(FormatKind::HeadToHead, 2, 1)).await;
    let mut worker = Worker::join(&running, "one").await;
    for _ in 0..5 {
        let batch = worker.batch().await;
        let failure = v1::BatchFailure {
            lease: batch.lease,
            reason: v1::FailureReason::EngineStart.into(),
            message: "no such file".into(),
        };
        worker.send(Up::Failure(failure)).await;
    }
    assert_eq!(worker.no_work().await.reason(), NoWorkReason::Parked);
    let parked = running.tournament(tournament.id).await.parked;
    assert_eq!((parked.len(), parked[0].attempts), (1, 5));
    assert!(
        parked[0].message.contains("engine_start") && parked[0].message.contains("no such file")
    );
    // Parked batches stay parked over a restart.
    running.stop().await;
    let running = Running::start(super::harness::config(folder.path())).await;
    assert_eq!(running.tournament(tournament.id).await.parked.len(), 1);
    let mut worker = Worker::join(&running, "two").await;
    assert_eq!(worker.no_work().await.reason(), NoWorkReason::Parked);
    let resumed = running
        .tournaments()
        .await
        .resume(v1::ResumeTournamentRequest { id: tournament.id })
        .await;
    assert!(resumed.unwrap().into_inner().parked.is_empty());
    let batch = worker.await_batch().await;
    worker.play(&batch, 0..2).await;
    assert_eq!(
        running.tournament(tournament.id).await.state(),
        v1::TournamentState::Finished
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_fails_in_a_row_gets_no_work_for_a_while() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = super::harness::config(folder.path());
    config.workers.failures = 2;
    config.workers.quarantine = Duration::from_millis(700);
    let running = Running::start(config).await;
    running.create(spec(FormatKind::RoundRobin, 3, 4)).await;
    let mut worker = Worker::join(&running, "one").await;
    for _ in 0..2 {
        let batch = worker.batch().await;
        let reason = v1::FailureReason::Internal.into();
        worker
            .send(Up::Failure(v1::BatchFailure {
                lease: batch.lease,
                reason,
                message: "x".into(),
            }))
            .await;
    }
    let no_work = worker.no_work().await;
    assert_eq!(no_work.reason(), NoWorkReason::Quarantined);
    assert!(no_work.retry_after_ms <= 700);
    // The credit is served when the time is over.
    worker.await_batch().await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_tournament_is_taken_from_its_workers_and_keeps_its_games() {
    let (running, _folder) = Running::fresh().await;
    let tournament = running.create(spec(FormatKind::HeadToHead, 2, 4)).await;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    worker.play(&batch, 0..1).await;
    let request = v1::CancelTournamentRequest { id: tournament.id };
    let cancelled = running
        .tournaments()
        .await
        .cancel(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (cancelled.state(), cancelled.stored_games),
        (v1::TournamentState::Cancelled, 1)
    );
    let cancel = worker.cancelled().await;
    assert_eq!(
        (cancel.lease, cancel.reason()),
        (batch.lease, CancelReason::Cancelled)
    );
    assert_eq!(
        worker.no_work().await.reason(),
        NoWorkReason::NothingRunning
    );
    for result in [
        running
            .tournaments()
            .await
            .resume(v1::ResumeTournamentRequest { id: tournament.id })
            .await,
        running
            .tournaments()
            .await
            .pause(v1::PauseTournamentRequest { id: tournament.id })
            .await,
    ] {
        assert_eq!(result.unwrap_err().code(), Code::FailedPrecondition);
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_workers_share_a_tournament_and_each_game_is_played_once() {
    let (running, _folder) = Running::fresh().await;
    running.create(spec(FormatKind::RoundRobin, 3, 6)).await;
    let (mut one, mut two) = (
        Worker::join(&running, "one").await,
        Worker::join(&running, "two").await,
    );
    let (mut games, others) = tokio::join!(one.work(), two.work());
    games.extend(others);
    assert_each_once(&games, 36);
    running.stop().await;
}
