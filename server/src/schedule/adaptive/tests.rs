//! Adaptive events with known strengths.

use std::collections::BTreeSet;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::belief::results;
use super::{Adaptive, Goal};
use crate::ratings::elo::score_of_elo;
use crate::ratings::{ErrorBars, Outcome, PairTable, RatingOptions, RatingReport, rate};
use crate::schedule::{Draw, Drawn, Entry, Format, History, Plan, Played, Step};

const EVENT: Adaptive = Adaptive {
    pairs: 1,
    budget: 240,
    random_percent: 10,
    goal: Goal::Ratings,
};

/// Players who play as strong as they are.
struct World {
    elos: Vec<f64>,
    random: ChaCha8Rng,
}

impl World {
    /// So many players at equal distances.
    fn new(players: usize, distance: f64, seed: u64) -> Self {
        Self {
            elos: (0..players)
                .map(|player| -distance * player as f64)
                .collect(),
            random: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    fn history(&self) -> History {
        History {
            seed: 5,
            entries: vec![Entry::default(); self.elos.len()],
            draws: Vec::new(),
        }
    }

    /// Half of the points that can be shared are drawn.
    fn game(&mut self, i: usize, j: usize) -> Outcome {
        let expected = score_of_elo(self.elos[i] - self.elos[j]);
        let drawn = expected.min(1.0 - expected);
        let luck = (self.random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        match luck {
            luck if luck < expected - drawn / 2.0 => Outcome::Win,
            luck if luck < expected + drawn / 2.0 => Outcome::Draw,
            _ => Outcome::Loss,
        }
    }

    fn play(&mut self, history: &mut History, draw: Draw) {
        let encounter = |&[i, j]: &[usize; 2]| {
            let mut table = PairTable::default();
            for _ in 0..draw.pairs {
                table.add_pair(self.game(i, j), self.game(j, i));
            }
            Played { table, missing: 0 }
        };
        let results = draw.encounters.iter().map(encounter).collect();
        history.draws.push(Drawn { draw, results });
    }

    fn play_all(&mut self, event: &Adaptive, wanted: usize) -> History {
        let mut history = self.history();
        while let Step::Draw(draw) = event.next(&history, wanted) {
            self.play(&mut history, draw);
        }
        history
    }

    fn round_robin(&mut self, pairs: u32) -> History {
        let plan = Plan::new(&Format::RoundRobin, self.elos.len(), pairs).unwrap();
        let mut history = self.history();
        let encounters = plan.pairs_from(0).map(|pair| [pair.first, pair.second]);
        let draw = Draw {
            round: 0,
            encounters: encounters.collect(),
            pairs: 1,
            byes: Vec::new(),
            openings: Vec::new(),
        };
        self.play(&mut history, draw);
        history
    }
}

/// Ratings with the variances of binomial games, so that schedules are compared and not the dispersions found by them.
fn report(history: &History) -> RatingReport {
    let options = RatingOptions {
        error_bars: ErrorBars::Binomial,
        ..RatingOptions::default()
    };
    rate(&results(history), &options).unwrap()
}

fn sum_of_variances(history: &History) -> f64 {
    let report = report(history);
    let error = |player| report.standard_error_elo(player).unwrap().powi(2);
    (0..history.entries.len()).map(error).sum()
}

/// Mean over neighbours of the probability that the list has them the wrong way round.
fn doubt(history: &History) -> f64 {
    let report = report(history);
    let doubts = report
        .ranking()
        .filter_map(|rated| rated.los_next)
        .map(|los| 1.0 - los);
    doubts.sum::<f64>() / (history.entries.len() - 1) as f64
}

#[test]
fn wide_fields_are_known_better_than_by_a_round_robin() {
    let (mut adaptive, mut round_robin) = (0.0, 0.0);
    for seed in 0..4 {
        let mut world = World::new(16, 80.0, seed);
        let (ours, theirs) = (world.play_all(&EVENT, 4), world.round_robin(2));
        let games = |history: &History| results(history).games();
        assert_eq!((games(&ours), games(&theirs)), (480, 480));
        adaptive += sum_of_variances(&ours);
        round_robin += sum_of_variances(&theirs);
    }
    println!("sum of variances {adaptive:.0}, of a round robin {round_robin:.0}");
    assert!(adaptive < 0.85 * round_robin, "{adaptive} {round_robin}");
}

#[test]
fn the_order_is_surer_if_it_is_the_goal() {
    let (mut for_order, mut for_ratings, mut round_robin) = (0.0, 0.0, 0.0);
    for seed in 0..4 {
        let mut world = World::new(16, 80.0, seed);
        let event = Adaptive {
            goal: Goal::Order,
            ..EVENT
        };
        for_order += doubt(&world.play_all(&event, 4));
        for_ratings += doubt(&world.play_all(&EVENT, 4));
        round_robin += doubt(&world.round_robin(2));
    }
    println!(
        "doubt {for_order:.3}, for ratings {for_ratings:.3}, of a round robin {round_robin:.3}"
    );
    assert!(for_order < for_ratings && for_order < 0.8 * round_robin);
}

#[test]
fn what_is_sure_is_not_asked_again() {
    let event = Adaptive {
        budget: 10_000,
        random_percent: 0,
        goal: Goal::Order,
        ..EVENT
    };
    let mut history = World::new(4, 0.0, 6).history();
    let one_sided = |wins| {
        let mut table = PairTable::default();
        (0..40).for_each(|pair| {
            let outcome = if pair < wins {
                Outcome::Win
            } else {
                Outcome::Loss
            };
            table.add_pair(outcome, outcome.reversed());
        });
        Played { table, missing: 0 }
    };
    // 0 is far better than 1, 1 than 2, and 2 as good as 3; one-sided results leave the larger variances.
    history.draws.push(Drawn {
        draw: Draw {
            round: 0,
            encounters: vec![[0, 1], [1, 2], [2, 3]],
            pairs: 40,
            byes: Vec::new(),
            openings: Vec::new(),
        },
        results: [36, 36, 20].map(one_sided).to_vec(),
    });
    let Step::Draw(draw) = event.next(&history, 1) else {
        panic!("there is a budget");
    };
    assert_eq!(draw.encounters, [[3, 2]]);
    // The same with the players the other way round.
    history.draws[0].draw.encounters = vec![[3, 2], [2, 1], [1, 0]];
    let Step::Draw(draw) = event.next(&history, 1) else {
        panic!("there is a budget");
    };
    assert_eq!(draw.encounters, [[0, 1]]);
}

#[test]
fn what_is_under_way_joins() {
    let world = World::new(6, 50.0, 7);
    let mut history = world.history();
    let mut met = BTreeSet::new();
    for _ in 0..5 {
        let Step::Draw(draw) = EVENT.next(&history, 1) else {
            panic!("there is a budget");
        };
        met.extend(draw.encounters.iter().map(|&[i, j]| (i.min(j), i.max(j))));
        let table = PairTable::default();
        history.draws.push(Drawn {
            draw,
            results: vec![Played { table, missing: 2 }],
        });
    }
    // Five different encounters without a ring join six.
    assert_eq!(met.len(), 5);
    let mut joined = BTreeSet::from([0]);
    for _ in 0..5 {
        for &(i, j) in &met {
            if joined.contains(&i) || joined.contains(&j) {
                joined.extend([i, j]);
            }
        }
    }
    assert_eq!(joined.len(), 6);
}

#[test]
fn draws_are_functions_of_the_history() {
    let mut world = World::new(9, 60.0, 1);
    let history = world.play_all(&EVENT, 5);
    assert_eq!(results(&history).games(), 480);
    for draws in 0..history.draws.len() {
        let mut prefix = history.clone();
        prefix.draws.truncate(draws);
        let again = EVENT.next(&prefix, 5);
        assert_eq!(again, Step::Draw(history.draws[draws].draw.clone()));
    }
    assert_eq!(EVENT.next(&history, 5), Step::Over);
}

#[test]
fn the_first_encounters_join_all() {
    for wanted in [1, 3, 100] {
        let mut world = World::new(13, 50.0, 2);
        let mut history = world.history();
        let mut joined = BTreeSet::from([0]);
        while history.encounters().count() < 12 {
            let Step::Draw(draw) = EVENT.next(&history, wanted) else {
                panic!("there is a budget");
            };
            world.play(&mut history, draw);
        }
        let encounters: Vec<[usize; 2]> = history
            .encounters()
            .map(|(_, players, _)| players)
            .take(12)
            .collect();
        for _ in 0..12 {
            for [i, j] in &encounters {
                if joined.contains(i) || joined.contains(j) {
                    joined.extend([*i, *j]);
                }
            }
        }
        assert_eq!(joined.len(), 13);
        // A player who comes later plays next.
        history.entries.push(Entry::default());
        let Step::Draw(draw) = EVENT.next(&history, 1) else {
            panic!("there is a budget");
        };
        assert!(draw.encounters[0].contains(&13), "{draw:?}");
    }
}

#[test]
fn some_encounters_are_random() {
    let mut world = World::new(10, 150.0, 3);
    let draws = |world: &mut World, random_percent| {
        let event = Adaptive {
            random_percent,
            ..EVENT
        };
        let history = world.play_all(&event, 1);
        let far = |[i, j]: [usize; 2]| i.abs_diff(j) > 4;
        history
            .encounters()
            .filter(|&(_, players, _)| far(players))
            .count()
    };
    // A third of all pairs are so far apart; in 240 - 9 encounters there are 23 random ones.
    assert!(draws(&mut world, 0) <= 6);
    assert!(draws(&mut world, 100) >= 60);
    let due = (0..1_000).filter(|&number| EVENT.is_random(number));
    assert_eq!(due.count(), 100);
    let (one, other) = (
        Adaptive {
            random_percent: 100,
            ..EVENT
        },
        world.history(),
    );
    let Step::Draw(first) = one.next(&other, 40) else {
        panic!("there is a budget");
    };
    let reseeded = History { seed: 6, ..other };
    let Step::Draw(second) = one.next(&reseeded, 40) else {
        panic!("there is a budget");
    };
    assert_eq!(first.encounters[..9], second.encounters[..9]);
    assert_ne!(first.encounters, second.encounters);
}

#[test]
fn encounters_drawn_together_are_spread() {
    let mut world = World::new(12, 10.0, 4);
    let event = Adaptive {
        budget: 10_000,
        random_percent: 0,
        ..EVENT
    };
    let mut history = world.history();
    for _ in 0..20 {
        let Step::Draw(draw) = event.next(&history, 6) else {
            panic!("there is a budget");
        };
        world.play(&mut history, draw);
    }
    let Step::Draw(draw) = event.next(&history, 24) else {
        panic!("there is a budget");
    };
    let different: BTreeSet<_> = draw
        .encounters
        .iter()
        .map(|&[i, j]| (i.min(j), i.max(j)))
        .collect();
    assert!(different.len() >= 20, "{draw:?}");
    // What is under way is not drawn again at once.
    let results = vec![
        Played {
            table: PairTable::default(),
            missing: 2
        };
        24
    ];
    history.draws.push(Drawn { draw, results });
    let Step::Draw(next) = event.next(&history, 6) else {
        panic!("there is a budget");
    };
    let again = next
        .encounters
        .iter()
        .filter(|&&[i, j]| different.contains(&(i.min(j), i.max(j))));
    assert!(again.count() <= 2, "{next:?}");
}

#[test]
fn budgets_and_withdrawals_are_kept() {
    let mut world = World::new(5, 30.0, 5);
    let event = Adaptive {
        pairs: 4,
        budget: 11,
        ..EVENT
    };
    let mut history = world.history();
    assert_eq!(event.next(&history, 0), Step::Wait);
    history.entries[2].withdrawn = true;
    let mut drawn = Vec::new();
    while let Step::Draw(draw) = event.next(&history, 1) {
        assert!(draw.encounters.iter().flatten().all(|&player| player != 2));
        drawn.push(draw.pairs);
        world.play(&mut history, draw);
    }
    assert_eq!(drawn, [4, 4, 3]);
    // What a withdrawal kept from being played can be played by others.
    history.draws[0].results[0].table = PairTable::default();
    assert!(matches!(event.next(&history, 1), Step::Draw(_)));
    for entry in &mut history.entries[1..] {
        entry.withdrawn = true;
    }
    assert_eq!(event.next(&history, 1), Step::Over);
}
