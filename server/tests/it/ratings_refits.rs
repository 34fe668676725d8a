//! Error bars by fits to drawn results: bootstrap and simulation.

#![expect(clippy::unwrap_used, reason = "an unexpected refusal fails the test")]

use server::ratings::{
    Aggregates, ErrorBars, Model, Outcome, RatingError, RatingOptions, RatingReport, Refits, rate,
};

use crate::ratings_worlds::{Kind, World};

fn by(pool: &Aggregates, error_bars: ErrorBars) -> RatingReport {
    let options = RatingOptions {
        error_bars,
        ..RatingOptions::default()
    };
    rate(pool, &options).unwrap()
}

fn bootstrap(count: u32, seed: u64) -> ErrorBars {
    ErrorBars::Bootstrap(Refits { count, seed })
}

fn simulation(count: u32, seed: u64) -> ErrorBars {
    ErrorBars::Simulation(Refits { count, seed })
}

fn errors(report: &RatingReport) -> Vec<f64> {
    let players = report.players.iter();
    let error = |player: usize| report.standard_error_elo(player).unwrap();
    players.map(|rated| error(rated.player)).collect()
}

/// Mean over the players of the ratio of standard errors.
fn ratio(one: &RatingReport, other: &RatingReport) -> f64 {
    let (one, other) = (errors(one), errors(other));
    let ratios = one.iter().zip(&other).map(|(a, b)| a / b);
    ratios.sum::<f64>() / one.len() as f64
}

/// A standard error from 400 refits is itself uncertain by 3.5 %, the mean over ten players by about a third of that.
#[test]
fn refits_spread_as_the_closed_forms_say() {
    let pool = World::new(Kind::UnbalancedOpenings, 10).play(30, 5);
    let resampled = by(&pool, bootstrap(400, 11));
    assert_eq!(resampled.refits.unwrap().used, 400);
    for kind in [ErrorBars::Sandwich, ErrorBars::Dispersion] {
        let found = ratio(&resampled, &by(&pool, kind));
        assert!((found - 1.0).abs() < 0.05, "{kind:?}: {found}");
    }
    // Differences and likelihoods of superiority, too; the first move among them.
    let sandwich = by(&pool, ErrorBars::Sandwich);
    for (i, j) in [(0, 1), (4, 5), (2, 9)] {
        let find = |report: &RatingReport| report.difference(i, j).unwrap();
        let (mine, theirs) = (find(&resampled), find(&sandwich));
        assert!((mine.error_elo / theirs.error_elo - 1.0).abs() < 0.2);
        assert!((mine.los - theirs.los).abs() < 0.05, "{mine:?} {theirs:?}");
    }
    let first_move = |report: &RatingReport| report.first_move.error_elo.unwrap();
    assert!((first_move(&resampled) / first_move(&sandwich) - 1.0).abs() < 0.15);
    // Percentiles lie about the rating, nearly as far off as the error bars.
    for player in &resampled.players {
        let [low, high] = player.interval_elo.unwrap();
        let (rating, error) = (player.rating_elo.unwrap(), player.error_elo.unwrap());
        assert!(low < rating && rating < high);
        assert!(((high - low) / (2.0 * error) - 1.0).abs() < 0.2);
    }
}

/// Without pairs and with a law that holds, drawn games spread as observed ones; paired openings of 200 Elo make
/// observed pairs spread less than games drawn one by one.
#[test]
fn simulated_games_spread_as_their_law() {
    let plain = World::new(Kind::OrderedLogit, 8).play(30, 3);
    let drawn = by(&plain, simulation(300, 1));
    let found = ratio(&drawn, &by(&plain, ErrorBars::Global));
    assert!((found - 1.0).abs() < 0.07, "{found}");
    let paired = World::new(Kind::UnbalancedOpenings, 8).play(30, 3);
    let found = ratio(
        &by(&paired, simulation(300, 1)),
        &by(&paired, ErrorBars::Global),
    );
    assert!(found > 1.1, "{found}");
}

