//! Covariance of the fitted parameters, by each kind of error bars.

use super::chosen;
use super::dense::Dense;
use super::fit::Fit;
use super::information::{System, Weights};
use super::layout::Layout;
use super::options::ErrorBars;
use super::residuals::{Moments, Residuals};
use crate::ratings::aggregates::Aggregates;
use crate::ratings::pool::{Encounter, Pool};

/// Virtual binomial variance by which a player's dispersion is drawn to the pool's.
const DISPERSION_SHRINKAGE: f64 = 20.0;

/// Covariance in squared natural units, and the dispersion of the pool behind it.
pub(super) struct Covariance {
    pub matrix: Dense,
    /// Variance of results relative to binomial games; only for model A.
    pub dispersion: Option<f64>,
}

/// Which parameters' covariance is wanted.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wanted<'a> {
    /// All.
    All,
    /// Those at these positions, in their order.
    At(&'a [usize]),
}

/// How results spread, and with them the parameters.
pub(super) enum Spread {
    /// So much more than the inverse information.
    Multiple(f64),
    /// J^-1 M J^-1, of this M.
    Middle(Middle),
}

/// M of the sandwich, by encounter that takes part.
pub(super) struct Middle {
    pub moments: Vec<Moments>,
}

/// Error bars of a full likelihood: the inverse information.
pub(super) fn inverse_information(
    of: System<'_>,
    fit: &Fit,
    wanted: Wanted<'_>,
) -> Option<Covariance> {
    Some(Covariance {
        matrix: matrix(of, fit, &Spread::Multiple(1.0), wanted)?,
        dispersion: None,
    })
}

/// Error bars of model A (STATS.md 1.3).
pub(super) fn score_covariance(
    pool: &Pool,
    aggregates: &Aggregates,
    of: System<'_>,
    fit: &Fit,
    kind: ErrorBars,
    wanted: Wanted<'_>,
) -> Option<Covariance> {
    let layout = of.layout;
    let alpha = layout.first_move(&fit.x);
    let strength = |index| layout.strength(&fit.x, index);
    let taking_part = pool
        .with_tables(aggregates)
        .filter(|(met, _)| layout.takes_part(met));
    let (met, residuals): (Vec<&Encounter>, Vec<Residuals>) = taking_part
        .map(|(met, table)| {
            let difference = strength(met.near) - strength(met.far);
            (met, Residuals::new(table, difference, alpha))
        })
        .unzip();
    let dispersion = Dispersion::new(pool.players.len(), layout, &met, &residuals);
    let moments = |of_one: &dyn Fn(usize) -> Moments| {
        Spread::Middle(Middle {
            moments: (0..met.len()).map(of_one).collect(),
        })
    };
    let spread = match kind {
        ErrorBars::None | ErrorBars::Bootstrap(_) | ErrorBars::Simulation(_) => return None,
        ErrorBars::Binomial => Spread::Multiple(1.0),
        ErrorBars::Global if layout.bonds.is_empty() => Spread::Multiple(dispersion.pool),
        // The dispersion of games says nothing of links, whose spread is the one that was given.
        ErrorBars::Global => moments(&|index| {
            let Weights { near, far } = fit.information.weights[index];
            let (tt, tu) = (near + far, near - far);
            let uu = tt;
            Moments { tt, tu, uu }.scaled(dispersion.pool)
        }),
        ErrorBars::Sandwich => {
            moments(&|index| residuals[index].observed.scaled(dispersion.freedom))
        }
        ErrorBars::Dispersion => moments(&|index| {
            let met = met[index];
            let factor = (dispersion.players[met.near] * dispersion.players[met.far]).sqrt();
            residuals[index].binomial.scaled(factor)
        }),
    };
    Some(Covariance {
        matrix: matrix(of, fit, &spread, wanted)?,
        // Of no games there is nothing to tell but the constants.
        dispersion: (!met.is_empty()).then_some(dispersion.pool),
    })
}

fn matrix(of: System<'_>, fit: &Fit, spread: &Spread, wanted: Wanted<'_>) -> Option<Dense> {
    if let Wanted::At(positions) = wanted {
        return chosen::covariance(of, fit, spread, positions);
    }
    let layout = of.layout;
    let information = fit.information.dense(of);
    let weight = information.gauge_weight();
    let mut inverse = information.with_gauges(layout).inverse()?;
    Some(match spread {
        Spread::Multiple(factor) => {
            // The gauge term c (1 1')/n contributed (1 1')/(n c), which stands for no variance.
            inverse.add_gauges(layout, -1.0 / weight);
            if *factor == 1.0 {
                inverse
            } else {
                inverse.scaled(*factor)
            }
        }
        // M is orthogonal to the gauges, so that the gauge terms of the inverse drop out of the product.
        Spread::Middle(middle) => inverse.around(&middle.dense(of)),
    })
}

