//! The acceptance points of STATS.md section 7 beyond the reference vectors, with fixed seeds.

#![expect(clippy::unwrap_used, reason = "an unexpected refusal fails the test")]

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use server::ratings::{
    Aggregates, CellSet, ErrorBars, Histogram, OrderedLogit, Outcome, Player, RatingOptions, rate,
    sprt::{EloUnit, Overshoot, SprtSpec, SprtTest, Verdict, llr},
};

use crate::ratings_worlds::{Kind, World, outcome, unit};

fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    (random.next_u64() % bound as u64) as usize
}

/// Point 2: the likelihood ratio of any histogram is finite, and of the reversed one with reversed bounds the negative.
fn likelihood_ratios_are_antisymmetric(sets: [CellSet; 2], seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for number in 0..10_000 {
        let set = sets[number % 2];
        let unit_of_bounds = [EloUnit::Normalized, EloUnit::Logistic][number / 2 % 2];
        let counts: Vec<u64> = (0..set.len())
            .map(|_| match below(&mut random, 4) {
                0 => 0,
                1 => random.next_u64() % 4,
                2 => random.next_u64() % 1_000,
                _ => random.next_u64() % 1_000_000,
            })
            .collect();
        let histogram = Histogram::new(set, &counts).unwrap();
        let (a, b) = (
            200.0 * unit(&mut random) - 100.0,
            200.0 * unit(&mut random) - 100.0,
        );
        let (low, high) = (a.min(b), a.max(b) + 1e-3);
        let spec = |low: f64, high: f64| {
            SprtSpec::new(
                unit_of_bounds,
                low.max(-100.0),
                high.min(100.0),
                0.05,
                0.05,
                set,
            )
        };
        let here = llr(&spec(low, high).unwrap(), &histogram).value;
        let there = llr(&spec(-high, -low).unwrap(), &histogram.reversed()).value;
        assert!(here.is_finite(), "{set:?} {counts:?} {low} {high}");
        let gap = (here + there).abs();
        assert!(
            gap <= 1e-6 * here.abs().max(1.0),
            "{set:?} {counts:?} {low} {high}: {here} {there}"
        );
    }
}

#[test]
fn likelihood_ratios_of_ten_thousand_histograms_of_pairs() {
    likelihood_ratios_are_antisymmetric([CellSet::FivePairs, CellSet::ThreePairs], 2);
}

#[test]
fn likelihood_ratios_of_ten_thousand_histograms_of_games() {
    likelihood_ratios_are_antisymmetric([CellSet::FiveSingles, CellSet::ThreeSingles], 22);
}

/// One observation: a pair or a game of two players.
type Event = (bool, Player, Player, Outcome, Outcome);

fn events(random: &mut ChaCha8Rng, players: usize, count: usize) -> Vec<Event> {
    let event = |_| {
        let i = below(random, players);
        let j = (i + 1 + below(random, players - 1)) % players;
        let outcomes = [0, 1].map(|_| Outcome::ALL[below(random, 5)]);
        (random.next_u64() & 1 == 0, i, j, outcomes[0], outcomes[1])
    };
    (0..count).map(event).collect()
}

fn counted<'a>(events: impl IntoIterator<Item = &'a Event>) -> Aggregates {
    let mut pool = Aggregates::new();
    for &(paired, i, j, x, y) in events {
        match paired {
            true => pool.add_pair(i, j, x, y).unwrap(),
            false => pool.add_single(i, j, x).unwrap(),
        }
    }
    pool
}

/// Point 3: however games are split over workers and in whatever order these report, all is equal to the last bit.
#[test]
fn splitting_over_workers_changes_no_bit() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for round in 0..20 {
        let mut events = events(&mut random, 3 + round, 400);
        let whole = counted(&events);
        let report = rate(&whole, &RatingOptions::default()).unwrap();
        // Shuffled (Fisher and Yates), dealt to some workers, merged in the order they end.
        for last in (1..events.len()).rev() {
            events.swap(last, below(&mut random, last + 1));
        }
        let workers = 1 + below(&mut random, 7);
        let mut parts: Vec<Vec<Event>> = vec![Vec::new(); workers];
        for event in events {
            parts[below(&mut random, workers)].push(event);
        }
        let mut merged = Aggregates::new();
        parts
            .iter()
            .rev()
            .for_each(|part| merged.merge(&counted(part)));
        assert_eq!(merged, whole);
        assert_eq!(rate(&merged, &RatingOptions::default()).unwrap(), report);
    }
}

