//! Tuning of evaluation: a logistic fit of its weights to the results of games (P. Österlund's method as
//! known from the engine Texel, with results of five values).
//!
//! - `samples`: quiet positions of games with their terms and results;
//! - `prior`: how far weights are believed to be from those derived from the rules;
//! - `fit`: the descent (Adam, D. P. Kingma and J. Ba, 2015);
//! - `tuner`: all of it, from games to an evaluation file;
//! - `values`: what men are worth by it.
//!
//! Numbers here are floating point: the results are rounded to whole weights, which all that play.

mod fit;
mod prior;
mod samples;
#[cfg(test)]
mod tests;
mod tuner;
mod values;

pub use tuner::{GameRecord, TuneError, TuneOptions, TuneReport, Tuner};
pub use values::{TypeValue, values};
