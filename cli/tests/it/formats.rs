//! Tournaments whose pairings follow from results, and engines that come and go, with real processes.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::files::Small;
use crate::process::{Serving, brouhaha, complaint, games, json, printed, wait_for};

fn rounds(serving: &Serving, id: &str) -> Value {
    json(&mut serving.command(&["tournament", "rounds", id, "--format", "json"]))
}

fn wait_for_end(serving: &Serving, id: &str) {
    wait_for(|| (serving.show(id)["state"] == "finished").then_some(()));
}

/// The moves of all games by opening and players.
fn moves(games: &[Value]) -> BTreeMap<(String, String, String), String> {
    let text = |value: &Value| value.to_string();
    let of = |game: &Value| {
        let key = (
            text(&game["opening_fen"]),
            text(&game["first"]),
            text(&game["second"]),
        );
        (key, text(&game["moves"]))
    };
    games.iter().map(of).collect()
}

#[test]
fn a_knockout_comes_to_the_same_end_whatever_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let small = Small {
        format: "knockout",
        pairs: 2,
        players: 7,
        nodes: 300,
        max_plies: 60,
        more: "",
    };
    let text = small.text().replace(
        "pairs = 2\n",
        "pairs = 2\nthird_place = true\ntie_pairs = 1\n",
    );
    let file = folder.path().join("knockout.toml");
    std::fs::write(&file, text).unwrap();
    let data_dir = folder.path().join("data");
    let mut serving = Serving::start(&data_dir);
    let id = serving.create(&file);
    let mut first = serving.worker("first");
    let _second = serving.worker("second");
    // In the first round and after it.
    for games in [3, 14] {
        serving.wait_for_games(&id, games);
        serving.process.kill();
        serving = serving.again(&data_dir);
    }
    first.kill();
    let _third = serving.worker("third");
    wait_for_end(&serving, &id);
    let disturbed = rounds(&serving, &id);
    let played = games(&mut serving.command(&["tournament", "games", &id, "--as", "json"]));
    let table = printed(&mut serving.command(&["tournament", "standings", &id]));
    let audit = printed(&mut serving.command(&["tournament", "audit", &id]));
    assert!(
        audit.ends_with(" draws made again, 0 differ\n") && !audit.starts_with("0 "),
        "{audit}"
    );
    serving.process.stop();

    let straight = folder.path().join("straight");
    let mut run = brouhaha();
    let expected = printed(run.arg("run").arg(&file).arg("--data-dir").arg(&straight));
    let mut ask = brouhaha();
    ask.args([
        "tournament",
        "rounds",
        "1",
        "--format",
        "json",
        "--data-dir",
    ]);
    let undisturbed = json(ask.arg(&straight));
    assert_eq!(disturbed["bracket"], undisturbed["bracket"]);
    assert!(expected.starts_with(&table), "{expected}\n{table}");
    let mut ask = brouhaha();
    ask.args(["tournament", "games", "1", "--as", "json", "--data-dir"]);
    assert_eq!(moves(&played), moves(&games(ask.arg(&straight))));

    // The one in the first place of the table won the last encounter of the bracket but that for the third place.
    let bracket = disturbed["bracket"].as_array().unwrap();
    assert_eq!(bracket.len(), 4 + 2 + 1 + 1);
    let winner = bracket[6]["winner"].as_str().unwrap();
    let row = table.lines().find(|line| line.starts_with("| 1 ")).unwrap();
    assert!(row.contains(winner), "{row}");
    assert!(expected.contains("Bracket:"), "{expected}");
}

#[test]
fn engines_come_and_go_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = Small::ROUND_ROBIN.write(folder.path());
    let serving = Serving::start(&folder.path().join("data"));
    let id = serving.create(&file);
    let late = folder.path().join("late.toml");
    let write = |text: &str| std::fs::write(&late, text).unwrap();
    let command = |action: &str| serving.command(&["tournament", action, &id]);

    // What is wrong is named, with its place.
    write("[[engine]]\nname = \"p1\"\nbuiltin = true\n");
    let error = complaint(command("enter").arg(&late), 1);
    assert!(
        error.contains("engines[0].name") && error.contains("p1"),
        "{error}"
    );
    write("[[engine]]\nname = \"late\"\n");
    let error = complaint(command("enter").arg(&late), 1);
    assert!(error.contains("late.toml:1:1"), "{error}");
    write("name = \"whole file\"\n[[engine]]\nname = \"late\"\nbuiltin = true\n");
    let error = complaint(command("enter").arg(&late), 1);
    assert!(
        error.contains("late.toml:1:1") && error.contains("name"),
        "{error}"
    );
    let error = complaint(command("withdraw").arg("nobody"), 1);
    assert!(error.contains("nobody"), "{error}");

    write("[[engine]]\nname = \"late\"\nbuiltin = true\noptions = { Hash = 2 }\n");
    // Six pairs against each of three more.
    let line = printed(command("enter").arg(&late));
    assert!(
        line.contains("of 36 games") || line.contains("of 72 games"),
        "{line}"
    );
    wait_for(|| (serving.show(&id)["total_games"] == 72).then_some(()));
    let line = printed(command("withdraw").arg("p1"));
    assert!(line.contains("0 of 36 games stored"), "{line}");
    let _worker = serving.worker("one");
    wait_for_end(&serving, &id);
    let mut ask = serving.command(&["tournament", "standings", &id, "--format", "json"]);
    let table = json(&mut ask);
    let rows = table["standings"].as_array().unwrap();
    let of = |name: &str| rows.iter().find(|row| row["player"] == name).unwrap()["games"].clone();
    assert_eq!([of("p0"), of("p1"), of("p2"), of("late")], [24, 0, 24, 24]);
    let error = complaint(command("enter").arg(&late), 1);
    assert!(error.contains("over"), "{error}");
}

#[test]
fn a_ladder_and_a_pyramid_run_from_their_files() {
    let folder = tempfile::tempdir().unwrap();
    for (format, games) in [("ladder", 2 * (2 + 1 + 2 + 1)), ("pyramid", 12)] {
        let small = Small {
            format,
            pairs: 1,
            players: 4,
            ..Small::ROUND_ROBIN
        };
        let file = small.write(folder.path());
        let mut run = brouhaha();
        let data_dir = folder.path().join(format);
        let text = printed(run.arg("run").arg(&file).arg("--data-dir").arg(&data_dir));
        assert!(
            text.contains(&format!("{games} of {games} games")),
            "{text}"
        );
        assert_eq!(text.contains("Ladder from the top"), format == "ladder");
    }
}
