//! Adaptive tournaments and ladders, whose pairings follow from results.

use proto::v1::{self, FormatKind};

use super::{
    actions::{audited, enter, play_batches, play_to_end, withdraw},
    harness::{Running, config, engines, spec},
    worker::{Worker, assert_each_once},
};

#[tokio::test(flavor = "multi_thread")]
async fn an_adaptive_tournament_plays_its_pairs_through_a_restart_and_joins_everyone() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let mut wanted = spec(FormatKind::Adaptive, 6, 2);
    wanted.format.as_mut().unwrap().total_pairs = 31;
    let created = running.create(wanted).await;
    assert_eq!(created.total_games, 62);
    let id = created.id;
    let mut worker = Worker::join(&running, "one").await;
    let mut games = play_batches(&mut worker, 5).await;
    let before = running.course(id).await.draws.len();
    running.stop().await;
    running = Running::start(config(folder.path())).await;
    assert!(running.course(id).await.draws.len() >= before && before > 0);
    enter(&running, id, engines(7).split_off(6)).await.unwrap();
    games.extend(play_to_end(&running, id, 1).await);
    assert_each_once(&games, 62);
    let course = running.course(id).await;
    // Encounters of two pairs, and of one at the end; never more drawn ahead than there are players, or eight.
    assert!(course.draws.iter().all(|draw| draw.encounters.len() <= 8));
    let pairs: u32 = course
        .draws
        .iter()
        .map(|draw| draw.pairs * draw.encounters.len() as u32)
        .sum();
    assert_eq!((pairs, course.over), (31, true));
    assert_eq!(audited(&running, id).await as usize, course.draws.len());
    let table = running.standings(id).await;
    assert!(
        table
            .rows
            .iter()
            .all(|row| row.rating.is_some() && row.games > 0)
    );
    assert_eq!(table.rows.len(), 7);
    // Some had harder opponents than others: the table goes by rating.
    assert_eq!(table.ordered_by(), v1::StandingsOrder::Rating);
    assert!(
        table
            .rows
            .is_sorted_by(|a, b| a.rating >= b.rating && a.rank < b.rank)
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ladder_is_climbed_to_its_end() {
    let (running, _folder) = Running::fresh().await;
    let created = running.create(spec(FormatKind::Ladder, 4, 1)).await;
    // Rounds of two challenges and of one, in turn, as many as engines.
    assert_eq!(created.total_games, 2 * (2 + 1 + 2 + 1));
    let games = play_to_end(&running, created.id, 1).await;
    assert_each_once(&games, created.total_games);
    let course = running.course(created.id).await;
    let mut rungs: Vec<u32> = (0..4).collect();
    // By hand: who took more than half of a challenge's points goes up.
    for round in 0..4 {
        for draw in course.draws.iter().filter(|draw| draw.round == round) {
            for met in &draw.encounters {
                let above = rungs
                    .iter()
                    .position(|&player| player == met.first)
                    .unwrap();
                assert_eq!(rungs[above + 1], met.second, "neighbours meet");
                assert_eq!((met.games, met.missing), (2, 0));
                if met.quarters < 4 {
                    rungs.swap(above, above + 1);
                }
            }
        }
    }
    assert_eq!(course.rungs, rungs);
    // The table has them in that order too.
    let table = running.standings(created.id).await;
    let order: Vec<u32> = table.rows.iter().map(|row| row.player).collect();
    assert_eq!(order, rungs);
    assert_eq!(table.ordered_by(), v1::StandingsOrder::Course);
    assert_eq!(
        table.rows.iter().map(|row| row.rank).collect::<Vec<_>>(),
        [1, 2, 3, 4]
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn others_play_the_pairs_that_an_engine_left_in_an_adaptive_tournament() {
    let (running, _folder) = Running::fresh().await;
    let mut wanted = spec(FormatKind::Adaptive, 5, 1);
    wanted.format.as_mut().unwrap().total_pairs = 8;
    let id = running.create(wanted).await.id;
    // All eight are drawn at once, and that everything is.
    while !running.course(id).await.over {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let before = running.course(id).await;
    let drawn = |course: &v1::CourseResponse, player: u32| {
        let encounters = course.draws.iter().flat_map(|draw| &draw.encounters);
        encounters
            .filter(|met| [met.first, met.second].contains(&player))
            .count()
    };
    let left = drawn(&before, 3);
    assert!(left > 0);
    withdraw(&running, id, "engine 3").await.unwrap();
    let games = play_to_end(&running, id, 1).await;
    assert_eq!(games.len(), 16, "of the one who left were {left} pairs");
    let after = running.course(id).await;
    assert_eq!((after.over, drawn(&after, 3)), (true, left));
    assert!(audited(&running, id).await as usize > before.draws.len());
    running.stop().await;
}
