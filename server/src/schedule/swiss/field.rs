//! [`Field`]: the players of a Swiss round in their ranking, with what pairings depend on.

use crate::schedule::History;
use crate::schedule::draw::{Drawn, Entry, Played};

/// Quarter points of a game pair that one player wins twice.
const PAIR_QUARTERS: u64 = 8;

/// Where a player's opponent of a round stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Float {
    /// Level with it, or the player was not there.
    #[default]
    None,
    /// Below it, or there was none: a bye.
    Down,
    /// Above it.
    Up,
}

/// One player's record.
#[derive(Debug, Clone, Default)]
pub(super) struct Seat {
    /// Number of the player.
    pub player: usize,
    /// Quarter points, byes included.
    pub score: u64,
    /// Byes so far.
    pub byes: u64,
    /// Encounters that it began.
    pub begun: u64,
    /// How it floated in the last round and in the one before.
    pub floats: [Float; 2],
    /// Rank within the players of the same score, from 0.
    pub place: usize,
    /// Number of players of the same score.
    pub group: usize,
    /// How many of them are expected to meet one another.
    pub inside: usize,
    /// Whether the player is expected to be of the upper half of those.
    pub upper: bool,
}

/// All who can be paired, best first.
#[derive(Debug)]
pub(super) struct Field {
    pub seats: Vec<Seat>,
    /// How often two seats met, row by row.
    met: Vec<u32>,
}

impl Field {
    pub fn new(history: &History) -> Self {
        let mut records: Vec<Seat> = (0..history.entries.len())
            .map(|player| Seat {
                player,
                ..Seat::default()
            })
            .collect();
        for drawn in &history.draws {
            count_round(&mut records, drawn);
            for gift in gifts(drawn, &history.entries) {
                let seat = &mut records[gift.player];
                seat.score = seat.score.saturating_add(gift.quarters);
                if gift.idle {
                    seat.byes += 1;
                    seat.floats[0] = Float::Down;
                }
            }
        }
        let mut seats: Vec<Seat> = history
            .active()
            .map(|player| records[player].clone())
            .collect();
        seats.sort_by_key(|seat| (std::cmp::Reverse(seat.score), seat.player));
        for group in seats.chunk_by_mut(|a, b| a.score == b.score) {
            let size = group.len();
            for (place, seat) in group.iter_mut().enumerate() {
                (seat.place, seat.group) = (place, size);
                seat.inside = size / 2 * 2;
                seat.upper = place < size / 2;
            }
        }
        let met = meetings(history, &seats);
        Self { seats, met }
    }

    /// Counts how many of each group meet one another in a round like this one.
    pub fn expect(&mut self, mates: &[usize]) {
        let mut start = 0;
        while start < self.seats.len() {
            let group = start..start + self.seats[start].group;
            let inside = group.clone().filter(|&seat| group.contains(&mates[seat]));
            let inside: Vec<usize> = inside.collect();
            for seat in group.clone() {
                self.seats[seat].inside = inside.len();
                self.seats[seat].upper = inside[..inside.len() / 2].last() >= Some(&seat);
            }
            start = group.end;
        }
    }

    /// How often two seats met.
    pub fn met(&self, a: usize, b: usize) -> u32 {
        self.met[a * self.seats.len() + b]
    }
}

/// Adds a round to everyone's record. Numbers beyond the entries are passed over.
fn count_round(records: &mut [Seat], drawn: &Drawn) {
    records
        .iter_mut()
        .for_each(|seat| seat.floats = [Float::None, seat.floats[0]]);
    let before: Vec<u64> = records.iter().map(|seat| seat.score).collect();
    for (&[first, second], played) in drawn.draw.encounters.iter().zip(&drawn.results) {
        if first.max(second) >= records.len() {
            continue;
        }
        records[first].begun += 1;
        records[first].score += played.table.near_quarters().0;
        records[second].score += played.table.far_quarters().0;
        let float = |own: usize, other: usize| match before[own].cmp(&before[other]) {
            std::cmp::Ordering::Greater => Float::Down,
            std::cmp::Ordering::Less => Float::Up,
            std::cmp::Ordering::Equal => Float::None,
        };
        records[first].floats[0] = float(first, second);
        records[second].floats[0] = float(second, first);
    }
}

/// Points that a player has from a round without games.
struct Gift {
    player: usize,
    quarters: u64,
    /// Whether it played no game of the round at all.
    idle: bool,
}

