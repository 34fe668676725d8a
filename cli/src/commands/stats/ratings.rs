//! `brouhaha stats ratings`: rates the players of games in files.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, IsTerminal, stderr, stdin};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use server::ratings::{ErrorBars, FirstMove, MAX_COVARIANCE, Model, RatingOptions, Refits, rate};
use server::results::{self, Collector, Pairing, Results};

use super::cells::level;
use super::list::{Listing, Shape};
use super::notes::notes;
use crate::link::LinkNames;
use crate::output::print;

/// Bytes read at a time.
const BUFFER: usize = 1 << 18;

/// Arguments of `stats ratings`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "PGN: the tags White, Black and Points (0.75-0.25) or Result; moves are not looked at. CSV: a header with the columns first,
second, points and, if you like, opening and games. JSON lines: as `brouhaha tournament games --as json` writes them.
How a file begins tells which it is. Two games of one opening (tag FEN, or Round where there is none) in which both
players moved first once are a pair, which makes the intervals narrower and right.
Examples:
  brouhaha stats ratings games.pgn
  brouhaha stats ratings *.pgn --anchor base --anchor-elo 3000 --exclude old --format csv
  brouhaha stats ratings games.csv --head-to-head
  brouhaha stats ratings games.pgn --error-bars bootstrap --refits 1000 --seed 7
  brouhaha stats ratings games.pgn --link v2,v1,10,30
  brouhaha stats ratings games.pgn --prior 0 --no-pairs        as Ordo rates"
)]
pub struct Arguments {
    /// Files of games; - is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The mean of all ratings [default: 0]
    #[arg(
        long,
        value_name = "ELO",
        allow_negative_numbers = true,
        conflicts_with = "anchor"
    )]
    average: Option<f64>,
    /// A player whose rating is fixed; several times with --anchor-elo as often
    #[arg(long, value_name = "PLAYER")]
    anchor: Vec<String>,
    /// The rating of each --anchor, in their order [default: 0]
    #[arg(
        long,
        value_name = "ELO",
        allow_negative_numbers = true,
        requires = "anchor"
    )]
    anchor_elo: Vec<f64>,
    /// Two versions of one engine: how many ELO the newer is expected to be stronger by [default: 0], give or take DEVIATION [default: 50]
    #[arg(long, value_name = "NEWER,OLDER[,ELO[,DEVIATION]]")]
    link: Vec<LinkNames>,
    /// Leave out a player's games
    #[arg(long, value_name = "PLAYER")]
    exclude: Vec<String>,
    /// How outcomes depend on strength
    #[arg(long, value_enum, default_value_t = ModelName::Score)]
    model: ModelName,
    /// How error bars are made; the models of outcomes have the binomial kind, bootstrap and simulation [default: dispersion, or binomial]
    #[arg(long, value_enum)]
    error_bars: Option<Bars>,
    /// How often drawn results are fitted, by --error-bars bootstrap and simulation [default: 200]
    #[arg(long, value_name = "N")]
    refits: Option<u32>,
    /// What their draws follow from: the same seed, the same error bars [default: 1]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// A player whose error bars are wanted, where there are more than 2000 players; several times for more
    #[arg(long, value_name = "PLAYER")]
    error_bars_for: Vec<String>,
    /// Virtual draws of each player against those whom it met
    #[arg(long, value_name = "GAMES", default_value_t = 1.0)]
    prior: f64,
    /// What moving first is worth, instead of an estimate
    #[arg(long, value_name = "ELO", allow_negative_numbers = true)]
    first_move: Option<f64>,
    /// Confidence of the intervals
    #[arg(long, value_name = "P", default_value = "0.95", value_parser = level)]
    confidence: f64,
    /// Take each game by itself
    #[arg(long)]
    no_pairs: bool,
    /// Who met whom and how that ended, too
    #[arg(long)]
    head_to_head: bool,
    /// The likelihood that each player is stronger than each other one, too
    #[arg(long)]
    superiority: bool,
    /// How results are printed
    #[arg(long, value_enum, default_value_t = Shape::Table)]
    format: Shape,
}

