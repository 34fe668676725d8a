//! `brouhaha stats plan`: what a test or a match will cost.

use std::process::ExitCode;

use anyhow::{Result, bail};
use serde_json::json;
use server::ratings::elo::{NELO_PER_DEVIATION, elo_of_score};
use server::ratings::sprt::{EloUnit, expected_length};
use server::ratings::{CellSet, normal};

use super::cells::{Cells, Question, level};
use crate::output::{Format, FormatArgument, print, table};

/// Lengths of matches shown, in game pairs.
const LENGTHS: [u32; 6] = [50, 100, 500, 1_000, 5_000, 20_000];

/// Arguments of `stats plan`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "The spread of the results comes from a test before (--pairs, --games) or from shares of single games, whose
pairs are then taken as independent.
Examples:
  brouhaha stats plan --elo0 0 --elo1 5 --shares 20,10,40,10,20
  brouhaha stats plan --elo0 0 --elo1 2 --unit logistic --pairs 39,1008,2251,1125,52"
)]
pub struct Arguments {
    #[command(flatten)]
    cells: Cells,
    /// Shares of losses, disadvantages, draws, advantages and wins among games of equals
    #[arg(long, value_name = "SHARES", value_delimiter = ',', default_values_t = [25.0, 5.0, 40.0, 5.0, 25.0], conflicts_with_all = ["pairs", "games"])]
    shares: Vec<f64>,
    #[command(flatten)]
    question: Question,
    /// Confidence of the intervals
    #[arg(long, value_name = "P", default_value = "0.95", value_parser = level)]
    confidence: f64,
    #[command(flatten)]
    format: FormatArgument,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    let variance = pair_variance(arguments)?;
    let spec = arguments.question.spec(CellSet::FivePairs)?;
    let [elo0, elo1] = spec.elo();
    let width = elo1 - elo0;
    let truths = [-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0].map(|part| elo0 + part * width);
    let tests: Vec<_> = truths
        .iter()
        .filter_map(|&elo| Some((elo, expected_length(&spec, elo, variance)?)))
        .collect();
    let z = normal::two_sided(arguments.confidence);
    let half = |pairs: u32| {
        let error = z * (variance / f64::from(pairs)).sqrt();
        let nelo = z * NELO_PER_DEVIATION / (2.0 * f64::from(pairs)).sqrt();
        (pairs, elo_of_score(0.5 + error), nelo)
    };
    let matches = LENGTHS.map(half);
    if arguments.format.format == Format::Json {
        let value = json!({
            "pair_variance": variance,
            "unit": match spec.unit() { EloUnit::Normalized => "normalized", EloUnit::Logistic => "logistic" },
            "tests": tests.iter().map(|(elo, length)| json!({
                "elo": elo, "pass_probability": length.pass_probability, "expected_pairs": length.observations,
            })).collect::<Vec<_>>(),
            "confidence": arguments.confidence,
            "matches": matches.map(|(pairs, elo, nelo)| json!({
                "pairs": pairs, "elo_error": elo, "normalized_elo_error": nelo,
            })),
        });
        print(serde_json::to_string_pretty(&value)? + "\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows = tests.iter().map(|(elo, length)| {
        vec![
            format!("{elo:.2}"),
            format!("{:.1} %", length.pass_probability * 100.0),
            format!("{:.0}", length.observations),
        ]
    });
    let unit = arguments.question.unit().name();
    let mut text = format!("Test of {}\n\n", arguments.question.text());
    text += &format!(
        "{}\n",
        table(&[unit, "accepted", "pairs on average"], rows.collect(), 0)
    );
    let rows = matches.iter().map(|(pairs, elo, nelo)| {
        vec![pairs.to_string(), format!("{elo:.1}"), format!("{nelo:.1}")]
    });
    let percent = arguments.confidence * 100.0;
    text += &format!("\nMatches of fixed length, intervals of {percent} % between equals\n\n");
    text += &format!(
        "{}\n",
        table(&["pairs", "+- Elo", "+- normalized Elo"], rows.collect(), 0)
    );
    print(text)?;
    Ok(ExitCode::SUCCESS)
}

/// Variance of a pair's points per game.
fn pair_variance(arguments: &Arguments) -> Result<f64> {
    if let Some(histogram) = arguments.cells.histogram()? {
        let cells = histogram.counts().iter().filter(|&&count| count > 0);
        if cells.count() < 2 {
            bail!(
                "all results have the same points, so that nothing is known of their spread; give results of at least two \
                 kinds, or --shares"
            );
        }
        let law = histogram.regularised();
        let variance = law.map_or(0.0, |law| law.variance());
        return Ok(if histogram.set().games() == 2 {
            variance
        } else {
            variance / 2.0
        });
    }
    let shares = &arguments.shares;
    let total: f64 = shares.iter().sum();
    let valid = shares
        .iter()
        .all(|&share| share >= 0.0 && share.is_finite());
    if shares.len() != 5 || !valid || total <= 0.0 {
        bail!(
            "--shares needs five shares, as 20,10,40,10,20: losses, disadvantages, draws, advantages, wins"
        );
    }
    let moment = |power: i32| -> f64 {
        let cells = (0..).zip(shares);
        cells
            .map(|(k, share): (i32, _)| share / total * (f64::from(k) / 4.0).powi(power))
            .sum()
    };
    let variance = moment(2) - moment(1) * moment(1);
    if variance <= 0.0 {
        bail!("--shares has one outcome only, whose games would show nothing; give at least two");
    }
    Ok(variance / 2.0)
}
