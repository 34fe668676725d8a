//! [`ScoreLikelihood`]: the quasi-likelihood of model A, from games and points alone.
//!
//! Points are sufficient, so that an encounter is two numbers of games; and with E_i = e^theta_i, A = e^alpha the expected
//! points are A E_i / (A E_i + E_j): an exponential a player instead of two an encounter (Bradley and Terry 1952).

use super::fit::{Evaluation, Likelihood, taking_part};
use super::information::{Information, System, Weights};
use super::law::{OutcomeLaw, Score, points};
use super::layout::Layout;
use super::priors::Priors;
use crate::ratings::aggregates::Aggregates;
use crate::ratings::pool::Pool;

/// Powers are products of two up to e^(2 * 170), which is below the largest number.
const LARGEST: f64 = 170.0;

/// Two players' games, virtual draws included, by who moves first.
struct Games {
    near: u32,
    far: u32,
    near_first: f64,
    far_first: f64,
    /// Of these, virtual ones of each.
    virtual_draws: f64,
}

/// Games by encounter that takes part, points by player.
pub(super) struct ScoreLikelihood {
    games: Vec<Games>,
    /// Points of each player, virtual ones included.
    points: Vec<f64>,
    /// Points of those that moved first.
    first_points: f64,
}

impl Likelihood for ScoreLikelihood {
    type Law = Score;
    /// With no difference changing by more than 1, curvature changes by less than e, and a step of Newton's method
    /// gains at least a (1 - (e - 2)) of its first-order gain a.
    const SURE_STEP: f64 = 1.0 / 3.0;

    fn new(pool: &Pool, _aggregates: &Aggregates, layout: &Layout, priors: Priors) -> Self {
        let mut all = Self {
            games: Vec::with_capacity(pool.encounters.len()),
            points: Vec::new(),
            first_points: 0.0,
        };
        all.count(pool, layout, priors);
        all
    }

    fn redraw(&mut self, _layout: &Layout, mut results: impl FnMut(usize) -> [[f64; 5]; 2]) {
        self.points.fill(0.0);
        self.first_points = 0.0;
        for index in 0..self.games.len() {
            let counts = results(index);
            let games = &mut self.games[index];
            let half = games.virtual_draws;
            [games.near_first, games.far_first] = counts.map(|c| c.iter().sum::<f64>() + half);
            self.add_points(index, counts.map(|counts| points(&counts) + 0.5 * half));
        }
    }

    fn start(&self) -> [f64; 2] {
        Score::start(&[0.0; 5])
    }

    fn evaluate(&self, of: System<'_>, x: &[f64]) -> Option<Evaluation> {
        let layout = of.layout;
        let mut weights = Vec::with_capacity(self.games.len());
        let sums = self.sum(layout, x, |pair| weights.push(pair));
        Some(Evaluation {
            gradient: self.gradient(layout, &sums),
            information: Information {
                weights,
                ..Information::default()
            },
        })
    }

    fn slope(&self, of: System<'_>, x: &[f64]) -> Option<Vec<f64>> {
        Some(self.gradient(of.layout, &self.sum(of.layout, x, |_| {})))
    }

    fn value(&self, of: System<'_>, x: &[f64]) -> Option<f64> {
        let strengths = of.layout.strengths(x);
        let alpha = of.layout.first_move(x);
        // ln p_ij is alpha + theta_i - ln(A E_i + E_j): strengths count once for each point, whoever moved first.
        let won: f64 = strengths.iter().zip(&self.points).map(|(s, p)| s * p).sum();
        let shares = Shares::new(&strengths, alpha);
        let lost = |games: &Games| {
            let [one, other] = shares.logarithms(games.near as usize, games.far as usize);
            games.near_first * one + games.far_first * other
        };
        Some(won + alpha * self.first_points - self.games.iter().map(lost).sum::<f64>())
    }
}

impl ScoreLikelihood {
    /// Counts anew what a pool holds.
    pub fn count(&mut self, pool: &Pool, layout: &Layout, priors: Priors) {
        self.games.clear();
        self.points.clear();
        self.points.resize(pool.players.len(), 0.0);
        self.first_points = 0.0;
        let draws = priors.of(pool);
        for met in taking_part(pool, layout) {
            let half = draws.draws_each_way(met);
            // Below the largest number of players.
            let small = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
            self.games.push(Games {
                near: small(met.near),
                far: small(met.far),
                near_first: met.near_games as f64 + half,
                far_first: met.far_games as f64 + half,
                virtual_draws: half,
            });
            let points = [met.near_quarters, met.far_quarters].map(|q| q as f64 / 4.0 + 0.5 * half);
            self.add_points(self.games.len() - 1, points);
        }
    }

    /// The slope, given expected points by player and of the first movers.
    fn gradient(&self, layout: &Layout, sums: &Sums) -> Vec<f64> {
        let mut gradient = vec![0.0; layout.dimension + 1];
        for (index, (points, expected)) in self.points.iter().zip(&sums.expected).enumerate() {
            gradient[layout.position(index)] += points - expected;
        }
        gradient[layout.alpha_position()] += self.first_points - sums.first;
        gradient[layout.dimension] = 0.0;
        gradient
    }

    /// Adds the points of the first movers of an encounter: of near where it moved first, of far where it did.
    fn add_points(&mut self, index: usize, [by_near, by_far]: [f64; 2]) {
        let games = &self.games[index];
        let (near, far) = (games.near as usize, games.far as usize);
        self.points[near] += by_near + games.far_first - by_far;
        self.points[far] += by_far + games.near_first - by_near;
        self.first_points += by_near + by_far;
    }

