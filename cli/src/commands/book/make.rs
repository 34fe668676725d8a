//! `brouhaha book make`: a book of random openings that the built-in engine thinks balanced.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, bail};
use engine::book::{Found, MOST_PLIES, MakeOptions, make};
use engine::variant::Variant;

use crate::output::print;
use crate::progress::Progress;
use crate::variants::{VariantFiles, Variants};
use crate::{files, settings};

/// Arguments of `book make`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  brouhaha book make --variant grand-apothecary-modern --plies 8 --balance 80 --count 500 -o book.epd\n\nThe same variant, options and build give the same book, whatever the number of threads. The file appears when it is whole."
)]
pub struct Arguments {
    /// The variant; its file with `--variant-file` if it is your own
    #[arg(long, value_name = "ID")]
    variant: String,
    /// Random plies from a random start position
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_PLIES)))]
    plies: u32,
    /// Most centipawns that an opening's score may be from zero; 0 = no bound
    #[arg(long, value_name = "CP", value_parser = clap::value_parser!(u32).range(..=100_000))]
    balance: u32,
    /// Openings, all different, at most a million: the book is held in memory until it is whole
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: u64,
    /// Seed of everything random
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Nodes that are searched for the score of an opening
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// What is written: EPD with the score (`ce`) and a number (`id`), or FEN
    #[arg(long, value_enum, default_value_t = WriteAs::Epd)]
    format: WriteAs,
    /// Where the book goes [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Threads [default: one for each processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum WriteAs {
    /// A position without counters, and operations
    Epd,
    /// A position with counters
    Fen,
}

/// Makes a book.
pub fn run(files: &VariantFiles, arguments: &Arguments) -> Result<ExitCode> {
    let variant = Variants::load(files)?.get(&arguments.variant)?;
    let usual = std::thread::available_parallelism().map_or(1, usize::from);
    let options = MakeOptions {
        plies: arguments.plies,
        balance_cp: arguments.balance,
        count: arguments.count,
        seed: arguments.seed,
        nodes: arguments.nodes,
        threads: arguments.threads.map_or(usual, |threads| threads as usize),
    };
    // Before hours of work: a folder that is not there.
    if let Some(folder) = arguments.output.as_ref().and_then(|path| path.parent())
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        bail!("there is no folder `{}` for the book", folder.display());
    }
    let text = settings::runtime()?.block_on(made(variant, options, arguments.format))?;
    match &arguments.output {
        Some(path) => files::replace(path, &text)?,
        None => print(text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The text of the book; a stop signal ends the work without one.
async fn made(variant: Arc<Variant>, options: MakeOptions, format: WriteAs) -> Result<String> {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let mut making = tokio::task::spawn_blocking(move || {
        let mut text = String::new();
        let mut progress = Progress::new("openings", options.count, 0);
        let mut number = 0;
        let result = make(&variant, &options, &stopped, &mut |found, tried| {
            number += 1;
            text += &line(&variant, &found, number, format);
            progress.set_with_note(number, format!("{tried} tried"));
        });
        if result.is_ok() {
            progress.finish();
        }
        result.map(|()| text)
    });
    let text = tokio::select! {
        made = &mut making => made,
        () = settings::stop_signal() => {
            stop.store(true, Ordering::Relaxed);
            making.await
        }
    };
    Ok(text.context("the making of the book failed")??)
}

/// An opening as it stands in the book.
fn line(variant: &Variant, found: &Found, number: u64, format: WriteAs) -> String {
    let fields: Vec<&str> = found.fen.split(' ').collect();
    let position = if variant.rules().has_last_moved_field() {
        5
    } else {
        4
    };
    match (format, fields.get(position..)) {
        (WriteAs::Epd, Some([halfmove, fullmove])) => {
            let score = found
                .score_cp
                .map_or_else(String::new, |cp| format!(" ce {cp};"));
            let position = fields[..position].join(" ");
            format!("{position} hmvc {halfmove}; fmvn {fullmove};{score} id \"{number}\";\n")
        }
        _ => format!("{}\n", found.fen),
    }
}
