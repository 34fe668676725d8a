//! How a player's rating developed.

use std::{collections::BTreeSet, sync::Arc};

use proto::v1;

use super::{
    cache::Weight,
    entrants::Entrants,
    games::{Games, Stored, Tally},
    list::{error_bars_to_wire, model_to_wire},
    question::{AsOf, Question, not_left_out},
    solve::refused,
};
use crate::{
    coordinator::{Coordinator, Error, pools::Scope},
    ratings::{
        ErrorBars, Player as Number, RatedPlayer, RatingOptions, RatingReport, rate, rate_again,
    },
};

/// Points of a history, unless asked otherwise, and at most.
const POINTS: (u32, u32) = (20, 100);
/// Most fits to drawn results behind the error bars of one history.
const MAX_REFITS: u32 = 4_000;

/// What is asked of a player's past, in one form for all ways of asking it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Development {
    question: Question,
    player: Number,
    points: usize,
}

/// The answer to that.
pub(super) struct History(v1::RatingHistoryResponse);

impl Weight for History {
    fn bytes(&self) -> usize {
        self.0.points.len() * size_of::<v1::RatingPoint>() + 1_000
    }
}

impl Coordinator {
    /// How a player's rating developed with the games of its pool.
    pub async fn rating_history(
        self: &Arc<Self>,
        request: v1::RatingHistoryRequest,
    ) -> Result<v1::RatingHistoryResponse, Error> {
        self.query(move |this| this.history(request)).await
    }

    /// How many histories were computed, and not found in the cache, since the start.
    pub fn histories_computed(&self) -> u64 {
        self.rating_caches.histories.computed()
    }

    fn history(
        &self,
        request: v1::RatingHistoryRequest,
    ) -> Result<v1::RatingHistoryResponse, Error> {
        let (scope, entrants) = self.entrants(request.scope.as_ref())?;
        let wanted = Development::new(request, &scope, &entrants)?;
        let histories = &self.rating_caches.histories;
        let history = histories.solution(&wanted, scope.version(), |_| {
            let results = self.results_in_order(&scope, &entrants)?;
            Ok(History(wanted.answer(&scope, &entrants, results)?))
        })?;
        Ok(history.0.clone())
    }
}

impl Development {
    fn new(
        request: v1::RatingHistoryRequest,
        scope: &Scope,
        entrants: &Entrants,
    ) -> Result<Self, Error> {
        let (usual, most) = POINTS;
        let points = match request.points {
            0 => usual,
            points => points,
        };
        if !(2..=most).contains(&points) {
            return Err(Error::Invalid(format!("points: must be 2 to {most}")));
        }
        let player = entrants.number(&request.player, "player")?;
        let list = v1::GetRatingsRequest {
            scope: request.scope,
            confidence: request.confidence,
            anchor: request.anchor,
            anchor_elo: request.anchor_elo,
            as_of: request.as_of,
            options: request.options,
        };
        let mut question = Question::new(&list, scope, entrants)?;
        not_left_out(player, "player", entrants, &question.excluded)?;
        // Nobody else's are looked at, point by point. An anchor has none of its own.
        let is_anchor = question.options.anchors.contains_key(&player);
        question.options.error_bars_for = match is_anchor && question.has_all_error_bars(entrants) {
            true => Vec::new(),
            false => vec![player],
        };
        if let ErrorBars::Bootstrap(refits) | ErrorBars::Simulation(refits) =
            question.options.error_bars
            && points * refits.count > MAX_REFITS
        {
            return Err(Error::Invalid(format!(
                "points, options.refits: {points} points of {} fits each are {} fits, the limit is {MAX_REFITS}; ask for fewer \
                 points or fits",
                refits.count,
                points * refits.count
            )));
        }
        Ok(Self {
            question,
            player,
            points: points as usize,
        })
    }

