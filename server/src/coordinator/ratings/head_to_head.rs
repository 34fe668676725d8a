//! Two players' games against each other.

use std::sync::Arc;

use proto::v1;

use super::{
    games::Games,
    question::{AsOf, checked_level},
};
use crate::{
    coordinator::{Coordinator, Error},
    ratings::{MatchDifference, MatchNote, PairTable, match_report},
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
    let found = report.estimate.as_ref().map(MatchDifference::from);
    let note = match found.map_or(MatchNote::None, |found| found.note) {
        MatchNote::None => v1::MatchNote::Unspecified,
        MatchNote::AllAlike => v1::MatchNote::AllAlike,
        MatchNote::Perfect => v1::MatchNote::Perfect,
        MatchNote::BeyondScale => v1::MatchNote::BeyondScale,
    };
    v1::HeadToHeadResponse {
        games: report.games,
        quarters: report.points.0,
        moved_first: table.near_first_totals().to_vec(),
        moved_second: moved_second.to_vec(),
        pair_quarters: report.pair_histogram.to_vec(),
        elo: found.and_then(|found| found.elo),
        interval: found.as_ref().and_then(MatchDifference::error),
        outcomes: report.outcomes.to_vec(),
        los: found.and_then(|found| found.los),
        elo_low: found.and_then(|found| found.low),
        elo_high: found.and_then(|found| found.high),
        normalized_elo: found.and_then(|found| found.nelo),
        normalized_interval: found.and_then(|found| found.nelo_error),
        level_pairs: report.level_pairs.to_vec(),
        unpaired: report.unpaired,
        first_mover_score: report.first_mover_score,
        pairs_ratio: report.pairs_ratio,
        pair_correlation: report.pair_correlation,
        sequence: 0,
        note: note.into(),
        confidence: level,
    }
}
