//! `brouhaha engine`: the engine versions that a coordinator knows, and their files; probing an engine.

mod probe;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::Subcommand;
use proto::v1::{self, engine_source};
use serde_json::{Value, json};

use crate::client::{Connection, refusal};
use crate::engine_text::{self, EngineText};
use crate::output::{Format, FormatArgument, print, table};
use crate::settings;
use crate::site::Place;
use crate::upload::upload;
use crate::variants::VariantFiles;

/// Arguments of `engine`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha engine upload ./my-engine --name my-engine-2\n  brouhaha engine register --name calm command:fairy:Skill=3\n  brouhaha engine list\n  brouhaha engine probe ./my-engine --variant grand-apothecary-modern\n\nIn a tournament file an uploaded engine is `artifact = \"SHA256\"`, on a command line `artifact:SHA256`."
)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Start an external engine here, see what it says of itself, and let it play a game against itself
    Probe(probe::Arguments),
    #[command(flatten)]
    Registry(Registry),
}

/// What is asked of a coordinator.
#[derive(Debug, Subcommand)]
enum Registry {
    /// All engine versions, those of tournaments included
    List {
        #[command(flatten)]
        format: FormatArgument,
    },
    /// One engine version
    Show {
        /// Its name, or the beginning of its version
        engine: String,
        #[command(flatten)]
        format: FormatArgument,
    },
    /// Give the coordinator an engine file, which workers fetch, and print its SHA-256
    Upload {
        /// The executable
        file: PathBuf,
        /// Make it known as an engine version of this name, too
        #[arg(long)]
        name: Option<String>,
    },
    /// Make an engine version known, and print it
    Register {
        /// The engine: builtin, command:NAME or artifact:SHA256, each with :OPTION=VALUE,… or not
        #[arg(value_parser = engine_text::engine)]
        engine: EngineText,
        /// Its name
        #[arg(long)]
        name: String,
    },
}

/// Runs the command.
pub fn run(files: &VariantFiles, arguments: Arguments) -> Result<ExitCode> {
    settings::log("warn");
    let asked = match arguments.action {
        Action::Probe(probe) => return probe::run(files, &probe),
        Action::Registry(asked) => asked,
    };
    settings::runtime()?.block_on(async {
        let site = arguments.place.open().await?;
        let done = act(&site.connection, asked).await;
        site.close().await?;
        print(done?)?;
        Ok(ExitCode::SUCCESS)
    })
}

async fn act(connection: &Connection, asked: Registry) -> Result<String> {
    match asked {
        Registry::List { format } => {
            let engines = known(connection).await?;
            match format.format {
                Format::Json => pretty(&engines.iter().map(as_json).collect::<Value>()),
                Format::Table => {
                    let row = |engine: &v1::EngineVersion| {
                        vec![
                            engine.name.clone(),
                            short(&engine.version).to_owned(),
                            shown(engine),
                        ]
                    };
                    let rows = engines.iter().map(row).collect();
                    Ok(format!(
                        "{}\n",
                        table(&["Name", "Version", "Engine"], rows, 3)
                    ))
                }
            }
        }
        Registry::Show { engine, format } => {
            let engines = known(connection).await?;
            let engine = find(&engines, &engine)?;
            match format.format {
                Format::Json => pretty(&as_json(engine)),
                Format::Table => Ok(format!(
                    "name: {}\nversion: {}\nengine: {}\n",
                    engine.name,
                    engine.version,
                    shown(engine)
                )),
            }
        }
        Registry::Upload { file, name } => {
            let sha256 = upload(connection, &file).await?;
            let mut text = format!("{sha256}\n");
            if let Some(name) = name {
                let source = engine_text::engine(&format!("artifact:{sha256}"))?;
                text += &registered(connection, &source, &name).await?;
            }
            Ok(text)
        }
        Registry::Register { engine, name } => {
            engine_text::check_builtin_options(&[engine.spec(&name, None)])?;
            registered(connection, &engine, &name).await
        }
    }
}

async fn known(connection: &Connection) -> Result<Vec<v1::EngineVersion>> {
    let answer = connection.engines().list(v1::ListEnginesRequest {}).await;
    Ok(answer.map_err(refusal)?.into_inner().engines)
}

/// The version of a name, or whose hash begins so.
fn find<'a>(engines: &'a [v1::EngineVersion], wanted: &str) -> Result<&'a v1::EngineVersion> {
    let is_meant = |engine: &&v1::EngineVersion| {
        engine.name == wanted || (!wanted.is_empty() && engine.version.starts_with(wanted))
    };
    let mut found = engines.iter().filter(is_meant);
    match (found.next(), found.next()) {
        (Some(engine), None) => Ok(engine),
        (None, _) => bail!("no engine version `{wanted}`; `brouhaha engine list` shows all"),
        (Some(one), Some(other)) => bail!(
            "`{wanted}` is {} and {}; give more of the version",
            short(&one.version),
            short(&other.version)
        ),
    }
}

async fn registered(connection: &Connection, engine: &EngineText, name: &str) -> Result<String> {
    let request = v1::RegisterEngineRequest {
        engine: Some(engine.spec(name, None)),
    };
    let version = connection.engines().register(request).await;
    let version = version.map_err(refusal)?.into_inner();
    Ok(format!("{} is version {}\n", version.name, version.version))
}

fn short(version: &str) -> &str {
    version.get(..12).unwrap_or(version)
}

fn shown(engine: &v1::EngineVersion) -> String {
    engine_text::shown_source(engine.source.as_ref(), &engine.options)
}

fn as_json(engine: &v1::EngineVersion) -> Value {
    let source = engine.source.as_ref();
    let (kind, of) = match source.and_then(|source| source.kind.as_ref()) {
        Some(engine_source::Kind::Command(name)) => ("command", name.clone()),
        Some(engine_source::Kind::Artifact(hash)) => ("artifact", hash.clone()),
        Some(engine_source::Kind::Builtin(builtin)) => ("builtin", builtin.build.clone()),
        None => ("unknown", String::new()),
    };
    json!({
        "name": engine.name, "version": engine.version, "kind": kind, kind: of, "options": engine.options,
    })
}

fn pretty(value: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
