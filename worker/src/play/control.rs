//! Stops a game from outside and says how long its present move may last.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// Shared between the slot that works on a task and whoever watches it.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// Seen by the built-in search.
    stop: AtomicBool,
    /// Seen by whoever waits for an engine's process.
    token: CancellationToken,
    deadline: Mutex<Option<Instant>>,
}

impl Control {
    /// Asks the slot to give the task up.
    pub fn cancel(&self) {
        self.0.stop.store(true, Ordering::Relaxed);
        self.0.token.cancel();
    }

    /// Whether the task is to be given up.
    pub fn is_cancelled(&self) -> bool {
        self.0.token.is_cancelled()
    }

    /// Waits until the task is to be given up.
    pub async fn cancelled(&self) {
        self.0.token.cancelled().await;
    }

    /// The flag that a search in this process looks at.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.0.stop
    }

    /// Says that what is being done now ends within this time, or hangs.
    pub fn expect_within(&self, time: Duration) {
        *self.lock() = Instant::now().checked_add(time);
    }

    /// How long what is being done now is overdue; none = it is not.
    pub fn overdue(&self, now: Instant) -> Option<Duration> {
        self.lock()
            .and_then(|deadline| now.checked_duration_since(deadline))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Instant>> {
        // A time is whole even if a thread panicked that was about to replace it.
        self.0
            .deadline
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
