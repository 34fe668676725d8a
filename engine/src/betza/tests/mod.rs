//! Tests of the move notation. Expected squares are written from the rules of the games.

mod pieces;
mod play;
