//! `brouhaha engine`: the engine versions that a coordinator knows, and their files; probing an engine.

mod platform;
mod probe;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Subcommand;
use proto::v1::{self, engine_source};
use serde_json::{Value, json};
use server::model::Platform;

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
    after_help = "Examples:\n  brouhaha engine upload ./my-engine --name my-engine-2\n  brouhaha engine upload linux/engine windows/engine.exe --name my-engine-3 --option Hash=64\n  brouhaha engine register --name calm command:fairy:Skill=3\n  brouhaha engine list\n  brouhaha engine probe ./my-engine --variant grand-apothecary-modern\n\nIn a tournament file a version is `version = \"NAME\"` and an uploaded file `artifact = \"SHA256\"`, on a command line `version:NAME` and `artifact:SHA256`."
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
        /// Retired ones, too
        #[arg(long)]
        all: bool,
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
    /// Give the coordinator an engine's files, which workers fetch, and print the SHA-256 of each
    Upload {
        /// The executable, or one for each platform
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Make it known as an engine version of this name, too
        #[arg(long)]
        name: Option<String>,
        /// Platform of a single file, as linux-x86_64 or any [default: what the executable says; any for a script]
        #[arg(long, value_name = "SYSTEM-PROCESSOR", requires = "name")]
        platform: Option<String>,
        /// What it speaks
        #[arg(long, value_enum, default_value_t = Protocol::Uci, requires = "name")]
        protocol: Protocol,
        /// Options of the version
        #[arg(long = "option", value_name = "NAME=VALUE", requires = "name")]
        options: Vec<String>,
    },
    /// Take an engine version out of use: new tournaments are refused it, those that run go on
    Retire {
        /// Its name, or the beginning of its version
        engine: String,
        /// Take it back into use
        #[arg(long)]
        undo: bool,
    },
    /// Make an engine version known, and print it
    Register {
        /// The engine: builtin, command:NAME, artifact:SHA256 or artifact:xboard:SHA256, each with :OPTION=VALUE,… or not
        #[arg(value_parser = engine_text::engine)]
        engine: EngineText,
        /// Its name
        #[arg(long)]
        name: String,
    },
}

/// What an engine speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Protocol {
    /// UCI
    Uci,
    /// The Chess Engine Communication Protocol, version 2
    Xboard,
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
        Registry::List { all, format } => {
            let engines = known(connection, all).await?;
            match format.format {
                Format::Json => pretty(&engines.iter().map(as_json).collect::<Value>()),
                Format::Table => {
                    let row = |engine: &v1::EngineVersion| {
                        vec![
                            names(engine),
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
            let engines = known(connection, true).await?;
            let engine = find(&engines, &engine)?;
            match format.format {
                Format::Json => pretty(&as_json(engine)),
                Format::Table => Ok(described(engine)),
            }
        }
        Registry::Upload {
            files,
            name,
            platform,
            protocol,
            options,
        } => {
            let options = engine_text::options(&options).context("--option")?;
            if platform.is_some() && files.len() > 1 {
                bail!(
                    "--platform is of a single file; several files say themselves what they are for"
                );
            }
            let mut uploaded = Vec::new();
            for file in &files {
                let platform = match platform.as_deref() {
                    None => platform::of(file)?,
                    Some("any") => Platform::any(),
                    Some(text) => text.parse()?,
                };
                let platform = platform.as_str().to_owned();
                uploaded.push((
                    file,
                    v1::ArtifactFile {
                        platform,
                        sha256: String::new(),
                    },
                ));
            }
            // Before anything is sent.
            check_platforms(&uploaded, name.is_some())?;
            let mut text = String::new();
            for (path, file) in &mut uploaded {
                file.sha256 = upload(connection, path).await?;
                text += &format!("{}\n", file.sha256);
            }
            if let Some(name) = name {
                let protocol = match protocol {
                    Protocol::Uci => v1::EngineProtocol::Uci,
                    Protocol::Xboard => v1::EngineProtocol::Xboard,
                };
                let files = uploaded.into_iter().map(|(_, file)| file).collect();
                let source = engine_source::Kind::Files(v1::ArtifactEngine {
                    protocol: protocol.into(),
                    files,
                });
                let engine = EngineText { source, options };
                text += &registered(connection, &engine, &name).await?;
            }
            Ok(text)
        }
        Registry::Retire { engine, undo } => {
            let request = v1::RetireEngineRequest {
                version: engine,
                undo,
            };
            let changed = connection.engines().retire(request).await;
            let changed = changed.map_err(refusal)?.into_inner();
            let state = if changed.retired { "retired" } else { "in use" };
            Ok(format!(
                "{} is {state}: version {}\n",
                names(&changed),
                changed.version
            ))
        }
        Registry::Register { engine, name } => {
            engine_text::check_builtin_options(&[engine.spec(&name, None)])?;
            registered(connection, &engine, &name).await
        }
    }
}

/// Refuses files of one version of which a worker could take more than one.
fn check_platforms(files: &[(&PathBuf, v1::ArtifactFile)], is_version: bool) -> Result<()> {
    let mut seen: BTreeMap<&str, &Path> = BTreeMap::new();
    for (path, file) in files.iter().filter(|_| is_version) {
        if let Some(other) = seen.insert(&file.platform, path) {
            bail!(
                "`{}` and `{}` are both for {}: a version has one file for each platform",
                other.display(),
                path.display(),
                if file.platform.is_empty() {
                    "any platform"
                } else {
                    &file.platform
                }
            );
        }
    }
    if let Some(script) = seen.get("").filter(|_| seen.len() > 1) {
        bail!(
            "`{}` is for any platform, the others are not: upload it as a version of its own",
            script.display()
        );
    }
    Ok(())
}

async fn known(connection: &Connection, retired: bool) -> Result<Vec<v1::EngineVersion>> {
    let request = v1::ListEnginesRequest { retired };
    let answer = connection.engines().list(request).await;
    Ok(answer.map_err(refusal)?.into_inner().engines)
}

/// The version of a name, or whose hash begins so.
fn find<'a>(engines: &'a [v1::EngineVersion], wanted: &str) -> Result<&'a v1::EngineVersion> {
    let is_named = |engine: &&v1::EngineVersion| engine.names.iter().any(|name| name == wanted);
    if let Some(named) = engines.iter().find(is_named) {
        return Ok(named);
    }
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
    Ok(format!("{name} is version {}\n", version.version))
}

