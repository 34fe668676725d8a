//! Rounds of random events against all rounds that could have been drawn.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::Swiss;
use super::field::{Field, Float};
use crate::ratings::{Outcome, PairTable};
use crate::schedule::{Draw, Drawn, Entry, History, Played, Step};

fn start(players: usize) -> History {
    History {
        entries: vec![Entry::default(); players],
        ..History::default()
    }
}

fn drawn(step: Step) -> Draw {
    match step {
        Step::Draw(draw) => draw,
        other => panic!("{other:?}"),
    }
}

/// Adds a round with random results.
fn play(history: &mut History, draw: Draw, random: &mut ChaCha8Rng) {
    let mut outcome = || Outcome::ALL[random.next_u64() as usize % 5];
    let mut encounter = || {
        let mut table = PairTable::default();
        (0..draw.pairs).for_each(|_| table.add_pair(outcome(), outcome()));
        Played { table, missing: 0 }
    };
    let results = draw.encounters.iter().map(|_| encounter()).collect();
    history.draws.push(Drawn { draw, results });
}

/// Scores, byes and meetings, counted for themselves.
#[derive(Default)]
struct Records {
    scores: BTreeMap<usize, u64>,
    byes: BTreeMap<usize, u64>,
    met: BTreeMap<[usize; 2], u64>,
}

impl Records {
    fn new(history: &History) -> Self {
        let mut records = Self::default();
        for player in 0..history.entries.len() {
            records.scores.insert(player, 0);
            records.byes.insert(player, 0);
        }
        for Drawn { draw, results } in &history.draws {
            for (&[a, b], played) in draw.encounters.iter().zip(results) {
                let quarters = played.table.near_quarters().0;
                *records.scores.get_mut(&a).unwrap() += quarters;
                *records.scores.get_mut(&b).unwrap() += 8 * draw.pairs - quarters;
                *records.met.entry([a.min(b), a.max(b)]).or_default() += 1;
            }
            for bye in &draw.byes {
                *records.scores.get_mut(bye).unwrap() += 8 * draw.pairs;
                *records.byes.get_mut(bye).unwrap() += 1;
            }
        }
        records
    }

    /// The leading criteria: rematches, score of the bye, sum of differences and of their squares.
    fn criteria(&self, pairs: &[[usize; 2]], byes: &[usize]) -> [u64; 4] {
        let mut criteria = [0; 4];
        for &[a, b] in pairs {
            let difference = self.scores[&a].abs_diff(self.scores[&b]);
            criteria[0] += self.met.get(&[a.min(b), a.max(b)]).copied().unwrap_or(0);
            criteria[2] += difference;
            criteria[3] += difference * difference;
        }
        criteria[1] = byes.iter().map(|bye| self.scores[bye]).sum();
        criteria
    }

    /// The best criteria of all rounds in which a bye is for someone with the fewest so far.
    fn best(
        &self,
        left: &[usize],
        pairs: &mut Vec<[usize; 2]>,
        byes: &mut Vec<usize>,
        fewest: u64,
    ) -> Option<[u64; 4]> {
        let Some((&first, rest)) = left.split_first() else {
            return Some(self.criteria(pairs, byes));
        };
        let mut best = None;
        let mut consider = |found: Option<[u64; 4]>| {
            best = [best, found].into_iter().flatten().min();
        };
        for &other in rest {
            let others: Vec<usize> = rest.iter().copied().filter(|&it| it != other).collect();
            pairs.push([first, other]);
            consider(self.best(&others, pairs, byes, fewest));
            pairs.pop();
        }
        if left.len() % 2 == 1 && byes.is_empty() && self.byes[&first] == fewest {
            byes.push(first);
            consider(self.best(rest, pairs, byes, fewest));
            byes.pop();
        }
        best
    }
}

