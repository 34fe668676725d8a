//! [`Components`]: which players are joined by games, and which encounters join the others to them.

use crate::schedule::History;

/// Players in components joined by games that were played or are under way.
#[derive(Debug, Clone)]
pub(super) struct Components {
    /// Next player on the way to the one that stands for its component.
    toward: Vec<usize>,
}

impl Components {
    pub fn new(history: &History) -> Self {
        let mut components = Self {
            toward: (0..history.entries.len()).collect(),
        };
        for (_, [i, j], played) in history.encounters() {
            if (played.missing > 0 || played.table.games() > 0)
                && i.max(j) < components.toward.len()
            {
                components.join(i, j);
            }
        }
        components
    }

    /// The player that stands for a component: the lowest number in it.
    pub fn of(&self, mut player: usize) -> usize {
        while self.toward[player] != player {
            player = self.toward[player];
        }
        player
    }

    /// Makes one component of two.
    pub fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.of(i), self.of(j));
        self.toward[i.max(j)] = i.min(j);
    }

    /// An encounter that joins the two components with the fewest of `active` players, between those who come first by `order`;
    /// `None` if all are joined.
    pub fn next<K: Ord>(&self, active: &[usize], order: impl Fn(usize) -> K) -> Option<[usize; 2]> {
        let mut members = vec![Vec::new(); self.toward.len()];
        for &player in active {
            members[self.of(player)].push(player);
        }
        members.retain(|members| !members.is_empty());
        // Stable, so that equal ones stay in seed order.
        members.sort_by_key(Vec::len);
        let pick = |members: &Vec<usize>| {
            let first = members
                .iter()
                .min_by_key(|&&player| (order(player), player));
            first.copied()
        };
        Some([pick(members.first()?)?, pick(members.get(1)?)?])
    }
}

#[cfg(test)]
mod tests {
    use super::Components;
    use crate::ratings::{Outcome, PairTable};
    use crate::schedule::{Adaptive, Draw, Drawn, Entry, Goal, History, Played, Step};

    #[test]
    fn one_encounter_less_than_players_joins_all() {
        for players in 2..40usize {
            let mut components = Components::new(&History {
                entries: vec![Entry::default(); players],
                ..History::default()
            });
            let mut busy = vec![0; players];
            let active: Vec<usize> = (0..players).collect();
            let mut encounters = 0;
            while let Some([i, j]) = components.next(&active, |player| busy[player]) {
                components.join(i, j);
                busy[i] += 1;
                busy[j] += 1;
                encounters += 1;
            }
            assert_eq!(encounters, players - 1);
            // Nobody waits for many others.
            assert!(
                busy.iter().all(|&times| times <= 1 + players.ilog2()),
                "{busy:?}"
            );
        }
    }

    #[test]
    fn who_joins_meets_the_most_average_of_those_who_are_free() {
        let event = Adaptive {
            pairs: 1,
            budget: 1_000,
            random_percent: 0,
            goal: Goal::Ratings,
        };
        let mut table = PairTable::default();
        (0..5).for_each(|_| table.add_pair(Outcome::Win, Outcome::Draw));
        let played = Played { table, missing: 0 };
        let draw = |encounters: Vec<[usize; 2]>| Draw {
            round: 0,
            encounters,
            pairs: 5,
            byes: Vec::new(),
            openings: Vec::new(),
        };
        // 0 is better than 1, and 1 than 2; 3 is new.
        let mut history = History {
            entries: vec![Entry::default(); 4],
            ..History::default()
        };
        history.draws.push(Drawn {
            draw: draw(vec![[0, 1], [1, 2]]),
            results: vec![played; 2],
        });
        let joined = |history: &History| {
            let Step::Draw(draw) = event.next(history, 1) else {
                panic!("there is a budget");
            };
            let [one, other] = draw.encounters[0];
            [one.min(other), one.max(other)]
        };
        assert_eq!(joined(&history), [1, 3]);
        history.draws.push(Drawn {
            draw: draw(vec![[0, 1]]),
            results: vec![Played {
                table: PairTable::default(),
                missing: 10,
            }],
        });
        assert_eq!(joined(&history), [2, 3]);
    }
}
