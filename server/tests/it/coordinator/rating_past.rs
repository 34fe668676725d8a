//! Which games a rating counts: of several tournaments, as of a game or a time. Expected numbers are worked out here from
//! the reported results.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proto::v1::{self, FormatKind, as_of::Point, rating_scope::Kind};
use tonic::Status;

use super::{
    harness::{Running, varied},
    worker::{Worker, played},
};

/// A reported result: tournament, players' names, points of the first mover in quarters.
pub struct Reported {
    pub tournament: u64,
    pub first: String,
    pub second: String,
    pub quarters: u64,
}

fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_millis() as u64
}

/// Plays all games that are to be had, and tells the results in the order in which they were stored.
pub async fn play_all(running: &Running) -> Vec<Reported> {
    let mut worker = Worker::join(running, "recorder").await;
    let mut reported = Vec::new();
    let mut wanted: u32 = 0;
    for tournament in list(running).await {
        wanted += tournament.total_games - tournament.stored_games;
    }
    while reported.len() < wanted as usize {
        let batch = worker.batch().await;
        for game in &batch.games {
            let report = played(&batch, game);
            let result = report.result.unwrap();
            let white = match (result.outcome(), result.winner()) {
                (v1::Outcome::Win, v1::Colour::White) => 4,
                (v1::Outcome::Advantage, v1::Colour::White) => 3,
                (v1::Outcome::Draw, _) => 2,
                (v1::Outcome::Advantage, _) => 1,
                _ => 0,
            };
            let name = |player: u32| batch.players[player as usize].name.clone();
            let (white_name, black_name) = (name(game.first), name(game.second));
            assert_eq!(
                worker.report(report).await.status(),
                v1::ReportStatus::Stored
            );
            // White moves first in all openings of this variant.
            reported.push(Reported {
                tournament: batch.lease.unwrap().work_id,
                first: white_name,
                second: black_name,
                quarters: white,
            });
        }
    }
    reported
}

async fn list(running: &Running) -> Vec<v1::Tournament> {
    let request = v1::ListTournamentsRequest::default();
    let list = running.tournaments().await.list(request).await.unwrap();
    list.into_inner().tournaments
}

/// Elo of a player over the only other one, by the equations of the score model for two players, solved by hand: with the
/// first-move advantage free, each side's points with the first move are expected exactly, with `prior` virtual draws
/// a player spread evenly over both sides.
pub fn elo_of_two(results: &[Reported], player: &str, prior: f64) -> f64 {
    let logit_of = |name: &str| {
        let own = results.iter().filter(|result| result.first == name);
        let (games, points) = own.fold((0.0, 0.0), |(games, points), result| {
            (games + 1.0, points + result.quarters as f64 / 4.0)
        });
        let share = (points + prior / 2.0) / (games + prior);
        (share / (1.0 - share)).ln()
    };
    let both = results.iter().flat_map(|game| [&game.first, &game.second]);
    let other = both.into_iter().find(|name| *name != player).unwrap();
    400.0 / 10f64.ln() * (logit_of(player) - logit_of(other)) / 2.0
}

pub fn difference(list: &v1::RatingList, player: &str, other: &str) -> f64 {
    let elo = |name: &str| list.ratings.iter().find(|r| r.name == name).unwrap().elo;
    elo(player) - elo(other)
}

#[track_caller]
pub fn assert_close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} {expected}");
}

pub fn as_of(point: Point) -> Option<v1::AsOf> {
    Some(v1::AsOf { point: Some(point) })
}

pub fn set(ids: impl IntoIterator<Item = u64>) -> Option<v1::RatingScope> {
    let tournament_ids = ids.into_iter().collect();
    Some(v1::RatingScope {
        kind: Some(Kind::Tournaments(v1::TournamentSet { tournament_ids })),
    })
}

