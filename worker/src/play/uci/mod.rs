//! An engine in a process of its own, over UCI.
//!
//! | module | does |
//! | --- | --- |
//! | [`lines`] | reads lines of bounded length |
//! | [`log`] | the last lines exchanged |
//! | [`process`] | the child process: its pipes, its group, its end |
//! | [`parse`] | what the engine's lines say |
//! | [`player`] | the protocol |

pub mod lines;
pub mod log;
pub mod parse;
pub mod player;
pub mod process;

pub use player::{Patience, UciPlayer, UciProgram};
