//! Evaluation files of built-in engines: refused where they do not fit, kept, sent to workers, left out of lists.

use std::sync::Arc;

use proto::v1::{self, FormatKind, engine_source::Kind};
use server::Config;
use tonic::{Code, Status};

use super::{
    harness::{Running, config, nodes, spec},
    worker::Worker,
};

/// A coordinator that takes the evaluations that begin with the variant's id.
fn checking(folder: &std::path::Path) -> Config {
    Config {
        evaluation_check: Some(Arc::new(|variant, text| {
            if text.starts_with(variant.id()) {
                Ok(())
            } else {
                Err(format!("the file is not for `{}`", variant.id()))
            }
        })),
        ..config(folder)
    }
}

fn source(evaluation: &str, build: &str) -> Option<v1::EngineSource> {
    Some(v1::EngineSource {
        kind: Some(Kind::Builtin(v1::BuiltinEngine {
            build: build.to_owned(),
            evaluation: evaluation.to_owned(),
        })),
    })
}

fn with_evaluation(evaluation: &str) -> v1::TournamentSpec {
    let mut spec = spec(FormatKind::HeadToHead, 2, 1);
    spec.engines[1].source = source(evaluation, "");
    spec
}

fn evaluation(source: Option<&v1::EngineSource>) -> &str {
    match source.and_then(|source| source.kind.as_ref()) {
        Some(Kind::Builtin(builtin)) => &builtin.evaluation,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_evaluation_that_does_not_fit_is_refused_with_the_engines_name() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(checking(folder.path())).await;
    let mut client = running.tournaments().await;
    let mut refusal = async |spec: v1::TournamentSpec| -> Status {
        let request = v1::CreateTournamentRequest {
            spec: Some(spec),
            existing: 0,
        };
        client.create(request).await.unwrap_err()
    };
    let refused = refusal(with_evaluation("chess")).await;
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert_eq!(
        refused.message(),
        "engine[1].evaluation_file: of engine `engine 1`: the file is not for `apothecary-modern`"
    );
    let long = format!("apothecary-modern{}", "#".repeat(256 * 1024));
    let refused = refusal(with_evaluation(&long)).await;
    assert!(refused.message().contains("at most 262144"), "{refused}");

    let request = v1::SubmitAnalysisRequest {
        variant: "chess".into(),
        fens: vec!["4k3/8/8/8/8/8/8/4K2R w - - 0 1".into()],
        engine: Some(v1::EngineSpec {
            name: "analyst".into(),
            source: source("shogi", ""),
            limit: nodes(10),
            ..Default::default()
        }),
        ..Default::default()
    };
    let refused = running.analyses().await.submit(request).await.unwrap_err();
    assert!(
        refused.message().contains("`analyst`: the file is not for"),
        "{refused}"
    );
    // What fits another build, only its workers know.
    let mut other = with_evaluation("");
    other.engines[1].source = source("chess", "another build");
    running.create(other).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_evaluation_reaches_the_workers_and_is_left_out_of_lists() {
    const TEXT: &str = "apothecary-modern = 1\n";
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(checking(folder.path())).await;
    let made = running.create(with_evaluation(TEXT)).await;
    let plain = running.create(with_evaluation("")).await;
    assert_ne!(made.players[1].version, plain.players[1].version);
    assert_eq!(made.players[0].version, plain.players[0].version);
    running.stop().await;

    // Also by a coordinator that read it from its journal.
    let running = Running::start(checking(folder.path())).await;
    let shown = running.tournament(made.id).await;
    let spec = shown.spec.unwrap();
    assert_eq!(evaluation(spec.engines[1].source.as_ref()), TEXT);
    assert_eq!(evaluation(shown.players[1].source.as_ref()), TEXT);

    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    let sent: Vec<&str> = batch
        .players
        .iter()
        .map(|player| evaluation(player.source.as_ref()))
        .collect();
    assert_eq!(sent, ["", TEXT]);

    let request = v1::ListTournamentsRequest { page: None };
    let listed = running.tournaments().await.list(request).await.unwrap();
    let listed = listed.into_inner().tournaments;
    assert_eq!(listed.len(), 2);
    for tournament in &listed {
        let spec = tournament.spec.as_ref().unwrap();
        let sources = spec.engines.iter().map(|engine| engine.source.as_ref());
        let players = tournament.players.iter();
        let all = sources.chain(players.map(|player| player.source.as_ref()));
        assert!(all.map(evaluation).all(str::is_empty));
    }
    let request = v1::ListEnginesRequest::default();
    let engines = running.engines().await.list(request).await.unwrap();
    let engines = engines.into_inner().engines;
    assert!(
        engines
            .iter()
            .any(|engine| engine.version == made.players[1].version)
    );
    let sources = engines.iter().map(|engine| engine.source.as_ref());
    assert!(sources.map(evaluation).all(str::is_empty));
    running.stop().await;
}
