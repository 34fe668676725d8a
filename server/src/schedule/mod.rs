//! Formats to pairings, openings and batches. Pure.
//!
//! The unit of work is a game pair: two games from one opening with colours reversed. A [`Plan`] names the
//! players of every pair, a sampler of [`openings`] its opening, [`Batches`] the pairs that are leased
//! together; [`permutation`] orders the openings of a book. All are functions of an index, so that a plan of any length costs no memory and resumes.
//!
//! Formats whose pairings follow from results are functions of a [`History`] to a [`Step`] instead.

mod adaptive;
mod batches;
mod berger;
mod course;
mod director;
mod draw;
mod entrants;
pub mod knockout;
pub mod ladder;
pub mod matching;
pub mod openings;
pub mod permutation;
mod plan;
mod spsa;
mod swiss;
#[cfg(test)]
mod tests;

pub use adaptive::{Adaptive, Goal};
pub use batches::Batches;
pub use berger::{berger_round, berger_rounds};
pub use course::Course;
pub use director::{Director, Order};
pub use draw::{Draw, Drawn, Entry, History, Played, Step};
pub use entrants::{LateEntries, Meets};
pub use knockout::{Knockout, Seat, ThirdPlace, UntilDecided};
pub use ladder::Ladder;
pub use plan::{Format, Pairing, Plan, PlanError};
pub use spsa::{Perturbed, Spsa, Walk};
pub use swiss::Swiss;
