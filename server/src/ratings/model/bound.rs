//! One-sided bounds for players that won or lost everything.

use super::report::PerfectScore;
use crate::ratings::elo::ln_sigmoid;
use crate::ratings::pool::Pool;

/// Whether a player took all points of its games, or none.
pub(super) fn perfect_score(pool: &Pool, index: usize) -> Option<PerfectScore> {
    let (games, points) = (pool.games[index], pool.points[index].0);
    match points {
        _ if games == 0 => None,
        0 => Some(PerfectScore::LostAll),
        _ if points == 4 * games => Some(PerfectScore::WonAll),
        _ => None,
    }
}

/// Strength, in natural units, at which the perfect score has the given probability with the
/// opponents' strengths fixed: a lower bound after wins only, an upper bound after losses only.
pub(super) fn one_sided_bound(
    pool: &Pool,
    index: usize,
    score: PerfectScore,
    strengths: &[f64],
    first_move: f64,
    probability: f64,
) -> f64 {
    let sign = match score {
        PerfectScore::WonAll => 1.0,
        PerfectScore::LostAll => -1.0,
    };
    // Rows of (games, strength to overcome), seen so that a perfect score is a win of all of them.
    let mut games = Vec::new();
    for met in &pool.encounters {
        let (near, far): (u64, u64) = (met.near_games, met.far_games);
        let (opponent, first, second) = match index {
            _ if index == met.near => (met.far, near, far),
            _ if index == met.far => (met.near, far, near),
            _ => continue,
        };
        games.push((first as f64, strengths[opponent] - first_move));
        games.push((second as f64, strengths[opponent] + first_move));
    }
    let log_probability = |strength: f64| -> f64 {
        games
            .iter()
            .map(|&(n, other)| n * ln_sigmoid(sign * (strength - other)))
            .sum()
    };
    let target = probability.ln();
    let centre = strengths.iter().fold(0.0_f64, |top, s| top.max(s.abs())) + first_move.abs();
    let (mut low, mut high) = (-centre - 1e3, centre + 1e3);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if (log_probability(middle) < target) == (sign > 0.0) {
            low = middle;
        } else {
            high = middle;
        }
    }
}
