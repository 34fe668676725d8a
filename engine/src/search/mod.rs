//! Search: what to play. Principal variation search with a transposition table.
//!
//! - `score`, `options`, `limits`, `info`: what goes in and comes out;
//! - `engine`: [`Engine`], which keeps what lasts from move to move;
//! - `root`: iterative deepening with aspiration windows;
//! - `alphabeta`: the search of a position; `quiescence`: captures after it;
//! - `picker`, `history`: in which order moves are tried; `exchange`: static exchange evaluation;
//! - `ends`: ends of the game inside the tree, on the scale of the five outcomes;
//! - `table`: the transposition table;
//! - `control`: node limit, clock and stop flag;
//! - `setup`: choices of a set-up phase;
//! - `params`: every number of search that could be tuned.

mod alphabeta;
mod control;
mod ends;
mod engine;
mod exchange;
mod history;
mod info;
mod limits;
mod options;
mod params;
mod picker;
mod quiescence;
mod root;
mod score;
mod searcher;
mod setup;
mod table;

pub use engine::Engine;
pub use info::{Info, SearchResult};
pub use limits::{Clock, Limits};
pub use options::{EngineOptions, OptionError, OptionInfo, OptionKind};
pub use score::Score;
