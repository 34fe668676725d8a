//! How the sequential test of a tournament stands, and what it says of the difference.

use std::sync::Arc;

use proto::v1;

use super::{head_to_head::head_to_head, question::checked_level};
use crate::{
    coordinator::{Coordinator, Error},
    model::TournamentId,
    ratings::{
        CellSet, Histogram,
        sprt::{EloUnit, LlrMethod, Verdict, sequential_estimate},
    },
};

impl Coordinator {
    /// The sequential test of a tournament.
    pub async fn sprt(
        self: &Arc<Self>,
        request: v1::SprtRequest,
    ) -> Result<v1::SprtResponse, Error> {
        let level = checked_level(request.confidence)?;
        self.query(move |this| this.sequential_test(TournamentId(request.tournament_id), level))
            .await
    }

    fn sequential_test(&self, id: TournamentId, level: f64) -> Result<v1::SprtResponse, Error> {
        let (definition, test) = {
            let state = self.state();
            let tournament = state.tournament(id)?;
            let test = tournament.sprt().zip(tournament.sprt_spec());
            (tournament.definition.clone(), test)
        };
        let ((status, counted), spec) = test.ok_or_else(|| {
            Error::Precondition(format!(
                "tournament {id} has no sequential test; make one with a `[sprt]` table"
            ))
        })?;
        let name = |index: usize| {
            let player = definition.players.get(index);
            player.map_or_else(String::new, |player| player.name.clone())
        };
        let histogram = Histogram::new(CellSet::FivePairs, &counted.pair_histogram())
            .map_err(|error| Error::Internal(error.to_string()))?;
        let counted = head_to_head(&counted, level);
        let estimate = sequential_estimate(&spec, &histogram, level)
            .filter(|_| spread_is_known(counted.note()));
        let state = state_to_wire(status.verdict);
        let ([elo0, elo1], [alpha, beta]) = (spec.elo(), spec.errors());
        Ok(v1::SprtResponse {
            base: name(0),
            candidate: name(1),
            elo0,
            elo1,
            logistic: spec.unit() == EloUnit::Logistic,
            alpha,
            beta,
            llr: status.llr.value,
            lower: status.lower,
            upper: status.upper,
            pairs: status.observations,
            state: state.into(),
            counted: Some(counted),
            elo: estimate.and_then(|estimate| estimate.elo),
            elo_low: estimate.and_then(|estimate| estimate.lower),
            elo_high: estimate.and_then(|estimate| estimate.upper),
            los: estimate.map(|estimate| estimate.los),
            confidence: level,
            closed_form: status.llr.method == LlrMethod::ClosedForm,
            overshoot_corrected: status.corrected,
        })
    }
}

/// The message of a verdict.
pub(super) fn state_to_wire(verdict: Verdict) -> v1::SprtState {
    match verdict {
        Verdict::Continue => v1::SprtState::Continue,
        Verdict::Accepted => v1::SprtState::Accepted,
        Verdict::Rejected => v1::SprtState::Rejected,
    }
}

/// Whether an estimate may rest on the spread of the pairs.
fn spread_is_known(note: v1::MatchNote) -> bool {
    !matches!(note, v1::MatchNote::AllAlike | v1::MatchNote::Perfect)
}
