//! Search: what to play. Principal variation search with a transposition table.
//!
//! - `score`, `outcomes`, `options`, `limits`, `info`: what goes in and comes out;
//! - `engine`: [`Engine`]; `core`: what lasts from move to move, and the threads;
//! - `root`: iterative deepening with aspiration windows, several principal variations;
//! - `alphabeta`: the search of a position; `node`: what is known before its moves are tried;
//! - `pruning`, `reductions`, `singular`: what is searched less deeply or not at all, and what more deeply;
//! - `quiescence`: captures after it;
//! - `picker`: in which order moves are tried; `exchange`: static exchange evaluation;
//! - `history`: what is learnt about moves and evaluations; `learning`: when;
//! - `ends`: ends of the game inside the tree, on the scale of the five outcomes;
//! - `table`: the transposition table; `memory`: whether it fits;
//! - `control`: node limit, clock and signals; `clock`: how much of the time is used;
//! - `setup`: choices of a set-up phase;
//! - `params`: every number of search that could be tuned; `tunable`: how.

mod alphabeta;
mod clock;
mod control;
mod core;
mod ends;
mod engine;
mod exchange;
mod history;
mod info;
mod learning;
mod limits;
mod memory;
mod node;
mod options;
mod outcomes;
mod params;
mod picker;
mod pruning;
mod quiescence;
mod reductions;
mod root;
mod score;
mod searcher;
mod setup;
mod singular;
mod table;
mod tunable;

pub use control::Signals;
pub use engine::Engine;
#[cfg(test)]
pub(crate) use history::Keys;
pub use info::{CurrentMove, Info, Listener, SearchResult};
pub use limits::{Clock, Limits};
pub use options::{EngineOptions, OptionError, OptionInfo, OptionKind};
pub use outcomes::Outcomes;
#[cfg(feature = "tunable")]
pub use params::ALL as PARAMETERS;
pub use score::Score;
