//! Batches as leased, made ready, and held.
//!
//! | module | does |
//! | --- | --- |
//! | [`batch`] | a batch as the coordinator sent it, checked |
//! | [`prepare`] | finds what a batch needs: variant, engines, options |
//! | [`variants`] | the variants a worker knows, by hash |
//! | [`held`] | the batches that the worker holds and what is left of them |

pub mod batch;
pub mod held;
pub mod prepare;
pub mod variants;

pub use batch::{Batch, Item, PlayerSpec, Source, Work};
pub use held::Held;
pub use prepare::{Failure, Prepared, Program, Supplies};
pub use variants::Variants;
