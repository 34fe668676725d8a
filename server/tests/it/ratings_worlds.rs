//! Worlds in which the law of every game is known, for tests of intervals (STATS.md 1.3).

#![expect(clippy::unwrap_used, reason = "an unexpected refusal fails the test")]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use server::ratings::{
    Aggregates, OrderedLogit, Outcome, PairTable, RatingOptions, RatingReport, elo::ELO_PER_NAT,
    normal, rate,
};

/// What moving first is worth, in natural units.
const FIRST_MOVE: f64 = 0.2;
/// Openings are drawn from so many of equal weight.
const OPENINGS: usize = 41;

/// How outcomes come about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// Ordered logit, the same thresholds for all.
    OrderedLogit,
    /// The stronger the players, the more draws.
    DrawsRiseWithStrength,
    /// Openings favour one side, with a standard deviation of 200 Elo, and are played from both sides.
    UnbalancedOpenings,
}

/// Engines of known strengths.
pub struct World {
    pub kind: Kind,
    /// In natural units.
    pub strengths: Vec<f64>,
}

/// A number in [0, 1).
pub fn unit(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// An outcome by shares, worst first.
pub fn outcome(random: &mut ChaCha8Rng, shares: &[f64; 5]) -> Outcome {
    let mut left = unit(random);
    let inside = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    Outcome::ALL[inside.unwrap_or(4)]
}

impl World {
    /// Strengths at even quantiles of a normal law with a standard deviation of 100 Elo.
    pub fn new(kind: Kind, engines: usize) -> Self {
        let strength = |index: usize| {
            normal::quantile((index as f64 + 0.5) / engines as f64) * 100.0 / ELO_PER_NAT
        };
        Self {
            kind,
            strengths: (0..engines).map(strength).collect(),
        }
    }

    /// What an opening is worth to the side that moves first.
    fn opening(&self, number: usize) -> f64 {
        let quantile = normal::quantile((number as f64 + 0.5) / OPENINGS as f64);
        match self.kind {
            Kind::UnbalancedOpenings => quantile * 200.0 / ELO_PER_NAT,
            _ => 0.0,
        }
    }

    /// Outcome shares of a game in which `first` moves first.
    fn shares(&self, first: usize, second: usize, opening: f64) -> [f64; 5] {
        let (i, j) = (self.strengths[first], self.strengths[second]);
        let width = match self.kind {
            Kind::DrawsRiseWithStrength => (0.8 * (i + j)).exp(),
            _ => 1.0,
        };
        let shape = [0.6 * width, 1.0 * width];
        OrderedLogit::shares(i - j + FIRST_MOVE + opening, shape).unwrap()
    }

    /// A round robin of so many game pairs between each two engines.
    pub fn play(&self, pairs: usize, seed: u64) -> Aggregates {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut pool = Aggregates::new();
        let engines = self.strengths.len();
        for (i, j) in (0..engines).flat_map(|j| (0..j).map(move |i| (i, j))) {
            let mut table = PairTable::default();
            for _ in 0..pairs {
                let opening = self.opening(random.next_u64() as usize % OPENINGS);
                let x = outcome(&mut random, &self.shares(i, j, opening));
                let y = outcome(&mut random, &self.shares(j, i, opening));
                table.add_pair(x, y);
            }
            pool.add_table(i, j, &table).unwrap();
        }
        pool
    }

    /// The best logistic fit of the true law: ratings of so many games that chance is gone.
    pub fn truth(&self) -> RatingReport {
        let mut pool = Aggregates::new();
        let engines = self.strengths.len();
        for (i, j) in (0..engines).flat_map(|j| (0..j).map(move |i| (i, j))) {
            let mut table = PairTable::default();
            for number in 0..OPENINGS {
                let opening = self.opening(number);
                let counts = |first, second| {
                    let shares = self.shares(first, second, opening);
                    shares.map(|share| (share * 1e7).round() as u32)
                };
                let (near, far) = (counts(i, j), counts(j, i));
                for k in 0..5 {
                    table.near_first[k] += near[k];
                    table.far_first[k] += far[k];
                }
            }
            pool.add_table(i, j, &table).unwrap();
        }
        rate(&pool, &RatingOptions::default()).unwrap()
    }
}
