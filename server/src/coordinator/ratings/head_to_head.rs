//! Two players' games against each other.

use std::sync::Arc;

use proto::v1;

use super::{
    games::Games,
    question::{AsOf, checked_level},
};
use crate::{
    coordinator::{Coordinator, Error},
    ratings::{MatchDifference, MatchNote, PairTable, match_report, normal},
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
        first_mover_interval: first_mover_error(table)
            .map(|error| error * normal::two_sided(level)),
    }
}

/// Standard error of the points a game of whoever moved first: of a ratio of sums over observations, where both games of a
/// pair are one (W. Cochran, "Sampling techniques", 1977, section 6.5). `None` with fewer than two observations and where
/// all are alike.
fn first_mover_error(table: &PairTable) -> Option<f64> {
    // Observations by their games and the first movers' points in quarters.
    let mut observations = Vec::new();
    for (x, row) in (0..).zip(&table.pairs) {
        for (y, &count) in (0..).zip(row) {
            observations.push((f64::from(count), 2.0, f64::from(x + y)));
        }
    }
    for singles in [&table.near_first, &table.far_first] {
        for (k, &count) in (0..).zip(singles) {
            observations.push((f64::from(count), 1.0, f64::from(k)));
        }
    }
    let sum = |of: fn(&(f64, f64, f64)) -> f64| observations.iter().map(of).sum::<f64>();
    let count = sum(|(count, ..)| *count);
    let games = sum(|(count, games, _)| count * games);
    let mean = sum(|(count, _, quarters)| count * quarters) / games;
    let residual = |(count, games, quarters): &(f64, f64, f64)| {
        let residual = quarters - mean * games;
        count * residual * residual
    };
    let squares: f64 = observations.iter().map(residual).sum();
    let is_known = count >= 2.0 && squares > 1e-9;
    is_known.then(|| (squares * count / (count - 1.0)).sqrt() / games / 4.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ratings::Outcome;

    /// Against the standard error of a mean, which it is where all observations are of as many games.
    #[test]
    fn the_first_movers_score_has_the_error_of_a_mean() {
        let mut pairs = PairTable::default();
        pairs.add_pair(Outcome::Win, Outcome::Win);
        pairs.add_pair(Outcome::Loss, Outcome::Loss);
        // Means of 1 and 0: a deviation of 1 / sqrt 2, over sqrt 2.
        assert!((first_mover_error(&pairs).unwrap() - 0.5).abs() < 1e-12);
        let mut singles = PairTable::default();
        singles.add_near_first(Outcome::Win);
        singles.add_near_first(Outcome::Loss);
        singles.far_first = [0, 0, 1, 0, 1];
        // 1, 0, 0.5, 1 about 0.625: squares of 0.6875 over 3, over 4.
        let expected = (0.6875_f64 / 3.0 / 4.0).sqrt();
        assert!((first_mover_error(&singles).unwrap() - expected).abs() < 1e-12);
        // 1.644854 of them are half an interval of 90 %.
        let half = head_to_head(&singles, 0.9).first_mover_interval.unwrap();
        assert!((half - 1.644_853_627 * expected).abs() < 1e-8);
        // Nothing is known of the spread of one pair, nor of games that are all alike.
        let mut one = PairTable::default();
        one.add_pair(Outcome::Win, Outcome::Loss);
        assert_eq!(first_mover_error(&one), None);
        one.add_pair(Outcome::Draw, Outcome::Draw);
        assert_eq!(first_mover_error(&one), None);
        assert_eq!(first_mover_error(&PairTable::default()), None);
    }
}
