//! Engines over UCI that behave, and many that do not: each fault is told apart and nothing is left behind.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use proto::v1::{self, EndReason, FailureReason};
use tempfile::TempDir;
use worker::CommandEngine;
use worker::play::child::{ChildProgram, Patience};
use worker::play::game::{Abandoned, PlyMade};
use worker::play::uci::UciPlayer;
use worker::play::{
    Control, GameSetup, Limit, Observer, PlayedGame, Player, PlayerError, play_game,
};

use crate::engines::{Line, chess, is_running, launch, raw_script, script, script_with};

const MS: Duration = Duration::from_millis(1);
const PATIENCE: Patience = Patience {
    start: Duration::from_secs(5),
    new_game: Duration::from_secs(5),
    ping: Duration::from_secs(5),
    stop: Duration::from_millis(300),
    quit: Duration::from_millis(300),
};
const SHORT: Patience = Patience {
    start: Duration::from_millis(300),
    ping: Duration::from_millis(300),
    ..PATIENCE
};
/// White's moves of the fool's mate.
const FOOL: [&str; 2] = ["f2f3", "g2g4"];
/// Answers that mate the fool, by the number of words of the position line.
const MATES: &str = "if [ $words -le 10 ]; then echo 'info depth 2 score cp 30 nodes 99 pv e7e5 e2e4'; echo bestmove e7e5; \
                     else echo 'info depth 1 score mate 1'; echo 'bestmove d8h4'; fi";

fn program(command: CommandEngine) -> ChildProgram {
    ChildProgram {
        name: "e".into(),
        command,
        launcher: Arc::new([]),
        options: BTreeMap::new(),
        variant: "chess".into(),
    }
}

fn start(command: CommandEngine) -> Box<dyn Player> {
    let launch = launch(&program(command), PATIENCE);
    Box::new(UciPlayer::start(launch, &Control::default()).unwrap())
}

fn start_error(program: &ChildProgram, patience: Patience) -> String {
    match UciPlayer::start(launch(program, patience), &Control::default()) {
        Err(PlayerError::Start(message)) => message,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it started"),
    }
}

struct Unseen;

