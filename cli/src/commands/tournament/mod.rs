//! `brouhaha tournament`: make, watch and steer tournaments of a coordinator.

mod games;
mod watch;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Subcommand;
use proto::v1;
use proto::v1::tournament_service_client::TournamentServiceClient;
use serde_json::{Value, json};
use server::model::{tournament_file, wire};

use crate::client::{Connection, Transport, refusal};
use crate::engine_text;
use crate::output::{Format, FormatArgument, print, table};
use crate::site::{Place, Site};
use crate::standings::{self, ColumnsArgument};
use crate::{course, settings, upload};

/// Arguments of `tournament`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha tournament create examples/first-tournament.toml\n  brouhaha tournament watch 1\n  brouhaha tournament games 1 --as pgn > games.pgn\n  brouhaha tournament enter 1 newcomers.toml\n  brouhaha tournament withdraw 1 'engine 3'\n  brouhaha tournament standings 1 --all-columns --data-dir ./brouhaha-data"
)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Make a tournament from its file, or find the one that the same file made before
    Create {
        /// The tournament file
        file: PathBuf,
        /// Make a new one even if the same was made before
        #[arg(long)]
        fresh: bool,
        #[command(flatten)]
        format: FormatArgument,
    },
    /// All tournaments, newest first
    List {
        #[command(flatten)]
        format: FormatArgument,
    },
    /// One tournament: what is played and how far it is
    Show {
        /// Number of the tournament
        id: u64,
        #[command(flatten)]
        format: FormatArgument,
    },
    /// What happens in a tournament, until its end
    Watch(watch::Arguments),
    /// Begin nothing new; games under way go on
    Pause {
        /// Number of the tournament
        id: u64,
    },
    /// Go on after a pause, and try batches again that failed too often
    Resume {
        /// Number of the tournament
        id: u64,
    },
    /// End a tournament for good; its games stay
    Cancel {
        /// Number of the tournament
        id: u64,
    },
    /// Take a game's result away, so that it is played again; the old result stays on disk
    Void {
        /// Number of the tournament
        id: u64,
        /// Index of the game, as `tournament games` lists it
        game: u32,
        /// Why
        #[arg(long)]
        reason: String,
    },
    /// The table of a tournament
    Standings {
        /// Number of the tournament
        id: u64,
        #[command(flatten)]
        format: FormatArgument,
        #[command(flatten)]
        columns: ColumnsArgument,
    },
    /// The rounds drawn so far with their results, the bracket of a knockout, the rungs of a ladder
    Rounds {
        /// Number of the tournament
        id: u64,
        #[command(flatten)]
        format: FormatArgument,
    },
    /// Make every draw again from what was known when it was made, and compare; exit code 1 when one differs
    Audit {
        /// Number of the tournament
        id: u64,
    },
    /// Let more engines come into a running round robin, pyramid, gauntlet, Swiss or adaptive tournament
    Enter {
        /// Number of the tournament
        id: u64,
        /// A file with the [[engine]] tables of the engines that come in, written as in a tournament file
        file: PathBuf,
    },
    /// Take an engine out of a running tournament: what is stored stays, the rest of its games is not played
    Withdraw {
        /// Number of the tournament
        id: u64,
        /// Name of the engine
        name: String,
    },
    /// The games of a tournament
    Games(games::Arguments),
}

/// The client of all actions.
type Client = TournamentServiceClient<Transport>;

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    settings::log("warn");
    settings::runtime()?.block_on(async {
        let site = arguments.place.open().await?;
        let done = act(&site, arguments.action).await;
        site.close().await?;
        done
    })
}

