//! What the engine is measured by: the node-count signature, middle games.

mod middles;
mod signature;

pub use middles::{Middle, middle, middles};
pub use signature::{BenchLine, BenchPosition, POSITIONS, game, run};
