//! `brouhaha run`: a tournament on this machine, from its file to its table.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use proto::v1;
use server::model::{EngineSource, tournament_file, wire};

use super::{compare, tune};
use crate::client::{Connection, refusal};
use crate::contest::{self, Ending};
use crate::course;
use crate::engine_text;
use crate::fleet::FleetArguments;
use crate::output::{Format, FormatArgument, points, print};
use crate::settings::{self, DataDir};
use crate::site::Site;
use crate::standings::{self, ColumnsArgument};

/// Arguments of `run`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  brouhaha run examples/first-tournament.toml\n\nInterrupted and run again with the same file, it goes on where it was."
)]
pub struct Arguments {
    /// The tournament file
    file: PathBuf,
    #[command(flatten)]
    data_dir: DataDir,
    #[command(flatten)]
    fleet: FleetArguments,
    /// Play it anew even if it was begun or finished before
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    format: FormatArgument,
    #[command(flatten)]
    columns: ColumnsArgument,
}

/// Runs the tournament.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    settings::log("warn");
    let tournament_file::Loaded { spec, book } = tournament_file::load(&arguments.file)?;
    let commands = arguments.fleet.engines.commands()?;
    for engine in &spec.engines {
        if let EngineSource::Command { name, .. } = &engine.source
            && commands.get(name).is_none()
        {
            bail!(
                "engine `{}`: the command `{name}` is not known here; say where it is with --engine {name}=PATH",
                engine.name
            );
        }
    }
    let spec = wire::spec_to_wire(&spec);
    engine_text::check_builtin_options(&spec.engines)
        .with_context(|| arguments.file.display().to_string())?;
    settings::runtime()?.block_on(async {
        let mut site = Site::with_workers(&arguments.data_dir, &arguments.fleet).await?;
        let played = play(&mut site, spec, book.as_deref(), &arguments).await;
        let stopped = site.close().await;
        let code = played?;
        stopped?;
        Ok(code)
    })
}

async fn play(
    site: &mut Site,
    spec: v1::TournamentSpec,
    book: Option<&Path>,
    arguments: &Arguments,
) -> Result<ExitCode> {
    let tournament = tokio::select! {
        begun = contest::begin(site, spec, book, arguments.fresh) => begun?,
        () = settings::stop_signal() => bail!("interrupted before the tournament began"),
    };
    let id = tournament.id;
    let note = async |connection: &Connection| leaders(connection, id).await;
    let ending = contest::to_end(site, &tournament, note).await?;
    let shown = table(&site.connection, id, arguments).await?;
    match ending {
        Ending::Finished => {
            print(shown)?;
            Ok(ExitCode::SUCCESS)
        }
        Ending::Interrupted => {
            if arguments.format.format == Format::Table {
                eprint!("{shown}");
            }
            eprintln!("interrupted: run the same command again to go on");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The first three players, their points and games.
async fn leaders(connection: &Connection, id: u64) -> Result<String> {
    let request = v1::StandingsRequest {
        id,
        confidence: 0.0,
    };
    let standings = connection
        .tournaments()
        .standings(request)
        .await
        .map_err(refusal)?
        .into_inner();
    let texts: Vec<String> = standings.rows.iter().take(3).map(leader).collect();
    Ok(texts.join("  "))
}

/// One of them. Points without games are among the points, as in the table.
fn leader(row: &v1::StandingsRow) -> String {
    let all = points(row.quarters + row.given_quarters);
    let given = match row.given_quarters {
        0 => String::new(),
        given => format!(" ({} given)", points(given)),
    };
    format!("{} {all}/{}{given}", row.name, row.games)
}

/// The table of a tournament.
async fn table(connection: &Connection, id: u64, arguments: &Arguments) -> Result<String> {
    let format = arguments.format.format;
    let mut client = connection.tournaments();
    let tournament = client
        .get(v1::GetTournamentRequest { id })
        .await
        .map_err(refusal)?
        .into_inner();
    if tune::is_tuning(&tournament) {
        return tune::shown(connection, &tournament, format).await;
    }
    let standings = client
        .standings(v1::StandingsRequest {
            id,
            confidence: 0.0,
        })
        .await
        .map_err(refusal)?
        .into_inner();
    if standings.sprt.is_some() {
        return compare::verdict(connection, &tournament, format).await;
    }
    let text = standings::render(&tournament, &standings, format, arguments.columns.shown())?;
    if format == Format::Json {
        return Ok(text);
    }
    let course = client.course(v1::CourseRequest { id }).await;
    let course = course.map_err(refusal)?.into_inner();
    Ok(text + &course::outcome(&tournament, &course))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaders_have_the_points_of_the_table() {
        let row = v1::StandingsRow {
            name: "p1".into(),
            games: 4,
            quarters: 13,
            ..Default::default()
        };
        assert_eq!(leader(&row), "p1 3.25/4");
        let given_quarters = 8;
        let row = v1::StandingsRow {
            given_quarters,
            ..row
        };
        assert_eq!(leader(&row), "p1 5.25/4 (2 given)");
    }
}
