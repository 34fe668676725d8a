//! Engines over the XBoard protocol: what they are sent, and each way in which they end a game.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use proto::v1::{self, EndReason, FailureReason};
use worker::play::child::{ChildProgram, Patience};
use worker::play::game::{Abandoned, PlyMade};
use worker::play::xboard::XboardPlayer;
use worker::play::{
    Control, GameSetup, Limit, Observer, PlayedGame, Player, PlayerError, play_game,
};
use worker::{CommandEngine, Protocol};

use crate::engines::{Line, chess, launch, raw_script};

const MS: Duration = Duration::from_millis(1);
const PATIENCE: Patience = Patience {
    start: Duration::from_secs(5),
    new_game: Duration::from_secs(5),
    ping: Duration::from_secs(5),
    stop: Duration::from_millis(300),
    quit: Duration::from_millis(300),
};
/// White's moves of the fool's mate.
const FOOL: [&str; 2] = ["f2f3", "g2g4"];
/// What a usual engine can.
const USUAL: &str = "feature ping=1 setboard=1 usermove=1 variants=\"normal,gothic\" done=1";
/// Answers that mate the fool: when told to go, and when it plays already.
const MATES: [&str; 2] = [
    "echo '2 30 1 99 e7e5 e2e4'; echo 'move e7e5'",
    "echo '1 100001 1 7 d8h4'; echo 'move d8h4'",
];

/// An engine that says this of itself, and answers so to `go` and to a move when it plays.
fn engine(folder: &Path, features: &str, [go, moved]: [&str; 2]) -> ChildProgram {
    let text = format!(
        "playing=0\nwhile read -r line; do case \"$line\" in\n\
         'protover 2') cat <<'END'\n{features}\nEND\n;;\n\
         ping*) echo \"pong ${{line#ping }}\" ;;\n\
         new|force) playing=0 ;;\n\
         go) playing=1; {go} ;;\n\
         usermove*|g2g4) if [ $playing = 1 ]; then {moved}; fi ;;\n\
         '?') echo 'move a7a6' ;;\n\
         quit) exit 0 ;;\n\
         esac; done\n"
    );
    program(CommandEngine {
        protocol: Protocol::Xboard,
        ..raw_script(folder, "engine", &text)
    })
}

fn program(command: CommandEngine) -> ChildProgram {
    ChildProgram {
        name: "e".into(),
        command,
        launcher: Arc::new([]),
        options: BTreeMap::new(),
        variant: "chess".into(),
    }
}

fn start(program: &ChildProgram) -> Result<Box<dyn Player>, PlayerError> {
    let started = XboardPlayer::start(launch(program, PATIENCE), &Control::default());
    started.map(|player| Box::new(player) as Box<dyn Player>)
}

struct Unseen;

