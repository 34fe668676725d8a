//! Solutions that are kept until results of their scope change.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use super::{question::Question, solve::Solution};
use crate::coordinator::{Error, pools::Version};

/// Solutions that are kept.
const MAX_SOLUTIONS: usize = 64;
/// Bytes, roughly, that all solutions together may take; the newest one is kept whatever it takes.
const MAX_BYTES: usize = 256 << 20;

/// Solutions by question, those asked for last at the end.
///
/// A solution of an earlier state of its scope is never answered, but kept as the place where the search for the next one
/// begins.
#[derive(Default)]
pub(in crate::coordinator) struct Cache {
    kept: Mutex<Vec<Kept>>,
    computed: AtomicU64,
}

struct Kept {
    question: Question,
    bytes: usize,
    solved: Arc<Mutex<Option<Solved>>>,
}

struct Solved {
    version: Version,
    solution: Arc<Solution>,
}

impl Cache {
    /// How many solutions were computed so far.
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// The solution of a question at a version of its scope, computed where it is not at hand; who asks the same meanwhile
    /// waits for it. `compute` is given the solution of an earlier version, if there is one. Blocks.
    pub(super) fn solution(
        &self,
        question: &Question,
        version: Version,
        compute: impl FnOnce(Option<&Solution>) -> Result<Solution, Error>,
    ) -> Result<Arc<Solution>, Error> {
        let slot = self.slot(question);
        let mut solved = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(solved) = &*solved
            && solved.version == version
        {
            return Ok(solved.solution.clone());
        }
        let last = solved.as_ref().map(|solved| &*solved.solution);
        let solution = Arc::new(compute(last)?);
        self.computed.fetch_add(1, Ordering::Relaxed);
        *solved = Some(Solved {
            version,
            solution: solution.clone(),
        });
        drop(solved);
        self.weigh(question, solution.bytes());
        Ok(solution)
    }

    /// Where the solution of a question stands or will stand; it is now the one asked for last.
    fn slot(&self, question: &Question) -> Arc<Mutex<Option<Solved>>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().position(|kept| kept.question == *question);
        let entry = match found {
            Some(index) => kept.remove(index),
            None => Kept {
                question: question.clone(),
                bytes: 0,
                solved: Arc::default(),
            },
        };
        let slot = entry.solved.clone();
        kept.push(entry);
        if kept.len() > MAX_SOLUTIONS {
            kept.remove(0);
        }
        slot
    }

    /// Notes how much a solution takes and drops those not asked for longest until all fit.
    fn weigh(&self, question: &Question, bytes: usize) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = kept.iter_mut().find(|kept| kept.question == *question) {
            entry.bytes = bytes;
        }
        let mut total: usize = kept.iter().map(|kept| kept.bytes).sum();
        while total > MAX_BYTES && kept.len() > 1 {
            total -= kept.remove(0).bytes;
        }
    }
}
