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
#[test]
fn likelihood_ratios_of_ten_thousand_histograms() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for number in 0..10_000 {
        let set = [CellSet::FivePairs, CellSet::ThreePairs][number % 2];
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
        assert!(here.is_finite(), "{counts:?} {low} {high}");
        let gap = (here + there).abs();
        assert!(
            gap <= 1e-6 * here.abs().max(1.0),
            "{counts:?} {low} {high}: {here} {there}"
        );
    }
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

/// Share of so many simulated tests that accept H1, of game pairs with the outcome shares at `eta` a game.
fn accepted(spec: SprtSpec, eta: f64, tests: u64, seed: u64) -> f64 {
    let shares = OrderedLogit::shares(eta, [0.6, 1.0]).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut wins = 0.0;
    for _ in 0..tests {
        let mut test = SprtTest::new(spec, Some(Overshoot::default()));
        loop {
            let pair = [0, 1].map(|_| usize::from(outcome(&mut random, &shares).quarters()));
            match test.add_batch(&[pair[0] + pair[1]]).unwrap().verdict {
                Verdict::Continue => {}
                Verdict::Accepted => {
                    wins += 1.0;
                    break;
                }
                Verdict::Rejected => break,
            }
        }
    }
    wins / tests as f64
}

/// Strength difference at which games of the law above have a normalized Elo.
fn eta_of_nelo(nelo: f64) -> f64 {
    let (mut low, mut high) = (-2.0, 2.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let shares = OrderedLogit::shares(middle, [0.6, 1.0]).unwrap();
        let mean: f64 = (0..5).map(|k| k as f64 / 4.0 * shares[k]).sum();
        let square: f64 = (0..5).map(|k| (k as f64 / 4.0).powi(2) * shares[k]).sum();
        let found = (mean - 0.5) / (square - mean * mean).sqrt() * 800.0 / 10_f64.ln();
        if found < nelo {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

/// Point 6: errors of the first and the second kind of simulated tests within 5 % +- 1.5 %, three standard errors of 2,000.
#[test]
fn simulated_sequential_tests_err_as_often_as_they_say() {
    let spec = SprtSpec::new(
        EloUnit::Normalized,
        0.0,
        60.0,
        0.05,
        0.05,
        CellSet::FivePairs,
    )
    .unwrap();
    let first = accepted(spec, eta_of_nelo(0.0), 2_000, 61);
    assert!((first - 0.05).abs() <= 0.015, "first kind: {first}");
    let second = 1.0 - accepted(spec, eta_of_nelo(60.0), 2_000, 62);
    assert!((second - 0.05).abs() <= 0.015, "second kind: {second}");
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
