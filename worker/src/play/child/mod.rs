//! An engine in a process of its own, whatever protocol it speaks.
//!
//! | module | does |
//! | --- | --- |
//! | [`lines`] | reads lines of bounded length |
//! | [`log`] | the last lines exchanged |
//! | [`ending`] | how a process ended, and whose doing that was |
//! | [`strays`] | what an engine started and that left its process group |
//! | [`process`] | the child process: its pipes, its group, its end |
//! | [`patience`] | how long an engine is waited for |
//! | [`host`] | how late this host is |
//! | [`takes`] | what an option of an engine takes |
//! | [`starts`] | engines that did not start lately |
//! | [`engine`] | asks and answers with a deadline, and what is told of an engine that fails |
//! | [`moves`] | what an engine means by a move |
//! | [`seen`] | what an engine said of its search |
//! | [`player`] | such an engine as a player, but for its protocol |

pub mod ending;
pub mod engine;
pub mod host;
pub mod lines;
pub mod log;
pub mod moves;
pub mod patience;
pub mod player;
pub mod process;
pub mod seen;
pub mod starts;
pub mod strays;
pub mod takes;

pub use engine::{Child, ChildProgram, Launch};
pub use patience::{Patience, PatienceSettings};
pub use player::{ChildPlayer, Event, Protocol};
pub use starts::FailedStarts;
