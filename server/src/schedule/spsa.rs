//! Tuning of engine options by simultaneous perturbation stochastic approximation (SPSA), as a function of results.
//!
//! J. C. Spall, "Multivariate stochastic approximation using a simultaneous perturbation gradient approximation", IEEE
//! Transactions on Automatic Control 37 (1992); the gain sequences are those of Spall, "Implementation of the simultaneous
//! perturbation algorithm for stochastic optimization", IEEE Transactions on Aerospace and Electronic Systems 34 (1998), in
//! the terms of fishtest and OpenBench: the size of a perturbation (`c_end`) and the rate of learning (`r_end`) at the end.
//!
//! An iteration is some game pairs of the engine with theta + c D against the engine with theta - c D, where each D is -1 or
//! 1 at random. n counts pairs from 1; an iteration has the n of its first pair. With N pairs in all and A = N / 10:
//! - c(n) = `c_end` (N / n)^0.101,
//! - a(n) = `r_end` `c_end`^2 ((A + N) / (A + n))^0.602,
//! - theta grows by a(n) / c(n) D (points of plus - points of minus), and stays between its bounds.
//!
//! Iteration k is made from theta as it is after the first k + 1 - L iterations, L being how many are played at a time. So
//! everything is a function of seed and results in order of index, whoever played them and when.
//!
//! # Whole numbers
//! Theta is real, options are whole numbers. Both sides are rounded at random by the same number u in [0, 1): floor(x + u) is
//! x on average, so that a theta between two numbers is felt, which the nearest whole number would hide; and the same u on
//! both sides leaves the distance between them as steady as it can be. As c is at least 1/2, they always differ, but at a bound.
//!
//! # Random numbers
//! Words of the keystream of purpose 4 and stream k (see [`super::openings`]): for parameter i, word 2i gives D by its lowest
//! bit (1 = plus), word 2i + 1 shifted right by 11, divided by 2^53, is u.

use std::collections::VecDeque;

use rand_chacha::rand_core::Rng as _;

use super::openings::{Purpose, keystream};
use crate::model::SpsaParameter as Parameter;

/// Exponents of the gain sequences (Spall 1998).
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// A as part of all pairs.
const STABILITY: f64 = 0.1;

/// What is tuned, and for how long.
#[derive(Debug, Clone, PartialEq)]
pub struct Spsa {
    /// Seed of everything random.
    pub seed: u64,
    /// The options.
    pub parameters: Vec<Parameter>,
    /// Pairs of an iteration; the last one may have fewer.
    pub pairs: u64,
    /// Pairs in all.
    pub total_pairs: u64,
    /// Iterations that are played at a time, at least 1.
    pub ahead: u64,
}

/// The values of one option in an iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Perturbed {
    /// -1 or 1.
    pub sign: f64,
    /// Distance of both sides from theta, before bounds and rounding.
    pub c: f64,
    /// Value of the first engine.
    pub plus: i64,
    /// Value of the second engine.
    pub minus: i64,
}

impl Spsa {
    /// Number of iterations.
    pub fn iterations(&self) -> u64 {
        self.total_pairs.div_ceil(self.pairs.max(1))
    }

    /// The iteration that a pair belongs to.
    pub fn iteration_of(&self, pair: u64) -> u64 {
        pair / self.pairs.max(1)
    }

    /// Indices of the pairs of an iteration.
    pub fn pairs_of(&self, iteration: u64) -> std::ops::Range<u64> {
        let first = iteration.saturating_mul(self.pairs).min(self.total_pairs);
        first..first.saturating_add(self.pairs).min(self.total_pairs)
    }

    /// Where all parameters begin.
    pub fn start(&self) -> Vec<f64> {
        let within = |parameter: &Parameter| clip(parameter.value, parameter);
        self.parameters.iter().map(within).collect()
    }

    /// How many iterations the theta of this one has taken in.
    pub fn basis(&self, iteration: u64) -> u64 {
        (iteration + 1).saturating_sub(self.ahead.max(1))
    }

