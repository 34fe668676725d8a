//! Tests of `engine` from outside.
#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot read its cases fails"
)]

mod vectors;
