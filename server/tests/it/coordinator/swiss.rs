//! Swiss tournaments: rounds, byes and the table.

use proto::v1::{self, FormatKind};

use super::{
    actions::{audited, play_batches, play_to_end},
    harness::{Running, config, spec},
    worker::{Worker, assert_each_once},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_swiss_tournament_of_seven_is_played_by_two_workers_and_through_a_restart() {
    let play = async |restarts: usize, workers: usize| {
        let folder = tempfile::tempdir().unwrap();
        let mut running = Running::start(config(folder.path())).await;
        let mut wanted = spec(FormatKind::Swiss, 7, 2);
        wanted.format.as_mut().unwrap().rounds = 4;
        let id = running.create(wanted).await.id;
        let mut games = Vec::new();
        for restart in 0..restarts {
            let mut worker = Worker::join(&running, &format!("before {restart}")).await;
            games.extend(play_batches(&mut worker, 4).await);
            running.stop().await;
            running = Running::start(config(folder.path())).await;
        }
        games.extend(play_to_end(&running, id, workers).await);
        // Four rounds of three encounters, two pairs each.
        assert_each_once(&games, 48);
        let course = running.course(id).await;
        check_swiss(&course);
        check_swiss_table(&running, id, &course).await;
        assert_eq!(audited(&running, id).await as usize, course.draws.len());
        let result = (course, running.standings(id).await.rows);
        running.stop().await;
        result
    };
    let alone = play(0, 1).await;
    assert_eq!(play(0, 2).await, alone);
    assert_eq!(play(2, 2).await, alone);
}

/// Everyone is in each round once, nobody meets another twice, nobody has two byes.
fn check_swiss(course: &v1::CourseResponse) {
    let mut met = std::collections::BTreeSet::new();
    let mut byes = std::collections::BTreeSet::new();
    for (round, draw) in (0..).zip(&course.draws) {
        assert_eq!(draw.round, round);
        let pairs = draw.encounters.iter().map(|met| [met.first, met.second]);
        let mut there: Vec<u32> = pairs.flatten().chain(draw.byes.iter().copied()).collect();
        there.sort_unstable();
        assert_eq!(there, (0..7).collect::<Vec<_>>());
        for pair in &draw.encounters {
            let [one, other] = [pair.first, pair.second];
            assert!(met.insert((one.min(other), one.max(other))), "a rematch");
            assert_eq!((pair.games, pair.missing), (4, 0));
        }
        for &player in &draw.byes {
            assert!(byes.insert(player), "a second bye");
        }
    }
    assert_eq!((course.draws.len(), byes.len(), course.over), (4, 4, true));
}

/// Points given for byes and the progressive score, added up from the rounds, whose encounters are of two pairs.
async fn check_swiss_table(running: &Running, id: u64, course: &v1::CourseResponse) {
    let table = running.standings(id).await;
    assert_eq!(table.ordered_by(), v1::StandingsOrder::Points);
    let totals: Vec<u64> = table
        .rows
        .iter()
        .map(|row| row.quarters + row.given_quarters)
        .collect();
    assert!(totals.is_sorted_by(|a, b| a >= b), "{totals:?}");
    for row in &table.rows {
        let (mut given, mut running_score, mut progressive) = (0, 0, 0);
        for draw in &course.draws {
            if draw.byes.contains(&row.player) {
                given += 4 * 4;
                continue;
            }
            let met = draw
                .encounters
                .iter()
                .find(|met| [met.first, met.second].contains(&row.player));
            let met = met.expect("everyone plays or has a bye");
            running_score += match met.first == row.player {
                true => met.quarters,
                false => 16 - met.quarters,
            };
            progressive += running_score;
        }
        assert_eq!(
            (row.given_quarters, row.quarters),
            (given, running_score),
            "{}",
            row.name
        );
        let columns = row.columns.unwrap();
        assert_eq!(
            columns.progressive_quarters,
            Some(progressive),
            "{}",
            row.name
        );
    }
}
