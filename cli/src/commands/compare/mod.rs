//! `brouhaha compare`: is the candidate stronger than the base, in one variant or in several together?

mod joint;
mod report;
mod several;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::builder::TypedValueParser as _;
use engine::variant::Variant;
use proto::v1;
use proto::v1::engine_source;

use crate::client::Connection;
use crate::commands::stats::Unit;
use crate::contest::{self, Ending};
use crate::engine_text::{self, EngineText};
use crate::opening_text::{self, OpeningText};
use crate::output::{Format, FormatArgument, print};
use crate::settings::{self, DataDir};
use crate::site::{Site, Workplace};
use crate::variants::{VariantFiles, Variants};
use report::Found;

/// Most variants of a comparison, as many as a coordinator gives one verdict of.
const MOST_VARIANTS: usize = 64;
/// Openings where the variant has one set-up only.
const USUAL_OPENINGS: &str = "random:8";

/// Arguments of `compare`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha compare --base builtin --candidate builtin:Contempt=20 --variant chess --pairs 100\n  brouhaha compare --base command:old --candidate command:new --variant chess --sprt 0,5 --limit clock=10+0.1 --engine old=./old --engine new=./new\n  brouhaha compare --base builtin --candidate builtin:Contempt=20 --variant chess,war-of-the-roses --sprt 0,10\n  brouhaha compare --base A --candidate B --variant chess --pairs 500 --openings file:book.epd,order=sequential\n\nSeveral variants: the log-likelihood ratios of their tests add up to a test of ELO0 in all against ELO1 in all; each ends by its own verdict, all end by the joint one. Engines: builtin, builtin:OPTION=VALUE,… (EvalFile=FILE for weights of its own), command:NAME, artifact:SHA256, version:NAME. Exit code: 0 accepted, or done without a test; 3 rejected; 4 inconclusive."
)]
pub struct Arguments {
    /// The engine to compare with
    #[arg(long, value_name = "ENGINE", value_parser = engine_text::engine)]
    base: EngineText,
    /// The engine in question
    #[arg(long, value_name = "ENGINE", value_parser = engine_text::engine)]
    candidate: EngineText,
    /// The variant; several, with commas or the option again, are compared side by side with one verdict
    #[arg(long, value_name = "VARIANT", required = true, value_delimiter = ',')]
    variant: Vec<String>,
    /// Pairs of games to play, in each variant; with --sprt at most [default with --sprt: 20000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), required_unless_present = "sprt")]
    pairs: Option<u32>,
    /// Limit of both: nodes=N, depth=N, movetime=MSms or clock=SECONDS+SECONDS
    #[arg(long, value_name = "LIMIT", default_value = "nodes=10000", value_parser = engine_text::limit)]
    limit: v1::Limit,
    /// Another limit for the candidate
    #[arg(long, value_name = "LIMIT", value_parser = engine_text::limit)]
    candidate_limit: Option<v1::Limit>,
    /// Stop as soon as a sequential test decides between these two Elo differences
    #[arg(long, value_name = "ELO0,ELO1", allow_hyphen_values = true, value_parser = clap::builder::StringValueParser::new().try_map(|text| bounds(&text)))]
    sprt: Option<(f64, f64)>,
    /// Unit of the test's two differences
    #[arg(long, value_enum, default_value_t = Unit::Normalized, requires = "sprt")]
    unit: Unit,
    /// Probability that the test accepts at ELO0
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    alpha: f64,
    /// Probability that the test rejects at ELO1
    #[arg(long, value_name = "P", default_value_t = 0.05, requires = "sprt")]
    beta: f64,
    /// Whether the test's bounds move in by the estimated overshoot [default: if a batch has more than one pair]
    #[arg(long, value_name = "true|false", requires = "sprt")]
    overshoot_correction: Option<bool>,
    /// Openings: setups, armies, random:PLIES or file:PATH, a book of FENs, EPD or PGN, with ,order=sequential|random
    /// ,start=N ,sample=N ,plies=N (of a PGN) ,format=epd|fen|pgn behind it [default: setups, or random:8 where there is
    /// only one]
    #[arg(long, value_name = "OPENINGS")]
    openings: Option<String>,
    /// End a game as won when for MOVES moves every score says that the same side is ahead by CP centipawns
    #[arg(long, value_name = "CP,MOVES[,AFTER]", value_parser = clap::builder::StringValueParser::new().try_map(|text| rule(&text)))]
    resign: Option<v1::AdjudicationRule>,
    /// End a game as drawn when for MOVES moves every score is at most CP centipawns from zero
    #[arg(long, value_name = "CP,MOVES[,AFTER]", value_parser = clap::builder::StringValueParser::new().try_map(|text| rule(&text)))]
    draw: Option<v1::AdjudicationRule>,
    /// End a game as an advantage when for MOVES moves every score says that the same side is ahead by CP centipawns
    #[arg(long, value_name = "CP,MOVES[,AFTER]", value_parser = clap::builder::StringValueParser::new().try_map(|text| rule(&text)))]
    advantage: Option<v1::AdjudicationRule>,
    /// Seed of everything random
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Play it anew even if the same comparison was begun or finished before
    #[arg(long)]
    fresh: bool,
    /// Where tournaments and games are kept, if not with a coordinator [env: BROUHAHA_DATA] [default: ./brouhaha-data]
    #[arg(long, value_name = "DIR", conflicts_with = "coordinator")]
    data_dir: Option<PathBuf>,
    #[command(flatten)]
    place: Workplace,
    #[command(flatten)]
    format: FormatArgument,
}

