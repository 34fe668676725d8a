//! What a batch needs and what a worker offers.

use std::collections::BTreeSet;

/// What a worker must have to play a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    /// Builds of the built-in engine.
    pub builds: BTreeSet<String>,
    /// Names of external engines.
    pub commands: BTreeSet<String>,
}

/// What a worker has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Build of its built-in engine.
    pub build: Option<String>,
    /// Names of external engines it can start.
    pub commands: BTreeSet<String>,
}

/// What a worker lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lack {
    /// This build of the built-in engine.
    Build(String),
    /// This external engine.
    Command(String),
}

impl Needs {
    /// The first thing an offer lacks; none when it has all.
    pub fn lack(&self, offer: &Offer) -> Option<Lack> {
        if let Some(build) = self
            .builds
            .iter()
            .find(|build| offer.build.as_ref() != Some(*build))
        {
            return Some(Lack::Build(build.clone()));
        }
        let missing = self
            .commands
            .iter()
            .find(|command| !offer.commands.contains(*command));
        missing.map(|command| Lack::Command(command.clone()))
    }
}
