//! `brouhaha book check`: every opening of a book by the rules.

use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use engine::book::{BookFormat, BookReader, Checking, Summary, check};
use serde_json::json;

use crate::output::{Format, FormatArgument, print, table};
use crate::variants::{VariantFiles, Variants};

/// Bytes read at a time.
const READ_AHEAD: usize = 256 * 1024;

/// Arguments of `book check`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha book check book.epd --variant chess\n  brouhaha book check games.pgn --variant chess --plies 16 --format json"
)]
pub struct Arguments {
    /// The book: FEN or EPD, one a line, or games in PGN
    file: PathBuf,
    /// The variant; its file with `--variant-file` if it is your own
    #[arg(long, value_name = "ID")]
    variant: String,
    /// Plies that are played of each game of a PGN [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    plies: Option<u32>,
    /// How the book is written [default: told by how it begins]
    #[arg(long, value_enum, value_name = "FORMAT")]
    read_as: Option<ReadAs>,
    #[command(flatten)]
    format: FormatArgument,
}

/// How a book is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ReadAs {
    /// A position a line, with operations or without
    Epd,
    /// The same
    Fen,
    /// Games
    Pgn,
}

/// Checks a book.
pub fn run(files: &VariantFiles, arguments: &Arguments) -> Result<ExitCode> {
    let variant = Variants::load(files)?.get(&arguments.variant)?;
    let named = || format!("cannot read `{}`", arguments.file.display());
    if !std::fs::metadata(&arguments.file)
        .with_context(named)?
        .is_file()
    {
        bail!(
            "`{}` is no regular file: name one",
            arguments.file.display()
        );
    }
    let file = File::open(&arguments.file).with_context(named)?;
    let format = arguments.read_as.map(|format| match format {
        ReadAs::Epd | ReadAs::Fen => BookFormat::Lines,
        ReadAs::Pgn => BookFormat::Pgn,
    });
    let file = BufReader::with_capacity(READ_AHEAD, file);
    let mut book = BookReader::new(file, format, arguments.plies);
    let checking = Checking {
        variant: &variant,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        keys: tempfile::tempfile().context("no temporary file can be made")?,
        stop: &|| false,
    };
    let summary = check(&mut book, checking, &mut |_| {})
        .with_context(|| format!("`{}`", arguments.file.display()))?;
    if arguments.plies.is_some() && book.format() == Some(BookFormat::Lines) {
        bail!(
            "`{}` has a position a line: --plies goes with a PGN, leave it out",
            arguments.file.display()
        );
    }
    print(shown(&summary, book.format(), arguments.format.format)?)?;
    for fault in &summary.faults {
        eprintln!("{fault}");
    }
    let more = summary.faulty - summary.faults.len() as u64;
    if more > 0 {
        eprintln!("and {more} more");
    }
    if summary.openings == 0 && summary.faulty == 0 {
        bail!("`{}` has no opening", arguments.file.display());
    }
    Ok(match summary.faulty {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn shown(summary: &Summary, book: Option<BookFormat>, format: Format) -> Result<String> {
    let written = match book {
        Some(BookFormat::Lines) => "epd",
        Some(BookFormat::Pgn) => "pgn",
        None => "",
    };
    if format == Format::Json {
        let faults = summary
            .faults
            .iter()
            .map(|fault| json!({ "line": fault.line, "problem": fault.problem }));
        let all = json!({
            "format": written,
            "lines": summary.lines,
            "openings": summary.openings,
            "duplicates": summary.duplicates,
            "white_to_move": summary.white,
            "black_to_move": summary.black,
            "wrong": summary.faulty,
            "faults": faults.collect::<Vec<_>>(),
        });
        return Ok(serde_json::to_string_pretty(&all)? + "\n");
    }
    let header = [
        "Lines",
        "Openings",
        "Duplicates",
        "White to move",
        "Black to move",
        "Wrong",
    ];
    let row = [
        summary.lines,
        summary.openings,
        summary.duplicates,
        summary.white,
        summary.black,
        summary.faulty,
    ];
    let row = row.map(|number| number.to_string()).to_vec();
    Ok(format!("{}\n", table(&header, vec![row], 0)))
}
