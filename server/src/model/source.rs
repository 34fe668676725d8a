//! Where an engine comes from.

use std::{collections::BTreeMap, fmt, str::FromStr};

use super::Digest;

/// Where an engine comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EngineSource {
    /// The engine built into the worker, of this build; none in a specification = the coordinator's own build.
    Builtin {
        /// Identity of the build.
        build: Option<String>,
        /// Text of an evaluation file; none = the weights that the build has for the variant.
        evaluation: Option<String>,
    },
    /// An engine that the worker's own configuration knows by this name.
    Command {
        /// Its name there.
        name: String,
        /// The executable that it must be; none = that of the first worker that plays for such a version.
        sha256: Option<Digest>,
    },
    /// Engine files kept by the coordinator.
    Artifact(ArtifactEngine),
    /// A version that the coordinator knows, by its name or the beginning of its hash. In requests only.
    Version(String),
}

/// Engine files kept by the coordinator, and what they speak.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactEngine {
    /// What the engine speaks.
    pub protocol: EngineProtocol,
    /// The files, at least one: by platform, or one for any.
    pub files: BTreeMap<Platform, Digest>,
}

/// What an external engine speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EngineProtocol {
    /// The Universal Chess Interface.
    #[default]
    Uci,
    /// The Chess Engine Communication Protocol, version 2.
    Xboard,
}

/// An operating system and a processor, e.g. `linux-x86_64`, or any.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Platform(String);

/// A text is no platform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{}` is no platform: write system and processor, e.g. linux-x86_64, windows-x86_64, macos-aarch64",
    .0.escape_debug()
)]
pub struct BadPlatform(String);

impl Platform {
    /// Most bytes of a platform's name.
    const LONGEST: usize = 64;

    /// Every platform.
    pub fn any() -> Self {
        Self::default()
    }

    /// Whether it stands for every platform.
    pub fn is_any(&self) -> bool {
        self.0.is_empty()
    }

    /// Its text; empty for any.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_any() { "any" } else { &self.0 })
    }
}

impl FromStr for Platform {
    type Err = BadPlatform;

    fn from_str(text: &str) -> Result<Self, BadPlatform> {
        let is_word = |word: &str| {
            !word.is_empty()
                && word.bytes().all(|byte| {
                    byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte)
                })
        };
        let words = text.split_once('-');
        match words {
            Some((system, processor))
                if text.len() <= Self::LONGEST && is_word(system) && is_word(processor) =>
            {
                Ok(Self(text.to_owned()))
            }
            _ => Err(BadPlatform(text.chars().take(Self::LONGEST).collect())),
        }
    }
}

impl ArtifactEngine {
    /// One UCI engine file for every platform.
    pub fn single(file: Digest) -> Self {
        Self {
            protocol: EngineProtocol::Uci,
            files: BTreeMap::from([(Platform::any(), file)]),
        }
    }

    /// The file, if it is one UCI engine for every platform: what there was before there were others.
    pub fn as_single(&self) -> Option<Digest> {
        let file = self.for_any().filter(|_| self.files.len() == 1)?;
        (self.protocol == EngineProtocol::Uci).then_some(file)
    }

    /// The file for every platform.
    fn for_any(&self) -> Option<Digest> {
        self.files.get(&Platform::any()).copied()
    }

    /// Whether a worker of this platform can run it; none = it did not say.
    pub fn runs_on(&self, platform: Option<&Platform>) -> bool {
        self.for_any().is_some()
            || platform.is_some_and(|platform| self.files.contains_key(platform))
    }

    /// What is wrong with the files, if anything is.
    pub fn problem(&self) -> Option<&'static str> {
        match (self.files.len(), self.for_any()) {
            (0, _) => Some("has no file: upload one and name it"),
            (1, _) | (_, None) => None,
            (_, Some(_)) => {
                Some("has a file for any platform beside others: name the platform of each")
            }
        }
    }
}

impl EngineSource {
    /// The built-in engine of the coordinator's own build.
    pub fn own_builtin() -> Self {
        Self::Builtin {
            build: None,
            evaluation: None,
        }
    }

    /// An engine of the workers' own configurations, with whatever executable the first of them has.
    pub fn command(name: impl Into<String>) -> Self {
        Self::Command {
            name: name.into(),
            sha256: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_system_and_processor() {
        for good in ["linux-x86_64", "windows-x86_64", "macos-aarch64"] {
            let platform: Platform = good.parse().unwrap();
            assert_eq!(platform.as_str(), good);
        }
        let long = format!("linux-{}", "x".repeat(80));
        for bad in [
            "",
            "any",
            "linux",
            "Linux-x86",
            "linux-",
            "-x",
            "a-b-c",
            "a b-c",
            &long,
        ] {
            assert!(bad.parse::<Platform>().is_err(), "{bad}");
        }
    }

    #[test]
    fn files_are_for_platforms_or_for_any() {
        let file = |byte| Digest([byte; 32]);
        let linux: Platform = "linux-x86_64".parse().unwrap();
        let macos: Platform = "macos-aarch64".parse().unwrap();
        let single = ArtifactEngine::single(file(1));
        assert_eq!(single.as_single(), Some(file(1)));
        assert!(single.runs_on(None) && single.runs_on(Some(&linux)));
        let mut two = ArtifactEngine {
            protocol: EngineProtocol::Uci,
            files: BTreeMap::from([(linux.clone(), file(1)), (macos.clone(), file(2))]),
        };
        assert!(two.runs_on(Some(&macos)) && !two.runs_on(None));
        assert!(!two.runs_on(Some(&"linux-aarch64".parse().unwrap())));
        assert_eq!((two.problem(), two.as_single()), (None, None));
        two.files.insert(Platform::any(), file(3));
        assert!(two.problem().unwrap().contains("any platform"));
        two.files.clear();
        assert!(two.problem().unwrap().contains("no file"));
        let xboard = ArtifactEngine {
            protocol: EngineProtocol::Xboard,
            ..single
        };
        assert_eq!(xboard.as_single(), None);
    }
}