/// Point 4: numbers of players mean nothing, and reversed results reverse the ratings, for every kind of error bars.
#[test]
fn relabelling_and_reversal() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let kinds = [
        ErrorBars::Dispersion,
        ErrorBars::Sandwich,
        ErrorBars::Global,
        ErrorBars::Binomial,
    ];
    for round in 0..20 {
        let players = 3 + round;
        let events = events(&mut random, players, 150);
        let rename = |player: Player| 900 - 7 * ((player + 5) % players);
        let renamed: Vec<Event> = events
            .iter()
            .map(|&(paired, i, j, x, y)| match paired {
                // A pair may be told from either side.
                true => (true, rename(j), rename(i), y, x),
                false => (false, rename(i), rename(j), x, y),
            })
            .collect();
        let reversed: Vec<Event> = events
            .iter()
            .map(|&(paired, i, j, x, y)| (paired, i, j, x.reversed(), y.reversed()))
            .collect();
        let options = RatingOptions {
            error_bars: kinds[round % kinds.len()],
            ..RatingOptions::default()
        };
        let [one, other, mirror] =
            [&events, &renamed, &reversed].map(|events| rate(&counted(events), &options).unwrap());
        assert!((one.first_move.elo - other.first_move.elo).abs() < 1e-7);
        assert!((one.first_move.elo + mirror.first_move.elo).abs() < 1e-7);
        for player in &one.players {
            let same = other.player(rename(player.player)).unwrap();
            let against = mirror.player(player.player).unwrap();
            let rating = player.rating_elo.unwrap();
            assert!((rating - same.rating_elo.unwrap()).abs() < 1e-7);
            assert!((rating + against.rating_elo.unwrap()).abs() < 1e-7);
            let error = player.error_elo.unwrap();
            assert!((error - same.error_elo.unwrap()).abs() < 1e-7);
            assert!((error - against.error_elo.unwrap()).abs() < 1e-7);
        }
    }
}

/// Point 5: without a prior every player's expected points are its points, and so are all first movers' together.
#[test]
fn expected_points_are_points() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for players in [2, 5, 12, 40, 260] {
        let events = events(&mut random, players, 40 * players);
        let pool = counted(&events);
        let options = RatingOptions {
            prior_draws: 0.0,
            ..RatingOptions::default()
        };
        let report = rate(&pool, &options).unwrap();
        for player in &report.players {
            let gap = player.expected_points.unwrap() - player.points.points();
            assert!(gap.abs() < 1e-6, "{players}: {player:?}");
        }
        let (mut points, mut expected) = (0.0, 0.0);
        for (near, far, table) in pool.tables() {
            for (first, second, outcomes) in [
                (near, far, table.near_first_totals()),
                (far, near, table.far_first_totals()),
            ] {
                let games: u64 = outcomes.iter().sum();
                points += outcomes
                    .iter()
                    .zip(0_u32..)
                    .map(|(&n, k)| n as f64 * f64::from(k))
                    .sum::<f64>()
                    / 4.0;
                expected += games as f64 * report.expected_score(first, second).unwrap();
            }
        }
        assert!(
            (points - expected).abs() < 1e-6,
            "{players}: {points} {expected}"
        );
    }
}

/// Thresholds of the law of the simulated games.
const SHAPE: [f64; 2] = [0.6, 1.0];

/// A sequential test as it is simulated.
struct Simulated {
    unit: EloUnit,
    /// The upper bound; the lower one is 0.
    elo1: f64,
    set: CellSet,
    /// Observations that are judged at once.
    batch: usize,
    overshoot: Option<Overshoot>,
}

impl Simulated {
    /// Share of 2,000 tests that accept H1, of games with the outcome shares at `eta`.
    fn accepted(&self, eta: f64, seed: u64) -> f64 {
        let spec = SprtSpec::new(self.unit, 0.0, self.elo1, 0.05, 0.05, self.set).unwrap();
        let shares = OrderedLogit::shares(eta, SHAPE).unwrap();
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut observe = || {
            let games = (0..self.set.games()).map(|_| outcome(&mut random, &shares));
            games.map(|game| usize::from(game.quarters())).sum()
        };
        let mut accepts = || {
            let mut test = SprtTest::new(spec, self.overshoot);
            loop {
                let batch: Vec<usize> = (0..self.batch).map(|_| observe()).collect();
                match test.add_batch(&batch).unwrap().verdict {
                    Verdict::Continue => {}
                    verdict => return verdict == Verdict::Accepted,
                }
            }
        };
        let passed = (0..2_000).filter(|_| accepts()).count();
        passed as f64 / 2_000.0
    }

