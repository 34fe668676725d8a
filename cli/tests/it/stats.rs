//! `brouhaha stats`: numbers from files without a coordinator.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::files::Small;
use crate::process::{brouhaha, complaint, json, printed};

fn stats(arguments: &[&str]) -> Command {
    let mut command = brouhaha();
    command.arg("stats").args(arguments);
    command
}

fn ratings(files: &[&Path], options: &[&str]) -> Command {
    let mut command = stats(&["ratings"]);
    command.args(files).args(options);
    command
}

/// Names and ratings, best first.
fn elos(list: &Value) -> Vec<(String, f64)> {
    let ratings = list["ratings"].as_array().unwrap();
    let one = |rating: &Value| {
        let name = rating["player"].as_str().unwrap().to_owned();
        (name, rating["elo"].as_f64().unwrap())
    };
    ratings.iter().map(one).collect()
}

/// A tournament's games rate the same from its store, from its PGN and from its JSON lines, pairs and error bars
/// included.
#[test]
fn exported_games_rate_as_those_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = Small::ROUND_ROBIN.write(folder.path());
    printed(brouhaha().arg("run").arg(file).arg("--data-dir").arg(&data));
    let export = |shape: &str| {
        let path = folder.path().join(format!("games.{shape}"));
        let mut command = brouhaha();
        command.args(["tournament", "games", "1", "--as", shape, "--data-dir"]);
        std::fs::write(&path, printed(command.arg(&data))).unwrap();
        path
    };
    let (pgn, lines) = (export("pgn"), export("json"));
    let mut stored = brouhaha();
    stored.args(["ratings", "--format", "json", "--data-dir"]);
    let stored = json(stored.arg(&data));
    let from_pgn = json(&mut ratings(&[&pgn], &["--format", "json"]));
    let from_lines = json(&mut ratings(&[&lines], &["--format", "json"]));
    assert_eq!(from_pgn, from_lines);
    assert_eq!(from_pgn["games"], 36);
    assert_eq!(from_pgn["pairs"], 18);
    for (mine, theirs) in elos(&from_pgn).iter().zip(elos(&stored)) {
        assert_eq!(mine.0, theirs.0);
        assert!((mine.1 - theirs.1).abs() < 0.051, "{mine:?} {theirs:?}");
    }
    for (mine, theirs) in [(&from_pgn, &stored)].map(|(a, b)| (&a["ratings"][0], &b["ratings"][0]))
    {
        let (mine, theirs) = (
            mine["interval"].as_f64().unwrap(),
            theirs["interval"].as_f64().unwrap(),
        );
        assert!((mine - theirs).abs() < 0.051, "{mine} {theirs}");
    }

    // Twice the same file is twice the games; what is left out is said.
    let doubled = json(&mut ratings(&[&pgn, &pgn], &["--format", "json"]));
    assert_eq!(doubled["games"], 72);
    let out = from_pgn["ratings"][0]["player"].as_str().unwrap();
    let text = printed(&mut ratings(
        &[&pgn],
        &["--exclude", out, "--head-to-head", "--superiority"],
    ));
    assert!(text.contains("2 players, 12 games (12 in pairs)"), "{text}");
    assert!(
        text.contains("Note: 24 games of excluded players are not counted."),
        "{text}"
    );
}