/// Few games of each two players spread no less: the law of STATS.md is resampling of many.
#[test]
fn strata_of_two_or_one_do_not_narrow_the_error_bars() {
    for pairs in [1, 2] {
        let pool = World::new(Kind::OrderedLogit, 16).play(pairs, 9);
        let found = ratio(&by(&pool, bootstrap(300, 2)), &by(&pool, ErrorBars::Global));
        assert!((found - 1.0).abs() < 0.12, "{pairs}: {found}");
    }
}

#[test]
fn a_seed_decides_everything() {
    let pool = World::new(Kind::OrderedLogit, 5).play(6, 1);
    for kind in [bootstrap, simulation] {
        assert_eq!(by(&pool, kind(20, 4)), by(&pool, kind(20, 4)));
        let (one, other) = (by(&pool, kind(20, 4)), by(&pool, kind(20, 5)));
        assert_ne!(errors(&one), errors(&other));
        assert_eq!(one.players[0].rating_elo, other.players[0].rating_elo);
    }
}

/// The same pool with the players numbered from the other end, and what each of them was.
fn renumbered(pool: &Aggregates) -> (Aggregates, Vec<usize>) {
    let players: Vec<usize> = pool.players().collect();
    let last = players.iter().max().unwrap();
    let mut other = Aggregates::new();
    for (near, far, table) in pool.tables() {
        other.add_table(last - near, last - far, table).unwrap();
    }
    (other, players.iter().map(|player| last - player).collect())
}

/// Whatever numbers the players have, the same order of drawing gives the same error bars, links' included.
#[test]
fn what_is_drawn_follows_from_the_order_of_drawing_and_not_from_the_numbers() {
    let mut pool = World::new(Kind::UnbalancedOpenings, 5).play(3, 4);
    // Games without their pair, and one alone of its kind, which is drawn from the law.
    pool.add_single(0, 3, Outcome::Advantage).unwrap();
    pool.add_single(0, 3, Outcome::Loss).unwrap();
    pool.add_single(4, 1, Outcome::Draw).unwrap();
    let (other, numbers) = renumbered(&pool);
    let link = |newer, older| server::ratings::Link {
        newer,
        older,
        elo: 10.0,
        deviation_elo: 40.0,
    };
    let by = |pool: &Aggregates, error_bars, draw_order: &[usize], link| {
        let options = RatingOptions {
            error_bars,
            draw_order: draw_order.to_vec(),
            links: vec![link],
            ..RatingOptions::default()
        };
        rate(pool, &options).unwrap()
    };
    for kind in [bootstrap(40, 6), simulation(40, 6)] {
        let plain = by(&pool, kind, &[], link(1, 2));
        let same = by(&other, kind, &numbers, link(numbers[1], numbers[2]));
        for (player, &number) in numbers.iter().enumerate() {
            let [mine, theirs] = [(&plain, player), (&same, number)]
                .map(|(report, player)| report.player(player).unwrap().interval_elo.unwrap());
            for (a, b) in mine.into_iter().zip(theirs) {
                assert!((a - b).abs() < 1e-6, "{kind:?} {player}: {a} {b}");
            }
        }
        let found = (
            plain.difference(0, 3).unwrap(),
            same.difference(numbers[0], numbers[3]),
        );
        assert!((found.0.los - found.1.unwrap().los).abs() < 1e-9);
        let unordered = by(&other, kind, &[], link(numbers[1], numbers[2]));
        assert_ne!(errors(&unordered), errors(&same));
        // Who is not named comes last, in the order of the numbers.
        let named = by(&pool, kind, &[0, 1], link(1, 2));
        assert_eq!(errors(&named), errors(&plain));
    }
}

