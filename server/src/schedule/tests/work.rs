//! No worker idles while an encounter of two known players is neither played nor being played.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{draw_all, event, play, waiting};
use crate::{
    ratings::Outcome,
    schedule::{Adaptive, Director, Goal, History, Knockout, Ladder, Step, Swiss, ThirdPlace},
};

/// An encounter by its round and players, the lower number first.
type Met = (u64, [usize; 2]);

/// Who wins: neither order of the numbers decides.
fn beats(one: usize, other: usize) -> bool {
    let lower_wins = !(one * other + one + other).is_multiple_of(3);
    (one < other) == lower_wins
}

fn outcome(first: usize, second: usize) -> Outcome {
    match beats(first, second) {
        true => Outcome::Win,
        false => Outcome::Loss,
    }
}

fn met(round: u64, one: usize, other: usize) -> Met {
    (round, [one.min(other), one.max(other)])
}

/// What was played to its end.
fn played(history: &History) -> BTreeSet<Met> {
    history
        .encounters()
        .filter(|(_, _, played)| played.missing == 0)
        .map(|(round, [one, other], _)| met(round, one, other))
        .collect()
}

/// Who stands in a place of a bracket or on a rung.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Nobody,
    Known(usize),
    Unknown,
}

/// The winner and the loser of two places; an encounter that is known and not played is noted.
fn meet(done: &BTreeSet<Met>, open: &mut BTreeSet<Met>, round: u64, two: [Place; 2]) -> [Place; 2] {
    match two {
        [Place::Known(one), Place::Known(other)] => {
            let this = met(round, one, other);
            if !done.contains(&this) {
                open.insert(this);
                return [Place::Unknown; 2];
            }
            match beats(one, other) {
                true => two,
                false => [two[1], two[0]],
            }
        }
        [Place::Unknown, _] | [_, Place::Unknown] => [Place::Unknown; 2],
        [Place::Nobody, other] => [other, Place::Nobody],
        [one, Place::Nobody] => [one, Place::Nobody],
    }
}

/// Encounters of a bracket that both players of are known, and that are not played; the third place is played for.
fn of_bracket(history: &History) -> BTreeSet<Met> {
    let players = history.entries.len();
    // Seeds by place: in a bracket of twice as many places each seed meets the one who is as far from the end as it from the start.
    let mut seeds = vec![0];
    while seeds.len() < players {
        let last = 2 * seeds.len() - 1;
        seeds = seeds.iter().flat_map(|seed| [*seed, last - seed]).collect();
    }
    let seat = |seed| match seed < players {
        true => Place::Known(seed),
        false => Place::Nobody,
    };
    let mut places: Vec<Place> = seeds.into_iter().map(seat).collect();
    let (done, mut open) = (played(history), BTreeSet::new());
    let mut round = 0;
    while places.len() > 1 {
        let ends: Vec<[Place; 2]> = places
            .chunks_exact(2)
            .map(|two| meet(&done, &mut open, round, [two[0], two[1]]))
            .collect();
        if let [one, other] = ends[..] {
            // Those who lost the semi-finals meet in the round of the final.
            meet(&done, &mut open, round + 1, [one[1], other[1]]);
        }
        places = ends.into_iter().map(|[winner, _]| winner).collect();
        round += 1;
    }
    open
}

/// Challenges of a ladder that both players of are known, and that are not played.
fn of_ladder(history: &History, rounds: u64) -> BTreeSet<Met> {
    let mut rungs: Vec<Place> = (0..history.entries.len()).map(Place::Known).collect();
    let (done, mut open) = (played(history), BTreeSet::new());
    for round in 0..rounds {
        let first = usize::from(round % 2 == 1);
        for two in rungs[first..].chunks_exact_mut(2) {
            let ends = meet(&done, &mut open, round, [two[0], two[1]]);
            two.copy_from_slice(&ends);
        }
    }
    open
}

