//! Who plays what: lease table and worker registry as state machines. Pure; time is an argument.
//!
//! | module | does |
//! | --- | --- |
//! | [`moment`] | time since the coordinator's start |
//! | [`bindings`] | which executable an engine of the workers' own configurations is |
//! | [`needs`] | what a batch needs and what a worker offers |
//! | [`job`] | the batches of one tournament or analysis job |
//! | [`leases`] | which batch is with whom, until when |
//! | [`bucket`] | a rate limit |
//! | [`registry`] | the workers: sessions, credits, quarantine |

pub mod bindings;
pub mod bucket;
pub mod job;
pub mod leases;
pub mod moment;
pub mod needs;
pub mod registry;

pub use bindings::Bindings;
pub use bucket::Bucket;
pub use job::Job;
pub use leases::{Expired, Granted, LeaseTable, NoBatch, Released};
pub use moment::Moment;
pub use needs::{Needs, Offer};
pub use registry::{Registration, Registry, RegistryLimits, StreamId, Worker};

#[cfg(test)]
mod tests;
