//! Tests of the worker: badly behaved engines, and a coordinator that follows a script.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test that cannot go on fails"
)]

mod badly;
mod coordinator;
mod engines;
mod refusal;
mod session;
mod supplies;
mod uci;
mod work;
mod xboard;
