//! One tournament in memory: what is played, and the results so far. Everything in it follows from the store.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use proto::v1;

use super::{
    definition::Definition,
    events::Events,
    faults::Faults,
    openings::Book,
    sequential::{Sequential, sequential},
    tuning::Tuning,
};
use crate::{
    dispatch::Needs,
    model::{BatchIndex, EndReason, GameIndex, GameKey, PlayingKey, TournamentState},
    ratings::{
        Aggregates, Outcome, PairTable,
        sprt::{SprtSpec, SprtStatus, Verdict},
    },
    schedule::Played,
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
    /// The definition before any change of the course.
    pub(super) beginning: Arc<Definition>,
    /// The openings; only while games are missing.
    pub(super) book: Option<Arc<Book>>,
    /// Running, paused or cancelled, as users wished; finished follows from the results.
    pub(super) wished: TournamentState,
    /// Why it cannot be played, e.g. its variant cannot be resolved any more.
    pub(super) problem: Option<String>,
    /// Whether everything is drawn that will be.
    pub(super) over: bool,
    /// Whether something has happened since it was last asked what is to be drawn.
    pub(super) undrawn: bool,
    /// Sequence of the newest record that took a result away; 0 = there is none.
    pub(super) voided: u64,
    /// Whether it is being asked now.
    pub(super) drawing: bool,
    /// Changes of its course so far.
    pub(super) changes: u32,
    /// For each player the sequence of the record with which it withdrew.
    withdrawn: Vec<Option<u64>>,
    scores: Vec<Option<Score>>,
    /// Results of draws that are played to their end, which only [`Self::recount`] changes: a long tournament asks often.
    pub(super) settled: RefCell<Vec<Option<Vec<Played>>>>,
    generations: BTreeMap<u32, u32>,
    stored: u32,
    /// Games of each batch that are to be played yet.
    missing: Vec<u32>,
    missing_games: u32,
    aggregates: Aggregates,
    /// Sequence of the newest record that changed its results; 0 = there is none.
    pub(super) changed: u64,
    pub(super) sprt: Option<Sequential>,
    pub(super) tuning: Option<Tuning>,
    pub(super) parked: BTreeMap<u32, v1::ParkedBatch>,
    /// Games lost by engines' own faults.
    pub(super) faults: Faults,
    /// Engines that were stopped by them, in that order.
    pub(super) quarantined: Vec<v1::QuarantinedEngine>,
    pub(super) events: Events,
}

impl Tournament {
    /// A tournament without results.
    pub(super) fn new(definition: Arc<Definition>, book: Option<Arc<Book>>, sequence: u64) -> Self {
        let mut tournament = Self {
            over: !definition.director.follows_results(),
            undrawn: true,
            voided: 0,
            drawing: false,
            changes: 0,
            withdrawn: vec![None; definition.players.len()],
            scores: Vec::new(),
            settled: RefCell::default(),
            generations: BTreeMap::new(),
            stored: 0,
            missing: Vec::new(),
            missing_games: 0,
            aggregates: Aggregates::new(),
            changed: 0,
            sprt: None,
            tuning: None,
            parked: BTreeMap::new(),
            faults: Faults::default(),
            quarantined: Vec::new(),
            events: Events::new(sequence),
            wished: TournamentState::Running,
            problem: None,
            beginning: definition.clone(),
            definition,
            book,
        };
        tournament.recount();
        tournament
    }

