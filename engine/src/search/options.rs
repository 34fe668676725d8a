//! [`EngineOptions`]: what a user may set of an engine, by UCI option names.

use std::collections::BTreeMap;

/// How the value of an option is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A whole number in a range.
    Spin {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// `true` or `false`.
    Check,
}

/// An option: name, kind and what it does.
#[derive(Clone, Copy, Debug)]
pub struct OptionInfo {
    /// Its name in UCI, tournament files and [`EngineOptions::from_map`]; case does not matter.
    pub name: &'static str,
    /// How its value is written.
    pub kind: OptionKind,
    /// What it does, in a sentence.
    pub about: &'static str,
}

/// An option that cannot be set.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum OptionError {
    /// No option has the name.
    #[error("unknown engine option `{name}`; known are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The value does not fit.
    #[error("engine option `{name}` cannot be `{value}`; it is {wanted}")]
    Value {
        /// The option.
        name: String,
        /// The value.
        value: String,
        /// What would fit.
        wanted: String,
    },
    /// The table is larger than the memory that is left.
    #[error(
        "a transposition table of {mib} MiB does not fit into the {available} MiB of memory that are free; set `Hash` lower"
    )]
    Memory {
        /// The size wanted.
        mib: usize,
        /// The memory there is.
        available: u64,
    },
}

/// Settings of an [`Engine`](super::Engine).
///
/// ```
/// use engine::search::EngineOptions;
/// let mut options = EngineOptions::default();
/// options.set("hash", "64").unwrap();
/// assert_eq!(options.hash_mib, 64);
/// assert!(options.set("Hash", "-1").unwrap_err().to_string().contains("1 to"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineOptions {
    /// Size of the transposition table in MiB.
    pub hash_mib: usize,
    /// Threads of one search. With more than one a search is not deterministic.
    pub threads: usize,
    /// Principal variations to search and report.
    pub multi_pv: usize,
    /// Centipawns by which a draw is worse for the engine than an even position.
    pub contempt: i32,
    /// Weight of mobility in the evaluation, in percent.
    pub mobility: i32,
    /// Weight of the kings' safety in the evaluation, in percent.
    pub king_safety: i32,
    /// Whether null moves prune.
    pub null_move: bool,
    /// Whether late moves are searched less deeply.
    pub reductions: bool,
}

impl Default for EngineOptions {
    fn default() -> Self {
        EngineOptions {
            hash_mib: 16,
            threads: 1,
            multi_pv: 1,
            contempt: 0,
            mobility: 100,
            king_safety: 100,
            null_move: true,
            reductions: true,
        }
    }
}

impl EngineOptions {
    /// All options.
    pub const ALL: [OptionInfo; 8] = [
        OptionInfo {
            name: "Hash",
            kind: OptionKind::Spin {
                min: 1,
                max: 1 << 20,
            },
            about: "size of the transposition table in MiB",
        },
        OptionInfo {
            name: "Threads",
            kind: OptionKind::Spin { min: 1, max: 256 },
            about: "threads of one search",
        },
        OptionInfo {
            name: "MultiPV",
            kind: OptionKind::Spin { min: 1, max: 256 },
            about: "principal variations to search",
        },
        OptionInfo {
            name: "Contempt",
            kind: OptionKind::Spin {
                min: -100,
                max: 100,
            },
            about: "centipawns by which a draw is worse than an even position",
        },
        OptionInfo {
            name: "Mobility",
            kind: OptionKind::Spin { min: 0, max: 400 },
            about: "weight of mobility in the evaluation, in percent",
        },
        OptionInfo {
            name: "KingSafety",
            kind: OptionKind::Spin { min: 0, max: 400 },
            about: "weight of the kings' safety in the evaluation, in percent",
        },
        OptionInfo {
            name: "NullMove",
            kind: OptionKind::Check,
            about: "null-move pruning",
        },
        OptionInfo {
            name: "Reductions",
            kind: OptionKind::Check,
            about: "late-move reductions",
        },
    ];

    /// Options from names and values, the others as by default.
    ///
    /// # Errors
    /// A name is unknown or a value does not fit.
    pub fn from_map(map: &BTreeMap<String, String>) -> Result<EngineOptions, OptionError> {
        let mut options = EngineOptions::default();
        for (name, value) in map {
            options.set(name, value)?;
        }
        Ok(options)
    }

