//! Ratings of pools that are empty, lopsided or torn apart: marked answers, never a number made up.

#![expect(clippy::unwrap_used, reason = "an unexpected refusal fails the test")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use server::ratings::{
    Aggregates, ErrorBars, FirstMove, FirstMoveStatus, Model, Outcome, PerfectScore, Player,
    RatingError, RatingOptions, RatingReport, rate, rate_again,
};

const WIN: Outcome = Outcome::Win;
const DRAW: Outcome = Outcome::Draw;
const LOSS: Outcome = Outcome::Loss;

fn pool(games: &[(Player, Player, Outcome)]) -> Aggregates {
    let mut pool = Aggregates::new();
    games
        .iter()
        .try_for_each(|&(i, j, k)| pool.add_single(i, j, k))
        .unwrap();
    pool
}

fn default(pool: &Aggregates) -> RatingReport {
    rate(pool, &RatingOptions::default()).unwrap()
}

fn without_prior() -> RatingOptions {
    RatingOptions {
        prior_draws: 0.0,
        ..RatingOptions::default()
    }
}

fn elo(report: &RatingReport, player: Player) -> f64 {
    report.player(player).unwrap().rating_elo.unwrap()
}

#[test]
fn nobody_and_nothing_played() {
    let mut pool = Aggregates::new();
    let empty = default(&pool);
    assert!(empty.players.is_empty() && empty.order.is_empty() && empty.converged);
    assert_eq!(empty.first_move.status, FirstMoveStatus::NotIdentifiable);
    pool.add_player(7);
    for model in [Model::Score, Model::OrderedLogit { outcome_prior: 1.0 }] {
        let lone = rate(
            &pool,
            &RatingOptions {
                model,
                ..RatingOptions::default()
            },
        )
        .unwrap();
        let player = lone.player(7).unwrap();
        assert_eq!(
            (player.rating_elo, player.error_elo, player.rank),
            (None, None, None)
        );
        assert_eq!(
            (player.games, player.perfect, lone.components),
            (0, None, 1)
        );
    }
}

#[test]
fn a_player_without_games_disturbs_nobody() {
    let mut games = pool(&[(0, 1, WIN), (1, 0, DRAW), (1, 2, WIN), (2, 1, WIN)]);
    let before = default(&games);
    games.add_player(9);
    let after = default(&games);
    assert_eq!(after.player(9).unwrap().rating_elo, None);
    assert_eq!(after.order, [0, 1, 2, 3].map(|at| after.order[at]));
    assert_eq!(after.order[3], 3);
    for player in 0..3 {
        assert_eq!(elo(&before, player), elo(&after, player));
    }
}

#[test]
fn a_single_game_is_shrunk_to_two_virtual_draws() {
    // (S + 1) / (N + 2) = 2/3: a difference of 400 log10 2 Elo; a single game tells nothing of colour.
    let report = default(&pool(&[(0, 1, WIN)]));
    let difference = report.difference(0, 1).unwrap();
    assert!((difference.elo - 400.0 * 2f64.log10()).abs() < 1e-9);
    assert!(difference.error_elo.is_finite() && difference.error_elo > 0.0);
    assert!(difference.los > 0.5 && difference.los < 1.0);
    assert_eq!(report.first_move.status, FirstMoveStatus::NotIdentifiable);
    assert_eq!(
        report.player(0).unwrap().perfect,
        Some(PerfectScore::WonAll)
    );
    assert_eq!(
        report.player(1).unwrap().perfect,
        Some(PerfectScore::LostAll)
    );
}

#[test]
fn without_a_prior_perfect_scores_have_no_rating() {
    let games = pool(&[
        (0, 1, WIN),
        (1, 0, LOSS),
        (1, 2, WIN),
        (2, 1, DRAW),
        (4, 5, DRAW),
        (5, 4, WIN),
    ]);
    let report = rate(&games, &without_prior()).unwrap();
    for player in [0, 1, 2] {
        let rated = report.player(player).unwrap();
        assert_eq!(
            (rated.rating_elo, rated.bound_elo, rated.rank),
            (None, None, None)
        );
    }
    assert_eq!(
        report.player(0).unwrap().perfect,
        Some(PerfectScore::WonAll)
    );
    assert!(elo(&report, 5) > elo(&report, 4));
    // The other component is rated as if it were alone.
    let alone = rate(&pool(&[(4, 5, DRAW), (5, 4, WIN)]), &without_prior()).unwrap();
    assert_eq!(elo(&report, 5), elo(&alone, 5));
    assert_eq!(report.dispersion, alone.dispersion);
}

