//! The model to and from its protocol messages, for the wire and for the journal alike.

pub mod columns;
mod engine;
mod game;
mod openings;
mod spec;
mod standings;

pub use engine::{
    engine_from_wire, engine_to_wire, limit_from_wire, limit_to_wire, player_from_wire,
    player_to_wire, source_to_wire,
};
pub use game::{attempt_from_wire, attempt_to_wire, result_from_wire, result_to_wire};
pub use spec::{
    adjudication_from_wire, adjudication_to_wire, spec_from_wire, spec_to_wire, spsa_to_wire,
    state_from_wire, state_to_wire,
};
pub use standings::{standings_to_wire, tie_break_to_wire, unplayed_to_wire};
