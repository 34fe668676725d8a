//! A preconditioner for long chains of players: the factor of the system of strengths, in an order in which those who met are
//! near each other.
//!
//! Conjugate gradients by the diagonal alone take about as many steps as a chain has links. Reverse Cuthill-McKee ordering (E.
//! Cuthill and J. McKee, "Reducing the bandwidth of sparse symmetric matrices", 1969) makes a chain a narrow band, whose Cholesky
//! factor costs n w^2.

use super::information::{Information, System};

/// Most operations of a factorisation, n w^2.
const MOST_OPERATIONS: f64 = 4e9;
/// Most encounters a player: with more no chain is long.
const MOST_ENCOUNTERS: usize = 100;
/// Links from end to end of a group below which conjugate gradients take few steps by themselves.
const LEAST_DEPTH: usize = 50;

/// The factor of a band.
pub(super) struct Band {
    /// Parameter of each row.
    order: Vec<u32>,
    width: usize,
    /// By row the `width` entries left of the diagonal, then the diagonal's reciprocal.
    factor: Vec<f64>,
}

impl Band {
    /// The factor of what encounters and links know of strengths, where it is worth its while.
    pub(super) fn of(information: &Information, of: System<'_>) -> Option<Self> {
        let strengths = of.layout.alpha_position().min(of.layout.dimension);
        let strengths = strengths.min(of.layout.shape_start());
        if of.places.len() > MOST_ENCOUNTERS * strengths {
            return None;
        }
        let mut edges: Vec<(u32, u32, f64)> = Vec::new();
        let mut diagonal = vec![0.0; of.layout.dimension + 1];
        let places = of.places.iter().zip(&information.weights);
        let met =
            places.map(|(place, weights)| (place.near(), place.far(), weights.near + weights.far));
        for (near, far, weight) in met.chain(of.bonds()) {
            diagonal[near] += weight;
            diagonal[far] += weight;
            if near < strengths && far < strengths && near != far {
                edges.push((near as u32, far as u32, weight));
            }
        }
        let order = order(strengths, &edges)?;
        let mut rows = vec![None; of.layout.dimension];
        for (row, &parameter) in (0..).zip(&order) {
            rows[parameter as usize] = Some(row);
        }
        let row = |parameter: u32| rows[parameter as usize].map_or(0, |row: u32| row as usize);
        let width = edges
            .iter()
            .map(|&(near, far, _)| row(near).abs_diff(row(far)))
            .max()?;
        if (order.len() as f64) * (width as f64).powi(2) > MOST_OPERATIONS {
            return None;
        }
        let stride = width + 1;
        let mut factor = vec![0.0; order.len() * stride];
        for (row, &parameter) in order.iter().enumerate() {
            factor[row * stride + width] = diagonal[parameter as usize];
        }
        for &(near, far, weight) in &edges {
            let (low, high) = (row(near).min(row(far)), row(near).max(row(far)));
            factor[high * stride + width - (high - low)] -= weight;
        }
        factorise(&mut factor, order.len(), width)?;
        Some(Self {
            order,
            width,
            factor,
        })
    }

    /// Solves for the strengths; other parameters are left alone.
    pub(super) fn apply<const L: usize>(&self, right: &[[f64; L]], solution: &mut [[f64; L]]) {
        let (width, stride) = (self.width, self.width + 1);
        let mut x: Vec<[f64; L]> = self.order.iter().map(|&at| right[at as usize]).collect();
        for row in 0..x.len() {
            let first = row.saturating_sub(width);
            let left = &self.factor[row * stride + width - (row - first)..row * stride + width];
            let mut value = x[row];
            for (entry, known) in left.iter().zip(&x[first..row]) {
                for l in 0..L {
                    value[l] -= entry * known[l];
                }
            }
            x[row] = value.map(|value| value * self.factor[row * stride + width]);
        }
        for row in (0..x.len()).rev() {
            let value = x[row].map(|value| value * self.factor[row * stride + width]);
            x[row] = value;
            let first = row.saturating_sub(width);
            let left = &self.factor[row * stride + width - (row - first)..row * stride + width];
            for (entry, known) in left.iter().zip(&mut x[first..row]) {
                for l in 0..L {
                    known[l] -= entry * value[l];
                }
            }
        }
        for (&at, x) in self.order.iter().zip(&x) {
            solution[at as usize] = *x;
        }
    }
}

