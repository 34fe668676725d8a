//! The stub: connection, retry, reports that wait for their answer.
//!
//! | module | does |
//! | --- | --- |
//! | [`backoff`] | how long to wait before the next try |
//! | [`stub`] | the calls of the worker service, each with its time limit |
//! | [`link`] | one session after another: register, open the stream, notice that it broke |
//! | [`outbox`] | reports that the coordinator has not answered yet |

pub mod backoff;
pub mod link;
pub mod outbox;
pub mod stub;

pub use backoff::Backoff;
pub use link::{Link, LinkEvent};
pub use outbox::Outbox;
pub use stub::Stub;
