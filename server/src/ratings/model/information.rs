//! [`Information`]: the negative Hessian of a likelihood, kept encounter by encounter.
//!
//! It is a graph's Laplacian bordered by the first-move advantage and the shape parameters, so that a product with
//! a vector costs one look at each encounter. Small systems are solved densely, large ones by conjugate gradients.

use super::conjugate::Preconditioner;
use super::dense::Dense;
use super::layout::Layout;

/// Up to so many parameters systems are solved by a factorisation.
const MOST_DENSE: usize = 200;
/// Systems that are solved side by side.
pub(super) const LANES: usize = 8;
/// Conjugate gradients stop when the residual has shrunk by this factor: for a step of Newton's method, which the next one
/// corrects …
pub(super) const STEP: f64 = 1e-6;
/// … and for error bars, which are known far worse.
pub(super) const ERROR_BARS: f64 = 1e-9;

/// One encounter's place in the system: parameter positions of its players, or the dimension for those that have none.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    near: u32,
    far: u32,
}

impl Place {
    /// Of two positions, which are below [`MAX_PLAYERS`](super::options::MAX_PLAYERS) and a few.
    pub fn new(near: usize, far: usize) -> Self {
        let small = |position: usize| u32::try_from(position).unwrap_or(u32::MAX);
        Self {
            near: small(near),
            far: small(far),
        }
    }

    #[inline]
    pub fn near(self) -> usize {
        self.near as usize
    }

    #[inline]
    pub fn far(self) -> usize {
        self.far as usize
    }
}

/// Second derivatives of one encounter's likelihood by the strength difference, in its games with near first and with
/// far first.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Weights {
    pub near: f64,
    pub far: f64,
}

/// The same mixed with the shape parameters.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Mixed {
    pub near: [f64; 2],
    pub far: [f64; 2],
}

/// The parameters of a system and where the encounters stand among them.
#[derive(Debug, Clone, Copy)]
pub(super) struct System<'a> {
    pub layout: &'a Layout,
    /// By encounter that takes part.
    pub places: &'a [Place],
}

impl System<'_> {
    /// Positions and weight of each link.
    pub fn bonds(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let layout = self.layout;
        let place = |index| layout.position(index);
        let bonds = layout.bonds.iter();
        bonds.map(move |bond| (place(bond.newer), place(bond.older), bond.weight))
    }

    /// Adds what the links know of differences.
    pub fn add_bonds(&self, matrix: &mut Dense) {
        for (near, far, weight) in self.bonds() {
            matrix.add(near, near, weight);
            matrix.add(far, far, weight);
            matrix.add_both(near, far, -weight);
        }
    }
}

/// The negative Hessian at a point.
#[derive(Debug, Clone, Default)]
pub(super) struct Information {
    /// By encounter that takes part.
    pub weights: Vec<Weights>,
    /// The same, where there are shape parameters.
    pub mixed: Vec<Mixed>,
    /// By the shape parameters alone.
    pub shape: [[f64; 2]; 2],
}

impl Information {
    /// Adds the products with `L` vectors to `product`; each is one longer than the dimension, for the parameters that are
    /// fixed.
    ///
    /// Vectors lie side by side, so that encounters and weights are read once for all of them.
    pub(super) fn multiply<const L: usize>(
        &self,
        of: System<'_>,
        vector: &[[f64; L]],
        product: &mut [[f64; L]],
    ) {
        let alpha = of.layout.alpha_position();
        let first_move = vector[alpha];
        let mut to_alpha = [0.0; L];
        for (place, weights) in of.places.iter().zip(&self.weights) {
            let (near, far) = (vector[place.near()], vector[place.far()]);
            let (sum, gap) = (weights.near + weights.far, weights.near - weights.far);
            let mut along = [0.0; L];
            for l in 0..L {
                let difference = near[l] - far[l];
                along[l] = sum * difference + gap * first_move[l];
                to_alpha[l] += gap * difference + sum * first_move[l];
            }
            shift(product, place.near(), place.far(), along);
        }
        for (near, far, weight) in of.bonds() {
            let along = std::array::from_fn(|l| weight * (vector[near][l] - vector[far][l]));
            shift(product, near, far, along);
        }
        for l in 0..L {
            product[alpha][l] += to_alpha[l];
        }
        self.multiply_shapes(of, vector, product);
        product[of.layout.dimension] = [0.0; L];
    }

