//! Which parameters of a pool are free, which are fixed, and where the free ones stand in the vector.

use super::options::{FirstMove, RatingError, RatingOptions};
use crate::ratings::elo::ELO_PER_NAT;
use crate::ratings::first_move::first_move_identifiable;
use crate::ratings::pool::{Encounter, Pool};

/// Where a player's strength comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Slot {
    /// Position in the parameter vector.
    Free(usize),
    /// An anchor, in natural units.
    Fixed(f64),
    /// Not rated: no games, or no finite rating exists.
    Absent,
}

/// Where the first-move advantage comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Alpha {
    /// Position in the parameter vector.
    Free(usize),
    /// A value in natural units.
    Fixed(f64),
}

/// A link between two players, by index, in natural units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bond {
    pub newer: usize,
    pub older: usize,
    /// What newer - older is expected to be.
    pub offset: f64,
    /// One over the variance of that.
    pub weight: f64,
}

/// The parameter vector: strengths, then the first-move advantage, then shape parameters.
#[derive(Debug)]
pub(super) struct Layout {
    pub theta: Vec<Slot>,
    pub alpha: Alpha,
    pub shapes: usize,
    /// Links between players that are rated.
    pub bonds: Vec<Bond>,
    /// Of each player: those joined by games or by links have one, and are comparable. Numbered by the lowest player.
    pub group: Vec<usize>,
    pub group_count: usize,
    /// Parameter positions of every group that floats freely, so that only differences count in it.
    pub gauges: Vec<Vec<usize>>,
    pub dimension: usize,
}

impl Layout {
    pub fn new(pool: &Pool, options: &RatingOptions, shapes: usize) -> Result<Self, RatingError> {
        let mut theta = vec![Slot::Absent; pool.players.len()];
        let rateable = match options.prior_draws {
            0.0 => pool.component_is_strong(),
            _ => vec![true; pool.component_count],
        };
        let bonds = bonds(pool, options, &rateable)?;
        let (group, group_count) = groups(pool, &bonds);
        let mut anchored = vec![false; group_count];
        for (&player, &elo) in &options.anchors {
            let known = pool.index_of(player).filter(|&index| pool.games[index] > 0);
            let index = known.ok_or(RatingError::UnknownAnchor { player })?;
            if rateable[pool.component[index]] {
                theta[index] = Slot::Fixed(elo / ELO_PER_NAT);
                anchored[group[index]] = true;
            }
        }
        let mut gauges = vec![Vec::new(); group_count];
        let mut dimension = 0;
        for (index, slot) in theta.iter_mut().enumerate() {
            let rateable = rateable[pool.component[index]];
            if *slot == Slot::Absent && pool.games[index] > 0 && rateable {
                *slot = Slot::Free(dimension);
                gauges[group[index]].push(dimension);
                dimension += 1;
            }
        }
        let mut keep = anchored.iter().map(|anchored| !anchored);
        gauges.retain(|members| keep.next().unwrap_or(true) && !members.is_empty());
        let mut layout = Self {
            theta,
            alpha: Alpha::Fixed(0.0),
            shapes,
            bonds,
            group,
            group_count,
            gauges,
            dimension,
        };
        match options.first_move {
            FirstMove::Fixed { elo } => layout.alpha = Alpha::Fixed(elo / ELO_PER_NAT),
            FirstMove::Estimated if layout.first_move_identifiable(pool) => {
                layout.alpha = Alpha::Free(layout.dimension);
                layout.dimension += 1;
            }
            FirstMove::Estimated => {}
        }
        layout.dimension += shapes;
        Ok(layout)
    }

    /// Judged by the real games that take part; virtual ones have both colours.
    fn first_move_identifiable(&self, pool: &Pool) -> bool {
        let met = pool.encounters.iter().filter(|met| self.takes_part(met));
        first_move_identifiable(pool.players.len(), met)
    }

    /// Position of the first shape parameter.
    pub fn shape_start(&self) -> usize {
        self.dimension - self.shapes
    }

    /// Number of parameters that the results determine: free strengths less one for every floating
    /// component, and the first-move advantage if free. Shape parameters are not counted.
    pub fn determined(&self) -> usize {
        self.shape_start() - self.gauges.len()
    }

    /// Whether an encounter takes part; its players are in one component, so that both do or neither.
    pub fn takes_part(&self, met: &Encounter) -> bool {
        self.theta[met.near] != Slot::Absent && self.theta[met.far] != Slot::Absent
    }

