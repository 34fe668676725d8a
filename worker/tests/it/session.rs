//! What a worker does with batches, answers, cancels, broken streams and stops.

use std::collections::BTreeMap;
use std::time::Duration;

use proto::v1::coordinator_message::Message as Down;
use proto::v1::register_response::Result as Registration;
use proto::v1::worker_message::Message as Up;
use proto::v1::{self, CancelReason, FailureReason, RefusalReason, ReportStatus, engine_source};
use tonic::{Request, Status};
use worker::WorkerError;

use crate::coordinator::{Coordinator, admit, terms};
use crate::engines::{chess, script};
use crate::work::{
    Running, batch, builtin, builtins, chess_ref, config, lease, movetime, nodes, player,
};

const MULTI: &str = "a tokio runtime of several threads";

/// What is wrong with a batch.
type Change<'a> = &'a dyn Fn(&mut v1::Batch);

/// Moves of all games of some batches, played on this many slots.
async fn moves_on(slots: u32) -> BTreeMap<u32, Vec<String>> {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, slots));
    let mut stream = coordinator.stream().await;
    let mut given = 0;
    let mut games = BTreeMap::new();
    while games.len() < 12 {
        match stream.next().await.unwrap() {
            Up::Credit(credit) => {
                for _ in 0..credit.batches.min(3 - given) {
                    stream
                        .tell(Down::Batch(batch(given, 4, builtins(), 30)))
                        .await;
                    given += 1;
                }
            }
            Up::Game(report) => {
                stream.answer(report.sequence, ReportStatus::Stored).await;
                let first_time = games.insert(report.game, report.moves).is_none();
                assert!(first_time, "game {}", report.game);
            }
            _ => {}
        }
    }
    let rest = tokio::spawn(stream.store_rest());
    let summary = worker.stopped().await.unwrap();
    assert_eq!(
        (summary.games, summary.unanswered, summary.failures),
        (12, 0, 0)
    );
    let rest = rest.await.unwrap();
    assert!(rest.iter().any(|message| matches!(message, Up::Drain(_))));
    assert!(!rest.iter().any(|message| matches!(message, Up::Failure(_))));
    games
}

