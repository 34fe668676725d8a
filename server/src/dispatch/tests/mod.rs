//! The state machines under random events.

mod executables;
mod leases;
mod random_events;
mod registry;

use std::{collections::BTreeSet, time::Duration};

use super::{Moment, Needs, Offer, needs::CommandNeed};
use crate::model::Digest;

fn at(ms: u64) -> Moment {
    Moment(Duration::from_millis(ms))
}

fn offer(build: &str, commands: &[&str]) -> Offer {
    let commands = commands.iter().map(|name| ((*name).to_owned(), None));
    Offer {
        build: Some(build.to_owned()),
        commands: commands.collect(),
        platform: None,
    }
}

fn needs(builds: &[&str], commands: &[&str]) -> Needs {
    Needs {
        builds: set(builds),
        commands: commands.iter().map(|name| command(name, None)).collect(),
        files: BTreeSet::new(),
    }
}

/// An engine of the workers' configurations, a version of its own for each name.
fn command(name: &str, sha256: Option<Digest>) -> CommandNeed {
    CommandNeed {
        name: name.to_owned(),
        version: Digest::of(name.as_bytes()),
        sha256,
    }
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
