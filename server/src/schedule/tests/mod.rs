//! Formats whose pairings follow from results, played through.

mod knockout;
mod ladder;
mod leave;
mod work;

use std::collections::BTreeMap;

use super::{Drawn, Entry, History, Played, Step};
use crate::ratings::{Outcome, PairTable};

/// An event of some players that nobody has played yet.
fn event(players: usize) -> History {
    History {
        entries: vec![Entry::default(); players],
        ..History::default()
    }
}

/// Enters a draw without results.
fn enter(history: &mut History, draw: super::Draw) {
    let played = Played {
        table: PairTable::default(),
        missing: 2 * draw.pairs,
    };
    let results = vec![played; draw.encounters.len()];
    history.draws.push(Drawn { draw, results });
}

/// Plays an encounter that waits; `outcome` is that of both games of each pair for the first player.
fn play(history: &mut History, draw: usize, encounter: usize, outcome: Outcome) {
    let drawn = &mut history.draws[draw];
    let pairs = drawn.draw.pairs;
    let played = &mut drawn.results[encounter];
    played.missing = 0;
    for _ in 0..pairs {
        played.table.add_pair(outcome, outcome.reversed());
    }
}

/// Draws everything that can be drawn now.
fn draw_all(history: &mut History, next: impl Fn(&History) -> Step) -> Step {
    loop {
        match next(history) {
            Step::Draw(draw) => enter(history, draw),
            step => return step,
        }
    }
}

/// Encounters that wait to be played, as indices of draw and encounter.
fn waiting(history: &History) -> Vec<(usize, usize)> {
    let mut waiting = Vec::new();
    for (draw, drawn) in history.draws.iter().enumerate() {
        let open = drawn
            .results
            .iter()
            .enumerate()
            .filter(|(_, played)| played.missing > 0);
        waiting.extend(open.map(|(encounter, _)| (draw, encounter)));
    }
    waiting
}

/// Plays an event to its end: of the encounters that wait the one that `pick` chooses is played first.
fn play_through(
    history: &mut History,
    next: impl Fn(&History) -> Step,
    mut pick: impl FnMut(usize) -> usize,
    outcome: impl Fn(usize, usize) -> Outcome,
) {
    loop {
        let step = draw_all(history, &next);
        let open = waiting(history);
        if open.is_empty() {
            assert_eq!(step, Step::Over);
            return;
        }
        let (draw, encounter) = open[pick(open.len())];
        let [first, second] = history.draws[draw].draw.encounters[encounter];
        play(history, draw, encounter, outcome(first, second));
    }
}

/// The number of the opening of every pair, by round and players; every pair has another one.
fn openings(history: &History) -> BTreeMap<(u64, [usize; 2]), Vec<u64>> {
    let mut numbers = BTreeMap::<_, Vec<u64>>::new();
    for draw in history.draws.iter().map(|drawn| &drawn.draw) {
        assert_eq!(draw.encounters.len(), draw.openings.len());
        for (&players, &first) in draw.encounters.iter().zip(&draw.openings) {
            let numbers = numbers.entry((draw.round, players)).or_default();
            numbers.extend(first..first + draw.pairs);
        }
    }
    let mut all: Vec<u64> = numbers.values().flatten().copied().collect();
    let count = all.len();
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), count, "two pairs have one opening");
    numbers
}

/// The lower number always wins.
fn by_number(first: usize, second: usize) -> Outcome {
    if first < second {
        Outcome::Win
    } else {
        Outcome::Loss
    }
}
