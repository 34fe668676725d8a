//! Whether a worker plays engines of its own configuration with the executables that their versions are bound to.

use std::sync::Arc;

use proto::{
    store::{CommandBound, record::Change},
    v1::ReportRefusal,
};

use super::{Coordinator, Error, report::Verdict};
use crate::model::{EngineSource, Player, WorkerId};

impl Coordinator {
    /// Refuses a report of a worker whose executables are others, and stores those that its report binds.
    ///
    /// The lease has seen to it already, but one that was taken up again after a restart, or that outlived the binding it
    /// made.
    pub(super) async fn check_executables(
        self: &Arc<Self>,
        worker: WorkerId,
        players: impl IntoIterator<Item = &Player>,
    ) -> Result<(), Verdict> {
        let (pending, name) = {
            let mut state = self.state();
            let Some(registration) = state.registry.get(worker).map(|one| &one.registration) else {
                return Ok(());
            };
            let (name, mut bound) = (registration.name.clone(), Vec::new());
            for player in players {
                let EngineSource::Command { name, sha256 } = &player.source else {
                    continue;
                };
                let own = registration.offer.commands.get(name).copied().flatten();
                let needed = sha256.or_else(|| state.leases.bindings().get(&player.version));
                match (needed, own) {
                    (Some(needed), _) if own != Some(needed) => {
                        let own =
                            own.map_or_else(|| "one that cannot be read".into(), |own| own.short());
                        let message = format!(
                            "the engine `{name}` is bound to the executable {}, this worker has {own}: install the same file, or play the other one under another name",
                            needed.short()
                        );
                        let why = ReportRefusal::OtherExecutable;
                        return Err(Verdict::refused(why, message));
                    }
                    (None, Some(own)) => bound.push((player.version, own)),
                    _ => {}
                }
            }
            for (version, own) in bound {
                state.leases.bindings_mut().bind(version, own, worker);
            }
            (state.leases.bindings().pending(worker), name)
        };
        for (version, sha256) in pending {
            let bound = CommandBound {
                version: version.to_string(),
                sha256: sha256.to_string(),
                worker: name.clone(),
            };
            self.commit(Change::CommandBound(bound))
                .await
                .map_err(Error::from)?;
        }
        Ok(())
    }
}
