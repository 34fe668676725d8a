//! Pause, resume, cancel a tournament; void a game.

use std::sync::Arc;

use proto::{
    store::{GameVoided, TournamentStateChanged, record::Change},
    v1,
};

use super::{Coordinator, Error};
use crate::model::{GameIndex, TournamentId, TournamentState, wire};

/// Most bytes of the reason for voiding a game.
const MAX_REASON: usize = 1024;

impl Coordinator {
    /// Leases no more batches of a tournament.
    pub async fn pause_tournament(
        self: &Arc<Self>,
        id: TournamentId,
    ) -> Result<v1::Tournament, Error> {
        self.steer(id, TournamentState::Paused).await
    }

    /// Goes on after a pause, and tries parked batches again.
    pub async fn resume_tournament(
        self: &Arc<Self>,
        id: TournamentId,
    ) -> Result<v1::Tournament, Error> {
        self.steer(id, TournamentState::Running).await
    }

    /// Ends a tournament for good; its games stay.
    pub async fn cancel_tournament(
        self: &Arc<Self>,
        id: TournamentId,
    ) -> Result<v1::Tournament, Error> {
        self.steer(id, TournamentState::Cancelled).await
    }

    async fn steer(
        self: &Arc<Self>,
        id: TournamentId,
        wished: TournamentState,
    ) -> Result<v1::Tournament, Error> {
        {
            let state = self.state();
            let tournament = state.tournament(id)?;
            let now = tournament.state();
            let resumes_parked =
                wished == TournamentState::Running && !tournament.parked.is_empty();
            if now == wished && !resumes_parked {
                return Ok(state.describe(tournament));
            }
            if now.is_over() {
                let what = if now == TournamentState::Finished {
                    "finished"
                } else {
                    "cancelled"
                };
                return Err(Error::Precondition(format!("tournament {id} is {what}")));
            }
        }
        let changed = TournamentStateChanged {
            id: id.0,
            state: wire::state_to_wire(wished).into(),
        };
        self.commit(Change::TournamentStateChanged(changed)).await?;
        self.shared.wake.notify_one();
        self.tournament(id)
    }

    /// Makes the openings of a tournament ready, which one that was over at the start does not have.
    async fn find_openings(self: &Arc<Self>, id: TournamentId) -> Result<(), Error> {
        let definition = {
            let state = self.state();
            let tournament = state.tournament(id)?;
            if tournament.book.is_some() {
                return Ok(());
            }
            tournament.definition.clone()
        };
        let book = self
            .query(move |this| {
                let variant = this.variant(&definition.variant_hash)?;
                this.book(&variant, &definition.spec)
            })
            .await?;
        if let Some(tournament) = self.state().tournaments.get_mut(&id) {
            tournament.book = Some(Arc::new(book));
        }
        Ok(())
    }

    /// Takes a game's result away, so that it is played again in its next generation. The old result stays on disk.
    pub async fn void_game(
        self: &Arc<Self>,
        id: TournamentId,
        game: GameIndex,
        reason: String,
    ) -> Result<v1::Tournament, Error> {
        if reason.trim().is_empty() || reason.len() > MAX_REASON {
            return Err(Error::Invalid(format!(
                "reason: must have 1 to {MAX_REASON} bytes"
            )));
        }
        let key = {
            let state = self.state();
            let tournament = state.tournament(id)?;
            if tournament.wished == TournamentState::Cancelled {
                return Err(Error::Precondition(format!("tournament {id} is cancelled")));
            }
            if tournament.tuning.is_some() {
                // Theirs would be other games than those that the parameters ask for once the result is another.
                return Err(Error::Precondition(format!(
                    "tournament {id} is a tuning, whose later games rest on this one: cancel it and make it anew instead"
                )));
            }
            if tournament.score(game).is_none() {
                return Err(Error::NotFound(format!(
                    "a result of game {game} of tournament {id}"
                )));
            }
            tournament
                .key(game)
                .ok_or_else(|| Error::NotFound(format!("game {game} of tournament {id}")))?
        };
        self.find_openings(id).await?;
        self.commit(Change::GameVoided(GameVoided {
            key: Some(key.into()),
            reason,
        }))
        .await?;
        self.shared.wake.notify_one();
        self.tournament(id)
    }
}
