//! From the shape of a file to the model.

use std::{collections::BTreeMap, num::NonZeroU32};

use super::{FileError, Purpose, openings::openings, raw, standings};
use crate::model::{
    AdaptiveGoal, Adjudication, AdjudicationRule, ArtifactEngine, Digest, EngineProtocol,
    EngineSource, EngineSpec, Format, FormatKeys, Limit, Platform, Quarantine, Seeding, SpecError,
    Sprt, SpsaParameter, TournamentSpec, VariantSource, spsa::sides, wire,
};
use crate::ratings::sprt::EloUnit;

/// Why a file gives no specification.
pub(super) enum Error {
    Spec(SpecError),
    File(FileError),
}

impl From<SpecError> for Error {
    fn from(error: SpecError) -> Self {
        Self::Spec(error)
    }
}

/// The specification of a file; `read` gives the text of a file it names.
pub(super) fn spec(
    file: raw::File,
    mut read: impl FnMut(&str, Purpose) -> Result<String, FileError>,
) -> Result<TournamentSpec, Error> {
    if file.schema != 1 {
        let problem = format!("is {}: this program reads schema 1", file.schema);
        return Err(SpecError::new("schema", problem).into());
    }
    // Before the file is read, which may be missing only because the key should not be there.
    if file.variant.is_some() && file.variant_file.is_some() {
        let problem = "does not go with `variant`: leave one out";
        return Err(SpecError::new("variant_file", problem).into());
    }
    let engines = engines(file.engine, &mut read)?;
    let variant = VariantSource {
        id: file.variant.unwrap_or_default(),
        text: match (file.variant_file, file.variant_text) {
            (Some(_), Some(_)) => {
                return Err(SpecError::new(
                    "variant_text",
                    "does not go with `variant_file`: leave one out",
                )
                .into());
            }
            (Some(path), None) => Some(read(&path, Purpose::Variant).map_err(Error::File)?),
            (None, text) => text,
        },
    };
    let format = format(file.format, &engines)?;
    let engines = sides(&format, engines);
    Ok(TournamentSpec {
        name: file.name,
        variant,
        seed: file.seed,
        batch_pairs: file
            .batch_pairs
            .map(|pairs| at_least_one("batch_pairs", pairs))
            .transpose()?,
        openings: openings(file.openings.unwrap_or_default(), read)?,
        standings: file
            .standings
            .map(|raw| standings::from_raw(raw, &format.kind))
            .transpose()?,
        quarantine: file.quarantine.map(quarantine).transpose()?,
        format,
        limit: file.limit.map(|raw| limit(raw, "limit")).transpose()?,
        engines,
        adjudication: adjudication(file.adjudication)?,
        sprt: file.sprt.map(sprt),
        max_plies: file.max_plies.unwrap_or(TournamentSpec::MAX_PLIES),
    })
}

fn quarantine(raw: raw::Quarantine) -> Result<Quarantine, SpecError> {
    let usual = Quarantine::default();
    let faults = raw.faults.unwrap_or(usual.faults.get());
    let percent = raw.percent.unwrap_or(usual.percent.into());
    let percent = u8::try_from(percent).ok().filter(|percent| *percent <= 100);
    Ok(Quarantine {
        faults: at_least_one("quarantine.faults", faults)?,
        percent: percent.ok_or_else(|| SpecError::new("quarantine.percent", "must be 0 to 100"))?,
    })
}

/// The engines of a file.
pub(super) fn engines(
    raw: Vec<raw::Engine>,
    mut read: impl FnMut(&str, Purpose) -> Result<String, FileError>,
) -> Result<Vec<EngineSpec>, Error> {
    let engines = raw.into_iter().enumerate();
    engines
        .map(|(index, raw)| engine(index, raw, &mut read))
        .collect()
}

fn at_least_one(field: &str, number: u32) -> Result<NonZeroU32, SpecError> {
    NonZeroU32::new(number).ok_or_else(|| SpecError::new(field, "must be at least 1"))
}