/// Anchors, averages and the shapes of a list.
#[test]
fn lists_are_anchored_and_shaped() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.csv");
    let text = "first,second,points,games\na,\"b, c\",1,30\na,\"b, c\",0.5,20\n\"b, c\",a,1,10\nd,a,0,4\nx,y,0.75,2\n";
    std::fs::write(&file, text).unwrap();
    let list = |options: &[&str]| {
        let mut all = vec!["--format", "json"];
        all.extend(options);
        json(&mut ratings(&[&file], &all))
    };
    let anchored = list(&["--anchor", "b, c", "--anchor-elo", "2500"]);
    let elo = |list: &Value, name: &str| elos(list).into_iter().find(|(n, _)| n == name).unwrap().1;
    assert!((elo(&anchored, "b, c") - 2500.0).abs() < 1e-9);
    let plain = list(&["--average", "100"]);
    let gap = |list: &Value| elo(list, "a") - elo(list, "b, c");
    assert!((gap(&anchored) - gap(&plain)).abs() < 1e-6);
    assert!((elo(&plain, "x") + elo(&plain, "y") - 200.0).abs() < 1e-6);
    assert_eq!(plain["groups"], 2);
    let row = &plain["ratings"]
        .as_array()
        .unwrap()
        .iter()
        .find(|r| r["player"] == "d")
        .unwrap()
        .clone();
    assert_eq!(
        (&row["perfect"], &row["outcomes"]),
        (&"lost all".into(), &serde_json::json!([4, 0, 0, 0, 0]))
    );
    let csv = printed(&mut ratings(
        &[&file],
        &["--format", "csv", "--confidence", "0.9"],
    ));
    assert!(
        csv.lines()
            .any(|l| l.contains(",\"b, c\",") && l.contains(",60,20,")),
        "{csv}"
    );
    // Each line states what its intervals are.
    let mut lines = csv.lines();
    assert!(
        lines
            .next()
            .unwrap()
            .ends_with(",confidence,model,error_bars")
    );
    assert!(
        lines.all(|line| line.ends_with(",0.9,score,dispersion")),
        "{csv}"
    );
    let matrix = list(&["--superiority", "--model", "ordered-logit"]);
    assert_eq!(
        ["confidence", "model", "error_bars"].map(|key| &matrix[key]),
        [&0.95.into(), &"ordered-logit".into(), &"binomial".into()].map(|value: &Value| value)
    );
    let players = matrix["ratings"].as_array().unwrap();
    let at = |name: &str| {
        players
            .iter()
            .position(|row| row["player"] == name)
            .unwrap()
    };
    let (a, b, x) = (at("a"), at("b, c"), at("x"));
    assert_eq!(
        [(a, b), (b, a), (a, at("d")), (a, x), (a, a)].map(|(i, j)| &matrix["games_between"][i][j]),
        [60, 60, 4, 0, 0].map(Value::from).each_ref()
    );
    let difference = matrix["difference"][a][b].as_f64().unwrap();
    assert!((difference - gap(&matrix)).abs() < 1e-9);
    assert!(matrix["difference_interval"][a][b].as_f64().unwrap() > 0.0);
    assert_eq!(matrix["difference"][a][x], Value::Null);
    let text = printed(&mut ratings(&[&file], &["--confidence", "0.9"]));
    assert!(
        text.contains("intervals of 90 % (score model, dispersion)"),
        "{text}"
    );
    assert!(text.contains("the players fall into 2 groups"), "{text}");
}

/// Error bars by refits: as wide as the closed form's, the same for a seed, refused where they make no sense.
#[test]
fn error_bars_come_from_refits() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.csv");
    let mut text = "first,second,points,games\n".to_owned();
    for (first, second) in [
        ("a", "b"),
        ("b", "a"),
        ("b", "c"),
        ("c", "b"),
        ("a", "c"),
        ("c", "a"),
    ] {
        for (points, games) in [("1", 30), ("0.75", 20), ("0.5", 40), ("0", 30)] {
            text += &format!("{first},{second},{points},{games}\n");
        }
    }
    std::fs::write(&file, text).unwrap();
    let list = |bars: &str, more: &[&str]| {
        let mut all = vec!["--format", "json", "--error-bars", bars];
        all.extend(more);
        json(&mut ratings(&[&file], &all))
    };
    let width = |list: &Value| list["ratings"][0]["interval"].as_f64().unwrap();
    let closed = list("global", &[]);
    for bars in ["bootstrap", "simulation"] {
        let few = ["--refits", "150", "--seed", "3"];
        let one = list(bars, &few);
        assert_eq!(one, list(bars, &few));
        assert_ne!(one, list(bars, &["--refits", "150", "--seed", "4"]));
        assert_eq!(
            (&one["refits"]["made"], &one["refits"]["used"]),
            (&150.into(), &150.into())
        );
        assert!((width(&one) / width(&closed) - 1.0).abs() < 0.25, "{one}");
        let ends = &one["ratings"][0]["interval_ends"];
        let elo = one["ratings"][0]["elo"].as_f64().unwrap();
        assert!(
            ends[0].as_f64().unwrap() < elo && elo < ends[1].as_f64().unwrap(),
            "{one}"
        );
    }
    let text = printed(&mut ratings(
        &[&file],
        &["--error-bars", "bootstrap", "--refits", "20"],
    ));
    assert!(text.contains("From") && text.contains("To"), "{text}");
    for (options, says) in [
        (
            &["--error-bars", "bootstrap", "--refits", "5"][..],
            "`refits` is 5; give 20 to 10000",
        ),
        (
            &["--seed", "5"],
            "belong to --error-bars bootstrap or simulation",
        ),
    ] {
        let error = complaint(&mut ratings(&[&file], options), 1);
        assert!(error.contains(says), "{error}");
    }
    std::fs::write(&file, "first,second,points,games\na,b,0.5,10\nb,a,0.5,10\n").unwrap();
    let text = printed(&mut ratings(&[&file], &["--error-bars", "bootstrap"]));
    assert!(text.contains("2 players made the same points"), "{text}");
}