/// Compares.
pub fn run(files: &VariantFiles, arguments: Arguments) -> Result<ExitCode> {
    settings::log("warn");
    let data_dir = DataDir::or_usual(arguments.data_dir.as_ref());
    let place = arguments
        .place
        .clone()
        .or_environment(arguments.data_dir.as_ref());
    for engine in [&arguments.base, &arguments.candidate] {
        if let engine_source::Kind::Command(name) = &engine.source {
            place.check_command(name)?;
        }
    }
    let specs = specs(files, &arguments)?;
    for (spec, _) in &specs {
        engine_text::check_builtin_options(&spec.engines)?;
    }
    settings::runtime()?.block_on(async {
        let mut site = place.open(&data_dir).await?;
        let compared = match <[_; 1]>::try_from(specs) {
            Ok([(spec, book)]) => compare(&mut site, spec, book.as_deref(), &arguments).await,
            Err(specs) => {
                let specs = specs.into_iter().map(|(spec, _)| spec).collect();
                several::compare(&mut site, specs, &arguments).await
            }
        };
        site.close().await?;
        compared
    })
}

/// A tournament, and the file of its openings if they are of one.
type Spec = (v1::TournamentSpec, Option<PathBuf>);

/// A tournament for each variant, the same as if it were compared alone, and the book of its openings.
fn specs(files: &VariantFiles, arguments: &Arguments) -> Result<Vec<Spec>> {
    let (variants, names) = (Variants::load(files)?, &arguments.variant);
    if names.len() > MOST_VARIANTS {
        bail!(
            "{} variants are named: at most {MOST_VARIANTS} can be compared together",
            names.len()
        );
    }
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            bail!("the variant `{name}` is named twice; name each once");
        }
    }
    let specs = names.iter().map(|name| spec(&variants, name, arguments));
    let specs: Vec<Spec> = specs.collect::<Result<_>>()?;
    if specs.len() > 1 && specs.iter().any(|(_, book)| book.is_some()) {
        bail!("a book is of one variant; compare in one, or leave --openings out");
    }
    Ok(specs)
}

/// The comparison in one variant as a tournament of two engines, and the book of its openings.
fn spec(variants: &Variants, name: &str, arguments: &Arguments) -> Result<Spec> {
    let variant = variants.get(name)?;
    let OpeningText { source, book } = openings(&variant, arguments.openings.as_deref())?;
    let pairs = arguments.pairs.unwrap_or(20_000);
    let sprt = arguments.sprt.map(|(elo0, elo1)| v1::Sprt {
        elo0,
        elo1,
        alpha: arguments.alpha,
        beta: arguments.beta,
        logistic: arguments.unit == Unit::Logistic,
        overshoot_correction: arguments.overshoot_correction,
    });
    let spec = v1::TournamentSpec {
        name: contest::comparison_name(name),
        variant: name.to_owned(),
        variant_text: variants.text(name).cloned().unwrap_or_default(),
        seed: arguments.seed,
        openings: Some(v1::Openings {
            source: Some(source),
        }),
        format: Some(v1::Format {
            kind: v1::FormatKind::HeadToHead.into(),
            pairs,
            ..Default::default()
        }),
        limit: Some(arguments.limit),
        engines: vec![
            arguments.base.spec("base", None),
            arguments
                .candidate
                .spec("candidate", arguments.candidate_limit),
        ],
        adjudication: Some(v1::Adjudication {
            resign: arguments.resign,
            draw: arguments.draw,
            advantage: arguments.advantage,
        }),
        sprt,
        ..v1::TournamentSpec::default()
    };
    Ok((spec, book))
}