fn format(raw: raw::Format, engines: &[EngineSpec]) -> Result<Format, SpecError> {
    let keys = FormatKeys {
        name: raw.kind.0,
        pairs: raw.pairs,
        challengers: raw.challengers,
        rounds: raw.rounds,
        tie_pairs: raw.tie_pairs,
        third_place: raw.third_place,
        seeding: raw.seeding.map(|seeding| match seeding {
            raw::Seeding::Order => Seeding::Order,
            raw::Seeding::Rating => Seeding::Rating,
        }),
        decide_elo: raw.decide_elo,
        most_pairs: raw.most_pairs,
        total_pairs: raw.total_pairs,
        random_percent: raw.random_percent,
        goal: raw.goal.map(|goal| match goal {
            raw::Goal::Ratings => AdaptiveGoal::Ratings,
            raw::Goal::Volume => AdaptiveGoal::Volume,
            raw::Goal::Order => AdaptiveGoal::Order,
        }),
        ahead: raw.ahead,
        parameters: raw.parameter.map(parameters),
    };
    keys.resolve(engines)
}

/// The parameters of a tuning, not checked yet.
pub(super) fn parameters(raw: Vec<raw::Parameter>) -> Vec<SpsaParameter> {
    raw.into_iter()
        .map(|parameter| SpsaParameter {
            name: parameter.name,
            value: parameter.value,
            min: parameter.min,
            max: parameter.max,
            c_end: parameter.c_end,
            r_end: parameter.r_end,
        })
        .collect()
}

fn limit(raw: raw::Limit, field: &str) -> Result<Limit, SpecError> {
    use proto::v1::{self, limit::Kind};
    let at = |key: &str| format!("{field}.{key}");
    let clock = raw.clock.map(|text| {
        let clock: crate::model::limit::Clock = text
            .parse()
            .map_err(|error| SpecError::new(at("clock"), format!("{error}")))?;
        Ok(Kind::Clock(v1::ClockLimit {
            base_ms: clock.base_ms,
            increment_ms: clock.increment_ms,
        }))
    });
    let given: Vec<Kind> = [
        raw.nodes.map(Kind::Nodes),
        raw.depth.map(Kind::Depth),
        raw.movetime_ms.map(Kind::MovetimeMs),
        clock.transpose()?,
    ]
    .into_iter()
    .flatten()
    .collect();
    match <[Kind; 1]>::try_from(given) {
        // The bounds are those of the message.
        Ok([kind]) => wire::limit_from_wire(&v1::Limit { kind: Some(kind) }, field),
        Err(_) => Err(SpecError::new(
            field,
            "must have exactly one of nodes, depth, movetime_ms, clock",
        )),
    }
}

fn engine(
    index: usize,
    raw: raw::Engine,
    read: impl FnMut(&str, Purpose) -> Result<String, FileError>,
) -> Result<EngineSpec, Error> {
    let at = |key: &str| format!("engine[{index}].{key}");
    let is_command = raw.command.is_some();
    for (is_given, goes, key, with) in [
        (
            raw.sha256.is_some(),
            is_command,
            "sha256",
            "command = \"name\"",
        ),
        (
            raw.protocol.is_some(),
            raw.artifact.is_some(),
            "protocol",
            "artifact; a worker's own engines have theirs in its configuration",
        ),
    ] {
        if is_given && !goes {
            let problem = format!("goes only with {with}: leave it out");
            return Err(SpecError::new(at(key), problem).into());
        }
    }
    let command = raw.command.map(|name| {
        let sha256 = raw.sha256.map(|text| digest(&at("sha256"), &text));
        let sha256 = sha256.transpose()?;
        Ok::<_, SpecError>(EngineSource::Command { name, sha256 })
    });
    let protocol = raw.protocol;
    let artifact = raw
        .artifact
        .map(|artifact| files(artifact, protocol, &at("artifact")));
    let given: Vec<EngineSource> = [
        raw.builtin
            .filter(|builtin| *builtin)
            .map(|_| EngineSource::Builtin {
                build: None,
                evaluation: None,
            }),
        command.transpose()?,
        artifact.transpose()?.map(EngineSource::Artifact),
        raw.version.map(EngineSource::Version),
    ]
    .into_iter()
    .flatten()
    .collect();
    let Ok([mut source]) = <[EngineSource; 1]>::try_from(given) else {
        let problem = "must have exactly one of builtin = true, command = \"name\", artifact = \"sha256\", version = \"name\"";
        return Err(SpecError::new(format!("engine[{index}]"), problem).into());
    };
    let files = (raw.evaluation_file, raw.evaluation_text);
    let key = if files.0.is_some() {
        "evaluation_file"
    } else {
        "evaluation_text"
    };
    match &mut source {
        EngineSource::Builtin { evaluation, .. } => {
            *evaluation = evaluation_of(files, &at("evaluation_text"), read)?;
        }
        _ if files != (None, None) => {
            let problem = "goes only with builtin = true: leave it out";
            return Err(SpecError::new(at(key), problem).into());
        }
        _ => {}
    }
    let text = |value| match value {
        raw::OptionValue::Boolean(value) => value.to_string(),
        raw::OptionValue::Number(value) => value.to_string(),
        raw::OptionValue::Text(value) => value,
    };
    Ok(EngineSpec {
        name: raw.name,
        source,
        options: raw
            .options
            .into_iter()
            .map(|(name, value)| (name, text(value)))
            .collect(),
        limit: raw.limit.map(|raw| limit(raw, &at("limit"))).transpose()?,
    })
}

