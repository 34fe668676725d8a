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
    use crate::schedule::{Entry, History};

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
}
