//! Performance ratings: the rating that would have made a result expected.

use super::elo::{ELO_PER_NAT, sigmoid};

/// Last step of a search by halving, in Elo.
const STEP: f64 = 1e-9;
/// Last step of Newton's method, in Elo: what it leaves is at most the square of this by 347 (800 / ln 10).
const NEWTON_STEP: f64 = 1e-4;
/// Most steps; halving alone gets from the widest bracket to [`STEP`] in fewer.
const MOST_STEPS: usize = 200;

/// Games against opponents of one rating.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opponent {
    /// Rating of the opponents in Elo.
    pub elo: f64,
    /// Number of games.
    pub games: u64,
}

/// The rating in Elo at which the points expected against the opponents equal the points obtained.
///
/// `None` without opponents, for all points or none, and for input that is not finite.
pub fn performance(opponents_elo: &[f64], points: f64) -> Option<f64> {
    performance_against(&met(opponents_elo), points, None)
}

/// [`performance`] with half a point added against the mean opponent, which is finite for perfect scores.
pub fn performance_with_half_draw(opponents_elo: &[f64], points: f64) -> Option<f64> {
    performance_against_with_half_draw(&met(opponents_elo), points)
}

/// The linear rule: mean opponent + 400 (2 points / games - 1).
pub fn linear_performance(opponents_elo: &[f64], points: f64) -> Option<f64> {
    let share = points / opponents_elo.len() as f64;
    Some(mean(&met(opponents_elo))? + 400.0 * (2.0 * share - 1.0))
}

/// [`performance`] against opponents that were met several times, at a cost of opponents and not of games: the root R of
/// `sum games sigma((R - elo) / C) = points` (STATS.md 1.6), to 1e-9 Elo, by Newton's method inside a bracket. `near` is where
/// the search begins, if something is known.
pub fn performance_against(opponents: &[Opponent], points: f64, near: Option<f64>) -> Option<f64> {
    let games = games(opponents);
    let is_finite = opponents.iter().all(|met| met.elo.is_finite());
    if !(is_finite && points > 0.0 && points < games) {
        return None;
    }
    let share = points / games;
    // At the rating of the weakest opponent and this much more, no opponent yields more than the share, and at that of the
    // strongest none yields less.
    let above = ELO_PER_NAT * (share / (1.0 - share)).ln();
    let played = || opponents.iter().filter(|met| met.games > 0);
    let mut low = above + played().fold(f64::INFINITY, |low, met| low.min(met.elo));
    let mut high = above + played().fold(f64::NEG_INFINITY, |high, met| high.max(met.elo));
    let mut rating = near.unwrap_or(mean(opponents)? + above).clamp(low, high);
    for _ in 0..MOST_STEPS {
        let (mut excess, mut slope) = (-points, 0.0);
        for met in opponents {
            let expected = sigmoid((rating - met.elo) / ELO_PER_NAT);
            excess += met.games as f64 * expected;
            slope += met.games as f64 * expected * (1.0 - expected) / ELO_PER_NAT;
        }
        if excess < 0.0 {
            low = rating;
        } else {
            high = rating;
        }
        let newton = rating - excess / slope;
        let (next, last_step) = match newton > low && newton < high {
            true => (newton, NEWTON_STEP),
            false => (0.5 * (low + high), STEP),
        };
        let step = (next - rating).abs();
        rating = next;
        if step <= last_step {
            break;
        }
    }
    Some(rating)
}

/// [`performance_against`] with half a point added against the mean opponent, which is finite for perfect scores.
pub fn performance_against_with_half_draw(opponents: &[Opponent], points: f64) -> Option<f64> {
    let half_draw = Opponent {
        elo: mean(opponents)?,
        games: 1,
    };
    let mut opponents = opponents.to_vec();
    opponents.push(half_draw);
    performance_against(&opponents, points + 0.5, None)
}

fn met(opponents_elo: &[f64]) -> Vec<Opponent> {
    let once = |&elo| Opponent { elo, games: 1 };
    opponents_elo.iter().map(once).collect()
}

fn games(opponents: &[Opponent]) -> f64 {
    opponents.iter().map(|met| met.games as f64).sum()
}

fn mean(opponents: &[Opponent]) -> Option<f64> {
    let sum: f64 = opponents.iter().map(|met| met.elo * met.games as f64).sum();
    let mean = sum / games(opponents);
    mean.is_finite().then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }

    #[test]
    fn one_opponent_is_met_at_the_logit_of_the_share() {
        // 3 points of 4: 400 log10(3) more than the opponent; however often it was met.
        let opponent = |games| [Opponent { elo: 12.5, games }];
        let expected = 12.5 + 400.0 * 3f64.log10();
        assert_close(performance_against(&opponent(4), 3.0, None), expected);
        assert_close(
            performance_against(&opponent(400), 300.0, Some(-77.0)),
            expected,
        );
        assert_eq!(performance_against(&opponent(4), 4.0, None), None);
        assert_eq!(performance_against(&opponent(4), 0.0, Some(1.0)), None);
        assert_eq!(performance_against(&[], 0.0, None), None);
        // 4 of 4 and half a draw: 4.5 of 5, odds of 9.
        let perfect = performance_against_with_half_draw(&opponent(4), 4.0);
        assert_close(perfect, 12.5 + 400.0 * 9f64.log10());
        assert_eq!(performance_against_with_half_draw(&[], 0.0), None);
    }

    #[test]
    fn far_opponents_are_found_by_halving() {
        // Half of the points against two as far above as below is the middle, where the slope is small; a quarter of a point
        // less than all against the weaker one alone leaves the other without effect.
        let opponents = |elo: f64, games| [Opponent { elo: -elo, games }, Opponent { elo, games }];
        assert_close(
            performance_against(&opponents(1_500.0, 2), 2.0, Some(900.0)),
            0.0,
        );
        let expected = -9_000.0 + 400.0 * 7f64.log10();
        let found = performance_against(&opponents(9_000.0, 2), 1.75, None);
        assert_close(found, expected);
        // As each game by itself.
        let singly = performance(&[-9_000.0, -9_000.0, 9_000.0, 9_000.0], 1.75);
        assert_eq!(singly, found);
    }
}
