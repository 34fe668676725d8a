//! Engines that behave badly, played by a worker as a coordinator sees it: what is reported, who is charged, what is left behind.

mod cases;

use std::num::NonZeroU32;
use std::path::Path;
use std::time::Duration;

use proto::v1::coordinator_message::Message as Down;
use proto::v1::{self, EndReason, FailureReason, ReportStatus, engine_source};
use tempfile::TempDir;
use worker::play::child::{Patience, PatienceSettings};
use worker::{CommandEngine, Protocol, WorkerConfig};

use crate::coordinator::{Coordinator, Stream, admit};
use crate::engines::raw_script;
use crate::work::{Running, batch, player};

/// One kind of bad behaviour, and what comes of it.
#[derive(Clone, Copy)]
pub struct Case {
    /// The script's word for it.
    pub mode: &'static str,
    /// The limit of both players.
    pub limit: v1::limit::Kind,
    /// Waits other than the usual ones here, which nobody reaches who behaves.
    pub patience: &'static str,
    /// When an engine without a time counts as hanging.
    pub hang_after: Duration,
    /// Plies of a game that nothing ends.
    pub plies: u32,
    /// What comes of it.
    pub expect: Expect,
}

/// What comes of two games of White, who behaves badly once, against a Black who does not.
#[derive(Clone, Copy)]
pub enum Expect {
    /// Both games are played to their length, with so many processes of White.
    Plays(usize),
    /// White loses the first and plays the second.
    Loses {
        reason: EndReason,
        /// In the evidence's text.
        says: &'static str,
        /// In the log.
        log: &'static str,
        /// When the game ended.
        plies: usize,
        /// Processes of White.
        starts: usize,
    },
    /// The batch is given back for this reason, and played when it comes again.
    NoResult(FailureReason, &'static str),
    /// The engine does not start: the batch is given back, and when it comes again given back at once.
    NoStart(&'static str),
}

/// A protocol and the script that speaks it.
#[derive(Clone, Copy)]
pub struct Language {
    pub protocol: Protocol,
    pub script: &'static str,
}

/// Waits that no engine reaches which behaves, however busy the machine is.
const PATIENCE: &str = "start=60,new_game=60,ping=60,stop=1,quit=1";
/// The variable by which processes are found here, whatever the worker gives them itself.
const OURS: &str = "BROUHAHA_BADLY_TEST";

/// One case from beginning to end.
pub async fn run(language: Language, case: Case) {
    let (white, black) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::fs::write(white.path().join("bad"), "").unwrap();
    let mark = white.path().display().to_string();
    let engine = |folder: &TempDir, mode: &str| {
        let mut engine = raw_script(folder.path(), "engine", language.script);
        engine.args.push(mode.to_owned());
        engine.args.push(folder.path().display().to_string());
        engine.environment.insert(OURS.to_owned(), mark.clone());
        engine.protocol = language.protocol;
        engine
    };
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(settings(
        &coordinator,
        case,
        [engine(&white, case.mode), engine(&black, "good")],
    ));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let starts = || {
        let text = std::fs::read_to_string(white.path().join("starts")).unwrap();
        text.lines().count()
    };
    give(&stream, case, 0).await;
    match case.expect {
        Expect::Plays(processes) => {
            plays(&mut stream, case, 2).await;
            assert_eq!(starts(), processes, "{}", case.mode);
        }
        Expect::Loses {
            reason,
            says,
            log,
            plies,
            starts: processes,
        } => {
            let game = report(&mut stream).await;
            let result = game.result.unwrap();
            let evidence = game.evidence.unwrap();
            let mode = case.mode;
            assert_eq!(result.reason(), reason, "{mode}: {evidence:?}");
            assert_eq!(result.outcome(), v1::Outcome::Win, "{mode}");
            assert_eq!(result.winner(), v1::Colour::Black, "{mode}");
            assert!(evidence.text.contains(says), "{mode}: {}", evidence.text);
            assert!(evidence.engine_log.contains(log), "{mode}: {evidence:?}");
            assert_eq!(game.moves.len(), plies, "{mode}: {:?}", game.moves);
            plays(&mut stream, case, 1).await;
            assert_eq!(starts(), processes, "{mode}");
        }
        Expect::NoResult(reason, says) => {
            given_back(&mut stream, case, reason, says).await;
            give(&stream, case, 1).await;
            plays(&mut stream, case, 2).await;
        }
        Expect::NoStart(says) => {
            given_back(&mut stream, case, FailureReason::EngineStart, says).await;
            assert_eq!(starts(), 1, "{}", case.mode);
            give(&stream, case, 1).await;
            given_back(&mut stream, case, FailureReason::EngineStart, says).await;
            assert_eq!(starts(), 1, "{}", case.mode);
        }
    }
    let rest = tokio::spawn(stream.store_rest());
    worker.stopped().await.unwrap();
    rest.await.unwrap();
    nobody_is_left(case.mode, &mark, white.path()).await;
}

/// Gives a batch back for a limit that the protocol has no words for, with nothing started.
pub async fn refuses(language: Language, case: Case, says: &str) {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = Coordinator::start(admit).await;
    let engines = ["white", "black"].map(|name| {
        let mut engine = raw_script(folder.path(), name, language.script);
        engine.args.push(case.mode.to_owned());
        engine.args.push(folder.path().display().to_string());
        engine.protocol = language.protocol;
        engine
    });
    let worker = Running::start(settings(&coordinator, case, engines));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    give(&stream, case, 0).await;
    let failure = stream.failure().await;
    assert_eq!(failure.reason(), FailureReason::EngineStart);
    assert!(failure.message.contains(says), "{}", failure.message);
    worker.stopped().await.unwrap();
    assert!(!folder.path().join("starts").exists());
}

fn settings(coordinator: &Coordinator, case: Case, engines: [CommandEngine; 2]) -> WorkerConfig {
    let mut config = WorkerConfig::new(coordinator.url(), NonZeroU32::MIN);
    for (name, engine) in ["white", "black"].into_iter().zip(engines) {
        config.commands.add(name, engine).unwrap();
    }
    let usual = PatienceSettings::from_text(PATIENCE).unwrap();
    let usual = usual.over(Patience::default());
    config.patience = match case.patience {
        "" => usual,
        text => PatienceSettings::from_text(text).unwrap().over(usual),
    };
    config.hang_after = case.hang_after;
    config
}

/// Two games in which the same player moves first, so that its process is the same in both unless it has to be another.
async fn give(stream: &Stream, case: Case, number: u32) {
    let limit = v1::Limit {
        kind: Some(case.limit),
    };
    let named = |name: &str| {
        let source = engine_source::Kind::Command(name.to_owned());
        player(name, source, limit)
    };
    let mut batch = batch(number, 2, [named("white"), named("black")], case.plies);
    for game in &mut batch.games {
        (game.first, game.second) = (0, 1);
    }
    stream.tell(Down::Batch(batch)).await;
}

async fn report(stream: &mut Stream) -> v1::GameReport {
    let report = stream.game().await;
    stream.answer(report.sequence, ReportStatus::Stored).await;
    report
}

async fn plays(stream: &mut Stream, case: Case, games: usize) {
    for _ in 0..games {
        let game = report(stream).await;
        let reason = game.result.unwrap().reason();
        let mode = case.mode;
        assert_eq!(reason, EndReason::MaxPlies, "{mode}: {:?}", game.evidence);
        assert_eq!(game.moves.len(), case.plies as usize, "{mode}");
        // Not only legal moves: those of the fixed game.
        assert_eq!(game.moves[..4], ["a2a3", "a7a6", "b2b3", "b7b6"], "{mode}");
    }
}

async fn given_back(stream: &mut Stream, case: Case, reason: FailureReason, says: &str) {
    let failure = stream.failure().await;
    let mode = case.mode;
    assert_eq!(failure.reason(), reason, "{mode}: {}", failure.message);
    for part in [says, "`white`"] {
        assert!(
            failure.message.contains(part),
            "{mode}: {}",
            failure.message
        );
    }
    // The tail of what was exchanged.
    let has_log = ["last lines: ", "< "];
    assert!(
        has_log.iter().all(|part| failure.message.contains(part)),
        "{mode}: {}",
        failure.message
    );
}

/// No process is left that an engine of this case started. One that was killed may still be seen for a moment.
async fn nobody_is_left(mode: &str, mark: &str, folder: &Path) {
    let mut left = Vec::new();
    for _ in 0..400 {
        left = processes(mark);
        left.extend(running(folder));
        if left.is_empty() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{mode}: left behind: {left:?}");
}

/// Those that the engine wrote down because they have no environment to be found by.
fn running(folder: &Path) -> Vec<String> {
    let pids = std::fs::read_to_string(folder.join("pids")).unwrap_or_default();
    let is_running = |pid: &&str| {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid).join("stat"));
        stat.is_ok_and(|stat| !stat.contains(") Z "))
    };
    pids.lines().filter(is_running).map(str::to_owned).collect()
}

/// Processes with our variable in their environment; one that has ended and is not noticed yet has none any more.
fn processes(mark: &str) -> Vec<String> {
    let entry = format!("{OURS}={mark}");
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let is_ours = |folder: &Path| {
        let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
        environment
            .split(|&byte| byte == 0)
            .any(|one| one == entry.as_bytes())
    };
    let folders = entries.flatten().map(|entry| entry.path());
    folders
        .filter(|folder| is_ours(folder))
        .map(|folder| {
            let line = std::fs::read(folder.join("cmdline")).unwrap_or_default();
            format!("{}: {}", folder.display(), String::from_utf8_lossy(&line))
        })
        .collect()
}