#[test]
fn a_first_move_that_always_wins_is_marked() {
    let games = pool(&[(0, 1, WIN), (1, 0, WIN), (0, 1, WIN), (1, 0, WIN)]);
    let unbounded = rate(&games, &without_prior()).unwrap();
    assert_eq!(unbounded.first_move.status, FirstMoveStatus::Unbounded);
    assert_eq!(unbounded.first_move.elo, 0.0);
    assert!(elo(&unbounded, 0).abs() < 1e-9);
    // One loses a game when it moves first, and else whoever moves second does: strength and first move grow together.
    let mut both = pool(&[(0, 1, LOSS)]);
    (0..5).for_each(|_| both.add_single(0, 1, WIN).unwrap());
    (0..6).for_each(|_| both.add_single(1, 0, LOSS).unwrap());
    let unbounded = rate(&both, &without_prior()).unwrap();
    assert_eq!(unbounded.first_move.status, FirstMoveStatus::Unbounded);
    // Eleven points of twelve.
    let expected = 400.0 * 11f64.log10() / 2.0;
    assert!((elo(&unbounded, 0) - expected).abs() < 1e-6);
    let shrunk = default(&games);
    assert_eq!(shrunk.first_move.status, FirstMoveStatus::Estimated);
    assert!(shrunk.first_move.elo > 100.0 && shrunk.first_move.error_elo.unwrap() > 0.0);
}

#[test]
fn notes_say_what_is_not_known() {
    let says = |notes: &[String], words: &str| notes.iter().any(|note| note.contains(words));
    let perfect = pool(&[(0, 1, WIN), (1, 0, LOSS), (1, 2, DRAW), (2, 1, DRAW)]);
    let notes = default(&perfect).notes();
    assert!(says(&notes, "one player won or lost all"), "{notes:?}");
    let notes = rate(&perfect, &without_prior()).unwrap().notes();
    assert!(
        says(&notes, "no finite rating") && !says(&notes, "is a bound"),
        "{notes:?}"
    );
    let notes = default(&pool(&[(0, 1, WIN), (0, 2, WIN), (0, 1, DRAW)])).notes();
    assert!(says(&notes, "who moved first tells nothing"), "{notes:?}");
    let notes = default(&pool(&[
        (0, 1, DRAW),
        (1, 0, DRAW),
        (2, 3, DRAW),
        (3, 2, DRAW),
    ]))
    .notes();
    assert!(says(&notes, "2 groups"), "{notes:?}");
    assert!(says(&default(&pool(&[])).notes(), "no games"));
}

#[test]
fn one_colour_cannot_tell_the_first_move() {
    let report = default(&pool(&[(0, 1, WIN), (0, 2, WIN), (0, 1, DRAW)]));
    assert_eq!(report.first_move.status, FirstMoveStatus::NotIdentifiable);
    assert_eq!(
        (report.first_move.elo, report.first_move.error_elo),
        (0.0, None)
    );
    let first_move = FirstMove::Fixed { elo: 30.0 };
    let options = RatingOptions {
        first_move,
        ..RatingOptions::default()
    };
    let fixed = rate(&pool(&[(0, 1, WIN), (1, 0, WIN)]), &options).unwrap();
    assert_eq!(fixed.first_move.status, FirstMoveStatus::Fixed);
    assert!((fixed.first_move.elo - 30.0).abs() < 1e-12);
    assert!((fixed.expected_score(0, 1).unwrap() - 0.543_066_3).abs() < 1e-6);
}

