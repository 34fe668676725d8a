//! Engines that speak the Chess Engine Communication Protocol (CECP), version 2, as `xboard` does.
//!
//! T. Mann and H. G. Muller, "Chess Engine Communication Protocol", 2009.
//!
//! | module | does |
//! | --- | --- |
//! | [`parse`] | what the engine's lines say |
//! | [`edit`] | a position for an engine without `setboard` |
//! | [`features`] | what an engine said that it can |
//! | [`settings`] | the options that an engine offers, and which values they take |
//! | [`player`] | the protocol |

pub mod edit;
pub mod features;
pub mod parse;
pub mod player;
pub mod settings;

pub use player::XboardPlayer;
