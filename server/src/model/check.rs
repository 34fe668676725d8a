//! What a specification must fulfil, whichever way it came.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use super::{
    BookOpenings, EngineSource, EngineSpec, Format, FormatKind, Limit, OpeningOrder, Openings,
    SpecError, Sprt, TournamentSpec, UntilDecided,
};
use crate::ratings::sprt;

/// Most engines of a tournament.
pub const MAX_ENGINES: usize = 1000;
/// Most games of a tournament.
pub const MAX_GAMES: u64 = 100_000_000;
/// Most pairs of a batch, so that its message stays small.
pub const MAX_BATCH_PAIRS: u32 = 1000;
/// Most bytes of a user's variant file.
pub const MAX_VARIANT_BYTES: usize = 1024 * 1024;
/// Most bytes of the evaluation of one built-in engine.
pub const MAX_EVALUATION_BYTES: usize = 256 * 1024;
/// Most bytes of the evaluations of a tournament together, which stand in its message twice: with engines and players.
pub const MAX_EVALUATIONS_BYTES: usize = 4 * 1024 * 1024;
/// Most random plies of an opening.
pub const MAX_RANDOM_PLIES: u32 = 200;
/// Most plies that are played of a game of a book.
pub const MAX_BOOK_PLIES: u32 = 1000;
/// Most bytes of a book: room for some twenty million positions.
pub const MAX_BOOK_BYTES: u64 = 2 * 1024 * 1024 * 1024;
/// Most rounds of a Swiss tournament or a ladder.
pub const MAX_ROUNDS: u32 = 10_000;
/// Most further pairs of a level knockout encounter.
pub const MAX_TIE_PAIRS: u32 = 10_000;
/// More rounds than a Swiss tournament of the most engines has when its author does not say.
const MOST_USUAL_ROUNDS: u64 = 32;
/// Most options of an engine.
const MAX_OPTIONS: usize = 200;
/// Most bytes of a FEN, an option's name or an option's value.
const MAX_TEXT: usize = 4096;

/// Bytes of a message that the rest of a specification may need beside openings and variant.
const REST_BYTES: usize = 256 * 1024;

/// Checks everything about a specification that needs no rules of a variant.
pub fn check(spec: &TournamentSpec) -> Result<(), SpecError> {
    check_name("name", &spec.name, 128)?;
    check_variant(spec)?;
    if spec
        .batch_pairs
        .is_some_and(|pairs| pairs.get() > MAX_BATCH_PAIRS)
    {
        return Err(SpecError::new(
            "batch_pairs",
            format!("must be at most {MAX_BATCH_PAIRS}"),
        ));
    }
    check_openings(&spec.openings)?;
    check_engines(spec)?;
    check_size(spec)?;
    check_format(spec)?;
    if !(1..=TournamentSpec::MAX_PLIES).contains(&spec.max_plies) {
        return Err(SpecError::new(
            "max_plies",
            format!("must be 1 to {}", TournamentSpec::MAX_PLIES),
        ));
    }
    spec.sprt
        .as_ref()
        .map_or(Ok(()), |sprt| check_sprt(sprt, spec))
}

/// Most pairs of a format between this many engines.
pub fn most_pairs(format: &Format, engines: usize) -> u64 {
    let pairs = u64::from(format.pairs.get());
    let engines = engines as u64;
    let encounters = match &format.kind {
        FormatKind::RoundRobin | FormatKind::Pyramid => engines * engines.saturating_sub(1) / 2,
        FormatKind::Swiss { rounds } => {
            let rounds = rounds.map_or(MOST_USUAL_ROUNDS, |rounds| rounds.get().into());
            rounds * (engines / 2)
        }
        FormatKind::Ladder { rounds } => {
            rounds.map_or(engines, |rounds| rounds.get().into()) * (engines / 2)
        }
        // One encounter for each engine but the winner, and that for the third place.
        &FormatKind::Knockout {
            tie_pairs, until, ..
        } => {
            let most = until.map_or(pairs, |until| until.most_pairs.get().into());
            return engines * most.saturating_add(tie_pairs.into());
        }
        FormatKind::Adaptive { total_pairs, .. } => return total_pairs.get().into(),
        FormatKind::Spsa(spsa) => return spsa.total_pairs.get().into(),
        FormatKind::Gauntlet { challengers } => {
            let challengers = challengers.len() as u64;
            challengers * engines.saturating_sub(challengers)
        }
        FormatKind::HeadToHead => 1,
    };
    encounters.saturating_mul(pairs)
}