/// Versions of one engine are linked by name; groups that only a link joins are one, with a note.
#[test]
fn versions_are_linked() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.csv");
    let text =
        "first,second,points,games\na,b,1,6\nb,a,0.5,6\nc,d,0.5,6\nd,c,0.5,6\n\"e, f\",a,0.5,2\n";
    std::fs::write(&file, text).unwrap();
    let list = |options: &[&str]| {
        let mut all = vec!["--format", "json"];
        all.extend(options);
        json(&mut ratings(&[&file], &all))
    };
    let apart = list(&[]);
    assert_eq!(
        (&apart["groups"], &apart["groups_by_games"]),
        (&2.into(), &2.into())
    );
    let linked = list(&["--link", "c,a,-40,20"]);
    assert_eq!(
        (&linked["groups"], &linked["groups_by_games"]),
        (&1.into(), &2.into())
    );
    let elo = |name: &str| {
        elos(&linked)
            .into_iter()
            .find(|(n, _)| n == name)
            .unwrap()
            .1
    };
    assert!((elo("a") - elo("c") - 40.0).abs() < 1e-6, "{linked}");
    let text = printed(&mut ratings(&[&file], &["--link", "c,a"]));
    assert!(
        text.contains("2 groups without games between them are joined by links"),
        "{text}"
    );
    let csv = ["--format", "csv", "--head-to-head"];
    let error = complaint(&mut ratings(&[&file], &csv), 1);
    assert!(error.contains("--format json"), "{error}");
    for (link, code, says) in [
        ("z,a", 1, "the player of --link `z` has no games here"),
        ("c,a,0,0", 1, "a deviation of 0.1 to 100000 Elo"),
        ("c,c", 1, "is linked with itself"),
        ("e, f,a", 2, "names with commas cannot be linked"),
        ("a", 2, "names without commas"),
    ] {
        let error = complaint(&mut ratings(&[&file], &["--link", link]), code);
        assert!(error.contains(says), "{link}: {error}");
    }
}

/// The numbers of a case of `sprt.json` among the statistics vectors, which come from another program.
#[test]
fn tests_are_judged_and_planned() {
    let found = json(&mut stats(&[
        "sprt",
        "--pairs",
        "2,1,6,4,14,5,7,2,3",
        "--elo0",
        "0",
        "--elo1",
        "5",
        "--unit",
        "logistic",
        "--format",
        "json",
    ]));
    let close = |value: &Value, expected: f64| {
        assert!(
            (value.as_f64().unwrap() - expected).abs() < 1e-6,
            "{value} {expected}"
        );
    };
    assert_eq!(
        (&found["observations"], &found["games"]),
        (&44.into(), &88.into())
    );
    close(&found["score"], 0.528_409_090_909);
    close(&found["elo"], 19.761_942_471_1);
    close(&found["elo_interval"][0], -30.143_621_348_6);
    assert_eq!(found["verdict"], "continue");
    let plan = json(&mut stats(&[
        "plan",
        "--pairs",
        "365,16618,36229,16974,390",
        "--elo0",
        "0",
        "--elo1",
        "5",
        "--unit",
        "logistic",
        "--format",
        "json",
    ]));
    close(&plan["pair_variance"], 0.032_420_426_577_8);
    let worst = &plan["tests"][0];
    close(&worst["elo"], -5.0);
    close(&worst["expected_pairs"], 1_228.943_533_58);
    close(&worst["pass_probability"], 0.000_145_772_594_752);
}

