//! What a committed record changes in memory. Runs on the store's thread, in order of sequence.

use std::sync::Arc;

use proto::{
    store::{
        AnalysisCreated, AnalysisStored, BatchParked, CommandBound, CourseChanged,
        EngineQuarantined, GameStored, GameVoided, TournamentCreated, TournamentStateChanged,
        course_changed::Step, record::Change,
    },
    v1::{self, coordinator_message::Message, tournament_event::Event},
};

use super::{
    Shared, State,
    analysis::{Analysis, Task},
    tournament::{Score, Tournament},
};
use crate::{
    dispatch::{Granted, Job, Needs},
    model::{
        AnalysisId, Attempt, BatchIndex, EndReason, JobId, Player, TournamentId, TournamentState,
        WorkerId, wire,
    },
    store::{Committed, Location, kinds},
};

impl Shared {
    /// Takes in a record.
    pub(super) fn absorb(&self, committed: &Committed<'_>) {
        let at = committed.location;
        let mut state = self.state();
        state.absorbed = at.sequence;
        let changes_results = match &committed.record.change {
            Some(Change::TournamentCreated(change)) => state.created(change, at),
            Some(Change::TournamentStateChanged(change)) => state.state_changed(change, at),
            Some(Change::GameStored(change)) => state.stored(change, at),
            Some(Change::GameVoided(change)) => state.voided(change, at),
            Some(Change::CourseChanged(change)) => state.course_changed(change, at),
            Some(Change::BatchParked(change)) => state.batch_parked(change, at),
            Some(Change::AnalysisCreated(change)) => state.analysis_created(change),
            Some(Change::AnalysisStored(change)) => state.analysis_stored(change, at),
            Some(Change::CommandBound(change)) => state.command_bound(change),
            Some(Change::EngineQuarantined(change)) => state.engine_quarantined(change, at),
            Some(Change::AnalysisCancelled(change)) => {
                state.analysis_cancelled(AnalysisId(change.id))
            }
            _ => false,
        };
        drop(state);
        if changes_results {
            self.results.send_replace(at.sequence);
        }
        self.wake.notify_one();
    }
}

/// Each says whether results have changed.
impl State {
    fn created(&mut self, change: &TournamentCreated, at: Location) -> bool {
        let id = TournamentId(change.id);
        let Some((definition, book)) = self.prepared.remove(&id) else {
            tracing::error!(%id, "a tournament was stored that nobody prepared; restart the coordinator");
            return false;
        };
        self.tournaments
            .insert(id, Tournament::new(definition, Some(book), at.sequence));
        self.add_tournament_job(id);
        false
    }

    fn command_bound(&mut self, change: &CommandBound) -> bool {
        if let (Ok(version), Ok(sha256)) = (change.version.parse(), change.sha256.parse()) {
            self.leases.bindings_mut().set(version, sha256);
        }
        false
    }

    fn engine_quarantined(&mut self, change: &EngineQuarantined, at: Location) -> bool {
        let tournament = self.tournaments.get_mut(&TournamentId(change.id));
        if let Some((tournament, engine)) = tournament.zip(change.engine) {
            tournament.stop(engine);
            (tournament.events).push(at.sequence, Event::Quarantined(engine));
        }
        false
    }

    fn state_changed(&mut self, change: &TournamentStateChanged, at: Location) -> bool {
        let id = TournamentId(change.id);
        let Some((tournament, wished)) = self
            .tournaments
            .get_mut(&id)
            .zip(wire::state_from_wire(change.state()))
        else {
            return false;
        };
        tournament.wished = wished;
        if wished == TournamentState::Running {
            tournament.parked.clear();
        }
        self.announce_state(id, at);
        match wished {
            TournamentState::Cancelled => {
                self.remove_job(JobId::Tournament(id), v1::CancelReason::Cancelled)
            }
            _ => {
                if let Some(job) = self.leases.job_mut(JobId::Tournament(id)) {
                    job.set_running(wished == TournamentState::Running);
                    if wished == TournamentState::Running {
                        job.unpark();
                    }
                }
            }
        }
        false
    }

    fn stored(&mut self, change: &GameStored, at: Location) -> bool {
        let Ok(key) = kinds::playing_key(change.key.as_ref()) else {
            return false;
        };
        let id = key.game.tournament;
        let summary = change
            .game
            .as_ref()
            .and_then(|game| game.summary.clone())
            .unwrap_or_default();
        let reason = summary
            .result
            .and_then(|result| EndReason::from_wire(result.reason()));
        let (Some(tournament), Some(reason)) = (self.tournaments.get_mut(&id), reason) else {
            return false;
        };
        let first_quarters = u8::try_from(summary.first_quarters).unwrap_or(0);
        let was_over = tournament.state().is_over();
        let complete = tournament.enter(
            &key,
            Score {
                first_quarters,
                reason,
            },
        );
        tournament.changed = at.sequence;
        tournament.events.push(at.sequence, Event::Game(summary));
        if complete.is_some() {
            tournament.undrawn = true;
        }
        let is_over = tournament.state().is_over();
        if let Some(batch) = complete {
            // A parked batch may be completed by a late report.
            tournament.parked.remove(&batch.0);
            let by = wire::attempt_from_wire(change.attempt.as_ref());
            self.complete(JobId::Tournament(id), batch, Some(by));
            self.release(id);
        }
        if is_over && !was_over {
            self.announce_state(id, at);
        }
        self.tidy(id);
        true
    }