/// Checks a name: its length, and that it has nothing that cannot be seen.
pub fn check_name(field: &str, name: &str, most: usize) -> Result<(), SpecError> {
    let length = name.chars().count();
    if length == 0 || length > most || name.chars().any(char::is_control) || name.trim() != name {
        let problem = format!(
            "must have 1 to {most} characters, none of them a control character, no blanks around it"
        );
        return Err(SpecError::new(field, problem));
    }
    Ok(())
}

fn check_variant(spec: &TournamentSpec) -> Result<(), SpecError> {
    match &spec.variant.text {
        None if spec.variant.id.is_empty() => Err(SpecError::new(
            "variant",
            "is missing: name a variant, or a file of your own with `variant_file`",
        )),
        Some(text) if text.len() > MAX_VARIANT_BYTES => Err(SpecError::new(
            "variant_file",
            format!("has more than {MAX_VARIANT_BYTES} bytes"),
        )),
        _ => Ok(()),
    }
}

fn check_openings(openings: &Openings) -> Result<(), SpecError> {
    match openings {
        Openings::Setups { numbers, sample } => {
            if !numbers.is_empty() && sample.is_some() {
                return Err(SpecError::new(
                    "openings.sample",
                    "does not go with `numbers`: leave one of them out",
                ));
            }
            Ok(())
        }
        Openings::Armies => Ok(()),
        Openings::List { fens, .. } => {
            if fens.is_empty() {
                return Err(SpecError::new(
                    "openings.fens",
                    "has no position: at least one is needed",
                ));
            }
            match fens
                .iter()
                .position(|fen| fen.is_empty() || fen.len() > MAX_TEXT)
            {
                Some(at) => Err(SpecError::new(
                    format!("openings.fens[{at}]"),
                    "is not a FEN: empty or too long",
                )),
                None => Ok(()),
            }
        }
        Openings::Book(book) => check_book(book),
        Openings::Random { plies, .. } => {
            if !(1..=MAX_RANDOM_PLIES).contains(plies) {
                return Err(SpecError::new(
                    "openings.plies",
                    format!("must be 1 to {MAX_RANDOM_PLIES}"),
                ));
            }
            Ok(())
        }
    }
}

fn check_book(book: &BookOpenings) -> Result<(), SpecError> {
    if book.plies.is_some_and(|plies| plies.get() > MAX_BOOK_PLIES) {
        let problem = format!("must be 1 to {MAX_BOOK_PLIES}");
        return Err(SpecError::new("openings.plies", problem));
    }
    if book.start.is_some() && book.order == OpeningOrder::Random {
        let problem = "goes with order = \"sequential\": leave it out, or say so";
        return Err(SpecError::new("openings.start", problem));
    }
    Ok(())
}

/// Openings and evaluations travel and are stored with their tournament, in one message.
fn check_size(spec: &TournamentSpec) -> Result<(), SpecError> {
    let texts = spec.engines.iter().filter_map(EngineSpec::evaluation);
    let evaluations: usize = texts.map(str::len).sum();
    if evaluations > MAX_EVALUATIONS_BYTES {
        let problem = format!(
            "has evaluations of {evaluations} bytes together: at most {MAX_EVALUATIONS_BYTES} bytes are possible, use fewer"
        );
        return Err(SpecError::new("engine", problem));
    }
    let Openings::List { fens, .. } = &spec.openings else {
        return Ok(());
    };
    // A text is preceded by its key, one byte, and its length, at most two for the longest FEN.
    let bytes: usize = fens.iter().map(|fen| fen.len() + 3).sum();
    let variant = spec.variant.text.as_ref().map_or(0, String::len);
    let most = proto::MAX_MESSAGE_BYTES - REST_BYTES - variant - 2 * evaluations;
    if bytes > most {
        let problem = format!(
            "has {} positions of {bytes} bytes together: at most {most} bytes are possible, use fewer",
            fens.len()
        );
        return Err(SpecError::new("openings.fens", problem));
    }
    Ok(())
}

