//! Covariance of a few parameters of a large system, by one solution for each.

use super::conjugate::Preconditioner;
use super::covariance::{Middle, Spread};
use super::dense::Dense;
use super::fit::Fit;
use super::information::{ERROR_BARS, LANES, System};

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
    let mut columns: Vec<Vec<f64>> = Vec::with_capacity(positions.len());
    let preconditioner = Preconditioner::of(&fit.information, of);
    for some in positions.chunks(LANES) {
        columns.extend(solutions(of, fit, &preconditioner, some)?);
    }
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

/// The solutions for a few parameters, without their share of the gauge, and with 0 at the end for what is fixed.
fn solutions(
    of: System<'_>,
    fit: &Fit,
    preconditioner: &Preconditioner,
    positions: &[usize],
) -> Option<Vec<Vec<f64>>> {
    let mut right = vec![[0.0; LANES]; of.layout.dimension];
    for (lane, &position) in positions.iter().enumerate() {
        let mut one = vec![0.0; of.layout.dimension];
        one[position] = 1.0;
        of.layout.centre(&mut one);
        right
            .iter_mut()
            .zip(one)
            .for_each(|(row, value)| row[lane] = value);
    }
    let information = &fit.information;
    let found = information.solve_lanes(of, preconditioner, &right, ERROR_BARS)?;
    let column = |lane: usize| {
        let mut column: Vec<f64> = found.iter().map(|row| row[lane]).collect();
        of.layout.centre(&mut column);
        column.push(0.0);
        column
    };
    Some((0..positions.len()).map(column).collect())
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
