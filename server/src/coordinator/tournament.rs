//! One tournament in memory: what is played, and the results so far. Everything in it follows from the store.

use std::{collections::BTreeMap, sync::Arc};

use proto::v1;

use super::{definition::Definition, events::Events, openings::Book};
use crate::{
    model::{
        BatchIndex, EndReason, GameIndex, GameKey, PlayingKey, TournamentSpec, TournamentState,
        spec::EloUnit as SpecUnit,
    },
    ratings::{
        Aggregates, CellSet, Outcome, PairTable,
        sprt::{EloUnit, Overshoot, SprtSpec, SprtStatus, SprtTest, Verdict},
    },
};

/// The result of a game, as small as can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Score {
    /// Points of the first mover in quarters.
    pub(super) first_quarters: u8,
    /// Why it ended.
    pub(super) reason: EndReason,
}

/// One tournament in memory.
pub(super) struct Tournament {
    pub(super) definition: Arc<Definition>,
    /// The openings; only while games are missing.
    pub(super) book: Option<Arc<Book>>,
    /// Running, paused or cancelled, as users wished; finished follows from the results.
    pub(super) wished: TournamentState,
    /// Why it cannot be played, e.g. its variant cannot be resolved any more.
    pub(super) problem: Option<String>,
    scores: Vec<Option<Score>>,
    generations: BTreeMap<u32, u32>,
    stored: u32,
    missing: Vec<u32>,
    aggregates: Aggregates,
    sprt: Option<Sequential>,
    pub(super) parked: BTreeMap<u32, v1::ParkedBatch>,
    pub(super) events: Events,
}

/// A sequential test and how many batches it has taken.
struct Sequential {
    test: SprtTest,
    batches: u32,
    status: SprtStatus,
    /// The pairs counted, seen by the candidate.
    counted: PairTable,
}

impl Tournament {
    /// A tournament without results.
    pub(super) fn new(definition: Arc<Definition>, book: Option<Arc<Book>>, sequence: u64) -> Self {
        let batches = definition.batch_count();
        let missing = (0..batches)
            .map(|batch| definition.games_of(BatchIndex(batch)).len() as u32)
            .collect();
        let mut tournament = Self {
            scores: vec![None; definition.total_games as usize],
            generations: BTreeMap::new(),
            stored: 0,
            missing,
            aggregates: Aggregates::new(),
            sprt: None,
            parked: BTreeMap::new(),
            events: Events::new(sequence),
            wished: TournamentState::Running,
            problem: None,
            definition,
            book,
        };
        tournament.recount();
        tournament
    }

    /// Its state: finished follows from the results.
    pub(super) fn state(&self) -> TournamentState {
        let is_complete = self.stored == self.definition.total_games;
        match self.wished {
            TournamentState::Cancelled => TournamentState::Cancelled,
            _ if is_complete || self.verdict() != Verdict::Continue => TournamentState::Finished,
            wished => wished,
        }
    }

    fn verdict(&self) -> Verdict {
        self.sprt
            .as_ref()
            .map_or(Verdict::Continue, |sprt| sprt.status.verdict)
    }

    /// Games stored.
    pub(super) fn stored(&self) -> u32 {
        self.stored
    }

    /// The result of a game.
    pub(super) fn score(&self, game: GameIndex) -> Option<Score> {
        *self.scores.get(game.0 as usize)?
    }

