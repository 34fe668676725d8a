//! Stop engines whose own faults are too many: withdrawn where the others can go on without them, else the tournament pauses.

use std::sync::Arc;

use proto::{
    store::{EngineQuarantined, record::Change},
    v1,
};

use super::{Coordinator, Error, State};
use crate::{
    model::{TournamentId, TournamentState},
    telemetry::unix_ms,
};

/// An engine that is to be stopped.
struct Due {
    id: TournamentId,
    name: String,
    engine: v1::QuarantinedEngine,
}

impl State {
    /// The next engine that is to be stopped.
    fn next_quarantine(&mut self) -> Option<Due> {
        self.tournaments.iter_mut().find_map(|(&id, tournament)| {
            if tournament.state() != TournamentState::Running {
                return None;
            }
            let definition = tournament.definition.clone();
            let rule = definition.spec.quarantine.unwrap_or_default();
            let (player, count) = tournament.faults.due(rule)?;
            let may_leave = definition.director.refuses_withdrawal().is_none()
                && tournament.goes_on_without(player);
            Some(Due {
                id,
                name: definition.players.get(player)?.name.clone(),
                engine: v1::QuarantinedEngine {
                    player: u32::try_from(player).ok()?,
                    faults: count.faults,
                    games: count.games,
                    withdrawn: may_leave,
                },
            })
        })
    }
}

impl Coordinator {
    /// Stops the engines that are due.
    pub(super) async fn quarantine(self: &Arc<Self>) -> Result<(), Error> {
        loop {
            let due = self.state().next_quarantine();
            let Some(Due { id, name, engine }) = due else {
                return Ok(());
            };
            tracing::warn!(%id, name, faults = engine.faults, games = engine.games, withdrawn = engine.withdrawn, "an engine is stopped by its own faults");
            let change = EngineQuarantined {
                id: id.0,
                engine: Some(engine),
                unix_ms: unix_ms(),
            };
            self.commit(Change::EngineQuarantined(change)).await?;
            let stopped = if engine.withdrawn {
                self.withdraw_engine(id, &name).await
            } else {
                self.pause_tournament(id).await
            };
            match stopped {
                // It has come to its end, or somebody else has stopped it.
                Ok(_) | Err(Error::Precondition(_)) => {}
                Err(error) => return Err(error),
            }
        }
    }
}