impl Observer for Unseen {
    fn moved(&mut self, _: &PlyMade<'_>) {}
}

/// The fool's game against this engine, which has Black.
fn play(engine: Box<dyn Player>, limit: Limit) -> (Result<PlayedGame, Abandoned>, Box<dyn Player>) {
    play_controlled(engine, limit, &Control::default())
}

fn play_controlled(
    engine: Box<dyn Player>,
    limit: Limit,
    control: &Control,
) -> (Result<PlayedGame, Abandoned>, Box<dyn Player>) {
    let variant = chess();
    let setup = GameSetup {
        variant: &variant,
        opening: &variant.start_fen(0).unwrap(),
        limits: [Limit::Nodes(1), limit],
        adjudication: &v1::Adjudication::default(),
        max_plies: 10,
        time_margin: 10 * MS,
        hang_after: 300 * MS,
    };
    let mut players: [Box<dyn Player>; 2] = [Box::new(Line(FOOL.to_vec())), engine];
    let played = play_game(&setup, &mut players, control, &mut Unseen);
    let [_, engine] = players;
    (played, engine)
}

/// A game that the engine forfeits: the reason and the evidence.
fn forfeit(command: CommandEngine, limit: Limit) -> (EndReason, v1::Evidence) {
    let (played, engine) = play(start(command), limit);
    let game = played.unwrap();
    assert_eq!(game.result.winner(), v1::Colour::White);
    assert_eq!(game.result.outcome(), v1::Outcome::Win);
    assert_eq!(game.moves, ["f2f3"]);
    drop(engine);
    (game.result.reason(), game.evidence.unwrap())
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn a_good_engine_plays_several_games_in_one_process() {
    let folder = folder();
    let count = folder.path().join("starts");
    let engine = raw_script(
        folder.path(),
        "good",
        &format!("echo started >> {}\nexec sh {}", count.display(), {
            script(folder.path(), "inner", MATES).args[0].clone()
        }),
    );
    let mut engine = start(engine);
    for _ in 0..3 {
        let (played, back) = play(engine, Limit::Nodes(50));
        let game = played.unwrap();
        assert_eq!(game.moves, ["f2f3", "e7e5", "g2g4", "d8h4"]);
        assert_eq!(
            (game.result.reason(), game.result.winner()),
            (EndReason::Checkmate, v1::Colour::Black)
        );
        assert_eq!(game.stats.scores_cp, [i32::MAX, 30, i32::MAX, 999_999]);
        assert_eq!(game.stats.depths, [0, 2, 0, 1]);
        assert_eq!(game.stats.nodes, [0, 99, 0, 0]);
        assert_eq!(game.evidence, None);
        assert!(back.is_healthy());
        engine = back;
    }
    assert_eq!(std::fs::read_to_string(count).unwrap(), "started\n");
}

#[test]
fn an_illegal_move_is_told_with_the_log() {
    let folder = folder();
    let (reason, evidence) = forfeit(
        script(folder.path(), "e", "echo 'bestmove e7e4'"),
        Limit::Nodes(9),
    );
    assert_eq!(reason, EndReason::IllegalMove);
    assert!(evidence.text.contains("e7e4"), "{evidence:?}");
    assert!(
        evidence
            .engine_log
            .contains("< go nodes 9\n> bestmove e7e4\n"),
        "{evidence:?}"
    );
    for answer in [
        "echo bestmove 0000",
        "echo 'bestmove (none)'",
        "head -c 9999 /dev/zero | tr '\\0' x | sed 's/^/bestmove /'; echo",
    ] {
        let (reason, evidence) = forfeit(script(folder.path(), "e", answer), Limit::Nodes(9));
        assert_eq!(reason, EndReason::IllegalMove);
        assert!(evidence.text.len() <= 4096 && evidence.engine_log.len() <= 16 * 1024);
    }
}

#[test]
fn a_crash_is_told_with_status_and_last_words() {
    let folder = folder();
    for (go, part) in [
        ("echo 'out of luck' >&2; exit 3", "exit status: 3"),
        ("kill -SEGV $$", "signal: 11"),
        ("echo bestmove", "without a move"),
    ] {
        let (reason, evidence) = forfeit(script(folder.path(), "e", go), Limit::Depth(3));
        assert_eq!(reason, EndReason::Crash, "{go}");
        assert!(evidence.text.contains(part), "{evidence:?}");
        assert_eq!(
            evidence.engine_log.contains("! out of luck"),
            go.contains("luck"),
            "{evidence:?}"
        );
    }
}

#[test]
fn silence_is_a_hang_under_a_limit_that_is_no_time() {
    let folder = folder();
    let pid = folder.path().join("pid");
    let floods = [
        // Silent and deaf; busy with lines; busy without a line end; all ignore `stop`.
        "while :; do sleep 1; done",
        "while :; do echo 'info depth 1 score cp 1'; done",
        "while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
    ];
    for go in floods {
        let go = format!("echo $$ > {}; {go}", pid.display());
        let (reason, evidence) = forfeit(script(folder.path(), "e", &go), Limit::Nodes(9));
        assert_eq!(reason, EndReason::Hang, "{go}");
        assert!(
            evidence.text.contains("nor when told to stop"),
            "{evidence:?}"
        );
        assert!(
            evidence.elapsed_ms >= evidence.allowed_ms && evidence.allowed_ms == 300,
            "{evidence:?}"
        );
        assert!(!is_running(&std::fs::read_to_string(&pid).unwrap()));
    }
}

#[test]
fn a_late_move_is_a_loss_on_time() {
    let folder = folder();
    // Answers only when told to stop.
    let late = "read -r line; echo \"bestmove e7e5\"";
    let clock = Limit::Clock {
        base: 100 * MS,
        increment: Duration::ZERO,
    };
    for limit in [Limit::MoveTime(100 * MS), clock] {
        let (reason, evidence) = forfeit(script(folder.path(), "e", late), limit);
        assert_eq!(reason, EndReason::Time);
        assert_eq!(evidence.allowed_ms, 100);
        assert!(evidence.elapsed_ms >= 110, "{evidence:?}");
    }
    let (reason, _) = forfeit(
        script(folder.path(), "e", "sleep 60"),
        Limit::MoveTime(50 * MS),
    );
    assert_eq!(reason, EndReason::Hang);
}

#[test]
fn an_engine_that_does_not_start_is_no_result() {
    let folder = folder();
    let with_option = |name: &str| ChildProgram {
        options: BTreeMap::from([(name.to_owned(), "2".to_owned())]),
        ..program(script(folder.path(), "e", MATES))
    };
    for (program, patience, part) in [
        (
            program(CommandEngine::new(folder.path().join("none"))),
            PATIENCE,
            "cannot be started",
        ),
        (
            program(raw_script(
                folder.path(),
                "a",
                "echo no licence >&2; exit 7",
            )),
            PATIENCE,
            "exit status: 7",
        ),
        (
            program(raw_script(
                folder.path(),
                "a",
                "echo no licence >&2; exit 7",
            )),
            PATIENCE,
            "no licence",
        ),
        (
            program(raw_script(folder.path(), "b", "sleep 60")),
            SHORT,
            "uciok",
        ),
        (
            program(script_with(folder.path(), "c", ":", MATES)),
            SHORT,
            "readyok",
        ),
        (
            program(CommandEngine::new(unreadable(folder.path(), "d", 0o644))),
            PATIENCE,
            "chmod +x",
        ),
        (
            program(CommandEngine::new(folder.path())),
            PATIENCE,
            "chmod +x",
        ),
        (
            program(CommandEngine::new(unreadable(folder.path(), "x", 0o755))),
            PATIENCE,
            "no program for this machine",
        ),
        (with_option("Hash"), PATIENCE, "no option `Hash`"),
        (
            ChildProgram {
                options: BTreeMap::from([("Skill".to_owned(), "12".to_owned())]),
                ..with_option("Skill")
            },
            PATIENCE,
            "does not take `12` for its option `Skill`, which is a spin: a whole number from 1 to 9",
        ),
        (
            ChildProgram {
                variant: "augmenters".into(),
                ..with_option("Skill")
            },
            PATIENCE,
            "cannot play `augmenters`",
        ),
    ] {
        let message = start_error(&program, patience);
        assert!(
            message.contains(part) && message.contains("`e`"),
            "{part}: {message}"
        );
    }
    // The case of an option's name does not matter.
    UciPlayer::start(launch(&with_option("skill"), PATIENCE), &Control::default()).unwrap();
}

#[test]
fn an_engine_is_told_the_name_by_which_it_knows_the_game() {
    let folder = folder();
    let heard = folder.path().join("heard");
    let text = format!(
        "while read -r line; do echo \"$line\" >>{}; case \"$line\" in\n\
         uci) echo 'option name UCI_Variant type combo default chess var chess var grand'; echo uciok ;;\n\
         isready) echo readyok ;; quit) exit 0 ;; esac; done\n",
        heard.display()
    );
    let named = |options: &[(&str, &str)]| ChildProgram {
        options: options
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        variant: "grand-chess".into(),
        ..program(raw_script(folder.path(), "v", &text))
    };
    let refused = start_error(&named(&[]), PATIENCE);
    assert!(refused.contains("does not list `grand-chess`"), "{refused}");
    let other = start_error(&named(&[("UCI_Variant", "shogi")]), PATIENCE);
    assert!(other.contains("does not list `shogi`"), "{other}");
    UciPlayer::start(
        launch(&named(&[("uci_variant", "grand")]), PATIENCE),
        &Control::default(),
    )
    .unwrap();
    let heard = std::fs::read_to_string(heard).unwrap();
    assert_eq!(heard.matches("setoption").count(), 1, "{heard}");
    assert!(
        heard.contains("setoption name UCI_Variant value grand\n"),
        "{heard}"
    );
}

/// A file that looks like a program and is none.
fn unreadable(folder: &Path, name: &str, mode: u32) -> std::path::PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = folder.join(name);
    std::fs::write(&path, b"\x7fELF of another machine\0").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn an_engine_that_does_not_read_its_input_is_not_waited_for_for_ever() {
    let folder = folder();
    let text = "read -r line; echo 'option name Book type string'; echo uciok; sleep 60";
    let engine = ChildProgram {
        // More than any pipe holds.
        options: BTreeMap::from([("Book".to_owned(), "x".repeat(4 << 20))]),
        ..program(raw_script(folder.path(), "e", text))
    };
    let message = start_error(&engine, SHORT);
    assert!(message.contains("does not read its input"), "{message}");
}

#[test]
fn castlings_written_by_both_squares_are_told_where_the_game_has_them() {
    let folder = folder();
    let heard = folder.path().join("heard");
    let text = format!(
        "while read -r line; do echo \"$line\" >>{}; case \"$line\" in\n\
         uci) echo 'option name UCI_Chess960 type check default false'; echo 'option name UCI_Variant type string'; echo uciok ;;\n\
         isready) echo readyok ;; quit) exit 0 ;; esac; done\n",
        heard.display()
    );
    let engine = raw_script(folder.path(), "e", &text);
    let of = |variant: &str, options: &[(&str, &str)]| ChildProgram {
        variant: variant.to_owned(),
        options: options
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        ..program(engine.clone())
    };
    // By the variant's own definition, and not by its name.
    for (variant, told) in [("chess", false), ("augmenters", true)] {
        std::fs::write(&heard, "").unwrap();
        let launch = launch(&of(variant, &[]), PATIENCE);
        UciPlayer::start(launch, &Control::default()).unwrap();
        let lines = std::fs::read_to_string(&heard).unwrap();
        assert_eq!(
            lines.contains("setoption name UCI_Chess960 value true\n"),
            told,
            "{variant}: {lines}"
        );
    }
    for (variant, value) in [("chess", "true"), ("augmenters", "false")] {
        let refused = start_error(&of(variant, &[("UCI_Chess960", value)]), PATIENCE);
        assert!(refused.contains("leave the option out"), "{refused}");
    }
}

#[test]
fn a_castling_written_by_both_squares_is_played_where_ours_is_not() {
    let folder = folder();
    let engine = script(
        folder.path(),
        "e",
        "echo 'info pv e8h8 e2e3'; echo bestmove e8h8",
    );
    let variant = chess();
    let setup = GameSetup {
        variant: &variant,
        opening: "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1",
        limits: [Limit::Nodes(1); 2],
        adjudication: &v1::Adjudication::default(),
        max_plies: 2,
        time_margin: 10 * MS,
        hang_after: Duration::from_secs(60),
    };
    let mut players: [Box<dyn Player>; 2] = [Box::new(Line(vec!["a2a3"])), start(engine)];
    let game = play_game(&setup, &mut players, &Control::default(), &mut Unseen).unwrap();
    assert_eq!(game.moves, ["a2a3", "e8g8"]);
}

#[test]
fn an_engine_that_dies_between_games_is_no_result() {
    let folder = folder();
    // Ready once, for the start.
    let ready = "if [ -n \"$again\" ]; then exit 5; fi; again=1; echo readyok";
    let (played, engine) = play(
        start(script_with(folder.path(), "e", ready, MATES)),
        Limit::Nodes(1),
    );
    let Err(Abandoned::Failed(FailureReason::EngineStart, message)) = played else {
        panic!("{played:?}")
    };
    assert!(message.contains("exit status: 5"), "{message}");
    assert!(!engine.is_healthy());
}

#[test]
fn what_an_engine_started_ends_with_it() {
    let folder = folder();
    let pids = folder.path().join("pids");
    for quit in ["exit 0", ":"] {
        let text = format!(
            "sleep 1000 & echo $! > {pids}; echo $$ >> {pids}\n\
             while :; do read -r line; case \"$line\" in uci) echo uciok ;; isready) echo readyok ;; quit) {quit} ;; esac; done",
            pids = pids.display()
        );
        let engine = start(raw_script(folder.path(), "e", &text));
        let pids = std::fs::read_to_string(&pids).unwrap();
        assert!(pids.lines().count() == 2 && pids.lines().all(is_running));
        drop(engine);
        for pid in pids.lines() {
            wait_until_gone(pid);
        }
    }
}

/// A killed grandchild is reaped by another process, whenever that finds the time.
fn wait_until_gone(pid: &str) {
    let is_zombie = || {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
        stat.is_ok_and(|stat| {
            stat.rsplit(')')
                .next()
                .is_some_and(|rest| rest.trim_start().starts_with('Z'))
        })
    };
    for _ in 0..1000 {
        if !is_running(pid) || is_zombie() {
            return;
        }
        std::thread::sleep(5 * MS);
    }
    panic!("process {pid} is still there");
}

#[test]
fn a_game_that_is_given_up_stops_its_engine() {
    let folder = folder();
    // One that heeds `stop` can be asked again, one that does not cannot.
    for (go, healthy) in [
        ("read -r line; echo bestmove e7e5", true),
        ("sleep 60", false),
    ] {
        let control = Control::default();
        let canceller = control.clone();
        let engine = start(script(folder.path(), "e", go));
        let thread = std::thread::spawn(move || {
            std::thread::sleep(100 * MS);
            canceller.cancel();
        });
        let (played, engine) =
            play_controlled(engine, Limit::MoveTime(Duration::from_secs(60)), &control);
        assert_eq!(played, Err(Abandoned::Cancelled));
        assert_eq!(engine.is_healthy(), healthy);
        thread.join().unwrap();
    }
}
