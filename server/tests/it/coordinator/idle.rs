//! No worker idles while an encounter of two known players is neither played nor being played.

use std::time::Duration;

use proto::v1::{self, FormatKind, TournamentState};
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng as _},
};
use server::Config;

use super::{
    actions::audited,
    harness::{Running, config, spec},
    worker::{Worker, assert_each_once},
};

/// The numbers of the two players of a batch's games, the lower one first.
fn players(batch: &v1::Batch) -> Vec<[u32; 2]> {
    let number = |index: u32| -> u32 {
        let name = &batch.players[index as usize].name;
        name.trim_start_matches("engine ").parse().unwrap()
    };
    let games = batch.games.iter();
    games
        .map(|game| [number(game.first), number(game.second)])
        .map(|[one, other]| [one.min(other), one.max(other)])
        .collect()
}

/// Pairs of the adaptive tournament.
const TOTAL_PAIRS: u32 = 14;

/// Whether anything can be played that nobody plays.
fn is_playable(kind: FormatKind, course: &v1::CourseResponse, held: Option<&v1::Batch>) -> bool {
    let encounters = course.draws.iter().flat_map(|draw| &draw.encounters);
    let missing: u32 = encounters.map(|met| met.missing).sum();
    let in_play = held.map_or(0, |batch| batch.games.len());
    if missing as usize > in_play {
        return true;
    }
    // An adaptive tournament need not wait for anyone.
    let pairs = course
        .draws
        .iter()
        .map(|draw| draw.pairs * draw.encounters.len() as u32);
    if kind == FormatKind::Adaptive && pairs.sum::<u32>() < TOTAL_PAIRS {
        return true;
    }
    // Of a bracket also what was not drawn yet, since both players have become known just now.
    let in_play = held.map(players).unwrap_or_default();
    let undecided = course.bracket.iter().filter(|met| met.winner.is_none());
    let mut known = undecided.filter_map(|met| Some([met.first?, met.second?]));
    known.any(|[one, other]| !in_play.contains(&[one.min(other), one.max(other)]))
}

/// Two workers, each of which asks when there is something for it by what the course says, and waits until it gets it.
async fn play_by_two(kind: FormatKind, count: usize, seed: u64) {
    let folder = tempfile::tempdir().unwrap();
    // Longer than anyone waits here, so that nobody is given what the other one holds.
    let lease = Duration::from_secs(600);
    let running = Running::start(Config {
        lease,
        ..config(folder.path())
    })
    .await;
    let mut wanted = spec(kind, count, 1);
    wanted.batch_pairs = 1;
    if kind == FormatKind::Adaptive {
        wanted.format.as_mut().unwrap().total_pairs = TOTAL_PAIRS;
    }
    let id = running.create(wanted).await.id;
    let mut workers = [
        Worker::join(&running, "one").await,
        Worker::join(&running, "two").await,
    ];
    let mut held: [Option<v1::Batch>; 2] = [None, None];
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut games, mut side_by_side) = (Vec::new(), 0);
    loop {
        let at = (random.next_u64() % 2) as usize;
        // Who plays keeps on more often than not, so that the other one waits for what follows from its own games.
        if held[at].is_some() {
            if random.next_u64().is_multiple_of(3)
                && let Some(batch) = held[at].take()
            {
                workers[at].play(&batch, 0..batch.games.len()).await;
            }
            continue;
        }
        let course = running.course(id).await;
        if is_playable(kind, &course, held[1 - at].as_ref()) {
            // Fails after a while if none comes.
            let batch = workers[at].batch().await;
            games.extend(batch.games.iter().map(|game| game.game));
            held[at] = Some(batch);
            side_by_side += u32::from(held[1 - at].is_some());
        } else if held[1 - at].is_none() {
            // What follows from the last games is being drawn, or nothing does.
            if running.tournament(id).await.state() == TournamentState::Finished {
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    assert!(side_by_side > 0, "{kind:?}: the two never played at once");
    assert_each_once(&games, running.tournament(id).await.stored_games);
    audited(&running, id).await;
    running.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_idles_in_a_knockout_or_on_a_ladder() {
    for seed in 0..3 {
        play_by_two(FormatKind::Knockout, 7, seed).await;
        play_by_two(FormatKind::Ladder, 5, seed).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_idles_in_a_swiss_or_an_adaptive_tournament() {
    for seed in 0..3 {
        play_by_two(FormatKind::Swiss, 7, seed).await;
        play_by_two(FormatKind::Adaptive, 5, seed).await;
    }
}