    fn voided(&mut self, change: &GameVoided, at: Location) -> bool {
        let Ok(key) = kinds::playing_key(change.key.as_ref()) else {
            return false;
        };
        let id = key.game.tournament;
        let Some(tournament) = self.tournaments.get_mut(&id) else {
            return false;
        };
        tournament.void(&key, at.sequence);
        tournament.changed = at.sequence;
        // Nothing is missing where the game's player has withdrawn.
        let reopens = !tournament.is_complete(key.game.batch);
        self.announce_state(id, at);
        let job = JobId::Tournament(id);
        // Who plays the batch now does not know of the game.
        if reopens && let Some((worker, granted)) = self.leases.take_back(job, key.game.batch) {
            self.cancel_lease(worker, &granted, v1::CancelReason::LeaseLost);
        }
        match self.leases.job_mut(job) {
            Some(job) if reopens => job.reopen(key.game.batch.0),
            Some(_) => {}
            None => self.add_tournament_job(id),
        }
        true
    }

    fn course_changed(&mut self, change: &CourseChanged, at: Location) -> bool {
        let id = TournamentId(change.id);
        let Some(tournament) = self.tournaments.get_mut(&id) else {
            return false;
        };
        let complete = match tournament.change(change, at.sequence) {
            Ok(complete) => complete,
            Err(problem) => {
                tracing::error!(%id, problem, "a change of a tournament's course was stored that cannot be used");
                tournament.problem = Some(problem);
                return false;
            }
        };
        let changes_players = matches!(change.step, Some(Step::Entered(_) | Step::Withdrawn(_)));
        if changes_players {
            tournament.changed = at.sequence;
        }
        if let Some(Step::Draw(draw)) = &change.step {
            tournament
                .events
                .push(at.sequence, Event::Draw(draw.clone()));
        }
        if let Some(players) = players_change(change, &tournament.definition.players) {
            tournament.events.push(at.sequence, Event::Players(players));
        }
        let (batches, needs) = (tournament.definition.batch_count(), tournament.needs());
        for batch in &complete {
            tournament.parked.remove(&batch.0);
        }
        for batch in complete {
            self.complete(JobId::Tournament(id), batch, None);
        }
        match self.leases.job_mut(JobId::Tournament(id)) {
            Some(job) => {
                job.extend(batches);
                job.set_needs(needs);
            }
            None => self.add_tournament_job(id),
        }
        self.announce_state(id, at);
        self.tidy(id);
        changes_players
    }

    fn batch_parked(&mut self, change: &BatchParked, at: Location) -> bool {
        let parked = change.parked.clone().unwrap_or_default();
        if change.analysis {
            if let Some(analysis) = self.analyses.get_mut(&AnalysisId(change.work_id)) {
                analysis.parked.insert(parked.batch, parked);
                // Wakes those who watch.
                let _ = analysis.live.send(u32::MAX);
            }
        } else if let Some(tournament) = self.tournaments.get_mut(&TournamentId(change.work_id)) {
            tournament
                .events
                .push(at.sequence, Event::Parked(parked.clone()));
            tournament.parked.insert(parked.batch, parked);
        }
        false
    }

    fn analysis_created(&mut self, change: &AnalysisCreated) -> bool {
        let id = AnalysisId(change.id);
        match Task::from_record(change.clone()) {
            Ok(task) => {
                self.analyses
                    .insert(id, Analysis::new(Arc::new(task), false, Vec::new()));
                self.add_analysis_job(id);
            }
            Err(error) => {
                tracing::error!(%id, %error, "an analysis job was stored that cannot be read")
            }
        }
        false
    }

    fn analysis_stored(&mut self, change: &AnalysisStored, at: Location) -> bool {
        let id = AnalysisId(change.id);
        let batch = self
            .analyses
            .get_mut(&id)
            .and_then(|analysis| analysis.enter(change.position, at));
        if let Some(batch) = batch {
            if let Some(analysis) = self.analyses.get_mut(&id) {
                // A parked batch may be completed by a late report.
                analysis.parked.remove(&batch.0);
            }
            self.complete(JobId::Analysis(id), batch, None);
        }
        false
    }

