//! Commands that ask a coordinator, across the network or in a data directory.

use crate::files::Small;
use crate::process::{Running, Serving, brouhaha, complaint, json, printed};

#[test]
fn a_tournament_across_processes_is_made_steered_and_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let small = Small {
        nodes: 200,
        ..Small::ROUND_ROBIN
    };
    let file = small.write(folder.path());
    let data_dir = folder.path().join("data");
    let mut serving = Serving::start(&data_dir);
    let id = serving.create(&file);
    assert_eq!(serving.create(&file), id);
    let line = printed(&mut serving.command(&["tournament", "pause", &id]));
    assert_eq!(
        line,
        format!("tournament {id} `small round-robin`: paused, 0 of 36 games stored\n")
    );
    let mut worker = serving.worker("w");
    let watching = Running(
        serving
            .command(&["tournament", "watch", &id, "--format", "json"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap(),
    );
    printed(&mut serving.command(&["tournament", "resume", &id]));
    serving.wait_for_games(&id, 3);
    // Whoever watches finds the coordinator again.
    worker.kill();
    serving.process.kill();
    let serving = serving.again(&data_dir);
    let _worker = serving.worker("w");
    serving.wait_for_games(&id, 36);
    let mut watching = watching;
    let seen = {
        use std::io::Read;
        let mut seen = String::new();
        watching
            .0
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut seen)
            .unwrap();
        seen
    };
    assert!(watching.wait().success());
    assert!(
        seen.lines().any(|line| line.contains("\"finished\"")),
        "{seen}"
    );

    let pgn = printed(&mut serving.command(&["tournament", "games", &id, "--format", "pgn"]));
    assert_eq!(pgn.matches("[Event \"small round-robin\"]").count(), 36);
    assert_eq!(pgn.matches("[Points \"").count(), 36);
    // Both games of a pair are of one round.
    assert_eq!(pgn.matches("[Round \"18\"]").count(), 2);
    let ratings = json(&mut serving.command(&["ratings", "--format", "json"]));
    assert_eq!(ratings["games"], 36);
    assert_eq!(ratings["ratings"].as_array().unwrap().len(), 3);
    let by_variant =
        json(&mut serving.command(&["ratings", "--variant", "chess", "--format", "json"]));
    assert_eq!(by_variant, ratings);
    let pools = json(&mut serving.command(&["ratings", "pools", "--format", "json"]));
    assert_eq!(
        (&pools[0]["limit_class"], &pools[0]["players"]),
        (&"nodes=200".into(), &3.into())
    );
    let pair =
        json(&mut serving.command(&["ratings", "head-to-head", "p0", "p1", "--format", "json"]));
    assert_eq!(pair["games"], 12);
    let history = json(&mut serving.command(&["ratings", "history", "p0", "--format", "json"]));
    assert_eq!(
        history["points"].as_array().unwrap().last().unwrap()["pool_games"],
        36
    );

    // A result taken away is missed until it is played again.
    let error = complaint(
        &mut serving.command(&["tournament", "void", &id, "99", "--reason", "x"]),
        1,
    );
    assert!(error.contains("99"), "{error}");
    printed(&mut serving.command(&["tournament", "void", &id, "3", "--reason", "a bad host"]));
    serving.wait_for_games(&id, 36);
    let again =
        crate::process::games(&mut serving.command(&["tournament", "games", &id, "--as", "json"]));
    assert_eq!(again.len(), 36);
    let ratings = json(&mut serving.command(&["ratings", "--format", "json"]));

    // The data directory is the coordinator's while it runs, and tells the same afterwards.
    let mut alone = brouhaha();
    alone
        .args(["ratings", "--format", "json", "--data-dir"])
        .arg(&data_dir);
    complaint(&mut alone, 1);
    let mut serving = serving;
    assert!(serving.process.stop().success());
    assert_eq!(json(&mut alone), ratings);
}

#[test]
fn positions_are_analysed_here_and_elsewhere_alike() {
    let folder = tempfile::tempdir().unwrap();
    let positions = folder.path().join("positions");
    let start = printed(brouhaha().args(["rules", "start", "chess", "0"]));
    let mate = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    let over = "7k/5Q2/8/8/8/8/8/K7 b - - 0 1";
    let text = format!("# three positions\n{start}\n{mate}\n{over}\n");
    std::fs::write(&positions, text).unwrap();
    let arguments = ["analyze", "--variant", "chess", "--nodes", "1500"];
    let here = printed(brouhaha().args(arguments).arg(&positions));
    assert!(here.contains("mate 1") && here.contains("d1d8"), "{here}");
    assert!(here.contains("| stalemate |"), "{here}");
    assert_eq!(
        printed(
            brouhaha()
                .args(arguments)
                .args(["--workers", "1"])
                .arg(&positions)
        ),
        here
    );

    let serving = Serving::start(&folder.path().join("data"));
    let _worker = serving.worker("w");
    assert_eq!(printed(serving.command(&arguments).arg(&positions)), here);

    std::fs::write(&positions, format!("{start}\nnonsense\n")).unwrap();
    let errors = complaint(brouhaha().args(arguments).arg(&positions), 1);
    assert!(errors.contains(":3:"), "{errors}");
}

#[test]
fn a_user_s_variant_is_played_rated_and_analysed() {
    let folder = tempfile::tempdir().unwrap();
    let variant = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/variants/shire.toml"
    );
    let mut compare = brouhaha();
    compare.args([
        "compare",
        "--variant-file",
        variant,
        "--base",
        "builtin",
        "--candidate",
        "builtin:Contempt=9",
    ]);
    compare.args([
        "--variant",
        "shire",
        "--pairs",
        "1",
        "--limit",
        "nodes=5",
        "--openings",
        "random:4",
        "--format",
        "json",
    ]);
    compare.arg("--data-dir").arg(folder.path().join("data"));
    assert_eq!(json(&mut compare)["games"], 2);
}
