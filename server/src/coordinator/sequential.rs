//! The sequential test of a tournament: it takes complete batches in order of index.

use super::tournament::Tournament;
use crate::{
    model::{BatchIndex, GameIndex, TournamentSpec},
    ratings::{
        Outcome, PairTable,
        sprt::{Overshoot, SprtStatus, SprtTest, Verdict},
    },
};

/// A sequential test and how many batches it has taken.
pub(super) struct Sequential {
    pub(super) test: SprtTest,
    pub(super) batches: u32,
    pub(super) status: SprtStatus,
    /// The pairs counted, seen by the candidate.
    pub(super) counted: PairTable,
}

impl Tournament {
    /// Gives the sequential test the complete batches that follow those it has, in order of index.
    ///
    /// From the first batch on that holds a game played again the correction for overshoot is off: an earlier walk may
    /// have gone through the result that was taken away.
    pub(super) fn advance_sprt(&mut self) {
        let Some(mut sprt) = self.sprt.take() else {
            return;
        };
        while sprt.status.verdict == Verdict::Continue && self.is_complete(BatchIndex(sprt.batches))
        {
            let games = self.definition.games_of(BatchIndex(sprt.batches));
            if games
                .clone()
                .any(|game| self.was_played_again(GameIndex(game)))
            {
                sprt.test.drop_correction();
            }
            let pairs: Vec<[Outcome; 2]> = games
                .step_by(2)
                .filter_map(|game| self.candidate_pair(game))
                .collect();
            let cells: Vec<usize> = pairs
                .iter()
                .map(|[moved_first, base]| moved_first.cell() + 4 - base.cell())
                .collect();
            match sprt.test.add_batch(&cells) {
                Ok(status) => {
                    sprt.status = status;
                    for [moved_first, base] in pairs {
                        sprt.counted.add_pair(moved_first, base);
                    }
                }
                Err(error) => {
                    tracing::error!(%error, tournament = %self.definition.id, "the sequential test stopped");
                    break;
                }
            }
            sprt.batches += 1;
        }
        self.sprt = Some(sprt);
    }

    /// The pair that begins with this game: the outcome of the second engine, the candidate, where it moved first, and
    /// of the first engine, the base, where that did.
    fn candidate_pair(&self, game: u32) -> Option<[Outcome; 2]> {
        let outcome = |game| Outcome::from_quarters(self.score(GameIndex(game))?.first_quarters);
        let (one, other) = (outcome(game)?, outcome(game + 1)?);
        let [first, _] = self.definition.movers(GameIndex(game))?;
        Some(if first == 1 {
            [one, other]
        } else {
            [other, one]
        })
    }
}

/// The test that a specification asks for, without results.
pub(super) fn sequential(spec: &TournamentSpec) -> Option<Sequential> {
    let sprt = spec.sprt?;
    // Tournaments that do not say were made when the correction was always on.
    let corrected = sprt.overshoot_correction.unwrap_or(true);
    // Its bounds were checked with the specification.
    let test = SprtTest::new(sprt.question().ok()?, corrected.then(Overshoot::default));
    let status = test.status();
    Some(Sequential {
        test,
        batches: 0,
        status,
        counted: PairTable::default(),
    })
}
