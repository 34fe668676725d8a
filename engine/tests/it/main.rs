//! Tests of `engine` from outside.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its cases fails"
)]

mod augmenters;
mod hostile;
mod perft;
mod positions;
#[cfg(feature = "search")]
mod search;
#[cfg(feature = "search")]
mod search_features;
#[cfg(feature = "search")]
mod search_mates;
#[cfg(feature = "search")]
mod search_outcomes;
#[cfg(feature = "search")]
mod tactics;
#[cfg(feature = "search")]
mod uci;
#[cfg(feature = "search")]
mod uci_search;
mod vectors;
