//! `brouhaha completions`: what a shell needs to complete commands.

use std::process::ExitCode;

use anyhow::Result;
use clap::CommandFactory;

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  brouhaha completions bash > ~/.local/share/bash-completion/completions/brouhaha"
)]
pub struct Arguments {
    /// The shell
    shell: clap_complete::Shell,
}

/// Prints the completions.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    let mut command = super::Brouhaha::command();
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "brouhaha", &mut text);
    crate::output::print(String::from_utf8_lossy(&text))?;
    Ok(ExitCode::SUCCESS)
}
