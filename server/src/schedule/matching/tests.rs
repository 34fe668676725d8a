//! Matchings against all matchings, and against the proof that none is lighter.

use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::search::{NONE, Search};
use super::{Levels, Weight, perfect_matching, solve};

/// Least total weight over all perfect matchings of the vertices in `left`.
fn brute_force<W: Weight>(left: &[usize], weight: &dyn Fn(usize, usize) -> Option<W>) -> Option<W> {
    let Some((&first, rest)) = left.split_first() else {
        return Some(W::ZERO);
    };
    let partners = rest.iter().filter_map(|&partner| {
        let others: Vec<usize> = rest.iter().copied().filter(|&v| v != partner).collect();
        Some(weight(first, partner)? + brute_force(&others, weight)?)
    });
    partners.min()
}

fn total<W: Weight>(mate: &[usize], weight: &dyn Fn(usize, usize) -> Option<W>) -> W {
    let pairs = (0..mate.len()).filter(|&u| u < mate[u]);
    pairs.fold(W::ZERO, |sum, u| {
        assert_eq!(mate[mate[u]], u);
        sum + weight(u, mate[u]).expect("only edges are matched")
    })
}

/// Complementary slackness: whatever satisfies this is a matching of least weight.
fn certify<W: Weight + std::fmt::Debug>(search: &Search<W>) {
    let n = search.n;
    for node in n..2 * n {
        if !search.children[node].is_empty() {
            assert!(search.dual[node] >= W::ZERO);
            let mut vertices = Vec::new();
            search.for_each_vertex(node, |vertex| vertices.push(vertex));
            let inside = |&&v: &&usize| vertices.contains(&search.mate[v]);
            assert_eq!(vertices.iter().filter(inside).count() + 1, vertices.len());
        }
    }
    let around = |v: usize| {
        let mut around = Vec::new();
        let mut node = search.parent[v];
        while node != NONE {
            around.push(node);
            node = search.parent[node];
        }
        around
    };
    let around: Vec<Vec<usize>> = (0..n).map(around).collect();
    for u in 0..n {
        for v in u + 1..n {
            let Some(mut slack) = search.slack(u, v) else {
                continue;
            };
            for &node in around[u].iter().filter(|node| around[v].contains(node)) {
                slack = slack + search.dual[node] + search.dual[node];
            }
            assert!(slack >= W::ZERO, "{u} {v} {slack:?}");
            assert!(search.mate[u] != v || slack == W::ZERO, "{u} {v} {slack:?}");
        }
    }
}

/// A symmetric table of weights below `bound`, with a share of edges missing.
fn random_graph(n: usize, seed: u64, bound: u64, missing_percent: u64) -> Vec<Vec<Option<i128>>> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut table = vec![vec![None; n]; n];
    let edges = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v)));
    for (u, v) in edges {
        let weight = i128::from(random.next_u64() % bound) - i128::from(bound / 3);
        let edge = (random.next_u64() % 100 >= missing_percent).then_some(weight);
        (table[u][v], table[v][u]) = (edge, edge);
    }
    table
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn no_matching_is_lighter(half in 0usize..5, seed: u64, bound in 1u64..40, missing in 0u64..80) {
        let n = 2 * half;
        let table = random_graph(n, seed, bound, missing);
        let weight = |u: usize, v: usize| table[u][v];
        let all: Vec<usize> = (0..n).collect();
        let found = solve(n, weight);
        let lightest = found.as_ref().map(|search| total(&search.mate, &weight));
        prop_assert_eq!(lightest, brute_force(&all, &weight));
        if let Some(search) = found {
            certify(&search);
        }
    }

    #[test]
    fn the_first_level_decides(half in 1usize..5, seed: u64) {
        let n = 2 * half;
        let (upper, lower) = (random_graph(n, seed, 3, 20), random_graph(n, !seed, 1_000, 0));
        let weight = |u: usize, v: usize| Some(Levels([upper[u][v]?, lower[u][v]?]));
        let all: Vec<usize> = (0..n).collect();
        let lightest = perfect_matching(n, weight).map(|mate| total(&mate, &weight));
        prop_assert_eq!(lightest, brute_force(&all, &weight));
    }
}

#[test]
fn large_matchings_prove_themselves() {
    for (seed, (n, bound, missing)) in (0..).zip([
        (100, 1_000_000, 0),
        (120, 12, 50),
        (150, 3, 90),
        (200, 100, 95),
        (200, 2, 30),
    ]) {
        let table = random_graph(n, seed, bound, missing);
        let search = solve(n, |u, v| table[u][v]).expect("a matching");
        assert!(search.mate.iter().all(|&mate| mate != NONE));
        certify(&search);
    }
    // Points on a line far apart in threes need blossoms in blossoms.
    let place = |v: usize| (v / 27 * 10_000 + v / 9 * 900 + v / 3 * 70 + v * v % 7) as i128;
    let search = solve(162, |u, v| Some((place(u) - place(v)).abs())).expect("a matching");
    certify(&search);
}

#[test]
fn what_cannot_be_matched_is_not() {
    assert_eq!(perfect_matching(0, |_, _| Some(0i128)), Some(vec![]));
    assert_eq!(perfect_matching(3, |_, _| Some(0i128)), None);
    assert_eq!(perfect_matching(2, |_, _| None::<i128>), None);
    // Two triangles.
    let triangles = |u: usize, v: usize| (u / 3 == v / 3).then_some(1i128);
    assert_eq!(perfect_matching(6, triangles), None);
    // And an edge between them.
    let joined = |u: usize, v: usize| (u / 3 == v / 3 || (u, v) == (1, 5)).then_some(1i128);
    assert_eq!(perfect_matching(6, joined), Some(vec![2, 5, 0, 4, 3, 1]));
}
