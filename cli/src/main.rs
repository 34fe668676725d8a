//! The binary `brouhaha`: one subcommand per file, wiring only.
#![expect(
    clippy::print_stderr,
    reason = "progress and errors are for people; results go through `output::print`"
)]

mod client;
mod commands;
mod contest;
mod course;
mod difference;
mod engine_text;
mod files;
mod fleet;
mod link;
mod local;
mod opening_text;
mod output;
mod patience;
mod progress;
mod settings;
mod site;
mod standings;
mod upload;
mod variants;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = commands::Brouhaha::parse();
    if let Err(error) = engine::simd::check() {
        eprintln!("error: {error}");
        return ExitCode::from(2);
    }
    match commands::run(arguments) {
        Ok(code) => code,
        // Whoever reads the results has read enough, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", causes(&error));
            ExitCode::FAILURE
        }
    }
}

/// The error with its causes, each said once: many errors repeat the text of their source.
fn causes(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<std::io::Error>();
    cause.is_some_and(|cause| cause.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::causes;

    #[test]
    fn each_cause_is_said_once() {
        let error = anyhow!("File exists")
            .context("`x`: File exists")
            .context("no store");
        assert_eq!(causes(&error), "no store: `x`: File exists");
        assert_eq!(causes(&anyhow!("b").context("a")), "a: b");
    }
}