    /// Rates the player after more and more of these results, which are all of the scope.
    fn answer(
        &self,
        scope: &Scope,
        entrants: &Entrants,
        results: Vec<Stored>,
    ) -> Result<v1::RatingHistoryResponse, Error> {
        let Question {
            as_of, excluded, ..
        } = &self.question;
        let counted = (0..).zip(results);
        let mut counted: Vec<Stored> = counted
            .filter(|(index, result)| as_of.counts(*index, result))
            .map(|(_, result)| result)
            .collect();
        let stored_games = counted.len() as u64;
        let sequence = match as_of {
            AsOf::Now => scope.sequence(),
            _ => counted.last().map_or(0, |result| result.sequence),
        };
        let is_kept = |player: &Number| !excluded.contains(player);
        counted.retain(|result| result.players().iter().all(is_kept));
        let mut course = Course::new(self, entrants);
        let last = counted.len();
        for (index, result) in (1..).zip(&counted) {
            course.add(result);
            let points_by = |games: usize| games * self.points / last;
            if points_by(index) > points_by(index - 1) {
                course.rate(index == last)?;
            }
        }
        let kind = self.question.options.error_bars;
        let kind = course.last.as_ref().map_or(kind, |last| last.error_bars);
        Ok(v1::RatingHistoryResponse {
            player: entrants.id(self.player),
            name: entrants.name(self.player).to_owned(),
            pool: Some(scope.pool.to_wire()),
            confidence: self.question.options.level,
            model: model_to_wire(self.question.options.model).into(),
            error_bars: error_bars_to_wire(kind).into(),
            sequence,
            stored_games,
            notes: course.notes(),
            points: course.points,
        })
    }
}

/// A history in the making.
struct Course<'a> {
    development: &'a Development,
    entrants: &'a Entrants,
    tally: Tally,
    /// Who has played so far.
    played: BTreeSet<Number>,
    last: Option<RatingReport>,
    points: Vec<v1::RatingPoint>,
    /// Points before all anchors had played and one was joined to the player.
    unanchored: usize,
}

impl<'a> Course<'a> {
    fn new(development: &'a Development, entrants: &'a Entrants) -> Self {
        Self {
            development,
            entrants,
            tally: Tally::without(entrants, &development.question.excluded),
            played: BTreeSet::new(),
            last: None,
            points: Vec::new(),
            unanchored: 0,
        }
    }

    fn add(&mut self, result: &Stored) {
        self.tally.add(result);
        let [first, second] = result.players();
        if first != second {
            self.played.extend([first, second]);
        }
    }

    /// Rates the games so far; with the last point whatever has never played is refused, as of a list.
    fn rate(&mut self, is_last: bool) -> Result<(), Error> {
        let options = &self.development.question.options;
        let has_played = |player: &Number| self.played.contains(player);
        if !is_last && !options.anchors.keys().all(has_played) {
            self.unanchored += 1;
            return Ok(());
        }
        let mut options = options.clone();
        if !is_last {
            let links = &mut options.links;
            links.retain(|link| has_played(&link.newer) && has_played(&link.older));
        }
        let report = self.solve(&options)?;
        let rated = report.player(self.development.player);
        // Until games join it to an anchor its rating is on another scale.
        let is_joined = |anchor: &Number| {
            let group = |player: Option<&RatedPlayer>| player.map(|player| player.component);
            group(report.player(*anchor)) == group(rated)
        };
        let anchors = &options.anchors;
        if !is_last && !anchors.is_empty() && !anchors.keys().any(is_joined) {
            self.unanchored += 1;
            self.last = Some(report);
            return Ok(());
        }
        self.points
            .extend(rated.and_then(|rated| point(&report, rated, &self.tally.games)));
        self.last = Some(report);
        Ok(())
    }

    /// The solution, sought from that of the point before.
    fn solve(&self, options: &RatingOptions) -> Result<RatingReport, Error> {
        let games = &self.tally.games.aggregates;
        let report = match &self.last {
            Some(last) => rate_again(games, options, last),
            None => rate(games, options),
        };
        report.map_err(|error| refused(error, self.entrants))
    }

    /// What limits the history, for people.
    fn notes(&self) -> Vec<String> {
        let mut notes = self.tally.games.notes();
        if self.points.is_empty() {
            let name = self.entrants.name(self.development.player);
            notes.push(format!("`{name}` has no rating: no games of it count"));
        }
        if self.unanchored > 0 {
            notes.push(format!(
                "{} points before all anchors had played, and games joined one of them to the player, are left out",
                self.unanchored
            ));
        }
        notes.extend(self.last.iter().flat_map(RatingReport::notes));
        notes
    }
}

/// A player's rating as a point of its history.
fn point(report: &RatingReport, rated: &RatedPlayer, games: &Games) -> Option<v1::RatingPoint> {
    Some(v1::RatingPoint {
        pool_games: report.games,
        games: rated.games,
        elo: rated.rating_elo?,
        interval: rated.error_elo,
        stored_unix_ms: games.stored_unix_ms,
        quarters: rated.points.0,
        interval_low: rated.interval_elo.map(|[low, _]| low),
        interval_high: rated.interval_elo.map(|[_, high]| high),
        perfect: rated.perfect.is_some(),
        bound_elo: rated.bound_elo,
        sequence: games.sequence,
    })
}
