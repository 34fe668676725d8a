//! Covariance of a few parameters of a large system, by one solution for each.

use super::covariance::{Middle, Spread};
use super::dense::Dense;
use super::fit::Fit;
use super::information::{SOLUTION, System};

/// Covariance of the parameters at `positions`, in their order.
///
/// With z the solution of J z = e_i less its share of the gauge, the entry is z_j' M z_i, or z_i at j where the error bars
/// are a multiple of the inverse information (STATS.md 1.3).
pub(super) fn covariance(
    of: System<'_>,
    fit: &Fit,
    spread: &Spread,
    positions: &[usize],
) -> Option<Dense> {
    let solve = |&position: &usize| {
        let mut right = vec![0.0; of.layout.dimension];
        right[position] = 1.0;
        of.layout.centre(&mut right);
        let mut z = fit.information.solve(of, &right, SOLUTION)?;
        of.layout.centre(&mut z);
        // For what is fixed.
        z.push(0.0);
        Some(z)
    };
    let columns: Vec<Vec<f64>> = positions.iter().map(solve).collect::<Option<_>>()?;
    let mut matrix = Dense::zeros(positions.len());
    match spread {
        Spread::Multiple(factor) => {
            for (i, column) in columns.iter().enumerate() {
                for (j, &position) in positions.iter().enumerate() {
                    matrix.add(i, j, factor * column[position]);
                }
            }
        }
        Spread::Middle(middle) => {
            let products: Vec<Vec<f64>> = columns.iter().map(|z| product(middle, of, z)).collect();
            for (i, product) in products.iter().enumerate() {
                for (j, column) in columns.iter().enumerate() {
                    matrix.add(i, j, product.iter().zip(column).map(|(a, b)| a * b).sum());
                }
            }
        }
    }
    Some(matrix)
}

/// M times a vector.
fn product(middle: &Middle, of: System<'_>, vector: &[f64]) -> Vec<f64> {
    let alpha = of.layout.alpha_position();
    let first_move = vector[alpha];
    let mut product = vec![0.0; vector.len()];
    for (place, moments) in of.places.iter().zip(&middle.moments) {
        let difference = vector[place.near()] - vector[place.far()];
        let along = moments.tt * difference + moments.tu * first_move;
        product[place.near()] += along;
        product[place.far()] -= along;
        product[alpha] += moments.tu * difference + moments.uu * first_move;
    }
    for (near, far, weight) in of.bonds() {
        let along = weight * (vector[near] - vector[far]);
        product[near] += along;
        product[far] -= along;
    }
    product
}