#[test]
fn bounds_of_perfect_scores_know_who_moved_first() {
    // One game won with the first move: sigma((b + 100) / C) = 0.05; lost as second likewise mirrored.
    let games = pool(&[(0, 1, WIN)]);
    let bound_of = |player: Player, anchor: Player| {
        let options = RatingOptions {
            first_move: FirstMove::Fixed { elo: 100.0 },
            anchors: BTreeMap::from([(anchor, 0.0)]),
            ..RatingOptions::default()
        };
        let report = rate(&games, &options).unwrap();
        report.player(player).unwrap().bound_elo.unwrap()
    };
    let one_in_twenty = 400.0 * (0.05f64 / 0.95).log10();
    assert!((bound_of(0, 1) - (one_in_twenty - 100.0)).abs() < 1e-9);
    assert!((bound_of(1, 0) - (100.0 - one_in_twenty)).abs() < 1e-9);
}

/// A pool of more players than are factorised and more than have all their error bars: starting from the last solution
/// changes nothing, and those who are asked for have error bars, the others none.
#[test]
fn a_large_pool_is_rated_again_and_by_choice() {
    let players = 2_100;
    let mut games = Vec::new();
    for i in 0..players {
        for (step, shift) in [(1, 0), (7, 1), (301, 2)] {
            let outcome = Outcome::ALL[(i * i + shift) % 5];
            games.push((i, (i + step) % players, outcome));
        }
    }
    let mut all = pool(&games);
    let options = RatingOptions {
        error_bars_for: vec![5, 900],
        ..RatingOptions::default()
    };
    let before = rate(&all, &options).unwrap();
    all.add_single(5, 900, Outcome::Win).unwrap();
    let (anew, again) = (
        rate(&all, &options).unwrap(),
        rate_again(&all, &options, &before).unwrap(),
    );
    assert!(before.converged && anew.converged && again.converged);
    assert!(elo(&anew, 5) > elo(&before, 5) + 1.0);
    for player in 0..players {
        assert!(
            (elo(&anew, player) - elo(&again, player)).abs() < 1e-6,
            "{player}"
        );
    }
    // Every player's points are what it is expected to have, virtual draws aside.
    let sum: f64 = anew.players.iter().filter_map(|p| p.expected_points).sum();
    assert!((sum - anew.games as f64).abs() < 1e-6, "{sum}");
    let error = |player| again.standard_error_elo(player);
    assert!(error(5).is_some_and(|e| e > 1.0) && error(900).is_some() && error(6).is_none());
    assert!(again.difference(5, 900).is_some() && again.difference(5, 6).is_none());
    let unknown = RatingOptions {
        error_bars_for: vec![9_999],
        ..RatingOptions::default()
    };
    assert_eq!(
        rate(&all, &unknown).unwrap_err(),
        RatingError::UnknownChosen { player: 9_999 }
    );
}

#[test]
fn components_are_not_compared() {
    let report = default(&pool(&[
        (0, 1, WIN),
        (1, 0, DRAW),
        (2, 3, WIN),
        (3, 2, DRAW),
    ]));
    assert_eq!(report.components, 2);
    assert_eq!(report.difference(0, 2), None);
    assert_eq!(report.expected_score(0, 2), None);
    assert!(report.difference(0, 1).is_some());
    let ranks: Vec<_> = report.players.iter().map(|player| player.rank).collect();
    assert_eq!(ranks, [Some(1), Some(2), Some(1), Some(2)]);
}

#[test]
fn unreasonable_options_are_refused() {
    let games = pool(&[(0, 1, WIN)]);
    let base = RatingOptions::default;
    let kappa = Model::AdjacentCategories { outcome_prior: 0.0 };
    for (name, options) in [
        (
            "prior_draws",
            RatingOptions {
                prior_draws: -1.0,
                ..base()
            },
        ),
        (
            "prior_draws",
            RatingOptions {
                prior_draws: f64::NAN,
                ..base()
            },
        ),
        (
            "level",
            RatingOptions {
                level: 1.0,
                ..base()
            },
        ),
        (
            "average_elo",
            RatingOptions {
                average_elo: f64::INFINITY,
                ..base()
            },
        ),
        (
            "anchors",
            RatingOptions {
                anchors: BTreeMap::from([(0, f64::NAN)]),
                ..base()
            },
        ),
        (
            "first_move",
            RatingOptions {
                first_move: FirstMove::Fixed { elo: 1e9 },
                ..base()
            },
        ),
        (
            "outcome_prior",
            RatingOptions {
                model: kappa,
                ..base()
            },
        ),
    ] {
        match rate(&games, &options) {
            Err(RatingError::OutOfRange { option, .. }) => assert_eq!(option, name),
            other => panic!("{name} was not refused: {other:?}"),
        }
    }
}

