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

/// The parameter vector: strengths, then the first-move advantage, then shape parameters.
#[derive(Debug)]
pub(super) struct Layout {
    pub theta: Vec<Slot>,
    pub alpha: Alpha,
    pub shapes: usize,
    /// Parameter positions of every component that floats freely, so that only differences count in it.
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
        let mut anchored = vec![false; pool.component_count];
        for (&player, &elo) in &options.anchors {
            let known = pool.index_of(player).filter(|&index| pool.games[index] > 0);
            let index = known.ok_or(RatingError::UnknownAnchor { player })?;
            let component = pool.component[index];
            if rateable[component] {
                theta[index] = Slot::Fixed(elo / ELO_PER_NAT);
                anchored[component] = true;
            }
        }
        let mut gauges = vec![Vec::new(); pool.component_count];
        let mut dimension = 0;
        for (index, slot) in theta.iter_mut().enumerate() {
            let component = pool.component[index];
            if *slot == Slot::Absent && pool.games[index] > 0 && rateable[component] {
                *slot = Slot::Free(dimension);
                gauges[component].push(dimension);
                dimension += 1;
            }
        }
        let mut keep = anchored.iter().map(|anchored| !anchored);
        gauges.retain(|members| keep.next().unwrap_or(true) && !members.is_empty());
        let mut layout = Self {
            theta,
            alpha: Alpha::Fixed(0.0),
            shapes,
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

    /// Strength of a player in natural units; 0 if absent.
    pub fn strength(&self, x: &[f64], index: usize) -> f64 {
        match self.theta[index] {
            Slot::Free(position) => x[position],
            Slot::Fixed(value) => value,
            Slot::Absent => 0.0,
        }
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
