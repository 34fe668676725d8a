//! Ladders, played through.

use proptest::prelude::*;

use super::{by_number, draw_all, enter, event, openings, play, play_through};
use crate::{
    ratings::Outcome,
    schedule::{History, Step, ladder::Ladder},
};

/// The higher number always wins, so that the seeds stand upside down.
fn upside_down(first: usize, second: usize) -> Outcome {
    by_number(second, first)
}

#[test]
fn rounds_alternate_between_the_two_ways_to_pair_neighbours() {
    let ladder = Ladder {
        rounds: 3,
        pairs: 1,
    };
    let mut history = event(5);
    play_through(
        &mut history,
        |history| ladder.next(history),
        |_| 0,
        |_, _| Outcome::Draw,
    );
    let drawn: Vec<_> = history
        .draws
        .iter()
        .flat_map(|drawn| {
            drawn
                .draw
                .encounters
                .iter()
                .map(|&players| (drawn.draw.round, players))
        })
        .collect();
    let mut sorted = drawn.clone();
    sorted.sort_unstable();
    assert_eq!(
        sorted,
        [
            (0, [0, 1]),
            (0, [2, 3]),
            (1, [1, 2]),
            (1, [3, 4]),
            (2, [0, 1]),
            (2, [2, 3])
        ]
    );
    assert_eq!(drawn.len() as u64, ladder.encounters(5));
    // Who draws does not go up.
    assert_eq!(ladder.order(&history), [0, 1, 2, 3, 4]);
}

#[test]
fn a_challenge_waits_for_its_two_rungs_only() {
    let ladder = Ladder {
        rounds: 2,
        pairs: 1,
    };
    let mut history = event(6);
    let next = |history: &History| ladder.next(history);
    assert_eq!(draw_all(&mut history, next), Step::Wait);
    play(&mut history, 0, 0, Outcome::Loss);
    assert_eq!(draw_all(&mut history, next), Step::Wait);
    assert_eq!(history.draws.len(), 1);
    play(&mut history, 0, 1, Outcome::Win);
    draw_all(&mut history, next);
    // 0 lost its rung to 1 and is now challenged by 2, who kept its own.
    assert_eq!(history.draws[1].draw.encounters, [[0, 2]]);
    assert_eq!(history.draws[1].draw.round, 1);
}

#[test]
fn a_withdrawn_engine_is_passed_and_what_it_played_stands() {
    let ladder = Ladder {
        rounds: 4,
        pairs: 1,
    };
    let mut history = event(4);
    let next = |history: &History| ladder.next(history);
    draw_all(&mut history, next);
    play(&mut history, 0, 0, Outcome::Win);
    play(&mut history, 0, 1, Outcome::Win);
    history.entries[0].withdrawn = true;
    // In the third round 1 passes it without a game, in the fourth 2 does.
    play_through(&mut history, next, |_| 0, by_number);
    assert_eq!(ladder.order(&history), [1, 2, 0, 3]);
    assert!(
        history
            .encounters()
            .skip(2)
            .all(|(_, players, _)| !players.contains(&0))
    );
}

#[test]
fn a_challenge_that_was_not_played_to_its_end_is_lost_by_who_withdrew() {
    let ladder = Ladder {
        rounds: 1,
        pairs: 2,
    };
    for (gone, order) in [(0, [1, 0]), (1, [0, 1])] {
        let mut history = event(2);
        draw_all(&mut history, |history| ladder.next(history));
        // Who withdraws has won the one game that was played.
        let outcome = if gone == 0 {
            Outcome::Win
        } else {
            Outcome::Loss
        };
        history.draws[0].results[0].table.add_near_first(outcome);
        history.draws[0].results[0].missing = 0;
        history.entries[gone].withdrawn = true;
        assert_eq!(ladder.order(&history), order);
        assert_eq!(ladder.next(&history), Step::Over);
    }
}

#[test]
fn the_players_of_a_draw_are_not_drawn_again() {
    let ladder = Ladder {
        rounds: 2,
        pairs: 3,
    };
    let mut history = event(4);
    let Step::Draw(draw) = ladder.next(&history) else {
        panic!("the first round is known")
    };
    assert_eq!(draw.pairs, 3);
    enter(&mut history, draw);
    assert_eq!(ladder.next(&history), Step::Wait);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn as_many_rounds_as_players_bring_any_order_right(
        players in 2usize..25,
        order in proptest::collection::vec(any::<prop::sample::Index>(), 1..64),
    ) {
        let ladder = Ladder { rounds: players as u64, pairs: 1 };
        let mut history = event(players);
        let mut turn = 0;
        let pick = |open: usize| {
            turn += 1;
            order[turn % order.len()].index(open)
        };
        play_through(&mut history, |history| ladder.next(history), pick, upside_down);
        let sorted: Vec<usize> = (0..players).rev().collect();
        prop_assert_eq!(ladder.order(&history), sorted);
        prop_assert_eq!(history.encounters().count() as u64, ladder.encounters(players));
        let mut other = event(players);
        play_through(&mut other, |history| ladder.next(history), |_| 0, upside_down);
        prop_assert_eq!(openings(&other), openings(&history));
    }
}
