//! `brouhaha compare` and its exit codes.

use std::path::Path;
use std::process::Command;

use crate::process::{brouhaha, complaint, json, output};

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
