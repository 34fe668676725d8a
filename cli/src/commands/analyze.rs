//! `brouhaha analyze`: what an engine thinks of many positions.

use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail};
use engine::game::Game;
use engine::variant::Variant;
use proto::v1;
use proto::v1::{engine_source, evaluation::Score, limit};
use serde_json::json;

use crate::client::{Connection, refusal};
use crate::engine_text::{self, EngineText};
use crate::output::{Format, FormatArgument, table};
use crate::progress::Progress;
use crate::settings::{self, DataDir};
use crate::site::{Site, Workplace};
use crate::variants::{VariantFiles, Variants};

/// Arguments of `analyze`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  brouhaha analyze --variant chess --nodes 20000 positions.fen\n\nThe file has a FEN a line; empty lines and lines that begin with # are passed over; - is standard input."
)]
pub struct Arguments {
    /// File of positions, a FEN a line
    file: PathBuf,
    /// The variant
    #[arg(long)]
    variant: String,
    #[command(flatten)]
    limit: Limit,
    /// The engine that thinks
    #[arg(long, value_name = "ENGINE", default_value = "builtin", value_parser = engine_text::engine)]
    with: EngineText,
    #[command(flatten)]
    place: Workplace,
    #[command(flatten)]
    format: FormatArgument,
}

/// How long to think about each position.
#[derive(Debug, Clone, clap::Args)]
#[group(required = true, multiple = false)]
struct Limit {
    /// Nodes a position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth in plies
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=255))]
    depth: Option<u32>,
    /// Milliseconds a position
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u32).range(1..))]
    movetime_ms: Option<u32>,
}

impl Limit {
    fn to_wire(&self) -> v1::Limit {
        let nodes = self.nodes.map(limit::Kind::Nodes);
        let depth = self.depth.map(limit::Kind::Depth);
        let movetime = self.movetime_ms.map(limit::Kind::MovetimeMs);
        v1::Limit {
            kind: nodes.or(depth).or(movetime),
        }
    }
}

/// Analyses the positions.
pub fn run(files: &VariantFiles, arguments: Arguments) -> Result<ExitCode> {
    settings::log("warn");
    let variants = Variants::load(files)?;
    let positions = read(&arguments.file, &variants.get(&arguments.variant)?)?;
    let place = arguments.place.or_environment(None);
    if let engine_source::Kind::Command(name) = &arguments.with.source {
        place.check_command(name)?;
    }
    let (fens, ends): (Vec<_>, Vec<_>) = positions.into_iter().unzip();
    let mut request = v1::SubmitAnalysisRequest {
        variant: arguments.variant.clone(),
        variant_text: variants
            .text(&arguments.variant)
            .cloned()
            .unwrap_or_default(),
        fens,
        engine: Some(
            arguments
                .with
                .spec("built-in", Some(arguments.limit.to_wire())),
        ),
        batch_positions: 0,
    };
    engine_text::check_builtin_options(request.engine.as_slice())?;
    // Nothing of it is needed afterwards.
    let folder = tempfile::tempdir().context("there is no folder for temporary files")?;
    let data_dir = DataDir {
        data_dir: folder.path().join("data"),
    };
    settings::runtime()?.block_on(async {
        let mut site = place.open(&data_dir).await?;
        site.pin(request.engine.as_mut_slice())?;
        let results = analyse(&mut site, request).await;
        site.close().await?;
        let Some(results) = results? else {
            eprintln!("interrupted");
            return Ok(ExitCode::FAILURE);
        };
        print(&results, &ends, arguments.format.format)?;
        Ok(ExitCode::SUCCESS)
    })
}

