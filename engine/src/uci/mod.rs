//! The UCI front: the protocol that match runners and graphical programs speak
//! (S. Meyer-Kahlen and R. Huber, "Description of the universal chess interface", 2006).
//!
//! `command` reads a line, `session` keeps what a session remembers, `front` runs it: one thread reads,
//! one searches; `report` writes what a search tells.

mod command;
mod front;
mod report;
mod session;

pub use front::{UciError, run};
