//! The solution of a question, from the cache or computed.

use std::sync::{Arc, Mutex, PoisonError};

use proto::v1;

use super::{cache::Weight, entrants::Entrants, games::Games, question::Question};
use crate::{
    coordinator::{
        Coordinator, Error,
        pools::{Pool, Scope},
    },
    ratings::{
        Aggregates, ErrorBars, LiveRatings, MAX_COVARIANCE, Model, PairTable, Player as Number,
        RatingError, RatingOptions, RatingReport, rate, rate_again,
    },
};

/// The answer to a question, before it is put into words.
pub(super) struct Solution {
    pub question: Question,
    pub pool: Pool,
    pub entrants: Entrants,
    /// The games that are rated.
    pub games: Games,
    pub report: RatingReport,
    /// What the next solution of the same question goes on from, once there was one before; taken out by it.
    pub live: Mutex<Option<LiveRatings>>,
}

impl Weight for Solution {
    /// The covariance most of all.
    fn bytes(&self) -> usize {
        let players = self.report.players.len();
        let covariance = players.min(MAX_COVARIANCE).pow(2) * size_of::<f64>();
        let tables = self.games.aggregates.tables().count() * 2 * size_of::<PairTable>();
        // What it goes on from has an inverse as large.
        2 * covariance + tables + players * 1_000
    }
}

/// Whether a question is answered from state to state.
fn is_live(options: &RatingOptions, games: &Aggregates) -> bool {
    let is_closed = !matches!(
        options.error_bars,
        ErrorBars::Bootstrap(_) | ErrorBars::Simulation(_)
    );
    options.model == Model::Score && is_closed && games.players().len() <= MAX_COVARIANCE
}

/// The answer to a question that was answered for an earlier state of its scope. Whatever is kept of that, the answer is the
/// same, so that only time depends on it.
fn again(
    last: &Solution,
    games: &Aggregates,
    options: &RatingOptions,
) -> Result<(RatingReport, Option<LiveRatings>), RatingError> {
    if !is_live(options, games) {
        return Ok((rate_again(games, options, &last.report)?, None));
    }
    let kept = last
        .live
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    let mut live = match kept {
        Some(mut live) => {
            live.follow(games);
            live
        }
        None => LiveRatings::new(games.clone(), options.clone())?,
    };
    Ok((live.report()?, Some(live)))
}

/// The refusal to rate, with players by their names.
pub(super) fn refused(error: RatingError, entrants: &Entrants) -> Error {
    let named = |field: &str, player: Number| {
        format!(
            "{field}: `{}` has no games that count; name a player that has",
            entrants.name(player)
        )
    };
    Error::Invalid(match error {
        RatingError::UnknownAnchor { player } => named("anchor or options.anchors", player),
        RatingError::UnknownLinked { player } => named("options.links", player),
        RatingError::SelfLink { player } => format!(
            "options.links: `{}` is linked with itself; name two versions",
            entrants.name(player)
        ),
        other => other.to_string(),
    })
}

impl Coordinator {
    /// How many rating lists were computed, and not found in the cache, since the start.
    pub fn ratings_computed(&self) -> u64 {
        self.rating_caches.solutions.computed()
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
        self.rating_caches
            .solutions
            .solution(&question, scope.version(), |last| {
                let games = self.games_as_of(&scope, &entrants, question.as_of)?;
                let games = games.without(&question.excluded);
                let last = last.filter(|last| last.entrants.players == entrants.players);
                let (games_of, options) = (&games.aggregates, &question.options);
                let answer = match last {
                    Some(last) => again(last, games_of, options),
                    None => rate(games_of, options).map(|report| (report, None)),
                };
                let (report, live) = answer.map_err(|error| refused(error, &entrants))?;
                Ok(Solution {
                    report,
                    live: Mutex::new(live),
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
