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
        (vec!["pools", "--tournament", "1"], 2, "--tournament"),
        (vec!["--tournament", "1", "pools"], 2, "--tournament"),
        (vec!["sprt", "1", "--as-of-game", "3"], 2, "--as-of-game"),
        (vec!["--watch", "history", "p0"], 2, "--watch"),
        (
            vec!["head-to-head", "p0", "p1", "--prior", "2"],
            2,
            "--prior",
        ),
        (
            vec!["--prior", "2", "head-to-head", "p0", "p1"],
            2,
            "--prior",
        ),
        (
            vec!["--prior", "2", "forecast", "p0", "p1", "--seed", "3"],
            2,
            "write all of it behind",
        ),
        (
            vec!["--error-bars-for", "p0", "--cross-table"],
            2,
            "--error-bars-for",
        ),
        (
            vec!["--error-bars", "bootstrap", "--refits", "19"],
            2,
            "20..=1000",
        ),
        (
            vec!["--error-bars", "bootstrap", "--refits", "1001"],
            2,
            "20..=1000",
        ),
        (
            vec![
                "history",
                "p0",
                "--error-bars",
                "bootstrap",
                "--refits",
                "201",
            ],
            1,
            "the limit is 4000",
        ),
        (
            vec!["--variant", "ches"],
            1,
            "no games of `ches` are stored yet",
        ),
        (
            vec!["--variant", "chess", "--limit-class", "nodes=7"],
            1,
            "under `nodes=7` are stored yet, but some under nodes=40",
        ),
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
        (vec!["--confidence", "1.5"], 2, "confidence"),
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
            assert_eq!(matrix["games_between"][i][j], if i == j { 0 } else { 6 });
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
    assert_eq!(
        ["games", "games_between", "player_games", "opponent_games"].map(|key| &forecast[key]),
        [&18.into(), &6.into(), &12.into(), &12.into()].map(|count: &Value| count)
    );
    let (side, interval) = (
        &forecast["moving_first"],
        forecast["interval"].as_f64().unwrap(),
    );
    for (end, shift) in [("low", -interval), ("high", interval)] {
        let expected = 1.0 / (1.0 + 10f64.powf(-(difference + shift) / 400.0));
        let found = side[end]["points"].as_f64().unwrap();
        assert!(
            (found - expected).abs() < 0.001,
            "{end}: {found} {expected}"
        );
        assert_eq!(side[end]["shares"].as_array().unwrap().len(), 5);
    }
    let met = answer(
        &data_dir,
        &["head-to-head", "p0", "p1", "--as-of-game", "12"],
    );
    assert_eq!(
        (&met["games"], &met["unpaired"], &met["confidence"]),
        (&4.into(), &0.into(), &0.95.into())
    );
    // Options of a subcommand stand behind it or before it.
    let late = [
        "head-to-head",
        "p0",
        "p1",
        "--tournament",
        "1",
        "--confidence",
        "0.9",
    ];
    let early = [
        "--tournament",
        "1",
        "--confidence",
        "0.9",
        "head-to-head",
        "p0",
        "p1",
    ];
    let late = answer(&data_dir, &late);
    assert_eq!(
        (&late["games"], &late["confidence"]),
        (&4.into(), &0.9.into())
    );
    assert_eq!(answer(&data_dir, &early), late);

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
    let data_dir = folder.path().join("data");
    let serving = Serving::start(&data_dir);
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
            .stderr(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let mut lines = BufReader::new(watching.0.stdout.take().unwrap()).lines();
    let mut next = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(next()["games"], 0);
    let worker = serving.worker("w");
    let mut seen = 0;
    let mut until = |games: u64, next: &mut dyn FnMut() -> Value| {
        while seen < games {
            let now = next()["games"].as_u64().unwrap();
            assert!(now > seen, "{now} after {seen}");
            seen = now;
        }
    };
    until(4, &mut next);
    // It outlives the coordinator, and says so; what is known already is not printed again.
    let mut serving = serving;
    assert!(serving.process.stop().success());
    let mut errors = BufReader::new(watching.0.stderr.take().unwrap()).lines();
    let told = errors.next().unwrap().unwrap();
    assert!(told.contains("the coordinator has gone"), "{told}");
    let _serving = serving.again(&data_dir);
    until(36, &mut next);
    assert!(watching.stop().success());
    drop(worker);
}

/// The only pool there is and a pool by name are waited for, and told once.
#[test]
fn a_watch_waits_for_the_first_games() {
    let folder = tempfile::tempdir().unwrap();
    let serving = Serving::start(&folder.path().join("data"));
    let pool = ["--variant", "chess", "--limit-class", "nodes=40"];
    let watches: Vec<_> = [&[][..], &pool[..2], &pool[..]]
        .into_iter()
        .map(|scope| {
            let mut command = serving.command(&["ratings", "--watch", "--format", "json"]);
            let command = command.args(scope).stdin(Stdio::null());
            let mut watching = Running(
                command
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap(),
            );
            let mut errors = BufReader::new(watching.0.stderr.take().unwrap()).lines();
            let told = errors.next().unwrap().unwrap();
            assert!(told.contains("are stored yet; waiting for some"), "{told}");
            (watching, errors)
        })
        .collect();
    // They have looked again by then, in vain.
    std::thread::sleep(std::time::Duration::from_secs(1));
    serving.create(&Small::ROUND_ROBIN.write(folder.path()));
    let _worker = serving.worker("w");
    for (mut watching, errors) in watches {
        let mut lines = BufReader::new(watching.0.stdout.take().unwrap()).lines();
        let list: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert!(list["games"].as_u64().unwrap() > 0, "{list}");
        assert!(watching.stop().success());
        assert_eq!(errors.count(), 0);
    }
}

