//! Model B: ordered logit with colour-neutral thresholds -b, -a, a, b.

use super::law::{OutcomeLaw, Term};
use crate::ratings::elo::{ln_sigmoid, sigmoid};

/// Ordered logit over five outcomes: P(outcome <= k) = F(c_{k+1} - eta) with F logistic and thresholds
/// c = (-b, -a, a, b), 0 < a < b (McCullagh 1980; with three outcomes Rao and Kupper 1967).
///
/// The shape parameters are a and b. Jointly concave in all parameters.
pub struct OrderedLogit;

impl OrderedLogit {
    /// Probabilities of the five outcomes of the first mover, worst first; `None` unless 0 < a < b.
    pub fn shares(eta: f64, [a, b]: [f64; 2]) -> Option<[f64; 5]> {
        if !(a > 0.0 && b > a && b.is_finite() && eta.is_finite()) {
            return None;
        }
        let cuts = [-b, -a, a, b];
        let mut shares = [0.0; 5];
        for (k, share) in shares.iter_mut().enumerate() {
            // The smaller of the two tails keeps its digits.
            let lower = k
                .checked_sub(1)
                .map_or(f64::NEG_INFINITY, |cut| cuts[cut] - eta);
            let upper = cuts.get(k).map_or(f64::INFINITY, |cut| cut - eta);
            *share = if lower > 0.0 {
                sigmoid(-lower) - sigmoid(-upper)
            } else {
                sigmoid(upper) - sigmoid(lower)
            };
        }
        Some(shares)
    }

    /// Thresholds under which equals have the given outcome shares (loss = win, disadvantage = advantage).
    pub fn thresholds(shares: &[f64; 5]) -> [f64; 2] {
        let logit = |p: f64| (p / (1.0 - p)).ln();
        let inner = 0.5 * (1.0 + shares[2]);
        let outer = 1.0 - 0.5 * (shares[0] + shares[4]);
        [logit(inner), logit(outer)]
    }
}

impl OutcomeLaw for OrderedLogit {
    const SHAPES: usize = 2;

    fn term(counts: &[f64; 5], eta: f64, [a, b]: [f64; 2]) -> Option<Term> {
        if !(a > 0.0 && b > a) {
            return None;
        }
        // Each threshold: its value, its shape coordinate, and the sign with which that enters.
        let cuts = [(-b, 2, -1.0), (-a, 1, -1.0), (a, 1, 1.0), (b, 2, 1.0)];
        let mut term = Term::default();
        for (k, &count) in counts.iter().enumerate() {
            let lower = k.checked_sub(1).map(|cut| cuts[cut]);
            let upper = cuts.get(k).copied();
            add_outcome(&mut term, count, eta, lower, upper);
        }
        Some(term)
    }

    fn start(counts: &[f64; 5]) -> [f64; 2] {
        let total: f64 = counts.iter().sum();
        Self::thresholds(&counts.map(|count| (count + 0.2) / (total + 1.0)))
    }

    /// A game is a quarter point for each threshold that is passed (STATS.md 1.4).
    fn expected_points(eta: f64, [a, b]: [f64; 2]) -> f64 {
        let passed = [-b, -a, a, b].map(|cut| sigmoid(eta - cut));
        0.25 * passed.iter().sum::<f64>()
    }

    fn forecast(eta: f64, shape: [f64; 2], _base: &[f64; 5]) -> Option<[f64; 5]> {
        Self::shares(eta, shape)
    }
}

/// Adds `count` games that fell between two thresholds; derivatives as in STATS.md 1.4.
fn add_outcome(
    term: &mut Term,
    count: f64,
    eta: f64,
    lower: Option<(f64, usize, f64)>,
    upper: Option<(f64, usize, f64)>,
) {
    if count == 0.0 {
        return;
    }
    let spread = match (lower, upper) {
        (Some(low), Some(high)) => high.0 - low.0,
        _ => f64::INFINITY,
    };
    // r = 1 / (e^D - 1) and q = r (1 + r); both 0 where one end is infinite.
    let r = 1.0 / spread.exp_m1();
    let q = r * (1.0 + r);
    term.value += count * (-(-spread).exp()).ln_1p();
    let mut eta_slope = -1.0;
    let (mut slopes, mut bends) = ([0.0; 2], [0.0; 2]);
    for (side, end) in [upper, lower].into_iter().enumerate() {
        let direction = [1.0, -1.0][side];
        let Some((cut, _, _)) = end else {
            // F is 1 at the upper and 0 at the lower infinite end.
            eta_slope += if side == 0 { 1.0 } else { 0.0 };
            continue;
        };
        let x = cut - eta;
        let share = sigmoid(x);
        let density = share * sigmoid(-x);
        term.value += count * ln_sigmoid(direction * x);
        eta_slope += share;
        slopes[side] = direction * (sigmoid(-direction * x) + r);
        bends[side] = density;
        term.information[0][0] += count * density;
    }
    term.gradient[0] += count * eta_slope;
    let ends = [upper, lower];
    for (side, end) in ends.iter().enumerate() {
        let Some((_, shape, sign)) = *end else {
            continue;
        };
        term.gradient[shape] += count * sign * slopes[side];
        term.information[0][shape] -= count * sign * bends[side];
        term.information[shape][0] -= count * sign * bends[side];
        term.information[shape][shape] += count * (bends[side] + q);
        if let Some((_, other, other_sign)) = ends[1 - side] {
            term.information[shape][other] -= count * sign * other_sign * q;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::law::tests::check_derivatives;
    use super::{OrderedLogit, OutcomeLaw};

    #[test]
    fn derivatives_match_differences() {
        check_derivatives::<OrderedLogit>([0.4, 1.3]);
        check_derivatives::<OrderedLogit>([1.0, 1.1]);
    }

    #[test]
    fn value_is_the_logarithm_of_the_shares() {
        let shape = [0.5, 1.2];
        let shares = OrderedLogit::shares(0.7, shape).unwrap();
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        for (k, share) in shares.iter().enumerate() {
            let mut counts = [0.0; 5];
            counts[k] = 1.0;
            let term = OrderedLogit::term(&counts, 0.7, shape).unwrap();
            assert!((term.value - share.ln()).abs() < 1e-13);
        }
    }

    #[test]
    fn thresholds_in_the_wrong_order_are_refused() {
        assert!(OrderedLogit::term(&[1.0; 5], 0.0, [1.0, 1.0]).is_none());
        assert!(OrderedLogit::shares(0.0, [-0.1, 1.0]).is_none());
        assert!(OrderedLogit::shares(f64::NAN, [0.1, 1.0]).is_none());
    }

    #[test]
    fn thresholds_invert_shares() {
        let equal = [0.1, 0.15, 0.5, 0.15, 0.1];
        let back = OrderedLogit::shares(0.0, OrderedLogit::thresholds(&equal)).unwrap();
        assert!(equal.iter().zip(back).all(|(a, b)| (a - b).abs() < 1e-15));
    }
}
