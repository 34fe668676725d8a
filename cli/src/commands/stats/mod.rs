//! `brouhaha stats`: ratings, sequential tests and plans from numbers and files, without a coordinator.

mod cells;
mod csv;
mod list;
mod notes;
mod plan;
mod ratings;
mod sprt;

pub(crate) use cells::{Unit, level};
use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

/// Arguments of `stats`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  brouhaha stats ratings games.pgn more.pgn --anchor base --anchor-elo 3000
  brouhaha stats sprt --pairs 10,35,70,120,310,130,80,40,15 --elo0 0 --elo1 5
  brouhaha stats plan --elo0 0 --elo1 5 --shares 20,10,40,10,20")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Rate the players of games in files: PGN, CSV, JSON lines
    Ratings(ratings::Arguments),
    /// What a sequential test says of results that are counted already
    Sprt(sprt::Arguments),
    /// How long a sequential test will take, and what a match of fixed length will show
    Plan(plan::Arguments),
}

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    match arguments.command {
        Command::Ratings(ratings) => ratings::run(&ratings),
        Command::Sprt(sprt) => sprt::run(&sprt),
        Command::Plan(plan) => plan::run(&plan),
    }
}