/// Every model is refitted, and the ordered logit's spread is about its inverse information where it holds.
#[test]
fn models_of_outcomes_are_refitted_too() {
    let pool = World::new(Kind::OrderedLogit, 6).play(40, 8);
    for model in [
        Model::OrderedLogit { outcome_prior: 1.0 },
        Model::AdjacentCategories { outcome_prior: 1.0 },
    ] {
        let with = |error_bars| {
            let options = RatingOptions {
                model,
                error_bars,
                ..RatingOptions::default()
            };
            rate(&pool, &options).unwrap()
        };
        for kind in [bootstrap(200, 1), simulation(200, 1)] {
            let report = with(kind);
            assert_eq!(report.error_bars, kind);
            let found = ratio(&report, &with(ErrorBars::Binomial));
            assert!((found - 1.0).abs() < 0.12, "{model:?} {kind:?} {found}");
        }
    }
}

/// Where all results are alike, resampling says nothing, and nothing is said.
#[test]
fn results_that_cannot_vary_have_no_error_bars() {
    let mut draws = Aggregates::new();
    for _ in 0..6 {
        draws.add_pair(0, 1, Outcome::Draw, Outcome::Draw).unwrap();
        draws.add_pair(1, 2, Outcome::Draw, Outcome::Draw).unwrap();
    }
    let report = by(&draws, bootstrap(20, 1));
    assert!(
        report
            .players
            .iter()
            .all(|p| p.rating_elo.is_some() && p.error_elo.is_none())
    );
    assert!(
        report
            .players
            .iter()
            .all(|p| p.los_next.is_none() && p.interval_elo.is_none())
    );
    assert_eq!(
        (report.difference(0, 1), report.first_move.error_elo),
        (None, None)
    );
    // A perfect score beside others that vary: the one has none, the others have.
    draws.add_single(1, 2, Outcome::Win).unwrap();
    draws.add_single(1, 2, Outcome::Loss).unwrap();
    let report = by(&draws, bootstrap(20, 1));
    let known: Vec<bool> = report
        .players
        .iter()
        .map(|p| p.error_elo.is_some())
        .collect();
    assert_eq!(known, [false, true, true]);
    // One game more, alone of its kind: drawing it from the law of the fit is no reason to know anything.
    let mut won = Aggregates::new();
    for _ in 0..2 {
        won.add_single(0, 1, Outcome::Win).unwrap();
    }
    won.add_single(1, 0, Outcome::Loss).unwrap();
    won.add_pair(2, 3, Outcome::Win, Outcome::Loss).unwrap();
    let report = by(&won, bootstrap(20, 1));
    let known = |report: &RatingReport| -> Vec<bool> {
        let players = report.players.iter();
        players.map(|p| p.error_elo.is_some()).collect()
    };
    assert_eq!(known(&report), [false, false, false, false]);
    assert!(
        report
            .notes()
            .iter()
            .any(|note| note.starts_with("4 players made the same points of all pairs and games")),
        "{:?}",
        report.notes()
    );
    // Pairs of one point each, whoever won them, are alike; single games are not.
    let mut level = Aggregates::new();
    for k in [Outcome::Win, Outcome::Draw] {
        level.add_pair(0, 1, k, k).unwrap();
        level.add_pair(2, 3, k, k).unwrap();
    }
    level.add_single(2, 3, Outcome::Draw).unwrap();
    let report = by(&level, bootstrap(20, 1));
    assert_eq!(known(&report), [false, false, true, true]);
    // Opponents met once are taken together, those met oftener by themselves; a pair lost and won is two ends.
    let mut once = Aggregates::new();
    once.add_single(0, 1, Outcome::Draw).unwrap();
    once.add_single(2, 0, Outcome::Loss).unwrap();
    once.add_single(1, 3, Outcome::Draw).unwrap();
    once.add_single(3, 1, Outcome::Draw).unwrap();
    once.add_pair(2, 3, Outcome::Win, Outcome::Win).unwrap();
    assert_eq!(
        known(&by(&once, bootstrap(20, 1))),
        [true, false, true, true]
    );
    // Games drawn from a law vary always.
    assert!(
        by(&draws, simulation(20, 1))
            .players
            .iter()
            .all(|p| p.error_elo.unwrap() > 0.0)
    );
}

