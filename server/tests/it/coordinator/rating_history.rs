//! How a rating developed: each point is the rating of then, by the options asked for. Expected numbers are worked out from
//! the reported results.

use proto::v1::{self, FormatKind, as_of::Point};
use tonic::{Code, Status};

use super::{
    harness::{Running, engines, varied},
    rating_past::{Reported, as_of, assert_close, elo_of_two, get, play_all, set},
};

async fn history(
    running: &Running,
    request: v1::RatingHistoryRequest,
) -> Result<v1::RatingHistoryResponse, Status> {
    let answer = running.ratings().await.history(request).await;
    answer.map(tonic::Response::into_inner)
}

fn of(player: &str, points: u32) -> v1::RatingHistoryRequest {
    v1::RatingHistoryRequest {
        player: player.into(),
        points,
        ..Default::default()
    }
}

fn quarters(results: &[Reported], player: &str) -> u64 {
    let own = results.iter().map(|game| match player {
        _ if game.first == player => game.quarters,
        _ if game.second == player => 4 - game.quarters,
        _ => 0,
    });
    own.sum()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_point_is_the_rating_of_then_by_the_options_asked_for() {
    let (running, _folder) = Running::fresh().await;
    running.create(varied(FormatKind::HeadToHead, 2, 8)).await;
    let reported = play_all(&running).await;
    let plain = history(&running, of("engine 0", 4)).await.unwrap();
    let asked = v1::RatingHistoryRequest {
        confidence: 0.5,
        anchor: "engine 1".into(),
        anchor_elo: 1500.0,
        options: Some(v1::RatingOptions {
            prior_draws: Some(5.0),
            ..Default::default()
        }),
        ..of("engine 0", 4)
    };
    let other = history(&running, asked).await.unwrap();
    assert_eq!((plain.confidence, other.confidence), (0.95, 0.5));
    assert_eq!(
        (plain.name.as_str(), plain.model(), plain.error_bars()),
        (
            "engine 0",
            v1::RatingModel::Score,
            v1::ErrorBars::Dispersion
        )
    );
    assert_eq!((plain.points.len(), other.points.len()), (4, 4));
    assert_eq!(plain.stored_games, 16);
    let mut sequence = 0;
    for (games, (point, other)) in [4, 8, 12, 16]
        .into_iter()
        .zip(plain.points.iter().zip(&other.points))
    {
        let by_then = &reported[..games];
        assert_eq!(
            (point.pool_games, point.games),
            (games as u64, games as u64)
        );
        assert_eq!(point.quarters, quarters(by_then, "engine 0"));
        // The mean of two is 0, so that each is half their difference away.
        assert_close(point.elo, elo_of_two(by_then, "engine 0", 1.0) / 2.0);
        assert_close(other.elo, 1500.0 + elo_of_two(by_then, "engine 0", 5.0));
        let interval = point.interval.unwrap();
        assert_close(point.interval_low.unwrap(), point.elo - interval);
        assert_close(point.interval_high.unwrap(), point.elo + interval);
        assert!(point.sequence > sequence && point.stored_unix_ms > 0);
        sequence = point.sequence;
        // The interval is that of the list of then.
        let list = v1::GetRatingsRequest {
            as_of: as_of(Point::Games(games as u64)),
            ..Default::default()
        };
        let list = get(&running, list).await.unwrap();
        assert_close(interval, list.ratings[0].interval.unwrap());
    }
    assert_eq!(plain.sequence, sequence);
    // 0.67449 and 1.95996 standard errors.
    let narrow = v1::RatingHistoryRequest {
        confidence: 0.5,
        ..of("engine 0", 4)
    };
    let narrow = history(&running, narrow).await.unwrap();
    let [narrow, wide] = [narrow, plain].map(|history| history.points[3].interval.unwrap());
    assert_close(narrow / wide, 0.674_489_750 / 1.959_963_985);

    // Up to then.
    let then = v1::RatingHistoryRequest {
        as_of: as_of(Point::Games(6)),
        ..of("engine 0", 3)
    };
    let then = history(&running, then).await.unwrap();
    let games: Vec<u64> = then.points.iter().map(|point| point.pool_games).collect();
    assert_eq!((games, then.stored_games), (vec![2, 4, 6], 6));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn players_left_out_and_those_who_come_later_are_told() {
    let (running, _folder) = Running::fresh().await;
    running.create(varied(FormatKind::RoundRobin, 3, 2)).await;
    let mut reported = play_all(&running).await;
    let without = v1::RatingHistoryRequest {
        options: Some(v1::RatingOptions {
            exclude: vec!["engine 2".into()],
            ..Default::default()
        }),
        ..of("engine 0", 2)
    };
    let without = history(&running, without).await.unwrap();
    reported.retain(|game| game.first != "engine 2" && game.second != "engine 2");
    assert_eq!((reported.len(), without.stored_games), (4, 12));
    for (point, games) in without.points.iter().zip([2, 4]) {
        assert_eq!((point.pool_games, point.games), (games, games));
        let by_then = &reported[..games as usize];
        assert_close(point.elo, elo_of_two(by_then, "engine 0", 1.0) / 2.0);
    }

    // A newcomer plays the last four of sixteen games.
    let second = v1::TournamentSpec {
        engines: engines(4).split_off(2),
        seed: 3,
        ..varied(FormatKind::HeadToHead, 2, 2)
    };
    running.create(second).await;
    play_all(&running).await;
    let newcomer = history(&running, of("engine 3", 8)).await.unwrap();
    let games = |history: &v1::RatingHistoryResponse| -> Vec<(u64, u64)> {
        let points = history.points.iter();
        points
            .map(|point| (point.pool_games, point.games))
            .collect()
    };
    assert_eq!(games(&newcomer), [(14, 2), (16, 4)]);
    let anchored = v1::RatingHistoryRequest {
        anchor: "engine 3".into(),
        ..of("engine 0", 8)
    };
    let anchored = history(&running, anchored).await.unwrap();
    assert_eq!(games(&anchored), [(14, 8), (16, 8)]);
    let told = |history: &v1::RatingHistoryResponse, text: &str| {
        assert!(
            history.notes.iter().any(|note| note.contains(text)),
            "{:?}",
            history.notes
        );
    };
    told(
        &anchored,
        "6 points before all anchors had played, and games joined one of them to the player,",
    );
    // A link holds from when both have played; the last point is that of the list.
    let options = Some(v1::RatingOptions {
        links: vec![v1::RatingLink {
            newer: "engine 3".into(),
            older: "engine 0".into(),
            elo: 200.0,
            deviation_elo: Some(1.0),
        }],
        ..Default::default()
    });
    let linked = v1::RatingHistoryRequest {
        options: options.clone(),
        ..of("engine 0", 8)
    };
    let linked = history(&running, linked).await.unwrap();
    let plain = history(&running, of("engine 0", 8)).await.unwrap();
    assert_eq!(games(&linked), games(&plain));
    for (linked, plain) in linked.points.iter().zip(&plain.points) {
        let is_alike = (linked.elo - plain.elo).abs() < 1e-6;
        assert_eq!(is_alike, plain.pool_games <= 12, "{plain:?}");
    }
    let list = v1::GetRatingsRequest {
        options,
        ..Default::default()
    };
    let list = get(&running, list).await.unwrap();
    let listed = list.ratings.iter().find(|rating| rating.name == "engine 0");
    assert_close(linked.points.last().unwrap().elo, listed.unwrap().elo);

    // Who has not played yet has no points.
    let early = v1::RatingHistoryRequest {
        as_of: as_of(Point::Games(12)),
        ..of("engine 3", 8)
    };
    let early = history(&running, early).await.unwrap();
    assert_eq!(early.points, []);
    told(&early, "`engine 3` has no rating");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_history_is_computed_once_until_its_scope_changes() {
    let (running, _folder) = Running::fresh().await;
    let one = running
        .create(varied(FormatKind::HeadToHead, 2, 2))
        .await
        .id;
    play_all(&running).await;
    let computed = || running.coordinator.histories_computed();
    let ask = |confidence| v1::RatingHistoryRequest {
        scope: set([one]),
        confidence,
        ..of("engine 0", 0)
    };
    let first = history(&running, ask(0.0)).await.unwrap();
    assert_eq!((first.points.len(), computed()), (4, 1));
    let same = v1::RatingHistoryRequest {
        as_of: as_of(Point::Games(4)),
        ..ask(0.95)
    };
    assert_eq!(history(&running, same).await.unwrap(), first);
    assert_eq!(computed(), 1);
    for other in [ask(0.9), of("engine 1", 0), of("engine 0", 3)] {
        let other = v1::RatingHistoryRequest {
            scope: set([one]),
            ..other
        };
        assert_ne!(history(&running, other).await.unwrap(), first);
    }
    assert_eq!(computed(), 4);
    // A result of its own changes it.
    let void = v1::VoidGameRequest {
        id: one,
        game: 0,
        reason: "test".into(),
    };
    running.tournaments().await.void_game(void).await.unwrap();
    let after = history(&running, ask(0.0)).await.unwrap();
    assert_eq!((after.points.len(), computed()), (3, 5));
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn drawn_error_bars_are_bounded_and_wrong_questions_refused() {
    let (running, _folder) = Running::fresh().await;
    running.create(varied(FormatKind::RoundRobin, 3, 2)).await;
    let reported = play_all(&running).await;
    let met_first = [&reported[0].first, &reported[0].second];
    let players = ["engine 0", "engine 1", "engine 2"];
    let absent = players
        .into_iter()
        .find(|player| met_first.iter().all(|name| name != player));
    let absent = absent.unwrap();
    let with = |options| v1::RatingHistoryRequest {
        options: Some(options),
        ..of("engine 0", 2)
    };
    let drawn = |refits| v1::RatingOptions {
        error_bars: v1::ErrorBars::Simulation.into(),
        refits,
        ..Default::default()
    };
    let simulated = history(&running, with(drawn(50))).await.unwrap();
    assert_eq!(simulated.error_bars(), v1::ErrorBars::Simulation);
    for point in &simulated.points {
        assert!(point.interval.unwrap() > 0.0);
        let (low, high) = (point.interval_low.unwrap(), point.interval_high.unwrap());
        assert!(low < high, "{low} {high}");
    }
    let anchor = v1::Anchor {
        player: "nobody".into(),
        elo: 0.0,
    };
    let options = v1::RatingOptions::default;
    let exclude = |players: &[&str]| players.iter().map(|player| (*player).to_owned()).collect();
    for (request, code, word) in [
        (
            of("engine 0", 1),
            Code::InvalidArgument,
            "points: must be 2 to 100",
        ),
        (
            of("engine 0", 101),
            Code::InvalidArgument,
            "points: must be 2 to 100",
        ),
        (of("nobody", 2), Code::NotFound, "nobody"),
        (
            v1::RatingHistoryRequest {
                points: 41,
                ..with(drawn(100))
            },
            Code::InvalidArgument,
            "41 points of 100 fits each are 4100 fits, the limit is 4000",
        ),
        (with(drawn(19)), Code::InvalidArgument, "give 20 to 1000"),
        (
            with(v1::RatingOptions {
                exclude: exclude(&["engine 0"]),
                ..options()
            }),
            Code::InvalidArgument,
            "player: `engine 0` is left out",
        ),
        (
            with(v1::RatingOptions {
                anchors: vec![anchor],
                ..options()
            }),
            Code::NotFound,
            "nobody",
        ),
        (
            v1::RatingHistoryRequest {
                confidence: 1.0,
                ..of("engine 0", 2)
            },
            Code::InvalidArgument,
            "confidence",
        ),
        (
            v1::RatingHistoryRequest {
                as_of: as_of(Point::Games(0)),
                ..of("engine 0", 2)
            },
            Code::InvalidArgument,
            "as_of.games",
        ),
        (
            v1::RatingHistoryRequest {
                anchor: absent.into(),
                as_of: as_of(Point::Games(1)),
                ..of(&reported[0].first, 2)
            },
            Code::InvalidArgument,
            "has no games that count",
        ),
    ] {
        let status = history(&running, request).await.unwrap_err();
        assert!(
            status.code() == code && status.message().contains(word),
            "{status}"
        );
    }
    running.stop().await;
}

/// An anchor fixes the scale of those whom games join to it, and of nobody else.
#[tokio::test(flavor = "multi_thread")]
async fn points_begin_where_games_join_the_anchor() {
    let (running, _folder) = Running::fresh().await;
    for (seed, from, to) in [(3, 0, 2), (5, 2, 4), (7, 1, 3)] {
        let met = v1::TournamentSpec {
            engines: engines(to).split_off(from),
            seed,
            ..varied(FormatKind::HeadToHead, 2, 2)
        };
        running.create(met).await;
        play_all(&running).await;
    }
    let anchored = v1::RatingHistoryRequest {
        anchor: "engine 3".into(),
        anchor_elo: 1500.0,
        ..of("engine 0", 12)
    };
    let anchored = history(&running, anchored).await.unwrap();
    let games: Vec<u64> = anchored
        .points
        .iter()
        .map(|point| point.pool_games)
        .collect();
    assert_eq!(games, [9, 10, 11, 12]);
    assert!(anchored.points.iter().all(|point| point.elo > 500.0));
    assert!(
        anchored
            .notes
            .iter()
            .any(|note| note.contains("8 points before"))
    );
    running.stop().await;
}
