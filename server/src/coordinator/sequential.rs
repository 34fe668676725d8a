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

/// The results of a batch as a sequential test counts them.
pub(super) struct CountedBatch {
    /// Whether a game of it was played again, because its result was taken away.
    pub(super) was_played_again: bool,
    /// The outcome of the candidate where it moved first, and of the base where that did.
    pub(super) pairs: Vec<[Outcome; 2]>,
}

impl CountedBatch {
    /// The cells of the pairs, by the candidate's points.
    pub(super) fn cells(&self) -> Vec<usize> {
        let pairs = self.pairs.iter();
        pairs
            .map(|[moved_first, base]| moved_first.cell() + 4 - base.cell())
            .collect()
    }
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
            let batch = self.counted_batch(BatchIndex(sprt.batches));
            if batch.was_played_again {
                sprt.test.drop_correction();
            }
            match sprt.test.add_batch(&batch.cells()) {
                Ok(status) => {
                    sprt.status = status;
                    for [moved_first, base] in batch.pairs {
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

    /// The batches that the sequential test has counted, in order of index; none without a test.
    pub(super) fn counted_batches(&self) -> Vec<CountedBatch> {
        let batches = self.sprt.as_ref().map_or(0, |sprt| sprt.batches);
        (0..batches)
            .map(|batch| self.counted_batch(BatchIndex(batch)))
            .collect()
    }

    fn counted_batch(&self, batch: BatchIndex) -> CountedBatch {
        let games = self.definition.games_of(batch);
        CountedBatch {
            was_played_again: games
                .clone()
                .any(|game| self.was_played_again(GameIndex(game))),
            pairs: games
                .step_by(2)
                .filter_map(|game| self.candidate_pair(game))
                .collect(),
        }
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