/// Cholesky's factor in place, the reciprocals of its diagonal at the end of each row. A group of players that met has a gauge: its
/// last row, where nothing is left, is held.
fn factorise(factor: &mut [f64], rows: usize, width: usize) -> Option<()> {
    let stride = width + 1;
    for row in 0..rows {
        let (done, rest) = factor.split_at_mut(row * stride);
        let own = &mut rest[..stride];
        let first = row.saturating_sub(width);
        let known = own[width];
        for column in first..row {
            // The columns that both rows have.
            let from = first.max(column.saturating_sub(width));
            let other = &done[column * stride + width - (column - from)..column * stride + width];
            let here = &own[width - (row - from)..width - (row - column)];
            let sum: f64 = other.iter().zip(here).map(|(a, b)| a * b).sum();
            let at = width - (row - column);
            own[at] = (own[at] - sum) * done[column * stride + width];
        }
        let taken: f64 = own[..width].iter().map(|entry| entry * entry).sum();
        let left = known - taken;
        let pivot = if left > 1e-10 * known {
            left
        } else {
            known.max(1.0)
        };
        own[width] = 1.0 / pivot.sqrt();
        if !own[width].is_finite() {
            return None;
        }
    }
    Some(())
}

/// Those who met anyone, in reverse Cuthill-McKee order; `None` where no group is a long chain.
fn order(players: usize, edges: &[(u32, u32, f64)]) -> Option<Vec<u32>> {
    let mut starts = vec![0usize; players + 1];
    for &(near, far, _) in edges {
        starts[near as usize + 1] += 1;
        starts[far as usize + 1] += 1;
    }
    for player in 0..players {
        starts[player + 1] += starts[player];
    }
    let mut next = starts.clone();
    let mut neighbours = vec![0u32; 2 * edges.len()];
    for &(near, far, _) in edges {
        neighbours[next[near as usize]] = far;
        next[near as usize] += 1;
        neighbours[next[far as usize]] = near;
        next[far as usize] += 1;
    }
    let of = |player: u32| &neighbours[starts[player as usize]..starts[player as usize + 1]];
    let mut seen = vec![0u32; players];
    let mut turn = 0;
    let mut order: Vec<u32> = Vec::new();
    // Adds a group from one of its players on, and gives how many links away the last one is.
    let walk = |from: u32, turn: u32, seen: &mut [u32], into: &mut Vec<u32>| -> usize {
        let begin = into.len();
        let (mut depth, mut level_end) = (0, begin + 1);
        into.push(from);
        seen[from as usize] = turn;
        let mut at = begin;
        while at < into.len() {
            if at == level_end {
                depth += 1;
                level_end = into.len();
            }
            let (player, added) = (into[at], into.len());
            for &other in of(player) {
                if seen[other as usize] != turn {
                    seen[other as usize] = turn;
                    into.push(other);
                }
            }
            into[added..].sort_by_key(|&other| (of(other).len(), other));
            at += 1;
        }
        depth
    };
    let (mut placed, mut is_long) = (vec![false; players], false);
    for player in 0..players as u32 {
        if placed[player as usize] || of(player).is_empty() {
            continue;
        }
        // From an end of the group: the last of a walk from anywhere, twice.
        let mut from = player;
        for _ in 0..2 {
            turn += 1;
            let mut group = Vec::new();
            let depth = walk(from, turn, &mut seen, &mut group);
            // From the middle of a chain it is half as long.
            is_long |= depth >= LEAST_DEPTH;
            if !is_long && 2 * group.len() > players {
                return None;
            }
            from = group.last().copied().unwrap_or(from);
        }
        turn += 1;
        let begin = order.len();
        walk(from, turn, &mut seen, &mut order);
        order[begin..]
            .iter()
            .for_each(|&player| placed[player as usize] = true);
    }
    order.reverse();
    is_long.then_some(order)
}

