//! One tournament as it was when a result was stored.

use std::sync::Arc;

use proto::store::CourseChanged;

use super::games::Stored;
use crate::{
    coordinator::{Coordinator, Error, definition::Definition, tournament::Tournament},
    model::{PlayingKey, TournamentId},
};

impl Coordinator {
    /// A tournament with some of its results, given in the order in which they were stored, and with what was drawn and
    /// changed before the last of them. Blocks; reads the tournament's changes from the index.
    pub(super) fn as_it_was(
        &self,
        id: TournamentId,
        results: &[Stored],
    ) -> Result<Tournament, Error> {
        let beginning = self.state().tournament(id)?.beginning.clone();
        let view = self.store.view();
        let (changes, voided) = (view.course(id)?, view.voided(id)?);
        replay(beginning, &changes, &voided, results)
    }
}

fn replay(
    beginning: Arc<Definition>,
    changes: &[(CourseChanged, u64)],
    voided: &[(PlayingKey, u64)],
    results: &[Stored],
) -> Result<Tournament, Error> {
    let until = results.last().map_or(0, |result| result.sequence);
    let mut tournament = Tournament::new(beginning, None, 0);
    for (change, sequence) in changes.iter().filter(|(_, sequence)| *sequence < until) {
        tournament
            .change(change, *sequence)
            .map_err(|problem| Error::Internal(format!("change {}: {problem}", change.number)))?;
    }
    // Which playing of a game counts is known only now.
    tournament.restore(voided, []);
    let known = results.iter().filter_map(|result| {
        let key = tournament.key(result.game)?;
        Some((key, result.score, result.sequence))
    });
    let known: Vec<_> = known.collect();
    tournament.restore(&[], known);
    Ok(tournament)
}