/// `--model`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ModelName {
    /// Points by the logistic curve, nothing else assumed
    Score,
    /// Outcomes by thresholds on a logistic scale (Rao and Kupper)
    OrderedLogit,
    /// Outcomes by neighbouring categories (Davidson)
    AdjacentCategories,
}

/// `--error-bars`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Bars {
    /// By pairs of games, with the dispersion of each player
    Dispersion,
    /// By pairs of games, from residuals alone
    Sandwich,
    /// One dispersion for all
    Global,
    /// As if each game were won or lost
    Binomial,
    /// By fits to pairs of games drawn from those played
    Bootstrap,
    /// By fits to games drawn from the fitted law of outcomes, as Ordo does
    Simulation,
    /// None
    None,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<ExitCode> {
    if arguments.format == Shape::Csv && (arguments.head_to_head || arguments.superiority) {
        bail!(
            "--format csv has the list only: leave --head-to-head and --superiority out, or use --format json"
        );
    }
    let results = read(arguments)?;
    if arguments.superiority && results.names.len() > MAX_COVARIANCE {
        bail!(
            "--superiority of {} players; there are {MAX_COVARIANCE} at most, leave others out with --exclude",
            results.names.len()
        );
    }
    let options = options(arguments, &results)?;
    let report = rate(&results.aggregates, &options)?;
    let listing = Listing {
        results: &results,
        report: &report,
        head_to_head: arguments.head_to_head,
        superiority: arguments.superiority,
        model: options.model,
        notes: notes(&results, &report),
    };
    if arguments.format == Shape::Csv {
        // The list has no place for them.
        for note in &listing.notes {
            eprintln!("note: {note}");
        }
    }
    print(listing.render(arguments.format)?)?;
    Ok(ExitCode::SUCCESS)
}

fn read(arguments: &Arguments) -> Result<Results> {
    let pairing = if arguments.no_pairs {
        Pairing::None
    } else {
        Pairing::ByOpening
    };
    let mut collector = Collector::new(pairing, arguments.exclude.clone());
    for file in &arguments.files {
        if file == Path::new("-") {
            let input = BufReader::with_capacity(BUFFER, stdin().lock());
            results::read("standard input", input, &mut collector)?;
            continue;
        }
        let name = file.display().to_string();
        let input = File::open(file).with_context(|| format!("cannot read `{name}`"))?;
        let size = input.metadata().map_or(0, |metadata| metadata.len());
        let bar = progress(size, &name);
        let input = BufReader::with_capacity(BUFFER, bar.wrap_read(input));
        results::read(&name, input, &mut collector)?;
        bar.finish_and_clear();
    }
    Ok(collector.finish())
}

