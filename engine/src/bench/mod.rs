//! What the engine is measured by: the node-count signature, middle games, counted work, tactical positions.

pub mod counted;
mod middles;
mod signature;
pub mod tactics;

pub use middles::{Middle, middle, middles};
pub use signature::{BenchLine, BenchPosition, POSITIONS, game, run};