    /// Position of a player in the vector; the dimension for those that have none.
    pub fn position(&self, index: usize) -> usize {
        match self.theta[index] {
            Slot::Free(position) => position,
            Slot::Fixed(_) | Slot::Absent => self.dimension,
        }
    }

    /// Strength of a player in natural units; 0 if absent.
    pub fn strength(&self, x: &[f64], index: usize) -> f64 {
        match self.theta[index] {
            Slot::Free(position) => x[position],
            Slot::Fixed(value) => value,
            Slot::Absent => 0.0,
        }
    }

    /// Strengths of all players in natural units.
    pub fn strengths(&self, x: &[f64]) -> Vec<f64> {
        (0..self.theta.len())
            .map(|index| self.strength(x, index))
            .collect()
    }

    /// Parameters with which all players of a group are as strong as its anchors are on the average, or 0.
    pub fn equals(&self) -> Vec<f64> {
        let mut anchors = vec![(0.0, 0.0); self.group_count];
        for (slot, &group) in self.theta.iter().zip(&self.group) {
            if let Slot::Fixed(value) = slot {
                anchors[group].0 += value;
                anchors[group].1 += 1.0;
            }
        }
        let mut x = vec![0.0; self.dimension];
        for (slot, &group) in self.theta.iter().zip(&self.group) {
            if let (Slot::Free(position), (sum, count)) = (slot, anchors[group])
                && count > 0.0
            {
                x[*position] = sum / count;
            }
        }
        x
    }

    /// First-move advantage in natural units.
    pub fn first_move(&self, x: &[f64]) -> f64 {
        match self.alpha {
            Alpha::Free(position) => x[position],
            Alpha::Fixed(value) => value,
        }
    }

    /// Position of the first-move advantage; the dimension if it is fixed.
    pub fn alpha_position(&self) -> usize {
        match self.alpha {
            Alpha::Free(position) => position,
            Alpha::Fixed(_) => self.dimension,
        }
    }

    /// Moves every floating component to mean 0.
    pub fn centre(&self, x: &mut [f64]) {
        for members in &self.gauges {
            let sum: f64 = members.iter().map(|&position| x[position]).sum();
            let mean = sum / members.len() as f64;
            members.iter().for_each(|&position| x[position] -= mean);
        }
    }

    /// Shape parameters, 0 where the law has none.
    pub fn shape(&self, x: &[f64]) -> [f64; 2] {
        let start = self.shape_start();
        std::array::from_fn(|k| if k < self.shapes { x[start + k] } else { 0.0 })
    }
}

/// The links between players that are rated.
fn bonds(
    pool: &Pool,
    options: &RatingOptions,
    rateable: &[bool],
) -> Result<Vec<Bond>, RatingError> {
    let index = |player| {
        let known = pool.index_of(player).filter(|&index| pool.games[index] > 0);
        known.ok_or(RatingError::UnknownLinked { player })
    };
    let mut bonds = Vec::new();
    for link in &options.links {
        let (newer, older) = (index(link.newer)?, index(link.older)?);
        let deviation = link.deviation_elo / ELO_PER_NAT;
        if rateable[pool.component[newer]] && rateable[pool.component[older]] {
            bonds.push(Bond {
                newer,
                older,
                offset: link.elo / ELO_PER_NAT,
                weight: 1.0 / (deviation * deviation),
            });
        }
    }
    Ok(bonds)
}

/// Group of each player, and how many there are: components, joined by links.
fn groups(pool: &Pool, bonds: &[Bond]) -> (Vec<usize>, usize) {
    // The lowest component that each one is joined to, found by following what is lower (union by number).
    let mut lowest: Vec<usize> = (0..pool.component_count).collect();
    fn root(lowest: &[usize], mut component: usize) -> usize {
        while lowest[component] != component {
            component = lowest[component];
        }
        component
    }
    for bond in bonds {
        let ends = [bond.newer, bond.older].map(|index| root(&lowest, pool.component[index]));
        lowest[ends[0].max(ends[1])] = ends[0].min(ends[1]);
    }
    let mut number = vec![0; pool.component_count];
    let mut count = 0;
    for component in 0..pool.component_count {
        let root = root(&lowest, component);
        if root == component {
            number[component] = count;
            count += 1;
        } else {
            number[component] = number[root];
        }
    }
    let group = pool.component.iter().map(|&component| number[component]);
    (group.collect(), count)
}
