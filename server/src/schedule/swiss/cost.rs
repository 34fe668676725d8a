//! [`Costs`]: the criteria of a Swiss round as weights of a matching.

use super::field::{Field, Float, Seat};
use crate::schedule::matching;

/// What a pairing weighs: who meets whom at all, then who floats, then how near the pattern of each group is.
///
/// The three stay below 2^112, 2^80 and 2^64 with 1,000 players, so that the matching may add 16 n of them up.
pub(super) type Levels = matching::Levels<3>;

/// Weights of pairings and byes.
///
/// Each criterion is summed over the round and is as many times heavier than the next one as the next one can sum up to, so
/// that the lightest matching is the best by the first criterion, among those by the second, and so on.
pub(super) struct Costs<'a> {
    field: &'a Field,
    /// Fewest byes that a player has.
    fewest_byes: u64,
    /// Score differences are halved so many times, to fit: 0 but where leads exceed 60,000 game pairs.
    coarseness: u32,
    /// Largest score difference.
    spread: i128,
}

/// Criteria of one pairing, the most important first, each with the most that a round can sum up to.
struct Criteria {
    value: i128,
}

impl Criteria {
    fn start(value: i128) -> Self {
        Self { value }
    }

    /// A further criterion of less importance, at least 0, whose sum over the round is at most `most`.
    fn then(self, value: i128, most: i128) -> Self {
        Self {
            value: self.value * (most + 1) + value,
        }
    }
}

impl<'a> Costs<'a> {
    pub fn new(field: &'a Field) -> Self {
        let scores = || field.seats.iter().map(|seat| seat.score);
        let spread = scores().max().unwrap_or(0) - scores().min().unwrap_or(0);
        let size_bits = usize::BITS - field.seats.len().leading_zeros();
        // Four times the bits of a difference and some more than three of the number of players make up the first level.
        let allowed = 24 - size_bits / 2;
        let coarseness = (u64::BITS - spread.leading_zeros()).saturating_sub(allowed);
        Self {
            field,
            fewest_byes: field.seats.iter().map(|seat| seat.byes).min().unwrap_or(0),
            coarseness,
            spread: i128::from(spread >> coarseness),
        }
    }

    /// Difference of scores, coarse where it has to be.
    fn difference(&self, more: u64, less: u64) -> i128 {
        i128::from(more.saturating_sub(less) >> self.coarseness)
    }

    fn boards(&self) -> i128 {
        self.field.seats.len().div_ceil(2) as i128
    }

    /// Weight of a pairing of two seats, the better one first.
    pub fn pairing(&self, a: usize, b: usize) -> Levels {
        let (upper, lower) = (&self.field.seats[a], &self.field.seats[b]);
        let difference = self.difference(upper.score, lower.score);
        let met = i128::from(self.field.met(a, b));
        let floats = upper.score != lower.score;
        let again = |round: usize| {
            let down = floats && upper.floats[round] == Float::Down;
            let up = floats && lower.floats[round] == Float::Up;
            [i128::from(down), i128::from(up)]
        };
        self.levels(
            met,
            0,
            difference,
            [again(0), again(1)],
            pattern(upper, lower),
        )
    }

    /// Weight of a bye; `None` for those who had more of them than others.
    pub fn bye(&self, a: usize) -> Option<Levels> {
        let seat = &self.field.seats[a];
        let lowest = self.field.seats.last().map_or(0, |seat| seat.score);
        let score = self.difference(seat.score, lowest);
        let again = seat
            .floats
            .map(|float| [i128::from(float == Float::Down), 0]);
        let below = (seat.group - 1 - seat.place) as i128;
        (seat.byes == self.fewest_byes)
            .then(|| self.levels(0, score, 0, again, [below * below, 0, 0, 0]))
    }

    fn levels(
        &self,
        met: i128,
        bye: i128,
        difference: i128,
        again: [[i128; 2]; 2],
        pattern: [i128; 4],
    ) -> Levels {
        let (boards, spread) = (self.boards(), self.spread);
        let players = self.field.seats.len() as i128;
        let most_pattern = boards * 4 * players * players;
        let meet = Criteria::start(met)
            .then(bye, spread)
            .then(difference, boards * spread)
            .then(difference * difference, boards * spread * spread);
        let [[down, up], [down_before, up_before]] = again;
        let float = Criteria::start(down)
            .then(up, boards)
            .then(down_before, boards)
            .then(up_before, boards)
            .then(pattern[0], most_pattern)
            .then(pattern[1], boards);
        let order = Criteria::start(pattern[2]).then(pattern[3], most_pattern);
        matching::Levels([meet, float, order].map(|criteria| criteria.value))
    }
}

