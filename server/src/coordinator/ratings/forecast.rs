//! What a game of two players would end in.

use std::sync::Arc;

use proto::v1;

use super::{head_to_head::different, solve::Solution};
use crate::{
    coordinator::{Coordinator, Error},
    ratings::{
        AdjacentCategories, Difference, ErrorBars, Model, OrderedLogit, Player as Number,
        elo::{ELO_PER_NAT, score_of_elo},
        outcome_shares,
    },
};

/// Virtual games between equals behind the shares of outcomes at equal strength.
const OUTCOME_PRIOR: f64 = 1.0;

impl Coordinator {
    /// What a game of two players would end in.
    pub async fn forecast(
        self: &Arc<Self>,
        request: v1::ForecastRequest,
    ) -> Result<v1::ForecastResponse, Error> {
        self.query(move |this| this.forecast_now(&request)).await
    }

    fn forecast_now(&self, request: &v1::ForecastRequest) -> Result<v1::ForecastResponse, Error> {
        let ratings = request.ratings.clone().unwrap_or_default();
        let mut pair: [Number; 2] = [0; 2];
        let solution = self.solve_as(&ratings, |question, entrants| {
            pair = [
                entrants.number(&request.player, "player")?,
                entrants.number(&request.opponent, "opponent")?,
            ];
            different(pair)?;
            if question.options.error_bars != ErrorBars::None
                && !question.has_all_error_bars(entrants)
            {
                question.options.error_bars_for = pair.to_vec();
                question.options.error_bars_for.sort_unstable();
            }
            Ok(())
        })?;
        let [player, opponent] = pair;
        let elo = difference_elo(&solution, player, opponent)?;
        let compared: Option<Difference> = solution.report.difference(player, opponent);
        let error = compared.map(|compared| compared.error_elo);
        let games = |number| {
            let rated = solution.report.player(number);
            rated.map_or(0, |rated| rated.games)
        };
        let first_move = solution.report.first_move.elo;
        let law = match solution.question.options.model {
            Model::Score => Law::Tilted(self.equal_shares(&ratings)?),
            Model::OrderedLogit { .. } => Law::Ordered(solution.report.shape.unwrap_or_default()),
            Model::AdjacentCategories { .. } => {
                Law::Adjacent(solution.report.shape.unwrap_or_default())
            }
        };
        Ok(v1::ForecastResponse {
            player: solution.entrants.name(player).to_owned(),
            opponent: solution.entrants.name(opponent).to_owned(),
            moving_first: Some(law.outcome(elo + first_move, error)?),
            moving_second: Some(law.outcome(elo - first_move, error)?),
            difference: elo,
            interval: error,
            los: compared.map(|compared| compared.los),
            games: solution.report.games,
            sequence: solution.games.sequence,
            confidence: solution.report.level,
            games_between: solution.games_between(player, opponent),
            player_games: games(player),
            opponent_games: games(opponent),
            pool: Some(solution.pool.to_wire()),
        })
    }

    /// Shares of outcomes of a game between equals without a first move, from model C of the same games.
    fn equal_shares(&self, ratings: &v1::GetRatingsRequest) -> Result<[f64; 5], Error> {
        let solution = self.solve_as(ratings, |question, _| {
            question.options.model = Model::AdjacentCategories {
                outcome_prior: OUTCOME_PRIOR,
            };
            // Only its shape is of use.
            question.options.error_bars = ErrorBars::None;
            question.options.error_bars_for.clear();
            question.options.draw_order.clear();
            question.options.anchors.clear();
            Ok(())
        })?;
        let shape = solution.report.shape.unwrap_or_default();
        Ok(AdjacentCategories::shares(0.0, shape))
    }
}

/// The difference of two ratings that can be compared.
fn difference_elo(solution: &Solution, player: Number, opponent: Number) -> Result<f64, Error> {
    let rated = |number: Number| {
        let rated = solution
            .report
            .player(number)
            .filter(|rated| rated.games > 0);
        rated
            .and_then(|rated| Some((rated.rating_elo?, rated.component)))
            .ok_or_else(|| {
                let name = solution.entrants.name(number);
                Error::Precondition(format!(
                    "`{name}` has no rating: it has no games that count"
                ))
            })
    };
    let ((own, component), (other, other_component)) = (rated(player)?, rated(opponent)?);
    match component == other_component {
        true => Ok(own - other),
        false => Err(Error::Precondition(format!(
            "no chain of games connects `{}` with `{}`, so that nothing can be said; let them play",
            solution.entrants.name(player),
            solution.entrants.name(opponent)
        ))),
    }
}

/// How outcomes follow from a difference in Elo.
enum Law {
    /// The score model's expected points, and these shares at equality.
    Tilted([f64; 5]),
    Ordered([f64; 2]),
    Adjacent([f64; 2]),
}

impl Law {
    /// What a game at a difference ends in, and at both ends of the interval of that difference where it has one.
    fn outcome(&self, elo: f64, error: Option<f64>) -> Result<v1::OutcomeForecast, Error> {
        let shares = self.shares(elo).ok_or_else(|| {
            Error::Precondition(format!(
                "a difference of {elo:.0} Elo is too large for a forecast"
            ))
        })?;
        let ends = error.and_then(|error| self.shares(elo - error).zip(self.shares(elo + error)));
        let (low, high) = ends.unzip();
        Ok(v1::OutcomeForecast {
            points: points(&shares),
            shares: shares.to_vec(),
            points_low: low.as_ref().map(points),
            points_high: high.as_ref().map(points),
            shares_low: low.map_or_else(Vec::new, |shares| shares.to_vec()),
            shares_high: high.map_or_else(Vec::new, |shares| shares.to_vec()),
        })
    }

    fn shares(&self, elo: f64) -> Option<[f64; 5]> {
        let eta = elo / ELO_PER_NAT;
        match self {
            Self::Tilted(base) => outcome_shares(*base, score_of_elo(elo)),
            Self::Ordered(shape) => OrderedLogit::shares(eta, *shape),
            Self::Adjacent(shape) => Some(AdjacentCategories::shares(eta, *shape)),
        }
    }
}

fn points(shares: &[f64; 5]) -> f64 {
    (0..)
        .zip(shares)
        .map(|(k, share)| f64::from(k) / 4.0 * share)
        .sum()
}
