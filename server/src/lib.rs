//! The coordinator: schedule, dispatch, verify, store, rate, serve.
//!
//! ```no_run
//! use server::{Config, Coordinator};
//! use tokio_util::sync::CancellationToken;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let config = Config::new("./brouhaha-data");
//! let coordinator = tokio::task::spawn_blocking(|| Coordinator::open(config)).await??;
//! let (incoming, address) = server::bind("127.0.0.1:0".parse()?)?;
//! println!("listening on {address}");
//! // The coordinator's use cases can also be called directly, beside the served ones.
//! server::serve(coordinator, incoming, CancellationToken::new()).await?;
//! # Ok(())
//! # }
//! ```

pub mod config;
pub mod coordinator;
pub mod dispatch;
pub mod model;
pub mod ratings;
pub mod results;
mod rpc;
pub mod rules;
pub mod schedule;
pub mod store;
pub mod telemetry;
mod token;
mod web;

pub use config::Config;
pub use coordinator::Coordinator;
pub use rpc::{ServeError, bind, serve};
