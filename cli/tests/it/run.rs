//! `brouhaha run`: the same table everywhere, and going on after an interruption.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::files::Small;
use crate::process::{Running, brouhaha, complaint, games, json, output, printed};

fn run(file: &Path, data_dir: &Path, more: &[&str]) -> Command {
    let mut command = brouhaha();
    command
        .arg("run")
        .arg(file)
        .arg("--data-dir")
        .arg(data_dir)
        .args(more);
    command
}

fn stored_games(data_dir: &Path) -> Command {
    let mut command = brouhaha();
    command
        .args(["tournament", "games", "1", "--as", "json", "--data-dir"])
        .arg(data_dir);
    command
}

#[test]
fn the_table_does_not_depend_on_who_played_what() {
    let folder = tempfile::tempdir().unwrap();
    let file = Small::ROUND_ROBIN.write(folder.path());
    let one = folder.path().join("one");
    let table = printed(&mut run(&file, &one, &["--workers", "1", "--slots", "1"]));
    assert!(table.contains("36 of 36 games"), "{table}");
    let other = printed(&mut run(
        &file,
        &folder.path().join("other"),
        &["--workers", "3", "--slots", "2"],
    ));
    assert_eq!(table, other);

    // Finished means finished: nothing is played again, the table is printed again.
    let again = output(&mut run(&file, &one, &[]));
    assert!(String::from_utf8_lossy(&again.stderr).contains("finished"));
    assert_eq!(String::from_utf8(again.stdout).unwrap(), table);
    let list = || {
        json(
            brouhaha()
                .args(["tournament", "list", "--format", "json", "--data-dir"])
                .arg(&one),
        )
    };
    assert_eq!(list().as_array().unwrap().len(), 1);

    // Unless told otherwise; then the same games are played.
    assert_eq!(printed(&mut run(&file, &one, &["--fresh"])), table);
    assert_eq!(list().as_array().unwrap().len(), 2);

    // A changed file is another tournament, and that is said.
    Small {
        nodes: 30,
        ..Small::ROUND_ROBIN
    }
    .write(folder.path());
    let changed = output(&mut run(&file, &one, &[]));
    assert!(String::from_utf8_lossy(&changed.stderr).contains("this is a new one"));
    assert_eq!(list().as_array().unwrap().len(), 3);
}

#[test]
fn an_interrupted_run_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let small = Small {
        nodes: 400,
        max_plies: 80,
        ..Small::ROUND_ROBIN
    };
    let file = small.write(folder.path());
    let straight = printed(&mut run(&file, &folder.path().join("straight"), &[]));

    let data_dir = folder.path().join("data");
    // Killed outright and told to stop by turns, each time later, until something is stored.
    let mut before = 0;
    let mut time = Duration::from_millis(700);
    for interruption in ["kill", "stop"].into_iter().cycle().take(20) {
        let mut running = Running::start(&mut run(&file, &data_dir, &[]));
        std::thread::sleep(time);
        if interruption == "kill" {
            running.kill();
        } else {
            running.stop();
        }
        let after = stored_count(&data_dir);
        assert!(after >= before, "a stored game is gone");
        if before > 0 {
            break;
        }
        before = after;
        time += time / 3;
    }
    before = stored_count(&data_dir);
    assert!(before > 0, "nothing was stored before the interruptions");
    let finished = output(&mut run(&file, &data_dir, &[]));
    let errors = String::from_utf8_lossy(&finished.stderr).into_owned();
    if before < 36 {
        assert!(
            errors.contains(&format!("going on after {before} of 36 games")),
            "{errors}"
        );
    }
    assert_eq!(String::from_utf8(finished.stdout).unwrap(), straight);
    let games = games(&mut stored_games(&data_dir));
    let numbers: Vec<u64> = games
        .iter()
        .map(|game| game["game"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, (0..36).collect::<Vec<u64>>());
    let check = printed(
        brouhaha()
            .args(["store", "check", "--data-dir"])
            .arg(&data_dir),
    );
    assert!(check.ends_with("all is well\n"), "{check}");
}