#[cfg(test)]
mod tests {
    use super::super::information::{Place, Weights};
    use super::super::layout::{Alpha, Layout, Slot};
    use super::*;

    /// Players in a row, numbered out of order, each of whom met the next three.
    fn chain(players: usize) -> (Layout, Vec<Place>, Information) {
        let layout = Layout {
            theta: (0..players).map(Slot::Free).collect(),
            alpha: Alpha::Free(players),
            shapes: 0,
            bonds: Vec::new(),
            group: vec![0; players],
            group_count: 1,
            gauges: vec![(0..players).collect()],
            dimension: players + 1,
        };
        let number = |at: usize| (at * 7) % players;
        let (mut places, mut weights) = (Vec::new(), Vec::new());
        for at in 0..players {
            for step in 1..=3.min(players - 1 - at) {
                places.push(Place::new(number(at), number(at + step)));
                let near = 0.5 + (at % 5) as f64;
                weights.push(Weights { near, far: 1.0 });
            }
        }
        let information = Information {
            weights,
            ..Information::default()
        };
        (layout, places, information)
    }

    #[test]
    fn a_chain_is_a_narrow_band_whatever_the_numbers() {
        let (layout, places, information) = chain(1_000);
        let of = System {
            layout: &layout,
            places: &places,
        };
        let band = Band::of(&information, of).unwrap();
        assert_eq!(band.order.len(), 1_000);
        assert!(band.width <= 6, "{}", band.width);
        // What it solves is the system of the strengths, but for the last row, which is held.
        let right: Vec<[f64; 2]> = (0..=1_000)
            .map(|at| [((at * 37) % 11) as f64 - 5.0, (at % 3) as f64 - 1.0])
            .collect();
        let mut x = vec![[0.0; 2]; 1_002];
        band.apply(&right, &mut x);
        assert_eq!(x[1_000], [0.0; 2]);
        let mut product = vec![[0.0; 2]; 1_002];
        information.multiply(of, &x, &mut product);
        let held = band.order[999] as usize;
        for at in (0..1_000).filter(|&at| at != held) {
            for l in 0..2 {
                let gap = (product[at][l] - right[at][l]).abs();
                assert!(gap < 1e-6, "{at}: {gap}");
            }
        }
    }

    /// A gauge is found by how little is left of a row, not by a row that is small itself.
    #[test]
    fn weak_links_are_no_gauge() {
        let (layout, places, mut information) = chain(1_000);
        for weights in &mut information.weights[1_500..1_530] {
            *weights = Weights {
                near: 1e-4,
                far: 1e-4,
            };
        }
        let of = System {
            layout: &layout,
            places: &places,
        };
        let band = Band::of(&information, of).unwrap();
        let mut right = vec![[0.0]; 1_001];
        // The ends of the chain.
        (right[0][0], right[993][0]) = (1.0, -1.0);
        let mut x = vec![[0.0]; 1_002];
        band.apply(&right, &mut x);
        let mut product = vec![[0.0]; 1_002];
        information.multiply(of, &x, &mut product);
        let held = band.order[999] as usize;
        for at in (0..1_000).filter(|&at| at != held) {
            let gap = (product[at][0] - right[at][0]).abs();
            assert!(gap < 1e-6, "{at}: {gap}");
        }
    }

    #[test]
    fn nothing_is_made_for_those_who_are_near_each_other_anyway() {
        let (layout, places, information) = chain(40);
        let of = System {
            layout: &layout,
            places: &places,
        };
        assert!(Band::of(&information, of).is_none());
        // Nor for groups of them.
        let (layout, places, information) = chain(80);
        let apart = |at: usize| (at * 23) % 80 < 40;
        let pairs = places.into_iter().zip(information.weights);
        let (places, weights): (Vec<Place>, Vec<Weights>) = pairs
            .filter(|(place, _)| apart(place.near()) == apart(place.far()))
            .unzip();
        let information = Information {
            weights,
            ..Information::default()
        };
        let of = System {
            layout: &layout,
            places: &places,
        };
        assert!(Band::of(&information, of).is_none());
    }
}
