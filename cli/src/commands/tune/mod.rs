//! `brouhaha tune`: the weights of evaluation by results of games, and options of any engine by games of its own.

mod course;
mod evaluation;
mod show;
mod spsa;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use proto::v1;

use crate::client::Connection;
use crate::output::Format;
use crate::variants::VariantFiles;

/// Arguments of `tune`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  brouhaha tournament games 1 --as json --data-dir ./brouhaha-data > games.jsonl
  brouhaha tune evaluation --variant chess --out chess.toml games.jsonl
  brouhaha tune values --variant chess --evaluation chess.toml
  brouhaha tune spsa builtin --param Mobility=100,0,300,20,0.002 --variant chess --pairs 5000 --limit nodes=5000")]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Fit the weights of a variant's evaluation to games, and write them as an evaluation file
    Evaluation(evaluation::Evaluation),
    /// What the men of a variant are worth by its evaluation, in centipawns
    Values(evaluation::Values),
    /// Tune options of an engine by games against itself (simultaneous perturbation stochastic approximation)
    Spsa(Box<spsa::Arguments>),
    /// How a tuning by SPSA goes: its parameters now and as they developed
    Show(show::Arguments),
}

/// Tunes.
pub fn run(variants: &VariantFiles, arguments: Arguments) -> Result<ExitCode> {
    match arguments.command {
        Command::Evaluation(evaluation) => evaluation::tune(variants, &evaluation),
        Command::Values(values) => evaluation::show_values(variants, &values),
        Command::Spsa(spsa) => spsa::run(variants, *spsa),
        Command::Show(show) => show::run(&show),
    }
}

/// Whether a tournament is a tuning.
pub(super) fn is_tuning(tournament: &v1::Tournament) -> bool {
    let spec = tournament.spec.as_ref();
    let format = spec.and_then(|spec| spec.format.as_ref());
    format.is_some_and(|format| format.kind() == v1::FormatKind::Spsa)
}

/// How a tuning goes, as `tune show` prints it.
pub(super) async fn shown(
    connection: &Connection,
    tournament: &v1::Tournament,
    format: Format,
) -> Result<String> {
    let course = course::Course::ask(connection, tournament.id, 0).await?;
    course.shown(tournament, format.into())
}
