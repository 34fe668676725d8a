//! How a player's rating developed.

use std::sync::Arc;

use proto::v1;

use super::{games::Tally, solve::refused};
use crate::{
    coordinator::{Coordinator, Error},
    ratings::{RatingOptions, RatingReport, rate, rate_again},
};

/// Points of a history, unless asked otherwise, and at most.
const POINTS: (u32, u32) = (20, 100);

impl Coordinator {
    /// How a player's rating developed with the games of its pool.
    pub async fn rating_history(
        self: &Arc<Self>,
        request: v1::RatingHistoryRequest,
    ) -> Result<v1::RatingHistoryResponse, Error> {
        let (usual, most) = POINTS;
        let points = match request.points {
            0 => usual,
            points => points,
        };
        if !(2..=most).contains(&points) {
            return Err(Error::Invalid(format!("points: must be 2 to {most}")));
        }
        self.query(move |this| this.history(&request, points as usize))
            .await
    }

    fn history(
        &self,
        request: &v1::RatingHistoryRequest,
        points: usize,
    ) -> Result<v1::RatingHistoryResponse, Error> {
        let (scope, entrants) = self.entrants(request.scope.as_ref())?;
        let player = entrants.number(&request.player, "player")?;
        let results = self.results_in_order(&scope, &entrants)?;
        let options = RatingOptions::default();
        let mut tally = Tally::new(&entrants);
        let mut last: Option<RatingReport> = None;
        let mut history = Vec::new();
        for (index, result) in results.iter().enumerate() {
            tally.add(result);
            let points_by = |games: usize| games * points / results.len();
            if points_by(index + 1) == points_by(index) {
                continue;
            }
            let aggregates = &tally.games.aggregates;
            let report = match &last {
                Some(last) => rate_again(aggregates, &options, last),
                None => rate(aggregates, &options),
            };
            let report = report.map_err(refused)?;
            history.extend(report.player(player).and_then(|rated| {
                Some(v1::RatingPoint {
                    pool_games: report.games,
                    games: rated.games,
                    elo: rated.rating_elo?,
                    interval: rated.error_elo,
                    stored_unix_ms: result.stored_unix_ms,
                })
            }));
            last = Some(report);
        }
        Ok(v1::RatingHistoryResponse { points: history })
    }
}