    /// All results in order of game.
    pub(super) fn scores(&self) -> impl Iterator<Item = (GameIndex, Score)> + '_ {
        self.scores_from(GameIndex(0))
    }

    /// Results from a game on, in order.
    pub(super) fn scores_from(
        &self,
        from: GameIndex,
    ) -> impl Iterator<Item = (GameIndex, Score)> + '_ {
        let rest = self.scores.get(from.0 as usize..).unwrap_or_default();
        (from.0..)
            .zip(rest)
            .filter_map(|(game, score)| score.map(|score| (GameIndex(game), score)))
    }

    /// Whether all games of a batch are stored.
    pub(super) fn is_complete(&self, batch: BatchIndex) -> bool {
        self.missing.get(batch.0 as usize) == Some(&0)
    }

    /// The key of a game's result in its present generation.
    pub(super) fn key(&self, game: GameIndex) -> Option<PlayingKey> {
        let batch = self.definition.batch_of(game)?;
        let generation = self.generations.get(&game.0).copied().unwrap_or(0);
        let game = GameKey {
            tournament: self.definition.id,
            batch,
            game,
            generation,
        };
        Some(PlayingKey { game, replica: 0 })
    }

    /// Results by pair of players.
    pub(super) fn aggregates(&self) -> &Aggregates {
        &self.aggregates
    }

    /// Where the sequential test stands, and the pairs that it has counted, seen by the candidate.
    pub(super) fn sprt(&self) -> Option<(SprtStatus, PairTable)> {
        self.sprt.as_ref().map(|sprt| (sprt.status, sprt.counted))
    }

    /// Enters results read back from the store, then counts once.
    pub(super) fn restore(
        &mut self,
        voided: &[PlayingKey],
        games: impl IntoIterator<Item = (PlayingKey, Score)>,
    ) {
        for key in voided {
            let generation = self.generations.entry(key.game.game.0).or_default();
            *generation = (*generation).max(key.game.generation + 1);
        }
        for (key, score) in games {
            if self.key(key.game.game) == Some(key)
                && let Some(slot) = self.scores.get_mut(key.game.game.0 as usize)
            {
                *slot = Some(score);
            }
        }
        self.recount();
    }

    /// Enters a result. Gives the batch when it is complete now.
    pub(super) fn enter(&mut self, key: &PlayingKey, score: Score) -> Option<BatchIndex> {
        let game = key.game.game;
        if self.key(game) != Some(*key) || self.score(game).is_some() {
            return None;
        }
        self.scores[game.0 as usize] = Some(score);
        self.stored += 1;
        self.aggregate(game, score);
        let missing = self.missing.get_mut(key.game.batch.0 as usize)?;
        *missing = missing.saturating_sub(1);
        let complete = *missing == 0;
        if complete {
            self.advance_sprt();
        }
        complete.then_some(key.game.batch)
    }

    /// Takes a game's result away and begins its next generation.
    pub(super) fn void(&mut self, key: &PlayingKey) {
        let game = key.game.game;
        if self.key(game) == Some(*key) && (game.0 as usize) < self.scores.len() {
            self.generations.insert(game.0, key.game.generation + 1);
            self.scores[game.0 as usize] = None;
            self.recount();
        }
    }

    fn aggregate(&mut self, game: GameIndex, score: Score) {
        let partner = GameIndex(game.0 ^ 1);
        let (Some([first, second]), Some(outcome)) = (
            self.definition.movers(game),
            Outcome::from_quarters(score.first_quarters),
        ) else {
            return;
        };
        let partner_outcome = self
            .score(partner)
            .and_then(|score| Outcome::from_quarters(score.first_quarters));
        let counted = match partner_outcome {
            None => self.aggregates.add_single(first, second, outcome),
            Some(other) => self
                .aggregates
                .remove_single(second, first, other)
                .and_then(|()| self.aggregates.add_pair(first, second, outcome, other)),
        };
        if let Err(error) = counted {
            tracing::error!(%error, tournament = %self.definition.id, %game, "a result was not counted");
        }
    }

    /// Counts what is there of the pair that begins with this game.
    fn count_pair(&mut self, game: GameIndex) {
        let outcome = |game| {
            self.score(game)
                .and_then(|score| Outcome::from_quarters(score.first_quarters))
        };
        let outcomes = [outcome(game), outcome(GameIndex(game.0 + 1))];
        let Some([first, second]) = self.definition.movers(game) else {
            return;
        };
        self.stored += outcomes.iter().flatten().count() as u32;
        let counted = match outcomes {
            [Some(one), Some(other)] => self.aggregates.add_pair(first, second, one, other),
            [Some(one), None] => self.aggregates.add_single(first, second, one),
            [None, Some(other)] => self.aggregates.add_single(second, first, other),
            [None, None] => Ok(()),
        };
        if let Err(error) = counted {
            tracing::error!(%error, tournament = %self.definition.id, %game, "a pair was not counted");
        }
    }

    /// Counts everything anew from the results.
    fn recount(&mut self) {
        self.aggregates = Aggregates::new();
        (0..self.definition.players.len()).for_each(|player| self.aggregates.add_player(player));
        self.stored = 0;
        for batch in 0..self.definition.batch_count() {
            let games = self.definition.games_of(BatchIndex(batch));
            let missing = games
                .filter(|&game| self.scores[game as usize].is_none())
                .count();
            self.missing[batch as usize] = missing as u32;
        }
        for game in (0..self.definition.total_games).step_by(2) {
            self.count_pair(GameIndex(game));
        }
        self.sprt = sequential(&self.definition.spec);
        self.advance_sprt();
    }

    /// Gives the sequential test the complete batches that follow those it has, in order of index.
    fn advance_sprt(&mut self) {
        let Some(mut sprt) = self.sprt.take() else {
            return;
        };
        while sprt.status.verdict == Verdict::Continue && self.is_complete(BatchIndex(sprt.batches))
        {
            let games = self.definition.games_of(BatchIndex(sprt.batches));
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

fn sequential(spec: &TournamentSpec) -> Option<Sequential> {
    let sprt = spec.sprt?;
    let unit = match sprt.unit {
        SpecUnit::Normalized => EloUnit::Normalized,
        SpecUnit::Logistic => EloUnit::Logistic,
    };
    // Its bounds were checked with the specification.
    let test = SprtSpec::new(
        unit,
        sprt.elo0,
        sprt.elo1,
        sprt.alpha,
        sprt.beta,
        CellSet::FivePairs,
    )
    .ok()?;
    let test = SprtTest::new(test, Some(Overshoot::default()));
    let status = test.status();
    Some(Sequential {
        test,
        batches: 0,
        status,
        counted: PairTable::default(),
    })
}
