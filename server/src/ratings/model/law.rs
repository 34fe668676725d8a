//! The law of a game's outcome given the strength difference, and the law of model A.

use crate::ratings::elo::sigmoid;
use crate::ratings::forecast::outcome_shares;

/// Log-likelihood of some games at one strength difference, with its derivatives.
///
/// Coordinate 0 is the strength difference `eta` (natural units, first-move advantage included);
/// coordinates 1 and 2 are the two shape parameters of the law.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Term {
    /// Sum of the logarithms.
    pub value: f64,
    /// First derivatives.
    pub gradient: [f64; 3],
    /// Negative second derivatives.
    pub information: [[f64; 3]; 3],
}

/// How the outcome of a game depends on the strength difference and on two shape parameters.
pub trait OutcomeLaw {
    /// Number of shape parameters in use, 0 or 2.
    const SHAPES: usize;

    /// Log-likelihood of `counts` games (by the first mover's outcome) at `eta`; `None` where the shape
    /// is not allowed.
    fn term(counts: &[f64; 5], eta: f64, shape: [f64; 2]) -> Option<Term>;

    /// A shape to start from, given the number of games of each outcome.
    fn start(counts: &[f64; 5]) -> [f64; 2];

    /// Points expected of a game at `eta` under an allowed shape, 0 to 1.
    fn expected_points(eta: f64, shape: [f64; 2]) -> f64;

    /// Outcome shares of a game at `eta`; a law that leaves them open tilts those of a game between equals, `base`.
    fn forecast(eta: f64, shape: [f64; 2], base: &[f64; 5]) -> Option<[f64; 5]>;
}

/// Model A: the score is a fraction of logistic expectation; all the rest is left open.
pub(super) struct Score;

impl OutcomeLaw for Score {
    const SHAPES: usize = 0;

    fn term(counts: &[f64; 5], eta: f64, _shape: [f64; 2]) -> Option<Term> {
        let games: f64 = counts.iter().sum();
        let points = points(counts);
        // One exponential serves the probability and both logarithms: ln p - ln (1 - p) = eta.
        let small = (-eta.abs()).exp();
        let larger = 1.0 / (1.0 + small);
        let p = if eta >= 0.0 { larger } else { small * larger };
        let ln_larger = -small.ln_1p();
        let ln_p = if eta >= 0.0 {
            ln_larger
        } else {
            ln_larger + eta
        };
        let mut term = Term {
            value: games * ln_p - (games - points) * eta,
            ..Term::default()
        };
        term.gradient[0] = points - games * p;
        term.information[0][0] = games * p * (1.0 - p);
        Some(term)
    }

    fn start(_counts: &[f64; 5]) -> [f64; 2] {
        [0.0; 2]
    }

    fn expected_points(eta: f64, _shape: [f64; 2]) -> f64 {
        sigmoid(eta)
    }

    fn forecast(eta: f64, _shape: [f64; 2], base: &[f64; 5]) -> Option<[f64; 5]> {
        outcome_shares(*base, sigmoid(eta))
    }
}

/// Points of the first mover in games counted by its outcome.
pub(super) fn points(counts: &[f64; 5]) -> f64 {
    (counts[1] + 2.0 * counts[2] + 3.0 * counts[3] + 4.0 * counts[4]) / 4.0
}

#[cfg(test)]
pub(super) mod tests {
    use super::{OutcomeLaw, Score, Term};

    /// Compares the derivatives of a law with differences of its value.
    pub(in super::super) fn check_derivatives<L: OutcomeLaw>(shape: [f64; 2]) {
        let counts = [3.0, 1.5, 4.0, 2.0, 5.5];
        let at = |x: [f64; 3]| L::term(&counts, x[0], [x[1], x[2]]).unwrap();
        for eta in [-2.5, 0.0, 0.3, 4.0] {
            let x = [eta, shape[0], shape[1]];
            let here: Term = at(x);
            for a in 0..=L::SHAPES {
                let step = 1e-5;
                let (mut up, mut down) = (x, x);
                up[a] += step;
                down[a] -= step;
                let slope = (at(up).value - at(down).value) / (2.0 * step);
                let tolerance = 1e-6 * (1.0 + slope.abs());
                assert!(
                    (slope - here.gradient[a]).abs() < tolerance,
                    "gradient {a} at {eta}"
                );
                for b in 0..=L::SHAPES {
                    let bend = (at(up).gradient[b] - at(down).gradient[b]) / (2.0 * step);
                    let tolerance = 1e-6 * (1.0 + bend.abs());
                    let gap = (bend + here.information[a][b]).abs();
                    assert!(gap < tolerance, "information {a} {b} at {eta}: {gap}");
                }
            }
        }
    }

    #[test]
    fn derivatives_of_the_score_law() {
        check_derivatives::<Score>([0.0, 0.0]);
    }
}