#[tokio::test(flavor = "multi_thread")]
async fn games_do_not_depend_on_who_plays_what_when() {
    let one = moves_on(1).await;
    assert_eq!(moves_on(3).await, one, "{MULTI}");
    // Games 0, 2 … are the same game again: nothing is left of the game before.
    assert_eq!(one[&0], one[&2]);
    assert_eq!(one[&1], one[&7]);
    assert_ne!(one[&0], one[&1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_are_sent_again_until_they_are_answered() {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    assert_eq!((stream.hello.session, stream.hello.held.len()), (1, 0));
    stream.credit().await;
    stream.tell(Down::Batch(batch(5, 2, builtins(), 8))).await;
    let (first, second) = (stream.game().await, stream.game().await);
    assert_eq!((first.sequence, second.sequence), (1, 2));
    assert_eq!(first.lease, Some(lease(5)));
    stream.answer(1, ReportStatus::Stored).await;
    // The session goes on: same numbers, and the lease of the unanswered report is still claimed.
    stream.fail(Status::unavailable("broken")).await;
    let mut stream = coordinator.stream().await;
    assert_eq!(
        (stream.hello.session, stream.hello.held.clone()),
        (1, vec![lease(5)])
    );
    let again = stream.game().await;
    assert_eq!(again, second);
    // Not now means later, on the same stream.
    stream.answer(2, ReportStatus::TryAgain).await;
    assert_eq!(stream.game().await, second);
    let rest = tokio::spawn(async move {
        stream.answer(2, ReportStatus::Stored).await;
        stream.store_rest().await
    });
    let summary = worker.stopped().await.unwrap();
    assert_eq!((summary.games, summary.unanswered), (2, 0));
    rest.await.unwrap();
    assert_eq!(coordinator.registrations().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_coordinator_gets_what_the_old_one_did_not_answer() {
    // No grace: every stream needs a registration.
    let admission = |before: usize, _: &Request<v1::RegisterRequest>| {
        Ok(Registration::Accepted(v1::Registered {
            grace_ms: 0,
            ..terms(before as u64 + 1)
        }))
    };
    let mut coordinator = Coordinator::start(admission).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let slow = [
        player("a", builtin(), movetime(5000)),
        player("b", builtin(), movetime(5000)),
    ];
    stream.tell(Down::Batch(batch(0, 2, builtins(), 4))).await;
    let reports = [stream.game().await, stream.game().await];
    stream.tell(Down::Batch(batch(1, 2, slow, 10))).await;
    // What came before the break still counts.
    stream.fail(Status::internal("gone")).await;
    let mut stream = coordinator.stream().await;
    assert_eq!(stream.hello.session, 2);
    assert_eq!(stream.hello.held, [lease(0), lease(1)]);
    // Numbers begin anew with the session.
    for (index, report) in reports.into_iter().enumerate() {
        let expected = v1::GameReport {
            sequence: index as u64 + 1,
            ..report
        };
        assert_eq!(stream.game().await, expected);
    }
    // The batch that the new coordinator does not want any more is dropped without a word.
    let cancel = v1::Cancel {
        lease: Some(lease(1)),
        reason: CancelReason::LeaseLost.into(),
    };
    stream.tell(Down::Cancel(cancel)).await;
    stream.answer(1, ReportStatus::Stored).await;
    stream.answer(2, ReportStatus::Duplicate).await;
    assert!(stream.credit().await > 0);
    let rest = tokio::spawn(stream.store_rest());
    let summary = worker.stopped().await.unwrap();
    assert_eq!((summary.games, summary.unanswered), (1, 0));
    assert!(
        rest.await
            .unwrap()
            .iter()
            .all(|message| !matches!(message, Up::Failure(_)))
    );
    let instances: Vec<String> = coordinator
        .registrations()
        .into_iter()
        .map(|request| request.instance)
        .collect();
    assert_eq!(instances.len(), 2);
    assert_eq!(instances[0], instances[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_gives_games_in_flight_back() {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let slow = || {
        [
            player("a", builtin(), movetime(100)),
            player("b", builtin(), movetime(100)),
        ]
    };
    stream.tell(Down::Batch(batch(0, 1, builtins(), 4))).await;
    let report = stream.game().await;
    stream.tell(Down::Batch(batch(1, 1, slow(), 4000))).await;
    stream.tell(Down::Batch(batch(2, 1, slow(), 4000))).await;
    // The long game is begun when its first progress comes.
    let progress = stream
        .find(|message| {
            if let Up::Progress(progress) = message {
                Some(progress)
            } else {
                None
            }
        })
        .await;
    assert!((1..=2).contains(&progress.game));
    assert!(progress.from_ply == 0 && progress.score_cp.is_some() && progress.white_ms.is_none());
    let rest = tokio::spawn(async move {
        let sequence = report.sequence;
        stream.answer(sequence, ReportStatus::Stored).await;
        stream.store_rest().await
    });
    let summary = worker.stopped().await.unwrap();
    assert_eq!((summary.games, summary.failures), (1, 0));
    let mut given_back: Vec<_> = rest
        .await
        .unwrap()
        .into_iter()
        .filter_map(|message| {
            if let Up::Failure(failure) = message {
                Some(failure)
            } else {
                None
            }
        })
        .map(|failure| (failure.lease.unwrap().batch, failure.reason()))
        .collect();
    given_back.sort_unstable();
    assert_eq!(
        given_back,
        [(1, FailureReason::Draining), (2, FailureReason::Draining)],
        "progress of {}",
        progress.game
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stop_may_let_games_in_flight_finish() {
    let mut coordinator = Coordinator::start(admit).await;
    let mut config = config(&coordinator, 1);
    config.finish_within = Duration::from_secs(60);
    let worker = Running::start(config);
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let slow = || {
        [
            player("a", builtin(), movetime(50)),
            player("b", builtin(), movetime(50)),
        ]
    };
    // Two games: the second is not begun any more.
    stream.tell(Down::Batch(batch(0, 2, slow(), 30))).await;
    stream
        .find(|message| {
            if let Up::Progress(_) = message {
                Some(())
            } else {
                None
            }
        })
        .await;
    let rest = tokio::spawn(stream.store_rest());
    let summary = worker.stopped().await.unwrap();
    assert_eq!(summary.games, 1);
    let rest = rest.await.unwrap();
    let failures: Vec<_> = rest
        .iter()
        .filter(|message| matches!(message, Up::Failure(_)))
        .collect();
    assert!(
        matches!(failures[..], [Up::Failure(failure)] if failure.reason() == FailureReason::Draining)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_batch_makes_room() {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let slow = [
        player("a", builtin(), movetime(20_000)),
        player("b", builtin(), movetime(20_000)),
    ];
    stream.tell(Down::Batch(batch(0, 2, slow, 4000))).await;
    stream.tell(Down::Batch(batch(1, 1, builtins(), 4))).await;
    let cancel = v1::Cancel {
        lease: Some(lease(0)),
        reason: CancelReason::Cancelled.into(),
    };
    stream.tell(Down::Cancel(cancel)).await;
    assert_eq!(stream.game().await.game, 1);
    let rest = tokio::spawn(async move {
        stream.answer(1, ReportStatus::Stored).await;
        stream.store_rest().await
    });
    worker.stopped().await.unwrap();
    assert!(
        rest.await
            .unwrap()
            .iter()
            .all(|message| !matches!(message, Up::Failure(_)))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_cannot_be_played_is_given_back_with_the_reason() {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let with = |number: u32, change: &dyn Fn(&mut v1::Batch)| {
        let mut batch = batch(number, 2, builtins(), 8);
        change(&mut batch);
        batch
    };
    let source = |batch: &mut v1::Batch, kind| {
        batch.players[1].source = Some(v1::EngineSource { kind: Some(kind) })
    };
    let cases: [(Change<'_>, FailureReason, &str); 8] = [
        (
            &|b| b.games[1].first = 7,
            FailureReason::BadBatch,
            "players 7",
        ),
        (
            &|b| b.games[0].opening_fen = "8/8 w - - 0 1".into(),
            FailureReason::BadBatch,
            "8/8 w - - 0 1",
        ),
        (&|b| b.max_plies = 5000, FailureReason::BadBatch, "5000"),
        (
            &|b| source(b, engine_source::Kind::Command("fairy".into())),
            FailureReason::EngineStart,
            "--engine fairy=PATH",
        ),
        (
            &|b| {
                source(
                    b,
                    engine_source::Kind::Builtin(v1::BuiltinEngine {
                        build: "other".into(),
                    }),
                )
            },
            FailureReason::EngineStart,
            "build other",
        ),
        (
            &|b| drop(b.players[0].options.insert("Hsah".into(), "1".into())),
            FailureReason::EngineStart,
            "Hsah",
        ),
        (
            &|b| {
                b.variant = Some(v1::VariantRef {
                    hash: "0".repeat(64),
                    ..chess_ref()
                })
            },
            FailureReason::Variant,
            "no such variant",
        ),
        (
            &|b| source(b, engine_source::Kind::Artifact("../../x".into())),
            FailureReason::Artifact,
            "../../x",
        ),
    ];
    for (number, (change, reason, part)) in cases.into_iter().enumerate() {
        let number = u32::try_from(number).unwrap();
        stream.tell(Down::Batch(with(number, change))).await;
        let failure = stream.failure().await;
        assert_eq!(
            (failure.reason(), failure.lease),
            (reason, Some(lease(number))),
            "{failure:?}"
        );
        assert!(failure.message.contains(part), "{failure:?}");
    }
    // And it goes on working.
    stream.tell(Down::Batch(batch(20, 1, builtins(), 4))).await;
    assert_eq!(stream.game().await.game, 20);
    let rest = tokio::spawn(async move {
        stream.answer(1, ReportStatus::Stored).await;
        stream.store_rest().await
    });
    assert_eq!(worker.stopped().await.unwrap().failures, 8);
    rest.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variant_of_a_user_comes_by_its_hash() {
    let shire = include_str!("../../../examples/variants/shire.toml");
    let shire = engine::variant::Catalog::builtin()
        .load_text(shire, "shire")
        .unwrap();
    let (hash, definition) = (shire.hash().to_string(), shire.definition().to_owned());
    let mut coordinator =
        Coordinator::with(admit, Some((hash.clone(), definition)), Vec::new()).await;
    let worker = Running::start(config(&coordinator, 1));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let mut own = batch(0, 1, builtins(), 6);
    own.variant = Some(v1::VariantRef {
        id: "shire".into(),
        hash,
    });
    own.games[0].opening_fen = shire.start_fen(0).or_else(|_| shire.start_fen(1)).unwrap();
    stream.tell(Down::Batch(own)).await;
    let report = stream.game().await;
    assert_eq!(report.moves.len(), 6);
    assert_eq!(report.result.unwrap().reason(), v1::EndReason::MaxPlies);
    stream.answer(1, ReportStatus::Stored).await;
    tokio::spawn(stream.store_rest());
    worker.stopped().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_engine_keeps_its_lease_and_those_that_wait() {
    let folder = tempfile::tempdir().unwrap();
    let mut coordinator = Coordinator::start(admit).await;
    let mut config = config(&coordinator, 1);
    config
        .commands
        .add("slow", script(folder.path(), "slow", "sleep 60"))
        .unwrap();
    config.hang_after = Duration::from_secs(2);
    config.patience.stop = Duration::from_millis(200);
    let worker = Running::start(config);
    let mut stream = coordinator.stream().await;
    assert_eq!(coordinator.registrations()[0].commands, ["slow"]);
    stream.credit().await;
    let slow = player("s", engine_source::Kind::Command("slow".into()), nodes(9));
    for number in 0..2 {
        let mut batch = batch(
            number,
            1,
            [slow.clone(), player("b", builtin(), nodes(9))],
            4,
        );
        batch.lease_ms = 600;
        stream.tell(Down::Batch(batch)).await;
    }
    let mut signs = [0, 0];
    let report = loop {
        match stream.next().await.unwrap() {
            Up::Progress(progress) => signs[progress.lease.unwrap().batch as usize] += 1,
            Up::Game(report) => break report,
            _ => {}
        }
    };
    // A sign of life at least every lease time, and none more after the watchdog.
    assert!(signs.iter().all(|&signs| signs >= 3), "{signs:?}");
    assert_eq!(report.result.unwrap().reason(), v1::EndReason::Hang);
    stream.answer(1, ReportStatus::Stored).await;
    tokio::spawn(stream.store_rest());
    worker.stopped().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_are_analysed() {
    let mut coordinator = Coordinator::start(admit).await;
    let worker = Running::start(config(&coordinator, 2));
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let mate_in_one = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1";
    let mated = "3R2k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1";
    let start = chess().start_fen(0).unwrap();
    let position = |(index, fen): (usize, &str)| v1::AnalysisPosition {
        position: index as u32 + 7,
        fen: fen.to_owned(),
    };
    stream
        .tell(Down::Analysis(v1::AnalysisBatch {
            lease: Some(v1::Lease {
                analysis: true,
                ..lease(0)
            }),
            lease_ms: 30_000,
            variant: Some(chess_ref()),
            player: Some(player("a", builtin(), nodes(2000))),
            positions: [mate_in_one, mated, &start, &start]
                .into_iter()
                .enumerate()
                .map(position)
                .collect(),
        }))
        .await;
    let mut found = BTreeMap::new();
    for _ in 0..4 {
        let report = stream
            .find(|message| {
                if let Up::Analysis(report) = message {
                    Some(report)
                } else {
                    None
                }
            })
            .await;
        stream.answer(report.sequence, ReportStatus::Stored).await;
        found.insert(report.position, report.evaluation.unwrap());
    }
    let mate = &found[&7];
    assert_eq!(
        (mate.score, &mate.pv[..]),
        (
            Some(v1::evaluation::Score::Mate(1)),
            &["d1d8".to_owned()][..]
        )
    );
    assert_eq!(found[&8], v1::Evaluation::default());
    // Nothing is left of the position before.
    let (one, other) = (&found[&9], &found[&10]);
    assert_eq!(
        (one.score, one.nodes, &one.pv),
        (other.score, other.nodes, &other.pv)
    );
    assert!(one.nodes > 0 && one.nodes <= 2000 && !one.pv.is_empty());
    tokio::spawn(stream.store_rest());
    assert_eq!(worker.stopped().await.unwrap().positions, 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_artifact_is_fetched_checked_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let engine = "#!/bin/sh\nwhile read -r line; do case \"$line\" in uci) echo uciok ;; isready) echo readyok ;; go*) echo bestmove e2e5 ;; esac; done\n";
    let engine = format!("{engine}# {}\n", "x".repeat(500));
    // From sha256sum, so that the test does not rest on the code under test.
    let hash = {
        use std::io::Write;
        let mut child = std::process::Command::new("sha256sum")
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(engine.as_bytes())
            .unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()[..64].to_owned()
    };
    let mut coordinator = Coordinator::with(admit, None, engine.into_bytes()).await;
    let mut config = config(&coordinator, 1);
    config.artifacts = folder.path().join("kept");
    let worker = Running::start(config);
    let mut stream = coordinator.stream().await;
    stream.credit().await;
    let with = |number: u32, hash: &str| {
        let kind = engine_source::Kind::Artifact(hash.to_owned());
        batch(
            number,
            1,
            [
                player("x", kind, nodes(9)),
                player("b", builtin(), nodes(9)),
            ],
            4,
        )
    };
    let wrong = "0".repeat(64);
    stream.tell(Down::Batch(with(0, &wrong))).await;
    let failure = stream.failure().await;
    assert_eq!(failure.reason(), FailureReason::Artifact);
    assert!(failure.message.contains(&hash), "{failure:?}");
    stream.tell(Down::Batch(with(1, &hash))).await;
    let report = stream.game().await;
    assert_eq!(report.result.unwrap().reason(), v1::EndReason::IllegalMove);
    stream.answer(1, ReportStatus::Stored).await;
    tokio::spawn(stream.store_rest());
    worker.stopped().await.unwrap();
    let kept: Vec<_> = std::fs::read_dir(folder.path().join("kept"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(kept, [hash.as_str()]);
}

fn refuse_version(
    _: usize,
    request: &Request<v1::RegisterRequest>,
) -> Result<Registration, Status> {
    assert_eq!(request.get_ref().protocol_version, proto::PROTOCOL_VERSION);
    let refusal = v1::Refusal {
        reason: RefusalReason::ProtocolVersion.into(),
        message: "use the same release".to_owned(),
        protocol_version: 99,
        retry_after_ms: 0,
    };
    Ok(Registration::Refused(refusal))
}

fn want_token(
    before: usize,
    request: &Request<v1::RegisterRequest>,
) -> Result<Registration, Status> {
    match request.metadata().get("authorization") {
        Some(token) if token == "Bearer secret" => admit(before, request),
        _ => Err(Status::unauthenticated("no token")),
    }
}

fn crowded(before: usize, request: &Request<v1::RegisterRequest>) -> Result<Registration, Status> {
    if before > 1 {
        return admit(before, request);
    }
    let refusal = v1::Refusal {
        reason: RefusalReason::TooManyWorkers.into(),
        message: "full".to_owned(),
        protocol_version: proto::PROTOCOL_VERSION,
        retry_after_ms: 20,
    };
    Ok(Registration::Refused(refusal))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_for_good_ends_the_worker_and_another_one_does_not() {
    let coordinator = Coordinator::start(refuse_version).await;
    let error = Running::start(config(&coordinator, 1))
        .ended()
        .await
        .unwrap_err();
    assert!(
        matches!(&error, WorkerError::Refused { message, .. } if message == "use the same release"),
        "{error}"
    );

    let mut coordinator = Coordinator::start(want_token).await;
    let error = Running::start(config(&coordinator, 1))
        .ended()
        .await
        .unwrap_err();
    assert!(
        matches!(&error, WorkerError::Unauthenticated { .. }),
        "{error}"
    );
    let mut with_token = config(&coordinator, 1);
    with_token.token = Some("secret".to_owned());
    let worker = Running::start(with_token);
    tokio::spawn(coordinator.stream().await.store_rest());
    worker.stopped().await.unwrap();

    let mut coordinator = Coordinator::start(crowded).await;
    let worker = Running::start(config(&coordinator, 1));
    tokio::spawn(coordinator.stream().await.store_rest());
    worker.stopped().await.unwrap();
    assert_eq!(coordinator.registrations().len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_coordinator_that_is_not_there_is_waited_for_or_not() {
    let mut coordinator = Coordinator::start(admit).await;
    let mut elsewhere = config(&coordinator, 1);
    // Nothing listens on the port that was free a moment ago.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    elsewhere.coordinator = format!("http://127.0.0.1:{port}");
    elsewhere.give_up_after = Some(Duration::from_millis(300));
    let error = Running::start(elsewhere.clone()).ended().await.unwrap_err();
    assert!(
        matches!(&error, WorkerError::Unreachable { address, .. } if address.contains(&port.to_string())),
        "{error}"
    );
    // A stop is heeded while it looks for one.
    elsewhere.give_up_after = None;
    let worker = Running::start(elsewhere);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(worker.stopped().await.unwrap().games, 0);

    let worker = Running::start(config(&coordinator, 1));
    tokio::spawn(coordinator.stream().await.store_rest());
    worker.stopped().await.unwrap();
}