impl Middle {
    /// The moments placed as the information is.
    fn dense(&self, of: System<'_>) -> Dense {
        let alpha = of.layout.alpha_position();
        // One row and column more for what is fixed.
        let mut matrix = Dense::zeros(of.layout.dimension + 1);
        for (place, &Moments { tt, tu, uu }) in of.places.iter().zip(&self.moments) {
            matrix.add(place.near(), place.near(), tt);
            matrix.add(place.far(), place.far(), tt);
            matrix.add_both(place.near(), place.far(), -tt);
            matrix.add_both(place.near(), alpha, tu);
            matrix.add_both(place.far(), alpha, -tu);
            matrix.add(alpha, alpha, uu);
        }
        of.add_bonds(&mut matrix);
        matrix.shrunk(of.layout.dimension)
    }
}

/// Variance of results relative to binomial games, for the pool and for each player.
struct Dispersion {
    /// N / (N - q): games per degree of freedom left by the fit.
    freedom: f64,
    pool: f64,
    players: Vec<f64>,
}

impl Dispersion {
    fn new(players: usize, layout: &Layout, met: &[&Encounter], residuals: &[Residuals]) -> Self {
        let games: u64 = met.iter().map(|met| met.games()).sum();
        // With no more games than parameters there is one degree of freedom by courtesy.
        let left = games.saturating_sub(layout.determined() as u64).max(1);
        let freedom = games as f64 / left as f64;
        let (mut observed, mut binomial) = (vec![0.0; players], vec![0.0; players]);
        let (mut all_observed, mut all_binomial) = (0.0, 0.0);
        for (met, residual) in met.iter().zip(residuals) {
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

#[cfg(test)]
mod tests {
    use super::super::fit::{Problem, places};
    use super::super::options::{Link, RatingOptions};
    use super::super::priors::Priors;
    use super::super::score::ScoreLikelihood;
    use super::*;
    use crate::ratings::Outcome;

    /// By hand: 40 games and 2 degrees of freedom; the variances of few games are drawn to the pool's.
    #[test]
    fn dispersions_are_drawn_to_that_of_the_pool() {
        let mut games = Aggregates::new();
        for (i, j, count) in [(0, 1, 15), (1, 2, 25)] {
            for _ in 0..count {
                games.add_single(i, j, Outcome::Draw).unwrap();
            }
        }
        let pool = Pool::new(&games);
        let layout = Layout::new(&pool, &RatingOptions::default(), 0).unwrap();
        let met: Vec<&Encounter> = pool.encounters.iter().collect();
        let residuals = [(3.0, 10.0), (8.0, 20.0)].map(|(observed, binomial)| {
            let moments = |tt: f64| Moments {
                tt,
                ..Moments::default()
            };
            Residuals {
                observed: moments(observed),
                binomial: moments(binomial),
            }
        });
        let found = Dispersion::new(3, &layout, &met, &residuals);
        // (40/38 11 + 0.5) / 31, and for example (40/38 3 + 20 phi) / (10 + 20).
        let expected = [1.0526315789473684, 0.3896434634974533];
        assert!((found.freedom - expected[0]).abs() < 1e-14);
        assert!((found.pool - expected[1]).abs() < 1e-14);
        let expected = [
            0.365_025_466_893_039,
            0.3874363327674024,
            0.4053480475382003,
        ];
        for (found, expected) in found.players.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        }
    }

    /// Error bars of chosen players, by solutions, are those of the whole matrix, of every kind.
    #[test]
    fn the_chosen_have_what_all_have() {
        let mut games = Aggregates::new();
        for number in 0..400usize {
            let (i, j) = (number % 7, (number * 3 + 1) % 7);
            let outcome = |n: usize| Outcome::ALL[(n * n + i + 2 * j) % 5];
            if i != j && number % 3 == 0 {
                games
                    .add_pair(i, j, outcome(number), outcome(number / 2))
                    .unwrap();
            } else if i != j {
                games.add_single(i, j, outcome(number / 3)).unwrap();
            }
        }
        let pool = Pool::new(&games);
        let options = RatingOptions {
            links: vec![Link {
                newer: 4,
                older: 1,
                elo: 10.0,
                deviation_elo: 40.0,
            }],
            ..RatingOptions::default()
        };
        let layout = Layout::new(&pool, &options, 0).unwrap();
        let places = places(&pool, &layout);
        let of = System {
            layout: &layout,
            places: &places,
        };
        let priors = Priors {
            draws: 1.0,
            outcomes: 0.0,
        };
        let fit = Problem::<ScoreLikelihood>::new(&pool, &games, of, priors).maximise(None);
        let alpha = layout.alpha_position();
        assert!(alpha < layout.dimension);
        let chosen = [4, 0, alpha, 6];
        for kind in [
            ErrorBars::Dispersion,
            ErrorBars::Sandwich,
            ErrorBars::Global,
            ErrorBars::Binomial,
        ] {
            let find = |wanted| {
                score_covariance(&pool, &games, of, &fit, kind, wanted)
                    .unwrap()
                    .matrix
            };
            let (all, few) = (find(Wanted::All), find(Wanted::At(&chosen)));
            for (i, &row) in chosen.iter().enumerate() {
                for (j, &column) in chosen.iter().enumerate() {
                    let (mine, whole) = (few.get(i, j), all.get(row, column));
                    assert!(
                        (mine - whole).abs() < 1e-9,
                        "{kind:?} {row} {column}: {mine} {whole}"
                    );
                }
            }
        }
    }
}
