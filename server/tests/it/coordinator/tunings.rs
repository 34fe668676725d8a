//! Tunings by SPSA: which parameters games are played with, in which order results count, and what tunings are kept out of.

use proto::v1::{self, FormatKind, tuning_service_client::TuningServiceClient};
use tonic::Code;

use super::{
    harness::{Running, config, spec},
    versions::{ONE, TWO, with_engine},
    worker::{Worker, resigned},
};

/// A coordinator that believes workers that engines resign.
async fn believing(folder: &std::path::Path) -> Running {
    let mut settings = config(folder);
    settings.workers.testimony_burst = 10_000;
    Running::start(settings).await
}

fn parameter(
    name: &str,
    value: f64,
    min: i64,
    max: i64,
    c_end: f64,
    r_end: f64,
) -> v1::SpsaParameter {
    v1::SpsaParameter {
        name: name.to_owned(),
        value,
        min,
        max,
        c_end,
        r_end,
    }
}

/// Ten iterations of a pair, two at a time.
fn tuned() -> v1::TournamentSpec {
    let mut tuned = spec(FormatKind::Spsa, 1, 1);
    tuned.seed = 2024;
    tuned.batch_pairs = 0;
    tuned.format = Some(v1::Format {
        kind: FormatKind::Spsa.into(),
        pairs: 1,
        total_pairs: 10,
        spsa: Some(v1::Spsa {
            parameters: vec![
                parameter("King", 10.0, -50, 50, 4.0, 0.02),
                parameter("Queen", 480.5, 0, 500, 12.5, 0.05),
            ],
            ahead: 2,
        }),
        ..Default::default()
    });
    tuned
}

async fn tuning(running: &Running, id: u64) -> v1::Tuning {
    let request = v1::GetTuningRequest {
        tournament_id: id,
        points: 0,
    };
    let mut client = TuningServiceClient::new(running.channel().await);
    client.get(request).await.unwrap().into_inner()
}

/// What King and Queen are for a player of a batch.
fn values(batch: &v1::Batch, player: u32) -> [i64; 2] {
    let options = &batch.players[player as usize].options;
    ["King", "Queen"].map(|name| options[name].parse().unwrap())
}

/// Distance from what would be best, (-20, 400).
fn loss([king, queen]: [i64; 2]) -> f64 {
    (king as f64 + 20.0).abs() / 10.0 + (queen as f64 - 400.0).abs() / 50.0
}

/// Reports both games of a batch as won by who is nearer to the best values.
async fn report(worker: &mut Worker, batch: &v1::Batch) {
    for game in &batch.games {
        let [first, second] = [game.first, game.second].map(|player| loss(values(batch, player)));
        let answer = worker.report(resigned(batch, game, first < second)).await;
        assert_eq!(answer.status(), v1::ReportStatus::Stored);
    }
}

