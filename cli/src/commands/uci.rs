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
    engine::uci::run(
        std::io::stdin().lock(),
        std::io::stdout(),
        variants.into_catalog(),
    )?;
    Ok(ExitCode::SUCCESS)
}
