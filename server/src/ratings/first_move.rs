//! Whether results can tell the advantage of moving first from strength.

use std::collections::VecDeque;

use super::pool::Encounter;

/// First-move advantage is identifiable unless some potential f has f(i) - f(j) = 1 for every i that
/// moved first against some j: then f could stand in for it. One breadth-first search over `n` players.
pub(super) fn first_move_identifiable<'a>(
    n: usize,
    encounters: impl Iterator<Item = &'a Encounter>,
) -> bool {
    let mut neighbours: Vec<Vec<(usize, i64)>> = vec![Vec::new(); n];
    for met in encounters {
        let near = met.near_games > 0;
        let far = met.far_games > 0;
        if near && far {
            return true;
        }
        let rise = if near { 1 } else { -1 };
        neighbours[met.near].push((met.far, -rise));
        neighbours[met.far].push((met.near, rise));
    }
    let mut potential: Vec<Option<i64>> = vec![None; n];
    (0..n).any(|start| contradicts(&neighbours, &mut potential, start))
}

/// Whether the potential that is 0 at `start` cannot be continued to all players reached from it.
fn contradicts(
    neighbours: &[Vec<(usize, i64)>],
    potential: &mut [Option<i64>],
    start: usize,
) -> bool {
    if potential[start].is_some() {
        return false;
    }
    potential[start] = Some(0);
    let mut queue = VecDeque::from([(start, 0)]);
    while let Some((node, height)) = queue.pop_front() {
        for &(next, rise) in &neighbours[node] {
            match potential[next] {
                Some(known) if known != height + rise => return true,
                Some(_) => {}
                None => {
                    potential[next] = Some(height + rise);
                    queue.push_back((next, height + rise));
                }
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::aggregates::Aggregates;
    use super::super::outcome::Outcome::Draw;
    use super::super::pool::Pool;
    use super::first_move_identifiable;

    fn identifiable(games: &[(usize, usize)]) -> bool {
        let mut results = Aggregates::new();
        games
            .iter()
            .try_for_each(|&(i, j)| results.add_single(i, j, Draw))
            .unwrap();
        let pool = Pool::new(&results);
        first_move_identifiable(pool.players.len(), pool.encounters.iter())
    }

    #[test]
    fn first_move_needs_more_than_one_colour_each() {
        assert!(!identifiable(&[]));
        assert!(!identifiable(&[(0, 1), (0, 2)]));
        assert!(!identifiable(&[(0, 1), (1, 2)]));
        assert!(identifiable(&[(0, 1), (1, 0)]));
        // A one-colour cycle would have to rise all the way round.
        assert!(identifiable(&[(0, 1), (1, 2), (2, 0)]));
        // One even cycle of levels has a potential; a chord across two levels has none.
        assert!(!identifiable(&[(0, 1), (1, 2), (0, 3), (3, 2)]));
        assert!(identifiable(&[(0, 1), (1, 2), (0, 2)]));
        // A contradiction far from the first player.
        assert!(identifiable(&[(0, 1), (5, 6), (6, 7), (7, 5)]));
    }
}
