//! Engines that come into a running tournament, and engines that withdraw from it.

use proto::v1::{self, FormatKind, TournamentState};
use tonic::Code;

use super::{
    actions::{audited, enter, meetings, play_to_end, void, withdraw},
    harness::{Running, config, engines, spec},
    worker::{Worker, played},
};

#[tokio::test(flavor = "multi_thread")]
async fn engines_come_into_a_swiss_tournament_and_leave_it() {
    let (running, _folder) = Running::fresh().await;
    let mut wanted = spec(FormatKind::Swiss, 4, 1);
    wanted.format.as_mut().unwrap().rounds = 3;
    let id = running.create(wanted).await.id;
    let mut worker = Worker::join(&running, "one").await;
    // One encounter of the first round is over, then one comes and one goes.
    let batch = worker.batch().await;
    worker.play(&batch, 0..2).await;
    enter(&running, id, engines(5).split_off(4)).await.unwrap();
    withdraw(&running, id, "engine 0").await.unwrap();
    drop(worker);
    play_to_end(&running, id, 1).await;
    let course = running.course(id).await;
    assert_eq!(course.draws.len(), 3);
    for draw in &course.draws[1..] {
        let pairs = draw.encounters.iter().map(|met| [met.first, met.second]);
        let mut there: Vec<u32> = pairs.flatten().chain(draw.byes.iter().copied()).collect();
        there.sort_unstable();
        assert_eq!(there, [1, 2, 3, 4]);
    }
    // Everything is drawn: nobody comes any more.
    let refused = enter(&running, id, engines(6).split_off(5))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn engines_come_into_a_round_robin_and_leave_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let id = running.create(spec(FormatKind::RoundRobin, 3, 2)).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let first = worker.batch().await;
    worker.play(&first, 0..4).await;
    let late = engines(5).split_off(3);
    let entered = enter(&running, id, late).await.unwrap();
    assert_eq!(entered.players.len(), 5);
    let gone = withdraw(&running, id, "engine 1").await.unwrap();
    assert_eq!(gone.withdrawn, [1]);
    let stored = running.standings(id).await.rows;
    running.stop().await;

    running = Running::start(config(folder.path())).await;
    assert_eq!(running.tournament(id).await.withdrawn, [1]);
    assert_eq!(running.standings(id).await.rows, stored);
    play_to_end(&running, id, 1).await;
    let met = meetings(&running, id).await;
    // All who stayed met each other in full: two pairs.
    for one in [0, 2, 3, 4u32] {
        for other in [0, 2, 3, 4u32].into_iter().filter(|other| *other > one) {
            assert_eq!(met.get(&(one, other)), Some(&4), "{one} {other}");
        }
    }
    // The one who left keeps what was stored before, and plays nothing more.
    let of_gone = |row: &&v1::StandingsRow| row.player == 1;
    let before = stored.iter().find(of_gone).unwrap().games;
    let table = running.standings(id).await;
    assert_eq!(table.rows.iter().find(of_gone).unwrap().games, before);
    let tournament = running.tournament(id).await;
    assert_eq!(
        (tournament.state(), tournament.total_games),
        (TournamentState::Finished, tournament.stored_games)
    );
    // Now it is over.
    let refused = enter(&running, id, engines(6).split_off(5))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Code::FailedPrecondition);
    running.stop().await;
}

