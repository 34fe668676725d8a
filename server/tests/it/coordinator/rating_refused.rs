//! Questions about ratings that cannot be answered.

use proto::v1::{self, FormatKind, as_of::Point};
use tonic::Code;

use super::{
    harness::{Running, nodes, spec},
    rating_past::{as_of, get, play_all, set},
};

#[tokio::test(flavor = "multi_thread")]
async fn wrong_questions_are_refused_by_name() {
    let (running, _folder) = Running::fresh().await;
    running.create(spec(FormatKind::HeadToHead, 2, 1)).await;
    running
        .create(v1::TournamentSpec {
            limit: nodes(50),
            ..spec(FormatKind::HeadToHead, 2, 1)
        })
        .await;
    play_all(&running).await;
    let one = || v1::GetRatingsRequest {
        scope: set([1]),
        ..Default::default()
    };
    let with = |options| v1::GetRatingsRequest {
        options: Some(options),
        ..one()
    };
    let options = v1::RatingOptions::default;
    let anchor = |player: &str, elo| v1::Anchor {
        player: player.into(),
        elo,
    };
    let invalid = Code::InvalidArgument;
    let cases: Vec<(v1::GetRatingsRequest, Code, &[&str])> = vec![
        (
            v1::GetRatingsRequest {
                scope: set([1, 2]),
                ..one()
            },
            invalid,
            &["nodes=100", "nodes=50", "tournament 2"],
        ),
        (
            v1::GetRatingsRequest {
                scope: set([]),
                ..one()
            },
            invalid,
            &["tournament_ids", "at least one"],
        ),
        (
            v1::GetRatingsRequest {
                scope: set([1, 77]),
                ..one()
            },
            Code::NotFound,
            &["tournament 77"],
        ),
        (
            v1::GetRatingsRequest {
                scope: set(1..2_000),
                ..one()
            },
            invalid,
            &["1000"],
        ),
        (
            v1::GetRatingsRequest {
                as_of: as_of(Point::Games(0)),
                ..one()
            },
            invalid,
            &["as_of.games"],
        ),
        (
            v1::GetRatingsRequest {
                as_of: as_of(Point::UnixMs(0)),
                ..one()
            },
            invalid,
            &["as_of.unix_ms"],
        ),
        (
            v1::GetRatingsRequest {
                as_of: Some(v1::AsOf::default()),
                ..one()
            },
            invalid,
            &["as_of"],
        ),
        (
            v1::GetRatingsRequest {
                confidence: 1.0,
                ..one()
            },
            invalid,
            &["confidence"],
        ),
        (
            v1::GetRatingsRequest {
                confidence: f64::NAN,
                ..one()
            },
            invalid,
            &["confidence"],
        ),
        (
            v1::GetRatingsRequest {
                anchor_elo: f64::INFINITY,
                ..one()
            },
            invalid,
            &["average_elo"],
        ),
        (
            with(v1::RatingOptions {
                model: 9,
                ..options()
            }),
            invalid,
            &["options.model", "9", "RATING_MODEL_SCORE"],
        ),
        (
            with(v1::RatingOptions {
                error_bars: -1,
                ..options()
            }),
            invalid,
            &["options.error_bars", "-1"],
        ),
        (
            with(v1::RatingOptions {
                refits: 300,
                ..options()
            }),
            invalid,
            &["options.refits", "bootstrap"],
        ),
        (
            with(v1::RatingOptions {
                refit_seed: Some(3),
                ..options()
            }),
            invalid,
            &["options.refit_seed", "bootstrap"],
        ),
        (
            with(v1::RatingOptions {
                error_bars: 6,
                refits: 1001,
                ..options()
            }),
            invalid,
            &["options.refits", "1001", "1000"],
        ),
        (
            with(v1::RatingOptions {
                error_bars: 7,
                refits: 3,
                ..options()
            }),
            invalid,
            &["refits", "20"],
        ),
        (
            with(v1::RatingOptions {
                model: 2,
                error_bars: 2,
                ..options()
            }),
            invalid,
            &["ERROR_BARS_SANDWICH"],
        ),
        (
            with(v1::RatingOptions {
                prior_draws: Some(-1.0),
                ..options()
            }),
            invalid,
            &["prior_draws"],
        ),
        (
            with(v1::RatingOptions {
                first_move_elo: Some(f64::NAN),
                ..options()
            }),
            invalid,
            &["first_move"],
        ),
        (
            with(v1::RatingOptions {
                anchors: vec![anchor("nobody", 0.0)],
                ..options()
            }),
            Code::NotFound,
            &["nobody", "engine 0"],
        ),
        (
            with(v1::RatingOptions {
                anchors: vec![anchor("", 0.0)],
                ..options()
            }),
            invalid,
            &["options.anchors", "empty"],
        ),
        (
            with(v1::RatingOptions {
                anchors: vec![anchor("engine 0", f64::NAN)],
                ..options()
            }),
            invalid,
            &["anchors"],
        ),
        (
            with(v1::RatingOptions {
                anchors: vec![anchor("engine 0", 0.0); 2],
                ..options()
            }),
            invalid,
            &["engine 0", "twice"],
        ),
        (
            v1::GetRatingsRequest {
                anchor: "engine 0".into(),
                ..with(v1::RatingOptions {
                    anchors: vec![anchor("engine 0", 0.0)],
                    ..options()
                })
            },
            invalid,
            &["engine 0", "twice"],
        ),
        (
            with(v1::RatingOptions {
                exclude: vec!["engine 0".into(); 2],
                ..options()
            }),
            invalid,
            &["options.exclude", "twice"],
        ),
        (
            with(v1::RatingOptions {
                exclude: vec!["engine 0".into()],
                anchors: vec![anchor("engine 0", 0.0)],
                ..options()
            }),
            invalid,
            &["left out"],
        ),
        (
            with(v1::RatingOptions {
                exclude: vec!["x".repeat(100_000)],
                ..options()
            }),
            Code::NotFound,
            &["xxx"],
        ),
    ];
    for (request, code, words) in cases {
        let status = get(&running, request).await.unwrap_err();
        assert_eq!(status.code(), code, "{status}");
        for word in words {
            assert!(
                status.message().contains(word),
                "`{word}`: {}",
                status.message()
            );
        }
    }
    // Nobody left is an empty list.
    let nobody = with(v1::RatingOptions {
        exclude: vec!["engine 0".into(), "engine 1".into()],
        ..options()
    });
    let list = get(&running, nobody).await.unwrap();
    assert_eq!(
        (list.games, list.stored_games, list.ratings.len()),
        (0, 2, 0)
    );

    let past = v1::GetRatingsRequest {
        as_of: as_of(Point::Games(1)),
        ..one()
    };
    let watch = v1::WatchRatingsRequest {
        ratings: Some(past),
    };
    let status = running.ratings().await.watch(watch).await.unwrap_err();
    assert_eq!(status.code(), invalid);
    running.stop().await;
}
