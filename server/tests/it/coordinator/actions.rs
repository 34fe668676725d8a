//! What tests of a tournament's course have in common: workers that play on, engines that come and go, games taken back, audits.

use std::collections::BTreeMap;

use proto::v1;

use super::{harness::Running, worker::Worker};

/// So many batches of whatever is given out; gives their games.
pub async fn play_batches(worker: &mut Worker, batches: usize) -> Vec<u32> {
    let mut games = Vec::new();
    for _ in 0..batches {
        let batch = worker.batch().await;
        games.extend(batch.games.iter().map(|game| game.game));
        worker.play(&batch, 0..batch.games.len()).await;
    }
    games
}

/// Lets so many new workers play a tournament to its end side by side; gives the games that they were given.
pub async fn play_to_end(running: &Running, id: u64, workers: usize) -> Vec<u32> {
    let mut joined = Vec::new();
    for worker in 0..workers {
        joined.push(Worker::join(running, &format!("to the end {worker}")).await);
    }
    let ends = joined
        .iter_mut()
        .map(|worker| worker.work_to_end(running, id));
    side_by_side(ends).await.concat()
}

/// Runs futures side by side.
async fn side_by_side<T>(futures: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
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

/// Lets engines come into a tournament.
pub async fn enter(
    running: &Running,
    id: u64,
    engines: Vec<v1::EngineSpec>,
) -> Result<v1::Tournament, tonic::Status> {
    let request = v1::EnterEnginesRequest { id, engines };
    let entered = running.tournaments().await.enter_engines(request).await;
    entered.map(tonic::Response::into_inner)
}

/// Takes an engine out of a tournament.
pub async fn withdraw(
    running: &Running,
    id: u64,
    name: &str,
) -> Result<v1::Tournament, tonic::Status> {
    let name = name.to_owned();
    let request = v1::WithdrawEngineRequest { id, name };
    let withdrawn = running.tournaments().await.withdraw_engine(request).await;
    withdrawn.map(tonic::Response::into_inner)
}

/// Takes a game's result away.
pub async fn void(running: &Running, id: u64, game: u32) -> v1::Tournament {
    let reason = "a power cut".into();
    let request = v1::VoidGameRequest { id, game, reason };
    let voided = running.tournaments().await.void_game(request).await;
    voided.unwrap().into_inner()
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

/// Games of each pair of players, by number.
pub async fn meetings(running: &Running, id: u64) -> BTreeMap<(u32, u32), u32> {
    let table = running.standings(id).await;
    let cells = table
        .cross_table
        .iter()
        .filter(|cell| cell.player < cell.opponent);
    cells
        .map(|cell| ((cell.player, cell.opponent), cell.games))
        .collect()
}
