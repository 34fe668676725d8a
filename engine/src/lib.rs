//! Rules, search and notation of very large chess variants.

pub mod attacks;
pub mod betza;
pub mod bitboard;
pub mod game;
pub mod geometry;
pub mod movegen;
pub mod notation;
pub mod outcome;
pub mod perft;
pub mod position;
pub mod types;
pub mod variant;