/// A bar on a terminal, for files that take long.
fn progress(size: u64, name: &str) -> ProgressBar {
    const LONG: u64 = 1 << 28;
    if size < LONG || !stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(size), ProgressDrawTarget::stderr());
    if let Ok(style) =
        ProgressStyle::with_template("{msg} {bar:30} {bytes} of {total_bytes}, {eta}")
    {
        bar.set_style(style);
    }
    bar.set_message(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

fn options(arguments: &Arguments, results: &Results) -> Result<RatingOptions> {
    let mut anchors = BTreeMap::new();
    if arguments.anchor_elo.len() > arguments.anchor.len()
        || (arguments.anchor.len() > 1 && arguments.anchor_elo.len() < arguments.anchor.len())
    {
        bail!(
            "{} --anchor and {} --anchor-elo; give one --anchor-elo for each",
            arguments.anchor.len(),
            arguments.anchor_elo.len()
        );
    }
    let number = |name: &String, what: &str| {
        results.names.binary_search(name).map_err(|_| {
            let known = some(&results.names);
            anyhow!("{what} `{name}` has no games here; name a player that has: {known}")
        })
    };
    if let Some(name) = results.not_seen.first() {
        bail!("the player of --exclude, `{name}`, has no games here; leave it out");
    }
    for (i, name) in arguments.anchor.iter().enumerate() {
        let player = number(name, "the anchor")?;
        let elo = arguments.anchor_elo.get(i).copied().unwrap_or(0.0);
        if anchors.insert(player, elo).is_some() {
            bail!("--anchor `{name}` is given twice; give it once");
        }
    }
    let mut links = Vec::new();
    for link in &arguments.link {
        let remedy = |name: &String| {
            number(name, "the player of --link").map_err(|error| match name_with_comma(results) {
                Some(other) => error.context(format!(
                    "--link cannot name `{other}` nor others with commas"
                )),
                None => error,
            })
        };
        if link.newer == link.older {
            bail!(
                "--link: `{}` is linked with itself; name two versions",
                link.newer
            );
        }
        links.push(link.numbered(remedy(&link.newer)?, remedy(&link.older)?));
    }
    let chosen = arguments.error_bars_for.iter();
    let error_bars_for = chosen.map(|name| number(name, "the player of --error-bars-for"));
    let mut error_bars_for: Vec<usize> = error_bars_for.collect::<Result<_>>()?;
    if results.names.len() <= MAX_COVARIANCE {
        // All have them.
        error_bars_for.clear();
    }
    let outcome_prior = 1.0;
    Ok(RatingOptions {
        model: match arguments.model {
            ModelName::Score => Model::Score,
            ModelName::OrderedLogit => Model::OrderedLogit { outcome_prior },
            ModelName::AdjacentCategories => Model::AdjacentCategories { outcome_prior },
        },
        prior_draws: arguments.prior,
        first_move: match arguments.first_move {
            Some(elo) => FirstMove::Fixed { elo },
            None => FirstMove::Estimated,
        },
        average_elo: arguments.average.unwrap_or(0.0),
        anchors,
        links,
        error_bars: error_bars(arguments)?,
        error_bars_for,
        // Players are numbered in the order of their names.
        draw_order: Vec::new(),
        level: arguments.confidence,
    })
}

fn error_bars(arguments: &Arguments) -> Result<ErrorBars> {
    let default = Refits::default();
    let refits = Refits {
        count: arguments.refits.unwrap_or(default.count),
        seed: arguments.seed.unwrap_or(default.seed),
    };
    let given = arguments.refits.is_some() || arguments.seed.is_some();
    let usual = match arguments.model {
        ModelName::Score => Bars::Dispersion,
        ModelName::OrderedLogit | ModelName::AdjacentCategories => Bars::Binomial,
    };
    let bars = arguments.error_bars.unwrap_or(usual);
    let by_residuals = matches!(bars, Bars::Dispersion | Bars::Sandwich | Bars::Global);
    if by_residuals && arguments.model != ModelName::Score {
        bail!(
            "--error-bars {bars:?} belongs to --model score; this model has binomial, bootstrap, simulation and none"
        );
    }
    Ok(match bars {
        Bars::Bootstrap => ErrorBars::Bootstrap(refits),
        Bars::Simulation => ErrorBars::Simulation(refits),
        _ if given => {
            bail!(
                "--refits and --seed belong to --error-bars bootstrap or simulation; give one of them"
            )
        }
        Bars::Dispersion => ErrorBars::Dispersion,
        Bars::Sandwich => ErrorBars::Sandwich,
        Bars::Global => ErrorBars::Global,
        Bars::Binomial => ErrorBars::Binomial,
        Bars::None => ErrorBars::None,
    })
}

fn name_with_comma(results: &Results) -> Option<&String> {
    results.names.iter().find(|name| name.contains(','))
}

/// The first few names.
fn some(names: &[String]) -> String {
    const SHOWN: usize = 8;
    let mut text = names
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN {
        text += &format!(" and {} more", names.len() - SHOWN);
    }
    text
}
