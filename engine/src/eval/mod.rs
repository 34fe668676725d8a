//! Evaluation: what a position is worth, from the moves of its pieces and the rules of its variant alone.
//!
//! Whole numbers only, so that all machines agree.
//! - `weights`: every number that could be tuned;
//! - `sampling`: how far men reach on sampled boards;
//! - `parameters`: values of types and squares, derived once for a variant;
//! - `holders`: the same for men with additional powers;
//! - `accumulator`: material and squares, kept up to date move by move;
//! - `pawns`: where pawns stand and how they stand together;
//! - `prospects`: pawns that may promote, given the reserve;
//! - `activity`: mobility and the safety of the kings;
//! - `outlook`: what becomes of a score as the N-move rule comes near;
//! - `evaluator`: all of it.

mod accumulator;
mod activity;
mod evaluator;
mod holders;
mod outlook;
mod pair;
mod parameters;
mod pawns;
mod prospects;
mod sampling;
#[cfg(test)]
mod tests;
mod weights;

pub(crate) use accumulator::Accumulator;
pub(crate) use evaluator::{Evaluator, Style};
pub(crate) use parameters::Parameters;
