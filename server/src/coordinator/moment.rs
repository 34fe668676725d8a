//! The order of a tournament's players at one moment, now or in the past: what every table of them goes by.

use std::{collections::BTreeMap, sync::Arc};

use proto::v1;

use super::{
    Error,
    definition::Definition,
    marks::{Mark, ordered},
    tournament::{Score, Tournament},
};
use crate::{
    model::GameIndex,
    ratings::{Aggregates, Player, RatingOptions, RatingReport, Standing, Standings, rate},
    schedule::Order,
};

/// What the order is made from, taken out of a tournament at one moment.
pub(super) struct Moment {
    pub(super) definition: Arc<Definition>,
    pub(super) aggregates: Aggregates,
    scores: Vec<(GameIndex, Score)>,
    /// What the format orders players by.
    order: Order,
    withdrawn: Vec<bool>,
}

/// The players of a tournament in their order.
pub(super) struct Ranked {
    /// Best first.
    pub(super) table: Standings,
    /// The ratings that the tournament's own results give.
    pub(super) rated: RatingReport,
    /// What the order rests on, before the tie-breaks.
    pub(super) ordered_by: v1::StandingsOrder,
}

impl Moment {
    /// A tournament as it is.
    pub(super) fn of(tournament: &Tournament) -> Self {
        let definition = &tournament.definition;
        Self {
            definition: definition.clone(),
            aggregates: tournament.aggregates().clone(),
            scores: tournament.scores().collect(),
            order: match definition.director.follows_results() {
                true => definition.director.order(&tournament.history()),
                false => Order::Points,
            },
            withdrawn: (0..definition.players.len())
                .map(|player| tournament.has_withdrawn(player))
                .collect(),
        }
    }

    /// Whether a player has withdrawn.
    pub(super) fn has_withdrawn(&self, player: Player) -> bool {
        self.withdrawn.get(player).copied().unwrap_or(false)
    }

    /// Who has withdrawn, by number.
    pub(super) fn into_withdrawn(self) -> Vec<bool> {
        self.withdrawn
    }

    /// The results with their players, in order of game.
    pub(super) fn marks(&self) -> Vec<Mark> {
        let mark = |&(game, score): &(GameIndex, Score)| {
            Some(Mark {
                game,
                movers: self.definition.movers(game)?,
                score,
            })
        };
        self.scores.iter().filter_map(mark).collect()
    }

    /// Rates and orders the players.
    ///
    /// # Errors
    /// The ratings are refused, as for more players than can be rated.
    pub(super) fn ranked(&self, options: &RatingOptions) -> Result<Ranked, Error> {
        let rated = rate(&self.aggregates, options)
            .map_err(|error| Error::Precondition(error.to_string()))?;
        let given = match &self.order {
            Order::AllPoints(given) => Some(&given[..]),
            Order::Points | Order::Course(_) | Order::Rating => None,
        };
        let ratings = rated.comparable();
        let marks = self.marks();
        let mut table = ordered(&self.definition, &self.aggregates, &marks, given, ratings);
        match &self.order {
            Order::Course(places) => rearrange(&mut table.rows, places),
            Order::Rating => rearrange(&mut table.rows, &by_rating(&rated)),
            Order::Points | Order::AllPoints(_) => {}
        }
        let ordered_by = match &self.order {
            Order::Points => by_points(&table),
            Order::AllPoints(_) => v1::StandingsOrder::Points,
            Order::Course(_) => v1::StandingsOrder::Course,
            Order::Rating => v1::StandingsOrder::Rating,
        };
        Ok(Ranked {
            table,
            rated,
            ordered_by,
        })
    }
}

/// What an order by points rests on.
pub(super) fn by_points(table: &Standings) -> v1::StandingsOrder {
    match table.by_percentage {
        true => v1::StandingsOrder::PointsPerGame,
        false => v1::StandingsOrder::Points,
    }
}

/// Players by rating, best first, each with its own place; those without one are not among them.
fn by_rating(rated: &RatingReport) -> Vec<(Player, usize)> {
    let ranking = rated.ranking();
    let known = ranking.filter(|player| player.games > 0 && player.rating_elo.is_some());
    known.map(|player| player.player).zip(1..).collect()
}

/// Orders rows by the places that a format gives; among equals their order stays.
fn rearrange(rows: &mut [Standing], places: &[(Player, usize)]) {
    let places: BTreeMap<Player, usize> = places.iter().copied().collect();
    let last = rows.len().max(1);
    for row in rows.iter_mut() {
        row.place = places.get(&row.player).copied().unwrap_or(last);
    }
    rows.sort_by_key(|row| row.place);
}
