//! `brouhaha tune`: from a tournament's games to an evaluation file that the engine plays by; options tuned by games.

use std::io::Write;
use std::process::Stdio;

use crate::files::Small;
use crate::process::{Running, Serving, brouhaha, complaint, json, printed, wait_for};

#[test]
fn an_evaluation_file_comes_from_the_games_of_a_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let file = Small::ROUND_ROBIN.write(folder.path());
    printed(brouhaha().arg("run").arg(file).arg("--data-dir").arg(&data));
    let mut stored = brouhaha();
    stored
        .args(["tournament", "games", "1", "--as", "json", "--data-dir"])
        .arg(&data);
    let games = folder.path().join("games.jsonl");
    std::fs::write(&games, printed(&mut stored)).unwrap();
    let tuned = folder.path().join("tuned.toml");
    let tune = |variant: &str, games: &std::path::Path| {
        let mut command = brouhaha();
        command.args([
            "tune",
            "evaluation",
            "--variant",
            variant,
            "--iterations",
            "5",
            "--out",
        ]);
        command.arg(&tuned).arg(games);
        command
    };
    printed(&mut tune("chess", &games));
    let text = std::fs::read_to_string(&tuned).unwrap();
    assert!(
        text.contains("\nvariant = \"chess\"\n") && text.contains(": 36 games, "),
        "{text}"
    );
    let mut uci = brouhaha();
    let mut uci = uci
        .arg("uci")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let option = format!(
        "setoption name EvalFile value {}\ngo depth 3\n",
        tuned.display()
    );
    uci.stdin
        .take()
        .unwrap()
        .write_all(option.as_bytes())
        .unwrap();
    let said = String::from_utf8(uci.wait_with_output().unwrap().stdout).unwrap();
    assert!(
        said.contains("bestmove ") && !said.contains("error"),
        "{said}"
    );

    std::fs::remove_file(&tuned).unwrap();
    let error = complaint(&mut tune("war-of-the-roses", &games), 1);
    assert!(error.contains("no quiet position in 0 games"), "{error}");
    let broken = folder.path().join("broken.jsonl");
    let first = std::fs::read_to_string(&games).unwrap();
    let first = first.lines().next().unwrap();
    for (line, says) in [
        ("{", "no game as JSON"),
        (r#"{"variant":"chess"}"#, "`moves` is missing"),
        (
            &first.replacen("\"moves\":[\"", "\"moves\":[\"a1a9\",\"", 1),
            "move 1 (`a1a9`)",
        ),
        (
            &first.replacen("\"opening_fen\":\"", "\"opening_fen\":\"x", 1),
            "opening cannot be read",
        ),
    ] {
        std::fs::write(&broken, format!("{first}\n{line}\n")).unwrap();
        let error = complaint(&mut tune("chess", &broken), 1);
        assert!(
            error.contains("broken.jsonl`, line 2") && error.contains(says),
            "{error}"
        );
        assert!(!tuned.exists());
    }
    let error = complaint(&mut tune("chess", &folder.path().join("none")), 1);
    assert!(
        error.contains("cannot read") && error.contains("none"),
        "{error}"
    );
}

#[test]
fn values_of_men_are_shown_for_people_and_for_scripts() {
    let values = |variant: &str, more: &[&str]| {
        let mut command = brouhaha();
        command
            .args(["tune", "values", "--variant", variant])
            .args(more);
        command
    };
    let shown = printed(&mut values("augmenters", &[]));
    assert!(
        shown.lines().next().unwrap().contains("with powers"),
        "{shown}"
    );
    let weights = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../engine/evaluation/chess.toml"
    );
    let arguments = ["--evaluation", weights, "--format", "json"];
    let own = printed(&mut values("chess", &arguments));
    assert_eq!(own, printed(&mut values("chess", &arguments[2..])));
    let rows: serde_json::Value = serde_json::from_str(&own).unwrap();
    assert_eq!(
        (&rows[0]["letter"], rows.as_array().unwrap().len()),
        (&"B".into(), 5)
    );
    assert!(rows[0]["endgame"].as_f64().unwrap() > 200.0 && rows[0]["holding"].is_null());

    let error = complaint(&mut values("augmenters", &["--evaluation", weights]), 1);
    assert!(
        error.contains("chess.toml") && error.contains("augmenters"),
        "{error}"
    );
    let error = complaint(&mut values("chess", &["--evaluation", "none.toml"]), 1);
    assert!(error.contains("none.toml"), "{error}");
}

/// A tuning of two options of the built-in engine, of which one obviously matters.
const TUNED: [&str; 12] = [
    "tune",
    "spsa",
    "builtin:Hash=1",
    "--param",
    "Mobility=20,0,200,30,0.01",
    "--param",
    "Contempt=5.5,-50,50,4,0.02",
    "--variant",
    "chess",
    "--limit",
    "nodes=60",
    "--pairs",
];

