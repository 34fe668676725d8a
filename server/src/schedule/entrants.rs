//! Engines that come into a tournament of a fixed plan while it runs.

use std::collections::BTreeSet;

use super::draw::{Draw, History, Step};

/// Who meets an engine that comes later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meets {
    /// Everyone who was there before: round robin and pyramid.
    Everyone,
    /// The challengers of a gauntlet.
    Challengers(Vec<usize>),
}

/// Encounters of engines that came after the plan was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LateEntries {
    /// Players that the plan has.
    pub planned: usize,
    /// Whom the others meet.
    pub meets: Meets,
    /// Game pairs of an encounter.
    pub pairs: u64,
    /// Rounds of the plan, after which theirs follow.
    pub rounds: u64,
}

impl LateEntries {
    /// The encounters of the first player who has none yet, one round a player.
    pub fn next(&self, history: &History) -> Step {
        let drawn: BTreeSet<usize> = history
            .encounters()
            .flat_map(|(_, players, _)| players)
            .filter(|&player| player >= self.planned)
            .collect();
        for player in (self.planned..history.entries.len()).filter(|player| !drawn.contains(player))
        {
            if history.entries[player].withdrawn {
                continue;
            }
            let is_met = |other: &usize| match &self.meets {
                Meets::Everyone => *other < player,
                Meets::Challengers(challengers) => challengers.contains(other),
            };
            let encounters: Vec<[usize; 2]> = history
                .active()
                .filter(is_met)
                // Half of them move first in the first game of a pair, as in a round robin.
                .map(|other| {
                    if other.is_multiple_of(2) {
                        [player, other]
                    } else {
                        [other, player]
                    }
                })
                .collect();
            if !encounters.is_empty() {
                return Step::Draw(Draw {
                    round: self.rounds + (player - self.planned) as u64,
                    encounters,
                    pairs: self.pairs.max(1),
                    byes: Vec::new(),
                    openings: Vec::new(),
                });
            }
        }
        Step::Over
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::{Drawn, Entry, History, Played, Step};
    use super::{LateEntries, Meets};
    use crate::ratings::PairTable;

    fn draw_all(late: &LateEntries, history: &mut History) -> Vec<(u64, Vec<[usize; 2]>)> {
        let mut draws = Vec::new();
        while let Step::Draw(draw) = late.next(history) {
            draws.push((draw.round, draw.encounters.clone()));
            let played = Played {
                table: PairTable::default(),
                missing: 2 * draw.pairs,
            };
            let results = vec![played; draw.encounters.len()];
            history.draws.push(Drawn { draw, results });
        }
        draws
    }

    #[test]
    fn who_comes_late_meets_everyone_before_and_nobody_twice() {
        let late = LateEntries {
            planned: 3,
            meets: Meets::Everyone,
            pairs: 2,
            rounds: 3,
        };
        let mut history = History {
            entries: vec![Entry::default(); 3],
            ..History::default()
        };
        assert_eq!(late.next(&history), Step::Over);
        history.entries.extend(vec![Entry::default(); 2]);
        history.entries[1].withdrawn = true;
        let drawn = draw_all(&late, &mut history);
        assert_eq!(
            drawn,
            [(3, vec![[3, 0], [3, 2]]), (4, vec![[4, 0], [4, 2], [3, 4]])]
        );
        assert_eq!(late.next(&history), Step::Over);
        // One who came and went before it was drawn is passed over.
        history.entries.push(Entry { withdrawn: true });
        history.entries.push(Entry::default());
        let drawn = draw_all(&late, &mut history);
        assert_eq!(drawn, [(6, vec![[6, 0], [6, 2], [3, 6], [6, 4]])]);
    }

    #[test]
    fn who_comes_late_into_a_gauntlet_meets_the_challengers() {
        let late = LateEntries {
            planned: 4,
            meets: Meets::Challengers(vec![2, 1]),
            pairs: 1,
            rounds: 2,
        };
        let mut history = History {
            entries: vec![Entry::default(); 5],
            ..History::default()
        };
        assert_eq!(draw_all(&late, &mut history), [(2, vec![[1, 4], [4, 2]])]);
    }
}
