//! What a batch needs and what a worker offers.

use std::collections::{BTreeMap, BTreeSet};

use super::Bindings;
use crate::model::{ArtifactEngine, Digest, EngineSource, Platform, Player};

/// What a worker must have to play a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Builds of the built-in engine.
    pub builds: BTreeSet<String>,
    /// Engines of its own configuration.
    pub commands: BTreeSet<CommandNeed>,
    /// Engine files, one of each of which it must be able to run; those for any platform are left out.
    pub files: BTreeSet<ArtifactEngine>,
}

/// An engine of the worker's own configuration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommandNeed {
    /// Its name.
    pub name: String,
    /// The engine version that it stands for.
    pub version: Digest,
    /// The executable that it must be; none = the one that the version is bound to, or any.
    pub sha256: Option<Digest>,
}

/// What a worker has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Build of its built-in engine.
    pub build: Option<String>,
    /// External engines it can start, each with the hash of its executable if that is known.
    pub commands: BTreeMap<String, Option<Digest>>,
    /// Its operating system and processor, if it says.
    pub platform: Option<Platform>,
}

/// What a worker lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// This build of the built-in engine.
    Build(String),
    /// This external engine.
    Command(String),
    /// This executable of an external engine.
    Executable {
        /// Its name.
        name: String,
        /// The executable that is needed.
        needed: Digest,
        /// The worker's; none = unknown.
        own: Option<Digest>,
    },
    /// An engine file for its platform; those that there are.
    Platform(Vec<Platform>),
}

/// Platforms for people.
pub fn list_of(platforms: &[Platform]) -> String {
    let texts: Vec<&str> = platforms.iter().map(Platform::as_str).collect();
    texts.join(" or ")
}

impl Needs {
    /// What a worker must have to start these players.
    pub fn of<'a>(players: impl IntoIterator<Item = &'a Player>) -> Self {
        let mut needs = Self::default();
        for player in players {
            match &player.source {
                EngineSource::Builtin { build, .. } => needs.builds.extend(build.clone()),
                EngineSource::Command { name, sha256 } => {
                    needs.commands.insert(CommandNeed {
                        name: name.clone(),
                        version: player.version,
                        sha256: *sha256,
                    });
                }
                EngineSource::Artifact(engine) if engine.runs_on(None) => {}
                EngineSource::Artifact(engine) => _ = needs.files.insert(engine.clone()),
                // Looked up before there was a player.
                EngineSource::Version(_) => {}
            }
        }
        needs
    }

    /// The first thing an offer lacks; none when it has all.
    pub fn lack(&self, offer: &Offer, bindings: &Bindings) -> Option<Lack> {
        let has_build = |build: &&String| offer.build.as_ref() == Some(*build);
        if let Some(build) = self.builds.iter().find(|build| !has_build(build)) {
            return Some(Lack::Build(build.clone()));
        }
        for need in &self.commands {
            let Some(&own) = offer.commands.get(&need.name) else {
                return Some(Lack::Command(need.name.clone()));
            };
            let needed = need.sha256.or_else(|| bindings.get(&need.version));
            if let Some(needed) = needed.filter(|needed| own != Some(*needed)) {
                return Some(Lack::Executable {
                    name: need.name.clone(),
                    needed,
                    own,
                });
            }
        }
        let runs = |engine: &&ArtifactEngine| engine.runs_on(offer.platform.as_ref());
        let other = self.files.iter().find(|engine| !runs(engine))?;
        Some(Lack::Platform(other.files.keys().cloned().collect()))
    }
}
