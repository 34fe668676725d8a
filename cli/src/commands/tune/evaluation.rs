//! `brouhaha tune evaluation|values`: fits the weights of evaluation to the results of games, and shows what men are worth by
//! them.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::Args;
use engine::tune::{GameRecord, TuneOptions, TuneReport, Tuner};
use serde_json::{Value, json};
use server::model::tournament_file::load_evaluation;

use crate::output::{Format, FormatArgument, print, table};
use crate::variants::{VariantFiles, Variants};

/// Arguments of `tune values`.
#[derive(Debug, Args)]
pub(super) struct Values {
    /// The variant; its file with `--variant-file` if it is your own
    #[arg(long, value_name = "ID")]
    variant: String,
    /// An evaluation file instead of the built-in weights, or those that the rules give
    #[arg(long, value_name = "FILE")]
    evaluation: Option<PathBuf>,
    #[command(flatten)]
    format: FormatArgument,
}

/// Arguments of `tune evaluation`.
#[derive(Debug, Args)]
pub(super) struct Evaluation {
    /// The variant; its file with `--variant-file` if it is your own
    #[arg(long, value_name = "ID")]
    variant: String,
    /// Where the evaluation file goes; standard output when left out
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Steps of the descent
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    iterations: u32,
    /// Part of a position's target that is the player's own score instead of the result, in percent
    #[arg(long, default_value_t = 70, value_parser = clap::value_parser!(u32).range(0..=100))]
    blend: u32,
    /// Positions that count as one independent observation: the more, the closer the weights stay to what
    /// they were
    #[arg(long, default_value_t = 2.0, value_parser = alike)]
    alike: f64,
    /// Multiply the fitted weights by so many percent, to bring men to about the worth of those of chess
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    percent: u32,
    /// Begin with the weights that the rules give, not with those of the built-in evaluation file
    #[arg(long)]
    from_rules: bool,
    /// Games as `tournament games --as json` writes them; games of other variants are passed over
    #[arg(value_name = "GAMES", required = true)]
    games: Vec<PathBuf>,
}

fn alike(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|n| (1.0..=10_000.0).contains(n));
    number.ok_or_else(|| "not a number from 1 to 10000".to_owned())
}

