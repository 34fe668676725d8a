//! One analysis job in memory.

use std::{collections::BTreeMap, ops::Range, sync::Arc};

use proto::{store::AnalysisCreated, v1};
use tokio::sync::broadcast;

use crate::{
    model::{AnalysisId, BatchIndex, Digest, Player, SpecError, wire},
    store::Location,
};

/// Results that a slow watcher may lag behind before it reads them from the store.
const LAG: usize = 1024;

/// What is fixed about a job.
pub(super) struct Task {
    pub(super) id: AnalysisId,
    pub(super) variant: v1::VariantRef,
    pub(super) variant_hash: Digest,
    pub(super) player: Player,
    pub(super) fens: Vec<String>,
    batch_positions: u32,
}

/// One job in memory.
pub(super) struct Analysis {
    pub(super) task: Arc<Task>,
    pub(super) cancelled: bool,
    pub(super) parked: BTreeMap<u32, v1::ParkedBatch>,
    /// Where each result stands.
    results: Vec<Option<Location>>,
    analysed: u32,
    /// Positions whose results have come.
    pub(super) live: broadcast::Sender<u32>,
}

impl Task {
    /// The job that a record holds; the error says what is wrong with it.
    pub(super) fn from_record(record: AnalysisCreated) -> Result<Self, SpecError> {
        let bad = |what: &str| {
            SpecError::new(
                format!("analysis job {}", record.id),
                format!("has no {what}"),
            )
        };
        let variant = record.variant.clone().ok_or_else(|| bad("variant"))?;
        Ok(Self {
            id: AnalysisId(record.id),
            variant_hash: variant.hash.parse().map_err(|_| bad("variant hash"))?,
            variant,
            player: wire::player_from_wire(record.player.as_ref().ok_or_else(|| bad("player"))?)?,
            batch_positions: record.batch_positions.max(1),
            fens: record.fens,
        })
    }

    /// Number of positions.
    pub(super) fn positions(&self) -> u32 {
        u32::try_from(self.fens.len()).unwrap_or(u32::MAX)
    }

    /// Number of batches.
    pub(super) fn batches(&self) -> u32 {
        self.positions().div_ceil(self.batch_positions)
    }

    /// Positions of a batch.
    pub(super) fn positions_of(&self, batch: BatchIndex) -> Range<u32> {
        let start = batch
            .0
            .saturating_mul(self.batch_positions)
            .min(self.positions());
        start
            ..start
                .saturating_add(self.batch_positions)
                .min(self.positions())
    }

    /// The batch of a position.
    pub(super) fn batch_of(&self, position: u32) -> BatchIndex {
        BatchIndex(position / self.batch_positions)
    }
}

impl Analysis {
    /// A job with these results.
    pub(super) fn new(
        task: Arc<Task>,
        cancelled: bool,
        results: Vec<(u32, Option<Location>)>,
    ) -> Self {
        let mut analysis = Self {
            results: vec![None; task.fens.len()],
            task,
            cancelled,
            parked: BTreeMap::new(),
            analysed: 0,
            live: broadcast::Sender::new(LAG),
        };
        for (position, at) in results {
            if let Some(at) = at {
                analysis.enter(position, at);
            }
        }
        analysis
    }

    /// Enters a result. Gives the batch when it is complete now.
    pub(super) fn enter(&mut self, position: u32, at: Location) -> Option<BatchIndex> {
        let slot = self.results.get_mut(position as usize)?;
        if slot.replace(at).is_none() {
            self.analysed += 1;
        }
        // Nobody may be watching.
        let _ = self.live.send(position);
        let batch = self.task.batch_of(position);
        self.is_complete(batch).then_some(batch)
    }

    /// Where a result stands.
    pub(super) fn result(&self, position: u32) -> Option<Location> {
        *self.results.get(position as usize)?
    }

    /// Whether all positions of a batch are analysed.
    pub(super) fn is_complete(&self, batch: BatchIndex) -> bool {
        self.task
            .positions_of(batch)
            .all(|position| self.result(position).is_some())
    }

    /// Its state.
    pub(super) fn state(&self) -> v1::AnalysisState {
        if self.cancelled {
            v1::AnalysisState::Cancelled
        } else if self.analysed == self.task.positions() {
            v1::AnalysisState::Finished
        } else {
            v1::AnalysisState::Running
        }
    }

    /// The first parked batch, when nothing else is left: the job will not end by itself.
    pub(super) fn stuck(&self) -> Option<&v1::ParkedBatch> {
        let mut open = (0..self.task.batches())
            .map(BatchIndex)
            .filter(|&batch| !self.is_complete(batch))
            .peekable();
        open.peek()?;
        let all_parked = open.all(|batch| self.parked.contains_key(&batch.0));
        self.parked.values().next().filter(|_| all_parked)
    }

    /// The job as its message.
    pub(super) fn to_wire(&self) -> v1::AnalysisJob {
        let parked = self.parked.values();
        v1::AnalysisJob {
            id: self.task.id.0,
            variant: Some(self.task.variant.clone()),
            player: Some(wire::player_to_wire(&self.task.player)),
            positions: self.task.positions(),
            analysed: self.analysed,
            state: self.state().into(),
            parked: parked
                .map(|parked| format!("batch {}: {}", parked.batch, parked.message))
                .collect(),
        }
    }
}