#[test]
fn a_tuning_ends_with_the_same_values_whatever_happens_on_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let more = [
        "60", "--ahead", "4", "--draw", "200,4,10", "--resign", "600,2",
    ];
    let arguments = [&TUNED[..], &more, &["--format", "csv"]].concat();
    let straight = folder.path().join("straight");
    let mut alone = brouhaha();
    alone
        .args(&arguments)
        .args(["--workers", "1", "--data-dir"]);
    let expected = printed(alone.arg(&straight));
    assert_eq!(expected.lines().count(), 61, "{expected}");

    // Two workers, and the coordinator killed twice.
    let data_dir = folder.path().join("data");
    let mut serving = Serving::start(&data_dir);
    let _workers = [serving.worker("first"), serving.worker("second")];
    let mut tuning = Running::start(serving.command(&arguments).stdout(Stdio::null()));
    let id = "1";
    wait_for(|| {
        serving
            .command(&["tournament", "show", id])
            .output()
            .ok()?
            .status
            .success()
            .then_some(())
    });
    tuning.kill();
    for games in [20, 70] {
        serving.wait_for_games(id, games);
        serving.process.kill();
        serving = serving.again(&data_dir);
    }
    serving.wait_for_games(id, 120);
    let mut shown = serving.command(&["tune", "show", id, "--format", "csv"]);
    assert_eq!(printed(&mut shown), expected);
    // The same command finds it finished and prints the same.
    assert_eq!(printed(&mut serving.command(&arguments)), expected);

    let found = json(&mut serving.command(&["tune", "show", id, "--format", "json"]));
    let last = &found["history"][59];
    assert_eq!(
        (&found["applied"], &last["iteration"]),
        (&60.into(), &60.into())
    );
    let parameters = found["parameters"].as_array().unwrap();
    for (parameter, bounds) in parameters.iter().zip([0.0..=200.0, -50.0..=50.0]) {
        assert!(
            bounds.contains(&parameter["theta"].as_f64().unwrap()),
            "{found}"
        );
        assert_ne!(parameter["theta"], parameter["start"]);
    }
    // Ready to be pasted.
    let table = printed(&mut serving.command(&["tune", "show", id]));
    let pasted = format!(
        "Mobility={},Contempt={}",
        parameters[0]["value"], parameters[1]["value"]
    );
    assert!(
        table.contains(&format!("on a command line: {pasted}\n")),
        "{table}"
    );
}

#[test]
fn a_tuning_may_be_a_file_and_its_parameters_too() {
    let folder = tempfile::tempdir().unwrap();
    let parameters =
        "name = \"Mobility\"\nvalue = 20\nmin = 0\nmax = 200\nc_end = 30\nr_end = 0.01\n";
    let list = folder.path().join("parameters.toml");
    std::fs::write(&list, format!("[[parameter]]\n{parameters}")).unwrap();
    let tune = |path: &std::path::Path| {
        let mut tune = brouhaha();
        tune.args([
            "tune",
            "spsa",
            "builtin:Hash=1",
            "--variant",
            "chess",
            "--pairs",
            "4",
        ]);
        tune.args(["--limit", "nodes=30", "--seed", "9", "--params"])
            .arg(path);
        tune.arg("--data-dir").arg(folder.path().join("data"));
        tune
    };
    let by_options = printed(&mut tune(&list));
    let file = folder.path().join("tuning.toml");
    let text = format!(
        "schema = 1\nname = \"tuning\"\nvariant = \"chess\"\nseed = 9\n[openings]\nsource = \"random\"\nplies = 8\n[limit]\nnodes = 30\n\
         [[engine]]\nname = \"engine\"\nbuiltin = true\noptions = {{ Hash = 1 }}\n\
         [format]\nkind = \"spsa\"\npairs = 1\ntotal_pairs = 4\n[[format.parameter]]\n{parameters}"
    );
    std::fs::write(&file, text).unwrap();
    let mut run = brouhaha();
    run.arg("run")
        .arg(&file)
        .arg("--data-dir")
        .arg(folder.path().join("run"));
    assert_eq!(printed(&mut run), by_options);
    for (from, to, problem) in [
        ("c_end = 30", "c_end = 0.2", "parameters.toml:6:"),
        ("max = 200", "max = 200.5", "parameters.toml:5:"),
        ("Mobility", "Mobiliti", "`Mobiliti`"),
        ("max = 200", "max = 2000000", "Mobility"),
        ("c_end", "cend", "cend"),
    ] {
        std::fs::write(
            &list,
            format!("[[parameter]]\n{parameters}").replace(from, to),
        )
        .unwrap();
        let errors = complaint(&mut tune(&list), 1);
        assert!(errors.contains(problem), "{to}: {errors}");
    }
    let nothing = [
        "tune",
        "spsa",
        "builtin",
        "--variant",
        "chess",
        "--pairs",
        "4",
    ];
    let errors = complaint(brouhaha().args(nothing), 1);
    assert!(errors.contains("there is nothing to tune"), "{errors}");
}