    fn analysis_cancelled(&mut self, id: AnalysisId) -> bool {
        if let Some(analysis) = self.analyses.get_mut(&id) {
            analysis.cancelled = true;
            // Wakes those who watch.
            let _ = analysis.live.send(u32::MAX);
        }
        self.remove_job(JobId::Analysis(id), v1::CancelReason::Cancelled);
        false
    }

    /// Gives out no more batches of a tournament that is over.
    ///
    /// After the verdict of a sequential test batches under way are still played to their end and stored.
    pub(super) fn tidy(&mut self, id: TournamentId) {
        let job = JobId::Tournament(id);
        if !self
            .tournaments
            .get(&id)
            .is_some_and(|tournament| tournament.state().is_over())
        {
            return;
        }
        match self.leases.job_mut(job) {
            Some(job) if !job.leased().is_empty() => job.set_running(false),
            Some(_) => _ = self.leases.remove_job(job),
            None => {}
        }
    }

    /// Lets the batches of a tuning be leased whose parameters have become known.
    fn release(&mut self, id: TournamentId) {
        let tournament = self.tournaments.get(&id);
        if let Some(batches) = tournament.and_then(Tournament::released_batches)
            && let Some(job) = self.leases.job_mut(JobId::Tournament(id))
        {
            job.release(batches);
        }
    }

    fn announce_state(&mut self, id: TournamentId, at: Location) {
        if let Some(tournament) = self.tournaments.get_mut(&id) {
            let state = wire::state_to_wire(tournament.state()).into();
            let stored_games = tournament.stored();
            tournament.events.push(
                at.sequence,
                Event::State(v1::StateChange {
                    state,
                    stored_games,
                }),
            );
        }
    }

    /// Makes a tournament's open batches ready to be leased.
    pub(super) fn add_tournament_job(&mut self, id: TournamentId) {
        let Some(tournament) = self
            .tournaments
            .get(&id)
            .filter(|tournament| !tournament.state().is_over())
        else {
            return;
        };
        let definition = &tournament.definition;
        let is_complete = |batch| tournament.is_complete(BatchIndex(batch));
        let mut job = Job::new(tournament.needs(), definition.batch_count(), is_complete);
        job.set_running(
            tournament.wished == TournamentState::Running && tournament.problem.is_none(),
        );
        tournament.parked.keys().for_each(|&batch| job.park(batch));
        if let Some(batches) = tournament.released_batches() {
            job.release(batches);
        }
        self.leases.add_job(JobId::Tournament(id), job);
    }

    /// Makes an analysis job's open batches ready to be leased.
    pub(super) fn add_analysis_job(&mut self, id: AnalysisId) {
        let running = v1::AnalysisState::Running;
        let Some(analysis) = self
            .analyses
            .get(&id)
            .filter(|analysis| analysis.state() == running)
        else {
            return;
        };
        let is_complete = |batch| analysis.is_complete(BatchIndex(batch));
        let mut job = Job::new(
            Needs::of([&analysis.task.player]),
            analysis.task.batches(),
            is_complete,
        );
        analysis.parked.keys().for_each(|&batch| job.park(batch));
        self.leases.add_job(JobId::Analysis(id), job);
    }

    /// Ends the lease of a complete batch; whoever completed it under its own lease knows.
    fn complete(&mut self, job: JobId, batch: BatchIndex, by: Option<Attempt>) {
        if let Some((worker, granted)) = self.leases.complete(job, batch)
            && by != Some(granted.attempt)
        {
            self.cancel_lease(worker, &granted, v1::CancelReason::Complete);
        }
        if self.leases.job(job).is_some_and(|job| job.open() == 0) {
            self.leases.remove_job(job);
        }
    }

    fn remove_job(&mut self, job: JobId, reason: v1::CancelReason) {
        for (worker, granted) in self.leases.remove_job(job) {
            self.cancel_lease(worker, &granted, reason);
        }
    }

    /// Tells a worker to stop working on a batch.
    pub(super) fn cancel_lease(
        &mut self,
        worker: WorkerId,
        granted: &Granted,
        reason: v1::CancelReason,
    ) {
        let lease = Some(super::lease::to_wire(granted));
        self.send(
            worker,
            Message::Cancel(v1::Cancel {
                lease,
                reason: reason.into(),
            }),
        );
    }
}

/// Who came in or withdrew, by name.
fn players_change(change: &CourseChanged, players: &[Player]) -> Option<v1::PlayersChange> {
    match &change.step {
        Some(Step::Entered(entered)) => Some(v1::PlayersChange {
            entered: entered
                .players
                .iter()
                .map(|player| player.name.clone())
                .collect(),
            withdrew: String::new(),
        }),
        Some(Step::Withdrawn(withdrawn)) => Some(v1::PlayersChange {
            entered: Vec::new(),
            withdrew: players.get(withdrawn.player as usize)?.name.clone(),
        }),
        _ => None,
    }
}