    /// Adds what the shape parameters have to do with it.
    fn multiply_shapes<const L: usize>(
        &self,
        of: System<'_>,
        vector: &[[f64; L]],
        product: &mut [[f64; L]],
    ) {
        let (alpha, shape_at) = (of.layout.alpha_position(), of.layout.shape_start());
        let first_move = vector[alpha];
        for (place, mixed) in of.places.iter().zip(&self.mixed) {
            for k in 0..of.layout.shapes {
                let (near, far) = (mixed.near[k], mixed.far[k]);
                let change = vector[shape_at + k];
                let along = change.map(|change| (near - far) * change);
                for l in 0..L {
                    let difference = vector[place.near()][l] - vector[place.far()][l];
                    product[alpha][l] += (near + far) * change[l];
                    product[shape_at + k][l] +=
                        near * (difference + first_move[l]) + far * (first_move[l] - difference);
                }
                shift(product, place.near(), place.far(), along);
            }
        }
        for k in 0..of.layout.shapes {
            for j in 0..of.layout.shapes {
                for l in 0..L {
                    product[shape_at + k][l] += self.shape[k][j] * vector[shape_at + j][l];
                }
            }
        }
    }

    /// Of each parameter what is known of it by itself, links included.
    pub(super) fn diagonal(&self, of: System<'_>) -> Vec<f64> {
        let mut diagonal = vec![0.0; of.layout.dimension + 1];
        for (place, weights) in of.places.iter().zip(&self.weights) {
            let sum = weights.near + weights.far;
            diagonal[place.near()] += sum;
            diagonal[place.far()] += sum;
            diagonal[of.layout.alpha_position()] += sum;
        }
        for (near, far, weight) in of.bonds() {
            diagonal[near] += weight;
            diagonal[far] += weight;
        }
        for k in 0..of.layout.shapes {
            diagonal[of.layout.shape_start() + k] = self.shape[k][k];
        }
        diagonal
    }

    /// A slope over the curvature of each parameter alone, as far as there is any.
    pub fn scaled(&self, of: System<'_>, slope: &[f64]) -> Vec<f64> {
        const LEAST: f64 = 1e-9;
        let diagonal = self.diagonal(of);
        slope
            .iter()
            .zip(&diagonal)
            .map(|(s, d)| s / d.max(LEAST))
            .collect()
    }

    /// All of it as a matrix, singular along the gauges.
    pub fn dense(&self, of: System<'_>) -> Dense {
        let dimension = of.layout.dimension;
        let alpha = of.layout.alpha_position();
        let shape_at = of.layout.shape_start();
        // One row and column more for what is fixed.
        let mut matrix = Dense::zeros(dimension + 1);
        for (place, weights) in of.places.iter().zip(&self.weights) {
            let (sum, gap) = (weights.near + weights.far, weights.near - weights.far);
            matrix.add(place.near(), place.near(), sum);
            matrix.add(place.far(), place.far(), sum);
            matrix.add_both(place.near(), place.far(), -sum);
            matrix.add_both(place.near(), alpha, gap);
            matrix.add_both(place.far(), alpha, -gap);
            matrix.add(alpha, alpha, sum);
        }
        of.add_bonds(&mut matrix);
        for (place, mixed) in of.places.iter().zip(&self.mixed) {
            for k in 0..of.layout.shapes {
                let (near, far) = (mixed.near[k], mixed.far[k]);
                matrix.add_both(place.near(), shape_at + k, near - far);
                matrix.add_both(place.far(), shape_at + k, far - near);
                matrix.add_both(alpha, shape_at + k, near + far);
            }
        }
        for k in 0..of.layout.shapes {
            for l in 0..of.layout.shapes {
                matrix.add(shape_at + k, shape_at + l, self.shape[k][l]);
            }
        }
        matrix.shrunk(dimension)
    }

    /// The solution of the system, some one where a gauge leaves a choice; `None` if there is none that is finite.
    pub fn solve(&self, of: System<'_>, right: &[f64], tolerance: f64) -> Option<Vec<f64>> {
        let solution = if of.layout.dimension <= MOST_DENSE {
            self.dense(of)
                .with_gauges(of.layout)
                .factorise()?
                .solve(right)
        } else {
            let right: Vec<[f64; 1]> = right.iter().map(|&value| [value]).collect();
            let preconditioner = Preconditioner::of(self, of);
            let found = self.conjugate_gradients(of, &preconditioner, &right, tolerance);
            found.into_iter().map(|[value]| value).collect()
        };
        solution.iter().all(|x| x.is_finite()).then_some(solution)
    }

