//! [`Dense`]: symmetric matrices and their inverses.

use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

use super::layout::Layout;

/// Up to this size a matrix is inverted by a factorisation, beyond it by halves.
const SMALL: usize = 64;

/// A symmetric matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dense(DMatrix<f64>);

/// A Cholesky factor.
pub(super) struct Factor(Cholesky<f64, Dyn>);

impl Dense {
    pub fn zeros(dimension: usize) -> Self {
        Self(DMatrix::zeros(dimension, dimension))
    }

    /// The products of vectors of one length with each other.
    pub fn of_products(vectors: &[Vec<f64>]) -> Self {
        let length = vectors.first().map_or(0, Vec::len);
        let rows = DMatrix::from_fn(vectors.len(), length, |i, j| vectors[i][j]);
        Self(&rows * rows.transpose())
    }

    #[inline]
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.0[(row, column)]
    }

    #[inline]
    pub fn add(&mut self, row: usize, column: usize, value: f64) {
        self.0[(row, column)] += value;
    }

    /// Adds on both sides of the diagonal.
    #[inline]
    pub fn add_both(&mut self, row: usize, column: usize, value: f64) {
        self.0[(row, column)] += value;
        self.0[(column, row)] += value;
    }

    /// The first rows and columns.
    pub fn shrunk(self, dimension: usize) -> Self {
        Self(self.0.resize(dimension, dimension, 0.0))
    }

    pub fn scaled(self, factor: f64) -> Self {
        Self(self.0 * factor)
    }

    /// This times a vector.
    pub fn times(&self, vector: &[f64]) -> Vec<f64> {
        let vector = DVector::from_column_slice(vector);
        (&self.0 * vector).as_slice().to_vec()
    }

    /// This times the other times this.
    pub fn around(&self, middle: &Self) -> Self {
        Self(&self.0 * (&middle.0 * &self.0))
    }

    /// Weight of the gauge terms: of the size of the largest diagonal entry.
    pub fn gauge_weight(&self) -> f64 {
        let diagonal = (0..self.0.nrows()).map(|i| self.0[(i, i)]);
        let largest = diagonal.fold(0.0_f64, f64::max);
        if largest > 0.0 { largest } else { 1.0 }
    }

    /// With c (1 1')/n for every floating component, which makes the information definite.
    pub fn with_gauges(mut self, layout: &Layout) -> Self {
        let weight = self.gauge_weight();
        self.add_gauges(layout, weight);
        self
    }

    /// Adds a multiple of (1 1')/n for every floating component.
    pub fn add_gauges(&mut self, layout: &Layout, weight: f64) {
        for members in &layout.gauges {
            let share = weight / members.len() as f64;
            for &i in members {
                members.iter().for_each(|&j| self.0[(i, j)] += share);
            }
        }
    }

    /// Its Cholesky factor, if it is positive definite.
    pub fn factorise(self) -> Option<Factor> {
        Cholesky::new(self.0).map(Factor)
    }

    /// Its inverse, if it is positive definite.
    pub fn inverse(self) -> Option<Self> {
        inverse(self.0).map(Self)
    }
}

/// The inverse of a positive definite matrix by halves (V. Strassen, "Gaussian elimination is not optimal", 1969, section 3): almost
/// all of the work is products of matrices, which run many times faster than a factorisation entry by entry.
fn inverse(matrix: DMatrix<f64>) -> Option<DMatrix<f64>> {
    let n = matrix.nrows();
    if n <= SMALL {
        return Some(Cholesky::new(matrix)?.inverse());
    }
    let half = n / 2;
    let rest = n - half;
    let upper = inverse(matrix.view((0, 0), (half, half)).into_owned())?;
    let beside = matrix.view((0, half), (half, rest)).into_owned();
    let through = &upper * &beside;
    let below = through.transpose();
    // What the upper half leaves of the lower: the Schur complement, positive definite too.
    let left = matrix.view((half, half), (rest, rest)) - &below * &beside;
    let lower = inverse(left)?;
    let mixed = &lower * &below;
    let mut result = DMatrix::zeros(n, n);
    result
        .view_mut((0, 0), (half, half))
        .copy_from(&(upper + &through * &mixed));
    result
        .view_mut((half, half), (rest, rest))
        .copy_from(&lower);
    for i in 0..rest {
        for j in 0..half {
            result[(half + i, j)] = -mixed[(i, j)];
            result[(j, half + i)] = -mixed[(i, j)];
        }
    }
    Some(result)
}

impl Factor {
    pub fn solve(&self, right: &[f64]) -> Vec<f64> {
        let right = DVector::from_column_slice(right);
        self.0.solve(&right).as_slice().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Laplacian of a ring with chords, and something on the diagonal.
    fn example(n: usize) -> DMatrix<f64> {
        let mut matrix = DMatrix::zeros(n, n);
        for i in 0..n {
            for (step, weight) in [(1, 2.0), (7, 0.3), (n / 3 + 1, 1.1)] {
                let j = (i + step) % n;
                let weight = weight + (i % 5) as f64 * 0.1;
                if i != j {
                    matrix[(i, i)] += weight;
                    matrix[(j, j)] += weight;
                    matrix[(i, j)] -= weight;
                    matrix[(j, i)] -= weight;
                }
            }
            matrix[(i, i)] += 0.01;
        }
        matrix
    }

    #[test]
    fn inverses_of_all_sizes() {
        for n in [1, 2, 63, 64, 65, 129, 200, 257] {
            let matrix = example(n);
            let inverse = inverse(matrix.clone()).unwrap();
            let worst = (&matrix * &inverse - DMatrix::identity(n, n)).amax();
            assert!(worst < 1e-10, "{n}: {worst}");
            let skew = (&inverse - inverse.transpose()).amax();
            assert!(skew < 1e-10, "{n}: {skew}");
        }
        let mut singular = example(100);
        singular[(99, 99)] = -1.0;
        assert!(inverse(singular).is_none());
    }
}
