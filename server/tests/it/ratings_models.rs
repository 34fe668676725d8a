//! Models B and C: the points that they expect are those of their own laws.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use server::ratings::{
    Aggregates, FirstMove, Model, Outcome, PairTable, RatingOptions, elo::ELO_PER_NAT, rate,
};

/// In model C points are sufficient: without a prior everyone is expected to have the points that it has.
#[test]
fn adjacent_categories_expect_the_points_that_there_are() {
    let mut random = ChaCha8Rng::seed_from_u64(15);
    for players in [2, 5, 12] {
        let mut pool = Aggregates::new();
        for number in 0..60 * players {
            let i = number % players;
            let j = (i + 1 + (random.next_u64() % (players as u64 - 1)) as usize) % players;
            // The lower the number the stronger.
            let luck = (random.next_u64() % 5) as usize;
            let outcome = if i < j { luck.max(1) } else { luck.min(3) };
            pool.add_single(i, j, Outcome::ALL[outcome]).unwrap();
        }
        let options = RatingOptions {
            model: Model::AdjacentCategories { outcome_prior: 1.0 },
            prior_draws: 0.0,
            ..RatingOptions::default()
        };
        let report = rate(&pool, &options).unwrap();
        for player in &report.players {
            let gap = player.expected_points.unwrap() - player.points.points();
            assert!(gap.abs() < 1e-6, "{players}: {player:?}");
        }
        // By ratings alone that cannot be told.
        assert_eq!(report.expected_score(0, 1), None);
    }
}

/// STATS.md 1.4: a game of model B is expected to give the mean of four logistic curves.
#[test]
fn an_ordered_logit_expects_the_mean_of_four_curves() {
    let table = PairTable {
        near_first: [10, 15, 60, 25, 40],
        far_first: [30, 20, 50, 20, 10],
        ..PairTable::default()
    };
    let mut pool = Aggregates::new();
    pool.add_table(0, 1, &table).unwrap();
    let options = RatingOptions {
        model: Model::OrderedLogit { outcome_prior: 1.0 },
        first_move: FirstMove::Fixed { elo: 20.0 },
        ..RatingOptions::default()
    };
    let report = rate(&pool, &options).unwrap();
    let [a, b] = report.shape.unwrap();
    let lead = report.players[0].rating_elo.unwrap() - report.players[1].rating_elo.unwrap();
    let curve = |eta: f64| 1.0 / (1.0 + (-eta).exp());
    let points = |elo: f64| {
        let curves = [-b, -a, a, b].map(|cut| curve(elo / ELO_PER_NAT - cut));
        curves.iter().sum::<f64>() / 4.0
    };
    // 150 games with player 0 first, 130 with player 1.
    let expected = 150.0 * points(20.0 + lead) + 130.0 * (1.0 - points(20.0 - lead));
    let found = report.players[0].expected_points.unwrap();
    assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    let other = report.players[1].expected_points.unwrap();
    assert!((found + other - 280.0).abs() < 1e-9, "{found} {other}");
    // One curve would give another number.
    let of_model_a = |elo: f64| curve(elo / ELO_PER_NAT);
    let single = 150.0 * of_model_a(20.0 + lead) + 130.0 * (1.0 - of_model_a(20.0 - lead));
    assert!((found - single).abs() > 1.0, "{found} {single}");
}