/// Plays an event by some workers, which end in the order that `pick` says; whoever is free takes what is open, and where that is
/// nothing `is_idle_right` is asked, given the history and what is being played.
fn work(
    director: &Director,
    players: usize,
    workers: usize,
    mut pick: impl FnMut(usize) -> usize,
    is_idle_right: impl Fn(&History, &BTreeSet<Met>) -> bool,
) {
    let mut history = event(players);
    let mut held: Vec<(usize, usize)> = Vec::new();
    loop {
        let step = draw_all(&mut history, |history| director.next(history));
        let open = waiting(&history);
        let free = open.iter().filter(|&encounter| !held.contains(encounter));
        let taken: Vec<(usize, usize)> = free.take(workers - held.len()).copied().collect();
        held.extend(taken);
        if held.is_empty() {
            assert_eq!(step, Step::Over, "{director:?}");
            return;
        }
        if held.len() < workers {
            let in_play = held.iter().map(|&(draw, encounter)| {
                let draw = &history.draws[draw].draw;
                let [one, other] = draw.encounters[encounter];
                met(draw.round, one, other)
            });
            let in_play = in_play.collect();
            assert!(
                is_idle_right(&history, &in_play),
                "{director:?} {in_play:?}"
            );
        }
        let (draw, encounter) = held.swap_remove(pick(held.len()));
        let [first, second] = history.draws[draw].draw.encounters[encounter];
        play(&mut history, draw, encounter, outcome(first, second));
    }
}

#[test]
fn an_adaptive_tournament_draws_ahead_for_its_players_and_workers() {
    for (players, budget, pairs, ahead) in [
        (3, 64, 1, 8),
        (12, 64, 1, 12),
        (3, 240, 1, 30),
        (3, 100_000, 1, 64),
        (3, 100_000, 4, 16),
        (3, 100_000, 64, 8),
    ] {
        let director = Director::Adaptive(Adaptive {
            pairs,
            budget,
            random_percent: 10,
            goal: Goal::Volume,
        });
        let mut history = event(players);
        let mut drawn = Vec::new();
        for _ in 0..2 {
            assert_eq!(
                draw_all(&mut history, |history| director.next(history)),
                Step::Wait
            );
            drawn.push(history.encounters().count());
            // More than half of them are left, and then half.
            for encounter in 0..ahead / 2 {
                assert_eq!(director.next(&history), Step::Wait);
                play(&mut history, 0, encounter, Outcome::Draw);
            }
        }
        assert_eq!(drawn, [ahead, ahead + ahead / 2]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn nobody_idles(
        players in 2usize..20,
        workers in 1usize..12,
        pairs in 1u64..3,
        order in proptest::collection::vec(any::<prop::sample::Index>(), 1..64),
    ) {
        let mut turn = 0;
        let mut pick = |open: usize| {
            turn += 1;
            order[turn % order.len()].index(open)
        };
        let third_place = ThirdPlace::Played;
        let knockout = Director::Knockout(Knockout { pairs, tie_pairs: 2, third_place, until: None });
        work(&knockout, players, workers, &mut pick, |history, in_play| {
            of_bracket(history).is_subset(in_play)
        });
        let rounds = players as u64;
        let ladder = Director::Ladder(Ladder { rounds, pairs });
        work(&ladder, players, workers, &mut pick, |history, in_play| {
            of_ladder(history, rounds).is_subset(in_play)
        });
        // All of a round is drawn at once.
        let swiss = Director::Swiss(Swiss { rounds: 3, pairs });
        work(&swiss, players, workers, &mut pick, |history, _| {
            history.draws.iter().all(|drawn| drawn.results.len() == players / 2)
        });
    }

    #[test]
    fn nobody_idles_while_an_adaptive_tournament_has_pairs_left(
        players in 2usize..8,
        workers in 1usize..5,
        budget in 1u64..40,
        pairs in 1u64..3,
        order in proptest::collection::vec(any::<prop::sample::Index>(), 1..64),
    ) {
        let mut turn = 0;
        let pick = |open: usize| {
            turn += 1;
            order[turn % order.len()].index(open)
        };
        let adaptive = Adaptive { pairs, budget, random_percent: 10, goal: Goal::Volume };
        work(&Director::Adaptive(adaptive), players, workers, pick, |history, _| {
            let drawn = history.draws.iter().map(|drawn| &drawn.draw);
            let pairs = drawn.map(|draw| draw.pairs * draw.encounters.len() as u64);
            pairs.sum::<u64>() == budget
        });
    }
}
