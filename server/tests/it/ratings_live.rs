//! Ratings of a pool that grows game by game are those of the whole pool.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use server::ratings::{
    AggregateError, Aggregates, FirstMoveStatus, Link, LiveRatings, Model, Outcome, RatingError,
    RatingOptions, RatingReport, rate,
};

use crate::ratings_worlds::{Kind, World};

/// The same lists: ratings to 1e-9 Elo, error bars to 1e-6.
fn assert_same(live: &RatingReport, cold: &RatingReport) {
    assert!(live.converged && cold.converged, "{live:?} {cold:?}");
    assert_eq!(live.order, cold.order);
    assert_eq!(
        (live.games, live.components, live.met),
        (cold.games, cold.components, cold.met)
    );
    assert_eq!(live.first_move.status, cold.first_move.status);
    assert!((live.first_move.elo - cold.first_move.elo).abs() < 1e-9);
    assert!((live.objective - cold.objective).abs() < 1e-9 * (1.0 + cold.objective.abs()));
    for (mine, theirs) in live.players.iter().zip(&cold.players) {
        assert_eq!(
            (mine.player, mine.games, mine.points),
            (theirs.player, theirs.games, theirs.points)
        );
        assert_eq!(
            (mine.component, mine.strong_component),
            (theirs.component, theirs.strong_component)
        );
        assert_eq!((mine.perfect, mine.rank), (theirs.perfect, theirs.rank));
        let close = |a: Option<f64>, b: Option<f64>, by: f64| match (a, b) {
            (Some(a), Some(b)) => assert!((a - b).abs() < by, "{a} {b}"),
            (a, b) => assert_eq!(a, b),
        };
        close(mine.rating_elo, theirs.rating_elo, 1e-9);
        close(mine.expected_points, theirs.expected_points, 1e-9);
        close(mine.error_elo, theirs.error_elo, 1e-6);
        close(mine.los_next, theirs.los_next, 1e-6);
    }
}

/// From state to state: games that become pairs, games taken back, encounters that begin and vanish.
#[test]
fn every_state_is_rated_as_if_nothing_had_been_before() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let options = RatingOptions::default();
    let mut pool = Aggregates::new();
    let mut singles: Vec<(usize, usize, Outcome)> = Vec::new();
    for i in 0..9 {
        pool.add_single(i, i + 1, Outcome::Draw).unwrap();
        pool.add_single(i + 1, i, Outcome::Win).unwrap();
    }
    let mut live = LiveRatings::new(pool.clone(), options.clone()).unwrap();
    for state in 0..120 {
        for _ in 0..1 + random.next_u64() % 3 {
            let i = (random.next_u64() % 10) as usize;
            let j = (i + 1 + (random.next_u64() % 9) as usize) % 10;
            let [x, y] = [0, 1].map(|_| Outcome::ALL[(random.next_u64() % 5) as usize]);
            match (random.next_u64() % 4, singles.pop()) {
                // The second game of a pair.
                (0, Some((first, second, outcome))) => {
                    pool.remove_single(first, second, outcome).unwrap();
                    pool.add_pair(first, second, outcome, y).unwrap();
                }
                (1, Some((first, second, outcome))) => {
                    pool.remove_single(first, second, outcome).unwrap();
                }
                (_, kept) => {
                    singles.extend(kept);
                    pool.add_single(i, j, x).unwrap();
                    singles.push((i, j, x));
                }
            }
        }
        live.follow(&pool);
        // Some states are not asked about.
        if state % 3 > 0 {
            assert_same(&live.report().unwrap(), &rate(&pool, &options).unwrap());
        }
    }
    pool.add_player(77);
    live.follow(&pool);
    assert_same(&live.report().unwrap(), &rate(&pool, &options).unwrap());
}

/// Game by game from nothing: new players, new encounters, components that meet, every colour.
#[test]
fn every_game_is_rated_as_if_all_were() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    for options in [
        RatingOptions::default(),
        RatingOptions {
            prior_draws: 0.0,
            ..RatingOptions::default()
        },
        RatingOptions {
            links: vec![Link {
                newer: 1,
                older: 0,
                elo: 90.0,
                deviation_elo: 300.0,
            }],
            ..RatingOptions::default()
        },
        RatingOptions {
            anchors: BTreeMap::from([(0, 1_000.0)]),
            links: vec![Link {
                newer: 1,
                older: 0,
                elo: 20.0,
                deviation_elo: 30.0,
            }],
            ..RatingOptions::default()
        },
    ] {
        let mut pool = Aggregates::new();
        pool.add_single(0, 1, Outcome::Win).unwrap();
        let mut live = LiveRatings::new(pool, options.clone()).unwrap();
        for game in 0..150 {
            let players = 2 + game as u64 / 15;
            let i = (random.next_u64() % players) as usize;
            let j = (i + 1 + (random.next_u64() % (players - 1)) as usize) % players as usize;
            let [x, y] = [0, 1].map(|_| Outcome::ALL[(random.next_u64() % 5) as usize]);
            match random.next_u64() & 1 {
                0 => live.add_pair(i, j, x, y).unwrap(),
                _ => live.add_single(i, j, x).unwrap(),
            }
            // Some games are not asked about one by one.
            if game % 3 > 0 {
                let cold = rate(live.aggregates(), &options).unwrap();
                assert_same(&live.report().unwrap(), &cold);
                let alone = live.ratings().unwrap();
                assert_eq!(
                    alone.players[0].rating_elo,
                    live.report().unwrap().players[0].rating_elo
                );
                assert!(
                    alone
                        .players
                        .iter()
                        .all(|player| player.error_elo.is_none())
                );
            }
        }
    }
}

