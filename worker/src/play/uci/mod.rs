//! Engines that speak UCI.
//!
//! | module | does |
//! | --- | --- |
//! | [`options`] | the options that an engine offers, and which values they take |
//! | [`parse`] | what the engine's lines say |
//! | [`player`] | the protocol |

pub mod options;
pub mod parse;
pub mod player;

pub use player::UciPlayer;