/// Everyone who is there plays once or has a bye, and nobody else.
fn check_round(history: &History, draw: &Draw) {
    let active: BTreeSet<usize> = history.active().collect();
    let seats: Vec<usize> = draw
        .encounters
        .iter()
        .flatten()
        .chain(&draw.byes)
        .copied()
        .collect();
    assert_eq!(seats.len(), active.len(), "{draw:?}");
    assert_eq!(seats.iter().copied().collect::<BTreeSet<_>>(), active);
    assert_eq!(draw.byes.len(), active.len() % 2);
    let records = Records::new(history);
    let active: Vec<usize> = active.into_iter().collect();
    let fewest = active
        .iter()
        .map(|player| records.byes[player])
        .min()
        .unwrap();
    let best = records.best(&active, &mut Vec::new(), &mut Vec::new(), fewest);
    assert_eq!(Some(records.criteria(&draw.encounters, &draw.byes)), best);
    assert!(draw.byes.iter().all(|bye| records.byes[bye] == fewest));
    let points = |&[a, b]: &[usize; 2]| records.scores[&a] + records.scores[&b];
    assert!(draw.encounters.is_sorted_by(|a, b| points(a) >= points(b)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn no_round_is_better(players in 2usize..9, rounds in 1u64..8, pairs in 1u64..3, seed: u64) {
        let swiss = Swiss { rounds, pairs };
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut history = start(players);
        let mut asked = Vec::new();
        loop {
            // Someone leaves, someone comes.
            if random.next_u64().is_multiple_of(5) {
                let leaver = random.next_u64() as usize % history.entries.len();
                history.entries[leaver].withdrawn = true;
            }
            if random.next_u64().is_multiple_of(6) && history.active().count() < 9 {
                history.entries.push(Entry::default());
            }
            let step = swiss.next(&history);
            asked.push((history.clone(), step.clone()));
            let Step::Draw(draw) = step else {
                prop_assert_eq!(step, Step::Over);
                prop_assert!(history.draws.len() as u64 == rounds || history.active().count() < 2);
                break;
            };
            check_round(&history, &draw);
            play(&mut history, draw, &mut random);
        }
        // Any of them asked again draws the same, with results in any order too.
        for (mut history, step) in asked {
            for Drawn { draw, results } in &mut history.draws {
                draw.encounters.reverse();
                results.reverse();
            }
            prop_assert_eq!(swiss.next(&history), step);
        }
    }
}

#[test]
fn the_first_round_is_upper_half_against_lower() {
    let swiss = Swiss {
        rounds: 5,
        pairs: 3,
    };
    let draw = drawn(swiss.next(&start(7)));
    assert_eq!(draw.encounters, [[0, 3], [4, 1], [2, 5]]);
    assert_eq!((draw.byes, draw.pairs, draw.round), (vec![6], 3, 0));
    let draw = drawn(swiss.next(&start(500)));
    assert!(draw.encounters.iter().all(|&[a, b]| a.abs_diff(b) == 250));
}

#[test]
fn floats_are_not_repeated() {
    let mut history = start(6);
    let mut table = PairTable::default();
    table.add_pair(Outcome::Win, Outcome::Loss);
    history.draws.push(Drawn {
        draw: drawn(
            Swiss {
                rounds: 5,
                pairs: 1,
            }
            .next(&history),
        ),
        results: vec![
            Played {
                table: table.reversed(),
                missing: 0
            };
            3
        ],
    });
    // The first board began with 0 and the next one with its lower player.
    history.draws[0].draw.encounters = vec![[3, 0], [4, 1], [5, 2]];
    let partner_of_float = |floats: &[(usize, usize, Float)]| {
        let mut field = Field::new(&history);
        for &(seat, round, float) in floats {
            field.seats[seat].floats[round] = float;
        }
        let mates = super::mates(&field).unwrap();
        (0..3)
            .find(|&seat| mates[seat] > 2)
            .map(|seat| [seat, mates[seat]])
    };
    assert_eq!(partner_of_float(&[]), Some([2, 3]));
    assert_eq!(partner_of_float(&[(2, 0, Float::Down)]), Some([1, 3]));
    assert_eq!(partner_of_float(&[(2, 0, Float::Up)]), Some([2, 3]));
    assert_eq!(partner_of_float(&[(2, 1, Float::Down)]), Some([1, 3]));
    assert_eq!(partner_of_float(&[(3, 0, Float::Up)]), Some([2, 4]));
    assert_eq!(partner_of_float(&[(3, 1, Float::Up)]), Some([2, 4]));
    // The last round counts for more than the one before, and down for more than up.
    let down = [
        (0, 0, Float::Down),
        (1, 0, Float::Down),
        (2, 1, Float::Down),
    ];
    assert_eq!(partner_of_float(&down), Some([2, 3]));
    let up = [
        (3, 0, Float::Up),
        (4, 0, Float::Up),
        (2, 0, Float::Down),
        (1, 0, Float::Down),
    ];
    assert_eq!(partner_of_float(&up), Some([0, 5]));
    // A round as counted: winners meet winners, and the last one goes down.
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let draw = drawn(
        Swiss {
            rounds: 5,
            pairs: 1,
        }
        .next(&history),
    );
    play(&mut history, draw, &mut random);
    let floats: BTreeMap<usize, [Float; 2]> = Field::new(&history)
        .seats
        .iter()
        .map(|seat| (seat.player, seat.floats))
        .collect();
    assert_eq!(
        [floats[&2], floats[&3], floats[&0]],
        [
            [Float::Down, Float::None],
            [Float::Up, Float::None],
            [Float::None, Float::None],
        ]
    );
}

#[test]
fn rounds_wait_for_results_and_end() {
    let swiss = Swiss {
        rounds: 2,
        pairs: 1,
    };
    let mut history = start(4);
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let draw = drawn(swiss.next(&history));
    play(&mut history, draw, &mut random);
    history.draws[0].results[1].missing = 1;
    assert_eq!(swiss.next(&history), Step::Wait);
    history.draws[0].results[1].missing = 0;
    let draw = drawn(swiss.next(&history));
    play(&mut history, draw, &mut random);
    history.draws[1].results[0].missing = 2;
    assert_eq!(swiss.next(&history), Step::Over);
    assert_eq!(swiss.next(&start(1)), Step::Over);
    assert_eq!(
        drawn(
            Swiss {
                rounds: 1,
                pairs: 0
            }
            .next(&start(2))
        )
        .pairs,
        1
    );
}

#[test]
fn who_waits_in_vain_for_one_who_left_is_given_the_points_and_has_had_a_bye() {
    let swiss = Swiss {
        rounds: 5,
        pairs: 2,
    };
    let mut history = start(7);
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let draw = drawn(swiss.next(&history));
    let [one, gone] = draw.encounters[0];
    let [half, left] = draw.encounters[1];
    let bye = draw.byes[0];
    play(&mut history, draw, &mut random);
    // No game of the first encounter was played, and one of four of the second.
    let results = &mut history.draws[0].results;
    results[0].table = PairTable::default();
    let mut table = PairTable::default();
    table.add_near_first(Outcome::Draw);
    results[1].table = table;
    history.entries[gone].withdrawn = true;
    history.entries[left].withdrawn = true;
    let mut expected = vec![0; 7];
    (expected[one], expected[half], expected[bye]) = (16, 12, 16);
    assert_eq!(swiss.given(&history), expected);
    let field = Field::new(&history);
    let seat = |player: usize| {
        field
            .seats
            .iter()
            .find(|seat| seat.player == player)
            .unwrap()
    };
    assert_eq!((seat(one).score, seat(one).byes), (16, 1));
    assert_eq!((seat(half).score, seat(half).byes), (2 + 12, 0));
    // As five are left, someone has a bye: none of the two who have had one.
    let next = drawn(swiss.next(&history));
    assert!(![one, bye].contains(&next.byes[0]));
}

#[test]
fn rematches_and_first_moves_are_spread_evenly() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for players in [4usize, 6, 7] {
        let cycle = players + players % 2 - 1;
        let swiss = Swiss {
            rounds: 3 * cycle as u64,
            pairs: 1,
        };
        let mut history = start(players);
        while let Step::Draw(draw) = swiss.next(&history) {
            play(&mut history, draw, &mut random);
            let records = Records::new(&history);
            let most = records.met.values().max().copied().unwrap_or(0);
            // An encounter may come a cycle too soon where the rest leaves no other way.
            assert!(
                most <= history.draws.len().div_ceil(cycle) as u64 + 1,
                "{:?}",
                records.met
            );
            for player in 0..players {
                let lead: i64 = history
                    .encounters()
                    .map(|(_, [first, second], _)| {
                        i64::from(first == player) - i64::from(second == player)
                    })
                    .sum();
                assert!(lead.abs() <= 3, "{lead}");
            }
            let byes = records.byes.values();
            assert!(byes.clone().max().unwrap() - byes.min().unwrap() <= 1);
        }
    }
}

#[test]
fn enormous_scores_do_not_overflow() {
    let mut history = start(9);
    for round in 0..4 {
        let draw = drawn(
            Swiss {
                rounds: 9,
                pairs: 1 << 40,
            }
            .next(&history),
        );
        let pairs = [[u32::MAX - round; 5]; 5];
        let table = PairTable {
            pairs,
            near_first: [0, 0, 0, 0, u32::MAX],
            ..PairTable::default()
        };
        let results = vec![Played { table, missing: 0 }; draw.encounters.len()];
        history.draws.push(Drawn { draw, results });
    }
    let records = Records::new(&history);
    assert!(
        records.met.values().all(|&times| times == 1),
        "{:?}",
        records.met
    );
}

#[test]
fn usual_rounds_tell_players_apart() {
    let rounds = [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 1_000].map(Swiss::usual_rounds);
    assert_eq!(rounds, [0, 0, 1, 3, 3, 5, 5, 6, 6, 7, 12]);
}
