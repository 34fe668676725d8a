//! Rating models against `ratings.json`.

use serde_json::Value;
use server::ratings::{
    Aggregates, ErrorBars, FirstMoveStatus, Model, PairTable, PerfectScore, RatingOptions,
    RatingReport, rate,
};

use super::{Checker, cases, count, load, numbers};

fn narrow<const N: usize>(value: &Value) -> [u32; N] {
    numbers::<N>(value).map(|n| u32::try_from(n).unwrap())
}

fn pool(case: &Value) -> Aggregates {
    let mut pool = Aggregates::new();
    (0..count(&case["engines"])).for_each(|player| pool.add_player(player));
    for single in case["single"].as_array().unwrap() {
        let table = PairTable {
            near_first: narrow(&single["counts"]),
            ..PairTable::default()
        };
        pool.add_table(count(&single["first"]), count(&single["second"]), &table)
            .unwrap();
    }
    for pair in case["pairs"].as_array().unwrap() {
        let rows = pair["counts"].as_array().unwrap();
        let pairs = std::array::from_fn(|x| narrow(&rows[x]));
        let table = PairTable {
            pairs,
            ..PairTable::default()
        };
        pool.add_table(count(&pair["a"]), count(&pair["b"]), &table)
            .unwrap();
    }
    pool
}

/// `logistic_omega1`, `ordered_omega1_kappa1`, `davidson_omega0.5_kappa2`.
fn options(key: &str) -> RatingOptions {
    let mut parts = key.split('_');
    let name = parts.next();
    let mut parameter = |name: &str, default: f64| {
        let text = parts
            .next()
            .map(|part| part.strip_prefix(name).expect("a known parameter"));
        text.map_or(default, |text| text.parse().unwrap())
    };
    let prior_draws = parameter("omega", 1.0);
    let outcome_prior = parameter("kappa", 1.0);
    let model = match name {
        Some("logistic") => Model::Score,
        Some("ordered") => Model::OrderedLogit { outcome_prior },
        Some("davidson") => Model::AdjacentCategories { outcome_prior },
        _ => panic!("the vectors name a model unknown to this test: {key}"),
    };
    RatingOptions {
        model,
        prior_draws,
        ..RatingOptions::default()
    }
}

fn elo(_: f64) -> f64 {
    1e-4
}

fn standard_error(want: f64) -> f64 {
    1e-4_f64.max(1e-6 * want.abs())
}

#[test]
fn vectors_ratings() {
    let file = load("ratings.json");
    let mut check = Checker::new();
    for case in cases(&file, "pools") {
        let name = case["name"].as_str().unwrap();
        let pool = pool(case);
        for (model, want) in case["expected"].as_object().unwrap() {
            let what = format!("{name} {model}");
            if model == "ordo" {
                check_ordo(&mut check, &what, &pool, want);
                continue;
            }
            let options = options(model);
            let report = rate(&pool, &options).unwrap();
            check_pool(&mut check, name, case, &report);
            check_fit(&mut check, &what, want, &report);
            check_perfect(&mut check, &what, want, &report);
            check_errors(&mut check, &what, want, &pool, &options);
        }
    }
    check.finish();
}

/// Points, games and connectedness, which no model changes.
fn check_pool(check: &mut Checker, name: &str, case: &Value, report: &RatingReport) {
    for (index, player) in report.players.iter().enumerate() {
        let what = format!("{name} player {index}");
        let points = Some(player.points.points());
        check.close(
            &format!("{what} points"),
            points,
            &case["points"][index],
            |_| 0.0,
        );
        check.equal(
            &format!("{what} games"),
            &(player.games as usize),
            &count(&case["games"][index]),
        );
        let component = count(&case["component"][index]);
        check.equal(&format!("{what} component"), &player.component, &component);
        let strong = count(&case["strongly_connected_component"][index]);
        check.equal(
            &format!("{what} strong component"),
            &player.strong_component,
            &strong,
        );
    }
    let identified = report.first_move.status == FirstMoveStatus::Estimated;
    let want = case["first_move_advantage_identifiable"].as_bool().unwrap();
    check.equal(&format!("{name} first move"), &identified, &want);
}

fn check_fit(check: &mut Checker, what: &str, want: &Value, report: &RatingReport) {
    assert!(report.converged, "{what} did not converge");
    let each = |f: &dyn Fn(&server::ratings::RatedPlayer) -> Option<f64>| -> Vec<Option<f64>> {
        report.players.iter().map(f).collect()
    };
    check.all_close(
        &format!("{what} rating"),
        &each(&|p| p.rating_elo),
        &want["rating_elo"],
        elo,
    );
    let first_move =
        Some(report.first_move.elo).filter(|_| !want["first_move_advantage_elo"].is_null());
    check.close(
        &format!("{what} alpha"),
        first_move,
        &want["first_move_advantage_elo"],
        elo,
    );
    if let Some(objective) = want["objective"].as_f64() {
        let gap = (report.objective - objective).abs();
        check.equal(
            &format!("{what} objective"),
            &(gap < 1e-6 * (1.0 + objective.abs())),
            &true,
        );
    }
    if let Some(shapes) = want.get("thresholds").or(want.get("log_nu")) {
        let shape = report.shape.unwrap().map(Some);
        check.all_close(&format!("{what} shape"), &shape, shapes, |_| 1e-6);
    }
    let expected = each(&|p| p.expected_points);
    check.all_close(
        &format!("{what} expected points"),
        &expected,
        &want["expected_points"],
        |_| 1e-6,
    );
    if let Some(phi) = want.get("phi") {
        check.close(&format!("{what} phi"), report.dispersion, phi, |_| 1e-8);
    }
    if let Some(order) = want["order"].as_array() {
        let order: Vec<usize> = order.iter().map(count).collect();
        check.equal(&format!("{what} order"), &report.order, &order);
        let los: Vec<Option<f64>> = report.ranking().map(|p| p.los_next).collect();
        let neighbours = &los[..los.len().saturating_sub(1)];
        check.all_close(
            &format!("{what} los"),
            neighbours,
            &want["los_next"],
            |_| 1e-6,
        );
    }
}

