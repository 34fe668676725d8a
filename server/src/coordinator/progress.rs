//! A game goes on: prolongs the lease, and those who watch see it.

use proto::v1::{self, coordinator_message::Message, tournament_event::Event};

use super::{Coordinator, enlist::attempt_of, lease};
use crate::model::{JobId, WorkerId};

/// Most moves of one progress message.
const MAX_MOVES: usize = 4000;

impl Coordinator {
    /// Takes in the progress of a game. A worker whose lease is gone is told so.
    pub fn progress(&self, worker: WorkerId, progress: v1::Progress) {
        let now = self.now();
        let Some(lease) = progress.lease else {
            return;
        };
        let mut state = self.state();
        if !state.leases.progress(worker, attempt_of(Some(&lease)), now) {
            let reason = v1::CancelReason::LeaseLost.into();
            state.send(
                worker,
                Message::Cancel(v1::Cancel {
                    lease: Some(lease),
                    reason,
                }),
            );
            return;
        }
        if let JobId::Tournament(id) = lease::job_of(&lease)
            && let Some(tournament) = state.tournaments.get(&id)
            && progress.moves.len() <= MAX_MOVES
        {
            let v1::Progress {
                game,
                from_ply,
                moves,
                score_cp,
                white_ms,
                black_ms,
                ..
            } = progress;
            let progress = v1::GameProgress {
                game,
                from_ply,
                moves,
                score_cp,
                white_ms,
                black_ms,
            };
            tournament.events.pass(Event::Progress(progress));
        }
    }
}
