//! The coordinator over loopback, with a scripted worker and real clients.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod analysis;
mod courses;
mod evaluations;
mod harness;
mod knockouts;
mod leases;
mod newcomers;
mod once;
mod one_order;
mod pages;
mod partitions;
mod rating_forecast;
mod rating_history;
mod rating_options;
mod rating_past;
mod rating_refused;
mod rating_tables;
mod ratings;
mod restart;
mod sequential;
mod tie_breaks;
mod tournaments;
mod watch;
mod worker;
