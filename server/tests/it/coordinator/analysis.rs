//! Analysis jobs, engine files, variants.

use proto::v1::{
    self, ReportStatus, coordinator_message::Message as Down, worker_message::Message as Up,
};
use tonic::Code;

use super::{
    harness::{Running, config, nodes},
    worker::Worker,
};

fn start() -> String {
    engine::variant::Catalog::builtin()
        .get("chess")
        .unwrap()
        .start_fen(0)
        .unwrap()
}

fn request(positions: usize) -> v1::SubmitAnalysisRequest {
    v1::SubmitAnalysisRequest {
        variant: "chess".into(),
        fens: vec![start(); positions],
        engine: Some(v1::EngineSpec {
            limit: nodes(1000),
            ..Default::default()
        }),
        batch_positions: 3,
        ..Default::default()
    }
}

async fn batch(worker: &mut Worker) -> v1::AnalysisBatch {
    worker.credit(1).await;
    loop {
        if let Down::Analysis(batch) = worker.next().await {
            return batch;
        }
    }
}

async fn report(
    worker: &mut Worker,
    batch: &v1::AnalysisBatch,
    position: u32,
    pv: &[&str],
) -> v1::ReportAnswer {
    let evaluation = v1::Evaluation {
        score: Some(v1::evaluation::Score::Cp(position as i32)),
        depth: 5,
        nodes: 1000,
        pv: pv.iter().map(|text| (*text).to_owned()).collect(),
        ..Default::default()
    };
    let report = v1::AnalysisReport {
        sequence: 1,
        lease: batch.lease,
        position,
        evaluation: Some(evaluation),
    };
    worker.send(Up::Analysis(report)).await;
    loop {
        if let Down::Answer(answer) = worker.next().await {
            return answer;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_are_analysed_once_each_also_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(config(folder.path())).await;
    let job = running
        .analyses()
        .await
        .submit(request(5))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (job.id, job.positions, job.state()),
        (1, 5, v1::AnalysisState::Running)
    );
    let mut worker = Worker::join(&running, "one").await;
    let first = batch(&mut worker).await;
    assert_eq!(
        first
            .positions
            .iter()
            .map(|at| at.position)
            .collect::<Vec<_>>(),
        [0, 1, 2]
    );
    assert_eq!(first.player.as_ref().unwrap().limit, nodes(1000));
    let answer = report(&mut worker, &first, 1, &["e2e4", "e7e5"]).await;
    assert_eq!(answer.status(), ReportStatus::Stored, "{}", answer.message);
    assert_eq!(
        report(&mut worker, &first, 1, &["e2e4", "e7e5"])
            .await
            .status(),
        ReportStatus::Duplicate
    );
    let answer = report(&mut worker, &first, 0, &["e2e5"]).await;
    assert_eq!(answer.refusal(), v1::ReportRefusal::IllegalMove);
    running.stop().await;

    let running = Running::start(config(folder.path())).await;
    let mut results = running
        .analyses()
        .await
        .watch(v1::WatchAnalysisRequest { id: 1 })
        .await
        .unwrap()
        .into_inner();
    let mut worker = Worker::join(&running, "two").await;
    for expected in [&[0, 2][..], &[3, 4]] {
        let next = batch(&mut worker).await;
        let positions: Vec<u32> = next.positions.iter().map(|at| at.position).collect();
        assert_eq!(positions, expected);
        for position in positions {
            assert_eq!(
                report(&mut worker, &next, position, &["d2d4"])
                    .await
                    .status(),
                ReportStatus::Stored
            );
        }
    }
    let mut seen = Vec::new();
    while let Some(result) = results.message().await.unwrap() {
        assert_eq!(
            result.evaluation.unwrap().score,
            Some(v1::evaluation::Score::Cp(result.position as i32))
        );
        seen.push(result.position);
    }
    assert_eq!(seen[0], 1, "what was there comes first");
    seen.sort();
    assert_eq!(seen, [0, 1, 2, 3, 4]);
    let job = running
        .analyses()
        .await
        .get(v1::GetAnalysisRequest { id: 1 })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (job.analysed, job.state()),
        (5, v1::AnalysisState::Finished)
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_job_ends_for_workers_and_watchers() {
    let (running, _folder) = Running::fresh().await;
    running.analyses().await.submit(request(5)).await.unwrap();
    let mut results = running
        .analyses()
        .await
        .watch(v1::WatchAnalysisRequest { id: 1 })
        .await
        .unwrap()
        .into_inner();
    let mut worker = Worker::join(&running, "one").await;
    let first = batch(&mut worker).await;
    let job = running
        .analyses()
        .await
        .cancel(v1::CancelAnalysisRequest { id: 1 })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(job.state(), v1::AnalysisState::Cancelled);
    assert_eq!(worker.cancelled().await.lease, first.lease);
    assert_eq!(results.message().await.unwrap(), None);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_cannot_be_done_ends_with_its_reason() {
    let (running, _folder) = Running::fresh().await;
    running.analyses().await.submit(request(2)).await.unwrap();
    let watch = v1::WatchAnalysisRequest { id: 1 };
    let mut results = running
        .analyses()
        .await
        .watch(watch)
        .await
        .unwrap()
        .into_inner();
    // Each time another worker, so that none is put in quarantine.
    let mut workers = Vec::new();
    for attempt in 0..5 {
        let mut worker = Worker::join(&running, &format!("worker {attempt}")).await;
        let lease = batch(&mut worker).await.lease;
        let reason = v1::FailureReason::EngineStart.into();
        let failure = v1::BatchFailure {
            lease,
            reason,
            message: "no such file".into(),
        };
        worker.send(Up::Failure(failure)).await;
        // A worker that goes at once may take its last message with it.
        workers.push(worker);
    }
    let status = results.message().await.unwrap_err();
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(
        status.message().contains("no such file"),
        "{}",
        status.message()
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_request_names_what_is_wrong() {
    let (running, _folder) = Running::fresh().await;
    let clock = v1::Limit {
        kind: Some(v1::limit::Kind::Clock(v1::ClockLimit {
            base_ms: 1,
            increment_ms: 0,
        })),
    };
    let mut bad_fen = request(3);
    bad_fen.fens[1] = "8/8 w".into();
    let cases = [
        (bad_fen, "fens[1]: "),
        (
            v1::SubmitAnalysisRequest {
                fens: vec![],
                ..request(1)
            },
            "fens: ",
        ),
        (
            v1::SubmitAnalysisRequest {
                engine: None,
                ..request(1)
            },
            "engine: ",
        ),
        (
            v1::SubmitAnalysisRequest {
                engine: Some(v1::EngineSpec::default()),
                ..request(1)
            },
            "engine.limit: ",
        ),
        (
            v1::SubmitAnalysisRequest {
                engine: Some(v1::EngineSpec {
                    limit: Some(clock),
                    ..Default::default()
                }),
                ..request(1)
            },
            "engine.limit: is a clock",
        ),
    ];
    for (request, expected) in cases {
        let status = running.analyses().await.submit(request).await.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(
            status.message().starts_with(expected),
            "expected `{expected}`, got `{}`",
            status.message()
        );
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_engine_file_comes_back_as_it_was_sent() {
    let (running, _folder) = Running::fresh().await;
    let bytes: Vec<u8> = (0..700_000u32)
        .map(|index| (index.wrapping_mul(index) >> 7) as u8)
        .collect();
    let chunks: Vec<_> = bytes
        .chunks(100_000)
        .map(|chunk| v1::ArtifactChunk {
            data: chunk.to_vec().into(),
        })
        .collect();
    let mut engines = running.engines().await;
    let uploaded = engines
        .upload_artifact(tokio_stream::iter(chunks))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(uploaded.size, 700_000);
    let download = async |offset| {
        let request = v1::DownloadArtifactRequest {
            sha256: uploaded.sha256.clone(),
            offset,
        };
        let mut stream = running
            .workers()
            .await
            .download_artifact(request)
            .await
            .unwrap()
            .into_inner();
        let mut received = Vec::new();
        while let Some(chunk) = stream.message().await.unwrap() {
            assert!(chunk.data.len() <= 256 * 1024);
            received.extend_from_slice(&chunk.data);
        }
        received
    };
    assert!(download(0).await == bytes);
    assert!(download(300_001).await == bytes[300_001..]);
    let missing = v1::DownloadArtifactRequest {
        sha256: "ab".repeat(32),
        offset: 0,
    };
    let status = running
        .workers()
        .await
        .download_artifact(missing)
        .await
        .unwrap_err();
    assert_eq!(status.code(), Code::NotFound);

    let source = Some(v1::EngineSource {
        kind: Some(v1::engine_source::Kind::Artifact(uploaded.sha256.clone())),
    });
    let engine = Some(v1::EngineSpec {
        name: "mine".into(),
        source: source.clone(),
        ..Default::default()
    });
    let registered = engines
        .register(v1::RegisterEngineRequest {
            engine: engine.clone(),
        })
        .await
        .unwrap()
        .into_inner();
    let again = engines
        .register(v1::RegisterEngineRequest { engine })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(registered, again);
    let listed = engines
        .list(v1::ListEnginesRequest::default())
        .await
        .unwrap()
        .into_inner()
        .engines;
    assert_eq!(listed, [registered]);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn variants_answer_clients_without_rules() {
    let (running, _folder) = Running::fresh().await;
    let mut client = running.variants().await;
    let listed = client
        .list(v1::ListVariantsRequest {})
        .await
        .unwrap()
        .into_inner()
        .variants;
    let ids: Vec<_> = listed
        .iter()
        .map(|listed| listed.variant.as_ref().unwrap().id.as_str())
        .collect();
    assert_eq!(
        ids,
        [
            "apothecary-modern",
            "augmenters",
            "chess",
            "grand-apothecary-modern",
            "grand-apothecary-modern-2021",
            "war-of-the-roses"
        ]
    );
    let variant = |id: &str| {
        Some(v1::VariantRef {
            id: id.into(),
            hash: String::new(),
        })
    };
    let grand = v1::VariantGeometryRequest {
        variant: variant("grand-apothecary-modern"),
    };
    let geometry = client.geometry(grand).await.unwrap().into_inner();
    // 12x12 and the brouhaha ranks 0 and 13.
    assert_eq!(
        (geometry.files, geometry.ranks, geometry.lowest_rank),
        (12, 14, 0)
    );

    let moves = |fen: String, moves: &[&str]| v1::LegalMovesRequest {
        variant: variant("chess"),
        fen,
        moves: moves.iter().map(|text| (*text).to_owned()).collect(),
    };
    let answer = client
        .legal_moves(moves(start(), &[]))
        .await
        .unwrap()
        .into_inner();
    assert_eq!(
        (answer.moves.len(), answer.check, answer.result),
        (20, false, None)
    );
    let mate = client
        .legal_moves(moves(start(), &["f2f3", "e7e5", "g2g4", "d8h4"]))
        .await
        .unwrap()
        .into_inner();
    assert!(mate.check && mate.moves.is_empty());
    assert_eq!(mate.result.unwrap().reason(), v1::EndReason::Checkmate);
    for bad in [moves("nonsense".into(), &[]), moves(start(), &["e2e5"])] {
        assert_eq!(
            client.legal_moves(bad).await.unwrap_err().code(),
            Code::InvalidArgument
        );
    }
    running.stop().await;
}
