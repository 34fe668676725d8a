//! Match statistics and sequential tests against `sprt.json`.

use serde_json::Value;
use server::ratings::sprt::{
    EloUnit, LlrMethod, Overshoot, SprtSpec, SprtTest, expected_length, llr,
    llr_without_regularisation, sequential_estimate,
};
use server::ratings::{CellSet, Histogram, match_estimate};

use super::{Checker, cases, count, float, load};

const UNITS: [(&str, EloUnit); 2] = [
    ("logistic", EloUnit::Logistic),
    ("normalized", EloUnit::Normalized),
];

fn ratio(want: f64) -> f64 {
    1e-6 * want.abs().max(1.0)
}

fn counts(value: &Value) -> Vec<u64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_u64().unwrap())
        .collect()
}

fn histogram(value: &Value, games: u32) -> Histogram {
    let counts = counts(value);
    Histogram::new(CellSet::new(counts.len(), games).unwrap(), &counts).unwrap()
}

/// Pairs of win-draw-loss games spread over the nine cells of five-valued ones.
fn nine_cells(five: &Histogram) -> Histogram {
    let mut counts = [0; 9];
    five.counts()
        .iter()
        .enumerate()
        .for_each(|(k, &n)| counts[2 * k] = n);
    Histogram::new(CellSet::FivePairs, &counts).unwrap()
}

fn spec(unit: EloUnit, case: &Value, set: CellSet) -> SprtSpec {
    let error = |key: &str| case[key].as_f64().unwrap_or(0.05);
    let (elo0, elo1) = (float(&case["elo0"]), float(&case["elo1"]));
    SprtSpec::new(unit, elo0, elo1, error("alpha"), error("beta"), set).unwrap()
}

#[test]
fn vectors_match_estimates() {
    let file = load("sprt.json");
    let mut check = Checker::new();
    for (index, case) in cases(&file, "histograms").iter().enumerate() {
        let games = u32::try_from(count(&case["games_per_observation"])).unwrap();
        let got = match_estimate(&histogram(&case["histogram"], games), 0.95).unwrap();
        for (key, want) in case["fixed_length"].as_object().unwrap() {
            let value = match key.as_str() {
                "observations" => got.observations as f64,
                "games" => got.games as f64,
                "score" => got.score,
                "var_obs" => got.variance,
                "score_reg" => got.regularised_score,
                "var_reg" => got.regularised_variance,
                "se_score" => got.score_error,
                "elo" => got.elo,
                "elo_lo" => got.elo_interval[0],
                "elo_hi" => got.elo_interval[1],
                "elo_halfwidth" => got.elo_error(),
                "los" => got.los,
                "skew" => got.skewness,
                "exkurt" => got.excess_kurtosis,
                "t" => got.t,
                "nelo" => got.nelo,
                "nelo_halfwidth" => got.nelo_error,
                "nelo_halfwidth_simple" => got.nelo_error_simple,
                _ => panic!("the vectors hold a field unknown to this test: {key}"),
            };
            // The reference has 12 digits, which is more than 1e-8 of a large number can use.
            let tolerance = match key.as_str() {
                "elo" | "elo_lo" | "elo_hi" | "elo_halfwidth" | "nelo" => 1e-6,
                "nelo_halfwidth" | "nelo_halfwidth_simple" => 1e-6,
                _ => 1e-8,
            };
            let what = format!("{index} {} {key}", case["name"]);
            check.close(&what, Some(value), want, |want| {
                tolerance + 1e-11 * want.abs()
            });
        }
    }
    check.finish();
}

#[test]
fn vectors_likelihood_ratios() {
    let file = load("sprt.json");
    let mut check = Checker::new();
    for case in cases(&file, "histograms") {
        let games = u32::try_from(count(&case["games_per_observation"])).unwrap();
        let histogram = histogram(&case["histogram"], games);
        for want in cases(case, "llr") {
            let what = format!("{} {} to {}", case["name"], want["elo0"], want["elo1"]);
            for (key, unit) in UNITS {
                let got = llr(&spec(unit, want, histogram.set()), &histogram);
                assert_eq!(got.method, LlrMethod::Exact, "{what} {key}");
                check.close(&format!("{what} {key}"), Some(got.value), &want[key], ratio);
            }
            let bounds = [float(&want["elo0"]), float(&want["elo1"])];
            let got = llr_without_regularisation(bounds, &histogram);
            check.close(&what, Some(got), &want["logistic_no_regularisation"], ratio);
        }
    }
    for case in cases(&file, "lattice_5_vs_9") {
        let five = histogram(&case["five"], 2);
        let nine = nine_cells(&five);
        let what = format!("{} {} to {}", case["five"], case["elo0"], case["elo1"]);
        for (key, unit) in UNITS {
            for (cells, histogram) in [("5", &five), ("9", &nine)] {
                let got = llr(&spec(unit, case, histogram.set()), histogram).value;
                check.close(
                    &format!("{what} {key}{cells}"),
                    Some(got),
                    &case[key.to_owned() + cells],
                    ratio,
                );
            }
        }
        let bounds = [float(&case["elo0"]), float(&case["elo1"])];
        for histogram in [&five, &nine] {
            let got = llr_without_regularisation(bounds, histogram);
            check.close(
                &format!("{what} exact"),
                Some(got),
                &case["logistic_exact"],
                ratio,
            );
        }
    }
    check.finish();
}