/// Who has points from a round without games: who had a bye, and whose opponent withdrew before all games were played. Both
/// count as won. Numbers beyond the entries are passed over.
fn gifts(drawn: &Drawn, entries: &[Entry]) -> Vec<Gift> {
    let whole = PAIR_QUARTERS.saturating_mul(drawn.draw.pairs);
    let byes = drawn.draw.byes.iter().map(|&player| Gift {
        player,
        quarters: whole,
        idle: true,
    });
    let has_left = |player: usize| entries.get(player).is_some_and(|entry| entry.withdrawn);
    let walkover = |(&[first, second], played): (&[usize; 2], &Played)| {
        let player = match (has_left(first), has_left(second)) {
            (false, true) => first,
            (true, false) => second,
            _ => return None,
        };
        let games = played.table.games();
        let unplayed = (2 * drawn.draw.pairs).saturating_sub(games);
        (played.missing == 0 && unplayed > 0).then_some(Gift {
            player,
            quarters: PAIR_QUARTERS / 2 * unplayed,
            idle: games == 0,
        })
    };
    let encounters = drawn.draw.encounters.iter().zip(&drawn.results);
    byes.chain(encounters.filter_map(walkover))
        .filter(|gift| gift.player < entries.len())
        .collect()
}

/// Quarter points that each player has without games, by number.
pub(super) fn given(history: &History) -> Vec<u64> {
    let mut given = vec![0u64; history.entries.len()];
    for gift in history
        .draws
        .iter()
        .flat_map(|drawn| gifts(drawn, &history.entries))
    {
        given[gift.player] = given[gift.player].saturating_add(gift.quarters);
    }
    given
}

fn meetings(history: &History, seats: &[Seat]) -> Vec<u32> {
    let mut at = vec![None; history.entries.len()];
    for (index, seat) in seats.iter().enumerate() {
        at[seat.player] = Some(index);
    }
    let mut met = vec![0; seats.len() * seats.len()];
    for (_, players, _) in history.encounters() {
        let seat = |player: usize| at.get(player).copied().flatten();
        if let (Some(a), Some(b)) = (seat(players[0]), seat(players[1])) {
            met[a * seats.len() + b] += 1;
            met[b * seats.len() + a] += 1;
        }
    }
    met
}

#[cfg(test)]
mod tests {
    use super::{Field, Float};
    use crate::ratings::{Outcome, PairTable};
    use crate::schedule::{Draw, Drawn, Entry, History, Played};

    #[test]
    fn those_who_float_leave_their_halves() {
        let mut field = Field::new(&History {
            entries: vec![Entry::default(); 5],
            ..History::default()
        });
        let told = |field: &Field| -> Vec<(usize, bool)> {
            let seats = field.seats.iter();
            seats.map(|seat| (seat.inside, seat.upper)).collect()
        };
        let upper = |upper: [bool; 5], inside| upper.map(|upper| (inside, upper)).to_vec();
        // Two by two, as if the last one had the bye.
        assert_eq!(told(&field), upper([true, true, false, false, false], 4));
        // The second has it.
        field.expect(&[2, 5, 0, 4, 3]);
        assert_eq!(told(&field), upper([true, true, true, false, false], 4));
    }

    #[test]
    fn who_has_a_bye_has_floated_down() {
        let mut table = PairTable::default();
        table.add_pair(Outcome::Draw, Outcome::Draw);
        let round = |encounter: [usize; 2], bye: usize| Drawn {
            draw: Draw {
                round: 0,
                encounters: vec![encounter],
                pairs: 1,
                byes: vec![bye],
                openings: Vec::new(),
            },
            results: vec![Played { table, missing: 0 }],
        };
        let field = Field::new(&History {
            entries: vec![Entry::default(); 3],
            draws: vec![round([0, 1], 2), round([0, 2], 1)],
            ..History::default()
        });
        // In the second round 2 has 8 quarters and 0 has 4.
        let floats = field.seats.iter().map(|seat| (seat.player, seat.floats));
        let mut floats: Vec<_> = floats.collect();
        floats.sort_by_key(|&(player, _)| player);
        assert_eq!(
            floats,
            [
                (0, [Float::Up, Float::None]),
                (1, [Float::Down, Float::None]),
                (2, [Float::Down, Float::Down])
            ]
        );
    }
}
