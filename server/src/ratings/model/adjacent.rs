//! Model C: adjacent categories, a generalised Davidson model.

use super::law::{OutcomeLaw, Term, points};

/// Adjacent categories over five outcomes: P_k ~ exp(g_k + s_k eta), s = points,
/// g = (0, ln nu1, ln nu2, ln nu1, 0) (Agresti 1992; with three outcomes Davidson 1970).
///
/// The shape parameters are ln nu1 (quarter outcomes) and ln nu2 (draws), relative to decided games.
/// An exponential family: points are sufficient, and it is jointly concave in all parameters.
pub struct AdjacentCategories;

impl AdjacentCategories {
    /// Probabilities of the five outcomes of the first mover, worst first.
    pub fn shares(eta: f64, shape: [f64; 2]) -> [f64; 5] {
        let exponents = exponents(eta, shape);
        let total = log_sum(&exponents);
        exponents.map(|exponent| (exponent - total).exp())
    }
}

const SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

fn exponents(eta: f64, [quarter, draw]: [f64; 2]) -> [f64; 5] {
    let g = [0.0, quarter, draw, quarter, 0.0];
    std::array::from_fn(|k| g[k] + SCORES[k] * eta)
}

fn log_sum(exponents: &[f64; 5]) -> f64 {
    let top = exponents
        .iter()
        .fold(f64::NEG_INFINITY, |top, &x| top.max(x));
    top + exponents.iter().map(|x| (x - top).exp()).sum::<f64>().ln()
}

impl OutcomeLaw for AdjacentCategories {
    const SHAPES: usize = 2;

    fn term(counts: &[f64; 5], eta: f64, shape: [f64; 2]) -> Option<Term> {
        let exponents = exponents(eta, shape);
        let total = log_sum(&exponents);
        // Sufficient statistics of one game: points, quarter outcomes, draws.
        let statistics: [[f64; 3]; 5] = [
            [0.0, 0.0, 0.0],
            [0.25, 1.0, 0.0],
            [0.5, 0.0, 1.0],
            [0.75, 1.0, 0.0],
            [1.0, 0.0, 0.0],
        ];
        let games: f64 = counts.iter().sum();
        let mut term = Term::default();
        let (mut mean, mut square) = ([0.0; 3], [[0.0; 3]; 3]);
        for k in 0..5 {
            let share = (exponents[k] - total).exp();
            term.value += counts[k] * (exponents[k] - total);
            for a in 0..3 {
                mean[a] += share * statistics[k][a];
                term.gradient[a] += counts[k] * statistics[k][a];
                for b in 0..3 {
                    square[a][b] += share * statistics[k][a] * statistics[k][b];
                }
            }
        }
        for a in 0..3 {
            term.gradient[a] -= games * mean[a];
            for b in 0..3 {
                term.information[a][b] = games * (square[a][b] - mean[a] * mean[b]);
            }
        }
        Some(term)
    }

    fn start(counts: &[f64; 5]) -> [f64; 2] {
        let decided = 0.5 * (counts[0] + counts[4]) + 0.2;
        let quarters = 0.5 * (counts[1] + counts[3]) + 0.2;
        [
            (quarters / decided).ln(),
            ((counts[2] + 0.2) / decided).ln(),
        ]
    }

    fn expected_points(eta: f64, shape: [f64; 2]) -> f64 {
        points(&Self::shares(eta, shape))
    }

    fn forecast(eta: f64, shape: [f64; 2], _base: &[f64; 5]) -> Option<[f64; 5]> {
        Some(Self::shares(eta, shape))
    }
}

#[cfg(test)]
mod tests {
    use super::super::law::tests::check_derivatives;
    use super::{AdjacentCategories, OutcomeLaw};

    #[test]
    fn derivatives_match_differences() {
        check_derivatives::<AdjacentCategories>([-0.7, 0.4]);
    }

    #[test]
    fn shares_follow_davidson() {
        // Without quarters, P(draw)^2 / (P(win) P(loss)) = nu2^2 at every strength difference.
        for eta in [-3.0, 0.0, 1.5] {
            let [loss, dis, draw, adv, win] = AdjacentCategories::shares(eta, [-800.0, 0.3]);
            assert_eq!((dis, adv), (0.0, 0.0));
            assert!((draw * draw / (win * loss) - 0.6_f64.exp()).abs() < 1e-12);
        }
        let term = AdjacentCategories::term(&[0.0, 0.0, 1.0, 0.0, 0.0], 1.5, [0.1, 0.3]).unwrap();
        let draw = AdjacentCategories::shares(1.5, [0.1, 0.3])[2];
        assert!((term.value - draw.ln()).abs() < 1e-14);
    }
}
