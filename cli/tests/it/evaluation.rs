//! Evaluation files of built-in players, from the file to the games.

use std::path::{Path, PathBuf};

use crate::process::{brouhaha, complaint, json, printed};

/// The evaluation file of chess, but a sixteenth of a pawn or less is all that a piece is worth.
fn absurd(folder: &Path) -> PathBuf {
    let path = folder.join("absurd.toml");
    let text = include_str!("../../../engine/evaluation/chess.toml");
    let line = |line: &str| match line.split_once(" = ") {
        Some(("worth", _)) => "worth = [16, 16]\n".to_owned(),
        _ => format!("{line}\n"),
    };
    let absurd: String = text.lines().map(line).collect();
    assert!(absurd.matches("worth = [16, 16]").count() >= 5, "{absurd}");
    std::fs::write(&path, absurd).unwrap();
    path
}

/// A tournament of a built-in player that is as usual, and of one with the file `absurd.toml`.
fn tournament(folder: &Path, variant: &str) -> PathBuf {
    let path = folder.join("t.toml");
    let text = format!(
        "schema = 1\nname = \"weights\"\nvariant = \"{variant}\"\nseed = 3\nmax_plies = 160\n\
         [openings]\nsource = \"random\"\nplies = 4\n\
         [format]\nkind = \"head-to-head\"\npairs = 4\n[limit]\nnodes = 400\n\
         [adjudication.resign]\nscore_cp = 1500\nmoves = 3\n\
         [[engine]]\nname = \"usual\"\nbuiltin = true\noptions = {{ Hash = 1 }}\n\
         [[engine]]\nname = \"odd\"\nbuiltin = true\nevaluation_file = \"absurd.toml\"\noptions = {{ Hash = 1 }}\n"
    );
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_player_plays_by_its_evaluation_file() {
    let folder = tempfile::tempdir().unwrap();
    absurd(folder.path());
    let file = tournament(folder.path(), "chess");
    let mut run = brouhaha();
    run.arg("run").arg(&file).args(["--format", "json"]);
    let table = json(run.arg("--data-dir").arg(folder.path().join("data")));
    let points = |name: &str| {
        let rows = table["standings"].as_array().unwrap();
        let row = rows.iter().find(|row| row["player"] == name).unwrap();
        row["points"].as_f64().unwrap()
    };
    // Of eight games; without the file the two are the same player.
    assert!(points("usual") >= 7.0, "{table}");
    assert!(points("odd") <= 1.0, "{table}");
}

#[test]
fn a_comparison_takes_a_file_and_shows_that_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let file = absurd(folder.path());
    let compare = |candidate: &str| {
        let mut command = brouhaha();
        command.args(["compare", "--variant", "chess", "--pairs", "2", "--base"]);
        command.args(["builtin", "--limit", "nodes=100", "--candidate", candidate]);
        command.arg("--data-dir").arg(folder.path().join("data"));
        command
    };
    let named = |path: &Path| format!("builtin:evalfile={},Hash=16", path.display());
    let text = printed(&mut compare(&named(&file)));
    assert!(
        text.contains("candidate (builtin with evaluation ") && text.contains("base (builtin)"),
        "{text}"
    );
    let missing = folder.path().join("missing.toml");
    let errors = complaint(&mut compare(&named(&missing)), 2);
    for part in ["evalfile: cannot read", "missing.toml", "No such file"] {
        assert!(errors.contains(part), "{errors}");
    }
}

#[test]
fn a_file_for_another_variant_is_refused_with_the_engines_name() {
    let folder = tempfile::tempdir().unwrap();
    let evaluation = absurd(folder.path());
    let file = tournament(folder.path(), "apothecary-modern");
    let data = folder.path().join("data");
    let mut run = brouhaha();
    run.arg("run").arg(&file).arg("--data-dir").arg(&data);
    let errors = complaint(&mut run, 1);
    let told = "engine `odd`: the evaluation file is for variant ";
    assert!(errors.contains(told), "{errors}");
    assert!(errors.contains("not for `apothecary-modern`"), "{errors}");

    std::fs::remove_file(evaluation).unwrap();
    let errors = complaint(&mut run, 1);
    for part in ["absurd.toml", "t.toml names"] {
        assert!(errors.contains(part), "{errors}");
    }
}
