//! The coordinator: schedule, dispatch, verify, store, rate, serve.

pub mod dispatch;
pub mod model;
pub mod ratings;
pub mod schedule;
pub mod store;
pub mod telemetry;