/// In a pool that is larger than what is factorised, one more game takes a few short steps.
#[test]
fn one_more_game_in_a_large_pool() {
    let mut live = LiveRatings::new(
        World::new(Kind::OrderedLogit, 230).play(1, 4),
        RatingOptions::default(),
    )
    .unwrap();
    for (i, j) in [(3, 17), (200, 4), (3, 17), (229, 0)] {
        live.add_single(i, j, Outcome::Win).unwrap();
        let report = live.ratings().unwrap();
        assert!(report.iterations <= 8, "{}", report.iterations);
        let cold = rate(live.aggregates(), &RatingOptions::default()).unwrap();
        for (mine, theirs) in report.players.iter().zip(&cold.players) {
            assert!((mine.rating_elo.unwrap() - theirs.rating_elo.unwrap()).abs() < 1e-9);
        }
    }
    // So many games at once that what is kept no longer helps.
    let mut table = live.aggregates().table(3, 17);
    table.near_first[4] = 4_000;
    live.add_table(3, 17, &table).unwrap();
    assert_same(
        &live.report().unwrap(),
        &rate(live.aggregates(), &RatingOptions::default()).unwrap(),
    );
}

/// A state that is refused, because the anchor has lost its games, leaves nothing behind that would hurt the next one.
#[test]
fn a_state_that_is_refused_does_no_harm() {
    let options = RatingOptions {
        anchors: BTreeMap::from([(2, 500.0)]),
        ..RatingOptions::default()
    };
    let mut pool = Aggregates::new();
    pool.add_pair(0, 1, Outcome::Win, Outcome::Draw).unwrap();
    pool.add_pair(1, 2, Outcome::Draw, Outcome::Draw).unwrap();
    let mut live = LiveRatings::new(pool, options.clone()).unwrap();
    // More players than before, and not the anchor.
    let mut without = Aggregates::new();
    for (i, j) in [(0, 1), (1, 3), (3, 4), (4, 5)] {
        without.add_pair(i, j, Outcome::Win, Outcome::Win).unwrap();
    }
    live.follow(&without);
    for _ in 0..2 {
        assert_eq!(live.report(), Err(RatingError::UnknownAnchor { player: 2 }));
    }
    let mut with = without;
    with.add_pair(2, 5, Outcome::Draw, Outcome::Loss).unwrap();
    live.follow(&with);
    assert_same(&live.report().unwrap(), &rate(&with, &options).unwrap());
}

/// Whoever moves first wins, until one does not: the advantage of moving first has an estimate from then on.
#[test]
fn a_first_move_advantage_that_becomes_finite_is_estimated() {
    let options = RatingOptions {
        prior_draws: 0.0,
        ..RatingOptions::default()
    };
    let mut pool = Aggregates::new();
    for _ in 0..5 {
        pool.add_pair(0, 1, Outcome::Win, Outcome::Win).unwrap();
    }
    let mut live = LiveRatings::new(pool, options.clone()).unwrap();
    let before = live.report().unwrap().first_move;
    assert_eq!(before.status, FirstMoveStatus::Unbounded);
    live.add_pair(0, 1, Outcome::Loss, Outcome::Loss).unwrap();
    let after = live.report().unwrap();
    assert_eq!(after.first_move.status, FirstMoveStatus::Estimated);
    // Five points of six are 280 Elo, by 400 log10(5).
    assert!((after.first_move.elo - 279.588).abs() < 1e-3);
    assert_same(&after, &rate(live.aggregates(), &options).unwrap());
}

#[test]
fn what_cannot_be_rated_live_is_refused() {
    let mut live = LiveRatings::new(Aggregates::new(), RatingOptions::default()).unwrap();
    assert!(live.report().unwrap().players.is_empty());
    let refused = live.add_single(3, 3, Outcome::Draw);
    assert_eq!(refused, Err(AggregateError::SelfPlay { player: 3 }));
    assert!(live.ratings().unwrap().players.is_empty());
    live.add_pair(3, 4, Outcome::Win, Outcome::Draw).unwrap();
    assert_eq!(live.ratings().unwrap().players.len(), 2);
    let options = RatingOptions {
        model: Model::OrderedLogit { outcome_prior: 1.0 },
        ..RatingOptions::default()
    };
    let refused = LiveRatings::new(Aggregates::new(), options);
    assert!(matches!(refused, Err(RatingError::NotLive)));
    let options = RatingOptions {
        level: 2.0,
        ..RatingOptions::default()
    };
    assert!(LiveRatings::new(Aggregates::new(), options).is_err());
}
