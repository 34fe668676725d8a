//! The state at the start, read back from the index.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex},
};

use proto::{
    store::{AnalysisCreated, TournamentCreated},
    v1,
};
use tokio::{
    sync::{Notify, Semaphore, watch},
    time::Instant,
};

use super::{
    Coordinator, Shared, State,
    analysis::{Analysis, Task},
    definition::Definition,
    ratings,
    tournament::{Score, Tournament},
    variants::VariantCache,
};
use crate::{
    config::Config,
    dispatch::{LeaseTable, Registry},
    model::{EndReason, JobId, PlayingKey, TournamentId, TournamentState, wire},
    store::{self, StoreError, View, kinds::GameEntry},
};

/// Formats that are asked at a time.
const MAX_DRAWS: usize = 2;

/// Opens the store and reads everything back.
pub(super) fn open(config: Config) -> Result<Arc<Coordinator>, StoreError> {
    let opened = store::open::open(&config.store())?;
    report(&opened);
    let view = opened.view();
    let epoch = view.epoch()? + 1;
    let mut state = State {
        tournaments: BTreeMap::new(),
        analyses: BTreeMap::new(),
        leases: LeaseTable::new(epoch, config.lease, config.most_failures),
        registry: Registry::new(epoch, config.workers),
        outboxes: HashMap::new(),
        prepared: HashMap::new(),
        absorbed: 0,
        next_tournament: 1,
        next_analysis: 1,
        stopping: false,
        trouble: None,
    };
    for (version, sha256) in view.executables()? {
        if let (Ok(version), Ok(sha256)) = (version.parse(), sha256.parse()) {
            state.leases.bindings_mut().set(version, sha256);
        }
    }
    for (wished, record) in view.tournaments()? {
        let id = TournamentId(record.id);
        state.next_tournament = record.id + 1;
        match tournament(&view, wished, &record) {
            Ok(tournament) => _ = state.tournaments.insert(id, tournament),
            Err(Failure::Store(error)) => return Err(error),
            Err(Failure::Record(problem)) => {
                tracing::error!(%id, problem, "a tournament was left out")
            }
        }
    }
    for (cancelled, record) in view.analyses()? {
        state.next_analysis = record.id + 1;
        analysis(&view, cancelled, record, &mut state)?;
    }
    let shared = Arc::new(Shared {
        state: Mutex::new(state),
        wake: Notify::new(),
        results: watch::Sender::new(0),
        started: Instant::now(),
    });
    let observer = shared.clone();
    let store = opened.start(move |committed| observer.absorb(committed))?;
    let coordinator = Arc::new(Coordinator {
        store,
        shared,
        variants: VariantCache::default(),
        replays: Semaphore::new(config.replays.max(1)),
        queries: Semaphore::new(config.queries.max(1)),
        draws: Semaphore::new(MAX_DRAWS),
        audits: Semaphore::new(1),
        books: Semaphore::new(1),
        rating_caches: ratings::Caches::default(),
        creating: tokio::sync::Mutex::new(()),
        config,
    });
    coordinator.take_up();
    Ok(coordinator)
}

fn report(opened: &store::Opened) {
    if let Some(cut) = &opened.recovered {
        let path = cut.path.display();
        tracing::warn!(%path, offset = cut.offset, bytes = cut.bytes, "cut off an unfinished write at the journal's end");
    }
    if let Some(reason) = &opened.rebuilt {
        tracing::warn!(
            reason,
            records = opened.replayed,
            "rebuilt the index from the journal"
        );
    }
}

