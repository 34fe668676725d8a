//! `brouhaha ratings`: what can be asked, of a data directory and of a running coordinator.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::files::Small;
use crate::process::{Running, Serving, brouhaha, complaint, games, json, printed};

/// A data directory with two tournaments of one pool, the same three players in both.
fn two_tournaments(folder: &Path) -> std::path::PathBuf {
    let data_dir = folder.join("data");
    for pairs in [2, 1] {
        let file = Small {
            pairs,
            ..Small::ROUND_ROBIN
        }
        .write(folder);
        let mut run = brouhaha();
        run.arg("run").arg(file).arg("--data-dir").arg(&data_dir);
        printed(run.args(["--workers", "1", "--slots", "1"]));
    }
    data_dir
}

fn asked(data_dir: &Path, arguments: &[&str]) -> Command {
    let mut command = brouhaha();
    command.arg("ratings").args(arguments);
    command.arg("--data-dir").arg(data_dir);
    command
}

fn answer(data_dir: &Path, arguments: &[&str]) -> Value {
    json(asked(data_dir, arguments).args(["--format", "json"]))
}

fn elo(list: &Value, player: &str) -> f64 {
    let ratings = list["ratings"].as_array().unwrap();
    let found = ratings.iter().find(|rating| rating["player"] == player);
    found.unwrap()["elo"].as_f64().unwrap()
}

/// Games of both tournaments as (first, second, points of the first).
fn all_games(data_dir: &Path) -> Vec<(String, String, f64)> {
    let mut all = Vec::new();
    for id in ["1", "2"] {
        let mut command = brouhaha();
        command.args(["tournament", "games", id, "--as", "json", "--data-dir"]);
        let text = |game: &Value, key: &str| game[key].as_str().unwrap().to_owned();
        all.extend(games(command.arg(data_dir)).iter().map(|game| {
            let points = game["first_points"].as_f64().unwrap();
            (text(game, "first"), text(game, "second"), points)
        }));
    }
    all
}

