//! `brouhaha bench tactics`: share of the tactical positions solved, by variant, kind and nodes.

use std::collections::BTreeMap;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use engine::bench::tactics::{Puzzle, puzzles, solves};
use indicatif::{ProgressBar, ProgressDrawTarget};
use serde_json::json;

use crate::output::{Format, FormatArgument, print, table};

/// Arguments of `bench tactics`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  brouhaha bench tactics --variant chess --nodes 1000,10000")]
pub(super) struct Arguments {
    /// Only positions of this variant
    #[arg(long, value_name = "VARIANT")]
    variant: Option<String>,
    /// Nodes of a search, one number or several
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_values_t = [1_000, 10_000, 100_000],
          value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: Vec<u64>,
    /// List the positions that the most nodes do not solve
    #[arg(long)]
    unsolved: bool,
    #[command(flatten)]
    format: FormatArgument,
}

/// What was solved of a variant and kind.
#[derive(Default)]
struct Share {
    positions: u64,
    solved: Vec<u64>,
}

/// Solves the positions and prints the shares.
pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut puzzles = puzzles().context("the stored positions cannot be read")?;
    if let Some(variant) = &arguments.variant {
        puzzles.retain(|p| &p.variant == variant);
        if puzzles.is_empty() {
            bail!(
                "there are no tactical positions of `{variant}`; they are of the built-in variants"
            );
        }
    }
    let bar =
        ProgressBar::with_draw_target(Some(puzzles.len() as u64), ProgressDrawTarget::stderr());
    let mut shares: BTreeMap<(String, String), Share> = BTreeMap::new();
    let mut unsolved: Vec<Puzzle> = Vec::new();
    for puzzle in puzzles {
        let mut solved = Vec::with_capacity(arguments.nodes.len());
        for &nodes in &arguments.nodes {
            let answer = solves(&puzzle, nodes);
            solved.push(answer.with_context(|| {
                format!("`{}` is no position of {}", puzzle.fen, puzzle.variant)
            })?);
        }
        for key in [&puzzle.kind, "all"] {
            add(
                shares
                    .entry((puzzle.variant.clone(), key.to_owned()))
                    .or_default(),
                &solved,
            );
        }
        add(
            shares
                .entry(("~all".to_owned(), puzzle.kind.clone()))
                .or_default(),
            &solved,
        );
        add(
            shares
                .entry(("~all".to_owned(), "all".to_owned()))
                .or_default(),
            &solved,
        );
        if solved.last() == Some(&false) {
            unsolved.push(puzzle);
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    match arguments.format.format {
        Format::Table => print_table(arguments, &shares, &unsolved)?,
        Format::Json => print_json(arguments, &shares, &unsolved)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn add(share: &mut Share, solved: &[bool]) {
    share.positions += 1;
    share.solved.resize(solved.len(), 0);
    for (sum, &solved) in share.solved.iter_mut().zip(solved) {
        *sum += u64::from(solved);
    }
}

/// The name of a row's variant; that of all variants sorts behind the others.
fn shown(variant: &str) -> &str {
    variant.trim_start_matches('~')
}

fn print_table(
    arguments: &Arguments,
    shares: &BTreeMap<(String, String), Share>,
    unsolved: &[Puzzle],
) -> Result<()> {
    let nodes: Vec<String> = arguments
        .nodes
        .iter()
        .map(|n| format!("{n} nodes"))
        .collect();
    let mut header = vec!["variant", "kind", "positions"];
    header.extend(nodes.iter().map(String::as_str));
    let rows = shares
        .iter()
        .map(|((variant, kind), share)| {
            let mut row = vec![
                shown(variant).to_owned(),
                kind.clone(),
                share.positions.to_string(),
            ];
            row.extend(share.solved.iter().map(|&s| {
                // Whole percents of small counts, rounded half up.
                format!(
                    "{s} ({} %)",
                    (200 * s + share.positions) / (2 * share.positions)
                )
            }));
            row
        })
        .collect();
    print(format!("{}\n", table(&header, rows, 2)))?;
    if arguments.unsolved {
        for p in unsolved {
            print(format!(
                "{} {} {} {}\n",
                p.variant,
                p.kind,
                p.best.join("|"),
                p.fen
            ))?;
        }
    }
    Ok(())
}

fn print_json(
    arguments: &Arguments,
    shares: &BTreeMap<(String, String), Share>,
    unsolved: &[Puzzle],
) -> Result<()> {
    let rows: Vec<_> = shares
        .iter()
        .map(|((variant, kind), share)| {
            json!({ "variant": shown(variant), "kind": kind, "positions": share.positions, "solved": share.solved })
        })
        .collect();
    let mut value = json!({ "nodes": arguments.nodes, "shares": rows });
    if arguments.unsolved {
        value["unsolved"] = unsolved
            .iter()
            .map(|p| json!({ "variant": p.variant, "kind": p.kind, "best": p.best, "fen": p.fen }))
            .collect();
    }
    print(format!("{value}\n"))?;
    Ok(())
}