enum Failure {
    Store(StoreError),
    Record(String),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

fn tournament(
    view: &View,
    wished: v1::TournamentState,
    record: &TournamentCreated,
) -> Result<Tournament, Failure> {
    let id = TournamentId(record.id);
    let definition =
        Definition::from_record(record).map_err(|error| Failure::Record(error.to_string()))?;
    let mut tournament = Tournament::new(Arc::new(definition), None, 0);
    tournament.wished = wire::state_from_wire(wished).unwrap_or(TournamentState::Paused);
    let mut newest = 0;
    let voided = view.voided(id)?;
    // Before the course: an end that was found before a result was taken away is none.
    tournament.voided = voided
        .iter()
        .map(|(_, sequence)| *sequence)
        .max()
        .unwrap_or(0);
    for (change, sequence) in view.course(id)? {
        if let Err(problem) = tournament.change(&change, sequence) {
            tracing::error!(%id, problem, "a change of a tournament's course cannot be used");
            tournament.problem = Some(format!("change {} of its course: {problem}", change.number));
            break;
        }
        newest = newest.max(sequence);
    }
    let mut games = Vec::new();
    view.games(id, |key, entry| {
        let sequence = entry.location.map_or(0, |at| at.sequence);
        newest = newest.max(sequence);
        games.push((key, score(&key, &entry)?, sequence));
        Ok(())
    })?;
    tournament.restore(&voided, games);
    for engine in view.stopped(id)? {
        tournament.stop(engine);
    }
    let parked = view.parked(JobId::Tournament(id))?;
    tournament.parked = parked
        .into_iter()
        .map(|parked| (parked.batch, parked))
        .collect();
    tournament.changed = newest;
    // Watchers that come back after a restart go on from here.
    tournament.events = super::events::Events::new(newest);
    Ok(tournament)
}

/// The result that an entry of the index holds.
pub(super) fn score(key: &PlayingKey, entry: &GameEntry) -> Result<Score, StoreError> {
    let summary = entry.summary.as_ref();
    let reason = summary
        .and_then(|summary| summary.result)
        .map(|result| result.reason());
    let score = summary
        .zip(reason.and_then(EndReason::from_wire))
        .and_then(|(summary, reason)| {
            let first_quarters = u8::try_from(summary.first_quarters).ok()?;
            (first_quarters <= 4).then_some(Score {
                first_quarters,
                reason,
            })
        });
    score.ok_or_else(|| StoreError::unreadable(key.game.to_string(), "its result is missing"))
}

fn analysis(
    view: &View,
    cancelled: bool,
    record: AnalysisCreated,
    state: &mut State,
) -> Result<(), StoreError> {
    let number = record.id;
    match Task::from_record(record) {
        Ok(task) => {
            let id = task.id;
            let mut analysis = Analysis::new(Arc::new(task), cancelled, view.analysed(id)?);
            let parked = view.parked(JobId::Analysis(id))?;
            analysis.parked = parked
                .into_iter()
                .map(|parked| (parked.batch, parked))
                .collect();
            state.analyses.insert(id, analysis);
        }
        Err(error) => tracing::error!(id = number, %error, "an analysis job was left out"),
    }
    Ok(())
}

impl Coordinator {
    /// Makes everything unfinished ready to be leased.
    fn take_up(&self) {
        let open: Vec<Arc<Definition>> = {
            let state = self.state();
            let open = state
                .tournaments
                .values()
                .filter(|tournament| !tournament.state().is_over());
            open.map(|tournament| tournament.definition.clone())
                .collect()
        };
        for definition in open {
            let book = self
                .variant(&definition.variant_hash)
                .and_then(|variant| self.book(&variant, &definition.spec));
            let mut state = self.state();
            let Some(tournament) = state.tournaments.get_mut(&definition.id) else {
                continue;
            };
            match book {
                Ok(book) => tournament.book = Some(Arc::new(book)),
                Err(error) => {
                    tracing::error!(id = %definition.id, %error, "a tournament cannot go on");
                    tournament.problem = Some(error.to_string());
                }
            }
            state.add_tournament_job(definition.id);
        }
        let mut state = self.state();
        let jobs: Vec<_> = state.analyses.keys().copied().collect();
        jobs.into_iter().for_each(|id| state.add_analysis_job(id));
    }
}
