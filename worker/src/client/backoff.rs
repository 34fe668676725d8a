//! How long to wait before the next try.

use std::time::Duration;

/// Waits that double from try to try, each cut short at random so that many workers do not come at once.
#[derive(Clone, Debug)]
pub struct Backoff {
    first: Duration,
    longest: Duration,
    tries: u32,
}

impl Backoff {
    /// Waits from `first` up to `longest`.
    pub fn new(first: Duration, longest: Duration) -> Self {
        Self {
            first,
            longest,
            tries: 0,
        }
    }

    /// The next wait: half to all of the doubled one before.
    pub fn next_wait(&mut self) -> Duration {
        // Without randomness of the system all wait for the longest time, which is safe.
        let random = getrandom::u32().map_or(1.0, |bits| f64::from(bits) / f64::from(u32::MAX));
        self.wait(random)
    }

    /// The next wait for a random number from 0 to 1.
    fn wait(&mut self, random: f64) -> Duration {
        let doubled = self
            .first
            .saturating_mul(1u32.checked_shl(self.tries).unwrap_or(u32::MAX));
        self.tries = (self.tries + 1).min(30);
        doubled.min(self.longest).mul_f64(0.5 + random / 2.0)
    }

    /// All is well again.
    pub fn reset(&mut self) {
        self.tries = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_the_longest() {
        let ms = Duration::from_millis;
        let mut backoff = Backoff::new(ms(100), ms(1000));
        let waits: Vec<_> = (0..5).map(|_| backoff.wait(1.0)).collect();
        assert_eq!(waits, [100, 200, 400, 800, 1000].map(ms));
        assert_eq!((0..100).map(|_| backoff.wait(0.0)).max(), Some(ms(500)));
        backoff.reset();
        assert_eq!(backoff.wait(0.0), ms(50));
        for _ in 0..50 {
            assert!((ms(50)..=ms(1000)).contains(&backoff.next_wait()));
        }
    }
}