    /// Point 6: errors of the first and the second kind within 5 % +- 1.5 %, three standard errors of 2,000 tests.
    fn check(&self, seed: u64) {
        let first = self.accepted(eta_of(self.unit, 0.0), seed);
        let second = 1.0 - self.accepted(eta_of(self.unit, self.elo1), seed + 1);
        assert!((first - 0.05).abs() <= 0.015, "first kind: {first}");
        assert!((second - 0.05).abs() <= 0.015, "second kind: {second}");
    }
}

/// Strength difference at which games of the law above have an Elo in a unit.
fn eta_of(unit: EloUnit, elo: f64) -> f64 {
    let (mut low, mut high) = (-2.0, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let shares = OrderedLogit::shares(middle, SHAPE).unwrap();
        let mean: f64 = (0..5).map(|k| k as f64 / 4.0 * shares[k]).sum();
        let square: f64 = (0..5).map(|k| (k as f64 / 4.0).powi(2) * shares[k]).sum();
        let found = match unit {
            EloUnit::Normalized => {
                (mean - 0.5) / (square - mean * mean).sqrt() * 800.0 / 10_f64.ln()
            }
            EloUnit::Logistic => -400.0 * (1.0 / mean - 1.0).log10(),
        };
        if found < elo {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

#[test]
fn simulated_tests_judged_pair_by_pair_err_as_often_as_they_say() {
    let test = Simulated {
        unit: EloUnit::Normalized,
        elo1: 60.0,
        set: CellSet::FivePairs,
        batch: 1,
        overshoot: Some(Overshoot::default()),
    };
    test.check(61);
}

#[test]
fn simulated_tests_judged_in_batches_err_as_often_as_they_say() {
    let test = Simulated {
        unit: EloUnit::Normalized,
        elo1: 30.0,
        set: CellSet::FivePairs,
        batch: 16,
        overshoot: Some(Overshoot::default()),
    };
    test.check(63);
}

#[test]
fn simulated_tests_of_logistic_elo_err_as_often_as_they_say() {
    let test = Simulated {
        unit: EloUnit::Logistic,
        elo1: 20.0,
        set: CellSet::FivePairs,
        batch: 4,
        overshoot: Some(Overshoot::default()),
    };
    test.check(65);
}

#[test]
fn simulated_tests_with_plain_bounds_err_as_often_as_they_say() {
    let test = Simulated {
        unit: EloUnit::Logistic,
        elo1: 20.0,
        set: CellSet::FivePairs,
        batch: 4,
        overshoot: None,
    };
    test.check(67);
}

#[test]
fn simulated_tests_of_single_games_err_as_often_as_they_say() {
    let test = Simulated {
        unit: EloUnit::Normalized,
        elo1: 60.0,
        set: CellSet::FiveSingles,
        batch: 4,
        overshoot: Some(Overshoot::default()),
    };
    test.check(69);
}

/// Point 7: share of nominal 95 % intervals that hold the truth, 16 engines and 300 games each, 250 replications.
fn coverage(kind: Kind, error_bars: ErrorBars) -> f64 {
    let world = World::new(kind, 16);
    let truth = world.truth();
    let options = RatingOptions {
        error_bars,
        ..RatingOptions::default()
    };
    let (mut inside, mut all) = (0.0, 0.0);
    for replication in 0..250 {
        let report = rate(&world.play(10, 7_000 + replication), &options).unwrap();
        for (found, real) in report.players.iter().zip(&truth.players) {
            let gap = found.rating_elo.unwrap() - real.rating_elo.unwrap();
            inside += f64::from(u8::from(gap.abs() <= found.error_elo.unwrap()));
            all += 1.0;
        }
    }
    inside / all
}

#[test]
fn intervals_cover_the_truth() {
    for kind in [
        Kind::OrderedLogit,
        Kind::DrawsRiseWithStrength,
        Kind::UnbalancedOpenings,
    ] {
        let covered = coverage(kind, ErrorBars::Dispersion);
        assert!((0.93..=0.97).contains(&covered), "{kind:?}: {covered}");
    }
    // What the test is able to see: intervals that do not know of draws cover too much.
    assert!(coverage(Kind::OrderedLogit, ErrorBars::Binomial) > 0.97);
}
