//! Games whose results are taken away, and what follows from that.

use std::time::Duration;

use proto::v1::{self, FormatKind, TournamentState};
use server::Config;

use super::{
    actions::{audited, play_to_end, void, withdraw},
    harness::{Running, config, spec},
    knockouts::knockout,
    worker::{Worker, play_with_seed},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_voided_game_of_an_early_round_is_played_again_and_the_bracket_follows() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let id = running.create(knockout(4, 1)).await.id;
    play_to_end(&running, id, 1).await;
    let before = running.course(id).await;
    let voided = void(&running, id, before.draws[0].first_game).await;
    assert_eq!(voided.state(), TournamentState::Running);
    // Also after a restart it is not taken for over.
    running.stop().await;
    running = Running::start(config(folder.path())).await;
    assert_eq!(
        running.tournament(id).await.state(),
        TournamentState::Running
    );
    // The same game comes to the same end, and so does the tournament.
    play_to_end(&running, id, 1).await;
    assert_eq!(running.course(id).await.bracket, before.bracket);
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draw_after_the_end_opens_a_tournament_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(config(folder.path())).await;
    let mut wanted = knockout(4, 1);
    wanted.format.as_mut().unwrap().third_place = None;
    let id = running.create(wanted).await.id;
    play_to_end(&running, id, 1).await;
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
    withdraw(&running, id, &name).await.unwrap();
    // The new final is drawn before anyone is there to play it.
    while running.course(id).await.draws.len() == before.draws.len() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    running.stop().await;
    running = Running::start(config(folder.path())).await;
    assert!(!running.course(id).await.over);
    play_to_end(&running, id, 1).await;
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
    play_to_end(&running, id, 1).await;
    running.stop().await;
    running = Running::start(config(folder.path())).await;
    void(&running, id, 3).await;
    let games = play_to_end(&running, id, 1).await;
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
    play_to_end(&running, id, 1).await;
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
        void(&running, id, game.game).await;
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