fn outcome() -> impl Strategy<Value = Outcome> {
    (0usize..5).prop_map(|k| Outcome::ALL[k])
}

fn random_pool() -> impl Strategy<Value = Vec<(bool, Player, Player, Outcome, Outcome)>> {
    let game = (any::<bool>(), 0usize..7, 1usize..7, outcome(), outcome())
        .prop_map(|(paired, i, step, x, y)| (paired, i, (i + step) % 7, x, y));
    proptest::collection::vec(game, 1..40)
}

fn collect(games: &[(bool, Player, Player, Outcome, Outcome)]) -> Aggregates {
    let mut pool = Aggregates::new();
    for &(paired, i, j, x, y) in games {
        match paired {
            true => pool.add_pair(i, j, x, y).unwrap(),
            false => pool.add_single(i, j, x).unwrap(),
        }
    }
    pool
}

/// All numbers of a report.
fn numbers(report: &RatingReport) -> Vec<f64> {
    let mut numbers = vec![report.first_move.elo, report.objective];
    numbers.extend(report.first_move.error_elo);
    numbers.extend(report.dispersion);
    numbers.extend(report.shape.into_iter().flatten());
    for player in &report.players {
        let own = [player.rating_elo, player.error_elo, player.expected_points];
        numbers.extend(own.into_iter().flatten());
        numbers.extend(player.bound_elo.into_iter().chain(player.los_next));
    }
    numbers
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn every_number_is_finite(games in random_pool(), omega in prop_oneof![Just(0.0), Just(0.001), Just(1.0)]) {
        let pool = collect(&games);
        let models = [
            Model::Score,
            Model::OrderedLogit { outcome_prior: 1.0 },
            Model::AdjacentCategories { outcome_prior: 1.0 },
        ];
        let kinds = [ErrorBars::Dispersion, ErrorBars::Sandwich, ErrorBars::Global, ErrorBars::Binomial];
        for model in models {
            for error_bars in kinds {
                let options = RatingOptions { model, prior_draws: omega, error_bars, ..RatingOptions::default() };
                let report = rate(&pool, &options).unwrap();
                prop_assert!(numbers(&report).iter().all(|x| x.is_finite()), "{report:?}");
                prop_assert!(report.converged, "{report:?}");
            }
        }
    }

    // STATS.md section 7, points 4 and 5.
    #[test]
    fn exchanging_all_results_reverses_the_list(games in random_pool()) {
        let reversed: Vec<_> = games
            .iter()
            .map(|&(paired, i, j, x, y)| (paired, i, j, x.reversed(), y.reversed()))
            .collect();
        let (one, other) = (default(&collect(&games)), default(&collect(&reversed)));
        prop_assert!((one.first_move.elo + other.first_move.elo).abs() < 1e-6);
        for (a, b) in one.players.iter().zip(&other.players) {
            prop_assert!((a.rating_elo.unwrap() + b.rating_elo.unwrap()).abs() < 1e-6);
            prop_assert!((a.error_elo.unwrap() - b.error_elo.unwrap()).abs() < 1e-6);
        }
    }

    #[test]
    fn without_a_prior_expected_points_are_the_points(games in random_pool()) {
        let report = rate(&collect(&games), &without_prior()).unwrap();
        for player in report.players.iter().filter(|player| player.rating_elo.is_some()) {
            let gap = player.expected_points.unwrap() - player.points.points();
            prop_assert!(gap.abs() < 1e-6, "{player:?}");
        }
    }
}
