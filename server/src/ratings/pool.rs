//! A pool as the rating models see it: dense player indices, encounters and how they hang together.

use super::aggregates::{Aggregates, Player};
use super::outcome::Quarters;
use super::pair_table::{PairTable, weighted};

/// One pair of players that met, by dense indices, near < far.
#[derive(Debug, Clone, Copy)]
pub(super) struct Encounter {
    pub near: usize,
    pub far: usize,
    /// Games in which near moves first, paired or not, and its quarter points of them.
    pub near_games: u64,
    pub near_quarters: u64,
    /// Games in which far moves first, and its quarter points of them.
    pub far_games: u64,
    pub far_quarters: u64,
}

impl Encounter {
    /// Of two players and all their results, seen by near.
    pub fn new(near: usize, far: usize, table: &PairTable) -> Self {
        let (near_first, far_first) = (table.near_first_totals(), table.far_first_totals());
        Self {
            near,
            far,
            near_games: near_first.iter().sum(),
            near_quarters: weighted(&near_first),
            far_games: far_first.iter().sum(),
            far_quarters: weighted(&far_first),
        }
    }

    pub fn games(&self) -> u64 {
        self.near_games + self.far_games
    }
}

/// Whether more results change how a pool hangs together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Regroup {
    Needed,
    None,
}

/// Players, encounters and the connectedness of the results.
pub(super) struct Pool {
    /// Player of each dense index, ascending.
    pub players: Vec<Player>,
    pub encounters: Vec<Encounter>,
    /// Games of each player.
    pub games: Vec<u64>,
    /// Points of each player.
    pub points: Vec<Quarters>,
    /// Component of each player: players joined by games. Numbered by the lowest player.
    pub component: Vec<usize>,
    pub component_count: usize,
    /// Strongly connected component of each player, where an edge runs from i to j if i took any
    /// points from j. Numbered by the lowest player.
    pub strong_component: Vec<usize>,
}

impl Pool {
    pub fn new(aggregates: &Aggregates) -> Self {
        let players: Vec<Player> = aggregates.players().collect();
        let n = players.len();
        let mut pool = Self {
            encounters: encounters(aggregates, &players),
            games: vec![0; n],
            points: vec![Quarters(0); n],
            component: Vec::new(),
            component_count: 0,
            strong_component: Vec::new(),
            players,
        };
        for met in &pool.encounters {
            let games = met.games();
            let near = met.near_quarters + 4 * met.far_games - met.far_quarters;
            pool.games[met.near] += games;
            pool.games[met.far] += games;
            pool.points[met.near] += Quarters(near);
            pool.points[met.far] += Quarters(4 * games - near);
        }
        let both = |met: &Encounter| [(met.near, met.far), (met.far, met.near)];
        let joined = Graph::new(n, pool.encounters.iter().flat_map(both));
        pool.component = renumbered(&joined.strong_components());
        pool.component_count = pool.component.iter().max().map_or(0, |last| last + 1);
        let took = Graph::new(n, pool.encounters.iter().flat_map(took_points));
        pool.strong_component = renumbered(&took.strong_components());
        pool
    }

    /// Takes in that the table of two players, by index and near < far, has changed; [`Regroup::Needed`] where that joins or
    /// tells apart what was not before, so that the pool has to be made anew.
    pub fn recount(&mut self, near: usize, far: usize, table: &PairTable) -> Regroup {
        let place = self
            .encounters
            .binary_search_by_key(&(near, far), |met| (met.near, met.far));
        let Ok(place) = place else {
            return Regroup::Needed;
        };
        let (old, new) = (self.encounters[place], Encounter::new(near, far, table));
        let kind = |met: &Encounter| {
            (
                took_points(met).collect::<Vec<_>>(),
                met.near_games > 0,
                met.far_games > 0,
            )
        };
        if kind(&old) != kind(&new) {
            return Regroup::Needed;
        }
        self.encounters[place] = new;
        for index in [near, far] {
            self.games[index] = self.games[index] + new.games() - old.games();
        }
        let points = |met: &Encounter| met.near_quarters + 4 * met.far_games - met.far_quarters;
        let (before, after) = (points(&old), points(&new));
        self.points[near] = Quarters(self.points[near].0 + after - before);
        let (before, after) = (4 * old.games() - before, 4 * new.games() - after);
        self.points[far] = Quarters(self.points[far].0 + after - before);
        Regroup::None
    }

    /// The encounters with all their results.
    pub fn with_tables<'a>(
        &'a self,
        aggregates: &'a Aggregates,
    ) -> impl Iterator<Item = (&'a Encounter, &'a PairTable)> {
        let tables = aggregates.tables().map(|(_, _, table)| table);
        let played = tables.filter(|table| table.games() > 0);
        self.encounters.iter().zip(played)
    }

    /// Dense index of a player.
    pub fn index_of(&self, player: Player) -> Option<usize> {
        self.players.binary_search(&player).ok()
    }

    /// Whether each component is also strongly connected, by component: then and only then finite
    /// ratings exist without a prior (Ford 1957; Hunter 2004, "MM algorithms for generalized Bradley-Terry models").
    pub fn component_is_strong(&self) -> Vec<bool> {
        let mut first = vec![None; self.component_count];
        let mut strong = vec![true; self.component_count];
        for (&component, &part) in self.component.iter().zip(&self.strong_component) {
            strong[component] &= *first[component].get_or_insert(part) == part;
        }
        strong
    }
}

