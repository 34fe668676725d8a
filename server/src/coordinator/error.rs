//! Why a use case refused.

use crate::{model::SpecError, store::StoreError};

/// Why a use case refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A request is wrong; the message names the field.
    #[error("{0}")]
    Invalid(String),
    /// What was asked for does not exist.
    #[error("{0} does not exist")]
    NotFound(String),
    /// It cannot be done in the present state.
    #[error("{0}")]
    Precondition(String),
    /// A limit is reached.
    #[error("{0}")]
    Exhausted(String),
    /// The session of a worker is not known.
    #[error("the session is not known: register again")]
    UnknownSession,
    /// The coordinator is stopping.
    #[error("the coordinator is stopping: try again later")]
    Stopping,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A task of the coordinator ended without an answer.
    #[error("the coordinator failed inside: {0}: its log says more")]
    Internal(String),
}

impl From<SpecError> for Error {
    fn from(error: SpecError) -> Self {
        Self::Invalid(error.to_string())
    }
}

impl From<tokio::task::JoinError> for Error {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Internal(error.to_string())
    }
}
