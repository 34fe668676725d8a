//! Attack tables of a variant, compiled from the move programs of its pieces.
//!
//! Every piece becomes *forward* tables for each square: leaps as masks, straight rides as rays, and
//! everything else (bent and circular rides, paths) as a small tree that is walked with the occupied
//! squares. The backward tables, which tell from where a square can be captured and over which
//! squares, are filled by going through the forward paths, never by reversing a move.

mod compile;
mod forest;
mod mover;
#[cfg(test)]
mod oracle;
mod path;
mod rays;
mod tables;

pub use compile::{LimitExceeded, compile};
pub use forest::Special;
pub use mover::{Mover, Paths};
pub use path::{Path, PathKind};
pub(crate) use tables::Reach;
pub use tables::{Occupancy, Tables, Targets};
