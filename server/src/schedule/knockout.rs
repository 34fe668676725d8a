//! Knockout: who loses an encounter is out.
//!
//! Seeds are placed so that the best two can meet in the last round only, the best four in the last but one, and so on;
//! where the number of players is no power of two the best have no opponent in the first round. An encounter is drawn as
//! soon as both of its players are known, whatever goes on elsewhere.

use super::draw::{Draw, History, Step};
use crate::ratings::sprt::{EloUnit, SprtSpec, SprtTest, Verdict};
use crate::ratings::{CellSet, PairTable};

/// A knockout tournament.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Knockout {
    /// Game pairs of an encounter; of one that a test decides: those played between two looks at the test.
    pub pairs: u64,
    /// Most further pairs of an encounter that is level, played one by one.
    pub tie_pairs: u64,
    /// Whether those who lost the semi-finals play for the third place.
    pub third_place: ThirdPlace,
    /// A test that ends an encounter; `None` = it is `pairs` long.
    pub until: Option<UntilDecided>,
}

/// An encounter that goes on until a sequential test decides who is better, with errors of 5 %: the natural match until
/// decided (STATS.md 6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UntilDecided {
    /// The test is of minus this against plus this, in normalized Elo, 1 to 100.
    pub elo: u32,
    /// Most pairs; then points decide.
    pub most_pairs: u64,
}

/// Error probabilities of the test of an encounter.
const ERROR: f64 = 0.05;

impl UntilDecided {
    /// Whether the near player of a table is shown to be better, or the far one.
    fn verdict(&self, table: &PairTable) -> Verdict {
        let (elo, set) = (f64::from(self.elo), CellSet::FivePairs);
        let spec = SprtSpec::new(EloUnit::Normalized, -elo, elo, ERROR, ERROR, set);
        let test = spec.ok().and_then(|spec| {
            let resumed = SprtTest::resume(spec, &table.pair_histogram(), None);
            resumed.ok()
        });
        // Specifications with other bounds are refused, and so are counts that no tournament reaches.
        test.map_or(Verdict::Continue, |test| test.status().verdict)
    }
}

/// Whether the third place is played for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThirdPlace {
    /// Those who lost the semi-finals share it.
    #[default]
    Shared,
    /// They play for it, beside the final.
    Played,
}

/// One place of the bracket and who is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Seat {
    /// Not known yet.
    Open,
    /// This player.
    Taken(usize),
    /// Nobody: there are fewer players than places, or both players of the encounter before have withdrawn.
    Empty,
}

/// Why an encounter has its winner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// There was no opponent.
    Bye,
    /// The opponent withdrew.
    Withdrawal,
    /// More points.
    Points,
    /// More points after further pairs.
    FurtherPairs,
    /// The sequential test of the encounter.
    Test,
    /// Level to the end of the further pairs: the higher seed. Ratings fitted to the games played cannot tell the two
    /// apart, since encounters of a knockout form a tree, in which only the two players' own games connect them.
    Seed,
}

/// One encounter of the bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Encounter {
    /// Round, from 0. The encounter for the third place belongs to the round of the final.
    pub round: u64,
    /// Place in the round, from 0; that for the third place has 1.
    pub place: usize,
    /// Who meets.
    pub seats: [Seat; 2],
    /// Results so far, seen by the first seat.
    pub table: PairTable,
    /// Who goes on, and why; `None` while it is not decided.
    pub winner: Option<(usize, DecidedBy)>,
    /// Pairs that are to be played next; 0 = none now.
    due: u64,
    /// Pairs drawn so far.
    drawn: u64,
}

impl Encounter {
    /// The seat that the winner takes.
    fn seat(&self) -> Seat {
        match self.winner {
            Some((winner, _)) => Seat::Taken(winner),
            None if self.seats == [Seat::Empty; 2] => Seat::Empty,
            None => Seat::Open,
        }
    }

    /// The player who is out; `None` when that is not decided, or there was none.
    pub fn loser(&self) -> Option<usize> {
        let (winner, _) = self.winner?;
        self.seats.iter().find_map(|seat| match seat {
            Seat::Taken(player) if *player != winner => Some(*player),
            _ => None,
        })
    }

    fn loser_seat(&self) -> Seat {
        match (self.winner, self.loser()) {
            (_, Some(loser)) => Seat::Taken(loser),
            (None, None) if self.seats != [Seat::Empty; 2] => Seat::Open,
            _ => Seat::Empty,
        }
    }
}