    /// Adds up expected points, and gives the weights of each encounter.
    #[inline]
    fn sum(&self, layout: &Layout, x: &[f64], mut give: impl FnMut(Weights)) -> Sums {
        let strengths = layout.strengths(x);
        let shares = Shares::new(&strengths, layout.first_move(x));
        let mut sums = Sums {
            expected: vec![0.0; strengths.len()],
            first: 0.0,
        };
        for games in &self.games {
            let (near, far) = (games.near as usize, games.far as usize);
            let [[near_won, far_kept], [far_won, near_kept]] = shares.of(near, far);
            let (first, second) = (games.near_first * near_won, games.far_first * far_won);
            sums.expected[near] += first + games.far_first * near_kept;
            sums.expected[far] += second + games.near_first * far_kept;
            sums.first += first + second;
            give(Weights {
                near: first * far_kept,
                far: second * near_kept,
            });
        }
        sums
    }
}

/// What is added up over encounters.
struct Sums {
    /// Expected points by player.
    expected: Vec<f64>,
    /// Expected points of first movers.
    first: f64,
}

/// What share of the points each side is expected to take.
pub(super) struct Shares<'a> {
    strengths: &'a [f64],
    first_move: f64,
    /// Exponentials of both, unless those would overflow.
    powers: Option<(Vec<f64>, f64)>,
}

impl<'a> Shares<'a> {
    /// At these strengths by player.
    pub fn new(strengths: &'a [f64], first_move: f64) -> Self {
        let largest = strengths
            .iter()
            .fold(first_move.abs(), |top, s| top.max(s.abs()));
        let powers = || {
            let players = strengths.iter().map(|&s| libm::exp(s)).collect();
            (players, libm::exp(first_move))
        };
        Self {
            strengths,
            first_move,
            powers: (largest <= LARGEST).then(powers),
        }
    }

    /// Of the first mover and of the other: with near first, with far first.
    #[inline]
    pub fn of(&self, near: usize, far: usize) -> [[f64; 2]; 2] {
        let Some((players, first_move)) = &self.powers else {
            let difference = self.strengths[near] - self.strengths[far];
            return [
                shares(self.first_move + difference),
                shares(self.first_move - difference),
            ];
        };
        let (e_near, e_far) = (players[near], players[far]);
        let (a_near, a_far) = (first_move * e_near, first_move * e_far);
        let (one, other) = (1.0 / (a_near + e_far), 1.0 / (a_far + e_near));
        [[a_near * one, e_far * one], [a_far * other, e_near * other]]
    }

    /// ln(A E_i + E_j) with near first as i, and with far.
    #[inline]
    fn logarithms(&self, near: usize, far: usize) -> [f64; 2] {
        let Some((players, first_move)) = &self.powers else {
            let (one, other) = (self.strengths[near], self.strengths[far]);
            let difference = one - other;
            return [
                other + softplus(self.first_move + difference),
                one + softplus(self.first_move - difference),
            ];
        };
        let (e_near, e_far) = (players[near], players[far]);
        [first_move * e_near + e_far, first_move * e_far + e_near].map(libm::log)
    }
}

/// Shares of the first mover and of the other at a strength difference.
fn shares(eta: f64) -> [f64; 2] {
    let small = libm::exp(-eta.abs());
    let larger = 1.0 / (1.0 + small);
    match eta >= 0.0 {
        true => [larger, small * larger],
        false => [small * larger, larger],
    }
}

/// ln(1 + e^x) without overflow.
fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::fit::places;
    use super::super::options::RatingOptions;
    use super::super::outcomes::OutcomeLikelihood;
    use super::*;
    use crate::ratings::Outcome;

    proptest! {
        /// Sums by points and powers are those by outcomes, term by term: near and far apart, where powers would overflow.
        #[test]
        fn points_tell_what_outcomes_do(
            games in proptest::collection::vec((0usize..6, 1usize..6, 0usize..5, 0usize..5, any::<bool>()), 1..30),
            x in proptest::collection::vec(-3.0f64..3.0, 7),
            scale in prop_oneof![Just(1.0), Just(40.0), Just(90.0)],
            prior in prop_oneof![Just(0.0), Just(1.5)],
        ) {
            let mut results = Aggregates::new();
            for (i, step, x, y, paired) in games {
                let (j, x, y) = ((i + step) % 6, Outcome::ALL[x], Outcome::ALL[y]);
                if paired { results.add_pair(i, j, x, y).unwrap() } else { results.add_single(i, j, x).unwrap() }
            }
            let pool = Pool::new(&results);
            let layout = Layout::new(&pool, &RatingOptions::default(), 0).unwrap();
            let places = places(&pool, &layout);
            let of = System { layout: &layout, places: &places };
            let priors = Priors { draws: prior, outcomes: 0.0 };
            let fast = ScoreLikelihood::new(&pool, &results, &layout, priors);
            let slow = OutcomeLikelihood::<Score>::new(&pool, &results, &layout, priors);
            let x: Vec<f64> = x[..layout.dimension].iter().map(|x| x * scale).collect();
            let (a, b) = (fast.evaluate(of, &x).unwrap(), slow.evaluate(of, &x).unwrap());
            for (a, b) in a.gradient.iter().zip(&b.gradient).take(layout.dimension) {
                prop_assert!((a - b).abs() < 1e-11, "{a} {b}");
            }
            prop_assert_eq!(a.information.weights.len(), b.information.weights.len());
            for (a, b) in a.information.weights.iter().zip(&b.information.weights) {
                prop_assert!((a.near - b.near).abs() < 1e-11 && (a.far - b.far).abs() < 1e-11);
            }
            let (a, b) = (fast.value(of, &x).unwrap(), slow.value(of, &x).unwrap());
            prop_assert!((a - b).abs() < 1e-11 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}
