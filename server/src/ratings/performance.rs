//! Performance ratings: the rating that would have made a result expected.

use super::elo::{ELO_PER_NAT, sigmoid};

/// The rating R at which the points expected against the opponents equal the points obtained.
///
/// `None` without opponents, for all points or none, and for input that is not finite.
pub fn performance(opponents_elo: &[f64], points: f64) -> Option<f64> {
    let games = opponents_elo.len() as f64;
    let finite = opponents_elo.iter().all(|elo| elo.is_finite());
    if !(finite && points > 0.0 && points < games) {
        return None;
    }
    let expected = |rating: f64| -> f64 {
        opponents_elo
            .iter()
            .map(|elo| sigmoid((rating - elo) / ELO_PER_NAT))
            .sum()
    };
    let lowest = opponents_elo
        .iter()
        .fold(f64::INFINITY, |low, &elo| low.min(elo));
    let highest = opponents_elo
        .iter()
        .fold(f64::NEG_INFINITY, |high, &elo| high.max(elo));
    let (mut low, mut high) = (lowest - 1e5, highest + 1e5);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return Some(middle);
        }
        if expected(middle) < points {
            low = middle
        } else {
            high = middle
        }
    }
}

/// [`performance`] with half a point added against the mean opponent, which is finite for perfect scores.
pub fn performance_with_half_draw(opponents_elo: &[f64], points: f64) -> Option<f64> {
    let mean = mean(opponents_elo)?;
    let mut opponents = opponents_elo.to_vec();
    opponents.push(mean);
    performance(&opponents, points + 0.5)
}

/// The linear rule: mean opponent + 400 (2 points / games - 1).
pub fn linear_performance(opponents_elo: &[f64], points: f64) -> Option<f64> {
    let share = points / opponents_elo.len() as f64;
    Some(mean(opponents_elo)? + 400.0 * (2.0 * share - 1.0))
}

fn mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}
