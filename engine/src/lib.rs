//! Rules, search and notation of very large chess variants.

pub mod attacks;
#[cfg(feature = "search")]
pub mod bench;
pub mod betza;
pub mod bitboard;
pub mod book;
#[cfg(feature = "search")]
mod eval;
pub mod game;
pub mod geometry;
pub mod movegen;
pub mod notation;
pub mod outcome;
pub mod perft;
pub mod pgn;
pub mod position;
#[cfg(feature = "search")]
pub mod search;
pub mod simd;
#[cfg(feature = "tune")]
pub mod tune;
pub mod types;
#[cfg(feature = "search")]
pub mod uci;
pub mod variant;

/// The identity of this build of the engine: blake3 of its sources and variant files, 64 hexadecimal digits.
///
/// Two programs with the same value play the same moves at fixed nodes.
pub const BUILD: &str = env!("ENGINE_BUILD");
