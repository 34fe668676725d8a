//! Tournaments whose pairings follow from results.

use std::{collections::BTreeMap, time::Duration};

use proto::v1::{self, FormatKind, TournamentState};
use server::Config;

use super::{
    harness::{Running, config, engines, spec},
    newcomers::enter,
    worker::{Worker, assert_each_once, play_with_seed},
};

/// The moves of all games by opening and players, whatever their indices.
async fn moves(running: &Running, id: u64) -> BTreeMap<(String, u32, u32), Vec<String>> {
    let games = running.games(id).await.into_iter().map(|game| {
        let summary = game.summary.unwrap();
        (
            (game.opening_fen, summary.first, summary.second),
            game.moves,
        )
    });
    games.collect()
}

/// The winner of every encounter took more points than its opponent, or is the higher seed; and goes on.
fn check_bracket(course: &v1::CourseResponse, third_place: bool) {
    assert!(course.over);
    let mut bracket = course.bracket.clone();
    if third_place {
        let third = bracket.pop().unwrap();
        let semi_finals = &bracket[bracket.len() - 3..bracket.len() - 1];
        let lost = |met: &v1::BracketEncounter| {
            let players = [met.first, met.second];
            players
                .into_iter()
                .flatten()
                .find(|&player| Some(player) != met.winner)
        };
        assert_eq!(
            [third.first, third.second],
            [lost(&semi_finals[0]), lost(&semi_finals[1])]
        );
    }
    for met in &bracket {
        let winner = met.winner.expect("every encounter is decided");
        match met.decided_by() {
            v1::DecidedBy::Bye => assert_eq!(met.games, 0),
            v1::DecidedBy::Points | v1::DecidedBy::FurtherPairs => {
                let first_won = met.quarters > u64::from(4 * met.games) / 2;
                assert_eq!(Some(winner), if first_won { met.first } else { met.second });
            }
            v1::DecidedBy::Seed => {
                assert_eq!(met.quarters, u64::from(2 * met.games));
                assert_eq!(Some(winner), met.first.min(met.second));
            }
            other => panic!("{other:?}"),
        }
        let next = bracket
            .iter()
            .find(|next| next.round == met.round + 1 && next.place == met.place / 2);
        if let Some(next) = next {
            let seat = [next.first, next.second][met.place as usize % 2];
            assert_eq!(seat, Some(winner));
        }
    }
}

fn knockout(count: usize, pairs: u32) -> v1::TournamentSpec {
    let mut spec = spec(FormatKind::Knockout, count, pairs);
    spec.format.as_mut().unwrap().third_place = Some(true);
    spec
}