/// The positions of a file, each checked, and how the game is over where it is.
fn read(path: &Path, variant: &Arc<Variant>) -> Result<Vec<(String, Option<String>)>> {
    let shown = path.display();
    let input: Box<dyn BufRead> = if path == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        let file = std::fs::File::open(path).with_context(|| format!("cannot read `{shown}`"))?;
        Box::new(std::io::BufReader::new(file))
    };
    let mut fens = Vec::new();
    for (index, line) in input.lines().enumerate() {
        let line = line.with_context(|| format!("{shown}:{}: cannot be read", index + 1))?;
        let fen = line.trim();
        if fen.is_empty() || fen.starts_with('#') {
            continue;
        }
        let game = Game::new(variant.clone(), fen)
            .map_err(|error| anyhow!("{shown}:{}: {error}", index + 1))?;
        let end = game.end().map(|end| end.reason.to_string());
        fens.push((fen.to_owned(), end));
    }
    if fens.is_empty() {
        bail!("{shown}: there is no position in it; write a FEN a line");
    }
    Ok(fens)
}

/// Has the positions analysed. None when a stop signal came first.
async fn analyse(
    site: &mut Site,
    request: v1::SubmitAnalysisRequest,
) -> Result<Option<BTreeMap<u32, v1::AnalysisResult>>> {
    site.start_workers()?;
    let connection = site.connection.clone();
    let job = connection.analyses().submit(request).await;
    let job = job.map_err(refusal)?.into_inner();
    let request = v1::WatchAnalysisRequest { id: job.id };
    let watching = connection.analyses().watch(request).await;
    let mut results = watching.map_err(refusal)?.into_inner();
    let mut progress = Progress::new("positions", job.positions.into(), 0);
    let mut found = BTreeMap::new();
    let stop = settings::stop_signal();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            result = results.message() => match result.map_err(refusal)? {
                Some(result) => {
                    found.insert(result.position, result);
                    progress.set(found.len() as u64);
                }
                None => break,
            },
            lost = site.lost() => lost?,
            () = &mut stop => {
                progress.finish();
                cancel(&connection, job.id).await?;
                return Ok(None);
            }
        }
    }
    progress.finish();
    if found.len() != job.positions as usize {
        bail!(
            "the coordinator ended the job after {} of {} positions",
            found.len(),
            job.positions
        );
    }
    Ok(Some(found))
}

async fn cancel(connection: &Connection, id: u64) -> Result<()> {
    let request = v1::CancelAnalysisRequest { id };
    connection
        .analyses()
        .cancel(request)
        .await
        .map_err(refusal)?;
    Ok(())
}

/// Prints the results in the order of the positions; `ends` tells of each how the game is over there, if it is.
fn print(
    results: &BTreeMap<u32, v1::AnalysisResult>,
    ends: &[Option<String>],
    format: Format,
) -> Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut rows = Vec::new();
    for result in results.values() {
        let found = result.evaluation.clone().unwrap_or_default();
        let end = ends.get(result.position as usize).cloned().flatten();
        match format {
            Format::Json => {
                let (cp, mate) = match found.score {
                    Some(Score::Cp(cp)) => (Some(cp), None),
                    Some(Score::Mate(moves)) => (None, Some(moves)),
                    None => (None, None),
                };
                let line = json!({
                    "position": result.position, "fen": result.fen, "cp": cp, "mate": mate,
                    "depth": found.depth, "nodes": found.nodes, "pv": found.pv, "end": end,
                });
                writeln!(out, "{line}")?;
            }
            Format::Table => rows.push(vec![
                (result.position + 1).to_string(),
                match found.score {
                    Some(Score::Cp(cp)) => format!("{cp:+} cp"),
                    Some(Score::Mate(moves)) => format!("mate {moves}"),
                    None => end.unwrap_or_else(|| "-".to_owned()),
                },
                found.depth.to_string(),
                found.nodes.to_string(),
                found.pv.join(" "),
            ]),
        }
    }
    if format == Format::Table {
        let header = ["#", "Score", "Depth", "Nodes", "Principal variation"];
        writeln!(out, "{}", table(&header, rows, 5))?;
    }
    out.flush()?;
    Ok(())
}
