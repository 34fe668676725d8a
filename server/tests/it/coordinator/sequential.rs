//! Sequential tests of tournaments: who is the candidate, when they stop, what is dropped with a result taken away.

use proto::v1::{self, FormatKind};
use tonic::Code;

use super::{
    harness::{Running, config, spec},
    worker::{Worker, resigned},
};

/// A coordinator that believes workers that engines resign.
async fn running(folder: &std::path::Path) -> Running {
    let mut settings = config(folder);
    settings.workers.testimony_burst = 10_000;
    Running::start(settings).await
}

fn tested(sprt: v1::Sprt, pairs: u32) -> v1::TournamentSpec {
    v1::TournamentSpec {
        sprt: Some(sprt),
        ..spec(FormatKind::HeadToHead, 2, pairs)
    }
}

fn bounds(elo0: f64, elo1: f64) -> v1::Sprt {
    v1::Sprt {
        elo0,
        elo1,
        ..Default::default()
    }
}

/// Plays a batch; `wins` says of a game's number whether the candidate, engine 1, wins it.
async fn play_batch(worker: &mut Worker, wins: impl Fn(u32) -> bool) -> v1::Batch {
    let batch = worker.batch().await;
    for game in &batch.games {
        let first_is_candidate = batch.players[game.first as usize].name == "engine 1";
        let report = resigned(&batch, game, first_is_candidate == wins(game.game));
        let answer = worker.report(report).await;
        assert_eq!(answer.status(), v1::ReportStatus::Stored);
    }
    batch
}

async fn status(running: &Running, id: u64) -> v1::SprtStatus {
    running.standings(id).await.sprt.unwrap()
}

async fn void(running: &Running, id: u64, game: u32) {
    let request = v1::VoidGameRequest {
        id,
        game,
        reason: "bad memory".into(),
    };
    let mut client = running.tournaments().await;
    client.void_game(request).await.unwrap();
}

/// ln(0.95 / 0.05), Wald's bound for error probabilities of 5 %.
const WALD: f64 = 2.944_438_979_166_440_5;

