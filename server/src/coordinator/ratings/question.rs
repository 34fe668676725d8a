//! What is asked of the ratings, checked and in one form, so that equal questions are found in the cache.

use std::collections::{BTreeMap, BTreeSet};

use proto::v1;

use super::entrants::{Entrants, named_twice};
use crate::{
    coordinator::{
        Error,
        pools::{Place, Scope},
    },
    ratings::{
        ErrorBars, FirstMove, Link, MAX_CHOSEN, MAX_COVARIANCE, MIN_REFITS, Model,
        Player as Number, RatingOptions, Refits,
    },
};

/// Players that may be named as anchors or to be left out.
const MAX_NAMED: usize = 2_000;
/// Most fits behind the error bars of one question.
const MAX_REFITS: u32 = 1_000;
/// Elo by which the difference of two linked versions is expected to stray, unless given.
const LINK_DEVIATION: f64 = 50.0;
/// Virtual games between equals behind the outcome shares of models B and C.
const OUTCOME_PRIOR: f64 = 1.0;

/// A question about ratings, in one form for all ways of asking it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    pub place: Place,
    pub as_of: AsOf,
    /// Players left out with all their games.
    pub excluded: BTreeSet<Number>,
    pub options: RatingOptions,
}

/// Up to where games count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AsOf {
    /// All.
    Now,
    /// The first so many in order of storing.
    Games(u64),
    /// Those stored by then, in milliseconds since 1970.
    Time(u64),
}

/// A confidence level; 0 = 0.95.
pub(in crate::coordinator) fn checked_level(confidence: f64) -> Result<f64, Error> {
    match confidence {
        0.0 => Ok(0.95),
        level if level > 0.0 && level < 1.0 => Ok(level),
        _ => Err(Error::Invalid(
            "confidence: must be above 0 and below 1".to_owned(),
        )),
    }
}

impl AsOf {
    /// What was asked for; as many games as there are, or more, are all.
    pub fn from_wire(message: Option<&v1::AsOf>, scope: &Scope) -> Result<Self, Error> {
        use v1::as_of::Point;
        let Some(message) = message else {
            return Ok(Self::Now);
        };
        let invalid = |problem: &str| Err(Error::Invalid(format!("as_of{problem}")));
        match message.point {
            None => invalid(": names no point; give a number of games or a time"),
            Some(Point::Games(0)) => invalid(".games: must be at least 1"),
            Some(Point::UnixMs(0)) => invalid(".unix_ms: must be at least 1"),
            Some(Point::Games(games)) if games >= scope.stored() => Ok(Self::Now),
            Some(Point::Games(games)) => Ok(Self::Games(games)),
            Some(Point::UnixMs(time)) => Ok(Self::Time(time)),
        }
    }
}

impl Question {
    /// Whether the list is small enough for error bars of all.
    pub fn has_all_error_bars(&self, entrants: &Entrants) -> bool {
        entrants.players.len() - self.excluded.len() <= MAX_COVARIANCE
    }

    pub fn new(
        request: &v1::GetRatingsRequest,
        scope: &Scope,
        entrants: &Entrants,
    ) -> Result<Self, Error> {
        let defaults = v1::RatingOptions::default();
        let asked = request.options.as_ref().unwrap_or(&defaults);
        let excluded: BTreeSet<Number> = named(&asked.exclude, "options.exclude", entrants)?
            .into_iter()
            .collect();
        let error_bars_for = error_bars_for(asked, entrants, &excluded)?;
        let model = model(asked.model)?;
        let error_bars = error_bars(asked, model)?;
        let options = RatingOptions {
            model,
            prior_draws: asked.prior_draws.unwrap_or(1.0),
            first_move: match asked.first_move_elo {
                None => FirstMove::Estimated,
                Some(elo) => FirstMove::Fixed { elo },
            },
            average_elo: match request.anchor.as_str() {
                "" => request.anchor_elo,
                _ => 0.0,
            },
            anchors: anchors(request, asked, entrants, &excluded)?,
            links: links(asked, entrants, &excluded)?,
            error_bars,
            error_bars_for,
            draw_order: match error_bars {
                ErrorBars::Bootstrap(_) | ErrorBars::Simulation(_) => entrants.by_name(),
                _ => Vec::new(),
            },
            level: checked_level(request.confidence)?,
        };
        Ok(Self {
            place: scope.place.clone(),
            as_of: AsOf::from_wire(request.as_of.as_ref(), scope)?,
            excluded,
            options,
        })
    }
}

