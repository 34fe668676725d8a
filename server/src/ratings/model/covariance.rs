//! Covariance of the fitted parameters, by each kind of error bars.

use nalgebra::DMatrix;

use super::fit::{Fit, factorise, gauge_weight};
use super::layout::{Direction, Layout};
use super::options::ErrorBars;
use super::residuals::{Moments, Residuals};
use crate::ratings::pool::{Encounter, Pool};

/// Virtual binomial variance by which a player's dispersion is drawn to the pool's.
const DISPERSION_SHRINKAGE: f64 = 20.0;

/// Covariance in squared natural units, and the dispersion of the pool behind it.
pub(super) struct Covariance {
    pub matrix: DMatrix<f64>,
    /// Variance of results relative to binomial games; only for model A.
    pub dispersion: Option<f64>,
}

/// Inverse information in the mean-0 gauge: error bars of a full likelihood.
pub(super) fn inverse_information(layout: &Layout, fit: &Fit) -> Option<Covariance> {
    let mut matrix = factorise(layout, &fit.information)?.inverse();
    // The gauge term c (1 1')/n contributed (1 1')/(n c), which stands for no variance.
    let weight = gauge_weight(&fit.information);
    for members in &layout.gauges {
        let share = 1.0 / (weight * members.len() as f64);
        for &i in members {
            members.iter().for_each(|&j| matrix[(i, j)] -= share);
        }
    }
    Some(Covariance {
        matrix,
        dispersion: None,
    })
}

/// Sandwich J^-1 M J^-1 of model A (STATS.md 1.3).
pub(super) fn score_covariance(
    pool: &Pool,
    layout: &Layout,
    fit: &Fit,
    kind: ErrorBars,
) -> Option<Covariance> {
    let alpha = layout.first_move(&fit.x);
    let strength = |index| layout.strength(&fit.x, index);
    let residuals: Vec<Residuals> = pool
        .encounters
        .iter()
        .map(|met| match layout.takes_part(met) {
            true => Residuals::new(met, strength(met.near) - strength(met.far), alpha),
            false => Residuals::default(),
        })
        .collect();
    let spread = Dispersion::new(pool, layout, &residuals);
    let dispersion = Some(spread.pool);
    let middle = match kind {
        ErrorBars::None => return None,
        ErrorBars::Binomial => {
            return inverse_information(layout, fit).map(|plain| Covariance {
                dispersion,
                ..plain
            });
        }
        ErrorBars::Global => {
            let plain = inverse_information(layout, fit)?;
            return Some(Covariance {
                matrix: plain.matrix * spread.pool,
                dispersion,
            });
        }
        ErrorBars::Sandwich => middle(pool, layout, |index| {
            residuals[index].observed.scaled(spread.freedom)
        }),
        ErrorBars::Dispersion => middle(pool, layout, |index| {
            let met = &pool.encounters[index];
            let factor = (spread.players[met.near] * spread.players[met.far]).sqrt();
            residuals[index].binomial.scaled(factor)
        }),
    };
    // M is orthogonal to the gauges, so that the gauge terms of the inverse drop out of the product.
    let inverse = factorise(layout, &fit.information)?.inverse();
    Some(Covariance {
        matrix: &inverse * middle * &inverse,
        dispersion,
    })
}

/// M: the moments of every encounter, placed as the information is.
fn middle(pool: &Pool, layout: &Layout, moments: impl Fn(usize) -> Moments) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(layout.dimension, layout.dimension);
    let first_move = Direction::first_move(layout);
    for (index, met) in pool.encounters.iter().enumerate() {
        let difference = Direction::difference(layout, met.near, met.far);
        let Moments { tt, tu, uu } = moments(index);
        let blocks = [
            (&difference, &difference, tt),
            (&difference, &first_move, tu),
            (&first_move, &difference, tu),
            (&first_move, &first_move, uu),
        ];
        for (row, column, moment) in blocks {
            for &(i, at_i) in row.entries() {
                for &(j, at_j) in column.entries() {
                    matrix[(i, j)] += at_i * at_j * moment;
                }
            }
        }
    }
    matrix
}

/// Variance of results relative to binomial games, for the pool and for each player.
struct Dispersion {
    /// N / (N - q): games per degree of freedom left by the fit.
    freedom: f64,
    pool: f64,
    players: Vec<f64>,
}

impl Dispersion {
    fn new(pool: &Pool, layout: &Layout, residuals: &[Residuals]) -> Self {
        let rated = pool.encounters.iter().filter(|met| layout.takes_part(met));
        let games: u64 = rated.map(Encounter::games).sum();
        // With no more games than parameters there is one degree of freedom by courtesy.
        let left = games.saturating_sub(layout.determined() as u64).max(1);
        let freedom = games as f64 / left as f64;
        let n = pool.players.len();
        let (mut observed, mut binomial) = (vec![0.0; n], vec![0.0; n]);
        let (mut all_observed, mut all_binomial) = (0.0, 0.0);
        for (met, residual) in pool.encounters.iter().zip(residuals) {
            for index in [met.near, met.far] {
                observed[index] += residual.observed.tt;
                binomial[index] += residual.binomial.tt;
            }
            all_observed += residual.observed.tt;
            all_binomial += residual.binomial.tt;
        }
        // The constants keep it positive when everything was drawn.
        let phi = (freedom * all_observed + 0.5) / (all_binomial + 1.0);
        let shrunk = |(observed, binomial): (f64, f64)| {
            (freedom * observed + DISPERSION_SHRINKAGE * phi) / (binomial + DISPERSION_SHRINKAGE)
        };
        let players = observed.into_iter().zip(binomial).map(shrunk).collect();
        Self {
            freedom,
            pool: phi,
            players,
        }
    }
}