/// Long options of a help text, but for those of every subcommand.
fn flags(help: &str) -> Vec<&str> {
    const OF_ALL: [&str; 7] = [
        "--coordinator",
        "--token",
        "--data-dir",
        "--format",
        "--help",
        "--variant-file",
        "--version",
    ];
    let lines = help.lines().map(str::trim_start);
    let words = lines.filter(|line| line.starts_with('-')).flat_map(|line| {
        let word = |word: &&str| word.starts_with("--");
        line.split([' ', ',']).find(word)
    });
    words.filter(|flag| !OF_ALL.contains(flag)).collect()
}

/// Each subcommand shows what it takes, and nothing that it would refuse.
#[test]
fn help_shows_the_options_that_a_subcommand_takes() {
    let scope = ["--tournament", "--variant", "--limit-class"];
    let moment = ["--as-of-game", "--as-of"];
    let options = [
        "--anchor",
        "--anchor-elo",
        "--model",
        "--error-bars",
        "--prior",
        "--first-move",
        "--exclude",
        "--refits",
        "--seed",
        "--link",
    ];
    let all = [&scope[..], &moment, &["--confidence"], &options].concat();
    for (query, expected) in [
        ("pools", vec![]),
        ("history", [&["--points"], &all[..]].concat()),
        (
            "head-to-head",
            [&scope[..], &moment, &["--confidence"]].concat(),
        ),
        ("forecast", all.clone()),
        ("sprt", vec!["--confidence"]),
    ] {
        let help = printed(brouhaha().args(["ratings", query, "-h"]));
        assert_eq!(flags(&help), expected, "{query}");
    }
}

/// A history has the options of a list: its last point is the list's rating, with its interval.
#[test]
fn a_history_answers_as_lists_do() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = two_tournaments(folder.path());
    let options = [
        "--tournament",
        "1",
        "--anchor",
        "p1=1500",
        "--model",
        "ordered-logit",
        "--confidence",
        "0.8",
    ];
    let history = [&["history", "p0", "--points", "4"], &options[..]].concat();
    let history = answer(&data_dir, &history);
    let games: Vec<u64> = history["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point["pool_games"].as_u64().unwrap())
        .collect();
    assert_eq!(games, [3, 6, 9, 12]);
    assert_eq!(
        ["player", "model", "error_bars", "limit_class"].map(|key| history[key].as_str().unwrap()),
        ["p0", "ordered-logit", "binomial", "nodes=40"]
    );
    assert_eq!(history["confidence"], 0.8);
    let list = answer(&data_dir, &options);
    let ratings = list["ratings"].as_array().unwrap();
    let listed = ratings
        .iter()
        .find(|rating| rating["player"] == "p0")
        .unwrap();
    for key in ["elo", "interval", "interval_ends", "games", "points"] {
        assert_eq!(history["points"][3][key], listed[key], "{key}");
    }
    let text = printed(&mut asked(
        &data_dir,
        &[&["history", "p0"], &options[..]].concat(),
    ));
    assert!(
        text.starts_with(
            "p0: chess, nodes=40, intervals of 80.0 % (ordered-logit model, binomial)"
        ),
        "{text}"
    );
}

/// The same games have the same drawn error bars by the same seed, in the coordinator and in its files, though the file of
/// the tournament names the engines in another order.
#[test]
fn drawn_error_bars_are_those_of_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let small = Small {
        nodes: 60,
        max_plies: 200,
        ..Small::ROUND_ROBIN
    };
    let file = folder.path().join("tournament.toml");
    // Of different strength, so that results vary.
    let mut text = small.text().replace("\"p0\"", "\"z0\"");
    for (name, nodes) in [("p1", 90), ("p2", 150)] {
        let line = format!("name = \"{name}\"\n");
        text = text.replace(&line, &format!("{line}limit = {{ nodes = {nodes} }}\n"));
    }
    std::fs::write(&file, text).unwrap();
    let data_dir = folder.path().join("data");
    printed(
        brouhaha()
            .arg("run")
            .arg(file)
            .arg("--data-dir")
            .arg(&data_dir),
    );
    let games = folder.path().join("games.jsonl");
    let mut export = brouhaha();
    export.args(["tournament", "games", "1", "--as", "json", "--data-dir"]);
    std::fs::write(&games, printed(export.arg(&data_dir))).unwrap();
    for bars in ["bootstrap", "simulation"] {
        let options = ["--error-bars", bars, "--refits", "60", "--seed", "5"];
        let stored = answer(&data_dir, &options);
        let mut of_files = brouhaha();
        of_files
            .args(["stats", "ratings", "--format", "json"])
            .args(options);
        let of_files = json(of_files.arg(&games));
        let ends = |list: &Value, player: &str| -> Vec<f64> {
            let ratings = list["ratings"].as_array().unwrap();
            let found = ratings.iter().find(|rating| rating["player"] == player);
            let ends = found.unwrap()["interval_ends"].as_array().unwrap();
            ends.iter().map(|end| end.as_f64().unwrap()).collect()
        };
        for player in ["p1", "p2", "z0"] {
            let (mine, theirs) = (ends(&stored, player), ends(&of_files, player));
            assert!(mine[0] < mine[1]);
            for (mine, theirs) in mine.iter().zip(theirs) {
                // The service's are rounded to a tenth.
                assert!(
                    (mine - theirs).abs() < 0.0501,
                    "{bars} {player}: {mine} {theirs}"
                );
            }
        }
    }
}