fn named(names: &[String], field: &str, entrants: &Entrants) -> Result<Vec<Number>, Error> {
    if names.len() > MAX_NAMED {
        let problem = format!(
            "{field}: {} players are named, the limit is {MAX_NAMED}",
            names.len()
        );
        return Err(Error::Invalid(problem));
    }
    entrants.each_once(names, field)
}

pub(super) fn not_left_out(
    number: Number,
    field: &str,
    entrants: &Entrants,
    excluded: &BTreeSet<Number>,
) -> Result<Number, Error> {
    match excluded.contains(&number) {
        false => Ok(number),
        true => Err(Error::Invalid(format!(
            "{field}: `{}` is left out by options.exclude; name a player that is rated",
            entrants.name(number)
        ))),
    }
}

/// Whose error bars are wanted: nobody's in particular where all have them.
fn error_bars_for(
    asked: &v1::RatingOptions,
    entrants: &Entrants,
    excluded: &BTreeSet<Number>,
) -> Result<Vec<Number>, Error> {
    const FIELD: &str = "options.error_bars_for";
    let mut numbers = named(&asked.error_bars_for, FIELD, entrants)?;
    if numbers.len() > MAX_CHOSEN {
        let problem = format!(
            "{FIELD}: {} players are named, the limit is {MAX_CHOSEN}",
            numbers.len()
        );
        return Err(Error::Invalid(problem));
    }
    for &number in &numbers {
        not_left_out(number, FIELD, entrants, excluded)?;
    }
    if entrants.players.len() - excluded.len() <= MAX_COVARIANCE {
        numbers.clear();
    }
    numbers.sort_unstable();
    Ok(numbers)
}

fn anchors(
    request: &v1::GetRatingsRequest,
    asked: &v1::RatingOptions,
    entrants: &Entrants,
    excluded: &BTreeSet<Number>,
) -> Result<BTreeMap<Number, f64>, Error> {
    const FIELD: &str = "options.anchors";
    if asked.anchors.len() > MAX_NAMED {
        let problem = format!(
            "{FIELD}: {} players are named, the limit is {MAX_NAMED}",
            asked.anchors.len()
        );
        return Err(Error::Invalid(problem));
    }
    let first = (!request.anchor.is_empty()).then_some((
        "anchor",
        request.anchor.as_str(),
        request.anchor_elo,
    ));
    let others = asked
        .anchors
        .iter()
        .map(|anchor| (FIELD, anchor.player.as_str(), anchor.elo));
    let mut anchors = BTreeMap::new();
    for (field, player, elo) in first.into_iter().chain(others) {
        let number = entrants.number(player, field)?;
        not_left_out(number, field, entrants, excluded)?;
        if anchors.insert(number, elo).is_some() {
            return Err(named_twice(field, entrants.name(number)));
        }
    }
    Ok(anchors)
}

fn model(asked: i32) -> Result<Model, Error> {
    let outcome_prior = OUTCOME_PRIOR;
    match v1::RatingModel::try_from(asked) {
        Ok(v1::RatingModel::Unspecified | v1::RatingModel::Score) => Ok(Model::Score),
        Ok(v1::RatingModel::OrderedLogit) => Ok(Model::OrderedLogit { outcome_prior }),
        Ok(v1::RatingModel::AdjacentCategories) => Ok(Model::AdjacentCategories { outcome_prior }),
        Err(_) => Err(Error::Invalid(format!(
            "options.model: {asked} is not known; there are RATING_MODEL_SCORE (1), RATING_MODEL_ORDERED_LOGIT (2) and \
             RATING_MODEL_ADJACENT_CATEGORIES (3)"
        ))),
    }
}

