//! What a game tells about strength: Fisher information of outcomes and of scores.

use super::elo::ELO_PER_NAT;
use super::elo::NELO_PER_DEVIATION;
use super::elo::sigmoid;
use super::model::OrderedLogit;

/// How the two quarter outcomes are scored by someone who knows only three.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scoring {
    /// Five values.
    Five,
    /// Advantage and disadvantage are draws.
    QuartersAsDraws,
    /// Advantage is a win, disadvantage a loss.
    QuartersAsDecisive,
}

/// Information of one game about the strength difference, per squared natural unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Information {
    /// Fisher information of the outcome.
    pub outcome: f64,
    /// (dE/d eta)^2 / Var(score): what an estimator gets that uses points only.
    pub score: f64,
    /// Variance of the score.
    pub variance: f64,
    /// Normalized Elo of a small Elo difference.
    pub nelo_per_elo: f64,
}

/// Information of a game in an ordered-logit world with thresholds `shape` (a, b) at strength difference
/// `eta` in natural units; `None` unless 0 < a < b and all is finite.
///
/// Games needed by two ways of scoring are in the inverse ratio of their informations.
pub fn information(shape: [f64; 2], eta: f64, scoring: Scoring) -> Option<Information> {
    let shares = OrderedLogit::shares(eta, shape)?;
    let [a, b] = shape;
    // The density at each threshold; outcome k gains the one below it and loses the one above.
    let density = |cut: f64| sigmoid(cut - eta) * sigmoid(eta - cut);
    let below = [0.0, density(-b), density(-a), density(a), density(b)];
    let slope = |k: usize| below[k] - below.get(k + 1).copied().unwrap_or(0.0);
    let groups: &[(f64, &[usize])] = match scoring {
        Scoring::Five => &[
            (0.0, &[0]),
            (0.25, &[1]),
            (0.5, &[2]),
            (0.75, &[3]),
            (1.0, &[4]),
        ],
        Scoring::QuartersAsDraws => &[(0.0, &[0]), (0.5, &[1, 2, 3]), (1.0, &[4])],
        Scoring::QuartersAsDecisive => &[(0.0, &[0, 1]), (0.5, &[2]), (1.0, &[3, 4])],
    };
    let (mut outcome, mut mean, mut square, mut rise) = (0.0, 0.0, 0.0, 0.0);
    for (value, members) in groups {
        let share: f64 = members.iter().map(|&k| shares[k]).sum();
        let slope: f64 = members.iter().map(|&k| slope(k)).sum();
        if share > 0.0 {
            outcome += slope * slope / share;
        }
        mean += value * share;
        square += value * value * share;
        rise += value * slope;
    }
    let variance = square - mean * mean;
    let score = rise * rise / variance;
    let nelo_per_elo = NELO_PER_DEVIATION / ELO_PER_NAT * rise / variance.sqrt();
    (variance > 0.0).then_some(Information {
        outcome,
        score,
        variance,
        nelo_per_elo,
    })
}
