//! `brouhaha guard`: becomes another program that ends when its parent does, however that ends.

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::Result;

/// Arguments of `guard`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  brouhaha guard /usr/games/stockfish")]
pub struct Arguments {
    /// The program with its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<OsString>,
}

/// Becomes the program.
#[cfg(unix)]
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;

    use worker::play::child::ending::NoStart;

    // A worker that is killed can kill nobody. Elsewhere an engine notices only the end of its standard input.
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getppid();
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        if rustix::process::getppid() != parent {
            anyhow::bail!("the parent ended before the start");
        }
    }
    let (program, rest) = (&arguments.program[0], &arguments.program[1..]);
    let error = std::process::Command::new(program).args(rest).exec();
    let (NoStart::Program(problem) | NoStart::Host(problem)) = NoStart::of(&error);
    anyhow::bail!("`{}` cannot be started: {problem}", program.display())
}

/// Starts the program and waits for it.
#[cfg(not(unix))]
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    let (program, rest) = (&arguments.program[0], &arguments.program[1..]);
    let status = std::process::Command::new(program).args(rest).status()?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