#[tokio::test(flavor = "multi_thread")]
async fn a_knockout_comes_to_the_same_end_with_two_workers_and_through_restarts() {
    let play = async |restarts: usize, workers: usize, holds: bool| {
        let folder = tempfile::tempdir().unwrap();
        let patient = Config {
            lease: Duration::from_secs(60),
            ..config(folder.path())
        };
        let mut running = Running::start(patient).await;
        let created = running.create(knockout(6, 2)).await;
        // Five encounters and that for the third place, of two pairs each.
        assert_eq!(created.total_games, 24);
        let id = created.id;
        let mut games = Vec::new();
        for restart in 0..restarts {
            // Through rounds that were drawn, and one that is about to be.
            let mut worker = Worker::join(&running, &format!("before {restart}")).await;
            for _ in 0..3 {
                let batch = worker.batch().await;
                games.extend(batch.games.iter().map(|game| game.game));
                worker.play(&batch, 0..batch.games.len()).await;
            }
            let before = running.course(id).await;
            running.stop().await;
            running = Running::start(config(folder.path())).await;
            let after = running.course(id).await;
            // The next encounters may have been drawn in between.
            assert_eq!(after.draws[..before.draws.len()], before.draws[..]);
        }
        if holds {
            // One holds the first encounter while the other, and what follows from it, is played.
            let mut holder = Worker::join(&running, "holder").await;
            let held = holder.batch().await;
            let mut other = Worker::join(&running, "other").await;
            for _ in 0..2 {
                let batch = other.batch().await;
                games.extend(batch.games.iter().map(|game| game.game));
                other.play(&batch, 0..batch.games.len()).await;
            }
            games.extend(held.games.iter().map(|game| game.game));
            holder.play(&held, 0..held.games.len()).await;
        }
        let mut joined = Vec::new();
        for worker in 0..workers {
            joined.push(Worker::join(&running, &format!("worker {worker}")).await);
        }
        let ends = joined
            .iter_mut()
            .map(|worker| worker.work_to_end(&running, id));
        for played in tokio_ends(ends).await {
            games.extend(played);
        }
        let tournament = running.tournament(id).await;
        assert_eq!(tournament.state(), TournamentState::Finished);
        assert_each_once(&games, tournament.total_games);
        let course = running.course(id).await;
        check_bracket(&course, true);
        assert_eq!(audited(&running, id).await as usize, course.draws.len());
        let result = (
            course.bracket.clone(),
            moves(&running, id).await,
            running.standings(id).await.rows,
        );
        running.stop().await;
        result
    };
    let alone = play(0, 1, false).await;
    assert_eq!(play(0, 2, false).await, alone);
    assert_eq!(play(2, 2, false).await, alone);
    assert_eq!(play(0, 1, true).await, alone);
}

/// Runs futures side by side.
async fn tokio_ends<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut futures: Vec<_> = futures.map(Box::pin).collect();
    let mut results: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        let mut open = false;
        for (future, result) in futures.iter_mut().zip(&mut results) {
            if result.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(value) => *result = Some(value),
                    std::task::Poll::Pending => open = true,
                }
            }
        }
        if open {
            std::task::Poll::Pending
        } else {
            std::task::Poll::Ready(())
        }
    })
    .await;
    results.into_iter().flatten().collect()
}

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
            for _ in 0..4 {
                let batch = worker.batch().await;
                games.extend(batch.games.iter().map(|game| game.game));
                worker.play(&batch, 0..batch.games.len()).await;
            }
            running.stop().await;
            running = Running::start(config(folder.path())).await;
        }
        let mut joined = Vec::new();
        for worker in 0..workers {
            joined.push(Worker::join(&running, &format!("worker {worker}")).await);
        }
        let ends = joined
            .iter_mut()
            .map(|worker| worker.work_to_end(&running, id));
        for played in tokio_ends(ends).await {
            games.extend(played);
        }
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
    let mut games = Vec::new();
    for _ in 0..5 {
        let batch = worker.batch().await;
        games.extend(batch.games.iter().map(|game| game.game));
        worker.play(&batch, 0..batch.games.len()).await;
    }
    let before = running.course(id).await.draws.len();
    running.stop().await;
    running = Running::start(config(folder.path())).await;
    assert!(running.course(id).await.draws.len() >= before && before > 0);
    enter(&running, id, engines(7).split_off(6)).await.unwrap();
    let mut worker = Worker::join(&running, "two").await;
    games.extend(worker.work_to_end(&running, id).await);
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
    let games = Worker::join(&running, "one")
        .await
        .work_to_end(&running, created.id)
        .await;
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

/// All draws come out again as they were; gives how many there are.
pub async fn audited(running: &Running, id: u64) -> u32 {
    let audit = running
        .tournaments()
        .await
        .audit_course(v1::AuditCourseRequest { id })
        .await;
    let audit = audit.unwrap().into_inner();
    assert_eq!((audit.differences, &audit.told), (0, &vec![]));
    audit.draws
}