fn check_perfect(check: &mut Checker, what: &str, want: &Value, report: &RatingReport) {
    let perfect: Vec<_> = report
        .players
        .iter()
        .filter(|p| p.perfect.is_some())
        .collect();
    if let Some(engines) = want["perfect_engines"].as_array() {
        let engines: Vec<usize> = engines.iter().map(count).collect();
        let found: Vec<usize> = perfect.iter().map(|p| p.player).collect();
        check.equal(&format!("{what} perfect"), &found, &engines);
        for player in &perfect {
            let sign = if player.points.0 == 0 {
                PerfectScore::LostAll
            } else {
                PerfectScore::WonAll
            };
            check.equal(
                &format!("{what} perfect sign"),
                &player.perfect,
                &Some(sign),
            );
        }
        let bounds: Vec<_> = perfect.iter().map(|p| p.bound_elo).collect();
        check.all_close(
            &format!("{what} bound"),
            &bounds,
            &want["one_sided_bound95_elo"],
            elo,
        );
    }
}

/// Standard errors of every kind that the reference has.
fn check_errors(
    check: &mut Checker,
    what: &str,
    want: &Value,
    pool: &Aggregates,
    options: &RatingOptions,
) {
    let kinds = [
        ("dispersion", ErrorBars::Dispersion),
        ("sandwich", ErrorBars::Sandwich),
        ("global", ErrorBars::Global),
        ("binomial", ErrorBars::Binomial),
    ];
    for (suffix, error_bars) in kinds {
        let key = format!("se_{suffix}");
        let alpha_key = format!("se_alpha_{suffix}");
        if want.get(&key).is_none() && want.get(&alpha_key).is_none() {
            continue;
        }
        let report = rate(
            pool,
            &RatingOptions {
                error_bars,
                ..options.clone()
            },
        )
        .unwrap();
        check_se(check, &format!("{what} {key}"), &want[&key], &report);
        if let Some(want) = want.get(&alpha_key) {
            let got = report.first_move_standard_error_elo();
            check.close(&format!("{what} {alpha_key}"), got, want, standard_error);
        }
    }
    let report = rate(pool, options).unwrap();
    check_se(check, &format!("{what} se"), &want["se"], &report);
    for (i, row) in want["cov_elo2"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let got: Vec<_> = report
            .players
            .iter()
            .map(|p| report.covariance_elo2(i, p.player))
            .collect();
        let tolerance = |want: f64| 1e-3 + 1e-6 * want.abs();
        check.all_close(&format!("{what} covariance {i}"), &got, row, tolerance);
    }
}

fn check_se(check: &mut Checker, what: &str, want: &Value, report: &RatingReport) {
    let got: Vec<_> = report
        .players
        .iter()
        .map(|p| report.standard_error_elo(p.player))
        .collect();
    check.all_close(what, &got, want, standard_error);
}

/// Without a prior the ratings are Ordo's; its errors are simulated, so only about equal.
fn check_ordo(check: &mut Checker, what: &str, pool: &Aggregates, want: &Value) {
    let options = RatingOptions {
        prior_draws: 0.0,
        error_bars: ErrorBars::Global,
        ..RatingOptions::default()
    };
    let report = rate(pool, &options).unwrap();
    let ratings: Vec<_> = report.players.iter().map(|p| p.rating_elo).collect();
    check.all_close(&format!("{what} rating"), &ratings, &want["rating"], |_| {
        1e-3
    });
    let first_move = Some(report.first_move.elo);
    check.close(
        &format!("{what} white advantage"),
        first_move,
        &want["white_advantage"],
        |_| 6e-3,
    );
    let errors: Vec<_> = report.players.iter().map(|p| p.error_elo).collect();
    let tolerance = |want: f64| 0.1 * want;
    check.all_close(
        &format!("{what} error"),
        &errors,
        &want["error95_1000_simulations"],
        tolerance,
    );
}

#[test]
fn vectors_ratings_do_not_depend_on_names_or_order() {
    let file = load("ratings.json");
    for case in cases(&file, "pools") {
        let pool = pool(case);
        let n = pool.players().len();
        // Other numbers for the players, counted in another order and from other sides.
        let rename = |player: usize| 1000 - 7 * ((player * 5 + 3) % n.max(1));
        let distinct: std::collections::BTreeSet<_> = (0..n).map(rename).collect();
        if distinct.len() < n {
            continue;
        }
        let mut renamed = Aggregates::new();
        pool.players()
            .for_each(|player| renamed.add_player(rename(player)));
        for (near, far, table) in pool.tables().collect::<Vec<_>>().into_iter().rev() {
            renamed
                .add_table(rename(far), rename(near), &table.reversed())
                .unwrap();
        }
        let options = RatingOptions::default();
        let (one, other) = (
            rate(&pool, &options).unwrap(),
            rate(&renamed, &options).unwrap(),
        );
        for player in &one.players {
            let again = other.player(rename(player.player)).unwrap();
            let (a, b) = (player.rating_elo.unwrap(), again.rating_elo.unwrap());
            assert!((a - b).abs() < 1e-8, "{} {a} {b}", case["name"]);
            let (a, b) = (player.error_elo.unwrap(), again.error_elo.unwrap());
            assert!((a - b).abs() < 1e-8, "{} {a} {b}", case["name"]);
        }
    }
}