/// How far a pairing is from the pattern: between groups, by leaving the halves of one, by distance in it, and the last one
/// preferring deviations further down.
///
/// Within a group of equal scores the upper half meets the lower half in order, 1 with n/2 + 1 and so on. From a group to a lower
/// one goes the last of the upper group, to the first of the lower.
fn pattern(upper: &Seat, lower: &Seat) -> [i128; 4] {
    let (a, b) = (upper.place as i128, lower.place as i128);
    if upper.score == lower.score {
        let off = (2 * (b - a) - upper.inside as i128).abs();
        let same_half = i128::from(upper.upper == lower.upper);
        [0, same_half, off * off, off * (upper.group as i128 - a)]
    } else {
        let off = upper.group as i128 - 1 - a + b;
        [off * off, 0, 0, 0]
    }
}

#[cfg(test)]
mod tests {
    use super::super::field::{Field, Float};
    use super::Costs;
    use crate::ratings::{Outcome, PairTable};
    use crate::schedule::matching::Levels;
    use crate::schedule::{Draw, Drawn, Entry, History, Played};

    /// With as many engines as a tournament may have, whatever they scored and however they floated.
    #[test]
    fn weights_of_the_largest_field_fit_and_keep_their_order() {
        const PLAYERS: usize = 1_000;
        let mut history = History {
            entries: vec![Entry::default(); PLAYERS],
            ..History::default()
        };
        let half = PLAYERS / 2;
        let encounters: Vec<[usize; 2]> = (0..half).map(|a| [a, a + half]).collect();
        // The first half wins, but for the last 40, who draw.
        let played = |won: bool| {
            let mut table = PairTable::default();
            let quarters = if won { Outcome::Win } else { Outcome::Draw };
            table.add_pair(quarters, quarters.reversed());
            Played { table, missing: 0 }
        };
        let results = (0..half).map(|a| played(a < half - 40)).collect();
        history.draws.push(Drawn {
            draw: Draw {
                round: 0,
                encounters,
                pairs: 1,
                byes: Vec::new(),
                openings: Vec::new(),
            },
            results,
        });
        let mut field = Field::new(&history);
        let mut heaviest = |floats: [Float; 2]| {
            field.seats.iter_mut().for_each(|seat| seat.floats = floats);
            let costs = Costs::new(&field);
            let seats = (0..PLAYERS)
                .step_by(37)
                .chain([half - 1, half, PLAYERS - 1]);
            let pairs = seats.flat_map(|a| (a + 1..PLAYERS).map(move |b| (a, b)));
            // Who meets whom is left out of it.
            let tails = pairs.map(|(a, b)| {
                let Levels([meet, float, order]) = costs.pairing(a, b);
                for level in [meet, float, order] {
                    let sums = level.checked_mul(16 * PLAYERS as i128);
                    assert!(level >= 0 && sums.is_some(), "{a} {b}: {level}");
                }
                (float, order)
            });
            tails.max().unwrap()
        };
        let none = heaviest([Float::None; 2]);
        let before = heaviest([Float::None, Float::Up]);
        let last = heaviest([Float::Down, Float::None]);
        // The lightest of all who floated as in the last round is heavier than a round of others, each with the worst pattern.
        let boards = half as i128;
        assert!(
            none.0 > 0 && before.0 > none.0 * boards,
            "{none:?} {before:?}"
        );
        assert!(last.0 > before.0 * boards, "{before:?} {last:?}");
    }

    fn equals(players: usize) -> Field {
        Field::new(&History {
            entries: vec![Entry::default(); players],
            ..History::default()
        })
    }

    #[test]
    fn halves_meet_and_who_is_in_front_deviates_less() {
        let field = equals(8);
        let costs = Costs::new(&field);
        let round = |pairs: [[usize; 2]; 4]| {
            let weights = pairs.map(|[a, b]| costs.pairing(a, b));
            weights.into_iter().reduce(|sum, weight| sum + weight)
        };
        let pattern = round([[0, 4], [1, 5], [2, 6], [3, 7]]);
        let behind = round([[0, 4], [1, 5], [2, 7], [3, 6]]);
        let in_front = round([[0, 5], [1, 4], [2, 6], [3, 7]]);
        let wide = round([[0, 6], [1, 5], [2, 4], [3, 7]]);
        assert!(pattern < behind && behind < in_front && in_front < wide);
        // However wide, halves meet.
        let reversed = round([[0, 7], [1, 6], [2, 5], [3, 4]]);
        let within_halves = round([[0, 3], [1, 5], [2, 6], [4, 7]]);
        assert!(wide < reversed && reversed < within_halves);
    }

    #[test]
    fn the_last_of_a_group_has_the_bye() {
        let field = equals(5);
        let costs = Costs::new(&field);
        let byes: Vec<_> = (0..5).map(|seat| costs.bye(seat)).collect();
        assert!(byes.iter().all(Option::is_some));
        assert!(byes.is_sorted_by(|one, next| one > next), "{byes:?}");
    }
}
