//! When an engine's own faults stop it in a tournament.

use std::num::NonZeroU32;

use super::EndReason;

/// An engine that has lost at least so many games by its own faults, and more than this share of its games, plays no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quarantine {
    /// Games lost by a crash, a hang, an illegal move, a false claim or on time.
    pub faults: NonZeroU32,
    /// Of a hundred games; with 100 there is no quarantine.
    pub percent: u8,
}

impl Default for Quarantine {
    fn default() -> Self {
        Self {
            faults: NonZeroU32::MIN.saturating_add(9),
            percent: 25,
        }
    }
}

impl Quarantine {
    /// Whether an engine with so many faults in so many games plays no more.
    pub fn stops(&self, faults: u32, games: u32) -> bool {
        faults >= self.faults.get()
            && u64::from(faults) * 100 > u64::from(self.percent) * u64::from(games)
    }
}

impl EndReason {
    /// Whether the loser's engine is at fault.
    pub fn is_fault(self) -> bool {
        matches!(
            self,
            Self::Time | Self::IllegalMove | Self::Crash | Self::Hang | Self::FalseClaim
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_the_number_and_the_share_must_be_reached() {
        let rule = Quarantine::default();
        for (faults, games, stops) in [
            (9, 9, false),
            (10, 10, true),
            (10, 39, true),
            // A quarter is not more than a quarter.
            (10, 40, false),
            (11, 40, true),
            (u32::MAX, u32::MAX, true),
        ] {
            assert_eq!(rule.stops(faults, games), stops, "{faults} of {games}");
        }
        let never = Quarantine {
            percent: 100,
            ..rule
        };
        assert!(!never.stops(1000, 1000));
    }
}
