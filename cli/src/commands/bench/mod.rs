//! `brouhaha bench`: what the engine is measured by.

mod baseline;
mod signature;
mod stop;
mod tactics;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Arguments of `bench`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha bench\n  brouhaha bench tactics --variant chess --nodes 1000,10000\n  brouhaha bench stop\n  brouhaha bench baseline engine/benches/baseline.json"
)]
pub struct Arguments {
    #[command(subcommand)]
    what: Option<What>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Share of tactical positions with proved solutions that is solved with so many nodes
    Tactics(tactics::Arguments),
    /// Compare signature and instruction counts with a committed baseline, or renew it
    Baseline(baseline::Arguments),
    /// Time from `stop` to `bestmove`, as another program sees it
    Stop(stop::Arguments),
}

/// Runs it.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    match arguments.what {
        None => signature::run(),
        Some(What::Baseline(baseline)) => baseline::run(&baseline),
        Some(What::Tactics(tactics)) => tactics::run(&tactics),
        Some(What::Stop(stop)) => stop::run(&stop),
    }
}
