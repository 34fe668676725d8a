//! Analysis jobs: submit, report, watch, cancel.

use std::{collections::BTreeSet, sync::Arc};

use proto::{
    store::{AnalysisCancelled, AnalysisCreated, AnalysisStored, record::Change},
    v1::{self, ReportRefusal, ReportStatus},
};
use tokio::sync::broadcast::{self, error::RecvError};

use super::{
    Coordinator, Error, State,
    analysis::{Analysis, Task},
    enlist::attempt_of,
    report::Verdict,
};
use crate::{
    model::{AnalysisId, EngineSpec, Limit, SpecError, WorkerId, check, wire},
    rules,
    store::Answer,
};

/// Most positions of a job.
const MAX_POSITIONS: usize = 100_000;
/// Positions a batch, unless asked otherwise, and at most.
const BATCH_POSITIONS: (u32, u32) = (16, 1000);
/// Most moves of a principal variation.
const MAX_PV: usize = 256;

/// The results of a job, one by one.
pub struct AnalysisWatch {
    coordinator: Arc<Coordinator>,
    id: AnalysisId,
    given: BTreeSet<u32>,
    pending: Vec<u32>,
    live: broadcast::Receiver<u32>,
}

impl State {
    fn analysis(&self, id: AnalysisId) -> Result<&Analysis, Error> {
        self.analyses
            .get(&id)
            .ok_or_else(|| Error::NotFound(format!("analysis job {id}")))
    }
}

impl Coordinator {
    /// Takes positions to analyse.
    pub async fn submit_analysis(
        self: &Arc<Self>,
        request: v1::SubmitAnalysisRequest,
    ) -> Result<v1::AnalysisJob, Error> {
        let (mut record, variant, player) = self
            .query(move |this| this.analysis_record(request))
            .await?;
        self.make_variant_known(&variant).await?;
        self.check_in_use(std::slice::from_ref(&player)).await?;
        self.make_engine_known(&player).await?;
        let id = {
            let mut state = self.state();
            let id = state.next_analysis;
            state.next_analysis += 1;
            AnalysisId(id)
        };
        record.id = id.0;
        self.commit(Change::AnalysisCreated(record)).await?;
        self.shared.wake.notify_one();
        self.analysis_job(id)
    }

    /// Checks a request with the rules. Blocks.
    fn analysis_record(
        &self,
        request: v1::SubmitAnalysisRequest,
    ) -> Result<(AnalysisCreated, Arc<rules::Variant>, crate::model::Player), Error> {
        let count = request.fens.len();
        if !(1..=MAX_POSITIONS).contains(&count) {
            return Err(Error::Invalid(format!(
                "fens: there are {count} positions, must be 1 to {MAX_POSITIONS}"
            )));
        }
        let (usual, most) = BATCH_POSITIONS;
        let batch_positions = if request.batch_positions == 0 {
            usual
        } else {
            request.batch_positions
        };
        if batch_positions > most {
            return Err(Error::Invalid(format!(
                "batch_positions: must be at most {most}"
            )));
        }
        let text = Some(request.variant_text.as_str()).filter(|text| !text.is_empty());
        let variant = self
            .variants
            .resolve(self.store.view(), &request.variant, text)?;
        self.admit_variant(&variant)?;
        for (index, fen) in request.fens.iter().enumerate() {
            rules::begin(&variant, fen)
                .map_err(|problem| Error::Invalid(format!("fens[{index}]: {problem}")))?;
        }
        let mut analyst = analyst(request.engine)?;
        self.look_up(&mut analyst, "engine")?;
        let player = self.player(&analyst, None, "engine")?;
        self.check_weights(&variant, &player, "engine")?;
        let record = AnalysisCreated {
            id: 0,
            variant: Some(rules::reference(&variant)),
            player: Some(wire::player_to_wire(&player)),
            fens: request.fens,
            batch_positions,
        };
        Ok((record, variant, player))
    }

    /// One job.
    pub fn analysis_job(&self, id: AnalysisId) -> Result<v1::AnalysisJob, Error> {
        Ok(self.state().analysis(id)?.to_wire())
    }

