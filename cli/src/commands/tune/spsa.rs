//! `brouhaha tune spsa`: tunes options of an engine by games against itself.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, anyhow, bail};
use clap::builder::TypedValueParser as _;
use proto::v1;
use proto::v1::engine_source;
use server::model::{SpsaParameter, tournament_file};

use super::course::{Course, Format};
use crate::client::Connection;
use crate::commands::compare;
use crate::contest::{self, Ending};
use crate::engine_text::{self, EngineText};
use crate::opening_text::OpeningText;
use crate::output::print;
use crate::settings::{self, DataDir};
use crate::site::{Site, Workplace};
use crate::variants::{VariantFiles, Variants};

/// Arguments of `tune spsa`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha tune spsa builtin --param Mobility=100,0,300,20,0.002 --param KingSafety=100,0,300,20,0.002 --variant chess --pairs 5000\n  brouhaha tune spsa command:mine:Hash=16 --params options.toml --variant chess --pairs 30000 --limit clock=5+0.05 --engine mine=./mine\n\nC_END is by how much an option is moved both ways at the end, about as much as a difference can be measured of (a twentieth of its range); R_END how much of it a pair that is won by a point moves it at the end (0.002 is usual). A FILE has tables [[parameter]] with name, value, min, max, c_end, r_end. The options are whole numbers."
)]
pub(super) struct Arguments {
    /// The engine: builtin, builtin:OPTION=VALUE,…, command:NAME, artifact:SHA256
    #[arg(value_name = "ENGINE", value_parser = engine_text::engine)]
    tuned: EngineText,
    /// An option that is tuned (may be given several times)
    #[arg(long = "param", value_name = "NAME=VALUE,MIN,MAX,C_END,R_END", value_parser = clap::builder::StringValueParser::new().try_map(|text| parameter(&text)))]
    parameters: Vec<SpsaParameter>,
    /// A TOML file with a list [[parameter]] of options that are tuned
    #[arg(long = "params", value_name = "FILE")]
    file: Option<PathBuf>,
    /// The variant
    #[arg(long)]
    variant: String,
    /// Pairs of games to play in all
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pairs: u32,
    /// Pairs of games of an iteration
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    iteration_pairs: u32,
    /// Iterations that are played at a time, whoever plays [default: as many as have 64 pairs, at most a twentieth of all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    ahead: Option<u32>,
    /// Limit of the games: nodes=N, depth=N, movetime=MSms or clock=SECONDS+SECONDS
    #[arg(long, value_name = "LIMIT", default_value = "nodes=10000", value_parser = engine_text::limit)]
    limit: v1::Limit,
    /// Openings: setups, armies, random:PLIES, file:PATH [default: setups, or random:8 where there is only one]
    #[arg(long, value_name = "OPENINGS")]
    openings: Option<String>,
    /// End a game as won when for MOVES moves every score says that the same side is ahead by CP centipawns
    #[arg(long, value_name = "CP,MOVES[,AFTER]", value_parser = clap::builder::StringValueParser::new().try_map(|text| compare::rule(&text)))]
    resign: Option<v1::AdjudicationRule>,
    /// End a game as drawn when for MOVES moves every score is at most CP centipawns from zero
    #[arg(long, value_name = "CP,MOVES[,AFTER]", value_parser = clap::builder::StringValueParser::new().try_map(|text| compare::rule(&text)))]
    draw: Option<v1::AdjudicationRule>,
    /// Seed of everything random
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
    /// Play it anew even if the same tuning was begun or finished before
    #[arg(long)]
    fresh: bool,
    /// Where tournaments and games are kept, if not with a coordinator [env: BROUHAHA_DATA] [default: ./brouhaha-data]
    #[arg(long, value_name = "DIR", conflicts_with = "coordinator")]
    data_dir: Option<PathBuf>,
    #[command(flatten)]
    place: Workplace,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// Tunes.
pub(super) fn run(files: &VariantFiles, arguments: Arguments) -> Result<ExitCode> {
    settings::log("warn");
    let data_dir = DataDir::or_usual(arguments.data_dir.as_ref());
    let place = arguments.place.clone();
    let place = place.or_environment(arguments.data_dir.as_ref());
    if let engine_source::Kind::Command(name) = &arguments.tuned.source {
        place.check_command(name)?;
    }
    let (spec, book) = spec(&Variants::load(files)?, &arguments)?;
    check_ends(&spec)?;
    settings::runtime()?.block_on(async {
        let mut site = place.open(&data_dir).await?;
        let tuned = tune(&mut site, spec, book.as_deref(), &arguments).await;
        site.close().await?;
        tuned
    })
}

/// The tuning as a tournament, and the file of its openings if they are of one.
fn spec(
    variants: &Variants,
    arguments: &Arguments,
) -> Result<(v1::TournamentSpec, Option<PathBuf>)> {
    let variant = variants.get(&arguments.variant)?;
    let mut parameters = arguments.parameters.clone();
    if let Some(file) = &arguments.file {
        parameters.extend(tournament_file::load_parameters(file)?);
    }
    if parameters.is_empty() {
        bail!(
            "there is nothing to tune: name options with --param NAME=VALUE,MIN,MAX,C_END,R_END or in a file with --params FILE"
        );
    }
    let parameters = parameters.into_iter().map(|parameter| v1::SpsaParameter {
        name: parameter.name,
        value: parameter.value,
        min: parameter.min,
        max: parameter.max,
        c_end: parameter.c_end,
        r_end: parameter.r_end,
    });
    let OpeningText { source, book } = compare::openings(&variant, arguments.openings.as_deref())?;
    let spec = v1::TournamentSpec {
        name: contest::tuning_name(&arguments.variant),
        variant: arguments.variant.clone(),
        variant_text: variants
            .text(&arguments.variant)
            .cloned()
            .unwrap_or_default(),
        seed: arguments.seed,
        openings: Some(v1::Openings {
            source: Some(source),
        }),
        format: Some(v1::Format {
            kind: v1::FormatKind::Spsa.into(),
            pairs: arguments.iteration_pairs,
            total_pairs: arguments.pairs,
            spsa: Some(v1::Spsa {
                parameters: parameters.collect(),
                ahead: arguments.ahead.unwrap_or(0),
            }),
            ..Default::default()
        }),
        limit: Some(arguments.limit),
        engines: vec![arguments.tuned.spec("engine", None)],
        adjudication: Some(v1::Adjudication {
            resign: arguments.resign,
            draw: arguments.draw,
            advantage: None,
        }),
        ..Default::default()
    };
    Ok((spec, book))
}

/// Checks that a built-in engine, which a coordinator takes as it is, has the options and takes both ends of their ranges.
fn check_ends(spec: &v1::TournamentSpec) -> Result<()> {
    let format = spec.format.as_ref();
    let spsa = format.and_then(|format| format.spsa.as_ref());
    let parameters = spsa.map_or(&[][..], |spsa| &spsa.parameters);
    let ends: [fn(&v1::SpsaParameter) -> i64; 2] =
        [|parameter| parameter.min, |parameter| parameter.max];
    for end in ends {
        let mut engines = spec.engines.clone();
        for engine in &mut engines {
            let values = parameters.iter();
            let values =
                values.map(|parameter| (parameter.name.clone(), end(parameter).to_string()));
            engine.options.extend(values);
        }
        engine_text::check_builtin_options(&engines)?;
    }
    Ok(())
}

/// Reads `Mobility=100,0,300,20,0.002`.
fn parameter(text: &str) -> Result<SpsaParameter> {
    let bad = || {
        anyhow!(
            "`{text}` is no parameter: write NAME=VALUE,MIN,MAX,C_END,R_END, e.g. Mobility=100,0,300,20,0.002"
        )
    };
    let (name, numbers) = text.rsplit_once('=').ok_or_else(bad)?;
    let numbers: Vec<&str> = numbers.split(',').map(str::trim).collect();
    let [value, min, max, c_end, r_end] = numbers[..] else {
        return Err(bad());
    };
    let real = |text: &str| {
        text.parse::<f64>()
            .map_err(|_| anyhow!("`{text}` is no number in `{name}`"))
    };
    let whole = |text: &str| {
        let number = text.parse::<i64>();
        number.map_err(|_| anyhow!("`{text}` is no whole number in `{name}`, as MIN and MAX are"))
    };
    let parameter = SpsaParameter {
        name: name.trim().to_owned(),
        value: real(value)?,
        min: whole(min)?,
        max: whole(max)?,
        c_end: real(c_end)?,
        r_end: real(r_end)?,
    };
    parameter.check("parameter")?;
    Ok(parameter)
}

async fn tune(
    site: &mut Site,
    spec: v1::TournamentSpec,
    book: Option<&Path>,
    arguments: &Arguments,
) -> Result<ExitCode> {
    let tournament = contest::begin(site, spec, book, arguments.fresh).await?;
    let id = tournament.id;
    let note = async |connection: &Connection| {
        let course = Course::ask(connection, id, 1).await?;
        Ok(course.note())
    };
    let ending = contest::to_end(site, &tournament, note).await?;
    let tournament = contest::get(&site.connection, id).await;
    let tournament = tournament.context("the result cannot be asked for")?;
    let course = Course::ask(&site.connection, id, 0).await?;
    match ending {
        Ending::Finished => {
            print(course.shown(&tournament, arguments.format)?)?;
            Ok(ExitCode::SUCCESS)
        }
        Ending::Interrupted => {
            eprint!("{}", course.shown(&tournament, Format::Table)?);
            eprintln!("interrupted: run the same command again to go on");
            Ok(ExitCode::FAILURE)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_a_name_and_five_numbers() {
        let read = parameter("King Safety = 12.5, -10,20,4,0.002").unwrap();
        assert_eq!(read.name, "King Safety");
        assert_eq!((read.value, read.min, read.max), (12.5, -10, 20));
        assert_eq!((read.c_end, read.r_end), (4.0, 0.002));
        for (bad, problem) in [
            ("", "NAME=VALUE"),
            ("a=1,2,3", "NAME=VALUE"),
            ("a=x,0,9,1,0.1", "`x` is no number"),
            ("a=1,0.5,9,1,0.1", "`0.5` is no whole number"),
            ("a=1,0,9,0.2,0.1", "at least 0.5"),
            ("a=10,0,9,1,0.1", "not within 0 to 9"),
            ("=1,0,9,1,0.1", "is not an option"),
        ] {
            let error = parameter(bad).unwrap_err().to_string();
            assert!(error.contains(problem), "{bad}: {error}");
        }
    }
}
