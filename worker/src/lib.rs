//! Leases batches from a coordinator, plays or analyses them, and reports.
//!
//! | module | does |
//! | --- | --- |
//! | [`config`] | what a worker is told: coordinator, slots, external engines |
//! | [`error`] | why a worker gives up |
//! | [`executable`] | executables of external engines and the hashes that they are known by |
//! | [`artifacts`] | engine files of the coordinator, kept by hash |
//! | [`job`] | batches as leased, made ready, and held |
//! | [`play`] | players and the game loop |
//! | [`analyse`] | one position by one player |
//! | [`heartbeat`] | when a game or a lease says that it goes on |
//! | [`pool`] | the slots: one thread each |
//! | [`client`] | the stub: connection, retry, reports that wait for their answer |
//! | [`runner`] | puts it all together |

pub mod analyse;
pub mod artifacts;
pub mod client;
pub mod config;
pub mod error;
pub mod executable;
pub mod heartbeat;
pub mod job;
pub mod play;
pub mod pool;
pub mod runner;

pub use config::{CommandEngine, Commands, Protocol, WorkerConfig};
pub use error::WorkerError;
pub use runner::{Summary, run};
