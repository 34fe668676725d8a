//! Tests of the move notation. Expected squares are written from the rules of the games.

mod directions;
mod docs;
mod errors;
mod pieces;
mod pieces_of_other_games;
mod play;
mod properties;
mod rides;
mod terms;
mod ways;
