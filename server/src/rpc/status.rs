//! The one map from errors to gRPC status.

use std::io;

use tonic::{Code, Status};

use crate::{
    coordinator::Error,
    model::{DigestError, SpecError},
    store::StoreError,
};

/// The status of an error; its message is the error's.
pub(super) fn status(error: Error) -> Status {
    let code = match &error {
        Error::Invalid(_) => Code::InvalidArgument,
        Error::NotFound(_) => Code::NotFound,
        Error::Precondition(_) | Error::UnknownSession => Code::FailedPrecondition,
        Error::Exhausted(_) => Code::ResourceExhausted,
        Error::Stopping => Code::Unavailable,
        Error::Store(error) => store(error),
        Error::Internal(_) => Code::Internal,
    };
    if matches!(code, Code::Internal | Code::DataLoss) {
        tracing::error!(%error, "a call failed inside");
    }
    Status::new(code, error.to_string())
}

fn store(error: &StoreError) -> Code {
    match error {
        StoreError::Group(error) | StoreError::Failed(error) => store(error),
        StoreError::Io { source, .. } => match source.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Code::ResourceExhausted,
            _ => Code::Unavailable,
        },
        StoreError::Damaged { .. } | StoreError::Unreadable { .. } => Code::DataLoss,
        StoreError::Closed => Code::Unavailable,
        StoreError::TooLarge { .. } => Code::InvalidArgument,
        StoreError::State { .. }
        | StoreError::NotAStore(_)
        | StoreError::Missing(_)
        | StoreError::Schema { .. }
        | StoreError::InUse(_) => Code::Internal,
    }
}

/// The status of a wrong specification.
pub(super) fn bad_spec(error: SpecError) -> Status {
    status(error.into())
}

/// The status of a wrong hash.
pub(super) fn bad_hash(field: &str) -> impl Fn(DigestError) -> Status {
    move |error| Status::invalid_argument(format!("{field}: {error}"))
}

/// The status of a missing field.
pub(super) fn missing(field: &str) -> Status {
    Status::invalid_argument(format!("{field}: is missing"))
}