impl Knockout {
    /// The next encounters that both players of are known, those of one round at a time.
    pub fn next(&self, history: &History) -> Step {
        let bracket = self.bracket(history);
        let due = || bracket.iter().filter(|encounter| encounter.due > 0);
        let Some(first) = due().min_by_key(|encounter| encounter.round) else {
            let over = bracket
                .iter()
                .all(|encounter| encounter.seat() != Seat::Open);
            return if over { Step::Over } else { Step::Wait };
        };
        let together: Vec<&Encounter> = due()
            .filter(|other| (other.round, other.due) == (first.round, first.due))
            .collect();
        let players = together
            .iter()
            .filter_map(|encounter| match encounter.seats {
                [Seat::Taken(one), Seat::Taken(other)] => Some([one.min(other), one.max(other)]),
                _ => None,
            });
        let places = seats(history.entries.len()).len() as u64;
        let opening = |encounter: &Encounter| {
            // Places of the rounds before: half of those of the bracket, a quarter, and so on.
            let before = places - (places >> encounter.round);
            let number = before + encounter.place as u64;
            number * self.regular_pairs().saturating_add(self.tie_pairs) + encounter.drawn
        };
        Step::Draw(Draw {
            round: first.round,
            encounters: players.collect(),
            pairs: first.due,
            byes: Vec::new(),
            openings: together.into_iter().map(opening).collect(),
        })
    }

    /// Most pairs of an encounter without those that a level one has further.
    fn regular_pairs(&self) -> u64 {
        let pairs = self.pairs.max(1);
        self.until
            .map_or(pairs, |until| until.most_pairs.max(pairs))
    }

    /// Fewest encounters that `players` players need, that for the third place included.
    pub fn encounters(&self, players: usize) -> u64 {
        let third = u64::from(self.third_place == ThirdPlace::Played && players > 3);
        (players as u64).saturating_sub(1) + third
    }

    /// All encounters, round by round, that for the third place last.
    pub fn bracket(&self, history: &History) -> Vec<Encounter> {
        let seeds = seats(history.entries.len());
        let mut seats: Vec<Seat> = seeds
            .into_iter()
            .map(|seed| seed.map_or(Seat::Empty, Seat::Taken))
            .collect();
        let mut bracket: Vec<Encounter> = Vec::new();
        let mut round = 0;
        while seats.len() > 1 {
            let places = seats.chunks_exact(2).enumerate();
            let met: Vec<Encounter> = places
                .map(|(place, two)| self.encounter(history, round, place, [two[0], two[1]]))
                .collect();
            seats = met.iter().map(Encounter::seat).collect();
            bracket.extend(met);
            round += 1;
        }
        if self.third_place == ThirdPlace::Played && bracket.len() >= 3 {
            let semi_finals = &bracket[bracket.len() - 3..bracket.len() - 1];
            let losers = [semi_finals[0].loser_seat(), semi_finals[1].loser_seat()];
            let third = self.encounter(history, round - 1, 1, losers);
            bracket.push(third);
        }
        bracket
    }

    fn encounter(
        &self,
        history: &History,
        round: u64,
        place: usize,
        seats: [Seat; 2],
    ) -> Encounter {
        let mut encounter = Encounter {
            round,
            place,
            seats,
            table: PairTable::default(),
            winner: None,
            due: 0,
            drawn: 0,
        };
        match seats {
            [Seat::Taken(player), Seat::Empty] | [Seat::Empty, Seat::Taken(player)] => {
                encounter.winner = Some((player, DecidedBy::Bye));
            }
            [Seat::Taken(one), Seat::Taken(other)] => {
                self.judge(history, &mut encounter, [one, other]);
            }
            _ => {}
        }
        encounter
    }

