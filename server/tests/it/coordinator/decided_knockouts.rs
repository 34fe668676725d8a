//! Knockouts that are seeded by ratings, and whose encounters a test decides.

use proto::v1::{self, DecidedBy, FormatKind};
use tonic::Code;

use super::{
    actions::audited,
    harness::{Running, config, spec},
    worker::{Worker, resigned},
};

async fn running(folder: &std::path::Path) -> Running {
    let mut settings = config(folder);
    settings.workers.testimony_burst = 10_000;
    Running::start(settings).await
}

fn knockout(count: usize, adapt: impl FnOnce(&mut v1::Format)) -> v1::TournamentSpec {
    let mut spec = spec(FormatKind::Knockout, count, 3);
    spec.batch_pairs = 1;
    adapt(spec.format.as_mut().unwrap());
    spec
}

/// Plays a tournament to its end; the engine with the higher number in its name wins every game.
async fn play(running: &Running, id: u64) {
    let mut worker = Worker::join(running, &format!("of {id}")).await;
    let report = |batch: &v1::Batch, game: &v1::BatchGame| {
        let name = |player: u32| &batch.players[player as usize].name;
        resigned(batch, game, name(game.first) > name(game.second))
    };
    worker.report_to_end(running, id, report).await;
}

fn names(tournament: &v1::Tournament) -> Vec<&str> {
    let players = tournament.players.iter();
    players.map(|player| player.name.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn seeds_go_by_the_ratings_of_the_pool() {
    let folder = tempfile::tempdir().unwrap();
    let running = running(folder.path()).await;
    let by_rating = |format: &mut v1::Format| format.seeding = v1::Seeding::Rating.into();
    // Nobody has a rating yet.
    let first = running.create(knockout(4, by_rating)).await;
    assert_eq!(
        names(&first),
        ["engine 0", "engine 1", "engine 2", "engine 3"]
    );
    let round_robin = running.create(spec(FormatKind::RoundRobin, 3, 4)).await;
    let mut client = running.tournaments().await;
    client
        .cancel(v1::CancelTournamentRequest { id: first.id })
        .await
        .unwrap();
    play(&running, round_robin.id).await;
    // The fourth engine has none now.
    let seeded = running.create(knockout(4, by_rating)).await;
    assert_eq!(
        names(&seeded),
        ["engine 2", "engine 1", "engine 0", "engine 3"]
    );
    let course = running.course(seeded.id).await;
    let opening = (course.bracket[0].first, course.bracket[0].second);
    assert_eq!(opening, (Some(0), Some(3)));
    play(&running, seeded.id).await;
    assert!(audited(&running, seeded.id).await > 0);
    // Seeds are those of the time when it was made: engine 3 is the best of the pool by now.
    assert_eq!(names(&running.tournament(seeded.id).await), names(&seeded));
    assert_eq!(running.standings(seeded.id).await.rows[0].name, "engine 3");
    let mut wrong = spec(FormatKind::RoundRobin, 3, 4);
    by_rating(wrong.format.as_mut().unwrap());
    let request = v1::CreateTournamentRequest {
        spec: Some(wrong),
        ..Default::default()
    };
    let refused = client.create(request).await.unwrap_err();
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(refused.message().contains("format.seeding"), "{refused:?}");
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encounter_goes_on_until_its_test_decides() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = running(folder.path()).await;
    let tested = |format: &mut v1::Format| {
        format.decide_elo = Some(50);
        format.most_pairs = Some(30);
    };
    let id = running.create(knockout(3, tested)).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    assert_eq!(batch.games.len(), 2);
    drop(worker);
    running.stop().await;
    running = self::running(folder.path()).await;
    play(&running, id).await;
    let course = running.course(id).await;
    let encounters: Vec<_> = course
        .bracket
        .iter()
        .map(|met| (met.games, met.winner, met.decided_by()))
        .collect();
    // The ratio of n pairs won is 0.405 n, of which 8 pass ln 19; one looks after 3, 6 and 9.
    assert_eq!(
        encounters,
        [
            (0, Some(0), DecidedBy::Bye),
            (18, Some(2), DecidedBy::Test),
            (18, Some(2), DecidedBy::Test)
        ]
    );
    assert_eq!(course.draws.len(), 6);
    assert_eq!(audited(&running, id).await, 6);
    running.stop().await;
}
