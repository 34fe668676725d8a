//! "Engine Swiss": equals meet equals, nobody twice.
//!
//! Each round is a minimum-weight perfect matching whose weights are the criteria in order of importance:
//!
//! 1. how often the two have met before: no rematch as long as there is a round without;
//! 2. the score of who gets a bye, among those with the fewest byes;
//! 3. the sum of score differences, and then of their squares;
//! 4. players who float down as in the last round, up as in the last round, and then as in the round before that;
//! 5. distance from the pattern in which the last of a group floats to the first of the next one, and the upper half of
//!    those who stay meets the lower half: a first matching tells who stays, a second one pairs them by that.
//!
//! Within each group the order is then made that of Dutch: the first of the upper half meets the first of the lower half
//! whose choice leaves the others partners.
//!
//! These are the criteria of the FIDE (Dutch) system (FIDE handbook C.04.3) but for colours, which are settled inside a game
//! pair, and for its order of groups: Dutch decides the highest group first, here all are weighed at once.

mod cost;
mod field;
mod halves;
#[cfg(test)]
mod tests;

use super::berger::berger_rounds;
use super::draw::{Draw, History, Step};
use super::matching::perfect_matching;
use cost::{Costs, Levels};
use field::Field;

/// A Swiss tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swiss {
    /// Rounds to be played. Beyond those of a round robin there are rematches, spread evenly.
    pub rounds: u64,
    /// Game pairs of each encounter; 0 counts as 1.
    pub pairs: u64,
}

impl Swiss {
    /// Rounds that tell `players` apart as a rule: the binary logarithm, rounded up, and 2 more, but never more than a
    /// round robin has.
    pub fn usual_rounds(players: usize) -> u64 {
        let doublings = players.next_power_of_two().trailing_zeros() as usize;
        (doublings + 2).min(berger_rounds(players)) as u64
    }

    /// Quarter points that each player has without games: for byes, and for games that an opponent's withdrawal kept from being
    /// played; both count as won.
    pub fn given(&self, history: &History) -> Vec<u64> {
        field::given(history)
    }

    /// The next round, as soon as all games of earlier rounds are in.
    ///
    /// Over once `rounds` rounds were drawn, even if games are still under way, and while there are fewer than two players.
    /// Players who were not there have 0 points for the rounds they missed. A bye counts as a round won in every game.
    pub fn next(&self, history: &History) -> Step {
        if history.draws.len() as u64 >= self.rounds || history.active().count() < 2 {
            return Step::Over;
        }
        if history.is_waiting() {
            return Step::Wait;
        }
        let round = history.draws.len() as u64;
        let mut field = Field::new(history);
        if let Some(mates) = mates(&field) {
            field.expect(&mates);
        }
        match pair(&field) {
            Some((pairings, byes)) => Step::Draw(Draw {
                round,
                encounters: boards(&pairings, round),
                pairs: self.pairs.max(1),
                byes,
                openings: Vec::new(),
            }),
            // Never: everyone may be paired with everyone, and someone has the fewest byes.
            None => Step::Over,
        }
    }
}

/// The pairings of a round as pairs of seats, better ones first, and the numbers of those with a bye.
fn pair(field: &Field) -> Option<(Vec<[&field::Seat; 2]>, Vec<usize>)> {
    let seats = field.seats.len();
    let mut mates = mates(field)?;
    halves::order_groups(field, &mut mates);
    let pairings = (0..seats)
        .filter(|&a| a < mates[a] && mates[a] < seats)
        .map(|a| [&field.seats[a], &field.seats[mates[a]]])
        .collect();
    let byes = mates.get(seats).map(|&seat| field.seats[seat].player);
    Some((pairings, byes.into_iter().collect()))
}

/// The partner of each seat in the best round. With an odd number the one after the last stands for the bye.
fn mates(field: &Field) -> Option<Vec<usize>> {
    let seats = field.seats.len();
    let costs = Costs::new(field);
    perfect_matching::<Levels>(seats + seats % 2, |a, b| {
        if b < seats {
            Some(costs.pairing(a, b))
        } else {
            costs.bye(a)
        }
    })
}

/// Encounters in the order of boards, each with the player first who was so less often.
fn boards(pairings: &[[&field::Seat; 2]], round: u64) -> Vec<[usize; 2]> {
    let mut order: Vec<_> = pairings.iter().collect();
    order.sort_by_key(|[a, b]| {
        (
            std::cmp::Reverse(a.score + b.score),
            std::cmp::Reverse(a.score),
            a.player,
        )
    });
    let encounter = |(board, [a, b]): (u64, &[&field::Seat; 2])| {
        let upper_begins = match a.begun.cmp(&b.begun) {
            std::cmp::Ordering::Less => true,
            std::cmp::Ordering::Greater => false,
            // By turns down the boards and from round to round.
            std::cmp::Ordering::Equal => (board + round).is_multiple_of(2),
        };
        if upper_begins {
            [a.player, b.player]
        } else {
            [b.player, a.player]
        }
    };
    (0..).zip(order).map(encounter).collect()
}
