//! [`Level`]: an instruction set that this machine has.

use std::sync::OnceLock;

/// The environment variable that pins a level.
const VARIABLE: &str = "BROUHAHA_SIMD";

/// An instruction set that this machine is known to have.
///
/// ```
/// use engine::simd::Level;
/// assert!(Level::available().contains(&Level::SCALAR));
/// assert_eq!(Level::SCALAR.name(), "scalar");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Set {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// A level that was asked for and cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LevelError {
    /// No level has this name.
    #[error("{VARIABLE}: unknown level `{0}`; use scalar, avx2 or avx512, or unset it")]
    Unknown(String),
    /// The machine lacks it.
    #[error("{VARIABLE}: this machine has no {0}; use {1}, or unset it")]
    Unavailable(String, &'static str),
}

impl Level {
    /// What every machine has.
    pub const SCALAR: Level = Level(Set::Scalar);

    /// The levels that this machine has, lowest first.
    #[must_use]
    pub fn available() -> Vec<Level> {
        let mut levels = vec![Level::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            let avx2 =
                has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("popcnt");
            if avx2 {
                levels.push(Level(Set::Avx2));
            }
            let avx512 = has!("avx512f")
                && has!("avx512bw")
                && has!("avx512cd")
                && has!("avx512dq")
                && has!("avx512vl")
                && has!("avx512vpopcntdq");
            if avx2 && avx512 {
                levels.push(Level(Set::Avx512));
            }
        }
        levels
    }

    /// The name by which the level is pinned.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "avx512",
        }
    }

    /// Whether it is AVX2, for tables of kernels.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_avx2(self) -> bool {
        self.0 == Set::Avx2
    }

    /// Whether it is AVX-512, for tables of kernels.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn is_avx512(self) -> bool {
        self.0 == Set::Avx512
    }
}

/// The level that `BROUHAHA_SIMD` pins, the highest that the machine has if it is not set.
///
/// # Errors
/// The variable names no level, or one that this machine lacks.
pub fn check() -> Result<Level, LevelError> {
    let pinned = std::env::var_os(VARIABLE).unwrap_or_default();
    choose(&pinned.to_string_lossy(), &Level::available())
}

fn choose(pinned: &str, available: &[Level]) -> Result<Level, LevelError> {
    let best = available.last().copied().unwrap_or(Level::SCALAR);
    match pinned {
        "" => Ok(best),
        "scalar" | "avx2" | "avx512" => available
            .iter()
            .copied()
            .find(|l| l.name() == pinned)
            .ok_or_else(|| LevelError::Unavailable(pinned.to_owned(), best.name())),
        _ => Err(LevelError::Unknown(pinned.to_owned())),
    }
}

/// The level in use: what [`check`] gave at the first call, the lowest if that was an error.
#[must_use]
pub fn level() -> Level {
    static CHOSEN: OnceLock<Level> = OnceLock::new();
    *CHOSEN.get_or_init(|| check().unwrap_or(Level::SCALAR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_pinned_by_name_or_refused() {
        let all = Level::available();
        assert_eq!(choose("", &all).ok(), all.last().copied());
        for &level in &all {
            assert_eq!(choose(level.name(), &all), Ok(level));
        }
        assert_eq!(
            choose("avx3", &all),
            Err(LevelError::Unknown("avx3".to_owned()))
        );
        assert_eq!(
            choose("avx512", &[Level::SCALAR]),
            Err(LevelError::Unavailable("avx512".to_owned(), "scalar"))
        );
    }
}
