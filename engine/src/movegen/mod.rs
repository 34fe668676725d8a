//! Legal moves.
//!
//! Moves are generated per man as sets of targets, so that several ways to one target are one move. The sets are
//! remembered from position to position in [`Reaches`]. Legality is decided with
//! [`Threats`](crate::position::Threats): most moves need no look at the king at all, and most others one at
//! few men. One generator serves both lists of moves and their number: it hands whole sets to a sink.

mod castling;
mod generator;
mod kernels;
mod kings;
mod legal;
mod legality;
mod pawns;
mod reaches;
mod setup;
mod sink;

pub use legal::Wanted;
pub use reaches::Reaches;
pub(crate) use setup::{pick_text, placement_text};
