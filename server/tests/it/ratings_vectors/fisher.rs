//! Information of outcomes and scores against `fisher.json`.

use serde_json::Value;
use server::ratings::OrderedLogit;
use server::ratings::elo::ELO_PER_NAT;
use server::ratings::fisher::{Scoring, information};

use super::{Checker, cases, float, load};

/// The file states no tolerance; it prints ten significant digits.
fn tolerance(want: f64) -> f64 {
    1e-9 * want.abs().max(1.0)
}

fn shares(value: &Value) -> [f64; 5] {
    let shares: Vec<f64> = value.as_array().unwrap().iter().map(float).collect();
    shares.try_into().unwrap()
}

#[test]
fn vectors_fisher_information() {
    let file = load("fisher.json");
    let mut check = Checker::new();
    for case in cases(&file, "rows") {
        let what = format!("{} at {}", case["mix"], case["elo_difference"]);
        let shape = OrderedLogit::thresholds(&shares(&case["shares_equal"]));
        let eta = float(&case["elo_difference"]) / ELO_PER_NAT;
        let law = OrderedLogit::shares(eta, shape).unwrap().map(Some);
        check.all_close(
            &format!("{what} shares"),
            &law,
            &case["probabilities"],
            tolerance,
        );
        let of = |scoring| information(shape, eta, scoring).unwrap();
        let (five, draws) = (of(Scoring::Five), of(Scoring::QuartersAsDraws));
        let decisive = of(Scoring::QuartersAsDecisive);
        let fields = [
            ("info5", five.outcome),
            ("score_info5", five.score),
            ("info3_quarters_as_draw", draws.outcome),
            ("score_info3_quarters_as_draw", draws.score),
            ("info3_quarters_as_decisive", decisive.outcome),
            ("score_info3_quarters_as_decisive", decisive.score),
            ("variance5", five.variance),
            ("nelo_per_elo", five.nelo_per_elo),
        ];
        for (key, got) in fields {
            check.close(&format!("{what} {key}"), Some(got), &case[key], tolerance);
        }
    }
    check.finish();
}
