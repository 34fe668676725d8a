//! Engines that speak UCI.
//!
//! | module | does |
//! | --- | --- |
//! | [`parse`] | what the engine's lines say |
//! | [`player`] | the protocol |

pub mod parse;
pub mod player;

pub use player::UciPlayer;
