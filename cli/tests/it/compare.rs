//! `brouhaha compare` and its exit codes.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::process::{Running, Serving, brouhaha, complaint, json, output, wait_for};

fn compare(data_dir: &Path, candidate_nodes: u32, more: &[&str]) -> Command {
    let mut command = brouhaha();
    command.args([
        "compare",
        "--base",
        "builtin:Hash=1",
        "--candidate",
        "builtin:Hash=2",
        "--variant",
        "chess",
    ]);
    command.args([
        "--limit",
        "nodes=100",
        "--candidate-limit",
        &format!("nodes={candidate_nodes}"),
    ]);
    command.args(more).arg("--data-dir").arg(data_dir);
    command
}

#[test]
fn a_match_ends_with_elo_and_interval() {
    let folder = tempfile::tempdir().unwrap();
    let result = json(&mut compare(
        folder.path(),
        400,
        &["--pairs", "8", "--format", "json"],
    ));
    assert_eq!(result["games"], 16);
    assert!(result["elo_low"].as_f64().unwrap() > 0.0, "{result}");
    let pairs: u64 = result["pair_quarters"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap())
        .sum();
    assert_eq!(pairs, 8);
    // The same comparison again is the same result at once; turned round it is the negative.
    let again = json(&mut compare(
        folder.path(),
        400,
        &["--pairs", "8", "--format", "json"],
    ));
    assert_eq!(again, result);
}

#[test]
fn games_end_early_by_the_rules_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let reasons = |rules: &[&str]| {
        let arguments = [&["--pairs", "3", "--fresh", "--format", "json"], rules].concat();
        let id = json(&mut compare(folder.path(), 100, &arguments))["tournament"].to_string();
        let mut standings = brouhaha();
        standings.args([
            "tournament",
            "standings",
            &id,
            "--format",
            "json",
            "--data-dir",
        ]);
        json(standings.arg(folder.path()))["end_reasons"].clone()
    };
    let ended = |rules: &[&str], reason: &str| reasons(rules)[reason].as_u64().unwrap_or(0);
    assert_eq!(ended(&["--resign", "1,1"], "adjudicated-resign"), 6);
    assert_eq!(ended(&["--advantage", "1,1"], "adjudicated-advantage"), 6);
    assert_eq!(ended(&["--draw", "30000,1,2"], "adjudicated-draw"), 6);
}

#[test]
fn the_exit_code_of_a_test_tells_its_verdict() {
    for (nodes, more, code) in [
        (2000, &["--sprt", "0,50"][..], 0),
        (10, &["--sprt", "0,50"][..], 3),
        (100, &["--sprt", "0,1", "--pairs", "2"][..], 4),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let ended = output(&mut compare(folder.path(), nodes, more));
        let errors = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{errors}");
        assert!(String::from_utf8_lossy(&ended.stdout).contains("LLR"));
    }
}

#[test]
fn a_sequential_test_is_asked_for_in_all_its_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let refused = complaint(&mut compare(folder.path(), 100, &["--sprt", "0,200"]), 1);
    assert!(refused.contains("beyond +-100 normalized Elo"), "{refused}");
    complaint(
        &mut compare(folder.path(), 100, &["--pairs", "1", "--unit", "logistic"]),
        2,
    );
    let more = [
        "--sprt",
        "-300,300",
        "--unit",
        "logistic",
        "--alpha",
        "0.1",
        "--beta",
        "0.2",
        "--overshoot-correction",
        "false",
        "--pairs",
        "40",
        "--format",
        "json",
    ];
    let result = json(&mut compare(folder.path(), 2000, &more));
    let sprt = &result["sprt"];
    // ln(0.2 / 0.9) and ln(0.8 / 0.1), which nothing has moved.
    assert_eq!(
        (&sprt["lower"], &sprt["upper"]),
        (&(-1.5).into(), &2.08.into())
    );
    assert_eq!(
        (
            &sprt["verdict"],
            &sprt["overshoot_corrected"],
            &sprt["closed_form"]
        ),
        (&"accepted".into(), &false.into(), &false.into())
    );
}

/// A comparison in two variants.
fn in_two(data_dir: &Path, candidate_nodes: u32, more: &[&str]) -> Command {
    let mut command = compare(data_dir, candidate_nodes, more);
    command.args(["--variant", "augmenters", "--format", "json"]);
    command
}

/// The ratio of the pairs of a variant, by the command that judges counts.
fn ratio(pair_quarters: &serde_json::Value, bounds: [&str; 2]) -> f64 {
    let counts: Vec<String> = pair_quarters
        .as_array()
        .unwrap()
        .iter()
        .map(ToString::to_string)
        .collect();
    let mut judge = brouhaha();
    judge.args([
        "stats",
        "sprt",
        "--format",
        "json",
        "--pairs",
        &counts.join(","),
    ]);
    judge.args(["--elo0", bounds[0], "--elo1", bounds[1]]);
    json(&mut judge)["llr"].as_f64().unwrap()
}

