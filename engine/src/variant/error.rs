//! Why a variant file cannot be used: the file, the key and the reason.

use crate::betza::BetzaError;

/// A variant file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum VariantError {
    /// The text is not TOML of the expected shape; the message has line and column.
    #[error("variant file {origin}: {message}")]
    Toml {
        /// The file's name.
        origin: String,
        /// What is wrong, with line and column.
        message: String,
    },
    /// A key has a value that makes no sense.
    #[error("variant file {origin}: key `{key}`: {reason}")]
    Key {
        /// The file's name.
        origin: String,
        /// The key, with dots.
        key: String,
        /// What is wrong and what would be right.
        reason: String,
    },
    /// A piece's move text cannot be read.
    #[error("variant file {origin}: key `{key}`")]
    Betza {
        /// The file's name.
        origin: String,
        /// The key, with dots.
        key: String,
        /// What is wrong in the text.
        #[source]
        source: BetzaError,
    },
    /// The file extends a variant that is not known.
    #[error("variant file {origin}: extends `{parent}`, which is not known; known are: {known}")]
    UnknownParent {
        /// The file's name.
        origin: String,
        /// The name it extends.
        parent: String,
        /// The names there are.
        known: String,
    },
    /// The file cannot be read.
    #[error("variant file {origin} cannot be read")]
    Read {
        /// The file's name.
        origin: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// A set-up number outside the variant's range.
    #[error("{variant} has no set-up number {number}: numbers are {first} to {last}")]
    SetupNumber {
        /// The variant's id.
        variant: String,
        /// The number asked for.
        number: u64,
        /// Smallest number.
        first: u64,
        /// Largest number.
        last: u64,
    },
}

impl VariantError {
    /// The error with line and column of its key in the text, where the key stands there.
    pub(super) fn located(mut self, text: &str) -> VariantError {
        if let VariantError::Key { origin, key, .. } | VariantError::Betza { origin, key, .. } =
            &mut self
            && let Some((line, column)) = super::place::place(text, key)
        {
            *origin = format!("{origin}:{line}:{column}");
        }
        self
    }
}