/// Shows what men are worth.
pub(super) fn show_values(files: &VariantFiles, arguments: &Values) -> Result<ExitCode> {
    let mut variant = Variants::load(files)?.get(&arguments.variant)?.clone();
    if let Some(path) = &arguments.evaluation {
        let text = load_evaluation(path)?;
        let fitting = variant.with_evaluation(&text);
        variant = fitting.with_context(|| format!("`{}`", path.display()))?;
    }
    let values = engine::tune::values(&variant);
    match arguments.format.format {
        Format::Json => {
            let rows = values.iter().map(|v| {
                json!({"letter": v.letter, "name": v.name, "middle_game": v.alone[0], "endgame": v.alone[1],
                       "holding": v.holding})
            });
            print(format_args!("{}\n", Value::Array(rows.collect())))?;
        }
        Format::Table => {
            let rows = values.iter().map(|v| {
                let [mg, eg] = v.alone;
                let mut row = vec![v.letter.to_string(), v.name.clone()];
                row.extend([mg, eg, (mg + eg) / 2.0].map(|worth| format!("{worth:.0}")));
                row.push(
                    v.holding
                        .map_or_else(|| "-".to_owned(), |worth| format!("{worth:.0}")),
                );
                row
            });
            let header = ["", "type", "middle game", "endgame", "mean", "with powers"];
            print(format_args!("{}\n", table(&header, rows.collect(), 2)))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Fits the weights.
pub(super) fn tune(files: &VariantFiles, arguments: &Evaluation) -> Result<ExitCode> {
    let variant = Variants::load(files)?.get(&arguments.variant)?;
    let mut tuner = if arguments.from_rules {
        Tuner::from_rules(variant.clone())
    } else {
        Tuner::new(variant.clone())
    };
    let (mut positions, mut others) = (0, 0);
    for path in &arguments.games {
        let file = File::open(path).with_context(|| format!("cannot read `{}`", path.display()))?;
        for (number, line) in BufReader::new(file).lines().enumerate() {
            let line = line.with_context(|| format!("cannot read `{}`", path.display()))?;
            if line.trim().is_empty() {
                continue;
            }
            let place = || format!("`{}`, line {}", path.display(), number + 1);
            let game: Value = serde_json::from_str(&line)
                .with_context(|| format!("{} is no game as JSON", place()))?;
            if game["variant"].as_str() != Some(variant.id()) {
                others += 1;
                continue;
            }
            positions += add(&mut tuner, &game).with_context(place)?;
        }
    }
    eprintln!("{positions} quiet positions ({others} games of other variants passed over)");
    let options = TuneOptions {
        iterations: arguments.iterations as usize,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        blend: f64::from(arguments.blend) / 100.0,
        alike: arguments.alike,
        percent: arguments.percent,
    };
    let (report, weights) = tuner.fit(&options, &mut |step, loss| {
        eprintln!("step {step}: loss of held-out positions {loss:.5}");
    })?;
    let text = weights.to_text(&origin(&report, arguments));
    match &arguments.out {
        Some(path) => crate::files::replace(path, &text)?,
        None => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    report_to_people(&report);
    Ok(ExitCode::SUCCESS)
}

/// Adds a game; gives the number of positions taken.
fn add(tuner: &mut Tuner, game: &Value) -> Result<usize> {
    let text = |key: &str| {
        game[key]
            .as_str()
            .ok_or_else(|| anyhow!("`{key}` is missing or no text"))
    };
    let moves = game["moves"]
        .as_array()
        .ok_or_else(|| anyhow!("`moves` is missing or no list"))?;
    let moves: Option<Vec<String>> = moves
        .iter()
        .map(|m| m.as_str().map(str::to_owned))
        .collect();
    let moves = moves.ok_or_else(|| anyhow!("`moves` has an entry that is no text"))?;
    let scores = game["scores_cp"].as_array().map_or(&[][..], Vec::as_slice);
    let scores: Vec<Option<i32>> = scores
        .iter()
        .map(|s| s.as_i64().and_then(|s| s.try_into().ok()))
        .collect();
    let points = game["first_points"].as_f64();
    let points = points.ok_or_else(|| anyhow!("`first_points` is missing or no number"))?;
    let white = match text("first_colour")? {
        "white" => points,
        "black" => 1.0 - points,
        other => {
            return Err(anyhow!(
                "`first_colour` is `{other}`; it is `white` or `black`"
            ));
        }
    };
    Ok(tuner.add(&GameRecord {
        opening_fen: text("opening_fen")?,
        moves: &moves,
        scores: &scores,
        white_points: white,
    })?)
}

fn origin(report: &TuneReport, arguments: &Evaluation) -> String {
    format!(
        "brouhaha tune evaluation --iterations {} --blend {} --alike {} --percent {}{}: {} games, {} positions, \
         loss of held-out positions {:.5} before and {:.5} after",
        arguments.iterations,
        arguments.blend,
        arguments.alike,
        arguments.percent,
        if arguments.from_rules {
            " --from-rules"
        } else {
            ""
        },
        report.games,
        report.positions[0] + report.positions[1],
        report.held_out[0],
        report.held_out[1],
    )
}

fn report_to_people(report: &TuneReport) {
    eprintln!(
        "{} games, {} positions and {} held out; ten to one at {:.0} centipawns",
        report.games, report.positions[0], report.positions[1], report.scale
    );
    eprintln!("loss {:.5} -> {:.5}", report.fitted[0], report.fitted[1]);
    eprintln!(
        "held out {:.5} -> {:.5}",
        report.held_out[0], report.held_out[1]
    );
    for (letter, name, [mg, eg]) in &report.worth {
        eprintln!("{letter} {name:<24} {mg:>7.0} {eg:>7.0}");
    }
}
