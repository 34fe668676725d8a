//! A rate limit: a bucket of tokens that fills again with time.

use std::time::Duration;

use super::Moment;

/// A bucket of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    capacity: u32,
    refill: Duration,
    tokens: u32,
    counted: Moment,
}

impl Bucket {
    /// A full bucket of `capacity` tokens that gets one back every `refill`.
    pub fn new(capacity: u32, refill: Duration, now: Moment) -> Self {
        Self {
            capacity,
            refill,
            tokens: capacity,
            counted: now,
        }
    }

    /// Takes a token, or says how long it takes until there is one.
    pub fn take(&mut self, now: Moment) -> Result<(), Duration> {
        self.fill(now);
        match self.tokens.checked_sub(1) {
            Some(rest) => {
                self.tokens = rest;
                Ok(())
            }
            None => Err(self
                .refill
                .saturating_sub(now.since(self.counted))
                .max(Duration::from_millis(1))),
        }
    }

    fn fill(&mut self, now: Moment) {
        let elapsed = now.since(self.counted);
        let new = elapsed
            .as_nanos()
            .checked_div(self.refill.as_nanos())
            .unwrap_or(u128::MAX);
        match u32::try_from(new) {
            Ok(new) if u64::from(self.tokens) + u64::from(new) < u64::from(self.capacity) => {
                self.tokens += new;
                self.counted = self.counted + self.refill.saturating_mul(new);
            }
            _ => {
                self.tokens = self.capacity;
                self.counted = now;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Moment {
        Moment(Duration::from_secs(seconds))
    }

    #[test]
    fn a_bucket_empties_and_fills_at_its_rate() {
        let mut bucket = Bucket::new(3, Duration::from_secs(10), at(0));
        assert_eq!(
            [(); 4].map(|()| bucket.take(at(0)).is_ok()),
            [true, true, true, false]
        );
        assert_eq!(bucket.take(at(4)), Err(Duration::from_secs(6)));
        assert_eq!(bucket.take(at(10)), Ok(()));
        assert_eq!(bucket.take(at(19)), Err(Duration::from_secs(1)));
        // Never more than the capacity.
        assert_eq!(
            [(); 4].map(|()| bucket.take(at(1000)).is_ok()),
            [true, true, true, false]
        );
    }
}