fn check_engines(spec: &TournamentSpec) -> Result<(), SpecError> {
    let count = spec.engines.len();
    if !(2..=MAX_ENGINES).contains(&count) {
        return Err(SpecError::new(
            "engine",
            format!("there are {count} engines: 2 to {MAX_ENGINES} are needed"),
        ));
    }
    let mut names = BTreeSet::new();
    for (index, engine) in spec.engines.iter().enumerate() {
        let field = format!("engine[{index}]");
        check_engine(&field, engine, spec.limit)?;
        if !names.insert(&engine.name) {
            return Err(SpecError::new(
                format!("{field}.name"),
                format!("`{}` is used twice: names must differ", engine.name),
            ));
        }
    }
    Ok(())
}

/// Checks one engine; `field` is where it stands, `general` the limit of engines that have none of their own.
pub fn check_engine(
    field: &str,
    engine: &EngineSpec,
    general: Option<Limit>,
) -> Result<(), SpecError> {
    let at = |key: &str| format!("{field}.{key}");
    check_name(&at("name"), &engine.name, 64)?;
    match &engine.source {
        EngineSource::Command { name, .. } => check_name(&at("command"), name, 128)?,
        EngineSource::Version(version) => check_name(&at("version"), version, 64)?,
        EngineSource::Builtin { .. } | EngineSource::Artifact(_) => {}
    }
    check_options(&at("options"), engine.options.iter())?;
    check_evaluation(field, engine)?;
    let builtin = matches!(engine.source, EngineSource::Builtin { .. });
    let is_file = |name: &&String| builtin && name.eq_ignore_ascii_case("EvalFile");
    if let Some(name) = engine.options.keys().find(is_file) {
        let problem = "is no option of a built-in engine here: give its weights by evaluation_file = \"PATH\" beside `options`";
        return Err(SpecError::new(at(&format!("options.{name}")), problem));
    }
    if engine.limit.is_none() && general.is_none() {
        let problem = "is missing: give a general [limit], or a limit to each engine";
        return Err(SpecError::new(at("limit"), problem));
    }
    Ok(())
}

/// Checks names and values of UCI options.
pub fn check_options<'a>(
    field: &str,
    options: impl ExactSizeIterator<Item = (&'a String, &'a String)>,
) -> Result<(), SpecError> {
    if options.len() > MAX_OPTIONS {
        return Err(SpecError::new(
            field,
            format!("has more than {MAX_OPTIONS} options"),
        ));
    }
    for (name, value) in options {
        let bad = |text: &str| text.len() > MAX_TEXT || text.chars().any(char::is_control);
        if name.trim().is_empty() || bad(name) || bad(value) {
            return Err(SpecError::new(
                format!("{field}.{name}"),
                "is not an option: empty, too long or several lines",
            ));
        }
    }
    Ok(())
}

/// Checks the size of an engine's evaluation; `field` is where the engine stands.
pub fn check_evaluation(field: &str, engine: &EngineSpec) -> Result<(), SpecError> {
    let problem = match engine.evaluation().map(str::len) {
        Some(0) => "is empty: leave it out, or name a file with weights".to_owned(),
        Some(bytes) if bytes > MAX_EVALUATION_BYTES => {
            format!("has {bytes} bytes: at most {MAX_EVALUATION_BYTES} are possible")
        }
        _ => return Ok(()),
    };
    Err(SpecError::new(format!("{field}.evaluation_file"), problem))
}

fn check_until(until: Option<&UntilDecided>, pairs: NonZeroU32) -> Result<(), SpecError> {
    let Some(until) = until else {
        return Ok(());
    };
    let limit = sprt::EloUnit::Normalized.max_bound();
    if f64::from(until.elo.get()) > limit {
        let problem = format!("must be 1 to {limit} normalized Elo");
        return Err(SpecError::new("format.decide_elo", problem));
    }
    if until.most_pairs < pairs {
        let problem = format!("must be at least `pairs`, {pairs}");
        return Err(SpecError::new("format.most_pairs", problem));
    }
    Ok(())
}

