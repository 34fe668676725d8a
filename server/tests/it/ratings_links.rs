//! Links between versions of one engine: what is held likely before they play.

#![expect(clippy::unwrap_used, reason = "an unexpected refusal fails the test")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use server::ratings::{
    Aggregates, Basis, ErrorBars, Link, Model, Outcome, Player, RatingError, RatingOptions,
    RatingReport, Refits, elo::ELO_PER_NAT, rate,
};

use crate::ratings_worlds::{Kind, World};

const KINDS: [ErrorBars; 4] = [
    ErrorBars::Dispersion,
    ErrorBars::Sandwich,
    ErrorBars::Global,
    ErrorBars::Binomial,
];

fn link(newer: Player, older: Player, elo: f64, deviation_elo: f64) -> Link {
    Link {
        newer,
        older,
        elo,
        deviation_elo,
    }
}

fn linked(pool: &Aggregates, links: &[Link], error_bars: ErrorBars) -> RatingReport {
    let options = RatingOptions {
        links: links.to_vec(),
        error_bars,
        ..RatingOptions::default()
    };
    rate(pool, &options).unwrap()
}

fn elo(report: &RatingReport, player: Player) -> f64 {
    report.player(player).unwrap().rating_elo.unwrap()
}

/// Two matches that nothing joins.
fn apart() -> Aggregates {
    let mut pool = Aggregates::new();
    for k in [
        Outcome::Win,
        Outcome::Draw,
        Outcome::Advantage,
        Outcome::Loss,
    ] {
        for (i, j) in [(0, 1), (2, 3)] {
            pool.add_single(i, j, k).unwrap();
            pool.add_single(j, i, Outcome::Draw).unwrap();
        }
    }
    pool
}

/// Two players by hand: S = 9 of N = 12 points, 2 virtual draws, no first-move advantage, and a link. The derivative
/// S + 1 - (N + 2) p(x) - (x - d) / s^2 is 0.
#[test]
fn two_players_by_hand() {
    let mut pool = Aggregates::new();
    for _ in 0..3 {
        pool.add_pair(0, 1, Outcome::Win, Outcome::Draw).unwrap();
        pool.add_pair(0, 1, Outcome::Advantage, Outcome::Disadvantage)
            .unwrap();
    }
    for (d, s) in [(0.0, 50.0), (200.0, 30.0), (-80.0, 400.0)] {
        let (d, s) = (d / ELO_PER_NAT, s / ELO_PER_NAT);
        let slope = |x: f64| 10.0 - 14.0 / (1.0 + (-x).exp()) - (x - d) / (s * s);
        let (mut low, mut high) = (-20.0, 20.0);
        for _ in 0..100 {
            let middle = 0.5 * (low + high);
            if slope(middle) > 0.0 {
                low = middle
            } else {
                high = middle
            }
        }
        let links = [link(0, 1, d * ELO_PER_NAT, s * ELO_PER_NAT)];
        let options = RatingOptions {
            links: links.to_vec(),
            first_move: server::ratings::FirstMove::Fixed { elo: 0.0 },
            error_bars: ErrorBars::Binomial,
            ..RatingOptions::default()
        };
        let report = rate(&pool, &options).unwrap();
        let found = report.difference(0, 1).unwrap();
        assert!(
            (found.elo - low * ELO_PER_NAT).abs() < 1e-8,
            "{} {low}",
            found.elo
        );
        assert_eq!(found.basis, Basis::Games);
        // Binomial error bars are one over the curvature.
        let p = 1.0 / (1.0 + (-low).exp());
        let error = ELO_PER_NAT / (14.0 * p * (1.0 - p) + 1.0 / (s * s)).sqrt();
        assert!((found.error_elo / 1.959_963_984_540_054 - error).abs() < 1e-6);
    }
}

