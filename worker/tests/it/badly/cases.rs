//! The kinds of bad behaviour, over both protocols.

use std::time::Duration;

use proto::v1::limit::Kind::{Depth, MovetimeMs, Nodes};
use proto::v1::{EndReason, FailureReason};
use worker::Protocol;

use super::{Case, Expect, Language, refuses, run};

const UCI: Language = Language {
    protocol: Protocol::Uci,
    script: include_str!("uci.sh"),
};
const XBOARD: Language = Language {
    protocol: Protocol::Xboard,
    script: include_str!("xboard.sh"),
};
/// A limit that is no time, and long games and waits for everything.
const USUAL: Case = Case {
    mode: "good",
    limit: Nodes(9),
    patience: "",
    hang_after: Duration::from_secs(120),
    plies: 6,
    expect: Expect::Plays(1),
};
/// When an engine hangs that is meant to.
const HANGS: Duration = Duration::from_secs(3);
/// White's first move is what it does badly, and another process plays the second game.
const NEVER_MOVED: usize = 0;

fn plays(mode: &'static str) -> Case {
    Case { mode, ..USUAL }
}

/// White loses the first game at its first move, and a new process plays the second.
fn loses(mode: &'static str, reason: EndReason, says: &'static str, log: &'static str) -> Case {
    Case {
        mode,
        expect: Expect::Loses {
            reason,
            says,
            log,
            plies: NEVER_MOVED,
            starts: 2,
        },
        ..USUAL
    }
}

/// As [`loses`], but the process that lost the first game plays the second.
fn loses_and_stays(
    mode: &'static str,
    reason: EndReason,
    says: &'static str,
    log: &'static str,
) -> Case {
    Case {
        expect: Expect::Loses {
            reason,
            says,
            log,
            plies: NEVER_MOVED,
            starts: 1,
        },
        ..loses(mode, reason, says, log)
    }
}

fn after(plies: usize, case: Case) -> Case {
    let expect = match case.expect {
        Expect::Loses {
            reason,
            says,
            log,
            starts,
            ..
        } => Expect::Loses {
            reason,
            says,
            log,
            plies,
            starts,
        },
        other => other,
    };
    Case { expect, ..case }
}

fn hangs(mode: &'static str, says: &'static str, log: &'static str) -> Case {
    Case {
        hang_after: HANGS,
        ..loses(mode, EndReason::Hang, says, log)
    }
}

fn no_result(mode: &'static str, says: &'static str) -> Case {
    Case {
        mode,
        expect: Expect::NoResult(FailureReason::Host, says),
        ..USUAL
    }
}

fn no_start(mode: &'static str, patience: &'static str, says: &'static str) -> Case {
    Case {
        mode,
        patience,
        expect: Expect::NoStart(says),
        ..USUAL
    }
}

