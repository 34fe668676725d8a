//! The writing thread: order, once only, epochs.

use std::sync::{Arc, Mutex};

use super::*;
use crate::store::Location;

#[test]
fn a_key_is_taken_once_also_within_one_group() {
    let folder = tempfile::tempdir().unwrap();
    let observed: Arc<Mutex<Vec<Location>>> = Arc::default();
    let sink = observed.clone();
    let store = open(folder.path())
        .unwrap()
        .start(move |committed| sink.lock().unwrap().push(committed.location))
        .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let answers = runtime.block_on(async {
        let commits =
            (0..50).map(|number| store.commit(game(number % 10, &format!("a1a{number}"))));
        let mut answers = Vec::new();
        for answer in join_all(commits).await {
            answers.push(answer.unwrap());
        }
        answers
    });
    let done: Vec<_> = answers
        .iter()
        .filter(|answer| matches!(answer, Answer::Done(_)))
        .collect();
    assert_eq!(done.len(), 10);
    for answer in &answers {
        if let Answer::Exists(entry) = answer {
            let entry: crate::store::kinds::GameEntry =
                crate::store::kinds::decode("game", entry).unwrap();
            assert_eq!(entry.moves.len(), 32);
        }
    }
    // Observed in order, the epoch first.
    let sequences: Vec<u64> = observed
        .lock()
        .unwrap()
        .iter()
        .map(|at| at.sequence)
        .collect();
    assert_eq!(sequences, (1..=11).collect::<Vec<_>>());
    drop(store);
    assert_eq!(
        entries(&open(folder.path()).unwrap())
            .keys()
            .filter(|key| key[0] == b'g')
            .count(),
        10
    );
}

async fn join_all<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    // Polled together, so that they are in the queue at the same time.
    let mut pending: Vec<_> = futures.map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = pending.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, output) in pending.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let std::task::Poll::Ready(value) = future.as_mut().poll(context)
            {
                *output = Some(value);
            }
        }
        if outputs.iter().all(Option::is_some) {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

#[test]
fn each_start_is_a_new_epoch() {
    let folder = tempfile::tempdir().unwrap();
    for epoch in 1..4 {
        let store = start(folder.path());
        assert_eq!(store.epoch(), epoch);
        assert_eq!(store.view().epoch().unwrap(), epoch);
    }
    // Also when the index is lost.
    fs::remove_dir_all(folder.path().join("state")).unwrap();
    assert_eq!(start(folder.path()).epoch(), 4);
}

#[test]
fn a_closed_store_says_so_and_has_written_everything() {
    let folder = tempfile::tempdir().unwrap();
    let store = start(folder.path());
    commit(&store, game(0, "a1a2"));
    store.close();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let error = runtime.block_on(store.commit(game(1, "a1a2"))).unwrap_err();
    assert!(matches!(error, StoreError::Closed));
    drop(store);
    assert!(
        entries(&open(folder.path()).unwrap())
            .keys()
            .any(|key| key[0] == b'g')
    );
}