/// What only a link joins differs by what the link says, with its deviation and more, and is marked.
#[test]
fn a_link_joins_what_never_met_and_says_so() {
    let pool = apart();
    for kind in KINDS {
        let alone = linked(&pool, &[], kind);
        assert_eq!((alone.components, alone.difference(0, 2)), (2, None));
        let report = linked(&pool, &[link(2, 0, 35.0, 20.0)], kind);
        assert_eq!((report.components, report.met), (1, 2));
        assert!((elo(&report, 2) - elo(&report, 0) - 35.0).abs() < 1e-8);
        let sum: f64 = (0..4).map(|player| elo(&report, player)).sum();
        assert!(sum.abs() < 1e-8);
        let across = report.difference(2, 0).unwrap();
        assert_eq!(across.basis, Basis::Links);
        assert!(
            (across.error_elo - 20.0 * 1.959_963_984_540_054).abs() < 1e-6,
            "{kind:?} {across:?}"
        );
        assert!(report.difference(3, 1).unwrap().error_elo > 2.0 * across.error_elo);
        // Within a match nothing has changed.
        let (here, there) = (
            report.difference(0, 1).unwrap(),
            alone.difference(0, 1).unwrap(),
        );
        assert_eq!((here.basis, there.basis), (Basis::Games, Basis::Games));
        assert!((here.elo - there.elo).abs() < 1e-8);
        assert!(
            report
                .players
                .iter()
                .all(|player| player.rank.is_some() && player.component == 0)
        );
        let met: Vec<usize> = report.players.iter().map(|player| player.met).collect();
        assert_eq!(met, [0, 0, 1, 1]);
    }
    // Refits draw what the link expects, too.
    let refits = Refits {
        count: 400,
        seed: 1,
    };
    for kind in [ErrorBars::Bootstrap(refits), ErrorBars::Simulation(refits)] {
        let report = linked(&pool, &[link(2, 0, 35.0, 20.0)], kind);
        let across = report.difference(2, 0).unwrap();
        assert!((across.error_elo / 39.2 - 1.0).abs() < 0.12, "{across:?}");
    }
}

/// Every model has links: across what never met they decide alone.
#[test]
fn every_model_is_linked() {
    for model in [
        Model::OrderedLogit { outcome_prior: 1.0 },
        Model::AdjacentCategories { outcome_prior: 1.0 },
    ] {
        let options = RatingOptions {
            model,
            links: vec![link(3, 1, -60.0, 10.0)],
            ..RatingOptions::default()
        };
        let report = rate(&apart(), &options).unwrap();
        assert!(report.converged);
        assert!((elo(&report, 3) - elo(&report, 1) + 60.0).abs() < 1e-7);
        let across = report.difference(3, 1).unwrap();
        assert!(
            (across.error_elo - 19.599_639_845_400_54).abs() < 1e-6,
            "{across:?}"
        );
    }
}

/// A narrow link holds two versions together, a wide one leaves the results alone; anchors reach through links.
#[test]
fn links_weigh_by_their_deviation() {
    let pool = World::new(Kind::OrderedLogit, 6).play(10, 4);
    let free = linked(&pool, &[], ErrorBars::Dispersion);
    let wide = linked(&pool, &[link(5, 0, 0.0, 100_000.0)], ErrorBars::Dispersion);
    let narrow = linked(&pool, &[link(5, 0, 7.0, 0.1)], ErrorBars::Dispersion);
    for player in 0..6 {
        assert!((elo(&free, player) - elo(&wide, player)).abs() < 1e-3);
    }
    assert!(elo(&free, 5) - elo(&free, 0) > 200.0);
    assert!((elo(&narrow, 5) - elo(&narrow, 0) - 7.0).abs() < 0.1);
    let options = RatingOptions {
        links: vec![link(0, 2, 0.0, 25.0)],
        anchors: BTreeMap::from([(1, 2_000.0)]),
        ..RatingOptions::default()
    };
    let anchored = rate(&apart(), &options).unwrap();
    assert!((elo(&anchored, 0) - elo(&anchored, 2)).abs() < 1e-8);
    assert!(elo(&anchored, 2) > 1_800.0);
    let through = anchored.standard_error_elo(2).unwrap().powi(2);
    let direct = anchored.standard_error_elo(0).unwrap().powi(2);
    assert!(
        (through - direct - 625.0).abs() < 1e-6,
        "{through} {direct}"
    );
}