impl Observer for Unseen {
    fn moved(&mut self, _: &PlyMade<'_>) {}
}

/// A game between these two.
fn play_between(
    mut players: [Box<dyn Player>; 2],
    limits: [Limit; 2],
    max_plies: u32,
    time_margin: Duration,
) -> (Result<PlayedGame, Abandoned>, [Box<dyn Player>; 2]) {
    let variant = chess();
    let setup = GameSetup {
        variant: &variant,
        opening: &variant.start_fen(0).unwrap(),
        limits,
        adjudication: &v1::Adjudication::default(),
        max_plies,
        time_margin,
        hang_after: 300 * MS + 100 * time_margin.saturating_sub(10 * MS),
    };
    let played = play_game(&setup, &mut players, &Control::default(), &mut Unseen);
    (played, players)
}

/// The fool's game against this engine, which has Black.
fn play(engine: Box<dyn Player>, limit: Limit) -> (Result<PlayedGame, Abandoned>, Box<dyn Player>) {
    let players: [Box<dyn Player>; 2] = [Box::new(Line(FOOL.to_vec())), engine];
    let (played, [_, engine]) = play_between(players, [Limit::Nodes(1), limit], 10, 10 * MS);
    (played, engine)
}

/// Lines that were sent, from the last `new` on.
fn sent(engine: &dyn Player) -> Vec<String> {
    let log = engine.log_tail();
    let lines: Vec<&str> = log
        .lines()
        .filter_map(|line| line.strip_prefix("< "))
        .collect();
    let from = lines.iter().rposition(|line| *line == "new").unwrap_or(0);
    lines[from..]
        .iter()
        .map(|line| (*line).to_owned())
        .collect()
}

#[test]
fn a_good_engine_plays_several_games_in_one_process() {
    let folder = tempfile::tempdir().unwrap();
    let mut engine = start(&engine(folder.path(), USUAL, MATES)).unwrap();
    let clock = Limit::Clock {
        base: 61_000 * MS,
        increment: 500 * MS,
    };
    for pings in [2, 3] {
        let (played, back) = play(engine, clock);
        let game = played.unwrap();
        assert_eq!(game.moves, ["f2f3", "e7e5", "g2g4", "d8h4"]);
        assert_eq!(
            (game.result.reason(), game.result.winner()),
            (EndReason::Checkmate, v1::Colour::Black)
        );
        assert_eq!(game.stats.scores_cp, [i32::MAX, 30, i32::MAX, 999_999]);
        assert_eq!(game.stats.depths, [0, 2, 0, 1]);
        assert_eq!(game.stats.nodes, [0, 99, 0, 7]);
        assert!(back.is_healthy());
        let lines = sent(back.as_ref());
        let (begin, rest) = lines.split_at(6);
        let ping = format!("ping {pings}");
        assert_eq!(begin, ["new", "force", "easy", "post", "computer", &ping]);
        let start = chess().start_fen(0).unwrap();
        let setboard = format!("setboard {start}");
        assert_eq!(
            rest[..4],
            ["force", &setboard, "level 0 1:01 0.5", "usermove f2f3"]
        );
        // The second move is answered without being told to go; its clock has the increment.
        assert_eq!((rest[4].as_str(), rest[6].as_str()), ("time 6100", "go"));
        assert!(rest[5].starts_with("otim ") && rest[8].starts_with("otim "));
        let left: u32 = rest[7].strip_prefix("time ").unwrap().parse().unwrap();
        assert!((6_000..=6_150).contains(&left), "{rest:?}");
        assert_eq!(rest[9..], ["usermove g2g4"]);
        engine = back;
    }
}

#[test]
fn features_decide_what_an_engine_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    // Said in pieces, with a pause that only `done=0` allows.
    let pieces = "feature done=0\nfeature setboard=1 memory=1 smp=1 colors=0 san=1 odd=1\n\
                  feature option=\"Style -combo a /// *b\" option=\"Book -check 1\" option=\"Clear -button\"\nfeature done=1";
    let mut program = engine(folder.path(), pieces, MATES);
    program.options = BTreeMap::from(
        [
            ("Hash", "64"),
            ("Threads", "2"),
            ("style", "b"),
            ("Book", "false"),
            ("Clear", ""),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned())),
    );
    let engine = start(&program).unwrap();
    let lines = sent(engine.as_ref());
    assert_eq!(
        lines,
        [
            "xboard",
            "protover 2",
            "accepted done",
            "accepted setboard",
            "accepted memory",
            "accepted smp",
            "accepted colors",
            "rejected san",
            "rejected odd",
            "accepted option",
            "accepted option",
            "accepted option",
            "accepted done",
            "option Book=0",
            "option Clear",
            "memory 64",
            "cores 2",
            "option Style=b",
        ]
    );
    let (played, back) = play(engine, Limit::Depth(5));
    assert_eq!(played.unwrap().moves.len(), 4);
    let lines = sent(back.as_ref());
    // No `usermove`, `computer`, `ping`, nor a clock.
    assert_eq!(lines[..4], ["new", "force", "easy", "post"]);
    assert_eq!(lines[6..], ["sd 5", "f2f3", "go", "g2g4"]);
    // One that cannot say when it has done with a game is not used for another.
    assert!(!back.is_healthy());
}

