//! The tie-breaks and their values for players who are tied.

use super::order::Standing;
use crate::ratings::aggregates::Aggregates;

/// A way of telling players with equal points apart; more is better, except for forfeits.
///
/// FIDE handbook C.07 (tie-break regulations in force since August 2024), counted per game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TieBreak {
    /// Points among the tied; void unless all of them met equally often, at least once.
    DirectEncounter,
    /// Own points weighted by the opponents' final points.
    SonnebornBerger,
    /// Opponents' final points.
    Buchholz,
    /// Opponents' final points without the lowest.
    BuchholzCut1,
    /// Opponents' final points without the lowest and the highest.
    MedianBuchholz,
    /// Number of wins.
    Wins,
    /// Number of wins in games in which the opponent moved first.
    WinsSecond,
    /// Number of games in which the opponent moved first.
    GamesSecond,
    /// Points against opponents with at least half of their points.
    Koya,
    /// Sum of running scores.
    Progressive,
    /// Fewer crashes, time forfeits and illegal moves.
    FewerForfeits,
    /// Mean rating of the opponents; void where [`Event::ratings`](super::Event::ratings) has none.
    MeanOpponentRating,
    /// Rating at which the points obtained would have been expected; void as the one before.
    Performance,
}

impl TieBreak {
    /// The list for a round robin or a gauntlet.
    pub const ROUND_ROBIN: [Self; 4] = [
        Self::DirectEncounter,
        Self::SonnebornBerger,
        Self::Wins,
        Self::WinsSecond,
    ];

    /// The list for a Swiss tournament.
    pub const SWISS: [Self; 5] = [
        Self::BuchholzCut1,
        Self::Buchholz,
        Self::SonnebornBerger,
        Self::Progressive,
        Self::DirectEncounter,
    ];
}

/// Appends the value of one tie-break to every row of a tied group; `None` to all of them where it is void for one.
pub(super) fn evaluate(results: &Aggregates, tie_break: TieBreak, group: &mut [Standing]) {
    if tie_break == TieBreak::DirectEncounter {
        meet(results, group);
    }
    let values: Option<Vec<i128>> = group.iter().map(|row| value(tie_break, row)).collect();
    for (index, row) in group.iter_mut().enumerate() {
        row.tie_breaks
            .push(values.as_ref().map(|values| values[index]));
    }
}

/// Fills in the points of a tied group among themselves.
pub(super) fn meet(results: &Aggregates, group: &mut [Standing]) {
    let points = direct_encounter(results, group);
    for (index, row) in group.iter_mut().enumerate() {
        row.direct_encounter_q = points.as_ref().map(|points| points[index]);
    }
}

/// The value of a tie-break by a player's columns, more is better.
fn value(tie_break: TieBreak, row: &Standing) -> Option<i128> {
    let columns = &row.columns;
    let whole = |sum: u128| i128::try_from(sum).unwrap_or(i128::MAX);
    Some(match tie_break {
        TieBreak::DirectEncounter => row.direct_encounter_q?.into(),
        TieBreak::SonnebornBerger => whole(columns.sonneborn_berger_q16),
        TieBreak::Buchholz => whole(columns.buchholz_q),
        TieBreak::BuchholzCut1 => whole(columns.buchholz_cut1_q),
        TieBreak::MedianBuchholz => whole(columns.median_buchholz_q),
        TieBreak::Wins => columns.wins().into(),
        TieBreak::WinsSecond => columns.wins_second.into(),
        TieBreak::GamesSecond => columns.games_second.into(),
        TieBreak::Koya => columns.koya_q.into(),
        TieBreak::Progressive => row.progressive_q.into(),
        TieBreak::FewerForfeits => -i128::from(row.forfeits),
        TieBreak::MeanOpponentRating => row.rated.mean_opponent?.0.into(),
        TieBreak::Performance => row.rated.performance?.0.into(),
    })
}

/// Quarter points of each of a tied group against the others of it; `None` unless all met equally often.
fn direct_encounter(results: &Aggregates, group: &[Standing]) -> Option<Vec<u64>> {
    if group.len() < 2 {
        return None;
    }
    let mut points = vec![0; group.len()];
    let mut games = None;
    for (i, near) in group.iter().enumerate() {
        for (j, far) in group.iter().enumerate().skip(i + 1) {
            let table = results.table(near.player, far.player);
            let met = table.games();
            if met == 0 || *games.get_or_insert(met) != met {
                return None;
            }
            points[i] += table.near_quarters().0;
            points[j] += table.far_quarters().0;
        }
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::super::order::{Event, standings};
    use super::*;
    use crate::ratings::aggregates::Player;
    use crate::ratings::elo::EloHundredths;
    use crate::ratings::outcome::Outcome;

    #[test]
    fn ratings_of_opponents_decide_unless_they_are_void_for_one_of_the_tied() {
        let mut results = Aggregates::new();
        for [first, second] in [[0, 1], [2, 3]] {
            results.add_single(first, second, Outcome::Draw).unwrap();
        }
        let mut more = results.clone();
        more.add_player(4);
        let mut event = Event::new(&results);
        let ratings = [10_000, 0, 1, 5_000].map(EloHundredths);
        event.ratings = (0..).zip(ratings).collect();
        let order = |event: &Event, tie_break| -> Vec<Player> {
            let rows = standings(event, &[tie_break]).rows;
            rows.iter().map(|row| row.player).collect()
        };
        // Opponents of 0, 1, 2, 3: 0.00, 100.00, 50.00, 0.01. A draw performs as the opponent.
        assert_eq!(order(&event, TieBreak::MeanOpponentRating), [1, 2, 3, 0]);
        assert_eq!(order(&event, TieBreak::Performance), [1, 2, 3, 0]);
        // One who was given as many points without a game met nobody.
        let given = Some([(4, 2)].into());
        let event = Event {
            results: &more,
            given,
            ..event
        };
        for tie_break in [TieBreak::MeanOpponentRating, TieBreak::Performance] {
            assert_eq!(order(&event, tie_break), [0, 1, 2, 3, 4]);
            let rows = standings(&event, &[tie_break]).rows;
            assert!(rows.iter().all(|row| row.tie_breaks == [None]));
            // The column has what there is.
            assert_eq!(rows[0].rated.mean_opponent, Some(EloHundredths(0)));
            assert_eq!(rows[4].rated.mean_opponent, None);
        }
        // Neither do ratings that do not compare.
        let event = Event::new(&results);
        assert_eq!(order(&event, TieBreak::Performance), [0, 1, 2, 3]);
    }
}