#[test]
fn lists_are_of_then_of_some_and_by_other_rules() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = two_tournaments(folder.path());
    let ask = |arguments: &[&str]| answer(&data_dir, arguments);
    let now = ask(&[]);
    assert_eq!(
        (&now["games"], &now["model"], &now["error_bars"]),
        (&18.into(), &"score".into(), &"dispersion".into())
    );
    assert_eq!(ask(&["--tournament", "1"])["games"], 12);
    assert_eq!(ask(&["--tournament", "2"])["games"], 6);
    assert_eq!(ask(&["--tournament", "2", "--tournament", "1"]), now);
    // The two tournaments were played one after the other.
    let then = ask(&["--as-of-game", "12"]);
    assert_eq!(then["ratings"], ask(&["--tournament", "1"])["ratings"]);
    assert_eq!(ask(&["--as-of-game", "5"])["games"], 5);
    assert_eq!(ask(&["--as-of-game", "999"]), now);
    assert_eq!(ask(&["--as-of", "2999-01-01T00:00:00Z"])["games"], 18);
    let long_ago = ask(&["--as-of", "2001-01-01T00:00:00+01:00"]);
    assert_eq!(
        (
            &long_ago["games"],
            long_ago["ratings"].as_array().unwrap().len()
        ),
        (&0.into(), 0)
    );
    assert_eq!(ask(&["--as-of", "1000"])["games"], 0);

    let anchored = ask(&["--anchor", "p0=1500", "--anchor", "p1=1400"]);
    assert_eq!(
        (elo(&anchored, "p0"), elo(&anchored, "p1")),
        (1500.0, 1400.0)
    );
    let anchored = ask(&["--anchor", "p2", "--anchor-elo", "-50"]);
    assert_eq!(elo(&anchored, "p2"), -50.0);
    assert!(
        (elo(&anchored, "p0") - elo(&anchored, "p2") - (elo(&now, "p0") - elo(&now, "p2"))).abs()
            < 0.11
    );
    let mean = ask(&["--anchor-elo", "1000"]);
    let sum: f64 = ["p0", "p1", "p2"]
        .iter()
        .map(|player| elo(&mean, player))
        .sum();
    assert!((sum - 3000.0).abs() < 0.2, "{sum}");
    let without = ask(&["--exclude", "p2"]);
    assert_eq!(
        (&without["games"], &without["stored_games"]),
        (&6.into(), &18.into())
    );
    let other = ask(&["--model", "ordered-logit"]);
    assert_eq!(
        (&other["model"], &other["error_bars"]),
        (&"ordered-logit".into(), &"binomial".into())
    );
    let fixed = ask(&["--first-move", "20", "--error-bars", "none"]);
    assert_eq!(
        (&fixed["first_move_elo"], &fixed["ratings"][0]["interval"]),
        (&20.0.into(), &Value::Null)
    );
    let narrow = ask(&["--confidence", "0.5"]);
    let half = |list: &Value| list["ratings"][0]["interval"].as_f64().unwrap();
    assert!(half(&narrow) < half(&now) / 2.0);

    // Usage errors are 2, refusals of the coordinator 1, each by name.
    for (arguments, code, word) in [
        (vec!["--as-of", "yesterday"], 2, "yesterday"),
        (vec!["--as-of-game", "0"], 2, "--as-of-game"),
        (vec!["--as-of-game", "1", "--as-of", "1000"], 2, "--as-of"),
        (vec!["--model", "elostat"], 2, "ordered-logit"),
        (vec!["--superiority", "--cross-table"], 2, "--cross-table"),
        (vec!["--cross-table", "--exclude", "p0"], 2, "--exclude"),
        (vec!["--player", "p0"], 2, "--player"),
        (vec!["--model", "score", "pools"], 2, "--model"),
        (vec!["history", "p0", "--as-of-game", "3"], 2, "--as-of"),
        (vec!["--watch"], 2, "--data-dir"),
        (
            vec!["--tournament", "1", "--variant", "chess"],
            2,
            "--variant",
        ),
        (vec!["--tournament", "7"], 1, "tournament 7"),
        (
            vec!["--tournament", "1", "--tournament", "7"],
            1,
            "tournament 7",
        ),
        (vec!["--anchor", "nobody=1"], 1, "nobody"),
        (vec!["--anchor", "p0=1", "--anchor", "p0=2"], 1, "twice"),
        (vec!["--exclude", ""], 1, "empty"),
        (vec!["--confidence", "1.5"], 1, "confidence"),
        (vec!["--prior", "-3"], 2, "-3"),
        (
            vec!["--superiority", "--player", "p0", "--player", "p0"],
            1,
            "twice",
        ),
        (vec!["sprt", "1"], 1, "no sequential test"),
        (vec!["forecast", "p0", "p0"], 1, "opponent"),
    ] {
        let errors = complaint(&mut asked(&data_dir, &arguments), code);
        assert!(errors.contains(word), "{arguments:?}: {errors}");
    }
}

