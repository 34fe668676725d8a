//! How ratings are computed, and how often: options, players left out, the cache. Expected numbers are worked out from the
//! reported results.

use proto::v1::{self, FormatKind, as_of::Point, rating_scope::Kind};

use super::{
    harness::{Running, varied},
    rating_past::{as_of, assert_close, difference, elo_of_two, get, play_all, set},
    rating_tables::two_groups,
    worker::Worker,
};

#[tokio::test(flavor = "multi_thread")]
async fn options_change_what_they_say() {
    let (running, _folder) = Running::fresh().await;
    running.create(varied(FormatKind::HeadToHead, 2, 6)).await;
    let reported = play_all(&running).await;
    let ask = async |options: v1::RatingOptions| {
        let request = v1::GetRatingsRequest {
            options: Some(options),
            ..Default::default()
        };
        get(&running, request).await
    };
    let strong = v1::RatingOptions {
        prior_draws: Some(5.0),
        ..Default::default()
    };
    assert_close(
        difference(&ask(strong).await.unwrap(), "engine 0", "engine 1"),
        elo_of_two(&reported, "engine 0", 5.0),
    );
    let fixed = v1::RatingOptions {
        first_move_elo: Some(35.0),
        ..Default::default()
    };
    let list = ask(fixed).await.unwrap();
    assert_eq!(
        (list.first_move_elo, list.first_move_interval),
        (Some(35.0), None)
    );
    // Twelve games with an even share of first moves: the plain score with two virtual draws decides when it is 0.
    let level = v1::RatingOptions {
        first_move_elo: Some(0.0),
        ..Default::default()
    };
    let points: u64 = reported
        .iter()
        .map(|result| {
            if result.first == "engine 0" {
                result.quarters
            } else {
                4 - result.quarters
            }
        })
        .sum();
    let share = (points as f64 / 4.0 + 1.0) / 14.0;
    assert_close(
        difference(&ask(level).await.unwrap(), "engine 0", "engine 1"),
        400.0 * (share / (1.0 - share)).log10(),
    );
    let anchors = v1::RatingOptions {
        anchors: vec![
            v1::Anchor {
                player: "engine 0".into(),
                elo: 1800.0,
            },
            v1::Anchor {
                player: "engine 1".into(),
                elo: 1700.0,
            },
        ],
        ..Default::default()
    };
    let list = ask(anchors).await.unwrap();
    let given: Vec<_> = list
        .ratings
        .iter()
        .map(|rating| (rating.name.as_str(), rating.elo))
        .collect();
    assert_eq!(given, [("engine 0", 1800.0), ("engine 1", 1700.0)]);

    let mut seen = Vec::new();
    for kind in 1..=5 {
        let list = ask(v1::RatingOptions {
            error_bars: kind,
            ..Default::default()
        })
        .await
        .unwrap();
        assert_eq!(
            (list.error_bars, list.model()),
            (kind, v1::RatingModel::Score)
        );
        seen.push(list.ratings[0].interval.map(f64::to_bits));
    }
    assert_eq!(seen[4], None);
    seen.dedup();
    assert_eq!(seen.len(), 5, "{seen:?}");
    for model in [
        v1::RatingModel::OrderedLogit,
        v1::RatingModel::AdjacentCategories,
    ] {
        let list = ask(v1::RatingOptions {
            model: model.into(),
            ..Default::default()
        })
        .await
        .unwrap();
        assert_eq!(
            (list.model(), list.error_bars()),
            (model, v1::ErrorBars::Binomial)
        );
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fits_to_results_drawn_anew_follow_their_seed_and_stay_near_the_closed_form() {
    let (running, _folder) = Running::fresh().await;
    running.create(varied(FormatKind::RoundRobin, 3, 6)).await;
    play_all(&running).await;
    let ask = async |kind: v1::ErrorBars, refits: u32, refit_seed: Option<u64>| {
        let options = v1::RatingOptions {
            error_bars: kind.into(),
            refits,
            refit_seed,
            ..Default::default()
        };
        let request = v1::GetRatingsRequest {
            options: Some(options),
            ..Default::default()
        };
        get(&running, request).await.unwrap()
    };
    let closed = ask(v1::ErrorBars::Dispersion, 0, None).await.ratings[0]
        .interval
        .unwrap();
    for kind in [v1::ErrorBars::Bootstrap, v1::ErrorBars::Simulation] {
        let once = ask(kind, 300, Some(5)).await;
        assert_eq!(once.error_bars(), kind);
        assert_eq!(ask(kind, 300, Some(5)).await.ratings, once.ratings);
        assert_ne!(ask(kind, 300, Some(6)).await.ratings, once.ratings);
        // Ratings are the same, only their intervals are drawn; with few games those differ, but not by much.
        let drawn = once.ratings[0].interval.unwrap();
        assert!(
            (0.4..2.5).contains(&(drawn / closed)),
            "{kind:?}: {drawn} and {closed}"
        );
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_joins_two_that_never_met_and_pulls_those_who_did() {
    let (running, _folder) = Running::fresh().await;
    two_groups(&running).await;
    let ids: Vec<u64> = vec![1, 2];
    let ask = async |links: Vec<v1::RatingLink>| {
        let request = v1::GetRatingsRequest {
            scope: set(ids.clone()),
            options: Some(v1::RatingOptions {
                links,
                ..Default::default()
            }),
            ..Default::default()
        };
        get(&running, request).await.unwrap()
    };
    let apart = ask(vec![]).await;
    let components = |list: &v1::RatingList| {
        let all: std::collections::BTreeSet<u32> =
            list.ratings.iter().map(|rating| rating.component).collect();
        all.len()
    };
    assert_eq!(components(&apart), 2);
    // One of each group.
    let one_of = |component: u32| {
        let found = apart
            .ratings
            .iter()
            .find(|rating| rating.component == component);
        found.unwrap().name.clone()
    };
    let (newer, older) = (one_of(0), one_of(1));
    let link = v1::RatingLink {
        newer: newer.clone(),
        older: older.clone(),
        elo: 70.0,
        deviation_elo: Some(20.0),
    };
    let joined = ask(vec![link.clone()]).await;
    assert_eq!(components(&joined), 1);
    // Nothing else is known of the two groups: the difference is the one expected.
    assert_close(difference(&joined, &newer, &older), 70.0);
    let error = async |links| {
        let request = v1::GetRatingsRequest {
            scope: set(ids.clone()),
            options: Some(v1::RatingOptions {
                links,
                ..Default::default()
            }),
            ..Default::default()
        };
        get(&running, request)
            .await
            .unwrap_err()
            .message()
            .to_owned()
    };
    let unknown = v1::RatingLink {
        newer: "nobody".into(),
        ..link.clone()
    };
    assert!(error(vec![unknown]).await.contains("nobody"));
    let narrow = v1::RatingLink {
        deviation_elo: Some(0.0),
        ..link
    };
    let problem = error(vec![narrow]).await;
    assert!(problem.contains("link"), "{problem}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn players_left_out_take_their_games_with_them() {
    let (running, _folder) = Running::fresh().await;
    running.create(varied(FormatKind::RoundRobin, 3, 3)).await;
    let mut reported = play_all(&running).await;
    let options = v1::RatingOptions {
        exclude: vec!["engine 2".into()],
        ..Default::default()
    };
    let request = v1::GetRatingsRequest {
        options: Some(options),
        ..Default::default()
    };
    let list = get(&running, request).await.unwrap();
    assert_eq!(
        (list.games, list.stored_games, list.ratings.len()),
        (6, 18, 2)
    );
    reported.retain(|result| result.first != "engine 2" && result.second != "engine 2");
    assert_close(
        difference(&list, "engine 0", "engine 1"),
        elo_of_two(&reported, "engine 0", 1.0),
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_asked_for_again_and_again_is_the_one_of_a_first_question() {
    let (running, _folder) = Running::fresh().await;
    let id = running
        .create(varied(FormatKind::RoundRobin, 4, 4))
        .await
        .id;
    let request = |confidence| v1::GetRatingsRequest {
        scope: set([id]),
        confidence,
        ..Default::default()
    };
    let mut worker = Worker::join(&running, "one").await;
    // A first question at a level that nobody asked for before begins from nothing; the other one goes on.
    for (asked, void) in [false, false, true, false, true, false]
        .into_iter()
        .enumerate()
    {
        let batch = worker.batch().await;
        // A pair that is whole, one that is half; the rest comes with a later batch or never.
        worker.play(&batch, 0..batch.games.len().min(3)).await;
        if void {
            let reason = "test".into();
            let game = batch.games[1].game;
            let void = v1::VoidGameRequest { id, game, reason };
            running.tournaments().await.void_game(void).await.unwrap();
        }
        let on = get(&running, request(0.0)).await.unwrap();
        let anew = get(&running, request(0.5 + asked as f64 / 100.0))
            .await
            .unwrap();
        assert_eq!(on.games, anew.games);
        for (on, anew) in on.ratings.iter().zip(&anew.ratings) {
            assert_eq!(
                (&on.name, on.games, on.rank),
                (&anew.name, anew.games, anew.rank)
            );
            assert_close(on.elo, anew.elo);
        }
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_question_is_computed_once_until_its_scope_changes() {
    let (running, _folder) = Running::fresh().await;
    let one = running
        .create(varied(FormatKind::HeadToHead, 2, 2))
        .await
        .id;
    play_all(&running).await;
    let computed = || running.coordinator.ratings_computed();
    let request = |confidence| v1::GetRatingsRequest {
        scope: set([one]),
        confidence,
        ..Default::default()
    };
    let first = get(&running, request(0.0)).await.unwrap();
    assert_eq!(computed(), 1);
    // The same in other words: the default written out, the tournament by itself, more games than there are.
    let same = [
        request(0.95),
        v1::GetRatingsRequest {
            scope: Some(v1::RatingScope {
                kind: Some(Kind::TournamentId(one)),
            }),
            as_of: as_of(Point::Games(99)),
            options: Some(v1::RatingOptions {
                model: 1,
                error_bars: 1,
                ..Default::default()
            }),
            ..Default::default()
        },
    ];
    for same in same {
        assert_eq!(get(&running, same).await.unwrap(), first);
    }
    assert_eq!(computed(), 1);
    get(&running, request(0.9)).await.unwrap();
    assert_eq!(computed(), 2);

    // Results elsewhere do not matter, not even in the same pool.
    running
        .create(v1::TournamentSpec {
            seed: 2,
            ..varied(FormatKind::HeadToHead, 2, 2)
        })
        .await;
    play_all(&running).await;
    assert_eq!(get(&running, request(0.0)).await.unwrap(), first);
    assert_eq!(computed(), 2);
    // A result of its own does.
    let void = v1::VoidGameRequest {
        id: one,
        game: 0,
        reason: "test".into(),
    };
    running.tournaments().await.void_game(void).await.unwrap();
    assert_eq!(get(&running, request(0.0)).await.unwrap().games, 3);
    assert_eq!(computed(), 3);
    // That search began at the last ratings; one from the beginning finds the same.
    let warm = get(&running, request(0.0)).await.unwrap();
    let cold = get(&running, request(0.77)).await.unwrap();
    assert_eq!(computed(), 4);
    for (warm, cold) in warm.ratings.iter().zip(&cold.ratings) {
        assert_eq!(warm.name, cold.name);
        assert_close(warm.elo, cold.elo);
    }
    // Many at once are computed once.
    let pool = v1::GetRatingsRequest::default();
    let mut all = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (mut client, pool) = (running.ratings().await, pool.clone());
        all.spawn(async move { client.get(pool).await.unwrap().into_inner().games });
    }
    assert_eq!(all.join_all().await, [7; 8]);
    assert_eq!(computed(), 5);
    running.stop().await;
}
