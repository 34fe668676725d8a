//! Players held at given ratings: near, far away, and far from each other.

#![expect(clippy::unwrap_used, reason = "an unexpected refusal fails the test")]

use std::collections::BTreeMap;

use server::ratings::{
    Aggregates, ErrorBars, Outcome, Player, RatingError, RatingOptions, RatingReport, rate,
};

const WIN: Outcome = Outcome::Win;
const DRAW: Outcome = Outcome::Draw;
const LOSS: Outcome = Outcome::Loss;

fn pool(games: &[(Player, Player, Outcome)]) -> Aggregates {
    let mut pool = Aggregates::new();
    games
        .iter()
        .try_for_each(|&(i, j, k)| pool.add_single(i, j, k))
        .unwrap();
    pool
}

fn default(pool: &Aggregates) -> RatingReport {
    rate(pool, &RatingOptions::default()).unwrap()
}

fn elo(report: &RatingReport, player: Player) -> f64 {
    report.player(player).unwrap().rating_elo.unwrap()
}

#[test]
fn anchors_hold_and_errors_are_relative_to_them() {
    let games = [
        (0, 1, WIN),
        (1, 0, DRAW),
        (1, 2, WIN),
        (2, 1, WIN),
        (0, 2, DRAW),
        (2, 0, LOSS),
    ];
    let games = pool(&games);
    let free = default(&games);
    let anchored = |anchors: &[(Player, f64)]| {
        let anchors: BTreeMap<_, _> = anchors.iter().copied().collect();
        rate(
            &games,
            &RatingOptions {
                anchors,
                ..RatingOptions::default()
            },
        )
    };
    let one = anchored(&[(1, 2_800.0)]).unwrap();
    assert!((elo(&one, 1) - 2_800.0).abs() < 1e-9);
    assert_eq!(one.player(1).unwrap().error_elo, Some(0.0));
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        let (a, b) = (
            free.difference(i, j).unwrap(),
            one.difference(i, j).unwrap(),
        );
        assert!((a.elo - b.elo).abs() < 1e-9 && (a.los - b.los).abs() < 1e-9);
        assert!((a.error_elo - b.error_elo).abs() < 1e-9);
    }
    let two = anchored(&[(0, 100.0), (2, 60.0)]).unwrap();
    assert!((elo(&two, 0) - 100.0).abs() < 1e-9 && (elo(&two, 2) - 60.0).abs() < 1e-9);
    assert!(two.converged && two.player(1).unwrap().error_elo.unwrap() > 0.0);
    let unknown = Err(RatingError::UnknownAnchor { player: 5 });
    assert_eq!(anchored(&[(5, 0.0)]), unknown);
    let shifted = RatingOptions {
        average_elo: 2_500.0,
        ..RatingOptions::default()
    };
    let shifted = rate(&games, &shifted).unwrap();
    let mean = shifted
        .players
        .iter()
        .filter_map(|player| player.rating_elo)
        .sum::<f64>()
        / 3.0;
    assert!((mean - 2_500.0).abs() < 1e-9);
}

/// Anchors far from 0 and far from each other are found, however few games there are.
#[test]
fn anchors_far_away_are_reached() {
    let mut games = vec![(0, 1, DRAW), (1, 0, LOSS), (2, 1, WIN), (1, 2, DRAW)];
    games.extend([
        (3, 2, LOSS),
        (3, 2, Outcome::Disadvantage),
        (2, 0, WIN),
        (0, 2, WIN),
    ]);
    games.extend([(4, 3, DRAW), (5, 4, WIN)]);
    for anchors in [
        vec![(0, 3_000.0)],
        vec![(0, -90_000.0)],
        vec![(0, 0.0), (3, 20_000.0)],
        vec![(1, 3_000.0), (2, -5_000.0)],
    ] {
        for error_bars in [ErrorBars::Dispersion, ErrorBars::Binomial] {
            let options = RatingOptions {
                anchors: anchors.iter().copied().collect(),
                error_bars,
                ..RatingOptions::default()
            };
            let report = rate(&pool(&games), &options).unwrap();
            assert!(report.converged, "{anchors:?} {report:?}");
            let numbers = report
                .players
                .iter()
                .flat_map(|p| [p.rating_elo, p.error_elo]);
            assert!(numbers.flatten().all(f64::is_finite), "{report:?}");
        }
        // One anchor only shifts all.
        if let [(player, at)] = anchors[..] {
            let options = RatingOptions {
                anchors: anchors.iter().copied().collect(),
                ..RatingOptions::default()
            };
            let anchored = rate(&pool(&games), &options).unwrap();
            let free = default(&pool(&games));
            for other in 0..6 {
                let gap = elo(&anchored, other) - at - (elo(&free, other) - elo(&free, player));
                assert!(gap.abs() < 1e-7, "{other} {gap}");
            }
        }
    }
}

/// A step that is right for a player with many games must not carry one with a single game beyond return.
#[test]
fn players_of_few_games_stay_in_reach() {
    let mut games = vec![(10, 11, DRAW), (11, 12, WIN), (1, 10, DRAW)];
    games.extend(std::iter::repeat_n((0, 11, DRAW), 1_000));
    for far in [4_000.0, 5_000.0, 6_000.0] {
        let options = RatingOptions {
            anchors: BTreeMap::from([(10, 0.0), (11, 1_000.0), (12, far)]),
            ..RatingOptions::default()
        };
        let report = rate(&pool(&games), &options).unwrap();
        assert!(report.converged && report.iterations < 40, "{report:?}");
        assert!((elo(&report, 0) - 1_000.0).abs() < 1e-6 && elo(&report, 1).abs() < 1e-6);
    }
}
