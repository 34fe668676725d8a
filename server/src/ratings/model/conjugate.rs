//! Conjugate gradients: solutions of large systems, with the diagonal as preconditioner, or the factor of a band for long chains.
//!
//! M. Hestenes and E. Stiefel, "Methods of conjugate gradients for solving linear systems" (Journal of Research of the National
//! Bureau of Standards 49, 1952); STATS.md 1.2.

use super::band::Band;
use super::information::{Information, System};

/// An approximate inverse of a system, made once for all its right sides.
pub(super) struct Preconditioner {
    /// Reciprocals of the diagonal.
    inverse: Vec<f64>,
    band: Option<Band>,
}

impl Preconditioner {
    pub fn of(information: &Information, of: System<'_>) -> Self {
        let reciprocal = |&d: &f64| if d > 0.0 { 1.0 / d } else { 0.0 };
        Self {
            inverse: information.diagonal(of).iter().map(reciprocal).collect(),
            band: Band::of(information, of),
        }
    }

    fn apply<const L: usize>(&self, residual: &[[f64; L]]) -> Vec<[f64; L]> {
        let scale = |(r, d): (&[f64; L], &f64)| r.map(|r| r * d);
        let mut z: Vec<[f64; L]> = residual.iter().zip(&self.inverse).map(scale).collect();
        if let Some(band) = &self.band {
            band.apply(residual, &mut z);
        }
        z
    }
}

impl Information {
    /// Solutions by conjugate gradients, as far as rounding lets them come; those of several right sides side by side, each
    /// on its own way.
    pub(super) fn conjugate_gradients<const L: usize>(
        &self,
        of: System<'_>,
        preconditioner: &Preconditioner,
        right: &[[f64; L]],
        tolerance: f64,
    ) -> Vec<[f64; L]> {
        let dimension = of.layout.dimension;
        let precondition = |residual: &[[f64; L]]| preconditioner.apply(residual);
        let mut x = vec![[0.0; L]; dimension];
        // Rounding may have left some of it along a gauge, where there is no solution.
        let mut residual = centred(of, right);
        let mut direction = precondition(&residual);
        let mut norm = dot(&residual, &direction);
        direction.push([0.0; L]);
        let mut product = vec![[0.0; L]; dimension + 1];
        let goal = norm.map(|norm| norm * tolerance * tolerance);
        let mut goes_on = std::array::from_fn(|l| norm[l] > goal[l]);
        // A chain of players takes about as many steps as it has links, rounding some more.
        for _ in 0..4 * dimension + 100 {
            if goes_on == [false; L] {
                break;
            }
            product.fill([0.0; L]);
            self.multiply(of, &direction, &mut product);
            let curvature = dot(&direction, &product);
            // A lane that is done stands still.
            let step: [f64; L] = std::array::from_fn(|l| {
                goes_on[l] &= curvature[l] > 0.0;
                if goes_on[l] {
                    norm[l] / curvature[l]
                } else {
                    0.0
                }
            });
            for i in 0..dimension {
                for l in 0..L {
                    x[i][l] += step[l] * direction[i][l];
                    residual[i][l] -= step[l] * product[i][l];
                }
            }
            let z = precondition(&residual);
            let next = dot(&residual, &z);
            let keep: [f64; L] =
                std::array::from_fn(|l| if goes_on[l] { next[l] / norm[l] } else { 0.0 });
            norm = next;
            goes_on = std::array::from_fn(|l| goes_on[l] && norm[l] > goal[l]);
            for i in 0..dimension {
                for l in 0..L {
                    direction[i][l] = z[i][l] + keep[l] * direction[i][l];
                }
            }
        }
        x
    }
}

/// Vectors without their share of the gauges.
fn centred<const L: usize>(of: System<'_>, vectors: &[[f64; L]]) -> Vec<[f64; L]> {
    let mut centred = vectors.to_vec();
    for l in 0..L {
        let mut lane: Vec<f64> = vectors.iter().map(|row| row[l]).collect();
        of.layout.centre(&mut lane);
        centred
            .iter_mut()
            .zip(lane)
            .for_each(|(row, value)| row[l] = value);
    }
    centred
}

fn dot<const L: usize>(left: &[[f64; L]], right: &[[f64; L]]) -> [f64; L] {
    let mut products = [0.0; L];
    for (a, b) in left.iter().zip(right) {
        for l in 0..L {
            products[l] += a[l] * b[l];
        }
    }
    products
}
