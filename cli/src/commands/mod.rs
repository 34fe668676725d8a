//! The subcommands.

mod bench;
mod rules;
mod uci;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::variants::VariantFiles;

/// Runs tournaments of chess-variant engines, rates them, and knows the rules.
#[derive(Debug, Parser)]
#[command(name = "brouhaha", version, propagate_version = true)]
pub struct Brouhaha {
    #[command(flatten)]
    variants: VariantFiles,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Look at the rules: start positions, legal moves, perft, replaying games
    Rules(rules::Arguments),
    /// The built-in engine, by the UCI protocol on standard input and output
    Uci(uci::Arguments),
    /// The engine's node-count signature and speed
    Bench(bench::Arguments),
}

/// Runs a subcommand and gives the exit code.
pub fn run(arguments: Brouhaha) -> Result<ExitCode> {
    match arguments.command {
        Command::Rules(rules) => rules::run(&arguments.variants, rules),
        Command::Uci(uci) => uci::run(&arguments.variants, uci),
        Command::Bench(bench) => bench::run(bench),
    }
}
