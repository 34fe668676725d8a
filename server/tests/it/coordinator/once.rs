//! A result is stored at most once, and only what the moves give.

use proto::v1::{self, FormatKind, ReportRefusal, ReportStatus};

use super::{
    harness::{Running, spec},
    worker::{Worker, play_with_seed, played},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_second_report_is_a_duplicate_or_a_conflict_and_never_an_addition() {
    let (running, _folder) = Running::fresh().await;
    let tournament = running.create(spec(FormatKind::HeadToHead, 2, 2)).await;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    let report = played(&batch, &batch.games[0]);
    assert_eq!(
        worker.report(report.clone()).await.status(),
        ReportStatus::Stored
    );
    assert_eq!(
        worker.report(report.clone()).await.status(),
        ReportStatus::Duplicate
    );
    // Fixed nodes and other moves.
    let other = play_with_seed(&batch, &batch.games[0], 12345);
    let answer = worker.report(other.clone()).await;
    assert_eq!(
        answer.status(),
        ReportStatus::Conflict,
        "{}",
        answer.message
    );
    let stored = running.games(tournament.id).await;
    assert_eq!(stored.len(), 1);
    assert_eq!(stored[0].moves, report.moves);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn under_a_limit_by_time_another_playing_is_superseded_without_blame() {
    let (running, _folder) = Running::fresh().await;
    let limit = Some(v1::Limit {
        kind: Some(v1::limit::Kind::MovetimeMs(10)),
    });
    running
        .create(v1::TournamentSpec {
            limit,
            ..spec(FormatKind::HeadToHead, 2, 2)
        })
        .await;
    let mut first = Worker::join(&running, "one").await;
    let batch = first.batch().await;
    // The first worker is cut off and another one plays the batch.
    first
        .send(v1::worker_message::Message::Failure(v1::BatchFailure {
            lease: batch.lease,
            reason: v1::FailureReason::Internal.into(),
            message: "cut off".into(),
        }))
        .await;
    let mut second = Worker::join(&running, "two").await;
    let again = second.batch().await;
    assert_eq!(again.lease.unwrap().batch, batch.lease.unwrap().batch);
    assert_ne!(again.lease.unwrap().attempt, batch.lease.unwrap().attempt);
    assert_eq!(
        second
            .report(played(&again, &again.games[0]))
            .await
            .status(),
        ReportStatus::Stored
    );
    let late = play_with_seed(&batch, &batch.games[0], 999);
    assert_eq!(first.report(late).await.status(), ReportStatus::Superseded);
    // A late report of a game that is still missing is its result.
    let late = play_with_seed(&batch, &batch.games[1], 999);
    assert_eq!(first.report(late).await.status(), ReportStatus::Stored);
    // The same attempt cannot play a game twice.
    let twice = play_with_seed(&again, &again.games[0], 7);
    assert_eq!(second.report(twice).await.status(), ReportStatus::Conflict);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_report_from_two_workers_at_once_is_stored_once() {
    let (running, _folder) = Running::fresh().await;
    let tournament = running.create(spec(FormatKind::HeadToHead, 2, 2)).await;
    let mut one = Worker::join(&running, "one").await;
    let mut two = Worker::join(&running, "two").await;
    let batch = one.batch().await;
    for game in &batch.games {
        let report = played(&batch, game);
        let (first, second) = tokio::join!(one.report(report.clone()), two.report(report));
        let mut statuses = [first.status(), second.status()];
        statuses.sort();
        assert_eq!(statuses, [ReportStatus::Stored, ReportStatus::Duplicate]);
    }
    assert_eq!(running.tournament(tournament.id).await.stored_games, 4);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forged_and_malformed_reports_are_refused() {
    let (running, _folder) = Running::fresh().await;
    let tournament = running.create(spec(FormatKind::HeadToHead, 2, 2)).await;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    let honest = played(&batch, &batch.games[0]);
    let win = v1::GameResult {
        outcome: v1::Outcome::Win.into(),
        winner: v1::Colour::White.into(),
        reason: v1::EndReason::Checkmate.into(),
        count: None,
    };
    let crash = v1::GameResult {
        reason: v1::EndReason::Crash.into(),
        ..win
    };
    let mut illegal = honest.clone();
    illegal.moves[3] = "a1a1".into();
    let lease = batch.lease.unwrap();
    let cases = [
        (
            v1::GameReport {
                result: Some(win),
                ..honest.clone()
            },
            ReportRefusal::WrongEnd,
        ),
        (
            v1::GameReport {
                moves: honest.moves[..5].to_vec(),
                result: Some(crash),
                ..honest.clone()
            },
            ReportRefusal::NoEvidence,
        ),
        (illegal, ReportRefusal::IllegalMove),
        (
            v1::GameReport {
                result: None,
                ..honest.clone()
            },
            ReportRefusal::Malformed,
        ),
        (
            v1::GameReport {
                lease: None,
                ..honest.clone()
            },
            ReportRefusal::Malformed,
        ),
        (
            v1::GameReport {
                game: 999,
                ..honest.clone()
            },
            ReportRefusal::UnknownGame,
        ),
        (
            v1::GameReport {
                generation: 1,
                ..honest.clone()
            },
            ReportRefusal::UnknownGame,
        ),
        (
            v1::GameReport {
                lease: Some(v1::Lease {
                    work_id: 99,
                    ..lease
                }),
                ..honest.clone()
            },
            ReportRefusal::UnknownGame,
        ),
        (
            v1::GameReport {
                lease: Some(v1::Lease { batch: 1, ..lease }),
                ..honest.clone()
            },
            ReportRefusal::UnknownGame,
        ),
    ];
    for (report, expected) in cases {
        let answer = worker.report(report).await;
        assert_eq!(
            (answer.status(), answer.refusal()),
            (ReportStatus::Refused, expected),
            "{}",
            answer.message
        );
        assert!(!answer.message.is_empty());
    }
    assert_eq!(running.tournament(tournament.id).await.stored_games, 0);
    assert_eq!(worker.report(honest).await.status(), ReportStatus::Stored);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn testimony_is_stored_with_its_evidence_and_rate_limited() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = super::harness::config(folder.path());
    config.workers.testimony_burst = 2;
    let running = Running::start(config).await;
    let tournament = running.create(spec(FormatKind::HeadToHead, 2, 2)).await;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    let crash = |game: usize| {
        let moves = played(&batch, &batch.games[game]).moves[..4].to_vec();
        // After four plies the first mover, White, is to move.
        let result = v1::GameResult {
            outcome: v1::Outcome::Win.into(),
            winner: v1::Colour::Black.into(),
            reason: v1::EndReason::Crash.into(),
            count: None,
        };
        let evidence = v1::Evidence {
            text: "exit status 139".into(),
            engine_log: "boom".into(),
            ..Default::default()
        };
        v1::GameReport {
            moves,
            result: Some(result),
            evidence: Some(evidence),
            ..played(&batch, &batch.games[game])
        }
    };
    assert_eq!(worker.report(crash(0)).await.status(), ReportStatus::Stored);
    assert_eq!(worker.report(crash(1)).await.status(), ReportStatus::Stored);
    let answer = worker.report(crash(2)).await;
    assert_eq!(answer.status(), ReportStatus::TryAgain);
    assert!(answer.retry_after_ms > 0);
    // An honest end is not held up.
    assert_eq!(
        worker
            .report(played(&batch, &batch.games[3]))
            .await
            .status(),
        ReportStatus::Stored
    );
    let stored = running.games(tournament.id).await;
    assert_eq!(stored[0].evidence.as_ref().unwrap().text, "exit status 139");
    let listed = running
        .workers()
        .await
        .list_workers(v1::ListWorkersRequest {})
        .await
        .unwrap()
        .into_inner()
        .workers;
    assert_eq!((listed[0].stored_games, listed[0].testimony_ends), (3, 2));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_voided_game_is_played_again_in_its_next_generation() {
    let (running, _folder) = Running::fresh().await;
    let tournament = running.create(spec(FormatKind::HeadToHead, 2, 2)).await;
    let mut worker = Worker::join(&running, "one").await;
    worker.work().await;
    let before = running.games(tournament.id).await;
    let void = |game| v1::VoidGameRequest {
        id: tournament.id,
        game,
        reason: "bad memory on that host".into(),
    };
    let after = running
        .tournaments()
        .await
        .void_game(void(2))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (after.state(), after.stored_games),
        (v1::TournamentState::Running, 3)
    );
    // Its table forgets the game.
    assert_eq!(
        running
            .standings(tournament.id)
            .await
            .rows
            .iter()
            .map(|row| row.games)
            .sum::<u32>(),
        6
    );
    let status = running
        .tournaments()
        .await
        .void_game(void(2))
        .await
        .unwrap_err();
    assert_eq!(status.code(), tonic::Code::NotFound);

    let mut worker = Worker::join(&running, "two").await;
    let batch = worker.batch().await;
    assert_eq!(
        batch
            .games
            .iter()
            .map(|game| (game.game, game.generation))
            .collect::<Vec<_>>(),
        [(2, 1)]
    );
    // A late report of the old generation counts for nothing.
    let old = v1::GameReport {
        generation: 0,
        ..played(&batch, &batch.games[0])
    };
    assert_eq!(
        worker.report(old).await.refusal(),
        ReportRefusal::UnknownGame
    );
    assert_eq!(
        worker
            .report(play_with_seed(&batch, &batch.games[0], 5))
            .await
            .status(),
        ReportStatus::Stored
    );
    let now = running.games(tournament.id).await;
    assert_eq!(now.len(), 4);
    assert_ne!(now[2].moves, before[2].moves);
    assert_eq!(
        running.tournament(tournament.id).await.state(),
        v1::TournamentState::Finished
    );
    running.stop().await;
}
