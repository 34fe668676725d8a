//! The solution of a question, from the cache or computed.

use std::sync::Arc;

use proto::v1;

use super::{entrants::Entrants, games::Games, question::Question};
use crate::{
    coordinator::{
        Coordinator, Error,
        pools::{Pool, Scope},
    },
    ratings::{MAX_COVARIANCE, PairTable, RatingError, RatingReport, rate, rate_again},
};

/// The answer to a question, before it is put into words.
pub(super) struct Solution {
    pub question: Question,
    pub pool: Pool,
    pub entrants: Entrants,
    /// The games that are rated.
    pub games: Games,
    pub report: RatingReport,
}

impl Solution {
    /// Bytes that it takes, roughly: the covariance most of all.
    pub fn bytes(&self) -> usize {
        let players = self.report.players.len();
        let covariance = players.min(MAX_COVARIANCE).pow(2) * size_of::<f64>();
        let tables = self.games.aggregates.tables().count() * 2 * size_of::<PairTable>();
        covariance + tables + players * 1_000
    }
}

pub(super) fn refused(error: RatingError) -> Error {
    Error::Invalid(error.to_string())
}

impl Coordinator {
    /// How many rating lists were computed, and not found in the cache, since the start.
    pub fn ratings_computed(&self) -> u64 {
        self.solutions.computed()
    }

    /// A scope as it is now, with its players.
    pub(super) fn entrants(
        &self,
        scope: Option<&v1::RatingScope>,
    ) -> Result<(Scope, Entrants), Error> {
        let scope = self.state().scope(scope)?;
        let entrants = Entrants::of(&scope);
        Ok((scope, entrants))
    }

    /// The solution of a request, changed by `adapt`. Blocks.
    pub(super) fn solve_as(
        &self,
        request: &v1::GetRatingsRequest,
        adapt: impl FnOnce(&mut Question, &Entrants) -> Result<(), Error>,
    ) -> Result<Arc<Solution>, Error> {
        let (scope, entrants) = self.entrants(request.scope.as_ref())?;
        let mut question = Question::new(request, &scope, &entrants)?;
        adapt(&mut question, &entrants)?;
        self.solutions.solution(&question, scope.version(), |last| {
            let games = self.games_as_of(&scope, &entrants, question.as_of)?;
            let games = games.without(&question.excluded);
            // A search that begins elsewhere finds the same, so that only time depends on it.
            let last = last.filter(|last| last.entrants.players == entrants.players);
            let report = match last {
                Some(last) => rate_again(&games.aggregates, &question.options, &last.report),
                None => rate(&games.aggregates, &question.options),
            };
            Ok(Solution {
                report: report.map_err(refused)?,
                question: question.clone(),
                pool: scope.pool.clone(),
                entrants,
                games,
            })
        })
    }

    /// The solution of a request. Blocks.
    pub(super) fn solve(&self, request: &v1::GetRatingsRequest) -> Result<Arc<Solution>, Error> {
        self.solve_as(request, |_, _| Ok(()))
    }
}
