//! `kill -9` of workers and of the coordinator, in every format: each game asked for is there, once.

use std::collections::BTreeSet;

use crate::files::Small;
use crate::process::{Serving, brouhaha, games, printed};

fn survives(format: &str) {
    let folder = tempfile::tempdir().unwrap();
    let small = Small {
        format,
        pairs: match format {
            "head-to-head" => 18,
            "swiss" => 1,
            _ => 6,
        },
        players: match format {
            "head-to-head" => 2,
            "swiss" => 12,
            _ => 4,
        },
        nodes: 400,
        max_plies: 60,
        more: "",
    };
    let file = small.write(folder.path());
    let total = u64::from(small.games());
    let data_dir = folder.path().join("data");
    let mut serving = Serving::start(&data_dir);
    let id = serving.create(&file);
    let mut first = serving.worker("first");
    let _second = serving.worker("second");

    // A worker in the middle of its games.
    serving.wait_for_games(&id, 2);
    first.kill();
    // The coordinator in the middle of everything; the second worker finds it again.
    serving.wait_for_games(&id, total / 3);
    serving.process.kill();
    serving = serving.again(&data_dir);
    let _third = serving.worker("third");
    serving.wait_for_games(&id, total / 2);
    serving.process.kill();
    serving = serving.again(&data_dir);

    let shown = serving.wait_for_games(&id, total);
    assert_eq!(shown["state"], "finished");
    assert_eq!(shown["stored_games"], total);
    let played = games(&mut serving.command(&["tournament", "games", &id, "--as", "json"]));
    let numbers: Vec<u64> = played
        .iter()
        .map(|game| game["game"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (0..total).collect::<Vec<_>>());
    let workers: BTreeSet<&str> = played
        .iter()
        .map(|game| game["worker"].as_str().unwrap())
        .collect();
    assert!(workers.len() > 1, "{workers:?}");
    let table = printed(&mut serving.command(&["tournament", "standings", &id]));

    // The same as without any mishap.
    serving.process.stop();
    let straight = folder.path().join("straight");
    let expected = printed(
        brouhaha()
            .arg("run")
            .arg(&file)
            .arg("--data-dir")
            .arg(&straight),
    );
    assert_eq!(table, expected);
    let undisturbed = games(
        brouhaha()
            .args(["tournament", "games", "1", "--as", "json", "--data-dir"])
            .arg(&straight),
    );
    for (game, same) in played.iter().zip(&undisturbed) {
        for key in [
            "game",
            "first",
            "second",
            "opening_fen",
            "moves",
            "reason",
            "first_points",
        ] {
            assert_eq!(game[key], same[key], "{key} of game {}", game["game"]);
        }
    }

    // The store is whole, and what is derived from it can be derived again.
    let check = printed(
        brouhaha()
            .args(["store", "check", "--data-dir"])
            .arg(&data_dir),
    );
    assert!(check.ends_with("all is well\n"), "{check}");
    printed(
        brouhaha()
            .args(["store", "rebuild", "--data-dir"])
            .arg(&data_dir),
    );
    let rebuilt = printed(
        brouhaha()
            .args(["tournament", "standings", &id, "--data-dir"])
            .arg(&data_dir),
    );
    assert_eq!(rebuilt, table);
}

#[test]
fn a_round_robin_survives() {
    survives("round-robin");
}

#[test]
fn a_gauntlet_survives() {
    survives("gauntlet");
}

#[test]
fn a_swiss_tournament_of_twelve_survives() {
    survives("swiss");
}

#[test]
fn a_head_to_head_survives() {
    survives("head-to-head");
}
