//! `brouhaha run`: a tournament on this machine, from its file to its table.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use proto::v1;
use server::model::{tournament_file, wire};

use crate::client::{Connection, refusal};
use crate::fleet::FleetArguments;
use crate::local::Local;
use crate::output::{Format, FormatArgument, points, print};
use crate::progress::Progress;
use crate::settings::{self, DataDir};
use crate::standings;

/// Between two looks at the standings for the progress display.
const LOOK: Duration = Duration::from_secs(3);

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
}

/// How a tournament came to its end here.
enum Ending {
    Finished,
    Interrupted,
}

/// Runs the tournament.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    settings::log("warn");
    let spec = tournament_file::load(&arguments.file)?;
    let commands = arguments.fleet.engines.commands()?;
    for engine in &spec.engines {
        if let server::model::EngineSource::Command(name) = &engine.source
            && commands.get(name).is_none()
        {
            bail!(
                "engine `{}`: the command `{name}` is not known here; say where it is with --engine {name}=PATH",
                engine.name
            );
        }
    }
    let spec = wire::spec_to_wire(&spec);
    settings::runtime()?.block_on(async {
        let mut local = Local::start(&arguments.data_dir, &arguments.fleet).await?;
        let played = play(&mut local, spec, &arguments).await;
        let stopped = local.stop().await;
        let code = played?;
        stopped?;
        Ok(code)
    })
}

async fn play(
    local: &mut Local,
    spec: v1::TournamentSpec,
    arguments: &Arguments,
) -> Result<ExitCode> {
    let connection = local.connection.clone();
    let tournament = tokio::select! {
        created = create(&connection, spec, arguments.fresh) => created?,
        () = settings::stop_signal() => bail!("interrupted before the tournament began"),
    };
    let ending = match tournament.state() {
        v1::TournamentState::Finished => Ending::Finished,
        _ => watch(local, &tournament).await?,
    };
    let shown = table(&connection, tournament.id, arguments.format.format).await?;
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

/// Makes the tournament or finds the one begun before, and says which.
async fn create(
    connection: &Connection,
    spec: v1::TournamentSpec,
    fresh: bool,
) -> Result<v1::Tournament> {
    let mut client = connection.tournaments();
    let name = spec.name.clone();
    let existing = if fresh {
        v1::ExistingMode::New
    } else {
        v1::ExistingMode::Return
    };
    let request = v1::CreateTournamentRequest {
        spec: Some(spec),
        existing: existing.into(),
    };
    let response = client.create(request).await.map_err(refusal)?.into_inner();
    let mut tournament = response
        .tournament
        .context("the coordinator made no tournament")?;
    let (stored, total) = (tournament.stored_games, tournament.total_games);
    match (response.existed, tournament.state()) {
        (true, v1::TournamentState::Finished) => {
            eprintln!("this tournament is finished; --fresh plays it again")
        }
        (true, v1::TournamentState::Cancelled) => {
            bail!("this tournament was cancelled; --fresh plays it again")
        }
        (true, _) => {
            eprintln!("going on after {stored} of {total} games");
            // Also tries batches again that failed too often.
            let request = v1::ResumeTournamentRequest { id: tournament.id };
            tournament = client.resume(request).await.map_err(refusal)?.into_inner();
        }
        (false, _) if !fresh => {
            let list = client
                .list(v1::ListTournamentsRequest::default())
                .await
                .map_err(refusal)?
                .into_inner();
            let same_name = |t: &&v1::Tournament| {
                t.id != tournament.id && t.spec.as_ref().is_some_and(|s| s.name == name)
            };
            if let Some(other) = list.tournaments.iter().find(same_name) {
                eprintln!(
                    "`{name}` or the engine has changed since tournament {} of that name: this is a new one",
                    other.id
                );
            }
        }
        _ => {}
    }
    Ok(tournament)
}

/// Shows the progress until the end or a stop signal.
async fn watch(local: &mut Local, tournament: &v1::Tournament) -> Result<Ending> {
    let mut client = local.connection.tournaments();
    let id = tournament.id;
    let request = v1::WatchTournamentRequest {
        id,
        from_sequence: tournament.sequence,
        progress: false,
    };
    let mut events = client.watch(request).await.map_err(refusal)?.into_inner();
    let mut progress = Progress::new(
        "games",
        tournament.total_games.into(),
        tournament.stored_games.into(),
    );
    let mut look = tokio::time::interval(LOOK);
    let mut stuck = 0;
    let mut parked_before = tournament.parked.len();
    let stop = settings::stop_signal();
    tokio::pin!(stop);
    let ending = loop {
        tokio::select! {
            event = events.message() => match event.map_err(refusal)? {
                None => break ending(&mut client, id).await?,
                Some(event) => match event.event {
                    Some(v1::tournament_event::Event::Parked(parked)) => progress.say(&format!("batch {} failed {} times and waits: {}", parked.batch, parked.attempts, parked.message)),
                    Some(v1::tournament_event::Event::State(change)) => progress.set(change.stored_games.into()),
                    _ => {}
                },
            },
            _ = look.tick() => {
                let now = client.get(v1::GetTournamentRequest { id }).await.map_err(refusal)?.into_inner();
                progress.set(now.stored_games.into());
                progress.note(leaders(&local.connection, id).await?);
                // Parked batches and nothing under way: nobody will play the rest.
                let waits = !now.parked.is_empty() && now.leased_batches == 0 && now.parked.len() >= parked_before;
                parked_before = now.parked.len();
                stuck = if waits { stuck + 1 } else { 0 };
                if stuck >= 3 {
                    let why = now.parked.first().map(|p| p.message.clone()).unwrap_or_default();
                    progress.finish();
                    bail!("{} batches failed too often ({why}); mend the cause and run the same command again", now.parked.len());
                }
            }
            lost = local.fleet.lost() => {
                progress.finish();
                lost.context("no worker is left; the games played so far are stored")?;
                bail!("no worker is left; run the same command again to go on");
            }
            () = &mut stop => break Ending::Interrupted,
        }
    };
    let now = client
        .get(v1::GetTournamentRequest { id })
        .await
        .map_err(refusal)?
        .into_inner();
    progress.set(now.stored_games.into());
    progress.finish();
    Ok(ending)
}

async fn ending(
    client: &mut v1::tournament_service_client::TournamentServiceClient<crate::client::Transport>,
    id: u64,
) -> Result<Ending> {
    let now = client
        .get(v1::GetTournamentRequest { id })
        .await
        .map_err(refusal)?
        .into_inner();
    match now.state() {
        v1::TournamentState::Finished => Ok(Ending::Finished),
        v1::TournamentState::Cancelled => bail!("the tournament was cancelled"),
        _ => bail!(
            "the coordinator ended the report of the tournament; run the same command again to go on"
        ),
    }
}

/// The first three players and their points.
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
    let texts: Vec<String> = standings
        .rows
        .iter()
        .take(3)
        .map(|r| format!("{} {}/{}", r.name, points(r.quarters), r.games))
        .collect();
    Ok(texts.join("  "))
}

/// The table of a tournament.
async fn table(connection: &Connection, id: u64, format: Format) -> Result<String> {
    let mut client = connection.tournaments();
    let tournament = client
        .get(v1::GetTournamentRequest { id })
        .await
        .map_err(refusal)?
        .into_inner();
    let standings = client
        .standings(v1::StandingsRequest {
            id,
            confidence: 0.0,
        })
        .await
        .map_err(refusal)?
        .into_inner();
    standings::render(&tournament, &standings, format)
}
