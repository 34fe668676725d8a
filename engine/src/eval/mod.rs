//! Evaluation: what a position is worth, from the moves of its pieces and the rules of its variant alone.
//!
//! Whole numbers only, so that all machines agree.
//! - `terms`: the numbered terms that weights belong to;
//! - `weights`: every number from which weights are derived where no evaluation file says otherwise;
//! - `file`: evaluation files, as tuning writes them;
//! - `sampling`: how far men reach on sampled boards;
//! - `parameters`: values of types and squares, derived once for a variant;
//! - `holders`: the same for men with additional powers;
//! - `accumulator`: material and squares, kept up to date move by move;
//! - `pawns`: where pawns stand and how they stand together;
//! - `pawn_table`: the same, remembered by a key;
//! - `prospects`: pawns that may promote, given the reserve;
//! - `activity`: mobility, threats and the safety of the kings;
//! - `outlook`: what becomes of a score as the N-move rule comes near;
//! - `evaluator`: all of it;
//! - `trace`: the terms of a position one by one, for tuning.

mod accumulator;
mod activity;
mod evaluator;
mod file;
mod holders;
mod outlook;
mod pair;
mod parameters;
mod pawn_table;
mod pawns;
mod prospects;
mod sampling;
mod terms;
#[cfg(test)]
mod tests;
#[cfg(feature = "tune")]
mod trace;
mod weights;

pub(crate) use accumulator::Accumulator;
pub(crate) use evaluator::{Evaluator, Memory, Style};
pub use file::EvaluationError;
pub(crate) use file::is_for;
#[cfg(feature = "tune")]
pub(crate) use file::write as write_file;
#[cfg(feature = "tune")]
pub(crate) use pair::Pair;
pub(crate) use parameters::Parameters;
pub(crate) use pawn_table::PawnTable;
#[cfg(feature = "tune")]
pub(crate) use terms::{GRAINS, Section, Terms, danger_slope};
#[cfg(feature = "tune")]
pub(crate) use trace::Trace;