pub async fn get(
    running: &Running,
    request: v1::GetRatingsRequest,
) -> Result<v1::RatingList, Status> {
    let answer = running.ratings().await.get(request).await;
    answer.map(tonic::Response::into_inner)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_past_counts_games_in_the_order_of_storing() {
    let (running, _folder) = Running::fresh().await;
    // The same two players in two tournaments, played one after the other.
    let mut reported = Vec::new();
    for seed in [1, 2] {
        let spec = v1::TournamentSpec {
            seed,
            ..varied(FormatKind::HeadToHead, 2, 4)
        };
        running.create(spec).await;
        reported.extend(play_all(&running).await);
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(reported.len(), 16);
    let now = get(&running, v1::GetRatingsRequest::default())
        .await
        .unwrap();
    for games in [4, 7, 8, 11, 16, 1_000] {
        let request = v1::GetRatingsRequest {
            as_of: as_of(Point::Games(games)),
            ..Default::default()
        };
        let list = get(&running, request).await.unwrap();
        let counted = &reported[..games.min(16) as usize];
        assert_eq!(
            (list.games, list.stored_games),
            (counted.len() as u64, list.games)
        );
        let expected = elo_of_two(counted, "engine 0", 1.0);
        assert_close(difference(&list, "engine 0", "engine 1"), expected);
        assert_eq!(list.sequence == now.sequence, games >= 16);

        let request = v1::HeadToHeadRequest {
            player: "engine 0".into(),
            opponent: "engine 1".into(),
            as_of: as_of(Point::Games(games)),
            ..Default::default()
        };
        let mut client = running.ratings().await;
        let met = client.head_to_head(request).await.unwrap().into_inner();
        let points = counted.iter().map(|result| match result.first.as_str() {
            "engine 0" => result.quarters,
            _ => 4 - result.quarters,
        });
        assert_eq!((met.games, met.quarters), (list.games, points.sum()));
        assert_eq!(met.unpaired, list.games % 2);
        assert_eq!(met.outcomes.iter().sum::<u64>(), met.games);
        assert_eq!(met.sequence, list.sequence);
    }
    // One tournament of the two, and both by number, in any order and more than once.
    let one = get(
        &running,
        v1::GetRatingsRequest {
            scope: set([2]),
            ..Default::default()
        },
    );
    assert_close(
        difference(&one.await.unwrap(), "engine 0", "engine 1"),
        elo_of_two(&reported[8..], "engine 0", 1.0),
    );
    let both = get(
        &running,
        v1::GetRatingsRequest {
            scope: set([2, 1, 2]),
            ..Default::default()
        },
    );
    assert_eq!(both.await.unwrap().ratings, now.ratings);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_past_counts_games_stored_by_a_time_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(super::harness::config(folder.path())).await;
    let before = now_ms() - 1;
    let first = running
        .create(varied(FormatKind::HeadToHead, 2, 4))
        .await
        .id;
    let mut reported = play_all(&running).await;
    tokio::time::sleep(Duration::from_millis(20)).await;
    let between = now_ms();
    tokio::time::sleep(Duration::from_millis(20)).await;
    running
        .create(v1::TournamentSpec {
            seed: 2,
            ..varied(FormatKind::HeadToHead, 2, 2)
        })
        .await;
    reported.extend(play_all(&running).await);
    running.stop().await;
    let running = Running::start(super::harness::config(folder.path())).await;
    for (time, games) in [(before, 0), (between, 8), (now_ms() + 1_000_000, 12)] {
        let request = v1::GetRatingsRequest {
            as_of: as_of(Point::UnixMs(time)),
            ..Default::default()
        };
        let list = get(&running, request).await.unwrap();
        assert_eq!((list.games, list.sequence > 0), (games, games > 0));
        if games > 0 {
            let expected = elo_of_two(&reported[..games as usize], "engine 0", 1.0);
            assert_close(difference(&list, "engine 0", "engine 1"), expected);
        }
    }
    // A voided game does not count in the past either.
    let void = v1::VoidGameRequest {
        id: first,
        game: 0,
        reason: "test".into(),
    };
    running.tournaments().await.void_game(void).await.unwrap();
    let request = v1::GetRatingsRequest {
        as_of: as_of(Point::UnixMs(between)),
        ..Default::default()
    };
    assert_eq!(get(&running, request).await.unwrap().games, 7);
    running.stop().await;
}