/// Error bars of one player alone are those that it has among all, also where the first move is given.
#[test]
fn the_chosen_alone_have_error_bars() {
    let pool = World::new(Kind::UnbalancedOpenings, 6).play(5, 2);
    for first_move in [
        server::ratings::FirstMove::Estimated,
        server::ratings::FirstMove::Fixed { elo: 30.0 },
    ] {
        for error_bars in [ErrorBars::Dispersion, bootstrap(30, 3)] {
            let options = |error_bars_for| RatingOptions {
                error_bars,
                error_bars_for,
                first_move,
                ..RatingOptions::default()
            };
            let all = rate(&pool, &options(Vec::new())).unwrap();
            let one = rate(&pool, &options(vec![4])).unwrap();
            assert_eq!(one.error_bars, error_bars);
            let error = |report: &RatingReport, player| report.player(player).unwrap().error_elo;
            let (mine, whole) = (error(&one, 4).unwrap(), error(&all, 4).unwrap());
            assert!(
                (mine - whole).abs() < 1e-6,
                "{error_bars:?}: {mine} {whole}"
            );
            for player in [0, 1, 2, 3, 5] {
                assert_eq!(error(&one, player), None);
            }
            assert!(one.notes().is_empty(), "{:?}", one.notes());
        }
    }
}

#[test]
fn small_pools_have_finite_error_bars() {
    let mut pool = Aggregates::new();
    for kind in [bootstrap(20, 1), simulation(20, 1)] {
        assert!(by(&pool, kind).players.is_empty());
    }
    pool.add_single(0, 1, Outcome::Win).unwrap();
    pool.add_single(0, 1, Outcome::Loss).unwrap();
    pool.add_single(5, 6, Outcome::Draw).unwrap();
    pool.add_pair(6, 7, Outcome::Win, Outcome::Win).unwrap();
    pool.add_player(9);
    // Player 5 has one game, whose draw says nothing of how its games vary; a law says something of all.
    for (kind, known) in [(bootstrap(50, 1), 4), (simulation(50, 1), 5)] {
        let report = by(&pool, kind);
        assert_eq!(
            report
                .players
                .iter()
                .filter(|p| p.error_elo.is_some())
                .count(),
            known
        );
        for player in &report.players {
            let numbers = [player.rating_elo, player.error_elo, player.los_next];
            let ends = player.interval_elo.into_iter().flatten();
            assert!(
                numbers
                    .into_iter()
                    .flatten()
                    .chain(ends)
                    .all(f64::is_finite)
            );
        }
        assert!(report.difference(0, 1).unwrap().error_elo > 0.0);
        assert_eq!(report.difference(0, 5), None);
    }
}

/// Without a prior, drawn results need not have ratings: those are left out and counted.
#[test]
fn refits_without_ratings_are_counted() {
    let mut pool = Aggregates::new();
    for k in [Outcome::Win, Outcome::Win, Outcome::Win, Outcome::Loss] {
        pool.add_single(0, 1, k).unwrap();
        pool.add_single(1, 0, k).unwrap();
    }
    let options = RatingOptions {
        prior_draws: 0.0,
        error_bars: bootstrap(100, 1),
        ..RatingOptions::default()
    };
    let report = rate(&pool, &options).unwrap();
    let count = report.refits.unwrap();
    assert!(count.made == 100 && count.used < 100, "{count:?}");
    let enough = count.used >= 50;
    assert!(
        report
            .players
            .iter()
            .all(|p| p.error_elo.is_some() == enough)
    );
}

#[test]
fn counts_of_refits_out_of_bounds_are_refused() {
    let mut pool = Aggregates::new();
    pool.add_single(0, 1, Outcome::Win).unwrap();
    for count in [0, 19, 10_001] {
        for error_bars in [bootstrap(count, 1), simulation(count, 1)] {
            let options = RatingOptions {
                error_bars,
                ..RatingOptions::default()
            };
            let error = rate(&pool, &options).unwrap_err();
            assert!(matches!(
                error,
                RatingError::OutOfRange {
                    option: "refits",
                    ..
                }
            ));
        }
    }
}
