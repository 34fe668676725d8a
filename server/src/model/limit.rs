//! How long a player may think.

use std::{fmt, num::NonZeroU64};

/// How long a player may think: exactly one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Limit {
    /// Nodes searched a move.
    Nodes(NonZeroU64),
    /// Search depth a move in plies, at least 1.
    Depth(u8),
    /// Wall-clock time a move in milliseconds, at least 1.
    MoveTime(u32),
    /// A clock for the whole game.
    Clock(Clock),
}

/// A clock for the whole game with an increment after each own move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clock {
    /// Time at the start in milliseconds, at least 1.
    pub base_ms: u64,
    /// Time added after each own move in milliseconds.
    pub increment_ms: u64,
}

impl Limit {
    /// Whether a built-in engine plays the same moves again under this limit.
    pub fn is_deterministic(&self) -> bool {
        matches!(self, Self::Nodes(_) | Self::Depth(_))
    }
}

/// The limit as the name of a rating pool's class: `nodes=20000`, `depth=8`, `movetime=100ms`, `clock=10+0.1`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes(nodes) => write!(f, "nodes={nodes}"),
            Self::Depth(depth) => write!(f, "depth={depth}"),
            Self::MoveTime(ms) => write!(f, "movetime={ms}ms"),
            Self::Clock(clock) => write!(f, "clock={clock}"),
        }
    }
}

/// Seconds as in `10+0.1`.
impl fmt::Display for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        seconds(f, self.base_ms)?;
        f.write_str("+")?;
        seconds(f, self.increment_ms)
    }
}

fn seconds(f: &mut fmt::Formatter<'_>, ms: u64) -> fmt::Result {
    write!(f, "{}", ms / 1000)?;
    if !ms.is_multiple_of(1000) {
        let decimals = format!("{:03}", ms % 1000);
        write!(f, ".{}", decimals.trim_end_matches('0'))?;
    }
    Ok(())
}

/// A text that is no clock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a clock: seconds are expected, as in \"10+0.1\" (base+increment), with at most 3 decimals"
)]
pub struct ClockError(String);

impl std::str::FromStr for Clock {
    type Err = ClockError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ClockError(text.chars().take(40).collect());
        let (base, increment) = text.split_once('+').unwrap_or((text, "0"));
        let base_ms = parse_seconds(base).ok_or_else(error)?;
        let increment_ms = parse_seconds(increment).ok_or_else(error)?;
        if base_ms == 0 {
            return Err(error());
        }
        Ok(Self {
            base_ms,
            increment_ms,
        })
    }
}

/// Milliseconds of a decimal number of seconds; at most a million seconds.
fn parse_seconds(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let all_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(decimals) || whole.len() > 7 || decimals.len() > 3 {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let decimals: u64 = format!("{decimals:0<3}").parse().ok()?;
    (whole <= 1_000_000).then_some(whole * 1000 + decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_read_and_printed_in_seconds() {
        for (text, base_ms, increment_ms, printed) in [
            ("10+0.1", 10_000, 100, "10+0.1"),
            ("0.05", 50, 0, "0.05+0"),
            ("60+0", 60_000, 0, "60+0"),
            ("1.125+0.010", 1_125, 10, "1.125+0.01"),
        ] {
            let clock: Clock = text.parse().unwrap();
            assert_eq!(
                clock,
                Clock {
                    base_ms,
                    increment_ms
                }
            );
            assert_eq!(clock.to_string(), printed);
            assert_eq!(printed.parse(), Ok(clock));
        }
        for bad in [
            "", "+1", "0+1", "10+", "10++1", "1.0001", "-1", "1e3", "10+x", "99999999", "0:10",
        ] {
            assert!(bad.parse::<Clock>().is_err(), "{bad}");
        }
    }

    #[test]
    fn only_nodes_and_depth_are_deterministic() {
        let clock = Clock {
            base_ms: 1,
            increment_ms: 0,
        };
        assert!(Limit::Nodes(NonZeroU64::MIN).is_deterministic());
        assert!(Limit::Depth(3).is_deterministic());
        assert!(!Limit::MoveTime(5).is_deterministic());
        assert!(!Limit::Clock(clock).is_deterministic());
    }
}