#[test]
fn an_engine_that_cannot_play_is_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |program: &ChildProgram| match start(program) {
        Err(PlayerError::Start(message)) => message,
        Err(other) => panic!("{other:?}"),
        Ok(_) => panic!("it started"),
    };
    for (features, says) in [
        (
            "feature setboard=1 variants=\"gothic\" done=1",
            "does not play `normal`, but gothic",
        ),
        (
            "feature setboard=1 ping=1 done=0",
            "did not end its features",
        ),
    ] {
        let message = refused(&engine(folder.path(), features, MATES));
        assert!(message.contains(says), "{message}");
    }
    // It says nothing of what it can, and is told the usual beginning by nothing but `new`.
    let (played, silent) = play(
        start(&engine(folder.path(), "", MATES)).unwrap(),
        Limit::Depth(2),
    );
    assert_eq!(played.unwrap().moves.len(), 4);
    let lines = sent(silent.as_ref());
    assert_eq!(lines, ["new", "force", "sd 2", "f2f3", "go", "g2g4"]);
    let with = |name: &str, value: &str| {
        let mut program = engine(folder.path(), USUAL, MATES);
        program.options.insert(name.to_owned(), value.to_owned());
        program
    };
    assert!(refused(&with("Hash", "1")).contains("has no option `Hash`"));
    let chosen = start(&with("variant", "gothic")).unwrap();
    let (_, chosen) = play(chosen, Limit::Depth(1));
    assert_eq!(sent(chosen.as_ref())[1], "variant gothic");
    // A limit that the protocol does not have.
    let (played, _) = play(
        start(&engine(folder.path(), USUAL, MATES)).unwrap(),
        Limit::Nodes(9),
    );
    match played.unwrap_err() {
        Abandoned::Failed(FailureReason::EngineStart, text) => {
            assert!(text.contains("no limit of nodes"), "{text}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_way_to_end_a_game_is_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    for (go, reason, says) in [
        ("echo resign", EndReason::Resign, "`resign`"),
        (
            "echo '1-0 {White is better}'",
            EndReason::Resign,
            "1-0 {White is better}",
        ),
        (
            "echo '0-1 {Black mates}'",
            EndReason::FalseClaim,
            "0-1 {Black mates}",
        ),
        (
            "echo '1/2-1/2 {Repetition}'",
            EndReason::FalseClaim,
            "1/2-1/2",
        ),
        (
            "echo 'Illegal move: f2f3'",
            EndReason::FalseClaim,
            "Illegal move: f2f3",
        ),
        (
            "echo 'Error (odd): f2f3'",
            EndReason::FalseClaim,
            "Error (odd): f2f3",
        ),
        (
            "echo 'Error (unknown command): easy'; echo move e7e4",
            EndReason::IllegalMove,
            "e7e4",
        ),
        ("exit 3", EndReason::Crash, "exit status: 3"),
        ("sleep 60", EndReason::Hang, "nor when told to stop"),
    ] {
        let player = start(&engine(folder.path(), USUAL, [go, ":"])).unwrap();
        let (played, _) = play(player, Limit::Depth(3));
        let game = played.unwrap();
        assert_eq!(game.result.reason(), reason, "{go}");
        assert_eq!(game.result.winner(), v1::Colour::White, "{go}");
        let evidence = game.evidence.unwrap();
        assert!(evidence.text.contains(says), "{evidence:?}");
        assert!(evidence.engine_log.contains("< go\n"), "{evidence:?}");
    }
    // Late, but it moves when told to.
    let player = start(&engine(folder.path(), USUAL, [":", ":"])).unwrap();
    let (played, back) = play(player, Limit::MoveTime(50 * MS));
    let game = played.unwrap();
    assert_eq!(game.result.reason(), EndReason::Time);
    assert!(
        game.evidence
            .unwrap()
            .text
            .contains("`a7a6` came when told to stop")
    );
    assert!(back.is_healthy());
}

#[test]
fn a_draw_is_agreed_when_both_offer_it() {
    let (white, black) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let offer = |folder: &Path, moves: [&str; 2]| {
        let answers = moves.map(|mv| format!("echo 'offer draw'; echo 'move {mv}'"));
        start(&engine(folder, USUAL, [&answers[0], &answers[1]])).unwrap()
    };
    let players = [
        offer(white.path(), ["g1f3", "f3g1"]),
        offer(black.path(), ["g8f6", "f6g8"]),
    ];
    let (played, players) = play_between(players, [Limit::Depth(1); 2], 10, 10 * MS);
    let game = played.unwrap();
    assert_eq!(game.result.reason(), EndReason::Agreed);
    assert_eq!(game.result.outcome(), v1::Outcome::Draw);
    assert_eq!(game.moves, ["g1f3", "g8f6"]);
    assert!(game.evidence.unwrap().text.contains("both engines offered"));
    // The one that moves second hears of the offer before it answers.
    let lines = sent(players[1].as_ref());
    assert_eq!(lines[lines.len() - 2..], ["draw", "go"]);
    // An offer alone ends nothing.
    let lone: [Box<dyn Player>; 2] = [
        offer(white.path(), ["g1f3", "f3g1"]),
        start(&engine(
            black.path(),
            USUAL,
            ["echo move g8f6", "echo move f6g8"],
        ))
        .unwrap(),
    ];
    let (played, _) = play_between(lone, [Limit::Depth(1); 2], 4, 10 * MS);
    assert_eq!(played.unwrap().result.reason(), EndReason::MaxPlies);
}

/// A program of Debian that plays by this protocol, where it is installed.
#[test]
fn fairymax_plays_a_game_against_itself() {
    let path = Path::new("/usr/games/fairymax");
    if !path.is_file() {
        eprintln!("fairymax is not installed: not played");
        return;
    }
    let program = program(CommandEngine {
        protocol: Protocol::Xboard,
        ..CommandEngine::new(path)
    });
    for limit in [Limit::Depth(3), Limit::MoveTime(20 * MS)] {
        let players = [start(&program).unwrap(), start(&program).unwrap()];
        let (played, players) = play_between(players, [limit; 2], 24, 10_000 * MS);
        let game = played.unwrap();
        assert_eq!(
            game.moves.len(),
            24,
            "{:?} {}",
            game.evidence,
            players[0].log_tail()
        );
        assert_eq!(game.result.reason(), EndReason::MaxPlies);
        assert!(
            game.stats.depths.iter().all(|&depth| depth > 0),
            "{:?}",
            game.stats
        );
    }
}