/// Versions of one engine.
fn links(
    asked: &v1::RatingOptions,
    entrants: &Entrants,
    excluded: &BTreeSet<Number>,
) -> Result<Vec<Link>, Error> {
    const FIELD: &str = "options.links";
    if asked.links.len() > MAX_NAMED {
        let problem = format!(
            "{FIELD}: there are {}, the limit is {MAX_NAMED}",
            asked.links.len()
        );
        return Err(Error::Invalid(problem));
    }
    let number =
        |player: &str| not_left_out(entrants.number(player, FIELD)?, FIELD, entrants, excluded);
    let link = |link: &v1::RatingLink| {
        Ok(Link {
            newer: number(&link.newer)?,
            older: number(&link.older)?,
            elo: link.elo,
            deviation_elo: link.deviation_elo.unwrap_or(LINK_DEVIATION),
        })
    };
    asked.links.iter().map(link).collect()
}

/// The kind of error bars; models B and C have only one closed form, so that what they would do anyway is one question.
fn error_bars(asked: &v1::RatingOptions, model: Model) -> Result<ErrorBars, Error> {
    use v1::ErrorBars as Asked;
    let Ok(kind) = Asked::try_from(asked.error_bars) else {
        return Err(Error::Invalid(format!(
            "options.error_bars: {} is not known; there are ERROR_BARS_DISPERSION (1), ERROR_BARS_SANDWICH (2), \
             ERROR_BARS_GLOBAL (3), ERROR_BARS_BINOMIAL (4), ERROR_BARS_NONE (5), ERROR_BARS_BOOTSTRAP (6) and \
             ERROR_BARS_SIMULATION (7)",
            asked.error_bars
        )));
    };
    let refits = refits(asked, kind)?;
    Ok(match (kind, model) {
        (Asked::None, _) => ErrorBars::None,
        (Asked::Bootstrap, _) => ErrorBars::Bootstrap(refits),
        (Asked::Simulation, _) => ErrorBars::Simulation(refits),
        (Asked::Unspecified | Asked::Binomial, Model::OrderedLogit { .. })
        | (Asked::Unspecified | Asked::Binomial, Model::AdjacentCategories { .. }) => {
            ErrorBars::Binomial
        }
        (_, Model::OrderedLogit { .. } | Model::AdjacentCategories { .. }) => {
            return Err(Error::Invalid(format!(
                "options.error_bars: {} goes only with the score model; the others have ERROR_BARS_BINOMIAL, \
                 ERROR_BARS_BOOTSTRAP and ERROR_BARS_SIMULATION",
                kind.as_str_name()
            )));
        }
        (Asked::Unspecified | Asked::Dispersion, Model::Score) => ErrorBars::Dispersion,
        (Asked::Sandwich, Model::Score) => ErrorBars::Sandwich,
        (Asked::Global, Model::Score) => ErrorBars::Global,
        (Asked::Binomial, Model::Score) => ErrorBars::Binomial,
    })
}

/// The number of fits and their seed, where there are any.
fn refits(asked: &v1::RatingOptions, kind: v1::ErrorBars) -> Result<Refits, Error> {
    let is_refitted = matches!(kind, v1::ErrorBars::Bootstrap | v1::ErrorBars::Simulation);
    let invalid = |problem: String| Err(Error::Invalid(format!("options.{problem}")));
    let seed = asked.refit_seed.unwrap_or(Refits::default().seed);
    match (is_refitted, asked.refits) {
        (false, 0) if asked.refit_seed.is_none() => Ok(Refits::default()),
        (false, 0) => invalid("refit_seed: goes only with bootstrap and simulation".to_owned()),
        (false, _) => invalid("refits: goes only with bootstrap and simulation".to_owned()),
        (true, 0) => Ok(Refits {
            seed,
            ..Refits::default()
        }),
        (true, count) if count < MIN_REFITS => invalid(format!(
            "refits: {count} are too few for error bars, give {MIN_REFITS} to {MAX_REFITS}"
        )),
        (true, count) if count <= MAX_REFITS => Ok(Refits { count, seed }),
        (true, count) => invalid(format!(
            "refits: {count} are too many for a coordinator, give {MIN_REFITS} to {MAX_REFITS}; `brouhaha stats ratings` makes more of files"
        )),
    }
}
