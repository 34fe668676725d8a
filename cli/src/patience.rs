//! Waiting for a coordinator that has gone: how often it is looked for, and for how long.

use std::time::{Duration, Instant};

use tonic::{Code, Status};

/// How long a coordinator that has gone is looked for.
pub const LIMIT: Duration = Duration::from_secs(60);
/// The first wait, and the longest one; each is twice the one before.
const WAITS: (Duration, Duration) = (Duration::from_millis(250), Duration::from_secs(4));

/// One absence of a coordinator, or one time without what is waited for.
#[derive(Debug)]
pub struct Patience {
    by: Instant,
    wait: Duration,
}

impl Patience {
    /// Begins now.
    pub fn new() -> Self {
        Self {
            by: Instant::now() + LIMIT,
            wait: WAITS.0,
        }
    }

    /// Waits until it is time to look again, each time longer.
    pub async fn pause(&mut self) {
        tokio::time::sleep(self.wait).await;
        self.wait = (self.wait * 2).min(WAITS.1);
    }

    /// Whether the limit has passed.
    pub fn is_over(&self) -> bool {
        Instant::now() >= self.by
    }
}

/// Whether nobody answered, rather than somebody who refuses.
pub fn is_absence(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable
            | Code::Unknown
            | Code::Cancelled
            | Code::Internal
            | Code::DeadlineExceeded
    )
}