fn short(version: &str) -> &str {
    version.get(..12).unwrap_or(version)
}

/// The names that a version was registered under, or the one that a tournament gave it first.
fn names(engine: &v1::EngineVersion) -> String {
    if engine.names.is_empty() {
        engine.name.clone()
    } else {
        engine.names.join(", ")
    }
}

fn shown(engine: &v1::EngineVersion) -> String {
    let source = engine_text::shown_source(engine.source.as_ref(), &engine.options);
    if engine.retired {
        format!("{source} (retired)")
    } else {
        source
    }
}

/// All that is known of a version, a line each.
fn described(engine: &v1::EngineVersion) -> String {
    let mut lines = vec![
        ("name", names(engine)),
        ("version", engine.version.clone()),
        ("engine", shown(engine)),
    ];
    let source = engine.source.as_ref();
    match source.and_then(|source| source.kind.as_ref()) {
        Some(engine_source::Kind::Builtin(builtin)) => lines.push(("build", builtin.build.clone())),
        Some(engine_source::Kind::Files(engine)) => {
            let name = |file: &v1::ArtifactFile| match file.platform.as_str() {
                "" => format!("any {}", file.sha256),
                platform => format!("{platform} {}", file.sha256),
            };
            lines.extend(engine.files.iter().map(|file| ("file", name(file))));
        }
        Some(engine_source::Kind::Pinned(command)) => {
            lines.push(("executable", command.sha256.clone()));
        }
        _ => {}
    }
    if !engine.bound_sha256.is_empty() {
        lines.push(("executable", engine.bound_sha256.clone()));
    }
    if !engine.revision.is_empty() {
        lines.push(("revision", engine.revision.clone()));
    }
    if engine.bench_signature > 0 {
        lines.push(("bench", engine.bench_signature.to_string()));
    }
    let lines = lines.iter();
    lines
        .map(|(key, value)| format!("{key}: {value}\n"))
        .collect()
}

fn as_json(engine: &v1::EngineVersion) -> Value {
    let source = engine.source.as_ref();
    let (kind, of) = match source.and_then(|source| source.kind.as_ref()) {
        Some(engine_source::Kind::Command(name)) => ("command", json!(name)),
        Some(engine_source::Kind::Pinned(command)) => ("command", json!(command.name)),
        Some(engine_source::Kind::Artifact(hash)) => ("artifact", json!(hash)),
        Some(engine_source::Kind::Files(engine)) => {
            let file = |file: &v1::ArtifactFile| json!({ "platform": file.platform, "sha256": file.sha256 });
            let files: Value = engine.files.iter().map(file).collect();
            ("artifact", files)
        }
        Some(engine_source::Kind::Builtin(builtin)) => ("builtin", json!(builtin.build)),
        Some(engine_source::Kind::Version(version)) => ("version", json!(version)),
        None => ("unknown", Value::Null),
    };
    let executable = match source.and_then(|source| source.kind.as_ref()) {
        Some(engine_source::Kind::Pinned(command)) => &command.sha256,
        _ => &engine.bound_sha256,
    };
    let known = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    json!({
        "name": names(engine), "registered_names": engine.names, "version": engine.version, "kind": kind, kind: of, "options": engine.options,
        "retired": engine.retired, "executable": known(executable), "revision": known(&engine.revision),
        "bench_signature": Some(engine.bench_signature).filter(|&signature| signature > 0),
    })
}

fn pretty(value: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
