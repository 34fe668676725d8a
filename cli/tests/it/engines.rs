//! External engines: a good one plays as the built-in one does, bad ones lose their games or are no result.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::files::{script, write_script};
use crate::process::{Running, Serving, brouhaha, complaint, games, json, printed, wait_for};

/// A match of the built-in engine against an external one.
fn file(folder: &Path, pairs: u32) -> std::path::PathBuf {
    let path = folder.join("external.toml");
    let text = format!(
        "schema = 1\nname = \"external\"\nvariant = \"chess\"\nmax_plies = 40\n\
         [openings]\nsource = \"random\"\nplies = 4\n[format]\nkind = \"head-to-head\"\npairs = {pairs}\n[limit]\nnodes = 50\n\
         [[engine]]\nname = \"own\"\nbuiltin = true\n[[engine]]\nname = \"other\"\ncommand = \"other\"\n"
    );
    std::fs::write(&path, text).unwrap();
    path
}

fn run(folder: &Path, engine: &str, pairs: u32) -> Command {
    let mut command = brouhaha();
    command
        .arg("run")
        .arg(file(folder, pairs))
        .args(["--format", "json", "--hang-seconds", "1"]);
    command
        .args(["--engine", &format!("other={engine}"), "--data-dir"])
        .arg(folder.join("data"));
    command
}

fn reasons(table: &Value) -> Vec<(String, u64)> {
    let reasons = table["end_reasons"].as_object().unwrap();
    reasons
        .iter()
        .map(|(reason, games)| (reason.clone(), games.as_u64().unwrap()))
        .collect()
}

#[test]
fn bad_engines_lose_their_games_and_the_reason_is_told() {
    for (go, reason, evidence) in [
        ("echo 'bestmove a1a9'", "illegal-move", "a1a9"),
        ("echo 'no more' >&2; exit 4", "crash", "exit status: 4"),
        ("while :; do sleep 1; done", "hang", "told to stop"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let engine = script(folder.path(), "engine", go);
        let table = json(&mut run(folder.path(), &engine.display().to_string(), 1));
        assert_eq!(reasons(&table), [(reason.to_owned(), 2)]);
        assert_eq!(table["standings"][0]["player"], "own");
        assert_eq!(table["standings"][0]["points"], 2.0);
        let mut stored = brouhaha();
        stored
            .args(["tournament", "games", "1", "--as", "json", "--data-dir"])
            .arg(folder.path().join("data"));
        for game in games(&mut stored) {
            let text = game["evidence"]["text"].as_str().unwrap();
            assert!(text.contains(evidence), "{text}");
            assert!(
                game["evidence"]["engine_log"]
                    .as_str()
                    .unwrap()
                    .contains("go nodes 50")
            );
        }
    }
}

#[test]
fn an_engine_that_does_not_start_is_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let engine = folder.path().join("engine");
    std::fs::write(&engine, "#!/bin/sh\necho 'no licence' >&2\nexit 9\n").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&engine, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    // Another one that nothing is known of.
    let errors = complaint(brouhaha().arg("run").arg(file(folder.path(), 1)), 1);
    assert!(
        errors.contains("`other`") && errors.contains("--engine other=PATH"),
        "{errors}"
    );
    let errors = complaint(&mut run(folder.path(), "/no/such/engine", 1), 1);
    assert!(errors.contains("/no/such/engine"), "{errors}");
    let errors = complaint(&mut run(folder.path(), &engine.display().to_string(), 1), 1);
    assert!(
        errors.contains("exit status: 9") && errors.contains("no licence"),
        "{errors}"
    );
    let table = printed(
        brouhaha()
            .args(["tournament", "standings", "1", "--data-dir"])
            .arg(folder.path().join("data")),
    );
    assert!(table.contains("0 of 2 games"), "{table}");
}