#[test]
fn several_variants_have_one_verdict_by_the_sum_of_their_ratios() {
    for (nodes, verdict, code) in [(2000, "accepted", 0), (10, "rejected", 3)] {
        let folder = tempfile::tempdir().unwrap();
        let test = ["--sprt", "0,80"];
        let ended = output(&mut in_two(folder.path(), nodes, &test));
        let errors = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(code), "{errors}");
        let found: serde_json::Value = serde_json::from_slice(&ended.stdout).unwrap();
        let (variants, joint) = (&found["variants"], &found["joint"]["sprt"]);
        assert_eq!(joint["verdict"], verdict, "{found}");
        assert_eq!(
            [&variants[0]["variant"], &variants[1]["variant"]],
            ["chess", "augmenters"]
        );
        let sum: f64 = [0, 1]
            .map(|index: usize| ratio(&variants[index]["pair_quarters"], ["0", "80"]))
            .iter()
            .sum();
        assert!(
            (sum - joint["llr"].as_f64().unwrap()).abs() < 0.011,
            "{found}"
        );
        let pairs = [0, 1].map(|index: usize| variants[index]["pairs"].as_u64().unwrap());
        assert_eq!(joint["pairs"], pairs[0] + pairs[1]);
        // The same command again is the same result, of the games that are there.
        let again = output(&mut in_two(folder.path(), nodes, &test));
        assert_eq!(again.stdout, ended.stdout);
        assert!(String::from_utf8_lossy(&again.stderr).contains("this is finished"));
    }
}

#[test]
fn a_joint_match_pools_its_variants_and_shares_games_with_each_alone() {
    let folder = tempfile::tempdir().unwrap();
    let pairs = ["--pairs", "6"];
    let alone = json(compare(folder.path(), 115, &pairs).args(["--format", "json"]));
    let both = json(&mut in_two(folder.path(), 115, &pairs));
    let (variants, joint) = (&both["variants"], &both["joint"]);
    // The games played alone are these: the tournament is the same.
    assert_eq!(variants[0]["tournament"], alone["tournament"]);
    assert_eq!(variants[0]["pair_quarters"], alone["pair_quarters"]);
    assert_eq!(
        (&joint["sprt"], &joint["freedom"]),
        (&serde_json::Value::Null, &1.into())
    );
    // Between the two differences, and known better than either.
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let width = |value: &serde_json::Value| number(&value["elo_high"]) - number(&value["elo_low"]);
    let elos = [0, 1].map(|index: usize| number(&variants[index]["elo"]));
    let elo = number(&joint["elo"]);
    assert!(
        elos[0].min(elos[1]) <= elo && elo <= elos[0].max(elos[1]),
        "{both}"
    );
    assert!(
        width(joint) < width(&variants[0]).min(width(&variants[1])),
        "{both}"
    );
    let table = crate::process::printed(
        compare(folder.path(), 115, &pairs).args(["--variant", "augmenters"]),
    );
    for line in ["| chess", "| augmenters", "Joint Elo: ", "Cochran's Q"] {
        assert!(table.contains(line), "{table}");
    }
}

#[test]
fn variants_are_named_once_and_exist() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |variant: &str, problem: &str| {
        let more = ["--pairs", "1", "--variant", variant];
        let errors = complaint(&mut compare(folder.path(), 100, &more), 1);
        assert!(errors.contains(problem), "{errors}");
    };
    refused("chess", "named twice");
    refused("augmenters,augmenters", "named twice");
    refused("draughts", "unknown variant `draughts`");
}

#[test]
fn a_variant_that_is_refused_leaves_no_comparison_of_the_others_behind() {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let weights = root.join("engine/evaluation/chess.toml");
    let mut mixed = brouhaha();
    mixed.args(["compare", "--base", "builtin", "--pairs", "4"]);
    // Weights of chess, which do not fit the other game.
    mixed.args([
        "--candidate",
        &format!("builtin:EvalFile={}", weights.display()),
    ]);
    mixed.args(["--variant", "chess,augmenters", "--data-dir"]);
    let errors = complaint(mixed.arg(folder.path()), 1);
    assert!(errors.contains("variant `augmenters`"), "{errors}");
    let mut list = brouhaha();
    list.args(["tournament", "list", "--format", "json", "--data-dir"]);
    let list = json(list.arg(folder.path()));
    let states: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|one| &one["state"])
        .collect();
    assert_eq!(states, ["cancelled"], "{list}");
}

#[test]
fn several_variants_go_on_after_any_kill_to_the_same_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "compare",
        "--base",
        "builtin:Hash=1",
        "--candidate",
        "builtin:Hash=2",
        "--variant",
        "chess,augmenters",
        "--limit",
        "nodes=60",
        "--candidate-limit",
        "nodes=90",
        "--sprt",
        "-20,60",
        "--pairs",
        "40",
        "--format",
        "json",
    ];
    let mut straight = brouhaha();
    straight.args(arguments).arg("--data-dir");
    let expected = output(straight.arg(folder.path().join("straight")));
    assert!(!expected.stdout.is_empty(), "{expected:?}");

    let data_dir = folder.path().join("data");
    let mut serving = Serving::start(&data_dir);
    let _workers = [serving.worker("first"), serving.worker("second")];
    let mut client = Running::start(serving.command(&arguments).stdout(Stdio::null()));
    wait_for(|| {
        let games = output(&mut serving.command(&["tournament", "show", "2", "--format", "json"]));
        let shown: serde_json::Value = serde_json::from_slice(&games.stdout).ok()?;
        (shown["stored_games"].as_u64()? >= 4).then_some(())
    });
    client.kill();
    serving.process.kill();
    serving = serving.again(&data_dir);
    let ended = output(&mut serving.command(&arguments));
    assert_eq!(
        String::from_utf8_lossy(&ended.stdout),
        String::from_utf8_lossy(&expected.stdout)
    );
    assert_eq!(ended.status.code(), expected.status.code());
    // Nothing is played on after the verdict.
    for id in ["1", "2"] {
        assert_ne!(serving.show(id)["state"], "running");
    }
}
