//! Which executable an engine of the workers' own configurations is: that of the first worker that plays for such a version.

use std::collections::HashMap;

use crate::model::{Digest, WorkerId};

/// Executables by engine version.
#[derive(Debug, Default)]
pub struct Bindings(HashMap<Digest, Binding>);

#[derive(Debug)]
struct Binding {
    sha256: Digest,
    /// The worker whose lease made it; none once it is stored.
    pending: Option<WorkerId>,
}

impl Bindings {
    /// The executable of a version, as its SHA-256.
    pub fn get(&self, version: &Digest) -> Option<Digest> {
        Some(self.0.get(version)?.sha256)
    }

    /// Takes in a binding that is stored.
    pub fn set(&mut self, version: Digest, sha256: Digest) {
        let pending = None;
        self.0.insert(version, Binding { sha256, pending });
    }

    /// Binds a version that is not bound yet, until the worker gives up or its first game is stored.
    pub fn bind(&mut self, version: Digest, sha256: Digest, worker: WorkerId) {
        let pending = Some(worker);
        (self.0.entry(version)).or_insert(Binding { sha256, pending });
    }

    /// Bindings of a worker that are not stored yet: version and executable.
    pub fn pending(&self, worker: WorkerId) -> Vec<(Digest, Digest)> {
        let mine = |(version, binding): (&Digest, &Binding)| {
            (binding.pending == Some(worker)).then_some((*version, binding.sha256))
        };
        self.0.iter().filter_map(mine).collect()
    }

    /// Undoes the bindings of a worker that are not stored yet: it has nothing to show for them.
    pub fn give_up(&mut self, worker: WorkerId) {
        self.0.retain(|_, binding| binding.pending != Some(worker));
    }
}
