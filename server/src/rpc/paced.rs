//! Something that changes, sent again when it has changed, with pauses.

use std::{future::Future, time::Duration};

use tokio::{sync::watch, time::Instant};
use tonic::Status;

use super::stream::{Gone, Sink};

/// Least time between two looks, and so between two messages.
pub(super) const PAUSE: Duration = Duration::from_secs(1);

/// Sends the first one at once, then the newest whenever `changed` says that something has changed and `differs` that it
/// is this. A change is looked at at once when the last look is a pause ago, else after the pause. A slow client holds up
/// nobody: it gets what is newest when it is ready again.
pub(super) async fn follow<T, F>(
    sink: Sink<T>,
    first: T,
    mut changed: watch::Receiver<u64>,
    differs: impl Fn(&T, &T) -> bool,
    mut newest: impl FnMut() -> F,
) -> Result<(), Gone>
where
    T: Clone,
    F: Future<Output = Result<T, Status>>,
{
    let mut last = first.clone();
    sink.send(first).await?;
    let mut looked = Instant::now();
    while changed.changed().await.is_ok() {
        tokio::time::sleep_until(looked + PAUSE).await;
        sink.ready().await?;
        changed.mark_unchanged();
        let newer = newest().await;
        looked = Instant::now();
        match newer {
            Ok(newer) if !differs(&last, &newer) => {}
            Ok(newer) => {
                last = newer.clone();
                sink.send(newer).await?;
            }
            Err(status) => {
                sink.fail(status).await;
                break;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    };

    use tokio::sync::mpsc;

    use super::*;

    /// A number that is followed, and how often it was looked at.
    struct Followed {
        value: Arc<AtomicU64>,
        looks: Arc<AtomicU64>,
        changes: watch::Sender<u64>,
        received: mpsc::Receiver<Result<u64, Status>>,
    }

    impl Followed {
        /// A number that counts only in tens.
        fn start() -> Self {
            let (value, looks) = (Arc::new(AtomicU64::new(10)), Arc::new(AtomicU64::new(0)));
            let changes = watch::Sender::new(0);
            let (sink, received) = Sink::channel(1);
            let (own_value, own_looks) = (value.clone(), looks.clone());
            let newest = move || {
                own_looks.fetch_add(1, Ordering::Relaxed);
                let value = own_value.load(Ordering::Relaxed);
                async move { Ok(value) }
            };
            let differs = |a: &u64, b: &u64| a / 10 != b / 10;
            let changed = changes.subscribe();
            tokio::spawn(async move { follow(sink, 10, changed, differs, newest).await.is_ok() });
            Self {
                value,
                looks,
                changes,
                received,
            }
        }

        fn set(&self, value: u64) {
            self.value.store(value, Ordering::Relaxed);
            self.changes.send_modify(|count| *count += 1);
        }

        async fn next(&mut self) -> Option<u64> {
            self.received.recv().await.map(Result::unwrap)
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_first_comes_at_once_and_others_a_pause_apart() {
        let start = Instant::now();
        let mut followed = Followed::start();
        assert_eq!(followed.next().await, Some(10));
        assert_eq!(start.elapsed(), Duration::ZERO);
        // Two in quick succession: one message, a pause after the first, with the newest.
        followed.set(20);
        tokio::time::sleep(Duration::from_millis(10)).await;
        followed.set(30);
        assert_eq!(followed.next().await, Some(30));
        assert_eq!(start.elapsed(), PAUSE);
        // After some quiet a change comes at once.
        tokio::time::sleep(3 * PAUSE).await;
        followed.set(40);
        assert_eq!(followed.next().await, Some(40));
        assert_eq!(start.elapsed(), 4 * PAUSE);
    }

    #[tokio::test(start_paused = true)]
    async fn a_busy_source_gives_one_message_a_pause() {
        let start = Instant::now();
        let mut followed = Followed::start();
        let value = followed.value.clone();
        let changes = followed.changes.clone();
        let busy = tokio::spawn(async move {
            for step in 0..1_000 {
                value.store(10 * step, Ordering::Relaxed);
                changes.send_modify(|count| *count += 1);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        });
        let mut times = Vec::new();
        while !busy.is_finished() {
            tokio::select! {
                _ = followed.next() => times.push(start.elapsed()),
                () = tokio::time::sleep(Duration::from_secs(2)) => {}
            }
        }
        assert!((10..=12).contains(&times.len()), "{times:?}");
        assert!(
            times.windows(2).all(|two| two[1] - two[0] >= PAUSE),
            "{times:?}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn changes_of_others_are_no_message_and_cost_one_look_a_pause() {
        let mut followed = Followed::start();
        assert_eq!(followed.next().await, Some(10));
        for value in 11..=19 {
            followed.set(value);
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        assert!(followed.received.try_recv().is_err());
        assert!(followed.looks.load(Ordering::Relaxed) <= 2);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_gets_the_newest_and_holds_up_nobody() {
        let mut followed = Followed::start();
        for value in [20, 30, 40, 50] {
            followed.set(value);
            tokio::time::sleep(2 * PAUSE).await;
        }
        // Nothing was read so far: the first waits in the channel.
        assert_eq!(followed.looks.load(Ordering::Relaxed), 0);
        assert_eq!(followed.next().await, Some(10));
        assert_eq!(followed.next().await, Some(50));
    }

    #[tokio::test(start_paused = true)]
    async fn it_ends_with_its_source() {
        let Followed {
            changes,
            mut received,
            ..
        } = Followed::start();
        assert!(received.recv().await.is_some());
        drop(changes);
        assert!(received.recv().await.is_none());
    }
}
