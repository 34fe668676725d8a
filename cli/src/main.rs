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

use std::error::Error as _;
use std::io::IsTerminal as _;
use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = match commands::Brouhaha::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
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

/// Prints help, the version, or what is wrong with the arguments, as clap does, but of numbers in plain words.
fn usage(error: &clap::Error) -> ExitCode {
    let code = ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
    let plain = error
        .source()
        .and_then(|source| Some((source.to_string(), plain_words(source)?)));
    let printed = match plain {
        None => error.print(),
        Some((source, plain)) => {
            let text = error.render();
            let text = if std::io::stderr().is_terminal() {
                text.ansi().to_string()
            } else {
                text.to_string()
            };
            eprint!("{}", text.replace(&source, plain));
            Ok(())
        }
    };
    // A closed stream has no reader to be told.
    printed.map_or(ExitCode::FAILURE, |()| code)
}

/// What a number that cannot be read should have been.
fn plain_words(error: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    use std::num::IntErrorKind::{NegOverflow, PosOverflow};
    if error.is::<std::num::ParseFloatError>() {
        return Some("a number is needed, e.g. 0.5");
    }
    Some(
        match error.downcast_ref::<std::num::ParseIntError>()?.kind() {
            PosOverflow => "the number is too large",
            NegOverflow => "the number is too small",
            _ => "a whole number is needed",
        },
    )
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