    /// Sets an option.
    ///
    /// # Errors
    /// The name is unknown or the value does not fit; nothing is changed.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        let Some(info) = Self::ALL.iter().find(|o| o.name.eq_ignore_ascii_case(name)) else {
            #[cfg(feature = "tunable")]
            if let Ok(value) = value.trim().parse()
                && super::params::set(name, value)
            {
                return Ok(());
            }
            let known: Vec<&str> = Self::ALL.iter().map(|o| o.name).collect();
            return Err(OptionError::Unknown {
                name: shown(name),
                known: known.join(", "),
            });
        };
        let number = info.parse(value)?;
        match info.name {
            "Hash" => self.hash_mib = number as usize,
            "Threads" => self.threads = number as usize,
            "MultiPV" => self.multi_pv = number as usize,
            "Contempt" => self.contempt = number as i32,
            "Mobility" => self.mobility = number as i32,
            "KingSafety" => self.king_safety = number as i32,
            "NullMove" => self.null_move = number != 0,
            _ => self.reductions = number != 0,
        }
        Ok(())
    }

    /// Whether there is memory for the transposition table now, where the system tells. An [`Engine`](super::Engine)
    /// for which there is too little has a smaller one.
    ///
    /// # Errors
    /// There is not.
    pub fn check_memory(&self) -> Result<(), OptionError> {
        let mib = self.hash_mib;
        match super::memory::available_mib() {
            Some(available) if mib as u64 > available => {
                Err(OptionError::Memory { mib, available })
            }
            _ => Ok(()),
        }
    }

    /// The value of an option, as text.
    #[must_use]
    pub fn get(&self, info: &OptionInfo) -> String {
        match info.name {
            "Hash" => self.hash_mib.to_string(),
            "Threads" => self.threads.to_string(),
            "MultiPV" => self.multi_pv.to_string(),
            "Contempt" => self.contempt.to_string(),
            "Mobility" => self.mobility.to_string(),
            "KingSafety" => self.king_safety.to_string(),
            "NullMove" => self.null_move.to_string(),
            _ => self.reductions.to_string(),
        }
    }
}

impl OptionInfo {
    /// The value as a number; `true` is 1.
    fn parse(&self, value: &str) -> Result<i64, OptionError> {
        let (parsed, wanted) = match self.kind {
            OptionKind::Spin { min, max } => (
                value
                    .trim()
                    .parse()
                    .ok()
                    .filter(|n| (min..=max).contains(n)),
                format!("a whole number from {min} to {max}"),
            ),
            OptionKind::Check => {
                let parsed = match value.trim() {
                    v if v.eq_ignore_ascii_case("true") => Some(1),
                    v if v.eq_ignore_ascii_case("false") => Some(0),
                    _ => None,
                };
                (parsed, "`true` or `false`".to_owned())
            }
        };
        parsed.ok_or_else(|| OptionError::Value {
            name: self.name.to_owned(),
            value: shown(value),
            wanted,
        })
    }
}

fn shown(text: &str) -> String {
    text.chars().take(80).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_can_be_set_and_read_back() {
        for info in &EngineOptions::ALL {
            let mut options = EngineOptions::default();
            let value = match info.kind {
                OptionKind::Spin { min, .. } => min.to_string(),
                OptionKind::Check => "false".to_owned(),
            };
            options.set(info.name, &value).unwrap();
            assert_eq!(options.get(info), value, "{}", info.name);
        }
    }

    #[test]
    fn errors_name_the_option_and_what_fits() {
        let map = |k: &str, v: &str| BTreeMap::from([(k.to_owned(), v.to_owned())]);
        let error = |k, v| EngineOptions::from_map(&map(k, v)).unwrap_err().to_string();
        assert!(error("Hsah", "1").starts_with("unknown engine option `Hsah`; known are Hash, "));
        assert_eq!(
            error("Hash", "0"),
            "engine option `Hash` cannot be `0`; it is a whole number from 1 to 1048576"
        );
        assert!(error("NullMove", "maybe").ends_with("it is `true` or `false`"));
        assert_eq!(
            EngineOptions::from_map(&BTreeMap::new()),
            Ok(EngineOptions::default())
        );
    }
}