/// Nothing is printed that no game is behind: games all alike have no spread, a perfect score no Elo.
#[test]
fn extreme_results_are_marked_for_what_they_are() {
    let null = Value::Null;
    for (cells, elo, low, high, note) in [
        // p^14 = 0.05 at p = 0.807363, 400 log10(p / (1 - p)) = 248.9.
        ("0,0,0,0,7", None, Some(248.9), None, "perfect"),
        ("7,0,0,0,0", None, None, Some(-248.9), "perfect"),
        ("0,0,7,0,0", Some(0.0), None, None, "all-alike"),
        ("0,0,0,7,0", Some(190.8), None, None, "all-alike"),
    ] {
        let found = json(&mut stats(&["sprt", "--pairs", cells, "--format", "json"]));
        let number = |value: &Value| value.as_f64().map(|elo| (elo * 10.0).round() / 10.0 + 0.0);
        assert_eq!(number(&found["elo"]), elo, "{found}");
        let interval = &found["elo_interval"];
        assert_eq!(
            (number(&interval[0]), number(&interval[1])),
            (low, high),
            "{found}"
        );
        assert_eq!(found["note"], note);
        for unknown in [
            "normalized_elo",
            "normalized_elo_error",
            "los",
            "sequential",
        ] {
            assert_eq!(found[unknown], null, "{unknown}: {found}");
        }
        assert_eq!(found["expected_observations"]["elo0"], null);
        let text = printed(&mut stats(&["sprt", "--pairs", cells]));
        assert!(text.contains("stand in every empty cell"), "{text}");
        assert!(
            !text.contains("1199") && !text.contains("superiority"),
            "{text}"
        );
    }
    let usual = json(&mut stats(&[
        "sprt",
        "--pairs",
        "1,2,9,4,1",
        "--format",
        "json",
    ]));
    assert_eq!(
        (&usual["note"], &usual["closed_form"]),
        (&null, &false.into())
    );
}

#[test]
fn bad_results_are_refused_with_file_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("g.pgn");
    for (text, says) in [
        (
            "[White \"a\"]\n[Black \"b\"]\n[Result \"1-1\"]\n\n*\n",
            "g.pgn`, line 3: `1-1` is no result",
        ),
        (
            "[White \"a\n[Black \"b\"]\n",
            "g.pgn`: line 1: `[White \"a` is no tag",
        ),
        ("first,second\na,b\n", "g.pgn`, line 1: no column `points`"),
        ("{\"first\":1}\n", "g.pgn`, line 1: no game"),
        ("first,second,points\na,a,1\n", "line 2: `a` plays itself"),
    ] {
        std::fs::write(&file, text).unwrap();
        let error = complaint(&mut ratings(&[&file], &[]), 1);
        assert!(error.contains(says), "{error}");
    }
    std::fs::write(&file, "").unwrap();
    let text = printed(&mut ratings(&[&file], &[]));
    assert!(text.contains("Note: no games with a result."), "{text}");
    let error = complaint(&mut ratings(&[&file], &["--anchor", "z"]), 1);
    assert!(
        error.contains("the anchor `z` has no games here"),
        "{error}"
    );
    for (arguments, says) in [
        (&["sprt"][..], "no results; give --pairs or --games"),
        (&["sprt", "--pairs", "1,2,3"], "give 5 or 9"),
        (&["sprt", "--pairs", "0,0,0,0,0"], "counts no games"),
        (
            &["sprt", "--games", "1,2,3", "--elo1", "300"],
            "beyond +-100 normalized Elo",
        ),
        (
            &["sprt", "--games", "1,2,3", "--elo0", "5", "--elo1", "5"],
            "not ascending",
        ),
        (
            &["sprt", "--games", "1,2,3", "--alpha", "1e-320"],
            "error probability alpha",
        ),
        (&["plan", "--shares", "0,0,1,0,0"], "one outcome only"),
        (&["plan", "--pairs", "0,0,7,0,0"], "have the same points"),
        (&["plan", "--shares", "1,2"], "needs five shares"),
    ] {
        let error = complaint(&mut stats(arguments), 1);
        assert!(error.contains(says), "{error}");
    }
    complaint(&mut stats(&["sprt", "--pairs", "1,-2,3,4,5"]), 2);
    complaint(
        &mut stats(&["sprt", "--games", "1,2,3", "--confidence", "1.5"]),
        2,
    );
}

#[test]
fn contradictions_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.csv");
    std::fs::write(&file, "first,second,points\na,b,1\nb,a,0.5\na,b,*\n").unwrap();
    for (options, says) in [
        (
            &[
                "--anchor",
                "a",
                "--anchor",
                "a",
                "--anchor-elo",
                "1",
                "--anchor-elo",
                "2",
            ][..],
            "--anchor `a` is given twice",
        ),
        (&["--exclude", "nobody"], "`nobody`, has no games here"),
        (
            &["--model", "ordered-logit", "--error-bars", "sandwich"],
            "belongs to --model score",
        ),
        (&["--link", "a,a"], "`a` is linked with itself"),
    ] {
        let error = complaint(&mut ratings(&[&file], options), 1);
        assert!(error.contains(says), "{error}");
    }
    // What the list has no place for stands beside it.
    let told = crate::process::output(&mut ratings(&[&file], &["--format", "csv"]));
    let notes = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(notes.contains("note: 1 games without a result"), "{notes}");
    assert!(String::from_utf8_lossy(&told.stdout).starts_with("rank,player,"));
}