    /// Ends a job; its results stay.
    pub async fn cancel_analysis(
        self: &Arc<Self>,
        id: AnalysisId,
    ) -> Result<v1::AnalysisJob, Error> {
        let running = self.state().analysis(id)?.state() == v1::AnalysisState::Running;
        if running {
            self.commit(Change::AnalysisCancelled(AnalysisCancelled { id: id.0 }))
                .await?;
        }
        self.analysis_job(id)
    }

    /// Watches a job: results already there first.
    pub fn watch_analysis(self: &Arc<Self>, id: AnalysisId) -> Result<AnalysisWatch, Error> {
        let state = self.state();
        let analysis = state.analysis(id)?;
        let there =
            (0..analysis.task.positions()).filter(|&position| analysis.result(position).is_some());
        // Taken from the end.
        let pending = there.rev().collect();
        let live = analysis.live.subscribe();
        Ok(AnalysisWatch {
            coordinator: self.clone(),
            id,
            given: BTreeSet::new(),
            pending,
            live,
        })
    }

    /// Takes in an analysed position.
    pub async fn report_analysis(
        self: &Arc<Self>,
        worker: WorkerId,
        report: v1::AnalysisReport,
    ) -> v1::ReportAnswer {
        let sequence = report.sequence;
        let verdict = self
            .judge_analysis(worker, report)
            .await
            .unwrap_or_else(|verdict| verdict);
        self.patiently(verdict).answer(sequence)
    }

    async fn judge_analysis(
        self: &Arc<Self>,
        worker: WorkerId,
        report: v1::AnalysisReport,
    ) -> Result<Verdict, Verdict> {
        let lease = report.lease.filter(|lease| lease.analysis);
        let lease = lease
            .ok_or_else(|| Verdict::refused(ReportRefusal::Malformed, "the lease is missing"))?;
        let evaluation = report.evaluation;
        let evaluation = evaluation.ok_or_else(|| {
            Verdict::refused(ReportRefusal::Malformed, "the evaluation is missing")
        })?;
        let id = AnalysisId(lease.work_id);
        let now = self.now();
        let (task, worker_name) = {
            let mut state = self.state();
            state.leases.progress(worker, attempt_of(Some(&lease)), now);
            let unknown = |_| {
                Verdict::refused(
                    ReportRefusal::UnknownGame,
                    format!("analysis job {id} does not exist"),
                )
            };
            let task = state.analysis(id).map_err(unknown)?.task.clone();
            let name = state
                .registry
                .get(worker)
                .map(|worker| worker.registration.name.clone());
            (task, name.unwrap_or_default())
        };
        let position = report.position;
        let permit = self.replays.acquire().await.map_err(|_| Error::Stopping)?;
        let (this, player) = (self.clone(), task.player.clone());
        let checked = tokio::task::spawn_blocking(move || {
            this.check_evaluation(&task, position, &evaluation)
                .map(|()| evaluation)
        });
        let evaluation = checked.await.map_err(Error::from)??;
        drop(permit);
        self.check_executables(worker, [&player]).await?;
        let stored = AnalysisStored {
            id: id.0,
            position,
            evaluation: Some(evaluation),
            worker: worker_name,
        };
        match self
            .commit(Change::AnalysisStored(stored))
            .await
            .map_err(Error::from)?
        {
            Answer::Done(_) => Ok(Verdict::of(ReportStatus::Stored)),
            Answer::Exists(_) => Ok(Verdict::of(ReportStatus::Duplicate)),
        }
    }

    /// A principal variation must be legal. Blocks.
    fn check_evaluation(
        &self,
        task: &Task,
        position: u32,
        evaluation: &v1::Evaluation,
    ) -> Result<(), Verdict> {
        let fen = task.fens.get(position as usize);
        let fen = fen.ok_or_else(|| {
            Verdict::refused(
                ReportRefusal::UnknownGame,
                format!("{} has no position {position}", task.id),
            )
        })?;
        if evaluation.pv.len() > MAX_PV {
            let message = format!("a principal variation of more than {MAX_PV} moves");
            return Err(Verdict::refused(ReportRefusal::Malformed, message));
        }
        let variant = self.variant(&task.variant_hash)?;
        let mut game = rules::begin(&variant, fen).map_err(Error::Internal)?;
        for (index, text) in evaluation.pv.iter().enumerate() {
            game.play(text).map_err(|error| {
                let message = format!("move {} of the principal variation: {error}", index + 1);
                Verdict::refused(ReportRefusal::IllegalMove, message)
            })?;
        }
        Ok(())
    }
}

