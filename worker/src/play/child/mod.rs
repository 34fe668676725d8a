//! An engine in a process of its own, whatever protocol it speaks.
//!
//! | module | does |
//! | --- | --- |
//! | [`lines`] | reads lines of bounded length |
//! | [`log`] | the last lines exchanged |
//! | [`process`] | the child process: its pipes, its group, its end |
//! | [`engine`] | asks and answers with a deadline, and what is told of an engine that fails |
//! | [`seen`] | what an engine said of its search |
//! | [`player`] | such an engine as a player, but for its protocol |

pub mod engine;
pub mod lines;
pub mod log;
pub mod player;
pub mod process;
pub mod seen;

pub use engine::{Child, ChildProgram, Patience};
pub use player::{ChildPlayer, Event, Protocol};
