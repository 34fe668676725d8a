//! The state machines under random events.

mod leases;
mod random_events;
mod registry;

use std::{collections::BTreeSet, time::Duration};

use super::{Moment, Needs, Offer};

fn at(ms: u64) -> Moment {
    Moment(Duration::from_millis(ms))
}

fn offer(build: &str, commands: &[&str]) -> Offer {
    Offer {
        build: Some(build.to_owned()),
        commands: set(commands),
    }
}

fn needs(builds: &[&str], commands: &[&str]) -> Needs {
    Needs {
        builds: set(builds),
        commands: set(commands),
    }
}

fn set(texts: &[&str]) -> BTreeSet<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
