//! `brouhaha tune show`: how a tuning by SPSA goes.

use std::process::ExitCode;

use anyhow::Result;

use super::course::{Course, Format};
use crate::contest;
use crate::output::print;
use crate::settings;
use crate::site::Place;

/// Arguments of `tune show`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  brouhaha tune show 3 --format csv --points 500 --data-dir ./brouhaha-data > course.csv")]
pub(super) struct Arguments {
    /// The number of its tournament
    #[arg(value_name = "ID")]
    id: u64,
    /// Most points of the history, in JSON and CSV
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    points: u32,
    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    #[command(flatten)]
    place: Place,
}

/// Shows.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    settings::log("warn");
    settings::runtime()?.block_on(async {
        let site = arguments.place.open().await?;
        let shown = async {
            let tournament = contest::get(&site.connection, arguments.id).await?;
            let course = Course::ask(&site.connection, arguments.id, arguments.points).await?;
            course.shown(&tournament, arguments.format)
        };
        let shown = shown.await;
        site.close().await?;
        print(shown?)?;
        Ok(ExitCode::SUCCESS)
    })
}