fn encounters(aggregates: &Aggregates, players: &[Player]) -> Vec<Encounter> {
    let index = |player: Player| players.binary_search(&player).ok();
    let met = aggregates.tables().filter_map(|(near, far, table)| {
        let (near, far) = (index(near)?, index(far)?);
        Some(Encounter::new(near, far, table))
    });
    met.filter(|met| met.games() > 0).collect()
}

/// Edges (i, j) of one encounter: i took any points from j.
fn took_points(met: &Encounter) -> impl Iterator<Item = (usize, usize)> {
    let near = met.near_quarters > 0 || met.far_quarters < 4 * met.far_games;
    let far = met.far_quarters > 0 || met.near_quarters < 4 * met.near_games;
    let edges = [
        near.then_some((met.near, met.far)),
        far.then_some((met.far, met.near)),
    ];
    edges.into_iter().flatten()
}

/// Component labels renumbered in order of first appearance.
fn renumbered(labels: &[usize]) -> Vec<usize> {
    let mut number = vec![usize::MAX; labels.len()];
    let mut next = 0;
    let mut renumber = |&label: &usize| {
        if number[label] == usize::MAX {
            number[label] = next;
            next += 1;
        }
        number[label]
    };
    labels.iter().map(&mut renumber).collect()
}

/// A directed graph as adjacency lists in one array.
struct Graph {
    starts: Vec<usize>,
    targets: Vec<usize>,
}

impl Graph {
    fn new(n: usize, edges: impl Iterator<Item = (usize, usize)>) -> Self {
        let edges: Vec<_> = edges.collect();
        let mut starts = vec![0; n + 1];
        edges.iter().for_each(|&(from, _)| starts[from + 1] += 1);
        (0..n).for_each(|node| starts[node + 1] += starts[node]);
        let mut next = starts.clone();
        let mut targets = vec![0; edges.len()];
        for (from, to) in edges {
            targets[next[from]] = to;
            next[from] += 1;
        }
        Self { starts, targets }
    }

    /// Strongly connected component of every node (Tarjan 1972, with an explicit stack).
    fn strong_components(&self) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let n = self.starts.len() - 1;
        let (mut order, mut low) = (vec![UNSEEN; n], vec![0; n]);
        let mut label = vec![UNSEEN; n];
        let (mut open, mut path) = (Vec::new(), Vec::new());
        let (mut seen, mut labels) = (0, 0);
        for root in 0..n {
            if order[root] != UNSEEN {
                continue;
            }
            path.push((root, self.starts[root]));
            while let Some((node, edge)) = path.pop() {
                if order[node] == UNSEEN {
                    (order[node], low[node]) = (seen, seen);
                    seen += 1;
                    open.push(node);
                }
                if edge < self.starts[node + 1] {
                    path.push((node, edge + 1));
                    let next = self.targets[edge];
                    if order[next] == UNSEEN {
                        path.push((next, self.starts[next]));
                    } else if label[next] == UNSEEN {
                        low[node] = low[node].min(order[next]);
                    }
                    continue;
                }
                if low[node] == order[node] {
                    while let Some(member) = open.pop() {
                        label[member] = labels;
                        if member == node {
                            break;
                        }
                    }
                    labels += 1;
                }
                if let Some(&(parent, _)) = path.last() {
                    low[parent] = low[parent].min(low[node]);
                }
            }
        }
        label
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcome::Outcome;
    use super::{Aggregates, Graph, Pool, renumbered};

    fn singles(games: &[(usize, usize, Outcome)]) -> Aggregates {
        let mut pool = Aggregates::new();
        games
            .iter()
            .try_for_each(|&(i, j, k)| pool.add_single(i, j, k))
            .unwrap();
        pool
    }

    #[test]
    fn strong_components_of_a_known_graph() {
        // Two cycles joined by a one-way edge, and a lone node.
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3)];
        let graph = Graph::new(6, edges.into_iter());
        assert_eq!(renumbered(&graph.strong_components()), [0, 0, 0, 1, 1, 2]);
    }

    #[test]
    fn a_component_of_wins_is_not_strong() {
        let chain = singles(&[
            (0, 1, Outcome::Win),
            (2, 1, Outcome::Loss),
            (5, 9, Outcome::Draw),
        ]);
        let pool = Pool::new(&chain);
        assert_eq!(pool.component, [0, 0, 0, 1, 1]);
        assert_eq!(pool.strong_component, [0, 1, 2, 3, 3]);
        assert_eq!(pool.component_is_strong(), [false, true]);
    }
}