/// The whole process stands still while the engine moves, as on a host that is far too busy.
#[cfg(unix)]
#[test]
fn time_that_the_host_took_is_no_loss_of_the_engine() {
    let folder = tempfile::tempdir().unwrap();
    let go = "kill -STOP $PPID; sleep 4; echo 'bestmove a2a3'; kill -CONT $PPID";
    let engine = script(folder.path(), "engine", go);
    let mut probe = brouhaha();
    probe
        .args(["engine", "probe", "--limit", "movetime=2000ms"])
        .arg(&engine);
    let errors = complaint(&mut probe, 1);
    assert!(
        errors.contains("but the host itself was late by") && errors.contains("> bestmove a2a3"),
        "{errors}"
    );
}

#[test]
fn waits_and_limits_that_are_none_are_refused_before_anything_is_started() {
    let folder = tempfile::tempdir().unwrap();
    let started = folder.path().join("started");
    let engine = folder.path().join("engine");
    let text = format!("#!/bin/sh\ntouch {}\n", started.display());
    write_script(&engine, &text);
    let engine = engine.display().to_string();
    for (arguments, code, part) in [
        (
            vec!["engine", "probe", &engine, "--patience", "begin=3"],
            2,
            "there is no wait `begin`: there are start, new_game, ping, stop and quit",
        ),
        (
            vec![
                "work",
                "--coordinator",
                "http://127.0.0.1:9",
                "--patience",
                "stop=0",
            ],
            1,
            "--patience: `stop` must be a number of seconds from 0.01 to 3600",
        ),
        (
            vec![
                "engine",
                "probe",
                &format!("xboard:{engine}"),
                "--limit",
                "nodes=9",
            ],
            1,
            "no limit of nodes: give such an engine a depth, a time for a move or a clock",
        ),
    ] {
        let errors = complaint(brouhaha().args(arguments), code);
        assert!(errors.contains(part), "{errors}");
    }
    assert!(!started.exists());
}

/// A worker that is killed outright leaves no engine behind, not even one that ignores the end of its input.
#[cfg(target_os = "linux")]
#[test]
fn engines_end_with_their_worker() {
    let folder = tempfile::tempdir().unwrap();
    let pid = folder.path().join("pid");
    let go = format!("echo $$ > {}; while :; do sleep 0.1; done", pid.display());
    let engine = script(folder.path(), "engine", &go);
    let serving = Serving::start(&folder.path().join("data"));
    serving.create(&file(folder.path(), 1));
    let mut work = serving.command(&["work", "--slots", "1"]);
    let mut worker =
        Running::start(work.args(["--engine", &format!("other={}", engine.display())]));
    let stat = wait_for(|| {
        let pid = std::fs::read_to_string(&pid)
            .ok()
            .filter(|pid| pid.ends_with('\n'))?;
        let stat = Path::new("/proc").join(pid.trim()).join("stat");
        stat.exists().then_some(stat)
    });
    worker.kill();
    // A zombie is one that somebody else has still to reap.
    wait_for(|| {
        let stat = std::fs::read_to_string(&stat);
        stat.map_or(Some(()), |stat| stat.contains(") Z ").then_some(()))
    });
}

#[test]
fn our_own_uci_front_plays_the_same_moves_as_the_engine_in_process() {
    let folder = tempfile::tempdir().unwrap();
    let text = "[[engine]]\nname = \"other\"\npath = \"PROGRAM\"\nargs = [\"uci\"]\n";
    let engines = folder.path().join("engines.toml");
    std::fs::write(
        &engines,
        text.replace("PROGRAM", env!("CARGO_BIN_EXE_brouhaha")),
    )
    .unwrap();
    let mut command = brouhaha();
    command
        .arg("run")
        .arg(file(folder.path(), 4))
        .arg("--engines")
        .arg(&engines);
    command.arg("--data-dir").arg(folder.path().join("data"));
    printed(&mut command);
    let mut stored = brouhaha();
    stored
        .args(["tournament", "games", "1", "--as", "json", "--data-dir"])
        .arg(folder.path().join("data"));
    let games = games(&mut stored);
    assert_eq!(games.len(), 8);
    // Both games of a pair are the same game, since both players play alike.
    for pair in games.chunks(2) {
        assert_eq!(pair[0]["moves"], pair[1]["moves"]);
        assert_ne!(pair[0]["first"], pair[1]["first"]);
        assert!(pair[0]["moves"].as_array().unwrap().len() > 10);
    }
}