/// The engine of a job; its limit must not be a clock.
fn analyst(engine: Option<v1::EngineSpec>) -> Result<EngineSpec, Error> {
    let engine = engine
        .ok_or_else(|| SpecError::new("engine", "is missing: its limit at least must be given"))?;
    let builtin = || v1::EngineSource {
        kind: Some(v1::engine_source::Kind::Builtin(
            v1::BuiltinEngine::default(),
        )),
    };
    let source = Some(engine.source.clone().unwrap_or_else(builtin));
    let name = if engine.name.is_empty() {
        "built-in".to_owned()
    } else {
        engine.name.clone()
    };
    let engine = wire::engine_from_wire(
        &v1::EngineSpec {
            source,
            name,
            ..engine
        },
        "engine",
    )?;
    check::check_options("engine.options", engine.options.iter())?;
    check::check_evaluation("engine", &engine)?;
    match engine.limit {
        None => Err(SpecError::new("engine.limit", "is missing").into()),
        Some(Limit::Clock(_)) => {
            Err(SpecError::new("engine.limit", "is a clock: give nodes, depth or movetime").into())
        }
        Some(_) => Ok(engine),
    }
}

impl AnalysisWatch {
    /// The next result; none after the last one, or when the job is cancelled.
    ///
    /// # Errors
    /// All that is left failed too often, or the store cannot be read.
    pub async fn next(&mut self) -> Result<Option<v1::AnalysisResult>, Error> {
        loop {
            if let Some(position) = self.pending.pop() {
                if self.given.insert(position) {
                    return self.read(position).await.map(Some);
                }
                continue;
            }
            if self.is_over()? {
                return Ok(None);
            }
            match self.live.recv().await {
                Ok(position) => self.pending.push(position),
                Err(RecvError::Lagged(_)) => self.pending = self.there()?,
                Err(RecvError::Closed) => return Ok(None),
            }
            // A cancelled or stuck job wakes its watchers with a position that does not exist.
            let positions = self.coordinator.state().analysis(self.id)?.task.positions();
            self.pending.retain(|&position| position < positions);
        }
    }

    fn is_over(&self) -> Result<bool, Error> {
        let state = self.coordinator.state();
        let analysis = state.analysis(self.id)?;
        if let Some(parked) = analysis.stuck() {
            let (batch, why) = (parked.batch, &parked.message);
            let message = format!(
                "analysis job {}: batch {batch} failed too often: {why}",
                self.id
            );
            return Err(Error::Precondition(message));
        }
        let all_given = self.given.len() == analysis.task.fens.len();
        Ok(all_given || analysis.cancelled)
    }

    /// Results that are there and were not given.
    fn there(&self) -> Result<Vec<u32>, Error> {
        let state = self.coordinator.state();
        let analysis = state.analysis(self.id)?;
        let positions = (0..analysis.task.positions()).rev();
        Ok(positions
            .filter(|position| {
                analysis.result(*position).is_some() && !self.given.contains(position)
            })
            .collect())
    }

    async fn read(&self, position: u32) -> Result<v1::AnalysisResult, Error> {
        let (at, fen) = {
            let state = self.coordinator.state();
            let analysis = state.analysis(self.id)?;
            (
                analysis.result(position),
                analysis
                    .task
                    .fens
                    .get(position as usize)
                    .cloned()
                    .unwrap_or_default(),
            )
        };
        let stored = self
            .coordinator
            .query(move |this| Ok(this.store.view().analysed_record(at)?))
            .await?;
        Ok(v1::AnalysisResult {
            position,
            fen,
            evaluation: stored.evaluation,
        })
    }
}
