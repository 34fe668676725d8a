//! Two players' games against each other.

use std::sync::Arc;

use proto::v1;

use super::{
    games::Games,
    question::{AsOf, checked_level},
};
use crate::{
    coordinator::{Coordinator, Error},
    ratings::{MatchEstimate, PairTable, match_report},
};

impl Coordinator {
    /// Two players' games against each other.
    pub async fn head_to_head(
        self: &Arc<Self>,
        request: v1::HeadToHeadRequest,
    ) -> Result<v1::HeadToHeadResponse, Error> {
        let level = checked_level(request.confidence)?;
        self.query(move |this| {
            let (scope, entrants) = this.entrants(request.scope.as_ref())?;
            let near = entrants.number(&request.player, "player")?;
            let far = entrants.number(&request.opponent, "opponent")?;
            different([near, far])?;
            let (table, sequence) = match AsOf::from_wire(request.as_of.as_ref(), &scope)? {
                AsOf::Now => {
                    let table = Games::between(&scope, &entrants, near, far);
                    (table, scope.sequence())
                }
                as_of => {
                    let games = this.games_as_of(&scope, &entrants, as_of)?;
                    (games.aggregates.table(near, far), games.sequence)
                }
            };
            Ok(v1::HeadToHeadResponse {
                sequence,
                ..head_to_head(&table, level)
            })
        })
        .await
    }
}

/// Refuses one player in the place of two.
pub(super) fn different([player, opponent]: [usize; 2]) -> Result<(), Error> {
    match player == opponent {
        false => Ok(()),
        true => Err(Error::Invalid(
            "opponent: is the same as `player`; name two players".to_owned(),
        )),
    }
}

/// Two players' games against each other, seen by the near one.
pub(in crate::coordinator) fn head_to_head(
    table: &PairTable,
    level: f64,
) -> v1::HeadToHeadResponse {
    let report = match_report(table, level);
    let mut moved_second = table.far_first_totals();
    // Seen by the player, not by the opponent who moved first.
    moved_second.reverse();
    let estimate = report.estimate.filter(|_| report.pairs >= 2);
    let estimate = estimate.as_ref();
    v1::HeadToHeadResponse {
        games: report.games,
        quarters: report.points.0,
        moved_first: table.near_first_totals().to_vec(),
        moved_second: moved_second.to_vec(),
        pair_quarters: report.pair_histogram.to_vec(),
        elo: estimate.map(|estimate| estimate.elo),
        interval: estimate.map(MatchEstimate::elo_error),
        outcomes: report.outcomes.to_vec(),
        los: estimate.map(|estimate| estimate.los),
        elo_low: estimate.map(|estimate| estimate.elo_interval[0]),
        elo_high: estimate.map(|estimate| estimate.elo_interval[1]),
        normalized_elo: estimate.map(|estimate| estimate.nelo),
        normalized_interval: estimate.map(|estimate| estimate.nelo_error),
        level_pairs: report.level_pairs.to_vec(),
        unpaired: report.unpaired,
        first_mover_score: report.first_mover_score,
        pairs_ratio: report.pairs_ratio,
        pair_correlation: report.pair_correlation,
        sequence: 0,
    }
}
