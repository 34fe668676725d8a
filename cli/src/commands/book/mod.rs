//! `brouhaha book`: makes opening books, and checks them, without a coordinator.

mod check;
mod make;

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;

use crate::variants::VariantFiles;

/// Arguments of `book`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha book make --variant chess --plies 8 --balance 60 --count 1000 -o book.epd\n  brouhaha book check book.epd --variant chess\n  brouhaha compare --base A --candidate B --variant chess --pairs 500 --openings file:book.epd\n\nIn a tournament file: [openings] source = \"file\", path = \"book.epd\"."
)]
pub struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a book of random openings, all different, whose score by the built-in engine is near zero
    Make(make::Arguments),
    /// Check every opening of a book (EPD, FEN or PGN) by the rules, and count; exit code 1 when one is wrong
    Check(check::Arguments),
}

/// Runs the command.
pub fn run(files: &VariantFiles, arguments: Arguments) -> Result<ExitCode> {
    match arguments.action {
        Action::Make(arguments) => make::run(files, &arguments),
        Action::Check(arguments) => check::run(files, &arguments),
    }
}