    /// The solutions of [`LANES`] systems that differ in their right sides, as [`Self::solve`] finds them.
    pub fn solve_lanes(
        &self,
        of: System<'_>,
        preconditioner: &Preconditioner,
        right: &[[f64; LANES]],
        tolerance: f64,
    ) -> Option<Vec<[f64; LANES]>> {
        let found = self.conjugate_gradients(of, preconditioner, right, tolerance);
        let is_finite = found.as_flattened().iter().all(|x| x.is_finite());
        is_finite.then_some(found)
    }
}

/// Adds to one row and takes away from another.
#[inline]
fn shift<const L: usize>(rows: &mut [[f64; L]], near: usize, far: usize, by: [f64; L]) {
    for l in 0..L {
        rows[near][l] += by[l];
    }
    for l in 0..L {
        rows[far][l] -= by[l];
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ratings::model::layout::{Alpha, Bond, Slot};

    /// A connected system of players in a ring with chords, with first move and two shape parameters.
    fn layout(players: usize, shapes: usize) -> Layout {
        Layout {
            theta: (0..players).map(Slot::Free).collect(),
            alpha: Alpha::Free(players),
            shapes,
            bonds: vec![Bond {
                newer: 0,
                older: players / 2,
                offset: 0.0,
                weight: 0.7,
            }],
            group: vec![0; players],
            group_count: 1,
            gauges: vec![(0..players).collect()],
            dimension: players + 1 + shapes,
        }
    }

    /// The preconditioner: of each parameter what encounters and links know of it.
    #[test]
    fn the_diagonal_has_encounters_and_links() {
        // A link of weight 0.7 between players 0 and 1, and the first move behind three players.
        let layout = layout(3, 0);
        let of = System {
            layout: &layout,
            places: &[Place::new(0, 1), Place::new(1, 2)],
        };
        let weights = vec![
            Weights {
                near: 2.0,
                far: 1.0,
            },
            Weights {
                near: 0.5,
                far: 0.25,
            },
        ];
        let information = Information {
            weights,
            ..Information::default()
        };
        let expected = [3.0 + 0.7, 3.0 + 0.75 + 0.7, 0.75, 3.75, 0.0];
        for (found, expected) in information.diagonal(of).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    proptest! {
        /// Conjugate gradients find what a factorisation finds, but for the gauge.
        #[test]
        fn both_ways_of_solving_agree(
            players in 2usize..40,
            chords in proptest::collection::vec((0usize..40, 1usize..39, 0.1f64..3.0, 0.1f64..3.0), 1..80),
            right in proptest::collection::vec(-1.0f64..1.0, 44),
            shapes in prop_oneof![Just(0usize), Just(2)],
        ) {
            let layout = layout(players, shapes);
            let ring = (0..players).map(|i| (i, 1, 1.0, 0.5));
            let (mut places, mut weights, mut mixed) = (Vec::new(), Vec::new(), Vec::new());
            for (i, step, near, far) in ring.chain(chords) {
                let (i, j) = (i % players, (i + step) % players);
                if i != j {
                    places.push(Place::new(i, j));
                    weights.push(Weights { near, far });
                    // Small against the others, so that the system stays definite.
                    mixed.push(Mixed { near: [0.05 * near, -0.03 * near], far: [0.02 * far, 0.04 * far] });
                }
            }
            let of = System { layout: &layout, places: &places };
            let size = weights.len() as f64;
            let shape = [[size, 0.1 * size], [0.1 * size, size]];
            let information = Information { weights, mixed, shape };
            let mut right = right[..layout.dimension].to_vec();
            let mean = right[..players].iter().sum::<f64>() / players as f64;
            right[..players].iter_mut().for_each(|r| *r -= mean);
            let by_factor = information.dense(of).with_gauges(&layout).factorise().unwrap().solve(&right);
            // The same system in one lane, another one in the second, nothing in the third.
            let rows: Vec<[f64; 3]> = right.iter().map(|&r| [r, -0.5 * r, 0.0]).collect();
            let preconditioner = Preconditioner::of(&information, of);
            let found = information.conjugate_gradients(of, &preconditioner, &rows, 1e-11);
            let mut by_steps: Vec<f64> = found.iter().map(|row| row[0]).collect();
            for row in &found {
                prop_assert!((row[1] + 0.5 * row[0]).abs() < 1e-9 && row[2] == 0.0, "{row:?}");
            }
            let shift = by_steps[..players].iter().sum::<f64>() / players as f64;
            by_steps[..players].iter_mut().for_each(|x| *x -= shift);
            for (a, b) in by_factor.iter().zip(&by_steps) {
                prop_assert!((a - b).abs() < 1e-8, "{a} {b}");
            }
        }
    }
}
