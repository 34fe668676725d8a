//! The coordinator over loopback, with a scripted worker and real clients.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod actions;
mod analysis;
mod courses;
mod decided_knockouts;
mod evaluations;
mod harness;
mod idle;
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
mod swiss;
mod tie_breaks;
mod tournaments;
mod tunings;
mod versions;
mod voids;
mod watch;
mod worker;
