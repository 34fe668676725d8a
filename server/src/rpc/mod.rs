//! gRPC: the only module that names tonic; conversion, authorisation, and the one map from errors to status.
//!
//! | module | does |
//! | --- | --- |
//! | [`serve`](mod@serve) | all services and the web pages on one stream of connections |
//! | [`auth`] | the bearer token |
//! | [`status`] | from errors to gRPC status |
//! | [`stream`] | server streams that end with the client or the server |
//! | [`paced`] | something that changes, sent again with pauses |
//! | [`worker`], [`tournament`], [`rating`], [`analysis`], [`engine`], [`variant`] | one service each |

mod analysis;
mod auth;
mod engine;
mod paced;
mod rating;
mod serve;
mod status;
mod stream;
mod tournament;
mod tuning;
mod variant;
mod worker;

pub use serve::{ServeError, bind, serve};

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::coordinator::Coordinator;

/// What every service works with.
#[derive(Clone)]
struct Context {
    coordinator: Arc<Coordinator>,
    shutdown: CancellationToken,
}
