//! Knockouts, played through.

use proptest::prelude::*;

use super::{by_number, draw_all, event, openings, play, play_through, waiting};
use crate::{
    ratings::Outcome,
    schedule::{
        History, Step,
        knockout::{DecidedBy, Knockout, Seat, ThirdPlace, UntilDecided},
    },
};

const FORMAT: Knockout = Knockout {
    pairs: 2,
    tie_pairs: 3,
    third_place: ThirdPlace::Played,
    until: None,
};

/// Encounters that a test of -50 against 50 normalized Elo decides.
const TESTED: Knockout = Knockout {
    pairs: 3,
    until: Some(UntilDecided {
        elo: 50,
        most_pairs: 19,
    }),
    ..FORMAT
};

fn encounters(history: &History) -> Vec<(u64, [usize; 2], u64)> {
    let draws = history.draws.iter().map(|drawn| &drawn.draw);
    draws
        .flat_map(|draw| {
            draw.encounters
                .iter()
                .map(|&players| (draw.round, players, draw.pairs))
        })
        .collect()
}

#[test]
fn seeds_meet_as_in_a_printed_bracket() {
    let mut history = event(8);
    assert_eq!(
        draw_all(&mut history, |history| FORMAT.next(history)),
        Step::Wait
    );
    // Seeds 1-8, 4-5, 2-7, 3-6, from 0.
    assert_eq!(
        encounters(&history),
        [
            (0, [0, 7], 2),
            (0, [3, 4], 2),
            (0, [1, 6], 2),
            (0, [2, 5], 2)
        ]
    );
    // The best have no opponent when there are too few players.
    let mut history = event(5);
    draw_all(&mut history, |history| FORMAT.next(history));
    assert_eq!(encounters(&history), [(0, [3, 4], 2), (1, [1, 2], 2)]);
    let bracket = FORMAT.bracket(&history);
    assert_eq!(bracket[0].winner, Some((0, DecidedBy::Bye)));
    assert_eq!(bracket[0].seats, [Seat::Taken(0), Seat::Empty]);
}

#[test]
fn an_encounter_waits_for_its_own_players_only() {
    let mut history = event(8);
    let next = |history: &History| FORMAT.next(history);
    draw_all(&mut history, next);
    play(&mut history, 0, 0, Outcome::Win);
    draw_all(&mut history, next);
    assert_eq!(history.draws.len(), 1);
    play(&mut history, 0, 1, Outcome::Loss);
    draw_all(&mut history, next);
    assert_eq!(encounters(&history)[4..], [(1, [0, 4], 2)]);
}

#[test]
fn a_level_encounter_goes_on_pair_by_pair_and_is_then_decided() {
    let mut history = event(2);
    let next = |history: &History| FORMAT.next(history);
    draw_all(&mut history, next);
    play(&mut history, 0, 0, Outcome::Draw);
    for further in 1..=3 {
        assert_eq!(draw_all(&mut history, next), Step::Wait);
        assert_eq!(history.draws[further].draw.pairs, 1);
        assert_eq!(history.draws[further].draw.round, 0);
        if further < 3 {
            play(&mut history, further, 0, Outcome::Draw);
        }
    }
    let mut decided = history.clone();
    play(&mut decided, 3, 0, Outcome::Disadvantage);
    assert_eq!(draw_all(&mut decided, next), Step::Over);
    assert_eq!(
        FORMAT.bracket(&decided)[0].winner,
        Some((1, DecidedBy::FurtherPairs))
    );
    // Level to the end: nothing tells them apart but their seeds.
    play(&mut history, 3, 0, Outcome::Draw);
    assert_eq!(draw_all(&mut history, next), Step::Over);
    assert_eq!(
        FORMAT.bracket(&history)[0].winner,
        Some((0, DecidedBy::Seed))
    );
    assert_eq!(openings(&history)[&(0, [0, 1])], [0, 1, 2, 3, 4]);
}

/// Pairs of the draws, and who won the encounter of two players, who play so draw by draw.
fn tested(outcomes: &[Outcome]) -> (Vec<u64>, Option<(usize, DecidedBy)>) {
    let mut history = event(2);
    let next = |history: &History| TESTED.next(history);
    for &outcome in outcomes {
        assert_eq!(draw_all(&mut history, next), Step::Wait);
        let last = history.draws.len() - 1;
        play(&mut history, last, 0, outcome);
    }
    let decided = TESTED.bracket(&history)[0].winner;
    let over = draw_all(&mut history, next) == Step::Over;
    assert_eq!(over, decided.is_some());
    let draws = history.draws.iter();
    (draws.map(|drawn| drawn.draw.pairs).collect(), decided)
}

