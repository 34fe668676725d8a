//! Legal moves.
//!
//! Moves are generated per man as sets of targets, so that several ways to one target are one move.
//! Legality is decided with [`Threats`](crate::position::Threats): most moves need no look at the king at all.

mod castling;
mod legal;
mod reaches;
mod setup;

pub use legal::Wanted;
pub use reaches::Reaches;
pub(crate) use setup::{pick_text, placement_text};