/// All of them beside each other, a few at a time.
async fn run_all(language: Language, cases: Vec<Case>) {
    let mut running = tokio::task::JoinSet::new();
    for case in cases {
        if running.len() >= 6 {
            running.join_next().await.unwrap().unwrap();
        }
        running.spawn(run(language, case));
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn uci_engines_that_only_look_bad_play_on() {
    let restarts = Case {
        expect: Expect::Plays(2),
        ..USUAL
    };
    run_all(
        UCI,
        vec![
            plays("good"),
            plays("slow-start"),
            plays("huge-output"),
            plays("long-line"),
            plays("garbage"),
            plays("errors"),
            plays("ready-twice"),
            plays("odd-answer"),
            plays("ignores-quit"),
            plays("escapes"),
            plays("escapes-without-mark"),
            plays("daemon"),
            Case {
                mode: "dies-between-games",
                ..restarts
            },
            Case {
                mode: "never-ready-again",
                patience: "new_game=3",
                ..restarts
            },
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn uci_engines_lose_by_their_own_faults() {
    use EndReason::{Crash, Hang, IllegalMove, Resign, Time};
    let unasked = "that nobody had asked for";
    let go = "< go nodes 9\n";
    run_all(
        UCI,
        vec![
            after(
                38,
                Case {
                    plies: 42,
                    ..loses("dies-at-move-20", Crash, "exit status: 3", go)
                },
            ),
            loses("last-words", Crash, "exit status: 7", "! no licence"),
            loses("ends-well", Crash, "exit status: 0", go),
            loses("garbage-then-dies", Crash, "exit status: 4", "oops"),
            loses("segv", Crash, "signal: 11 (SIGSEGV)", go),
            loses("abort", Crash, "signal: 6 (SIGABRT)", go),
            loses("eats-memory", Crash, "exit status: 5", go),
            loses("forks", Crash, "exit status: 3", go),
            loses("escapes-and-dies", Crash, "exit status: 3", go),
            loses("nothing", Crash, "without a move", "> bestmove\n"),
            loses("closes-output", Crash, "goes on", go),
            after(2, loses("closes-input", Crash, "goes on", go)),
            after(2, loses("twice", Crash, unasked, "> bestmove b2b3\n")),
            after(2, loses("before-go", Crash, unasked, "> bestmove a2a3\n")),
            loses("unasked", Crash, unasked, "> readyok\n> bestmove a2a3\n"),
            hangs("hangs", "nor when told to stop", "< stop\n"),
            hangs(
                "ignores-stop",
                "nor when told to stop",
                "> info string no\n",
            ),
            hangs("stops-itself", "nor when told to stop", "< stop\n"),
            hangs("endless-line", "nor when told to stop", "< stop\n"),
            hangs("endless-lines", "nor when told to stop", "> info depth 1\n"),
            hangs("endless-errors", "nor when told to stop", "< stop\n"),
            hangs("heeds-stop", "`a2a3` came when told to stop", "< stop\n"),
            Case {
                limit: MovetimeMs(3000),
                ..loses("hangs", Hang, "nor when told to stop", "< stop\n")
            },
            Case {
                limit: MovetimeMs(3000),
                ..loses_and_stays("heeds-stop", Time, "3000 ms were allowed", "< stop\n")
            },
            // A move that comes after the one for which it was stopped is nobody's answer in the next game.
            Case {
                limit: MovetimeMs(3000),
                ..loses_and_stays("late-twice", Time, "3000 ms were allowed", "< stop\n")
            },
            loses_and_stays("illegal", IllegalMove, "e2e5", "> bestmove e2e5\n"),
            loses_and_stays("wrong-side", IllegalMove, "e7e5", "> bestmove e7e5\n"),
            loses_and_stays("zeros", IllegalMove, "0000", go),
            loses_and_stays("none", IllegalMove, "(none)", go),
            loses_and_stays("resigns", Resign, "bestmove resign", go),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn uci_engines_lose_nothing_by_what_their_host_does() {
    run_all(
        UCI,
        vec![
            no_result("killed", "perhaps for want of memory (signal: 9 (SIGKILL))"),
            no_result(
                "killed-in-shell",
                "perhaps for want of memory (exit status: 137)",
            ),
            no_result("terminated", "ended from outside (signal: 15 (SIGTERM))"),
            no_start("never-greets", "start=2", "did not answer `uciok` in time"),
            no_start("never-reads", "ping=2", "did not answer `readyok` in time"),
            no_start(
                "never-ready",
                "new_game=2",
                "did not answer `readyok` in time",
            ),
            no_start("dies-at-once", "", "exit status: 7"),
        ],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn xboard_engines_are_treated_alike() {
    use EndReason::{Crash, FalseClaim, IllegalMove, Resign, Time};
    let cases = vec![
        plays("good"),
        plays("ignores-quit"),
        plays("escapes"),
        plays("long-line"),
        plays("other-pongs"),
        Case {
            patience: "new_game=3",
            expect: Expect::Plays(2),
            ..plays("never-pongs-again")
        },
        loses("dies", Crash, "exit status: 3", "< go\n"),
        loses("segv", Crash, "signal: 11 (SIGSEGV)", "< go\n"),
        hangs("hangs", "nor when told to stop", "< ?\n"),
        hangs("heeds-stop", "`a2a3` came when told to stop", "< ?\n"),
        Case {
            limit: MovetimeMs(3000),
            ..loses_and_stays("late-twice", Time, "3000 ms were allowed", "< ?\n")
        },
        loses_and_stays("illegal", IllegalMove, "e2e5", "> move e2e5\n"),
        loses_and_stays("resigns", Resign, "`resign`", "> resign\n"),
        loses_and_stays("claims", FalseClaim, "1-0 {White mates}", "> 1-0"),
        loses_and_stays("refuses", FalseClaim, "Illegal move: a2a3", "> Illegal"),
        after(
            2,
            loses("twice", Crash, "that nobody had asked for", "> move b2b3\n"),
        ),
        no_result("killed", "perhaps for want of memory (signal: 9 (SIGKILL))"),
        no_start("never-pongs", "ping=2", "did not answer `ping` in time"),
        no_start("never-done", "start=2", "did not end its features"),
    ];
    // Without nodes, which this protocol does not have; a hang is awaited ten times as long for a depth.
    let depth = |case: Case| match case.limit {
        Nodes(_) => Case {
            limit: Depth(2),
            hang_after: case.hang_after / 10,
            ..case
        },
        _ => case,
    };
    run_all(XBOARD, cases.into_iter().map(depth).collect()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_are_refused_for_xboard_engines_before_the_game() {
    let says =
        "engine `white`: the XBoard protocol has no limit of nodes: give such an engine a depth";
    refuses(XBOARD, USUAL, says).await;
}
