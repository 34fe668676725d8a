//! Berger tables: the rounds of a single round robin.
//!
//! FIDE handbook C.05, annex 1, in closed form. Players and rounds are numbered from 0 here, from 1 there.

/// Number of rounds of a single round robin: one less than the players, rounded up to an even number.
pub fn berger_rounds(players: usize) -> usize {
    match players {
        0 | 1 => 0,
        _ => players + players % 2 - 1,
    }
}

/// Number of encounters of one round.
pub(super) fn boards(players: usize) -> usize {
    players / 2
}

/// The encounters of a round as (first, second), board by board; nothing after the last round.
///
/// With an odd number of players the one drawn against the missing last player has a bye.
pub fn berger_round(players: usize, round: usize) -> impl ExactSizeIterator<Item = (usize, usize)> {
    let boards = if round < berger_rounds(players) {
        boards(players)
    } else {
        0
    };
    (0..boards).map(move |board| encounter(players, round, board))
}

/// One encounter of a round, `round < berger_rounds(players)` and `board < boards(players)`.
///
/// With n even, x = (r n/2) mod (n-1) in round r: board 0 is x against n-1, with the first move
/// changing sides every round; board k is x+k against x-k, modulo n-1. With n odd the first board is the bye.
pub(super) fn encounter(players: usize, round: usize, board: usize) -> (usize, usize) {
    let even = players + players % 2;
    let ring = even - 1;
    let x = (round * (even / 2)) % ring;
    let k = board + players % 2;
    match (k, round % 2) {
        (0, 0) => (x, even - 1),
        (0, _) => (even - 1, x),
        _ => ((x + k) % ring, (x + ring - k) % ring),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{berger_round, berger_rounds};

    #[test]
    fn everyone_meets_everyone_once_and_plays_once_a_round() {
        for players in 0..40 {
            let mut met = BTreeSet::new();
            for round in 0..berger_rounds(players) {
                let mut busy = BTreeSet::new();
                for (first, second) in berger_round(players, round) {
                    assert!(first != second && first < players && second < players);
                    assert!(
                        busy.insert(first) && busy.insert(second),
                        "{players} in {round}"
                    );
                    assert!(met.insert((first.min(second), first.max(second))));
                }
            }
            assert_eq!(met.len(), players * players.saturating_sub(1) / 2);
            assert_eq!(berger_round(players, berger_rounds(players)).len(), 0);
        }
    }
}
