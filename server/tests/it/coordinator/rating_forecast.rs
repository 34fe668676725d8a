//! Answers about two players: the sequential test of a tournament, a forecast.

use proto::v1::{self, FormatKind};
use tonic::Code;

use super::{
    harness::{Running, varied},
    rating_past::play_all,
    rating_tables::two_groups,
};

#[tokio::test(flavor = "multi_thread")]
async fn a_sequential_test_is_told_with_both_estimates() {
    let (running, _folder) = Running::fresh().await;
    let sprt = v1::Sprt {
        elo0: 0.0,
        elo1: 10.0,
        ..Default::default()
    };
    let tested = v1::TournamentSpec {
        sprt: Some(sprt),
        ..varied(FormatKind::HeadToHead, 2, 20)
    };
    let id = running.create(tested).await.id;
    let ask = async |request| {
        running
            .ratings()
            .await
            .sprt(request)
            .await
            .map(tonic::Response::into_inner)
    };
    let asked = |tournament_id| v1::SprtRequest {
        tournament_id,
        ..Default::default()
    };
    let before = ask(asked(id)).await.unwrap();
    assert_eq!(
        (before.pairs, before.llr, before.elo, before.los),
        (0, 0.0, None, None)
    );
    // Wald: ln(0.05 / 0.95) and ln(0.95 / 0.05).
    assert!(
        (before.lower + 2.944_438_979).abs() < 1e-8 && (before.upper - 2.944_438_979).abs() < 1e-8
    );

    let reported = play_all(&running).await;
    let after = ask(asked(id)).await.unwrap();
    assert_eq!(
        (after.base.as_str(), after.candidate.as_str()),
        ("engine 0", "engine 1")
    );
    assert_eq!(
        (
            after.elo0,
            after.elo1,
            after.alpha,
            after.beta,
            after.logistic
        ),
        (0.0, 10.0, 0.05, 0.05, false)
    );
    assert_eq!((after.pairs, after.state()), (20, v1::SprtState::Continue));
    assert_eq!(after.llr, running.standings(id).await.sprt.unwrap().llr);
    let counted = after.counted.unwrap();
    let points: u64 = reported
        .iter()
        .map(|game| {
            if game.first == "engine 1" {
                game.quarters
            } else {
                4 - game.quarters
            }
        })
        .sum();
    assert_eq!((counted.games, counted.quarters), (40, points));
    // No cell is empty where it matters: the plain estimate is the logistic Elo of the score but for 0.001 a cell.
    let share = points as f64 / 160.0;
    assert!((counted.elo.unwrap() - 400.0 * (share / (1.0 - share)).log10()).abs() < 0.2);
    assert!(
        counted.elo_low.unwrap() < counted.elo.unwrap()
            && counted.elo.unwrap() < counted.elo_high.unwrap()
    );
    // Far from both bounds the choice of when to stop has changed little.
    let (elo, plain) = (after.elo.unwrap(), counted.elo.unwrap());
    let half = counted.elo_high.unwrap() - plain;
    assert!((elo - plain).abs() < half, "{elo} {plain}");
    assert!(after.elo_low.unwrap() < elo && elo < after.elo_high.unwrap());
    assert_eq!(after.los.unwrap() > 0.5, elo > 0.0);
    let narrow = v1::SprtRequest {
        confidence: 0.5,
        ..asked(id)
    };
    assert!(ask(narrow).await.unwrap().elo_high.unwrap() < after.elo_high.unwrap());

    let plain = running
        .create(varied(FormatKind::HeadToHead, 2, 1))
        .await
        .id;
    for (request, code) in [
        (asked(plain), Code::FailedPrecondition),
        (asked(99), Code::NotFound),
        (
            v1::SprtRequest {
                confidence: -0.1,
                ..asked(id)
            },
            Code::InvalidArgument,
        ),
    ] {
        assert_eq!(ask(request).await.unwrap_err().code(), code);
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forecast_fits_the_ratings() {
    let (running, _folder) = Running::fresh().await;
    two_groups(&running).await;
    let ask = async |player: &str, opponent: &str, model: v1::RatingModel| {
        let options = v1::RatingOptions {
            model: model.into(),
            ..Default::default()
        };
        let ratings = Some(v1::GetRatingsRequest {
            options: Some(options),
            ..Default::default()
        });
        let request = v1::ForecastRequest {
            ratings,
            player: player.into(),
            opponent: opponent.into(),
        };
        running
            .ratings()
            .await
            .forecast(request)
            .await
            .map(tonic::Response::into_inner)
    };
    let list = running
        .ratings()
        .await
        .get(v1::GetRatingsRequest::default())
        .await
        .unwrap()
        .into_inner();
    let elo = |name: &str| list.ratings.iter().find(|r| r.name == name).unwrap().elo;
    for model in [
        v1::RatingModel::Score,
        v1::RatingModel::OrderedLogit,
        v1::RatingModel::AdjacentCategories,
    ] {
        let forecast = ask("engine 0", "engine 1", model).await.unwrap();
        let back = ask("engine 1", "engine 0", model).await.unwrap();
        // Three players meet in four pairs each.
        assert_eq!(
            (
                forecast.games_between,
                forecast.player_games,
                forecast.opponent_games,
                forecast.games
            ),
            (8, 16, 16, 32)
        );
        let (first, second) = (
            forecast.moving_first.unwrap(),
            forecast.moving_second.unwrap(),
        );
        for side in [&first, &second] {
            let [low, high] = [&side.shares_low, &side.shares_high];
            let (points_low, points_high) = (side.points_low.unwrap(), side.points_high.unwrap());
            assert!(points_low < side.points && side.points < points_high);
            assert!(low[4] < side.shares[4] && side.shares[4] < high[4]);
            assert!(low[0] > side.shares[0] && side.shares[0] > high[0]);
            for (shares, expected) in [(low, points_low), (high, points_high)] {
                let weighted = shares.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]);
                let points: f64 = weighted.map(|(p, s)| p * s).sum();
                assert!((points - expected).abs() < 1e-9);
                assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            }
        }
        for side in [&first, &second] {
            assert!((side.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let points: f64 = side
                .shares
                .iter()
                .zip([0.0, 0.25, 0.5, 0.75, 1.0])
                .map(|(p, s)| p * s)
                .sum();
            assert!((points - side.points).abs() < 1e-9);
            assert!(side.shares.iter().all(|share| (0.0..=1.0).contains(share)));
        }
        // The same game seen by the other player.
        let mirrored: Vec<f64> = back
            .moving_second
            .unwrap()
            .shares
            .into_iter()
            .rev()
            .collect();
        assert!(
            mirrored
                .iter()
                .zip(&first.shares)
                .all(|(a, b)| (a - b).abs() < 1e-9)
        );
        assert!((forecast.los.unwrap() + back.los.unwrap() - 1.0).abs() < 1e-9);
        if model == v1::RatingModel::Score {
            let difference = elo("engine 0") - elo("engine 1");
            assert!((forecast.difference - difference).abs() < 1e-9);
            for (side, elo) in [
                (&first, difference + list.first_move_elo.unwrap()),
                (&second, difference - list.first_move_elo.unwrap()),
            ] {
                let points = |elo: f64| 1.0 / (1.0 + 10f64.powf(-elo / 400.0));
                assert!((side.points - points(elo)).abs() < 1e-9);
                let interval = forecast.interval.unwrap();
                assert!((side.points_low.unwrap() - points(elo - interval)).abs() < 1e-9);
                assert!((side.points_high.unwrap() - points(elo + interval)).abs() < 1e-9);
            }
        }
    }
    // Without intervals of ratings there are none of what follows from them.
    let options = v1::RatingOptions {
        error_bars: v1::ErrorBars::None.into(),
        ..Default::default()
    };
    let request = v1::ForecastRequest {
        ratings: Some(v1::GetRatingsRequest {
            options: Some(options),
            ..Default::default()
        }),
        player: "engine 0".into(),
        opponent: "engine 1".into(),
    };
    let mut client = running.ratings().await;
    let bare = client.forecast(request).await.unwrap().into_inner();
    let side = bare.moving_first.unwrap();
    assert_eq!(
        (bare.interval, side.points_low, side.points_high),
        (None, None, None)
    );
    assert!(side.shares_low.is_empty() && side.shares_high.is_empty() && side.shares.len() == 5);
    for (player, opponent, code) in [
        ("engine 0", "engine 3", Code::FailedPrecondition),
        ("engine 0", "engine 0", Code::InvalidArgument),
        ("engine 0", "nobody", Code::NotFound),
        ("", "engine 0", Code::InvalidArgument),
    ] {
        let status = ask(player, opponent, v1::RatingModel::Score)
            .await
            .unwrap_err();
        assert_eq!(status.code(), code, "{status}");
    }
    running.stop().await;
}