/// Engine files of a coordinator; `field` is where they stand.
fn files(
    artifact: raw::Artifact,
    protocol: Option<raw::Protocol>,
    field: &str,
) -> Result<ArtifactEngine, SpecError> {
    let files = match artifact {
        raw::Artifact::Any(text) => BTreeMap::from([(Platform::any(), digest(field, &text)?)]),
        raw::Artifact::Platforms(files) => files
            .into_iter()
            .map(|(platform, text)| {
                let at = format!("{field}.{platform}");
                let platform: Platform = platform
                    .parse()
                    .map_err(|error| SpecError::new(field, format!("{error}")))?;
                Ok((platform, digest(&at, &text)?))
            })
            .collect::<Result<_, SpecError>>()?,
    };
    let engine = ArtifactEngine {
        protocol: match protocol {
            None | Some(raw::Protocol::Uci) => EngineProtocol::Uci,
            Some(raw::Protocol::Xboard) => EngineProtocol::Xboard,
        },
        files,
    };
    match engine.problem() {
        Some(problem) => Err(SpecError::new(field, problem)),
        None => Ok(engine),
    }
}

fn digest(field: &str, text: &str) -> Result<Digest, SpecError> {
    text.parse()
        .map_err(|error| SpecError::new(field, format!("{error}")))
}

/// The evaluation of a built-in engine: that of the file, or the text; `field` is where the text stands.
fn evaluation_of(
    (path, text): (Option<String>, Option<String>),
    field: &str,
    mut read: impl FnMut(&str, Purpose) -> Result<String, FileError>,
) -> Result<Option<String>, Error> {
    match (path, text) {
        (Some(_), Some(_)) => {
            let problem = "does not go with `evaluation_file`: leave one out";
            Err(SpecError::new(field, problem).into())
        }
        (Some(path), None) => {
            let text = read(&path, Purpose::Evaluation).map_err(Error::File)?;
            Ok(Some(text))
        }
        (None, text) => Ok(text),
    }
}

fn adjudication(raw: Option<raw::Adjudication>) -> Result<Adjudication, SpecError> {
    let raw = raw.unwrap_or_default();
    let rule = |key: &str, raw: Option<raw::Rule>| {
        let convert = |raw: raw::Rule| {
            let moves = at_least_one(&format!("adjudication.{key}.moves"), raw.moves)?;
            Ok(AdjudicationRule {
                score_cp: raw.score_cp,
                moves,
                after_move: raw.after_move,
            })
        };
        raw.map(convert).transpose()
    };
    Ok(Adjudication {
        resign: rule("resign", raw.resign)?,
        draw: rule("draw", raw.draw)?,
        advantage: rule("advantage", raw.advantage)?,
    })
}

fn sprt(raw: raw::Sprt) -> Sprt {
    let unit = match raw.unit {
        raw::Unit::Normalized => EloUnit::Normalized,
        raw::Unit::Logistic => EloUnit::Logistic,
    };
    Sprt {
        elo0: raw.elo0,
        elo1: raw.elo1,
        alpha: raw.alpha,
        beta: raw.beta,
        unit,
        overshoot_correction: raw.overshoot_correction,
    }
}
