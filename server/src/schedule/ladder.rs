//! Ladder: engines stand on rungs, and who beats the engine above takes its place.
//!
//! In every other round the engines on rungs 2, 4, 6 and so on challenge those above them, in the rounds between those on
//! rungs 3, 5, 7. That is sorting by transposition of neighbours (Knuth, The Art of Computer Programming, volume 3, section
//! 5.3.4, exercise 37): as many rounds as players bring any order into the right one if the stronger always wins. An
//! encounter is drawn as soon as both of its rungs have settled, whatever goes on elsewhere.

use std::collections::BTreeMap;

use super::draw::{Draw, Entry, History, Step};
use crate::ratings::PairTable;

/// A ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ladder {
    /// Rounds.
    pub rounds: u64,
    /// Game pairs of a challenge.
    pub pairs: u64,
}

/// A challenge: who stands above and who challenges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Challenge {
    round: u64,
    /// The rung of the one above.
    rung: usize,
    above: usize,
    below: usize,
}

/// What is known of a ladder.
struct Climb {
    /// The player of each rung from the top; `None` while challenges under way decide it.
    rungs: Vec<Option<usize>>,
    /// Challenges that can be played and were not drawn.
    due: Vec<Challenge>,
}

impl Ladder {
    /// The challenges whose two rungs have settled, those of one round at a time.
    pub fn next(&self, history: &History) -> Step {
        let climb = self.climb(history);
        let Some(round) = climb.due.iter().map(|challenge| challenge.round).min() else {
            let settled = climb.rungs.iter().all(Option::is_some);
            return if settled { Step::Over } else { Step::Wait };
        };
        let together: Vec<&Challenge> = climb
            .due
            .iter()
            .filter(|challenge| challenge.round == round)
            .collect();
        let pairs = self.pairs.max(1);
        let rungs = climb.rungs.len() as u64;
        let opening = |challenge: &Challenge| (round * rungs + challenge.rung as u64) * pairs;
        Step::Draw(Draw {
            round,
            encounters: together
                .iter()
                .map(|challenge| [challenge.above, challenge.below])
                .collect(),
            pairs,
            byes: Vec::new(),
            openings: together.into_iter().map(opening).collect(),
        })
    }

    /// Challenges of all rounds, of which those of withdrawn players are not played.
    pub fn encounters(&self, players: usize) -> u64 {
        let even = (players / 2) as u64;
        let odd = (players.saturating_sub(1) / 2) as u64;
        self.rounds.div_ceil(2) * even + self.rounds / 2 * odd
    }

    /// The players from the top rung down, as far as challenges are over.
    pub fn order(&self, history: &History) -> Vec<usize> {
        let mut rungs: Vec<usize> = (0..history.entries.len()).collect();
        let meetings = Meetings::new(history);
        for round in 0..self.rounds {
            for rung in rungs_of(round, rungs.len()) {
                let [above, below] = [rungs[rung], rungs[rung + 1]];
                let decided = meetings.decided(&history.entries, round, above, below);
                if decided == Some(Swap::Yes) {
                    rungs.swap(rung, rung + 1);
                }
            }
        }
        rungs
    }

    fn climb(&self, history: &History) -> Climb {
        let mut climb = Climb {
            rungs: (0..history.entries.len()).map(Some).collect(),
            due: Vec::new(),
        };
        let meetings = Meetings::new(history);
        for round in 0..self.rounds {
            // Nothing more is known of the rounds to come.
            if climb.rungs.iter().all(Option::is_none) {
                break;
            }
            for rung in rungs_of(round, climb.rungs.len()) {
                climb.challenge(&history.entries, &meetings, round, rung);
            }
        }
        climb
    }
}

impl Climb {
    /// Lets the player below a rung challenge the one on it.
    fn challenge(&mut self, entries: &[Entry], meetings: &Meetings, round: u64, rung: usize) {
        let both = self.rungs[rung].zip(self.rungs[rung + 1]);
        let decided =
            both.and_then(|(above, below)| meetings.decided(entries, round, above, below));
        match decided {
            Some(Swap::Yes) => self.rungs.swap(rung, rung + 1),
            Some(Swap::No) => {}
            None => {
                // Nothing is known of either rung until what is under way is over.
                self.rungs[rung] = None;
                self.rungs[rung + 1] = None;
                if let Some((above, below)) = both
                    && !meetings.is_drawn(round, above, below)
                {
                    self.due.push(Challenge {
                        round,
                        rung,
                        above,
                        below,
                    });
                }
            }
        }
    }
}

/// Whether the challenger goes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Swap {
    Yes,
    No,
}

/// A challenge's games.
#[derive(Debug, Clone, Copy, Default)]
struct Meeting {
    /// Seen by the player with the lower number.
    table: PairTable,
    /// Games drawn.
    games: u64,
    missing: u64,
}

/// All challenges that were drawn, by round and players, the lower number first.
struct Meetings(BTreeMap<(u64, usize, usize), Meeting>);

impl Meetings {
    fn new(history: &History) -> Self {
        let mut meetings: BTreeMap<_, Meeting> = BTreeMap::new();
        for drawn in &history.draws {
            for (&[one, other], played) in drawn.draw.encounters.iter().zip(&drawn.results) {
                let key = (drawn.draw.round, one.min(other), one.max(other));
                let meeting = meetings.entry(key).or_default();
                let table = if one < other {
                    played.table
                } else {
                    played.table.reversed()
                };
                meeting.table.merge(&table);
                meeting.games += 2 * drawn.draw.pairs;
                meeting.missing += played.missing;
            }
        }
        Self(meetings)
    }

    /// Whether a challenge was drawn.
    fn is_drawn(&self, round: u64, above: usize, below: usize) -> bool {
        self.0
            .contains_key(&(round, above.min(below), above.max(below)))
    }

    /// Whether the challenger goes up; `None` while the games that decide it are missing.
    fn decided(&self, entries: &[Entry], round: u64, above: usize, below: usize) -> Option<Swap> {
        let is_out = |player: usize| entries.get(player).is_some_and(|entry| entry.withdrawn);
        let met = self.0.get(&(round, above.min(below), above.max(below)));
        let swaps = match (met, is_out(above), is_out(below)) {
            (Some(met), ..) if met.missing > 0 => return None,
            // What was played to its end counts, also when one of the two has withdrawn since.
            (Some(met), ..) if met.table.games() >= met.games => {
                let points = [met.table.near_quarters(), met.table.far_quarters()];
                points[usize::from(below > above)] > points[usize::from(below < above)]
            }
            (_, _, true) => false,
            (_, true, false) => true,
            (_, false, false) => return None,
        };
        Some(if swaps { Swap::Yes } else { Swap::No })
    }
}

/// Rungs, from 0 at the top, whose players are challenged in a round.
fn rungs_of(round: u64, players: usize) -> impl Iterator<Item = usize> {
    let first = usize::from(!round.is_multiple_of(2));
    (first..players.saturating_sub(1)).step_by(2)
}
