//! The columns that rest on ratings: mean rating of the opponents, performance.

use std::collections::BTreeMap;

use super::meetings::Meetings;
use crate::ratings::aggregates::Player;
use crate::ratings::elo::EloHundredths;
use crate::ratings::pair_table::weighted;
use crate::ratings::performance::{
    Opponent, performance_against, performance_against_with_half_draw,
};

/// What the ratings of those whom a player met say of it. Both are `None` without games, and where an opponent has no rating.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RatedColumns {
    /// Mean over games of the opponent's rating (FIDE handbook C.07: ARO), rounded, halves away from 0.
    pub mean_opponent: Option<EloHundredths>,
    /// The rating at which the points obtained in these games would have been expected, whoever moved first (STATS.md 1.6).
    /// With all points or none, half a point against the mean opponent is added, as otherwise it would be infinite.
    pub performance: Option<EloHundredths>,
}

/// Rating of an opponent and number of games against it.
type Met = (EloHundredths, u64);

/// These columns of every player, in the order of [`Meetings::players`]. Only games count: points without games and rounds
/// not played do not.
pub(super) fn rated_columns(
    meetings: &Meetings,
    ratings: &BTreeMap<Player, EloHundredths>,
) -> Vec<RatedColumns> {
    let players = meetings.players.iter();
    let ratings: Vec<Option<EloHundredths>> =
        players.map(|player| ratings.get(player).copied()).collect();
    // `None` once there is an opponent without a rating.
    let mut met: Vec<Option<Vec<Met>>> = vec![Some(Vec::new()); ratings.len()];
    for meeting in &meetings.met {
        for (player, opponent, _) in meeting.both_ways() {
            match (&mut met[player], ratings[opponent]) {
                (Some(met), Some(rating)) => met.push((rating, meeting.games)),
                (slot, _) => *slot = None,
            }
        }
    }
    let sums = meetings.sums.iter().map(|sums| weighted(&sums.outcomes));
    let column = |((met, own), quarters): ((Option<Vec<Met>>, Option<EloHundredths>), u64)| {
        met.map_or_else(RatedColumns::default, |met| of(&met, quarters, own))
    };
    met.into_iter().zip(ratings).zip(sums).map(column).collect()
}

/// The columns of a player by whom it met and the quarter points that it took. The search for its performance begins at its
/// own rating, which is near.
fn of(met: &[Met], quarters: u64, own: Option<EloHundredths>) -> RatedColumns {
    let opponents = met.iter().map(|&(rating, games)| Opponent {
        elo: rating.elo(),
        games,
    });
    let opponents: Vec<Opponent> = opponents.collect();
    let points = quarters as f64 / 4.0;
    let near = own.map(EloHundredths::elo);
    let performance = performance_against(&opponents, points, near)
        .or_else(|| performance_against_with_half_draw(&opponents, points));
    RatedColumns {
        mean_opponent: mean(met),
        performance: performance.and_then(EloHundredths::nearest),
    }
}

/// The mean in whole numbers, so that the order in which opponents are added up does not matter.
fn mean(opponents: &[Met]) -> Option<EloHundredths> {
    let games: i128 = opponents.iter().map(|(_, games)| i128::from(*games)).sum();
    let sum: i128 = opponents
        .iter()
        .map(|(rating, games)| i128::from(rating.0) * i128::from(*games))
        .sum();
    // Nearest, halves away from 0.
    let nearest = (2 * sum.abs() + games).checked_div(2 * games)? * sum.signum();
    i64::try_from(nearest).ok().map(EloHundredths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ratings::aggregates::Aggregates;
    use crate::ratings::outcome::Outcome;

    fn hundredths(ratings: &[i64]) -> BTreeMap<Player, EloHundredths> {
        (0..)
            .zip(ratings.iter().map(|&rating| EloHundredths(rating)))
            .collect()
    }

    fn results(games: &[(Player, Player, Outcome)]) -> Aggregates {
        let mut results = Aggregates::new();
        for &(first, second, outcome) in games {
            results.add_single(first, second, outcome).unwrap();
        }
        results
    }

    fn columns(mean: i64, performance: i64) -> RatedColumns {
        RatedColumns {
            mean_opponent: Some(EloHundredths(mean)),
            performance: Some(EloHundredths(performance)),
        }
    }

    #[test]
    fn means_and_performances_by_hand() {
        use Outcome::{Draw, Loss, Win};
        let results = results(&[
            (0, 1, Win),
            (1, 0, Draw),
            (2, 0, Loss),
            (0, 2, Win),
            (1, 2, Draw),
        ]);
        let rated = rated_columns(
            &Meetings::new(&results),
            &hundredths(&[10_000, -4_001, -5_998]),
        );
        // 0: four games, two at -40.01 and two at -59.98: mean -49.995, a half, which goes away from 0. 3.5 of 4 points.
        // Performances by 40-digit arithmetic (mpmath's findroot of sum 1 / (1 + 10^((elo-R)/400)) = points): 288.25940,
        // -78.63622, -234.74773.
        assert_eq!(rated[0], columns(-5_000, 28_826));
        // 1: 100, 100, -59.98: 140.02 / 3 = 46.6733. One of 3 points.
        assert_eq!(rated[1], columns(4_667, -7_864));
        // 2: 100, 100, -40.01: 159.99 / 3 = 53.33. Half of 3 points.
        assert_eq!(rated[2], columns(5_333, -23_475));
    }

    #[test]
    fn perfect_scores_have_half_a_draw_more() {
        let one = results(&[(0, 1, Outcome::Win), (1, 0, Outcome::Loss)]);
        let rated = rated_columns(&Meetings::new(&one), &hundredths(&[5_000, -5_000]));
        // 2.5 of 3 against -50: -50 + 400 log10(5) = 229.588; and the other way round.
        assert_eq!(rated[0], columns(-5_000, 22_959));
        assert_eq!(rated[1], columns(5_000, -22_959));
    }

    #[test]
    fn what_has_no_rating_or_no_games_has_no_value() {
        let mut one = results(&[(0, 1, Outcome::Win), (2, 3, Outcome::Draw)]);
        one.add_player(4);
        let unrated = rated_columns(&Meetings::new(&one), &BTreeMap::new());
        assert_eq!(unrated, [RatedColumns::default(); 5]);
        let rated = rated_columns(&Meetings::new(&one), &hundredths(&[100, -100, 0]));
        assert!(rated[0].mean_opponent.is_some() && rated[3].performance.is_some());
        assert_eq!(rated[2], RatedColumns::default());
        assert_eq!(rated[4], RatedColumns::default());
    }
}
