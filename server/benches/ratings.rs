//! Times of ratings: `cargo bench -p server`.
//!
//! Pools are random with a fixed seed: strengths normal with a standard deviation of 200 Elo, half of the games in pairs,
//! outcomes by an ordered logit.

#![expect(clippy::expect_used, reason = "pools made here are sound")]

use divan::{Bencher, black_box};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use server::ratings::{
    Aggregates, ErrorBars, Event, LiveRatings, OrderedLogit, Outcome, RatingOptions, Refits,
    TieBreak, elo::ELO_PER_NAT, normal, rate, rate_again, standings,
};

fn main() {
    divan::main();
}

/// A number between 0 and 1.
fn unit(random: &mut ChaCha8Rng) -> f64 {
    (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// A pool of so many engines that played so many games, against any other or against those near by number.
fn pool(engines: usize, games: usize, near: Option<usize>) -> Aggregates {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let strengths: Vec<f64> = (0..engines)
        .map(|_| normal::quantile(unit(&mut random).clamp(1e-9, 1.0 - 1e-9)) * 200.0 / ELO_PER_NAT)
        .collect();
    let mut pool = Aggregates::new();
    let mut left = games;
    while left > 0 {
        let i = random.next_u64() as usize % engines;
        let step = 1 + random.next_u64() as usize % near.unwrap_or(engines - 1);
        let j = (i + step) % engines;
        if i == j {
            continue;
        }
        let outcome = |random: &mut ChaCha8Rng, first: usize, second: usize| {
            let eta = strengths[first] - strengths[second] + 0.1;
            let shares = OrderedLogit::shares(eta, [0.6, 1.0]).unwrap_or([0.2; 5]);
            let (draw, mut sum, mut at) = (unit(random), 0.0, 0);
            for (k, share) in shares.iter().enumerate() {
                sum += share;
                at = k;
                if draw < sum {
                    break;
                }
            }
            Outcome::ALL[at]
        };
        let x = outcome(&mut random, i, j);
        let counted = if left > 1 && random.next_u64() & 1 == 0 {
            let y = outcome(&mut random, j, i);
            left -= 2;
            pool.add_pair(i, j, x, y)
        } else {
            left -= 1;
            pool.add_single(i, j, x)
        };
        counted.expect("two different players");
    }
    pool
}

fn without_bars() -> RatingOptions {
    RatingOptions {
        error_bars: ErrorBars::None,
        ..RatingOptions::default()
    }
}

/// Ratings with all error bars and likelihoods of superiority of a million games.
#[divan::bench(args = [100, 500, 1000, 2000], sample_count = 5)]
fn all_error_bars(bencher: Bencher<'_, '_>, engines: usize) {
    let pool = pool(engines, 1_000_000, None);
    bencher.bench(|| rate(black_box(&pool), &RatingOptions::default()));
}

/// Ratings alone.
#[divan::bench(args = [500, 1000, 20_000], sample_count = 5)]
fn ratings_alone(bencher: Bencher<'_, '_>, engines: usize) {
    let pool = pool(engines, 1_000_000, None);
    bencher.bench(|| rate(black_box(&pool), &without_bars()));
}

/// The standings of a pool with all columns but those that rest on ratings.
#[divan::bench(args = [500, 1000], sample_count = 5)]
fn standings_without_ratings(bencher: Bencher<'_, '_>, engines: usize) {
    let pool = pool(engines, 1_000_000, None);
    let event = Event::new(&pool);
    bencher.bench(|| standings(black_box(&event), &TieBreak::SWISS));
}

/// The same with those: mean rating of the opponents and performance. Ratings are at hand.
#[divan::bench(args = [500, 1000], sample_count = 5)]
fn standings_with_ratings(bencher: Bencher<'_, '_>, engines: usize) {
    let pool = pool(engines, 1_000_000, None);
    let rated = rate(&pool, &without_bars()).expect("sound options");
    let event = Event {
        ratings: rated.comparable(),
        ..Event::new(&pool)
    };
    bencher.bench(|| standings(black_box(&event), &TieBreak::SWISS));
}

/// 20,000 engines that met 50 neighbours, the hardest case: ratings, and error bars of so many.
#[divan::bench(args = [0, 20], sample_count = 1)]
fn many_engines_few_opponents(bencher: Bencher<'_, '_>, chosen: usize) {
    let pool = pool(20_000, 1_000_000, Some(50));
    let options = RatingOptions {
        error_bars_for: (0..chosen).map(|i| i * 97).collect(),
        ..RatingOptions::default()
    };
    bencher.bench(|| rate(black_box(&pool), &options));
}

/// One more game in a pool of 500 engines that is kept: ratings alone.
#[divan::bench(sample_count = 50)]
fn one_more_game(bencher: Bencher<'_, '_>) {
    let mut live = live();
    bencher.bench_local(|| {
        live.add_single(3, 17, Outcome::Win)
            .expect("two different players");
        live.ratings()
    });
}

/// The same with all error bars.
#[divan::bench(sample_count = 10)]
fn one_more_game_with_error_bars(bencher: Bencher<'_, '_>) {
    let mut live = live();
    bencher.bench_local(|| {
        live.add_single(3, 17, Outcome::Win)
            .expect("two different players");
        live.report()
    });
}

fn live() -> LiveRatings {
    let pool = pool(500, 1_000_000, None);
    LiveRatings::new(pool, RatingOptions::default()).expect("a pool of reasonable size")
}

/// Error bars by 200 refits of resampled pairs, of 100 engines that played 30,000 games.
#[divan::bench(sample_count = 1)]
fn bootstrap(bencher: Bencher<'_, '_>) {
    let pool = pool(100, 30_000, None);
    let options = RatingOptions {
        error_bars: ErrorBars::Bootstrap(Refits::default()),
        ..RatingOptions::default()
    };
    bencher.bench(|| rate(black_box(&pool), &options));
}

/// One more game in a pool of 500 engines that is rated anew: ratings alone, from the solution before.
#[divan::bench(sample_count = 10)]
fn one_more_game_from_aggregates(bencher: Bencher<'_, '_>) {
    let mut pool = pool(500, 1_000_000, None);
    let before = rate(&pool, &without_bars()).expect("a pool of reasonable size");
    pool.add_single(3, 17, Outcome::Win)
        .expect("two different players");
    bencher.bench(|| rate_again(black_box(&pool), &without_bars(), &before));
}