/// Games stored in a data directory. The lock of a killed process is gone with it.
fn stored_count(data_dir: &Path) -> u64 {
    let list = json(
        brouhaha()
            .args(["tournament", "list", "--format", "json", "--data-dir"])
            .arg(data_dir),
    );
    list[0]["stored_games"].as_u64().unwrap_or(0)
}

/// A tournament that a killed process left running does not get the workers of another one, not even for a moment.
#[test]
fn another_tournament_is_paused_before_workers_come() {
    let folder = tempfile::tempdir().unwrap();
    let data_dir = folder.path().join("data");
    let gauntlet = Small {
        format: "gauntlet",
        ..Small::ROUND_ROBIN
    };
    let left = gauntlet.write(folder.path());
    std::fs::create_dir(&data_dir).unwrap();
    let steer = |arguments: &[&str]| {
        let mut command = brouhaha();
        command.arg("tournament").args(arguments);
        command.arg("--data-dir").arg(&data_dir);
        command
    };
    printed(steer(&["create"]).arg(&left));
    let file = Small::ROUND_ROBIN.write(folder.path());
    let ended = output(&mut run(&file, &data_dir, &[]));
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(
        errors.contains("`small gauntlet` is not finished: it is paused"),
        "{errors}"
    );
    // The last line of progress is that of the end.
    let last = errors
        .lines()
        .rfind(|line| line.contains("games/min"))
        .unwrap();
    assert!(
        last.starts_with("36 of 36 games") && last.contains("/24"),
        "{last}"
    );
    let left = json(&mut steer(&["show", "1", "--format", "json"]));
    assert_eq!(
        (&left["state"], &left["stored_games"]),
        (&"paused".into(), &0.into())
    );
    // Two limits are two pools; all are named, as they have to be written.
    Small {
        nodes: 30,
        ..Small::ROUND_ROBIN
    }
    .write(folder.path());
    printed(&mut run(&file, &data_dir, &[]));
    let errors = complaint(
        brouhaha().arg("ratings").arg("--data-dir").arg(&data_dir),
        1,
    );
    for pool in [
        "--variant chess --limit-class nodes=30  (36 games)",
        "nodes=40",
    ] {
        assert!(errors.contains(pool), "{errors}");
    }
}

#[test]
fn a_sequential_test_is_told_with_its_verdict_whatever_was_under_way() {
    let folder = tempfile::tempdir().unwrap();
    let small = Small {
        format: "head-to-head",
        pairs: 100,
        players: 2,
        nodes: 40,
        max_plies: 40,
        more: "[sprt]\nelo0 = 0.0\nelo1 = 100.0\n",
    };
    let text = small.text().replace(
        "name = \"p1\"\n",
        "name = \"p1\"\nlimit = { nodes = 800 }\n",
    );
    let file = folder.path().join("test.toml");
    std::fs::write(&file, text).unwrap();
    let run = |data: &str, format: &str| {
        let mut run = brouhaha();
        run.arg("run")
            .arg(&file)
            .args(["--format", format, "--data-dir"]);
        printed(run.arg(folder.path().join(data)))
    };
    let once = run("one", "table");
    assert!(
        once.contains("LLR: ") && once.contains("accepted"),
        "{once}"
    );
    assert!(
        once.contains("p1 (builtin") && once.contains("against p0 (builtin"),
        "{once}"
    );
    // Another number of games may have been under way at the verdict.
    assert_eq!(run("two", "table"), once);
    let value: serde_json::Value = serde_json::from_str(&run("two", "json")).unwrap();
    assert_eq!(value["sprt"]["verdict"], "accepted");
    assert_eq!(
        value["games"].as_u64(),
        value["sprt"]["pairs"].as_u64().map(|pairs| 2 * pairs)
    );
}