/// Engines of Debian over both protocols and ours meet each other across two workers.
#[test]
fn foreign_engines_play_ours_across_two_workers() {
    let programs = ["/usr/games/stockfish", "/usr/games/fairymax"];
    if let Some(missing) = programs.iter().find(|path| !Path::new(path).is_file()) {
        eprintln!("{missing} is not installed: not played");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("foreign.toml");
    let mut text = "schema = 1\nname = \"foreign\"\nvariant = \"chess\"\nmax_plies = 60\nbatch_pairs = 1\n\
                    [openings]\nsource = \"setups\"\n[format]\nkind = \"round-robin\"\npairs = 1\n[limit]\ndepth = 2\n"
        .to_owned();
    for (name, source) in [
        ("own", "builtin = true\noptions = { Hash = 1 }"),
        (
            "cautious",
            "builtin = true\noptions = { Hash = 1, Contempt = -40 }",
        ),
        (
            "stockfish",
            "command = \"stockfish\"\noptions = { Hash = 1 }",
        ),
        ("fairymax", "command = \"max\"\noptions = { Hash = 1 }"),
    ] {
        text += &format!("[[engine]]\nname = \"{name}\"\n{source}\n");
    }
    std::fs::write(&file, text).unwrap();
    let serving = Serving::start(&folder.path().join("data"));
    let id = serving.create(&file);
    let workers = ["first", "second"].map(|name| {
        let mut command = serving.command(&["work", "--slots", "1", "--name", name]);
        command.args(["--engine", "stockfish=/usr/games/stockfish"]);
        command.args(["--engine", "max=xboard:/usr/games/fairymax"]);
        Running::start(&mut command)
    });
    serving.wait_for_games(&id, 12);
    let table = json(&mut serving.command(&["tournament", "standings", &id, "--format", "json"]));
    // Every game ended by the rules, by the ply limit or by an engine that gave up: none by a fault.
    let faults = ["crash", "hang", "time", "illegal-move", "false-claim"];
    let reasons = reasons(&table);
    assert!(
        reasons
            .iter()
            .all(|(reason, _)| !faults.contains(&reason.as_str())),
        "{reasons:?}"
    );
    assert_eq!(reasons.iter().map(|(_, games)| games).sum::<u64>(), 12);
    let rows = table["standings"].as_array().unwrap();
    assert_eq!(rows.len(), 4);
    assert!(rows.iter().all(|row| row["games"] == 6), "{rows:?}");
    drop(workers);
}

/// A file given to the coordinator is fetched, checked and played by a worker that never saw it.
#[cfg(unix)]
#[test]
fn an_uploaded_engine_is_known_and_played() {
    let folder = tempfile::tempdir().unwrap();
    let engine = script(folder.path(), "own", "echo bestmove 0000");
    let serving = Serving::start(&folder.path().join("data"));
    let command = |arguments: &[&str]| {
        let mut command = serving.command(&["engine"]);
        command.args(arguments);
        command
    };
    let told = printed(command(&["upload", "--name", "mine"]).arg(&engine));
    let (sha256, registered) = told.split_once('\n').unwrap();
    assert_eq!(sha256.len(), 64);
    assert!(registered.starts_with("mine is version "), "{told}");
    let version = registered.trim().rsplit(' ').next().unwrap();
    // The same again is the same; other options are another version.
    assert_eq!(
        printed(command(&["upload", "--name", "mine"]).arg(&engine)),
        told
    );
    let other = format!("artifact:{sha256}:Skill=3");
    let other = printed(&mut command(&["register", "--name", "other", &other]));
    assert!(!other.contains(version), "{other}");
    let list = json(&mut command(&["list", "--format", "json"]));
    let names: Vec<&str> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|engine| engine["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["mine", "other"]);
    let shown = json(&mut command(&["show", &version[..10], "--format", "json"]));
    assert_eq!(shown, list[0]);
    assert_eq!(
        (&shown["kind"], &shown["artifact"]),
        (&"artifact".into(), &sha256.into())
    );
    assert!(printed(&mut command(&["list"])).contains("Skill=3"));
    // A match of it: it moves nowhere, and loses by that.
    let file = file(folder.path(), 1);
    let text = std::fs::read_to_string(&file).unwrap();
    let text = text.replace("command = \"other\"", &format!("artifact = \"{sha256}\""));
    std::fs::write(&file, text).unwrap();
    let id = serving.create(&file);
    let _worker = serving.worker("one");
    serving.wait_for_games(&id, 2);
    let table = json(&mut serving.command(&["tournament", "standings", &id, "--format", "json"]));
    assert_eq!(reasons(&table), [("illegal-move".to_owned(), 2)]);

    let stored = folder.path().join("data/artifacts").join(sha256);
    assert!(stored.is_file());
    for (arguments, says) in [
        (&["show", "nobody"][..], "no engine version `nobody`"),
        (&["upload", "/no/such/file"], "`/no/such/file`"),
        (&["upload", "/"], "`/` is no file"),
        (&["register", "--name", "x", "builtin:Nothing=1"], "Nothing"),
        (
            &[
                "register",
                "--name",
                "x",
                &format!("artifact:{}", "0".repeat(64)),
            ],
            "not in the store",
        ),
    ] {
        let error = complaint(&mut command(arguments), 1);
        assert!(error.contains(says), "{error}");
    }
    // A file that is gone is found by a check of the store.
    let (data, mut serving) = (folder.path().join("data"), serving);
    serving.process.kill();
    std::fs::remove_file(stored).unwrap();
    let mut check = brouhaha();
    let checked = crate::process::output(check.args(["store", "check", "--data-dir"]).arg(data));
    let told = String::from_utf8_lossy(&checked.stdout) + String::from_utf8_lossy(&checked.stderr);
    assert!(
        told.contains(&format!("artifact {sha256} is missing")),
        "{told}"
    );
}

/// An engine file of the XBoard protocol for this platform and one for another, by the name of its version.
#[cfg(target_os = "linux")]
#[test]
fn a_version_of_several_platforms_is_played_by_name_until_it_is_retired() {
    let folder = tempfile::tempdir().unwrap();
    // It answers to `protover` and to `ping`, and resigns when it is to move.
    let engine = folder.path().join("resigns");
    write_script(
        &engine,
        "#!/bin/sh\nwhile read word rest; do case $word in\n\
         protover) echo 'feature done=0 setboard=1 ping=1 usermove=1 done=1';;\n\
         ping) echo pong $rest;;\nusermove|go) echo resign;;\nquit) exit 0;;\nesac; done\n",
    );
    let serving = Serving::start(&folder.path().join("data"));
    let command = |arguments: &[&str]| {
        let mut command = serving.command(&["engine"]);
        command.args(arguments);
        command
    };
    let own = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    let path = engine.to_str().unwrap();
    let upload = |name: &str, platform: &str| {
        let arguments = [
            "upload",
            path,
            "--name",
            name,
            "--protocol",
            "xboard",
            "--platform",
            platform,
        ];
        printed(&mut command(&arguments))
    };
    upload("here", &own);
    let elsewhere = upload("elsewhere", "plan9-mips");
    assert!(elsewhere.contains("elsewhere is version"), "{elsewhere}");
    let shown = printed(&mut command(&["show", "here"]));
    assert!(shown.contains(&format!("file: {own} ")), "{shown}");

    let by_name = |name: &str| {
        let file = file(folder.path(), 1);
        let text = std::fs::read_to_string(&file).unwrap();
        let text = text.replace("command = \"other\"", &format!("version = \"{name}\""));
        std::fs::write(&file, text.replace("nodes = 50", "depth = 1")).unwrap();
        file
    };
    let id = serving.create(&by_name("here"));
    let _worker = serving.worker("one");
    serving.wait_for_games(&id, 2);
    let table = json(&mut serving.command(&["tournament", "standings", &id, "--format", "json"]));
    assert_eq!(reasons(&table), [("resign".to_owned(), 2)]);
    let id = serving.create(&by_name("elsewhere"));
    wait_for(|| {
        let shown = printed(&mut serving.command(&["tournament", "show", &id]));
        shown.contains("plan9-mips").then_some(())
    });

    let told = printed(&mut command(&["retire", "here"]));
    assert!(told.starts_with("here is retired: version "), "{told}");
    assert!(!printed(&mut command(&["list"])).contains("| here "));
    assert!(printed(&mut command(&["list", "--all"])).contains("(retired)"));
    let arguments = [
        "compare",
        "--base",
        "builtin",
        "--candidate",
        "version:here",
        "--variant",
        "chess",
        "--pairs",
        "1",
    ];
    let error = complaint(&mut serving.command(&arguments), 1);
    assert!(
        error.contains("retired") && error.contains("--undo"),
        "{error}"
    );
    assert!(printed(&mut command(&["retire", "here", "--undo"])).contains("in use"));
    for (arguments, says) in [
        (&["upload", path, path, "--name", "x"][..], "any platform"),
        (
            &["upload", path, "--name", "x", "--platform", "Linux"],
            "`Linux`",
        ),
        (
            &["upload", path, path, "--name", "x", "--platform", "any"],
            "--platform",
        ),
        (&["retire", "nobody"], "`nobody`"),
    ] {
        let error = complaint(&mut command(arguments), 1);
        assert!(error.contains(says), "{error}");
    }
}

/// An engine that crashes in every game is withdrawn where others can go on, and ends a match where nobody can.
#[cfg(unix)]
#[test]
fn an_engine_that_keeps_failing_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let engine = script(folder.path(), "engine", "exit 4");
    let mut command = run(folder.path(), engine.to_str().unwrap(), 50);
    let error = complaint(&mut command, 1);
    for part in ["`other` is stopped", "10 of 10 games", "evidence", "resume"] {
        assert!(error.contains(part), "{error}");
    }
    // The same again gives it another chance, of ten games.
    let error = complaint(&mut command, 1);
    assert!(error.contains("10 of 10 games"), "{error}");
    let shown = || {
        let mut command = brouhaha();
        command.args(["tournament", "show", "1", "--format", "json", "--data-dir"]);
        json(command.arg(folder.path().join("data")))
    };
    let state = shown();
    let stops = state["quarantined"].as_array().unwrap();
    assert_eq!((stops.len(), &stops[1]["faults"]), (2, &10.into()));
    assert_eq!(state["state"], "paused");

    // Three players, by a rule of the file.
    let path = folder.path().join("external.toml");
    let text = std::fs::read_to_string(&path).unwrap();
    let text = text.replace("head-to-head", "round-robin")
        + "[[engine]]\nname = \"third\"\nbuiltin = true\noptions = { Contempt = 9 }\n";
    std::fs::write(
        &path,
        text.clone() + "[quarantine]\nfaults = 3\npercent = 50\n",
    )
    .unwrap();
    let file = path.to_str().unwrap();
    let mut command = brouhaha();
    command.args(["run", file, "--format", "json", "--engine"]);
    command.arg(format!("other={}", engine.display()));
    command.arg("--data-dir").arg(folder.path().join("others"));
    let table = json(&mut command);
    let games = |name: &str| {
        let rows = table["standings"].as_array().unwrap().iter();
        rows.clone().find(|row| row["player"] == name).unwrap()["games"]
            .as_u64()
            .unwrap()
    };
    assert!((3..100).contains(&games("other")), "{table}");
    assert!(games("own") >= 100 && games("third") >= 100, "{table}");
    // Where nobody is left to meet without it, it is an end.
    let gauntlet = text
        .replace("round-robin", "gauntlet")
        .replace("name = \"own\"", "name = \"first\"");
    let gauntlet = gauntlet.replace("pairs = 50", "pairs = 50\nchallengers = [\"other\"]");
    std::fs::write(&path, gauntlet + "[quarantine]\nfaults = 3\n").unwrap();
    let error = complaint(&mut command, 1);
    assert!(
        error.contains("`other` is stopped: it lost 3 of 3"),
        "{error}"
    );
    // And one that says never.
    std::fs::write(
        &path,
        text.replace("pairs = 50", "pairs = 6") + "[quarantine]\npercent = 100\n",
    )
    .unwrap();
    let table = json(&mut command);
    assert_eq!(
        reasons(&table)
            .iter()
            .find(|(reason, _)| reason == "crash")
            .unwrap()
            .1,
        24
    );
}

/// An engine that was built anew under the same name is another version: nothing of the old one counts for it.
#[cfg(unix)]
#[test]
fn an_engine_that_was_built_anew_is_not_taken_for_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let engine = script(folder.path(), "engine", "echo bestmove 0000");
    let mut command = run(folder.path(), engine.to_str().unwrap(), 1);
    assert_eq!(
        reasons(&json(&mut command)),
        [("illegal-move".to_owned(), 2)]
    );
    let again = crate::process::output(&mut command);
    assert!(String::from_utf8_lossy(&again.stderr).contains("finished"));
    script(folder.path(), "engine", "echo bestmove 0000; exit 3");
    let anew = crate::process::output(&mut command);
    let told = String::from_utf8_lossy(&anew.stderr).into_owned();
    assert!(
        !told.contains("finished") && told.contains("has changed"),
        "{told}"
    );
}