#[tokio::test(flavor = "multi_thread")]
async fn a_voided_game_of_an_early_round_is_played_again_and_the_bracket_follows() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let id = running.create(knockout(4, 1)).await.id;
    Worker::join(&running, "one")
        .await
        .work_to_end(&running, id)
        .await;
    let before = running.course(id).await;
    let request = v1::VoidGameRequest {
        id,
        game: before.draws[0].first_game,
        reason: "a power cut".into(),
    };
    let voided = running
        .tournaments()
        .await
        .void_game(request)
        .await
        .unwrap();
    assert_eq!(voided.into_inner().state(), TournamentState::Running);
    // Also after a restart it is not taken for over.
    running.stop().await;
    running = Running::start(config(folder.path())).await;
    assert_eq!(
        running.tournament(id).await.state(),
        TournamentState::Running
    );
    // The same game comes to the same end, and so does the tournament.
    Worker::join(&running, "two")
        .await
        .work_to_end(&running, id)
        .await;
    assert_eq!(running.course(id).await.bracket, before.bracket);
    running.stop().await;
}

async fn void(running: &Running, id: u64, game: u32) {
    let reason = "a power cut".into();
    let request = v1::VoidGameRequest { id, game, reason };
    running
        .tournaments()
        .await
        .void_game(request)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draw_after_the_end_opens_a_tournament_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let mut wanted = knockout(4, 1);
    wanted.format.as_mut().unwrap().third_place = None;
    let id = running.create(wanted).await.id;
    Worker::join(&running, "one")
        .await
        .work_to_end(&running, id)
        .await;
    let before = running.course(id).await;
    // The one who won leaves while a game of its first encounter is missing: its opponent takes its place in the final.
    let champion = before.bracket[2].winner.unwrap();
    let first = before.bracket[..2]
        .iter()
        .find(|met| met.winner == Some(champion))
        .unwrap();
    let games = running.games(id).await;
    let met = [first.first.unwrap(), first.second.unwrap()];
    let summaries = games.iter().map(|game| game.summary.clone().unwrap());
    let game = summaries
        .filter(|game| met.contains(&game.first) && met.contains(&game.second))
        .map(|game| game.game)
        .next();
    void(&running, id, game.unwrap()).await;
    let name = running.tournament(id).await.players[champion as usize]
        .name
        .clone();
    let request = v1::WithdrawEngineRequest { id, name };
    running
        .tournaments()
        .await
        .withdraw_engine(request)
        .await
        .unwrap();
    // The new final is drawn before anyone is there to play it.
    while running.course(id).await.draws.len() == before.draws.len() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running.stop().await;
    running = Running::start(config(folder.path())).await;
    assert!(!running.course(id).await.over);
    Worker::join(&running, "two")
        .await
        .work_to_end(&running, id)
        .await;
    let after = running.course(id).await;
    assert!(after.over);
    let last = &after.bracket[2];
    assert!(
        last.winner.is_some() && ![last.first, last.second].contains(&Some(champion)),
        "{last:?}"
    );
    assert!(audited(&running, id).await > 0);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_voided_after_the_end_and_a_restart_is_played_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let id = running.create(spec(FormatKind::RoundRobin, 3, 1)).await.id;
    Worker::join(&running, "one")
        .await
        .work_to_end(&running, id)
        .await;
    running.stop().await;
    running = Running::start(config(folder.path())).await;
    void(&running, id, 3).await;
    let games = Worker::join(&running, "two")
        .await
        .work_to_end(&running, id)
        .await;
    assert_eq!(games, [3]);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_voided_while_its_batch_is_played_calls_the_batch_back() {
    let folder = tempfile::tempdir().unwrap();
    // Longer than anyone waits here.
    let lease = Duration::from_secs(600);
    let running = Running::start(Config {
        lease,
        ..config(folder.path())
    })
    .await;
    let id = running.create(spec(FormatKind::HeadToHead, 2, 2)).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    worker.play(&batch, 0..2).await;
    void(&running, id, batch.games[0].game).await;
    assert_eq!(worker.cancelled().await.lease, batch.lease);
    // At once, and not when the lease has run out; without blame.
    let again = worker.batch().await;
    let games: Vec<u32> = again.games.iter().map(|game| game.game).collect();
    assert_eq!(games, [0, 2, 3]);
    worker.play(&again, 0..3).await;
    assert_eq!(
        running.tournament(id).await.state(),
        TournamentState::Finished
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replay_that_turns_an_encounter_round_brings_another_player_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let id = running.create(knockout(4, 1)).await.id;
    Worker::join(&running, "one")
        .await
        .work_to_end(&running, id)
        .await;
    let before = running.course(id).await.bracket;
    // The winner of an encounter of the first round, decided by points, loses one of its games.
    let semi_final = before[..2]
        .iter()
        .find(|met| met.decided_by() == v1::DecidedBy::Points)
        .unwrap();
    let (winner, players) = (
        semi_final.winner.unwrap(),
        [semi_final.first, semi_final.second],
    );
    let loser = players
        .into_iter()
        .flatten()
        .find(|player| *player != winner)
        .unwrap();
    let games = running.games(id).await;
    let summaries = games.iter().map(|game| game.summary.clone().unwrap());
    let of_both: Vec<_> = summaries
        .filter(|game| {
            [game.first, game.second].contains(&winner)
                && [game.first, game.second].contains(&loser)
        })
        .collect();
    for game in &of_both {
        let request = v1::VoidGameRequest {
            id,
            game: game.game,
            reason: "a power cut".into(),
        };
        running
            .tournaments()
            .await
            .void_game(request)
            .await
            .unwrap();
    }
    running.stop().await;

    running = Running::start(config(folder.path())).await;
    let mut worker = Worker::join(&running, "two").await;
    let batch = worker.batch().await;
    for (game, before) in batch.games.iter().zip(&of_both) {
        assert_eq!(game.game, before.game);
        // White moves first.
        let wanted = if before.first == loser {
            v1::Colour::White
        } else {
            v1::Colour::Black
        };
        let turned = (0..5000)
            .map(|seed| play_with_seed(&batch, game, seed))
            .find(|report| report.result.unwrap().winner() == wanted);
        let answer = worker
            .report(turned.expect("some game goes that way"))
            .await;
        assert_eq!(
            answer.status(),
            v1::ReportStatus::Stored,
            "{}",
            answer.message
        );
    }
    worker.work_to_end(&running, id).await;
    let after = running.course(id).await.bracket;
    let turned = after
        .iter()
        .find(|met| (met.round, met.place) == (0, semi_final.place))
        .unwrap();
    assert_eq!(turned.winner, Some(loser));
    let last = after
        .iter()
        .find(|met| (met.round, met.place) == (1, 0))
        .unwrap();
    assert!(
        [last.first, last.second].contains(&Some(loser)) && last.games > 0,
        "{last:?}"
    );
    // Draws before and after the replay follow from what was known then.
    assert!(audited(&running, id).await >= 4);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn watchers_see_what_is_drawn() {
    let (running, _folder) = Running::fresh().await;
    let created = running.create(knockout(4, 1)).await;
    let request = v1::WatchTournamentRequest {
        id: created.id,
        from_sequence: created.sequence,
        progress: false,
    };
    let mut events = running
        .tournaments()
        .await
        .watch(request)
        .await
        .unwrap()
        .into_inner();
    Worker::join(&running, "one")
        .await
        .work_to_end(&running, created.id)
        .await;
    let mut drawn = Vec::new();
    while let Some(event) = events.message().await.unwrap() {
        if let Some(v1::tournament_event::Event::Draw(draw)) = event.event {
            drawn.push(draw);
        }
    }
    let course = running.course(created.id).await;
    // The first may have been drawn before anyone watched.
    let known = &course.draws[course.draws.len() - drawn.len()..];
    let players = |draws: &[v1::Draw]| -> Vec<Vec<(u32, u32)>> {
        let met = |draw: &v1::Draw| {
            draw.encounters
                .iter()
                .map(|met| (met.first, met.second))
                .collect()
        };
        draws.iter().map(met).collect()
    };
    assert_eq!(players(&drawn), players(known));
    assert!(drawn.len() >= 2);
    running.stop().await;
}