    /// Its state: finished follows from the results.
    pub(super) fn state(&self) -> TournamentState {
        let is_complete = self.over && self.missing_games == 0;
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

    /// Games in all: those stored and to be played, and those that may still be drawn.
    pub(super) fn total_games(&self) -> u32 {
        let known = self.stored + self.missing_games;
        if self.over {
            return known;
        }
        let players = self
            .withdrawn
            .iter()
            .filter(|since| since.is_none())
            .count();
        let draws = self.definition.draws().count() as u64;
        let drawn = u64::from(self.definition.games()) / 2;
        let director = &self.definition.director;
        let rest = director
            .expected_pairs(players, draws, drawn)
            .saturating_mul(2);
        known.saturating_add(u32::try_from(rest).unwrap_or(u32::MAX))
    }

    /// For each player the sequence of the record with which it withdrew.
    pub(super) fn withdrawn(&self) -> &[Option<u64>] {
        &self.withdrawn
    }

    /// Whether a player has withdrawn.
    pub(super) fn has_withdrawn(&self, player: usize) -> bool {
        self.withdrawn.get(player).is_some_and(Option::is_some)
    }

    /// Whether any game is to be played yet.
    pub(super) fn is_missing_games(&self) -> bool {
        self.missing_games > 0
    }

    /// What a worker must have to play what is left.
    pub(super) fn needs(&self) -> Needs {
        let players = self.definition.players.iter().enumerate();
        Needs::of(
            players.filter_map(|(index, player)| (!self.has_withdrawn(index)).then_some(player)),
        )
    }

    /// Whether a game is to be played yet.
    pub(super) fn is_missing(&self, game: GameIndex) -> bool {
        self.score(game).is_none() && !self.was_dropped(game, u64::MAX)
    }

    /// Whether a result of this sequence comes after one of its players has withdrawn.
    fn was_dropped(&self, game: GameIndex, sequence: u64) -> bool {
        let gone = |player: usize| {
            let since = self.withdrawn.get(player).copied().flatten();
            since.is_some_and(|since| since < sequence)
        };
        self.withdrawn.iter().any(Option::is_some)
            && self
                .definition
                .movers(game)
                .is_some_and(|movers| movers.into_iter().any(gone))
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

    /// Games that were voided, with the generation that counts now; those of all others is 0.
    pub(super) fn was_played_again(&self, game: GameIndex) -> bool {
        self.generations.contains_key(&game.0)
    }

    /// How often games were begun anew, by game; those that never were are not in it.
    pub(super) fn generations(&self) -> &BTreeMap<u32, u32> {
        &self.generations
    }

    /// Results by pair of players.
    pub(super) fn aggregates(&self) -> &Aggregates {
        &self.aggregates
    }

    /// Where the sequential test stands, and the pairs that it has counted, seen by the candidate.
    pub(super) fn sprt(&self) -> Option<(SprtStatus, PairTable)> {
        self.sprt.as_ref().map(|sprt| (sprt.status, sprt.counted))
    }

    /// What the sequential test asks.
    pub(super) fn sprt_spec(&self) -> Option<SprtSpec> {
        self.sprt.as_ref().map(|sprt| *sprt.test.spec())
    }

    /// Enters results read back from the store, each with the sequence of its record, then counts once.
    pub(super) fn restore(
        &mut self,
        voided: &[(PlayingKey, u64)],
        games: impl IntoIterator<Item = (PlayingKey, Score, u64)>,
    ) {
        for (key, _) in voided {
            let generation = self.generations.entry(key.game.game.0).or_default();
            *generation = (*generation).max(key.game.generation + 1);
        }
        for (key, score, sequence) in games {
            if self.key(key.game.game) == Some(key)
                && !self.was_dropped(key.game.game, sequence)
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
        if self.key(game) != Some(*key) || !self.is_missing(game) {
            return None;
        }
        *self.scores.get_mut(game.0 as usize)? = Some(score);
        self.stored += 1;
        self.missing_games = self.missing_games.saturating_sub(1);
        self.aggregate(game, score);
        if let Some(movers) = self.definition.movers(game) {
            self.faults.add(movers, score);
        }
        let missing = self.missing.get_mut(key.game.batch.0 as usize)?;
        *missing = missing.saturating_sub(1);
        let complete = *missing == 0;
        if complete {
            self.advance_sprt();
            self.advance_tuning();
        }
        complete.then_some(key.game.batch)
    }

    /// Takes a game's result away by a record of this sequence, and begins its next generation.
    pub(super) fn void(&mut self, key: &PlayingKey, sequence: u64) {
        let game = key.game.game;
        self.voided = sequence;
        if self.key(game) == Some(*key) && (game.0 as usize) < self.scores.len() {
            self.generations.insert(game.0, key.game.generation + 1);
            self.scores[game.0 as usize] = None;
            self.reconsider();
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

    /// What was drawn may not be all after a result was taken away, or a player withdrew.
    pub(super) fn reconsider(&mut self) {
        if self.definition.director.follows_results() {
            self.over = false;
            self.undrawn = true;
        }
    }

    /// Counts everything anew from the results.
    pub(super) fn recount(&mut self) {
        self.scores.resize(self.definition.games() as usize, None);
        self.withdrawn.resize(self.definition.players.len(), None);
        self.settled = RefCell::default();
        self.aggregates = Aggregates::new();
        (0..self.definition.players.len()).for_each(|player| self.aggregates.add_player(player));
        self.stored = 0;
        self.missing.clear();
        self.missing_games = 0;
        for batch in 0..self.definition.batch_count() {
            self.count_missing(BatchIndex(batch));
        }
        for game in (0..self.definition.games()).step_by(2) {
            self.count_pair(GameIndex(game));
        }
        self.sprt = sequential(&self.definition.spec);
        self.advance_sprt();
        self.tuning = Tuning::of(&self.definition);
        self.advance_tuning();
        self.faults.clear();
        let scores: Vec<_> = self.scores().collect();
        for (game, score) in scores {
            if let Some(movers) = self.definition.movers(game) {
                self.faults.add(movers, score);
            }
        }
    }

    /// Whether there is anything to play for the others when a player leaves.
    pub(super) fn goes_on_without(&self, player: usize) -> bool {
        let is_left = |other: usize| other != player && !self.has_withdrawn(other);
        let left = (0..self.definition.players.len()).filter(|&other| is_left(other));
        if left.count() < 2 {
            return false;
        }
        // What is drawn later may be of anybody.
        !self.over
            || (0..self.definition.games())
                .map(GameIndex)
                .filter(|&game| self.is_missing(game))
                .filter_map(|game| self.definition.movers(game))
                .any(|movers| !movers.contains(&player))
    }

    /// Takes in that an engine was stopped by its own faults.
    pub(super) fn stop(&mut self, engine: v1::QuarantinedEngine) {
        self.faults.answer(&engine);
        self.quarantined.push(engine);
    }

    /// Counts the games of the batch after those that were counted.
    fn count_missing(&mut self, batch: BatchIndex) {
        let games = self.definition.games_of(batch).map(GameIndex);
        let missing = games.filter(|&game| self.is_missing(game)).count() as u32;
        self.missing.push(missing);
        self.missing_games += missing;
    }

    /// Takes in a definition with more pairs or players behind the others.
    pub(super) fn grow(&mut self, definition: Definition) {
        self.definition = Arc::new(definition);
        self.scores.resize(self.definition.games() as usize, None);
        for player in self.withdrawn.len()..self.definition.players.len() {
            self.withdrawn.push(None);
            self.aggregates.add_player(player);
        }
        for batch in self.missing.len() as u32..self.definition.batch_count() {
            self.count_missing(BatchIndex(batch));
        }
    }

    /// Takes a player out from a record of this sequence on. Gives the batches that are complete by it.
    pub(super) fn withdraw(&mut self, player: usize, sequence: u64) -> Vec<BatchIndex> {
        match self.withdrawn.get_mut(player) {
            Some(since) if since.is_none() => *since = Some(sequence),
            _ => return Vec::new(),
        }
        let before = std::mem::take(&mut self.missing);
        self.missing_games = 0;
        let mut complete = Vec::new();
        for (batch, was_missing) in (0..).map(BatchIndex).zip(before) {
            self.count_missing(batch);
            if was_missing > 0 && self.is_complete(batch) {
                complete.push(batch);
            }
        }
        complete
    }
}