    /// The values that both engines play with in an iteration, made from theta.
    pub fn perturbed(&self, iteration: u64, theta: &[f64]) -> Vec<Perturbed> {
        let mut words = keystream(self.seed, Purpose::Perturbations, iteration);
        let parameters = self.parameters.iter().zip(theta);
        let perturbed = parameters.map(|(parameter, &theta)| {
            let sign = if words.next_u64() & 1 == 1 { 1.0 } else { -1.0 };
            let u = (words.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
            let c = self.c(parameter, iteration);
            let value = |offset: f64| {
                let rounded = (clip(theta + offset, parameter) + u).floor() as i64;
                rounded.clamp(parameter.min, parameter.max)
            };
            Perturbed {
                sign,
                c,
                plus: value(c * sign),
                minus: value(-c * sign),
            }
        });
        perturbed.collect()
    }

    /// Moves theta by the result of an iteration: the points of plus less those of minus.
    pub fn step(&self, iteration: u64, theta: &mut [f64], difference: f64) {
        let mut words = keystream(self.seed, Purpose::Perturbations, iteration);
        let n = self.first_pair(iteration);
        let (all, stability) = (self.total_pairs as f64, STABILITY * self.total_pairs as f64);
        let slowed = libm::pow((stability + all) / (stability + n), ALPHA);
        for (parameter, theta) in self.parameters.iter().zip(theta) {
            let sign = if words.next_u64() & 1 == 1 { 1.0 } else { -1.0 };
            words.next_u64();
            let a = parameter.r_end * parameter.c_end * parameter.c_end * slowed;
            let grown = *theta + a / self.c(parameter, iteration) * sign * difference;
            *theta = clip(grown, parameter);
        }
    }

    fn c(&self, parameter: &Parameter, iteration: u64) -> f64 {
        let part = self.total_pairs as f64 / self.first_pair(iteration);
        // Not `f64::powf`, which need not be the same on every machine.
        parameter.c_end * libm::pow(part, GAMMA)
    }

    /// The first pair of an iteration, counted from 1.
    fn first_pair(&self, iteration: u64) -> f64 {
        (iteration * self.pairs + 1) as f64
    }
}

fn clip(value: f64, parameter: &Parameter) -> f64 {
    value.clamp(parameter.min as f64, parameter.max as f64)
}

/// Theta as it moves: the newest one, and those that iterations under way were made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Walk {
    applied: u64,
    /// Theta after each of the last iterations, the newest last.
    recent: VecDeque<Vec<f64>>,
}

impl Walk {
    /// Before any result.
    pub fn new(spsa: &Spsa) -> Self {
        Self {
            applied: 0,
            recent: VecDeque::from([spsa.start()]),
        }
    }

    /// Takes in the result of the next iteration: the points of plus less those of minus.
    pub fn apply(&mut self, spsa: &Spsa, difference: f64) {
        let mut theta = self.theta().to_vec();
        spsa.step(self.applied, &mut theta, difference);
        self.applied += 1;
        self.recent.push_back(theta);
        while self.recent.len() as u64 > spsa.ahead.max(1) {
            self.recent.pop_front();
        }
    }

    /// Iterations taken in.
    pub fn applied(&self) -> u64 {
        self.applied
    }

    /// Theta after all of them.
    pub fn theta(&self) -> &[f64] {
        self.recent.back().map_or(&[], Vec::as_slice)
    }

    /// Iterations that can be played: those before this one.
    pub fn open(&self, spsa: &Spsa) -> u64 {
        (self.applied + spsa.ahead.max(1)).min(spsa.iterations())
    }