#[test]
fn an_encounter_goes_on_until_its_test_decides() {
    use Outcome::{Draw, Loss, Win};
    // The ratio of n pairs won is 0.405 n, of which 8 pass 2.944; one looks after 3, 6 and 9.
    assert_eq!(tested(&[Loss; 2]), (vec![3; 3], None));
    assert_eq!(tested(&[Loss; 3]), (vec![3; 3], Some((1, DecidedBy::Test))));
    assert_eq!(tested(&[Win; 3]), (vec![3; 3], Some((0, DecidedBy::Test))));
    // 18 draws and a pair lost have -1.92: no verdict to the end, but more points.
    let mut close = [Draw; 7];
    close[6] = Loss;
    let regular = vec![3, 3, 3, 3, 3, 3, 1];
    assert_eq!(
        tested(&close),
        (regular.clone(), Some((1, DecidedBy::Points)))
    );
    // Level to the end, further pairs follow, in which points count at once.
    let mut further = [Draw; 9];
    further[8] = Win;
    let pairs = [regular, vec![1, 1]].concat();
    assert_eq!(
        tested(&further),
        (pairs.clone(), Some((0, DecidedBy::FurtherPairs)))
    );
    let seed = [pairs, vec![1]].concat();
    assert_eq!(tested(&[Draw; 10]), (seed, Some((0, DecidedBy::Seed))));
}

#[test]
fn who_withdraws_makes_way_and_what_was_played_stands() {
    let mut history = event(4);
    let next = |history: &History| FORMAT.next(history);
    draw_all(&mut history, next);
    play(&mut history, 0, 0, Outcome::Win);
    // 3 is out already; 2 goes in the middle of its encounter with 1; none of its games is to come.
    history.entries[3].withdrawn = true;
    history.entries[2].withdrawn = true;
    history.draws[0].results[1].missing = 0;
    draw_all(&mut history, next);
    let bracket = FORMAT.bracket(&history);
    assert_eq!(bracket[0].winner, Some((0, DecidedBy::Points)));
    assert_eq!(bracket[1].winner, Some((1, DecidedBy::Withdrawal)));
    // The final is played, the encounter of the two who left is not.
    assert_eq!(encounters(&history)[2..], [(1, [0, 1], 2)]);
    let last = history.draws.len() - 1;
    play(&mut history, last, 0, Outcome::Loss);
    assert_eq!(draw_all(&mut history, next), Step::Over);
    assert_eq!(FORMAT.places(&history)[0], (1, 1));
    // A winner who leaves after the final has won it.
    history.entries[1].withdrawn = true;
    assert_eq!(
        FORMAT.bracket(&history)[2].winner,
        Some((1, DecidedBy::Points))
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_best_wins_whatever_comes_first_and_nobody_plays_after_losing(
        players in 2usize..40,
        order in proptest::collection::vec(any::<prop::sample::Index>(), 1..64),
        third in any::<bool>(),
    ) {
        let third_place = if third { ThirdPlace::Played } else { ThirdPlace::Shared };
        let format = Knockout { third_place, ..FORMAT };
        let mut history = event(players);
        let mut turn = 0;
        let pick = |open: usize| {
            turn += 1;
            order[turn % order.len()].index(open)
        };
        play_through(&mut history, |history| format.next(history), pick, by_number);
        let played = encounters(&history);
        prop_assert_eq!(played.len() as u64, format.encounters(players));
        // With the lower number winning, the places at the top are the seeds.
        let places = format.places(&history);
        prop_assert_eq!(places[0], (0, 1));
        prop_assert_eq!(places[1], (1, 2));
        if third && players > 3 {
            prop_assert_eq!(&places[2..4], &[(2, 3), (3, 4)]);
        } else if players > 3 {
            prop_assert_eq!(&places[2..4], &[(2, 3), (3, 3)]);
        }
        // The same whatever was played first: replaying every prefix draws the same next.
        for length in 0..history.draws.len() {
            let mut prefix = history.clone();
            prefix.draws.truncate(length);
            prop_assert!(matches!(format.next(&prefix), Step::Draw(_)));
        }
        prop_assert!(waiting(&history).is_empty());
        // The openings do not depend on what was over first either.
        let mut other = event(players);
        play_through(&mut other, |history| format.next(history), |_| 0, by_number);
        prop_assert_eq!(openings(&other), openings(&history));
    }
}
