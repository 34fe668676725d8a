//! Answers that are kept until results of their scope change.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use super::{
    history::{Development, History},
    question::Question,
    solve::Solution,
};
use crate::coordinator::{Error, pools::Version};

/// Answers of one kind that are kept.
const MAX_ANSWERS: usize = 64;
/// Bytes, roughly, that all answers of one kind together may take; the newest one is kept whatever it takes.
const MAX_BYTES: usize = 256 << 20;

/// What has been asked of the ratings.
#[derive(Default)]
pub(in crate::coordinator) struct Caches {
    pub(super) solutions: Cache<Question, Solution>,
    pub(super) histories: Cache<Development, History>,
}

/// What takes memory.
pub(super) trait Weight {
    /// Bytes that it takes, roughly.
    fn bytes(&self) -> usize;
}

/// Solutions by question, those asked for last at the end.
///
/// A solution of an earlier state of its scope is never answered, but kept as the place where the search for the next one
/// begins.
pub(super) struct Cache<Q, S> {
    /// Most solutions, and most bytes that they may take together.
    most: (usize, usize),
    kept: Mutex<Vec<Kept<Q, S>>>,
    computed: AtomicU64,
}

impl<Q: Clone + PartialEq, S: Weight> Default for Cache<Q, S> {
    fn default() -> Self {
        Self::new(MAX_ANSWERS, MAX_BYTES)
    }
}

struct Kept<Q, S> {
    question: Q,
    bytes: usize,
    solved: Slot<S>,
}

/// Where a solution stands or will stand.
type Slot<S> = Arc<Mutex<Option<Solved<S>>>>;

struct Solved<S> {
    version: Version,
    solution: Arc<S>,
}

impl<Q: Clone + PartialEq, S: Weight> Cache<Q, S> {
    fn new(solutions: usize, bytes: usize) -> Self {
        Self {
            most: (solutions, bytes),
            kept: Mutex::default(),
            computed: AtomicU64::new(0),
        }
    }

    /// How many solutions were computed so far.
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// The solution of a question at a version of its scope, computed where it is not at hand; who asks the same meanwhile
    /// waits for it. `compute` is given the solution of an earlier version, if there is one. Blocks.
    pub(super) fn solution(
        &self,
        question: &Q,
        version: Version,
        compute: impl FnOnce(Option<&S>) -> Result<S, Error>,
    ) -> Result<Arc<S>, Error> {
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
    fn slot(&self, question: &Q) -> Slot<S> {
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
        if kept.len() > self.most.0 {
            kept.remove(0);
        }
        slot
    }

    /// Notes how much a solution takes and drops those not asked for longest until all fit.
    fn weigh(&self, question: &Q, bytes: usize) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = kept.iter_mut().find(|kept| kept.question == *question) {
            entry.bytes = bytes;
        }
        let mut total: usize = kept.iter().map(|kept| kept.bytes).sum();
        while total > self.most.1 && kept.len() > 1 {
            total -= kept.remove(0).bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        coordinator::{
            pools::{Place, Pool, Scope},
            ratings::{entrants::Entrants, games::Games, question::AsOf},
        },
        model::{Digest, TournamentId},
        ratings::{Aggregates, RatingOptions, rate},
    };

    type Solutions = Cache<Question, Solution>;

    fn scope() -> Scope {
        Scope {
            place: Place::Tournament(TournamentId(1)),
            pool: Pool {
                id: "chess".into(),
                hash: Digest([0; 32]),
                class: "nodes=1".into(),
            },
            parts: Vec::new(),
        }
    }

    fn question(games: u64) -> Question {
        Question {
            place: scope().place,
            as_of: AsOf::Games(games),
            excluded: Default::default(),
            options: RatingOptions::default(),
        }
    }

    /// Solves a question about an event of so many players without games.
    fn solve(cache: &Solutions, question: &Question, players: usize) -> Arc<Solution> {
        let compute = |_: Option<&Solution>| {
            let mut aggregates = Aggregates::new();
            (0..players).for_each(|player| aggregates.add_player(player));
            Ok(Solution {
                question: question.clone(),
                pool: scope().pool,
                entrants: Entrants::of(&scope()),
                report: rate(&aggregates, &question.options).unwrap(),
                live: Mutex::default(),
                games: Games {
                    aggregates,
                    ..Games::default()
                },
            })
        };
        let solution = cache.solution(question, scope().version(), compute);
        solution.unwrap()
    }

    #[test]
    fn the_solutions_asked_for_longest_ago_go_first() {
        let cache = Solutions::new(3, usize::MAX);
        let first = solve(&cache, &question(1), 2);
        for games in [2, 3, 1, 4] {
            solve(&cache, &question(games), 2);
        }
        assert_eq!(cache.computed(), 4);
        assert!(Arc::ptr_eq(&solve(&cache, &question(1), 2), &first));
        assert_eq!(cache.computed(), 4);
        // It was the one that had to go.
        solve(&cache, &question(2), 2);
        assert_eq!(cache.computed(), 5);
    }

    #[test]
    fn large_solutions_leave_room_for_few() {
        let one = solve(&Solutions::default(), &question(1), 100).bytes();
        assert!(one > 100 * 100 * 8);
        let cache = Solutions::new(100, 2 * one);
        for games in [1, 2, 3] {
            solve(&cache, &question(games), 100);
        }
        solve(&cache, &question(3), 100);
        solve(&cache, &question(2), 100);
        assert_eq!(cache.computed(), 3);
        solve(&cache, &question(1), 100);
        assert_eq!(cache.computed(), 4);
        // One that is too large by itself is kept alone.
        let cache = Solutions::new(100, one - 1);
        solve(&cache, &question(1), 100);
        solve(&cache, &question(1), 100);
        assert_eq!(cache.computed(), 1);
    }

    #[test]
    fn a_question_that_failed_is_asked_again() {
        let cache = Solutions::new(3, usize::MAX);
        let failed = cache.solution(&question(1), scope().version(), |_| Err(Error::Stopping));
        assert!(failed.is_err());
        solve(&cache, &question(1), 2);
        assert_eq!(cache.computed(), 1);
    }
}