/// Waits until so many draws are stored.
async fn await_draws(running: &Running, id: u64, draws: usize) -> v1::CourseResponse {
    loop {
        let course = running.course(id).await;
        if course.draws.len() >= draws {
            return course;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn engines_come_into_a_gauntlet_and_meet_the_challengers_who_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let mut wanted = spec(FormatKind::Gauntlet, 4, 2);
    wanted.format.as_mut().unwrap().challengers = vec!["engine 0".into(), "engine 2".into()];
    wanted.batch_pairs = 1;
    let id = running.create(wanted).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let first = worker.batch().await;
    worker.play(&first, 0..2).await;
    enter(&running, id, engines(5).split_off(4)).await.unwrap();
    await_draws(&running, id, 1).await;
    // One challenger leaves, and whoever comes after that meets the other one only.
    withdraw(&running, id, "engine 2").await.unwrap();
    enter(&running, id, engines(6).split_off(5)).await.unwrap();
    let course = await_draws(&running, id, 2).await;
    let drawn: Vec<Vec<(u32, u32)>> = course
        .draws
        .iter()
        .map(|draw| {
            let met = draw.encounters.iter();
            met.map(|met| (met.first.min(met.second), met.first.max(met.second)))
                .collect()
        })
        .collect();
    assert_eq!(drawn, [vec![(0, 4), (2, 4)], vec![(0, 5)]]);
    running.stop().await;

    running = Running::start(config(folder.path())).await;
    play_to_end(&running, id, 2).await;
    let mut met = meetings(&running, id).await;
    // What the one who left had played by then stands.
    met.retain(|&(one, other), _| one != 2 && other != 2);
    let expected = [((0, 1), 4), ((0, 3), 4), ((0, 4), 4), ((0, 5), 4)];
    assert_eq!(met, expected.into());
    let tournament = running.tournament(id).await;
    assert_eq!(
        (tournament.state(), tournament.total_games),
        (TournamentState::Finished, tournament.stored_games)
    );
    assert_eq!(audited(&running, id).await, 2);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn watchers_and_the_table_tell_who_came_and_who_left() {
    let (running, _folder) = Running::fresh().await;
    let created = running.create(spec(FormatKind::RoundRobin, 3, 1)).await;
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
    enter(&running, created.id, engines(5).split_off(3))
        .await
        .unwrap();
    withdraw(&running, created.id, "engine 1").await.unwrap();
    let mut told = Vec::new();
    while told.len() < 2 {
        let event = events.message().await.unwrap().unwrap();
        if let Some(v1::tournament_event::Event::Players(players)) = event.event {
            told.push((players.entered, players.withdrew));
        }
    }
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|name| (*name).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(told[0], (names(&["engine 3", "engine 4"]), String::new()));
    assert_eq!(told[1], (names(&[]), "engine 1".to_owned()));
    let table = running.standings(created.id).await;
    let gone: Vec<&str> = table
        .rows
        .iter()
        .filter(|row| row.withdrawn)
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(gone, ["engine 1"]);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn games_of_an_engine_that_left_are_no_results() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(config(folder.path())).await;
    let id = running.create(spec(FormatKind::RoundRobin, 3, 1)).await.id;
    let mut worker = Worker::join(&running, "one").await;
    // Two of three pairs: some of an engine that is about to leave.
    let batch = worker.batch().await;
    let names = |game: &v1::BatchGame| {
        [game.first, game.second].map(|player| batch.players[player as usize].name.clone())
    };
    let name = names(&batch.games[0])[0].clone();
    withdraw(&running, id, &name).await.unwrap();
    for game in &batch.games {
        let answer = worker.report(played(&batch, game)).await;
        let expected = match names(game).contains(&name) {
            true => v1::ReportStatus::Superseded,
            false => v1::ReportStatus::Stored,
        };
        assert_eq!(answer.status(), expected, "{}", answer.message);
    }
    worker.work_to_end(&running, id).await;
    // Only the other two met.
    let met: Vec<u32> = meetings(&running, id).await.into_values().collect();
    assert_eq!(met, [2]);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_voided_game_of_an_engine_that_left_is_not_given_out_again() {
    let (running, _folder) = Running::fresh().await;
    let mut spec = spec(FormatKind::RoundRobin, 3, 2);
    spec.batch_pairs = 1;
    let id = running.create(spec).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    worker.play(&batch, 0..2).await;
    withdraw(&running, id, &batch.players[0].name)
        .await
        .unwrap();
    void(&running, id, batch.games[0].game).await;
    // Two pairs of the others are left, and no batch is empty.
    for _ in 0..2 {
        let batch = worker.batch().await;
        assert_eq!(batch.games.len(), 2);
        worker.play(&batch, 0..2).await;
    }
    let after = running.tournament(id).await;
    assert_eq!(
        (after.state(), after.stored_games),
        (TournamentState::Finished, 5)
    );
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_of_nobody_who_stayed_is_taken_back() {
    let (running, _folder) = Running::fresh().await;
    let mut spec = spec(FormatKind::RoundRobin, 3, 1);
    spec.batch_pairs = 1;
    let id = running.create(spec).await.id;
    let mut worker = Worker::join(&running, "one").await;
    let batch = worker.batch().await;
    let name = batch.players[0].name.clone();
    withdraw(&running, id, &name).await.unwrap();
    let cancel = worker.cancelled().await;
    assert_eq!(cancel.lease, batch.lease);
    assert_eq!(cancel.reason(), v1::CancelReason::Complete);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_need_what_those_who_came_in_need_until_they_leave() {
    let (running, _folder) = Running::fresh().await;
    let id = running.create(spec(FormatKind::RoundRobin, 3, 2)).await.id;
    let special = v1::EngineSpec {
        name: "special".into(),
        source: Some(v1::EngineSource {
            kind: Some(v1::engine_source::Kind::Command("special".into())),
        }),
        ..Default::default()
    };
    enter(&running, id, vec![special]).await.unwrap();
    let mut worker = Worker::join(&running, "one").await;
    let why = worker.no_work().await;
    assert_eq!(
        why.reason(),
        v1::NoWorkReason::CommandMissing,
        "{}",
        why.message
    );
    let lacking = running.tournament(id).await.lacking;
    assert_eq!(lacking, ["no connected worker has the engine `special`"]);
    withdraw(&running, id, "special").await.unwrap();
    // It had asked already.
    let batch = worker.await_batch().await;
    worker.play(&batch, 0..batch.games.len()).await;
    worker.work_to_end(&running, id).await;
    assert_eq!(running.tournament(id).await.stored_games, 12);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_come_or_go_is_told_why() {
    let (running, _folder) = Running::fresh().await;
    let late = || engines(9).split_off(8);
    for (kind, count, enters, leaves) in [
        (
            FormatKind::HeadToHead,
            2,
            "between two engines",
            "cancel it",
        ),
        (FormatKind::Knockout, 4, "bracket", ""),
        (FormatKind::Ladder, 4, "rungs", ""),
        (FormatKind::RoundRobin, 4, "", ""),
        (FormatKind::Pyramid, 4, "", ""),
        (FormatKind::Gauntlet, 4, "", ""),
    ] {
        let id = running.create(spec(kind, count, 1)).await.id;
        for (problem, answer) in [
            (enters, enter(&running, id, late()).await),
            (leaves, withdraw(&running, id, "engine 1").await),
        ] {
            match answer {
                Ok(_) => assert_eq!(problem, "", "{kind:?}"),
                Err(status) => {
                    assert_eq!(status.code(), Code::FailedPrecondition, "{kind:?}");
                    assert!(
                        !problem.is_empty() && status.message().contains(problem),
                        "{status}"
                    );
                }
            }
        }
    }
    let id = running.create(spec(FormatKind::RoundRobin, 4, 2)).await.id;
    let code = |answer: Result<v1::Tournament, tonic::Status>| answer.unwrap_err().code();
    assert_eq!(
        code(enter(&running, id, vec![]).await),
        Code::InvalidArgument
    );
    assert_eq!(
        code(enter(&running, id, engines(1)).await),
        Code::InvalidArgument
    );
    let twice = [late(), late()].concat();
    assert_eq!(
        code(enter(&running, id, twice).await),
        Code::InvalidArgument
    );
    assert_eq!(code(withdraw(&running, id, "nobody").await), Code::NotFound);
    withdraw(&running, id, "engine 0").await.unwrap();
    assert_eq!(
        code(withdraw(&running, id, "engine 0").await),
        Code::FailedPrecondition
    );
    assert_eq!(
        code(withdraw(&running, 99, "engine 0").await),
        Code::NotFound
    );
    running.stop().await;
}
