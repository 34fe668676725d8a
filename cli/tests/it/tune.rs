//! `brouhaha tune evaluation`: from a tournament's games to an evaluation file that the engine plays by.

use std::io::Write;
use std::process::Stdio;

use crate::files::Small;
use crate::process::{brouhaha, complaint, printed};

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
