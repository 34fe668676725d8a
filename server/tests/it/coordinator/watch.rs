//! Streams of events and ratings.

use std::time::Duration;

use proto::v1::{self, FormatKind, tournament_event::Event, worker_message::Message as Up};
use tonic::Streaming;

use super::{
    harness::{Running, config, spec},
    worker::Worker,
};

async fn watch(
    running: &Running,
    id: u64,
    from_sequence: u64,
    progress: bool,
) -> Streaming<v1::TournamentEvent> {
    let request = v1::WatchTournamentRequest {
        id,
        from_sequence,
        progress,
    };
    running
        .tournaments()
        .await
        .watch(request)
        .await
        .unwrap()
        .into_inner()
}

async fn next<T>(stream: &mut Streaming<T>) -> Option<T> {
    tokio::time::timeout(Duration::from_secs(20), stream.message())
        .await
        .expect("a message comes in time")
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_sees_every_game_once_and_the_end() {
    let (running, _folder) = Running::fresh().await;
    let id = running.create(spec(FormatKind::HeadToHead, 2, 3)).await.id;
    let mut all = watch(&running, id, 0, false).await;
    let mut worker = Worker::join(&running, "one").await;
    let first = worker.batch().await;
    worker.play(&first, 0..4).await;

    let mut games = Vec::new();
    let mut sequence = 0;
    for _ in 0..4 {
        let event = next(&mut all).await.unwrap();
        assert!(event.sequence > sequence);
        sequence = event.sequence;
        let Some(Event::Game(game)) = event.event else {
            panic!("{event:?}")
        };
        games.push(game.game);
    }
    assert_eq!(games, [0, 1, 2, 3]);
    drop(all);
    // It comes back later and misses nothing.
    worker.work().await;
    let mut rest = watch(&running, id, sequence, false).await;
    let mut events = Vec::new();
    while let Some(event) = next(&mut rest).await {
        events.push(event.event.unwrap());
    }
    let games: Vec<u32> = events
        .iter()
        .filter_map(|event| {
            if let Event::Game(game) = event {
                Some(game.game)
            } else {
                None
            }
        })
        .collect();
    assert_eq!(games, [4, 5]);
    let Some(Event::State(state)) = events.last() else {
        panic!("{events:?}")
    };
    assert_eq!(
        (state.state(), state.stored_games),
        (v1::TournamentState::Finished, 6)
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_can_be_followed_live() {
    let (running, _folder) = Running::fresh().await;
    let id = running.create(spec(FormatKind::HeadToHead, 2, 1)).await.id;
    let (mut live, mut quiet) = (
        watch(&running, id, 0, true).await,
        watch(&running, id, 0, false).await,
    );
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    let progress = v1::Progress {
        lease: batch.lease,
        game: 1,
        from_ply: 2,
        moves: vec!["b4b5".into()],
        score_cp: Some(-12),
        white_ms: Some(900),
        black_ms: None,
    };
    worker.send(Up::Progress(progress)).await;
    let Some(Event::Progress(seen)) = next(&mut live).await.unwrap().event else {
        panic!()
    };
    assert_eq!(
        (seen.game, seen.from_ply, seen.moves.as_slice()),
        (1, 2, &["b4b5".to_owned()][..])
    );
    assert_eq!(
        (seen.score_cp, seen.white_ms, seen.black_ms),
        (Some(-12), Some(900), None)
    );
    worker.play(&batch, 0..1).await;
    let Some(Event::Game(_)) = next(&mut quiet).await.unwrap().event else {
        panic!()
    };
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_restart_a_watcher_resynchronises() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(config(folder.path())).await;
    let id = running.create(spec(FormatKind::HeadToHead, 2, 3)).await.id;
    let mut events = watch(&running, id, 0, false).await;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    worker.play(&batch, 0..4).await;
    let sequence = next(&mut events).await.unwrap().sequence;
    running.stop().await;

    let running = Running::start(config(folder.path())).await;
    let mut events = watch(&running, id, sequence, false).await;
    let event = next(&mut events).await.unwrap();
    let Some(Event::Resync(resync)) = event.event else {
        panic!("{event:?}")
    };
    assert_eq!(resync.tournament.unwrap().stored_games, 4);
    Worker::join(&running, "two").await.work().await;
    let after = next(&mut events).await.unwrap();
    assert!(after.sequence > event.sequence && matches!(after.event, Some(Event::Game(_))));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rating_list_comes_again_when_it_has_changed() {
    let (running, _folder) = Running::fresh().await;
    let id = running.create(spec(FormatKind::HeadToHead, 2, 2)).await.id;
    let scope = Some(v1::RatingScope {
        kind: Some(v1::rating_scope::Kind::TournamentId(id)),
    });
    let ratings = Some(v1::GetRatingsRequest {
        scope,
        ..Default::default()
    });
    let request = v1::WatchRatingsRequest { ratings };
    let mut lists = running
        .ratings()
        .await
        .watch(request)
        .await
        .unwrap()
        .into_inner();
    assert_eq!(next(&mut lists).await.unwrap().games, 0);
    Worker::join(&running, "one").await.work().await;
    let mut games = 0;
    while games < 4 {
        let list = next(&mut lists).await.unwrap();
        assert!(list.games > games);
        games = list.games;
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watched_list_is_sent_for_its_own_results_only_and_ends_with_the_coordinator() {
    let (running, _folder) = Running::fresh().await;
    let own = running.create(spec(FormatKind::HeadToHead, 2, 2)).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    let scope = Some(v1::RatingScope {
        kind: Some(v1::rating_scope::Kind::TournamentId(own)),
    });
    let ratings = Some(v1::GetRatingsRequest {
        scope,
        ..Default::default()
    });
    let request = v1::WatchRatingsRequest { ratings };
    let mut client = running.ratings().await;
    let mut lists = client.watch(request).await.unwrap().into_inner();
    assert_eq!(next(&mut lists).await.unwrap().games, 0);
    let start = std::time::Instant::now();
    // Games of its own in quick succession are one message, a second after the first.
    worker.play(&batch, 0..4).await;
    assert_eq!(next(&mut lists).await.unwrap().games, 4);
    assert!(start.elapsed() > Duration::from_millis(900));
    // Those of another tournament of the pool are none.
    let other = v1::TournamentSpec {
        seed: 99,
        ..spec(FormatKind::HeadToHead, 2, 2)
    };
    running.create(other).await;
    Worker::join(&running, "two").await.work().await;
    let silence = tokio::time::timeout(Duration::from_millis(1_500), lists.message()).await;
    assert!(silence.is_err(), "{silence:?}");
    running.stop().await;
    let end = tokio::time::timeout(Duration::from_secs(10), lists.message()).await;
    let status = end.expect("the stream ends").unwrap_err();
    assert_eq!(status.code(), tonic::Code::Unavailable);
}