fn check_format(spec: &TournamentSpec) -> Result<(), SpecError> {
    let engines = spec.engines.len();
    match &spec.format.kind {
        FormatKind::RoundRobin | FormatKind::Pyramid => {}
        FormatKind::Swiss { rounds } | FormatKind::Ladder { rounds } => {
            if rounds.is_some_and(|rounds| rounds.get() > MAX_ROUNDS) {
                let problem = format!("must be 1 to {MAX_ROUNDS}");
                return Err(SpecError::new("format.rounds", problem));
            }
        }
        FormatKind::Knockout {
            tie_pairs, until, ..
        } => {
            if *tie_pairs > MAX_TIE_PAIRS {
                let problem = format!("must be 0 to {MAX_TIE_PAIRS}");
                return Err(SpecError::new("format.tie_pairs", problem));
            }
            check_until(until.as_ref(), spec.format.pairs)?;
        }
        FormatKind::Adaptive { random_percent, .. } => {
            if *random_percent > 100 {
                return Err(SpecError::new("format.random_percent", "must be 0 to 100"));
            }
        }
        FormatKind::Spsa(spsa) => {
            spsa.check(&spec.engines)?;
            let pairs = spec.format.pairs.get();
            if let Some(batch) = spec
                .batch_pairs
                .filter(|batch| !pairs.is_multiple_of(batch.get()))
            {
                let problem = format!(
                    "is {batch}, which does not divide `pairs` of an iteration, {pairs}: batches hold no games of two iterations"
                );
                return Err(SpecError::new("batch_pairs", problem));
            }
        }
        FormatKind::HeadToHead => {
            if engines != 2 {
                let problem = format!("head-to-head needs exactly 2 engines, there are {engines}");
                return Err(SpecError::new("format.kind", problem));
            }
        }
        FormatKind::Gauntlet { challengers } => {
            let distinct: BTreeSet<_> = challengers.iter().collect();
            if distinct.len() != challengers.len()
                || challengers.iter().any(|&index| index >= engines)
            {
                return Err(SpecError::new(
                    "format.challengers",
                    "must name engines of this tournament, each once",
                ));
            }
            if challengers.is_empty() || challengers.len() == engines {
                return Err(SpecError::new(
                    "format.challengers",
                    "must name some of the engines and not all",
                ));
            }
        }
    }
    let games = most_pairs(&spec.format, engines).saturating_mul(2);
    if games > MAX_GAMES {
        return Err(SpecError::new(
            "format.pairs",
            format!("gives {games} games: at most {MAX_GAMES} are possible"),
        ));
    }
    Ok(())
}

fn check_sprt(test: &Sprt, spec: &TournamentSpec) -> Result<(), SpecError> {
    if spec.engines.len() != 2 {
        return Err(SpecError::new(
            "sprt",
            "needs exactly two engines: the first is the base, the second the candidate",
        ));
    }
    if !matches!(
        spec.format.kind,
        FormatKind::HeadToHead
            | FormatKind::RoundRobin
            | FormatKind::Gauntlet { .. }
            | FormatKind::Pyramid
    ) {
        return Err(SpecError::new(
            "sprt",
            "needs a format whose games are known from the start: use head-to-head",
        ));
    }
    let refused = |error: sprt::SpecError| {
        let key = match error {
            sprt::SpecError::Order { .. } => "sprt.elo1",
            sprt::SpecError::TooLarge { bound, .. } if bound == test.elo0 => "sprt.elo0",
            sprt::SpecError::TooLarge { .. } => "sprt.elo1",
            sprt::SpecError::Probability { name: "alpha", .. } => "sprt.alpha",
            sprt::SpecError::Probability { .. } => "sprt.beta",
        };
        SpecError::new(key, format!("is refused: {error}"))
    };
    test.question().map(drop).map_err(refused)
}