#[tokio::test(flavor = "multi_thread")]
async fn a_sequential_test_stops_at_its_verdict() {
    let (running, _folder) = Running::fresh().await;
    // Random players are equal, so that a test for a large gain is rejected long before all pairs are played.
    let sprt = v1::Sprt {
        elo0: 40.0,
        elo1: 90.0,
        ..Default::default()
    };
    let tournament = running
        .create(v1::TournamentSpec {
            sprt: Some(sprt),
            ..spec(FormatKind::HeadToHead, 2, 400)
        })
        .await;
    let given = Worker::join(&running, "one").await.work().await;
    let after = running.tournament(tournament.id).await;
    assert_eq!(after.state(), v1::TournamentState::Finished);
    assert!(
        given.len() < 800 && given.len() == after.stored_games as usize,
        "{} games",
        given.len()
    );
    let status = running.standings(tournament.id).await.sprt.unwrap();
    assert_eq!(status.verdict(), v1::SprtVerdict::Rejected);
    assert!(status.llr < status.lower);
    assert_eq!(status.pairs * 2, u64::from(after.stored_games));
    let counted = status.counted.unwrap();
    assert_eq!(counted.games, status.pairs * 2);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_second_engine_is_the_candidate_of_a_sequential_test() {
    let folder = tempfile::tempdir().unwrap();
    let running = running(folder.path()).await;
    let tournament = running.create(tested(bounds(0.0, 50.0), 400)).await;
    let mut worker = Worker::join(&running, "one").await;
    while running.tournament(tournament.id).await.state() == v1::TournamentState::Running {
        play_batch(&mut worker, |_| true).await;
    }
    let table = running.standings(tournament.id).await;
    let sprt = table.sprt.unwrap();
    assert_eq!(sprt.verdict(), v1::SprtVerdict::Accepted);
    // What the verdict rests on, without the games that were under way: the candidate won all.
    let counted = sprt.counted.unwrap();
    assert_eq!(counted.games, 2 * sprt.pairs);
    assert_eq!(counted.moved_first, [0, 0, 0, 0, sprt.pairs]);
    assert_eq!(counted.moved_second, [0, 0, 0, 0, sprt.pairs]);
    assert_eq!(counted.pair_quarters[8], sprt.pairs);
    // Nothing is known of the spread of such games: p^games = 0.05 at the one bound there is.
    assert_eq!(counted.note(), v1::MatchNote::Perfect);
    let p = 0.05_f64.powf(1.0 / counted.games as f64);
    let bound = (400.0 * (p / (1.0 - p)).log10()).min(1_199.8);
    assert!((counted.elo_low.unwrap() - bound).abs() < 0.1);
    let rest = [
        counted.elo,
        counted.elo_high,
        counted.interval,
        counted.los,
        counted.normalized_elo,
    ];
    assert_eq!(rest, [None; 5]);
    let request = v1::SprtRequest {
        tournament_id: tournament.id,
        confidence: 0.0,
    };
    let answer = running.ratings().await.sprt(request).await.unwrap();
    let answer = answer.into_inner();
    assert_eq!(answer.state(), v1::SprtState::Accepted);
    let unbiased = [answer.elo, answer.elo_low, answer.elo_high, answer.los];
    assert_eq!(unbiased, [None; 4]);
    assert_eq!(
        (table.rows[0].name.as_str(), table.rows[1].quarters),
        ("engine 1", 0)
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_correction_for_overshoot_ends_with_a_result_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = running(folder.path()).await;
    let id = running.create(tested(bounds(0.0, 5.0), 400)).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let wins = |game: u32| game % 4 < 3;
    for _ in 0..4 {
        play_batch(&mut worker, wins).await;
    }
    let before = status(&running, id).await;
    assert_eq!((before.pairs, before.overshoot_corrected), (8, true));
    assert!(before.upper < WALD - 1e-3, "{before:?}");

    // The walk ends before the batch whose game is missing, and is the one that it was until then.
    void(&running, id, 9).await;
    let meanwhile = status(&running, id).await;
    assert_eq!((meanwhile.pairs, meanwhile.overshoot_corrected), (4, true));
    // The missing game comes first.
    let again = play_batch(&mut worker, wins).await;
    assert_eq!(again.games[0].game, 9);
    let after = status(&running, id).await;
    assert_eq!((after.pairs, after.overshoot_corrected), (8, false));
    assert_eq!(after.llr, before.llr);
    assert!((after.upper - WALD).abs() < 1e-12 && (after.lower + WALD).abs() < 1e-12);

    // So it is after a restart.
    running.stop().await;
    running = self::running(folder.path()).await;
    assert_eq!(status(&running, id).await, after);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_correction_for_overshoot_is_a_choice() {
    let folder = tempfile::tempdir().unwrap();
    let running = running(folder.path()).await;
    for (asked, batch_pairs, corrected) in [
        (None, 2, true),
        (None, 1, false),
        (Some(true), 1, true),
        (Some(false), 2, false),
    ] {
        let sprt = v1::Sprt {
            overshoot_correction: asked,
            ..bounds(0.0, 5.0)
        };
        let spec = v1::TournamentSpec {
            batch_pairs,
            ..tested(sprt, 2)
        };
        let made = running.create(spec).await;
        let kept = made.spec.unwrap().sprt.unwrap().overshoot_correction;
        assert_eq!(kept, Some(corrected), "{asked:?} {batch_pairs}");
        let mut worker = Worker::join(&running, &made.id.to_string()).await;
        for _ in 0..2 / batch_pairs {
            play_batch(&mut worker, |game| game != 3).await;
        }
        let found = status(&running, made.id).await;
        assert_eq!((found.pairs, found.overshoot_corrected), (2, corrected));
        assert_eq!(found.upper < WALD - 1e-9, corrected, "{found:?}");
    }
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bounds_are_limited_by_their_unit() {
    let (running, _folder) = Running::fresh().await;
    let mut client = running.tournaments().await;
    for (logistic, elo0, elo1, refusal) in [
        (
            false,
            0.0,
            100.5,
            Some("sprt.elo1: is refused: bound 100.5 is beyond +-100 normalized Elo"),
        ),
        (
            false,
            -101.0,
            0.0,
            Some("sprt.elo0: is refused: bound -101 is beyond +-100 normalized Elo"),
        ),
        (true, -101.0, 400.0, None),
        (
            true,
            0.0,
            1_001.0,
            Some("sprt.elo1: is refused: bound 1001 is beyond +-1000 logistic Elo"),
        ),
        (true, f64::NAN, 5.0, Some("are not ascending")),
        (false, 5.0, 5.0, Some("are not ascending")),
    ] {
        let sprt = v1::Sprt {
            logistic,
            ..bounds(elo0, elo1)
        };
        let request = v1::CreateTournamentRequest {
            spec: Some(tested(sprt, 2)),
            ..Default::default()
        };
        let answer = client.create(request).await;
        match refusal {
            None => assert!(answer.is_ok(), "{answer:?}"),
            Some(says) => {
                let status = answer.unwrap_err();
                assert_eq!(status.code(), Code::InvalidArgument);
                assert!(status.message().contains(says), "{status:?}");
            }
        }
    }
    running.stop().await;
}