#[test]
fn vectors_sequential_estimates() {
    let file = load("sprt.json");
    let mut check = Checker::new();
    for case in cases(&file, "histograms") {
        let games = u32::try_from(count(&case["games_per_observation"])).unwrap();
        let histogram = histogram(&case["histogram"], games);
        let test = &case["sequential"];
        for (key, unit) in UNITS {
            let what = format!("{} sequential {key}", case["name"]);
            let want = &test[key];
            if want.is_null() {
                let bounds = serde_json::json!({ "elo0": 0, "elo1": 5 });
                let got =
                    sequential_estimate(&spec(unit, &bounds, histogram.set()), &histogram, 0.95);
                check.equal(&what, &got.unwrap().elo, &None);
                continue;
            }
            let spec = spec(unit, test, histogram.set());
            let got = sequential_estimate(&spec, &histogram, float(&test["level"])).unwrap();
            let elo = |_: f64| 1e-3;
            check.close(&format!("{what} elo"), got.elo, &want["elo"], elo);
            check.all_close(
                &format!("{what} ci"),
                &[got.lower, got.upper],
                &want["ci"],
                elo,
            );
            check.close(&format!("{what} los"), Some(got.los), &want["los"], |_| {
                1e-5
            });
            check.close(
                &format!("{what} llr"),
                Some(got.llr),
                &want["llr_approx"],
                ratio,
            );
            check.close(
                &format!("{what} T"),
                Some(got.observations),
                &want["T"],
                ratio,
            );
            let clamped = want["clamped"].as_bool().unwrap();
            check.equal(&format!("{what} clamped"), &got.past_bound, &clamped);
        }
    }
    check.finish();
}

#[test]
fn vectors_overshoot() {
    let file = load("sprt.json");
    let mut check = Checker::new();
    for (index, case) in cases(&file, "overshoot").iter().enumerate() {
        let cells = count(&case["cells"]);
        let set = CellSet::new(cells, if cells == 3 { 1 } else { 2 }).unwrap();
        let (_, unit) = UNITS
            .into_iter()
            .find(|(name, _)| case["model"] == *name)
            .unwrap();
        let mut test = SprtTest::new(spec(unit, case, set), Some(Overshoot::default()));
        let sequence: Vec<usize> = case["sequence"]
            .as_array()
            .unwrap()
            .iter()
            .map(count)
            .collect();
        let ratios: Vec<Option<f64>> = sequence
            .chunks(count(&case["batch"]))
            .map(|batch| Some(test.add_batch(batch).unwrap().llr.value))
            .collect();
        let what = format!("overshoot {index}");
        check.all_close(
            &format!("{what} llr"),
            &ratios,
            &case["llr_after_each_batch"],
            ratio,
        );
        check.equal(
            &format!("{what} counts"),
            &test.histogram().counts().to_vec(),
            &counts(&case["final_histogram"]),
        );
        let state = test.overshoot().unwrap();
        let fields = [
            ("ref0", state.ref0),
            ("m0", state.m0),
            ("sq0", state.sq0),
            ("ref1", state.ref1),
            ("m1", state.m1),
            ("sq1", state.sq1),
        ];
        for (key, got) in fields {
            check.close(
                &format!("{what} {key}"),
                Some(got),
                &case["overshoot"][key],
                ratio,
            );
        }
        let [up, down] = state.corrections();
        check.close(
            &format!("{what} up"),
            Some(up),
            &case["lower_correction"],
            ratio,
        );
        check.close(
            &format!("{what} down"),
            Some(down),
            &case["upper_correction"],
            ratio,
        );
        let status = test.status();
        check.close(
            &format!("{what} lower"),
            Some(status.lower),
            &case["lower"],
            ratio,
        );
        check.close(
            &format!("{what} upper"),
            Some(status.upper),
            &case["upper"],
            ratio,
        );
    }
    check.finish();
}

#[test]
fn vectors_expected_duration() {
    let file = load("sprt.json");
    let mut check = Checker::new();
    for (index, case) in cases(&file, "expected_duration").iter().enumerate() {
        let what = format!("duration {index}");
        let counts = counts(&case["variance_from"]);
        let histogram = Histogram::new(CellSet::new(counts.len(), 2).unwrap(), &counts).unwrap();
        let variance = histogram.law().unwrap().variance();
        check.close(
            &format!("{what} variance"),
            Some(variance),
            &case["var"],
            |_| 1e-10,
        );
        let spec = spec(EloUnit::Logistic, case, histogram.set());
        let got = expected_length(&spec, float(&case["true_elo"]), variance).unwrap();
        let pairs = Some(got.observations);
        check.close(
            &format!("{what} pairs"),
            pairs,
            &case["expected_pairs"],
            ratio,
        );
        let pass = Some(got.pass_probability);
        check.close(
            &format!("{what} pass"),
            pass,
            &case["pass_probability"],
            |_| 1e-9,
        );
    }
    check.finish();
}
