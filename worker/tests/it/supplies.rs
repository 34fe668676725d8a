//! What a batch needs: variants, engine files; batches of positions; batches that cannot be worked on.

use std::collections::BTreeMap;

use proto::v1::coordinator_message::Message as Down;
use proto::v1::worker_message::Message as Up;
use proto::v1::{self, FailureReason, ReportStatus, engine_source};

use crate::coordinator::{Coordinator, admit};
use crate::engines::chess;
use crate::work::{Running, batch, builtin, builtins, chess_ref, config, lease, nodes, player};

/// What is wrong with a batch.
type Change<'a> = &'a dyn Fn(&mut v1::Batch);

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_that_cannot_be_played_is_given_back_with_the_reason() {
    let mut coordinator = Coordinator::start(admit).await;
    let folder = tempfile::tempdir().unwrap();
    let shell = folder.path().join("shell");
    std::fs::copy("/bin/sh", &shell).unwrap();
    let mut settings = config(&coordinator, 1);
    let named = format!("shell={}", shell.display());
    settings.commands.add_text(&named).unwrap();
    let worker = Running::start(settings);
    let mut stream = coordinator.stream().await;
    let said = &coordinator.registrations()[0];
    let platform = format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH);
    assert_eq!((said.platform.clone(), said.engines.len()), (platform, 1));
    assert_eq!(said.engines[0].sha256.len(), 64);
    stream.credit().await;
    let with = |number: u32, change: &dyn Fn(&mut v1::Batch)| {
        let mut batch = batch(number, 2, builtins(), 8);
        change(&mut batch);
        batch
    };
    let source = |batch: &mut v1::Batch, kind| {
        batch.players[1].source = Some(v1::EngineSource { kind: Some(kind) })
    };
    let cases: [(Change<'_>, FailureReason, &str); 11] = [
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
                        evaluation: String::new(),
                    }),
                )
            },
            FailureReason::OtherBuild,
            "build other",
        ),
        (
            &|b| {
                source(
                    b,
                    engine_source::Kind::Builtin(v1::BuiltinEngine {
                        build: engine::BUILD.into(),
                        evaluation: "schema = 1\n".into(),
                    }),
                )
            },
            FailureReason::EngineStart,
            "engine `b`: the evaluation file is for no variant, not for `chess`",
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
        (
            &|b| {
                let file = v1::ArtifactFile {
                    platform: "plan9-mips".into(),
                    sha256: "0".repeat(64),
                };
                source(
                    b,
                    engine_source::Kind::Files(v1::ArtifactEngine {
                        files: vec![file],
                        ..Default::default()
                    }),
                )
            },
            FailureReason::OtherPlatform,
            "no file of it is for",
        ),
        (
            &|b| {
                source(
                    b,
                    engine_source::Kind::Pinned(v1::PinnedCommand {
                        name: "shell".into(),
                        sha256: "0".repeat(64),
                    }),
                )
            },
            FailureReason::OtherExecutable,
            "is wanted, by its SHA-256",
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
    // An engine that was replaced under a running worker is not what the worker said that it is.
    std::fs::write(&shell, "#!/bin/sh\n").unwrap();
    let command = engine_source::Kind::Command("shell".into());
    let replaced = with(19, &|b| source(b, command.clone()));
    stream.tell(Down::Batch(replaced)).await;
    let failure = stream.failure().await;
    assert_eq!(failure.reason(), FailureReason::OtherExecutable);
    assert!(
        failure.message.contains("restart the worker"),
        "{failure:?}"
    );
    // And it goes on working.
    stream.tell(Down::Batch(batch(20, 1, builtins(), 4))).await;
    assert_eq!(stream.game().await.game, 20);
    let rest = tokio::spawn(async move {
        stream.answer(1, ReportStatus::Stored).await;
        stream.store_rest().await
    });
    assert_eq!(worker.stopped().await.unwrap().failures, 12);
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
    let mut coordinator = Coordinator::with(admit, None, engine.clone().into_bytes()).await;
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
    // The line breaks every 200 bytes, and nothing is fetched twice.
    assert_eq!(coordinator.offsets(), [0, 200, 400, 600]);
    // What another process had begun.
    let kept = folder.path().join("kept");
    let begun = kept.join(format!("{hash}.partial"));
    std::fs::write(&begun, &engine.as_bytes()[..250]).unwrap();
    stream.tell(Down::Batch(with(1, &hash))).await;
    let report = stream.game().await;
    assert_eq!(report.result.unwrap().reason(), v1::EndReason::IllegalMove);
    stream.answer(1, ReportStatus::Stored).await;
    assert_eq!(coordinator.offsets()[4..], [250, 450]);
    tokio::spawn(stream.store_rest());
    worker.stopped().await.unwrap();
    let kept: Vec<_> = std::fs::read_dir(kept)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(kept, [hash.as_str()]);
}