#[cfg(unix)]
#[test]
fn an_engine_is_probed() {
    let folder = tempfile::tempdir().unwrap();
    let probe = |engine: &str, more: &[&str]| {
        let mut command = brouhaha();
        command
            .args(["engine", "probe", engine, "--format", "json"])
            .args(more);
        command
    };
    // Our own, through a script, since it wants an argument.
    let own = folder.path().join("own");
    let program = env!("CARGO_BIN_EXE_brouhaha");
    write_script(&own, &format!("#!/bin/sh\nexec {program} uci\n"));
    let found = json(&mut probe(
        own.to_str().unwrap(),
        &[
            "--limit",
            "nodes=100",
            "--plies",
            "20",
            "--option",
            "Hash=1",
            "--variant",
            "apothecary-modern",
        ],
    ));
    assert_eq!(
        (&found["plies"], &found["end_reason"]),
        (&20.into(), &"max-plies".into())
    );
    let said = found["said"].as_array().unwrap();
    assert!(
        said.iter()
            .any(|line| line.as_str().unwrap().starts_with("option name Hash ")),
        "{found}"
    );
    assert!(found["nodes_per_second"].is_null() || found["nodes_per_second"].as_f64() > Some(0.0));
    assert_eq!(found["evidence"], Value::Null);

    let bad = script(folder.path(), "bad", "echo bestmove e2e5");
    let ended = crate::process::output(&mut probe(bad.to_str().unwrap(), &[]));
    assert_eq!(ended.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(found["end_reason"], "illegal-move");
    assert!(
        found["evidence"]["engine_log"]
            .as_str()
            .unwrap()
            .contains("> bestmove e2e5")
    );
    for (engine, more, says) in [
        ("/no/such/engine", &[][..], "/no/such/engine"),
        (
            bad.to_str().unwrap(),
            &["--option", "Nothing=1"],
            "has no option `Nothing`",
        ),
        (
            bad.to_str().unwrap(),
            &["--variant", "apothecary-modern"],
            "UCI_Variant",
        ),
    ] {
        let error = complaint(&mut probe(engine, more), 1);
        assert!(error.contains(says), "{error}");
    }
}
