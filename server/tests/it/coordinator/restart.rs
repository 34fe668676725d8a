//! The coordinator stops in the middle: nothing acknowledged is lost, nothing is played twice.

use proto::v1::{self, FormatKind, coordinator_message::Message as Down};

use super::{
    harness::{Running, config, spec},
    worker::{Worker, assert_each_once, register, registration},
};

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_exactly_the_missing_games_are_played() {
    for (kind, engines) in [
        (FormatKind::RoundRobin, 3),
        (FormatKind::Gauntlet, 3),
        (FormatKind::HeadToHead, 2),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let running = Running::start(config(folder.path())).await;
        let tournament = running.create(spec(kind, engines, 3)).await;
        let total = tournament.total_games;
        let mut worker = Worker::join(&running, "one").await;
        // One batch in full, another in part.
        let first = worker.batch().await;
        worker.play(&first, 0..4).await;
        let second = worker.batch().await;
        worker.play(&second, 1..2).await;
        let before = running.standings(tournament.id).await;
        let mut games: Vec<u32> = running
            .games(tournament.id)
            .await
            .iter()
            .map(|game| game.summary.as_ref().unwrap().game)
            .collect();
        assert_eq!(games.len(), 5);
        running.stop().await;

        let running = Running::start(config(folder.path())).await;
        assert_eq!(running.standings(tournament.id).await, before, "{kind:?}");
        assert_eq!(running.tournament(tournament.id).await.stored_games, 5);
        games.extend(Worker::join(&running, "two").await.work().await);
        assert_each_once(&games, total);
        assert_eq!(running.games(tournament.id).await.len(), total as usize);
        assert_eq!(
            running.tournament(tournament.id).await.state(),
            v1::TournamentState::Finished
        );
        running.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_in_the_middle_changes_no_table() {
    let play = async |stops: usize| {
        let folder = tempfile::tempdir().unwrap();
        let mut running = Running::start(config(folder.path())).await;
        let id = running.create(spec(FormatKind::RoundRobin, 3, 4)).await.id;
        for stop in 0..stops {
            let mut worker = Worker::join(&running, &format!("worker {stop}")).await;
            let batch = worker.batch().await;
            // The rest of a batch may be shorter.
            worker.play(&batch, 0..batch.games.len().min(3)).await;
            running.stop().await;
            running = Running::start(config(folder.path())).await;
        }
        Worker::join(&running, "last").await.work().await;
        let table = running.standings(id).await;
        running.stop().await;
        table
    };
    assert_eq!(play(0).await, play(3).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_outlives_the_coordinator_keeps_its_batch() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(config(folder.path())).await;
    let tournament = running.create(spec(FormatKind::HeadToHead, 2, 4)).await;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    let answered = worker.play(&batch, 0..2).await;
    assert_eq!(answered, [v1::ReportStatus::Stored; 2]);
    running.stop().await;

    let running = Running::start(config(folder.path())).await;
    // Its session is gone.
    let status = Worker::open(&running, worker.session, vec![])
        .await
        .err()
        .unwrap();
    assert_eq!(status.code(), tonic::Code::FailedPrecondition);
    let registered = register(&running, registration("one")).await.unwrap();
    assert_eq!(registered.epoch, 2);
    let mut worker = Worker::open(&running, registered.session, vec![batch.lease.unwrap()])
        .await
        .unwrap();
    assert_eq!(
        worker.next().await,
        Down::Welcome(v1::Welcome { kept_leases: 1 })
    );
    // Another worker gets another batch.
    let other = Worker::join(&running, "two").await.batch().await;
    assert_ne!(other.lease.unwrap().batch, batch.lease.unwrap().batch);
    // An answer that was lost: the report comes again.
    let statuses = worker.play(&batch, 1..4).await;
    assert_eq!(
        statuses,
        [
            v1::ReportStatus::Duplicate,
            v1::ReportStatus::Stored,
            v1::ReportStatus::Stored
        ]
    );
    assert_eq!(running.tournament(tournament.id).await.stored_games, 4);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn paused_and_cancelled_stay_so() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(config(folder.path())).await;
    let mut client = running.tournaments().await;
    for seed in 0..3 {
        running
            .create(v1::TournamentSpec {
                seed,
                ..spec(FormatKind::HeadToHead, 2, 2)
            })
            .await;
    }
    client
        .pause(v1::PauseTournamentRequest { id: 1 })
        .await
        .unwrap();
    client
        .cancel(v1::CancelTournamentRequest { id: 2 })
        .await
        .unwrap();
    drop(client);
    running.stop().await;
    let running = Running::start(config(folder.path())).await;
    let mut states = Vec::new();
    for id in 1..=3 {
        states.push(running.tournament(id).await.state());
    }
    use v1::TournamentState::{Cancelled, Paused, Running as Goes};
    assert_eq!(states, [Paused, Cancelled, Goes]);
    // New numbers go on.
    let next = running
        .create(v1::TournamentSpec {
            seed: 9,
            ..spec(FormatKind::HeadToHead, 2, 2)
        })
        .await;
    assert_eq!(next.id, 4);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_users_variant_survives_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(config(folder.path())).await;
    let text = include_str!("../../../../examples/variants/capablanca.toml").to_owned();
    let spec = v1::TournamentSpec {
        variant: String::new(),
        variant_text: text,
        ..spec(FormatKind::HeadToHead, 2, 1)
    };
    let tournament = running.create(spec).await;
    let variant = tournament.variant.unwrap();
    running.stop().await;
    let running = Running::start(config(folder.path())).await;
    let batch = Worker::join(&running, "one").await.batch().await;
    assert_eq!(batch.variant.as_ref(), Some(&variant));
    let request = v1::FetchVariantRequest {
        hash: variant.hash.clone(),
    };
    let fetched = running
        .workers()
        .await
        .fetch_variant(request)
        .await
        .unwrap()
        .into_inner();
    let resolved = engine::variant::Variant::from_definition(&fetched.definition).unwrap();
    assert_eq!(resolved.hash().to_string(), variant.hash);
    let missing = v1::FetchVariantRequest {
        hash: "00".repeat(32),
    };
    let status = running
        .workers()
        .await
        .fetch_variant(missing)
        .await
        .unwrap_err();
    assert_eq!(status.code(), tonic::Code::NotFound);
    let listed = running
        .variants()
        .await
        .list(v1::ListVariantsRequest {})
        .await
        .unwrap()
        .into_inner()
        .variants;
    assert!(
        listed
            .iter()
            .any(|listed| listed.variant.as_ref() == Some(&variant))
    );
    running.stop().await;
}
