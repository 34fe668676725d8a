//! The standard normal distribution: distribution function, its logarithm, quantiles.

use std::f64::consts::{PI, SQRT_2};

/// Probability that a standard normal variable is at most `x`.
pub fn cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// ln of [`cdf`], accurate far into the lower tail where the probability itself is 0 in floating point.
///
/// Below -25 by the asymptotic series of Mills' ratio (Abramowitz and Stegun 26.2.12), whose first
/// omitted term is there 1e-11.
pub fn ln_cdf(x: f64) -> f64 {
    if x > -25.0 {
        return cdf(x).ln();
    }
    let inverse = 1.0 / (x * x);
    let series = inverse * (-1.0 + inverse * (3.0 + inverse * (-15.0 + inverse * 105.0)));
    -0.5 * x * x - (-x).ln() - 0.5 * (2.0 * PI).ln() + series.ln_1p()
}

/// The x at which [`cdf`] reaches `p`; infinite at 0 and 1, NaN outside [0, 1].
pub fn quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    if p == 0.0 {
        return f64::NEG_INFINITY;
    }
    let (mut low, mut high) = (-40.0, 0.0);
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if cdf(middle) < p {
            low = middle
        } else {
            high = middle
        }
    }
}

/// Width of a two-sided interval of the given level in standard errors: 1.96 for 0.95.
pub fn two_sided(level: f64) -> f64 {
    -quantile(0.5 * (1.0 - level))
}

#[cfg(test)]
mod tests {
    use super::{cdf, ln_cdf, quantile, two_sided};

    // Abramowitz and Stegun, tables 26.1 and 26.2; the far tail from 50-digit arithmetic.
    #[test]
    fn tabulated_values() {
        assert!((cdf(1.0) - 0.841_344_746_068_542_9).abs() < 1e-15);
        assert!((cdf(-3.0) - 1.349_898_031_630_094_6e-3).abs() < 1e-17);
        assert!((two_sided(0.95) - 1.959_963_984_540_054).abs() < 1e-12);
        assert!((quantile(1e-10) + 6.361_340_902_404_056).abs() < 1e-9);
        assert!(quantile(0.5).abs() < 1e-15);
        assert!(quantile(1.5).is_nan());
    }

    #[test]
    fn logarithm_is_continuous_where_the_method_changes() {
        assert!((ln_cdf(-25.0 - 1e-9) - ln_cdf(-25.0 + 1e-9)).abs() < 1e-6);
        assert!(
            (ln_cdf(-40.0) + 804.608_442_013_754_1).abs() < 1e-8,
            "{}",
            ln_cdf(-40.0)
        );
        assert!((ln_cdf(2.0) - 0.977_249_868_051_820_8_f64.ln()).abs() < 1e-15);
    }
}