#[test]
fn links_that_make_no_sense_are_refused() {
    let refused = |one: Link| {
        let options = RatingOptions {
            links: vec![one],
            ..RatingOptions::default()
        };
        rate(&apart(), &options).unwrap_err()
    };
    assert_eq!(
        refused(link(0, 9, 0.0, 10.0)),
        RatingError::UnknownLinked { player: 9 }
    );
    assert_eq!(
        refused(link(1, 1, 0.0, 10.0)),
        RatingError::SelfLink { player: 1 }
    );
    for (d, s) in [
        (0.0, 0.0),
        (0.0, f64::NAN),
        (f64::INFINITY, 5.0),
        (0.0, -3.0),
        (1e9, 5.0),
    ] {
        let error = refused(link(0, 1, d, s));
        assert!(
            matches!(
                error,
                RatingError::OutOfRange {
                    option: "links",
                    ..
                }
            ),
            "{error}"
        );
    }
    // Without a prior, a player without a finite rating cannot be linked to one with.
    let mut pool = apart();
    pool.add_single(7, 8, Outcome::Win).unwrap();
    let options = RatingOptions {
        links: vec![link(7, 0, 0.0, 10.0)],
        prior_draws: 0.0,
        ..RatingOptions::default()
    };
    let report = rate(&pool, &options).unwrap();
    assert_eq!(
        (report.player(7).unwrap().rating_elo, report.components),
        (None, 3)
    );
    assert!(report.player(0).unwrap().rating_elo.is_some());
}

/// A large pool is solved by conjugate gradients, a small one by a factorisation: the same ratings if the rest are far away.
#[test]
fn large_pools_are_linked_as_small_ones() {
    let mut pool = World::new(Kind::OrderedLogit, 8).play(5, 2);
    let links = [
        link(6, 1, 15.0, 30.0),
        link(3, 4, -10.0, 12.0),
        link(100, 0, 5.0, 40.0),
    ];
    pool.add_pair(100, 101, Outcome::Win, Outcome::Draw)
        .unwrap();
    let small = linked(&pool, &links, ErrorBars::Dispersion);
    for i in 0..300 {
        pool.add_pair(200 + i, 201 + i, Outcome::Win, Outcome::Win)
            .unwrap();
    }
    let large = linked(&pool, &links, ErrorBars::Binomial);
    let first_move = large.first_move.elo;
    let options = RatingOptions {
        links: links.to_vec(),
        first_move: server::ratings::FirstMove::Fixed { elo: first_move },
        ..RatingOptions::default()
    };
    let mut only = World::new(Kind::OrderedLogit, 8).play(5, 2);
    only.add_pair(100, 101, Outcome::Win, Outcome::Draw)
        .unwrap();
    let dense = rate(&only, &options).unwrap();
    assert_eq!((small.components, large.components), (1, 2));
    for player in [0, 1, 2, 3, 4, 5, 6, 7, 100, 101] {
        assert!(
            (elo(&dense, player) - elo(&large, player)).abs() < 1e-6,
            "{player}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// At the maximum the slope in every player is 0: points less expected points, virtual draws and the links' pull.
    #[test]
    fn the_slope_is_zero(
        links in proptest::collection::vec((0usize..6, 1usize..6, -200.0f64..200.0, 1.0f64..500.0), 1..6),
        seed in 0u64..1000,
    ) {
        let pool = World::new(Kind::OrderedLogit, 6).play(2, seed);
        let links: Vec<Link> = links.into_iter().map(|(i, step, d, s)| link(i, (i + step) % 6, d, s)).collect();
        for kind in KINDS {
            let options = RatingOptions {
                links: links.clone(),
                prior_draws: 0.0,
                error_bars: kind,
                ..RatingOptions::default()
            };
            let report = rate(&pool, &options).unwrap();
            let mut slope: Vec<f64> = report.players.iter().map(|p| p.points.points() - p.expected_points.unwrap()).collect();
            for link in &links {
                let gap = elo(&report, link.newer) - elo(&report, link.older) - link.elo;
                let pull = gap * ELO_PER_NAT / (link.deviation_elo * link.deviation_elo);
                slope[link.newer] -= pull;
                slope[link.older] += pull;
            }
            prop_assert!(report.converged && slope.iter().all(|s| s.abs() < 1e-6), "{slope:?}");
            let errors: Vec<f64> = report.players.iter().map(|p| p.error_elo.unwrap()).collect();
            prop_assert!(errors.iter().all(|e| e.is_finite() && *e > 0.0), "{errors:?}");
        }
    }
}