async fn act(site: &Site, action: Action) -> Result<ExitCode> {
    let mut client = site.connection.tournaments();
    match action {
        Action::Create {
            file,
            fresh,
            format,
        } => create(&site.connection, &file, fresh, format.format).await?,
        Action::List { format } => list(&mut client, format.format).await?,
        Action::Show { id, format } => show(&get(&mut client, id).await?, format.format)?,
        Action::Watch(arguments) => return watch::run(&mut client, &arguments).await,
        Action::Pause { id } => {
            let paused = client.pause(v1::PauseTournamentRequest { id }).await;
            print(line(&paused.map_err(refusal)?.into_inner()))?;
        }
        Action::Resume { id } => {
            let resumed = client.resume(v1::ResumeTournamentRequest { id }).await;
            print(line(&resumed.map_err(refusal)?.into_inner()))?;
        }
        Action::Void { id, game, reason } => {
            let voided = client
                .void_game(v1::VoidGameRequest { id, game, reason })
                .await;
            print(line(&voided.map_err(refusal)?.into_inner()))?;
        }
        Action::Cancel { id } => {
            let cancelled = client.cancel(v1::CancelTournamentRequest { id }).await;
            print(line(&cancelled.map_err(refusal)?.into_inner()))?;
        }
        Action::Rounds { id, format } => {
            let tournament = get(&mut client, id).await?;
            let course = client.course(v1::CourseRequest { id }).await;
            let course = course.map_err(refusal)?.into_inner();
            print(course::render(&tournament, &course, format.format)?)?;
        }
        Action::Audit { id } => {
            let audited = client.audit_course(v1::AuditCourseRequest { id }).await;
            let audited = audited.map_err(refusal)?.into_inner();
            for difference in &audited.told {
                eprintln!("{difference}");
            }
            print(format!(
                "{} draws made again, {} differ\n",
                audited.draws, audited.differences
            ))?;
            if audited.differences > 0 {
                return Ok(ExitCode::FAILURE);
            }
        }
        Action::Enter { id, file } => {
            let engines = tournament_file::load_engines(&file)?;
            let engines: Vec<v1::EngineSpec> = engines.iter().map(wire::engine_to_wire).collect();
            engine_text::check_builtin_options(&engines)
                .with_context(|| file.display().to_string())?;
            let names: Vec<String> = engines.iter().map(|engine| engine.name.clone()).collect();
            let request = v1::EnterEnginesRequest { id, engines };
            let entered = client.enter_engines(request).await.map_err(refusal)?;
            let entered = line(&entered.into_inner());
            print(format!("entered {}\n{entered}", names.join(", ")))?;
        }
        Action::Withdraw { id, name } => {
            let request = v1::WithdrawEngineRequest {
                id,
                name: name.clone(),
            };
            let withdrawn = client.withdraw_engine(request).await.map_err(refusal)?;
            let withdrawn = line(&withdrawn.into_inner());
            print(format!("withdrew {name}\n{withdrawn}"))?;
        }
        Action::Standings {
            id,
            format,
            columns,
        } => {
            let tournament = get(&mut client, id).await?;
            let request = v1::StandingsRequest {
                id,
                confidence: 0.0,
            };
            let table = client.standings(request).await.map_err(refusal)?;
            let (table, format) = (table.into_inner(), format.format);
            let text = standings::render(&tournament, &table, format, columns.shown())?;
            print(text)?;
        }
        Action::Games(arguments) => games::run(&mut client, &arguments).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn get(client: &mut Client, id: u64) -> Result<v1::Tournament> {
    let request = v1::GetTournamentRequest { id };
    Ok(client.get(request).await.map_err(refusal)?.into_inner())
}

async fn create(
    connection: &Connection,
    file: &std::path::Path,
    fresh: bool,
    format: Format,
) -> Result<()> {
    let tournament_file::Loaded { spec, book } = tournament_file::load(file)?;
    let spec = wire::spec_to_wire(&spec);
    engine_text::check_builtin_options(&spec.engines)
        .with_context(|| file.display().to_string())?;
    let existing = if fresh {
        v1::ExistingMode::New
    } else {
        v1::ExistingMode::Return
    };
    let request = v1::CreateTournamentRequest {
        spec: Some(spec),
        existing: existing.into(),
    };
    let created = upload::create(connection, request, book.as_deref()).await?;
    let tournament = created
        .tournament
        .context("the coordinator made no tournament")?;
    if created.existed {
        eprintln!("the same tournament was made before; --fresh makes a new one");
    }
    match format {
        Format::Table => print(format!("{}\n", tournament.id))?,
        Format::Json => {
            let made = json!({ "id": tournament.id, "existed": created.existed, "total_games": tournament.total_games });
            print(format!("{made}\n"))?;
        }
    }
    Ok(())
}

async fn list(client: &mut Client, format: Format) -> Result<()> {
    let mut all = Vec::new();
    let mut page = v1::Page {
        size: 1000,
        token: String::new(),
    };
    loop {
        let request = v1::ListTournamentsRequest {
            page: Some(page.clone()),
        };
        let list = client.list(request).await.map_err(refusal)?.into_inner();
        all.extend(list.tournaments);
        if list.next_token.is_empty() {
            break;
        }
        page.token = list.next_token;
    }
    match format {
        Format::Json => {
            let all: Vec<Value> = all.iter().map(as_json).collect();
            print(serde_json::to_string_pretty(&all)? + "\n")?;
        }
        Format::Table => {
            let row = |tournament: &v1::Tournament| {
                vec![
                    tournament.id.to_string(),
                    name(tournament).to_owned(),
                    variant(tournament).to_owned(),
                    tournament.limit_class.clone(),
                    state_text(tournament.state()).to_owned(),
                    tournament.stored_games.to_string(),
                    tournament.total_games.to_string(),
                ]
            };
            let header = ["Id", "Name", "Variant", "Limit", "State", "Stored", "Games"];
            let rows = all.iter().map(row).collect();
            print(format!("{}\n", table(&header, rows, 5)))?;
        }
    }
    Ok(())
}

fn show(tournament: &v1::Tournament, format: Format) -> Result<()> {
    if format == Format::Json {
        let text = serde_json::to_string_pretty(&as_json(tournament))?;
        print(text + "\n")?;
        return Ok(());
    }
    let mut text = line(tournament);
    text += &format!(
        "{} of {} batches are with workers\n",
        tournament.leased_batches, tournament.total_batches
    );
    for lack in &tournament.lacking {
        text += &format!("it waits: {lack}\n");
    }
    for engine in &tournament.quarantined {
        text += &format!("{}\n", crate::contest::stopped(tournament, engine));
    }
    for parked in &tournament.parked {
        text += &format!(
            "batch {} failed {} times and waits for `resume`: {}\n",
            parked.batch, parked.attempts, parked.message
        );
    }
    let row = |player: &v1::Player| {
        let short = |hash: &str| hash.chars().take(12).collect();
        vec![
            player.name.clone(),
            short(&player.id),
            short(&player.version),
        ]
    };
    let rows = tournament.players.iter().map(row).collect();
    text += &format!("\n{}\n", table(&["Player", "Id", "Version"], rows, 3));
    if let Some(spec) = &tournament.spec {
        let spec = wire::spec_from_wire(spec)?;
        text += &format!("\n{}\n", tournament_file::to_toml(&spec)?.trim_end());
    }
    print(text)?;
    Ok(())
}

/// One line about a tournament.
fn line(tournament: &v1::Tournament) -> String {
    format!(
        "tournament {} `{}`: {}, {} of {} games stored\n",
        tournament.id,
        name(tournament),
        state_text(tournament.state()),
        tournament.stored_games,
        tournament.total_games
    )
}

fn name(tournament: &v1::Tournament) -> &str {
    tournament.spec.as_ref().map_or("", |spec| &spec.name)
}

fn variant(tournament: &v1::Tournament) -> &str {
    let variant = tournament.variant.as_ref();
    variant.map_or("", |variant| &variant.id)
}

/// A state as people and scripts read it.
fn state_text(state: v1::TournamentState) -> &'static str {
    match state {
        v1::TournamentState::Running => "running",
        v1::TournamentState::Paused => "paused",
        v1::TournamentState::Finished => "finished",
        v1::TournamentState::Cancelled => "cancelled",
        v1::TournamentState::Unspecified => "unknown",
    }
}

fn as_json(tournament: &v1::Tournament) -> Value {
    let parked = tournament.parked.iter().map(|parked| {
        json!({ "batch": parked.batch, "attempts": parked.attempts, "message": parked.message })
    });
    let players = tournament
        .players
        .iter()
        .map(|player| json!({ "name": player.name, "id": player.id, "version": player.version }));
    json!({
        "id": tournament.id,
        "name": name(tournament),
        "variant": variant(tournament),
        "variant_hash": tournament.variant.as_ref().map_or("", |variant| &variant.hash),
        "limit_class": tournament.limit_class,
        "state": state_text(tournament.state()),
        "stored_games": tournament.stored_games,
        "total_games": tournament.total_games,
        "total_batches": tournament.total_batches,
        "leased_batches": tournament.leased_batches,
        "parked": parked.collect::<Vec<_>>(),
        "quarantined": tournament.quarantined.iter().map(|engine| json!({
            "engine": crate::contest::player_name(tournament, engine.player), "faults": engine.faults,
            "games": engine.games, "withdrawn": engine.withdrawn,
        })).collect::<Vec<_>>(),
        "players": players.collect::<Vec<_>>(),
    })
}
