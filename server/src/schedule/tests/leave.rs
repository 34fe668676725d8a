//! Whoever withdraws whenever: no event comes to a stop before its end.

use proptest::prelude::*;

use super::{event, play, waiting};
use crate::{
    ratings::Outcome,
    schedule::{
        Adaptive, Director, Drawn, Goal, History, Knockout, Ladder, Played, Seat, Step, Swiss,
        ThirdPlace,
    },
};

/// Takes a player out: its games that were not played never come. Some encounters have had one game.
fn withdraw(history: &mut History, player: usize, luck: usize) {
    history.entries[player].withdrawn = true;
    for Drawn { draw, results } in &mut history.draws {
        let own = draw.encounters.iter().zip(results);
        for (_, played) in own.filter(|(players, _)| players.contains(&player)) {
            if played.missing > 0 && luck.is_multiple_of(2) {
                played.table.add_near_first(Outcome::ALL[luck % 5]);
            }
            played.missing = 0;
        }
    }
}

/// Draws all that can be drawn, never with someone who has withdrawn.
fn draw_all(director: &Director, history: &mut History) -> Step {
    loop {
        let draw = match director.next(history) {
            Step::Draw(draw) => draw,
            step => return step,
        };
        let players = draw.encounters.iter().flatten().chain(&draw.byes);
        for &player in players {
            assert!(!history.entries[player].withdrawn, "{director:?} {draw:?}");
        }
        let played = Played {
            table: crate::ratings::PairTable::default(),
            missing: 2 * draw.pairs,
        };
        let results = vec![played; draw.encounters.len()];
        history.draws.push(Drawn { draw, results });
        assert!(history.draws.len() < 2_000, "{director:?} draws for ever");
    }
}

fn play_out(director: &Director, players: usize, script: &[prop::sample::Index]) -> History {
    let mut history = event(players);
    let mut turn = 0;
    let mut pick = |of: usize| {
        turn += 1;
        script[turn % script.len()].index(of)
    };
    loop {
        let step = draw_all(director, &mut history);
        let open = waiting(&history);
        if open.is_empty() {
            assert_eq!(step, Step::Over, "{director:?}");
            return history;
        }
        let leaver = (pick(5) == 0).then(|| pick(players));
        match leaver.filter(|&player| !history.entries[player].withdrawn) {
            Some(player) => withdraw(&mut history, player, pick(10)),
            None => {
                let (draw, encounter) = open[pick(open.len())];
                play(&mut history, draw, encounter, Outcome::ALL[pick(5)]);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn withdrawals_stop_no_event(
        players in 2usize..12,
        pairs in 1u64..3,
        script in proptest::collection::vec(any::<prop::sample::Index>(), 1..200),
    ) {
        let third_place = ThirdPlace::Played;
        let knockout = Knockout { pairs, tie_pairs: 2, third_place, until: None };
        let history = play_out(&Director::Knockout(knockout), players, &script);
        for met in knockout.bracket(&history) {
            let empty = met.seats == [Seat::Empty; 2];
            prop_assert!(met.winner.is_some() || empty, "{met:?}");
        }
        let ladder = Ladder { rounds: players as u64, pairs };
        play_out(&Director::Ladder(ladder), players, &script);
        let history = play_out(&Director::Swiss(Swiss { rounds: 4, pairs }), players, &script);
        prop_assert!(history.draws.len() == 4 || history.active().count() < 2);
        let budget = 3 * players as u64;
        let adaptive = Adaptive { pairs, budget, random_percent: 10, goal: Goal::Volume };
        let history = play_out(&Director::Adaptive(adaptive), players, &script);
        // What the withdrawals cost was drawn again, as long as there were two.
        let played = history.encounters().map(|(_, _, played)| played.table.games().div_ceil(2));
        prop_assert!(played.sum::<u64>() == budget || history.active().count() < 2);
    }
}