    /// The values of an iteration that is not taken in yet; `None` for one that is, or for which it is too early.
    pub fn perturbed(&self, spsa: &Spsa, iteration: u64) -> Option<Vec<Perturbed>> {
        if iteration < self.applied || iteration >= self.open(spsa) {
            return None;
        }
        let back = usize::try_from(self.applied - spsa.basis(iteration)).ok()?;
        let theta = self.recent.iter().rev().nth(back)?;
        Some(spsa.perturbed(iteration, theta))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(value: f64, min: i64, max: i64, c_end: f64, r_end: f64) -> Parameter {
        Parameter {
            name: "x".to_owned(),
            value,
            min,
            max,
            c_end,
            r_end,
        }
    }

    fn spsa(parameters: Vec<Parameter>, pairs: u64, total_pairs: u64, ahead: u64) -> Spsa {
        Spsa {
            seed: 2024,
            parameters,
            pairs,
            total_pairs,
            ahead,
        }
    }

    fn two() -> Vec<Parameter> {
        vec![
            parameter(10.0, -50, 50, 4.0, 0.02),
            parameter(480.5, 0, 500, 12.5, 0.05),
        ]
    }

    /// Difference of points by a rule without random numbers: near (-20, 400) is better.
    fn by_rule(values: &[Perturbed]) -> f64 {
        let loss = |side: fn(&Perturbed) -> i64| {
            let values: Vec<f64> = values.iter().map(|value| side(value) as f64).collect();
            (values[0] + 20.0).abs() / 10.0 + (values[1] - 400.0).abs() / 50.0
        };
        let gain = loss(|value| value.minus) - loss(|value| value.plus);
        (4.0 * gain).floor().clamp(-8.0, 8.0) / 4.0
    }

    /// All iterations with their values, and theta before and after each.
    fn played(
        spsa: &Spsa,
        result: impl Fn(u64, &[Perturbed]) -> f64,
    ) -> Vec<(Vec<Perturbed>, Vec<f64>)> {
        let mut walk = Walk::new(spsa);
        // Those under way are held as workers hold them: values are made when an iteration is opened.
        let (mut held, mut opened) = (VecDeque::new(), 0);
        let mut all = Vec::new();
        while walk.applied() < spsa.iterations() {
            while opened < walk.open(spsa) {
                held.push_back(walk.perturbed(spsa, opened).unwrap());
                opened += 1;
            }
            let values = held.pop_front().unwrap();
            walk.apply(spsa, result(walk.applied(), &values));
            all.push((values, walk.theta().to_vec()));
        }
        assert_eq!(walk.perturbed(spsa, spsa.iterations()), None);
        all
    }

    // All expected numbers come from a program of its own, written in Python after the text above.
    #[test]
    fn a_course_is_that_of_another_program() {
        type Sides = ([i64; 2], [i64; 2]);
        let one: [Sides; 6] = [
            ([4, 499], [16, 462]),
            ([5, 464], [15, 497]),
            ([5, 494], [15, 463]),
            ([5, 494], [15, 464]),
            ([5, 494], [14, 465]),
            ([5, 494], [14, 465]),
        ];
        let four: [Sides; 6] = [
            ([4, 499], [16, 462]),
            ([5, 464], [15, 496]),
            ([5, 495], [15, 465]),
            ([6, 495], [15, 466]),
            ([5, 495], [14, 467]),
            ([6, 492], [14, 465]),
        ];
        let cases = [
            (
                2,
                1,
                20,
                one,
                [
                    [9.948_972_944_859_078, 480.898_648_868_288_43],
                    [9.519_432_558_588_626, 479.889_355_716_354_15],
                    [8.444_082_882_902_963, 476.120_830_072_235_04],
                ],
            ),
            (
                3,
                4,
                14,
                four,
                [
                    [9.948_972_944_859_078, 480.898_648_868_288_43],
                    [9.549_348_867_834_253, 479.874_040_667_756_45],
                    [9.092_230_981_371_047, 479.127_491_151_766_55],
                ],
            ),
        ];
        for (pairs, ahead, iterations, sides, thetas) in cases {
            let spsa = spsa(two(), pairs, 40, ahead);
            let all = played(&spsa, |_, values| by_rule(values));
            assert_eq!(all.len(), iterations);
            for (index, (plus, minus)) in sides.iter().enumerate() {
                let values = &all[index].0;
                assert_eq!([values[0].plus, values[1].plus], *plus, "iteration {index}");
                assert_eq!(
                    [values[0].minus, values[1].minus],
                    *minus,
                    "iteration {index}"
                );
            }
            for (after, expected) in [1, 6, iterations].into_iter().zip(thetas) {
                for (found, expected) in all[after - 1].1.iter().zip(expected) {
                    assert!(
                        (found - expected).abs() < 1e-9,
                        "{after}: {found} {expected}"
                    );
                }
            }
        }
    }

    /// Elo lost by values away from the best ones.
    fn elo(values: &[Perturbed], side: fn(&Perturbed) -> i64) -> f64 {
        let best = [(30.0, 10.0), (-8.0, 4.0), (700.0, 100.0)];
        let lost = values
            .iter()
            .zip(best)
            .map(|(value, (best, scale))| 5.0 * ((side(value) as f64 - best) / scale).powi(2));
        -lost.sum::<f64>()
    }

    #[test]
    fn noisy_games_lead_to_the_best_values_however_many_are_under_way() {
        let parameters = vec![
            parameter(0.0, -100, 100, 10.0, 0.002),
            parameter(0.0, -20, 20, 2.0, 0.01),
            parameter(400.0, 0, 1000, 60.0, 0.004),
        ];
        for (pairs, ahead) in [(1, 1), (1, 64), (8, 8)] {
            let spsa = spsa(parameters.clone(), pairs, 20_000, ahead);
            let result = |iteration: u64, values: &[Perturbed]| {
                let difference = elo(values, |value| value.plus) - elo(values, |value| value.minus);
                let expected = 1.0 / (1.0 + 10_f64.powf(-difference / 400.0));
                // Games without draws, which are the noisiest.
                let mut words = keystream(7, Purpose::Games, iteration);
                let games = spsa.pairs_of(iteration).count() * 2;
                let points =
                    (0..games).filter(|_| (words.next_u64() as f64) < expected * 2_f64.powi(64));
                2.0 * points.count() as f64 - games as f64
            };
            let all = played(&spsa, result);
            let theta = &all.last().unwrap().1;
            for (found, (best, within)) in
                theta.iter().zip([(30.0, 5.0), (-8.0, 2.5), (700.0, 60.0)])
            {
                assert!((found - best).abs() < within, "{pairs}, {ahead}: {theta:?}");
            }
        }
    }

    #[test]
    fn values_stay_within_their_bounds_and_differ() {
        let parameters = vec![
            parameter(3.0, 3, 5, 0.5, 0.5),
            parameter(-7.25, -9, 40, 0.5, 0.5),
        ];
        let spsa = spsa(parameters.clone(), 1, 3_000, 16);
        let mut sum = 0.0;
        for (values, theta) in played(&spsa, |iteration, _| f64::from(iteration as u32 % 5) - 2.0) {
            for ((value, theta), parameter) in values.iter().zip(theta).zip(&parameters) {
                let bounds = parameter.min..=parameter.max;
                assert!(bounds.contains(&value.plus) && bounds.contains(&value.minus));
                assert!((parameter.min as f64..=parameter.max as f64).contains(&theta));
            }
            assert!(values[1].plus != values[1].minus || theta_is_near_a_bound(&values[1]));
            sum += values[0].sign;
        }
        // Signs of a fair coin: within four standard deviations.
        assert!(sum.abs() < 4.0 * 3_000_f64.sqrt(), "{sum}");
    }

    fn theta_is_near_a_bound(value: &Perturbed) -> bool {
        [-9, -8, 39, 40].contains(&value.plus)
    }

    #[test]
    fn rounding_is_right_on_average() {
        // A value that the nearest whole number would never tell from 10.
        let spsa = spsa(vec![parameter(10.3, 0, 20, 0.5, 0.1)], 1, 1_000_000, 1);
        let mean = |side: fn(&Perturbed) -> i64, sign: f64| {
            let values = (900_000..920_000).map(|iteration| spsa.perturbed(iteration, &[10.3])[0]);
            let of_sign = values
                .filter(|value| value.sign == sign)
                .map(|value| side(&value));
            let (sum, count) = of_sign.fold((0, 0), |(sum, count), value| (sum + value, count + 1));
            sum as f64 / f64::from(count)
        };
        // c is 0.505 there; four standard errors of 10,000 values are 0.02.
        for (sign, plus, minus) in [(1.0, 10.805, 9.795), (-1.0, 9.795, 10.805)] {
            assert!((mean(|value| value.plus, sign) - plus).abs() < 0.02);
            assert!((mean(|value| value.minus, sign) - minus).abs() < 0.02);
        }
    }

    #[test]
    fn pairs_and_iterations_belong_together() {
        let spsa = spsa(two(), 3, 10, 2);
        assert_eq!(spsa.iterations(), 4);
        assert_eq!(spsa.pairs_of(0), 0..3);
        assert_eq!(spsa.pairs_of(3), 9..10);
        for pair in 0..10 {
            assert!(spsa.pairs_of(spsa.iteration_of(pair)).contains(&pair));
        }
        assert_eq!(
            [0, 1, 2, 3].map(|iteration| spsa.basis(iteration)),
            [0, 0, 1, 2]
        );
    }
}
