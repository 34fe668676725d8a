//! `brouhaha uci`: the built-in engine for match runners and graphical programs.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;

use crate::variants::{VariantFiles, Variants};

/// Arguments of `uci`.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  printf 'setoption name UCI_Variant value war-of-the-roses\\nposition startpos\\ngo nodes 100000\\n' | brouhaha uci"
)]
pub struct Arguments {}

/// Speaks UCI on standard input and output until `quit` or the end of the input.
pub fn run(files: &VariantFiles, _: Arguments) -> Result<ExitCode> {
    let variants = Variants::load(files)?;
    let spoken = engine::uci::run(
        std::io::stdin().lock(),
        std::io::stdout(),
        variants.into_catalog(),
    );
    match spoken {
        // As for every command: whoever reads the answers has read enough.
        Err(engine::uci::UciError::Output(source)) => return Err(source.into()),
        spoken => spoken?,
    }
    Ok(ExitCode::SUCCESS)
}
