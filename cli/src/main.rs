//! The binary `brouhaha`: one subcommand per file, wiring only.
#![expect(
    clippy::print_stderr,
    reason = "progress and errors are for people; results go through `output::print`"
)]

mod client;
mod commands;
mod contest;
mod engine_text;
mod fleet;
mod local;
mod output;
mod progress;
mod settings;
mod site;
mod standings;
mod variants;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = commands::Brouhaha::parse();
    match commands::run(arguments) {
        Ok(code) => code,
        // Whoever reads the results has read enough, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<std::io::Error>();
    cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}