    /// Finds the winner of an encounter between two players, or the pairs that it still needs.
    fn judge(&self, history: &History, encounter: &mut Encounter, players: [usize; 2]) {
        let met = meeting(history, encounter.round, players);
        encounter.table = met.table;
        encounter.drawn = met.pairs;
        let is_out = |player: usize| {
            history
                .entries
                .get(player)
                .is_some_and(|entry| entry.withdrawn)
        };
        let [near, far] = [met.table.near_quarters(), met.table.far_quarters()];
        let regular = self.regular_pairs();
        let verdict = match self.until {
            Some(until) if met.pairs <= regular => until.verdict(&met.table),
            _ => Verdict::Continue,
        };
        let goes_on = match verdict {
            Verdict::Continue => met.pairs < regular || near == far,
            Verdict::Accepted | Verdict::Rejected => false,
        };
        let is_undecided = met.is_unfinished(self.pairs) || goes_on;
        let winner = match players.map(is_out) {
            [false, true] if is_undecided => Some((players[0], DecidedBy::Withdrawal)),
            [true, false] if is_undecided => Some((players[1], DecidedBy::Withdrawal)),
            // Both are out: the better seed stands in the bracket, and goes no further.
            [true, true] if is_undecided => {
                Some((players[0].min(players[1]), DecidedBy::Withdrawal))
            }
            _ if met.missing > 0 => None,
            _ if verdict != Verdict::Continue => {
                let is_far = verdict == Verdict::Rejected;
                Some((players[usize::from(is_far)], DecidedBy::Test))
            }
            _ if met.pairs < regular => {
                encounter.due = self.pairs.max(1).min(regular - met.pairs);
                None
            }
            _ if near != far => {
                let by = match met.pairs > regular {
                    true => DecidedBy::FurtherPairs,
                    false => DecidedBy::Points,
                };
                Some((players[usize::from(near < far)], by))
            }
            _ if met.pairs < regular.saturating_add(self.tie_pairs) => {
                encounter.due = 1;
                None
            }
            _ => Some((players[0].min(players[1]), DecidedBy::Seed)),
        };
        encounter.winner = winner;
    }

    /// Players by how far they came, best first, each with a place from 1; those who lost in the same round share one.
    ///
    /// Before the end those still in come first, in the order of the round that they have reached.
    pub fn places(&self, history: &History) -> Vec<(usize, usize)> {
        let bracket = self.bracket(history);
        // How far a player came: twice the round of its last encounter, and one more for winning it.
        let mut reached = vec![0u64; history.entries.len()];
        for encounter in &bracket {
            for seat in encounter.seats {
                if let Seat::Taken(player) = seat {
                    let won = encounter.winner.is_some_and(|(winner, _)| winner == player);
                    let is_third =
                        encounter.place == 1 && encounter.round == bracket_rounds(&bracket) - 1;
                    let came = match is_third {
                        // Between those who lost the final and those who lost before.
                        true => 2 * encounter.round + u64::from(won) - 1,
                        false => 2 * encounter.round + 2 + u64::from(won),
                    };
                    reached[player] = if is_third {
                        came
                    } else {
                        reached[player].max(came)
                    };
                }
            }
        }
        let mut order: Vec<usize> = (0..reached.len()).collect();
        order.sort_by_key(|&player| std::cmp::Reverse(reached[player]));
        let mut places = Vec::with_capacity(order.len());
        for (index, &player) in order.iter().enumerate() {
            let place = match places.last() {
                Some(&(last, place)) if reached[last] == reached[player] => place,
                _ => index + 1,
            };
            places.push((player, place));
        }
        places
    }
}

fn bracket_rounds(bracket: &[Encounter]) -> u64 {
    bracket
        .iter()
        .map(|encounter| encounter.round + 1)
        .max()
        .unwrap_or(1)
}

/// The games of two players in one round.
struct Meeting {
    /// Seen by the first.
    table: PairTable,
    /// Pairs drawn.
    pairs: u64,
    /// Games to come.
    missing: u64,
}

impl Meeting {
    /// Whether the encounter ended before its time, or never began.
    fn is_unfinished(&self, pairs: u64) -> bool {
        self.table.games() < 2 * self.pairs.max(pairs)
    }
}

fn meeting(history: &History, round: u64, players: [usize; 2]) -> Meeting {
    let mut meeting = Meeting {
        table: PairTable::default(),
        pairs: 0,
        missing: 0,
    };
    for drawn in history
        .draws
        .iter()
        .filter(|drawn| drawn.draw.round == round)
    {
        for (met, played) in drawn.draw.encounters.iter().zip(&drawn.results) {
            let table = match *met {
                met if met == players => played.table,
                [one, other] if [other, one] == players => played.table.reversed(),
                _ => continue,
            };
            meeting.table.merge(&table);
            meeting.pairs += drawn.draw.pairs;
            meeting.missing += played.missing;
        }
    }
    meeting
}

/// Seeds in the order of the bracket, from 0; `None` where there is no player for a place.
fn seats(players: usize) -> Vec<Option<usize>> {
    let mut seats = vec![0];
    while seats.len() < players {
        // Every seed meets the one that it adds up with to the last place.
        let last = 2 * seats.len() - 1;
        seats = seats.iter().flat_map(|&seed| [seed, last - seed]).collect();
    }
    seats
        .into_iter()
        .map(|seed| (seed < players).then_some(seed))
        .collect()
}