#[test]
fn tables_add_up_to_the_games() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = two_tournaments(folder.path());
    let games = all_games(&data_dir);
    assert_eq!(games.len(), 18);
    let points = |player: &str, opponent: &str| -> f64 {
        let own = |(first, second, points): &(String, String, f64)| match () {
            () if first == player && second == opponent => *points,
            () if second == player && first == opponent => 1.0 - points,
            () => 0.0,
        };
        games.iter().map(own).sum()
    };
    let table = answer(&data_dir, &["--cross-table"]);
    for row in table["rows"].as_array().unwrap() {
        let player = row["player"].as_str().unwrap();
        let cells = row["cells"].as_array().unwrap();
        assert_eq!(cells.len(), 2);
        for cell in cells {
            let opponent = cell["opponent"].as_str().unwrap();
            assert_eq!(cell["points"].as_f64().unwrap(), points(player, opponent));
            assert_eq!(cell["games"], 6);
        }
    }
    let two = answer(
        &data_dir,
        &[
            "--cross-table",
            "--player",
            "p0",
            "--player",
            "p1",
            "--as-of-game",
            "12",
        ],
    );
    assert_eq!(two["rows"][0]["cells"][0]["games"], 4);

    let list = answer(&data_dir, &[]);
    let matrix = answer(&data_dir, &["--superiority"]);
    assert_eq!(matrix["ratings"], list["ratings"]);
    for i in 0..3 {
        for j in 0..3 {
            let los = matrix["superiority"][i][j].as_f64();
            assert_eq!(los.is_none(), i == j);
            let back = matrix["superiority"][j][i].as_f64();
            assert!(
                los.zip(back)
                    .is_none_or(|(los, back)| (los + back - 1.0).abs() < 0.0011)
            );
        }
    }
    assert_eq!(matrix["superiority"][0][1], list["ratings"][0]["los_next"]);

    let forecast = answer(&data_dir, &["forecast", "p0", "p1"]);
    let difference = elo(&list, "p0") - elo(&list, "p1") + list["first_move_elo"].as_f64().unwrap();
    let expected = 1.0 / (1.0 + 10f64.powf(-difference / 400.0));
    assert!((forecast["moving_first"]["points"].as_f64().unwrap() - expected).abs() < 0.001);
    let met = answer(
        &data_dir,
        &["head-to-head", "p0", "p1", "--as-of-game", "12"],
    );
    assert_eq!((&met["games"], &met["unpaired"]), (&4.into(), &0.into()));

    // All of it is for people, too.
    for arguments in [
        &["--superiority"][..],
        &["--cross-table"],
        &["forecast", "p0", "p1"],
        &["head-to-head", "p0", "p1"],
        &["history", "p0"],
        &["pools"],
    ] {
        let text = printed(&mut asked(&data_dir, arguments));
        assert!(text.contains("| "), "{arguments:?}: {text}");
    }
}

#[test]
fn a_sequential_test_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let file = Small {
        format: "head-to-head",
        pairs: 6,
        players: 2,
        more: "[sprt]\nelo0 = 0.0\nelo1 = 10.0",
        ..Small::ROUND_ROBIN
    }
    .write(folder.path());
    let data_dir = folder.path().join("data");
    printed(
        brouhaha()
            .arg("run")
            .arg(file)
            .arg("--data-dir")
            .arg(&data_dir),
    );
    let test = answer(&data_dir, &["sprt", "1"]);
    assert_eq!(
        (&test["base"], &test["candidate"], &test["pairs"]),
        (&"p0".into(), &"p1".into(), &6.into())
    );
    assert_eq!(
        (&test["state"], &test["unit"], &test["counted"]["games"]),
        (&"continue".into(), &"normalized".into(), &12.into())
    );
    let text = printed(&mut asked(&data_dir, &["sprt", "1"]));
    assert!(
        text.contains("p1 against p0: continue after 6 pairs") && text.contains("median-unbiased"),
        "{text}"
    );
}

#[test]
fn a_watch_prints_the_list_again_when_it_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let file = Small::ROUND_ROBIN.write(folder.path());
    let serving = Serving::start(&folder.path().join("data"));
    let id = serving.create(&file);
    let watching = [
        "ratings",
        "--tournament",
        &id,
        "--watch",
        "--format",
        "json",
    ];
    let mut watching = Running(
        serving
            .command(&watching)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut lines = BufReader::new(watching.0.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["games"], 0);
    let _worker = serving.worker("w");
    let mut seen = 0;
    while seen < 36 {
        let games = next()["games"].as_u64().unwrap();
        assert!(games > seen);
        seen = games;
    }
    // It ends with the coordinator, and says so.
    let mut serving = serving;
    assert!(serving.process.stop().success());
    assert_eq!(watching.wait().code(), Some(1));
}
