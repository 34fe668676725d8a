//! Knockouts: the same end whoever plays, and brackets that follow from results.

use std::{collections::BTreeMap, time::Duration};

use proto::v1::{self, FormatKind, TournamentState};
use server::Config;

use super::{
    actions::{audited, play_batches, play_to_end},
    harness::{Running, config, spec},
    worker::{Worker, assert_each_once},
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

/// With an encounter for the third place.
pub fn knockout(count: usize, pairs: u32) -> v1::TournamentSpec {
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
            games.extend(play_batches(&mut worker, 3).await);
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
            games.extend(play_batches(&mut other, 2).await);
            games.extend(held.games.iter().map(|game| game.game));
            holder.play(&held, 0..held.games.len()).await;
        }
        games.extend(play_to_end(&running, id, workers).await);
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
    play_to_end(&running, created.id, 1).await;
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