/// The openings that a text names; without one the variant's set-ups, or random ones where there is only one set-up.
pub(super) fn openings(variant: &Variant, text: Option<&str>) -> Result<OpeningText> {
    match text {
        None if variant.setups().count > 1 => opening_text::openings("setups"),
        None => opening_text::openings(USUAL_OPENINGS),
        Some(text) => opening_text::openings(text),
    }
}

/// Reads `0,5`.
fn bounds(text: &str) -> Result<(f64, f64)> {
    let (elo0, elo1) = text
        .split_once(',')
        .context("two Elo differences are needed, e.g. 0,5")?;
    let number = |text: &str| {
        let number: Option<f64> = text.trim().parse().ok().filter(|elo: &f64| elo.is_finite());
        number.with_context(|| format!("`{text}` is no Elo difference"))
    };
    Ok((number(elo0)?, number(elo1)?))
}

/// Reads `700,4` or `10,8,40`: centipawns, moves, and moves that must have been played before.
pub(super) fn rule(text: &str) -> Result<v1::AdjudicationRule> {
    let numbers: Result<Vec<u32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    let (score_cp, moves, after_move) = match numbers.as_deref() {
        Ok(&[score_cp, moves]) => (score_cp, moves, 0),
        Ok(&[score_cp, moves, after_move]) => (score_cp, moves, after_move),
        _ => bail!(
            "`{text}` is no rule: write centipawns and moves, e.g. 700,4, or 10,8,40 for one that holds after move 40"
        ),
    };
    if moves == 0 {
        bail!("`{text}` is no rule: at least 1 move is needed");
    }
    Ok(v1::AdjudicationRule {
        score_cp,
        moves,
        after_move,
    })
}

async fn compare(
    site: &mut Site,
    spec: v1::TournamentSpec,
    book: Option<&Path>,
    arguments: &Arguments,
) -> Result<ExitCode> {
    let tournament = contest::begin(site, spec, book, arguments.fresh).await?;
    let id = tournament.id;
    let note = async |connection: &Connection| {
        let found = Found::ask(connection, id).await?;
        Ok(found.note())
    };
    let ending = contest::to_end(site, &tournament, note).await?;
    let found = Found::ask(&site.connection, id).await?.at_the_verdict();
    found.warn_of_faults();
    let shown = match arguments.format.format {
        Format::Table => found.table(&tournament),
        Format::Json => found.json(&tournament)?,
    };
    match ending {
        Ending::Finished => {
            print(shown)?;
            Ok(found.code())
        }
        Ending::Interrupted => {
            eprint!("{shown}");
            eprintln!("interrupted: run the same command again to go on");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// The result of a sequential test in a tournament of two engines, with the pairs that the test has counted only: the same
/// however many games were under way at its verdict.
pub(super) async fn verdict(
    connection: &Connection,
    tournament: &v1::Tournament,
    format: Format,
) -> Result<String> {
    let found = Found::ask(connection, tournament.id)
        .await?
        .at_the_verdict();
    match format {
        Format::Table => Ok(found.table(tournament)),
        Format::Json => found.json(tournament),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_two_or_three_numbers() {
        let numbers = |text| rule(text).map(|rule| (rule.score_cp, rule.moves, rule.after_move));
        assert_eq!(numbers("700,4").unwrap(), (700, 4, 0));
        assert_eq!(numbers("10, 8,40").unwrap(), (10, 8, 40));
        for bad in ["", "700", "700,0", "-5,2", "1,2,3,4", "a,b"] {
            assert!(rule(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn bounds_are_two_numbers() {
        assert_eq!(bounds("0,5").unwrap(), (0.0, 5.0));
        assert_eq!(bounds("-1.5, 2").unwrap(), (-1.5, 2.0));
        for bad in ["", "5", "0;5", "a,b", "0,inf"] {
            assert!(bounds(bad).is_err(), "{bad}");
        }
    }
}
