//! Betza move notation: text in, [`MoveProgram`] out. Pure; knows no board, colour or variant.

mod program;

pub use program::{From, MoveProgram, Node, Root, Stop};
