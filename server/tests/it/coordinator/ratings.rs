//! Ratings, their history, and two players' games against each other.

use proto::v1::{self, FormatKind};
use tonic::Code;

use super::{
    harness::{Running, nodes, spec},
    worker::Worker,
};

#[tokio::test(flavor = "multi_thread")]
async fn ratings_are_kept_by_pool_and_by_player() {
    let (running, _folder) = Running::fresh().await;
    // Two tournaments of one pool that share an engine under different names, and one of another pool.
    let mut second = spec(FormatKind::HeadToHead, 2, 3);
    second.engines[1] = v1::EngineSpec {
        options: [("Hash".to_owned(), "9".to_owned())].into(),
        ..second.engines[1].clone()
    };
    second.engines[0].name = "the same by another name".into();
    second.engines[1].name = "engine 9".into();
    let other_limit = v1::TournamentSpec {
        limit: nodes(50),
        ..spec(FormatKind::HeadToHead, 2, 3)
    };
    for spec in [spec(FormatKind::HeadToHead, 2, 3), second, other_limit] {
        running.create(spec).await;
    }
    Worker::join(&running, "one").await.work().await;
    let mut client = running.ratings().await;
    let pools = client
        .list_pools(v1::ListPoolsRequest {})
        .await
        .unwrap()
        .into_inner()
        .pools;
    let described: Vec<_> = pools
        .iter()
        .map(|pool| {
            (
                pool.pool.as_ref().unwrap().limit_class.as_str(),
                pool.games,
                pool.players,
            )
        })
        .collect();
    assert_eq!(described, [("nodes=100", 12, 3), ("nodes=50", 6, 2)]);

    // Without a scope there is a choice to be made.
    let status = client
        .get(v1::GetRatingsRequest::default())
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    let scope = Some(v1::RatingScope {
        kind: Some(v1::rating_scope::Kind::Pool(pools[0].pool.clone().unwrap())),
    });
    let request = v1::GetRatingsRequest {
        scope: scope.clone(),
        ..Default::default()
    };
    let list = client.get(request.clone()).await.unwrap().into_inner();
    assert_eq!(
        (list.games, list.ratings.len(), list.confidence),
        (12, 3, 0.95)
    );
    let total: u64 = list.ratings.iter().map(|rating| rating.quarters).sum();
    assert_eq!(total, 48);
    let mean: f64 = list.ratings.iter().map(|rating| rating.elo).sum::<f64>() / 3.0;
    assert!(mean.abs() < 1e-6, "{mean}");
    // One engine played in both tournaments.
    assert_eq!(
        list.ratings.iter().map(|rating| rating.games).max(),
        Some(12)
    );

    let anchored = v1::GetRatingsRequest {
        anchor: "engine 1".into(),
        anchor_elo: 1500.0,
        ..request
    };
    let list = client.get(anchored).await.unwrap().into_inner();
    let anchor = list
        .ratings
        .iter()
        .find(|rating| rating.name == "engine 1")
        .unwrap();
    assert!((anchor.elo - 1500.0).abs() < 1e-6);
    let unknown = v1::GetRatingsRequest {
        scope: scope.clone(),
        anchor: "nobody".into(),
        ..Default::default()
    };
    assert_eq!(
        client.get(unknown).await.unwrap_err().code(),
        Code::NotFound
    );

    let request = v1::HeadToHeadRequest {
        scope: scope.clone(),
        player: "engine 0".into(),
        opponent: "engine 1".into(),
        ..Default::default()
    };
    let met = client.head_to_head(request).await.unwrap().into_inner();
    assert_eq!((met.games, met.pair_quarters.iter().sum::<u64>()), (6, 3));
    let points = |counts: &[u64]| {
        counts
            .iter()
            .zip(0..)
            .map(|(count, quarters)| count * quarters)
            .sum::<u64>()
    };
    assert_eq!(
        points(&met.moved_first) + points(&met.moved_second),
        met.quarters
    );
    assert_eq!(points(&met.pair_quarters), met.quarters);

    let request = v1::RatingHistoryRequest {
        scope,
        player: "engine 0".into(),
        points: 4,
        ..Default::default()
    };
    let history = client.history(request).await.unwrap().into_inner().points;
    assert_eq!(
        history
            .iter()
            .map(|point| point.pool_games)
            .collect::<Vec<_>>(),
        [3, 6, 9, 12]
    );
    let now = list
        .ratings
        .iter()
        .find(|rating| rating.name == "engine 0")
        .unwrap();
    assert_eq!(history.last().unwrap().games, now.games);
    running.stop().await;
}
