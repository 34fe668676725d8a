//! The small values everything else is made of: colours, squares, piece types, moves.

mod colour;
mod kind;
mod moves;
mod square;

pub use colour::Colour;
pub use kind::{Kind, Piece};
pub use moves::{Move, MoveKind, MoveList};
pub use square::Square;