fn near(found: &[f64], expected: [f64; 2]) {
    assert_eq!(found.len(), 2);
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

// All expected numbers come from a program of its own, written in Python after the text of `schedule/spsa.rs`.
#[tokio::test(flavor = "multi_thread")]
async fn a_course_follows_from_results_in_order_of_index_through_any_restart() {
    let sides = [
        ([5, 496], [15, 465]),
        ([5, 466], [15, 495]),
        ([5, 497], [14, 469]),
        ([5, 494], [14, 467]),
        ([5, 497], [13, 470]),
        ([5, 498], [13, 471]),
        ([13, 500], [5, 474]),
        ([4, 500], [12, 475]),
        ([4, 499], [12, 474]),
        ([12, 476], [4, 500]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let mut running = believing(folder.path()).await;
    let id = running.create(tuned()).await.id;
    let mut worker = Worker::join(&running, "one").await;
    for round in 0..5 {
        let batches = [worker.batch().await, worker.batch().await];
        for (index, batch) in batches.iter().enumerate() {
            let (plus, minus) = sides[2 * round + index];
            let game = &batch.games[0];
            assert_eq!(game.game as usize, 2 * (2 * round + index));
            let mut seen = [game.first, game.second].map(|player| values(batch, player));
            seen.sort_by_key(|values| values != &plus);
            assert_eq!(seen, [plus, minus], "round {round}");
        }
        // No more than two iterations are under way, and the second counts after the first.
        assert_eq!(worker.no_work().await.reason(), v1::NoWorkReason::AllLeased);
        report(&mut worker, &batches[1]).await;
        assert_eq!(tuning(&running, id).await.applied as usize, 2 * round);
        report(&mut worker, &batches[0]).await;
        assert_eq!(tuning(&running, id).await.applied as usize, 2 * round + 2);
        drop(worker);
        running.stop().await;
        running = believing(folder.path()).await;
        worker = Worker::join(&running, "one").await;
    }
    let found = tuning(&running, id).await;
    near(
        &found.history[1].theta,
        [9.348_836_678_924_407, 480.941_681_623_814_8],
    );
    near(
        &found.theta,
        [7.748_412_544_805_448, 490.523_850_037_357_25],
    );
    for (point, (plus, minus)) in found.history.iter().zip(sides) {
        let both =
            |side: fn(&v1::TuningValue) -> i64| [side(&point.values[0]), side(&point.values[1])];
        assert_eq!(both(|value| value.plus), plus);
        assert_eq!(both(|value| value.minus), minus);
        assert_eq!(
            point.plus_quarters,
            if loss(plus) < loss(minus) { 8 } else { 0 }
        );
    }
    // Some points are spread evenly and end with the last iteration.
    let request = v1::GetTuningRequest {
        tournament_id: id,
        points: 4,
    };
    let mut client = TuningServiceClient::new(running.channel().await);
    let few = client.get(request).await.unwrap().into_inner().history;
    let iterations: Vec<u32> = few.iter().map(|point| point.iteration).collect();
    assert_eq!(iterations, [1, 4, 7, 10]);
    assert_eq!(few[3], found.history[9]);
    let after = running.tournament(id).await;
    assert_eq!(after.state(), v1::TournamentState::Finished);
    assert_eq!((found.iterations, after.stored_games), (10, 20));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tuning_rates_nobody_and_keeps_its_games() {
    let folder = tempfile::tempdir().unwrap();
    let running = believing(folder.path()).await;
    let id = running.create(tuned()).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    report(&mut worker, &batch).await;
    let pools = running
        .ratings()
        .await
        .list_pools(v1::ListPoolsRequest::default())
        .await;
    assert!(pools.unwrap().into_inner().pools.is_empty());
    let engines = running
        .engines()
        .await
        .list(v1::ListEnginesRequest::default())
        .await;
    assert!(engines.unwrap().into_inner().engines.is_empty());
    let request = v1::VoidGameRequest {
        id,
        game: 0,
        reason: "x".into(),
    };
    let refused = running
        .tournaments()
        .await
        .void_game(request)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    assert!(refused.message().contains("make it anew"), "{refused}");
    // Others are no tunings.
    let other = running.create(spec(FormatKind::HeadToHead, 2, 2)).await.id;
    let request = v1::GetTuningRequest {
        tournament_id: other,
        points: 0,
    };
    let mut client = TuningServiceClient::new(running.channel().await);
    let refused = client.get(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    // A cancelled one stays as it was.
    let request = v1::CancelTournamentRequest { id };
    running.tournaments().await.cancel(request).await.unwrap();
    assert_eq!(tuning(&running, id).await.applied, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_tuned_is_refused_by_field() {
    let (running, _folder) = Running::fresh().await;
    type Spoil = fn(&mut v1::TournamentSpec);
    fn spsa(spec: &mut v1::TournamentSpec) -> &mut v1::Spsa {
        spec.format.as_mut().unwrap().spsa.as_mut().unwrap()
    }
    let cases: [(Spoil, &str); 7] = [
        (
            |spec| spec.format.as_mut().unwrap().spsa = None,
            "format.parameter",
        ),
        (
            |spec| spec.format.as_mut().unwrap().total_pairs = 0,
            "format.total_pairs",
        ),
        (
            |spec| spsa(spec).parameters[1].c_end = 0.1,
            "format.parameter[1].c_end",
        ),
        (|spec| spsa(spec).ahead = 5000, "format.ahead"),
        (|spec| spec.batch_pairs = 2, "batch_pairs"),
        (
            |spec| {
                spec.engines.push(v1::EngineSpec {
                    name: "z".into(),
                    ..Default::default()
                })
            },
            "engine",
        ),
        (
            |spec| {
                spec.sprt = Some(v1::Sprt {
                    elo1: 5.0,
                    ..Default::default()
                })
            },
            "sprt",
        ),
    ];
    for (spoil, field) in cases {
        let mut bad = tuned();
        spoil(&mut bad);
        let request = v1::CreateTournamentRequest {
            spec: Some(bad),
            existing: 0,
        };
        let refused = running
            .tournaments()
            .await
            .create(request)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument, "{field}");
        assert!(refused.message().contains(field), "{field}: {refused}");
    }
}

/// The versions of a tuning are in no list of engines, and are bound to executables all the same.
#[tokio::test(flavor = "multi_thread")]
async fn a_tuning_is_of_one_executable_through_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let running = believing(folder.path()).await;
    let mut spec = tuned();
    for engine in &mut spec.engines {
        engine.source = Some(v1::EngineSource {
            kind: Some(v1::engine_source::Kind::Command("sf".into())),
        });
    }
    let id = running.create(spec).await.id;
    let mut one = with_engine(&running, "one", ONE).await;
    let batch = one.batch().await;
    report(&mut one, &batch).await;
    running.stop().await;

    let running = believing(folder.path()).await;
    let mut two = with_engine(&running, "two", TWO).await;
    let no_work = two.no_work().await;
    assert_eq!(no_work.reason(), v1::NoWorkReason::OtherExecutable);
    let mut one = with_engine(&running, "one again", ONE).await;
    one.report_to_end(&running, id, |batch, game| resigned(batch, game, true))
        .await;
    running.stop().await;
}
