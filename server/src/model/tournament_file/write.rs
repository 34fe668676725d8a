//! From the model to TOML.

use engine::book::BookFormat;

use super::{raw, standings};
use crate::model::{
    AdaptiveGoal, Adjudication, AdjudicationRule, ArtifactEngine, Digest, EngineProtocol,
    EngineSource, EngineSpec, Limit, OpeningOrder, Openings, Platform, Seeding, TournamentSpec,
};
use crate::ratings::sprt::EloUnit;

/// The file that [`super::parse`] reads as this specification. Texts of other files stand in it, not their paths.
///
/// # Errors
/// When a number does not fit into TOML's 64-bit signed integers: a seed or node count of 2^63 or more.
pub fn to_toml(spec: &TournamentSpec) -> Result<String, toml::ser::Error> {
    toml::to_string(&raw::File {
        schema: 1,
        name: spec.name.clone(),
        variant: Some(spec.variant.id.clone()).filter(|id| !id.is_empty()),
        variant_file: None,
        variant_text: spec.variant.text.clone(),
        seed: spec.seed,
        batch_pairs: spec.batch_pairs.map(Into::into),
        max_plies: Some(spec.max_plies),
        openings: Some(openings(&spec.openings)),
        format: format(spec),
        limit: spec.limit.as_ref().map(limit),
        engine: spec.engines.iter().map(engine).collect(),
        adjudication: adjudication(&spec.adjudication),
        sprt: spec.sprt.map(|sprt| raw::Sprt {
            elo0: sprt.elo0,
            elo1: sprt.elo1,
            alpha: sprt.alpha,
            beta: sprt.beta,
            unit: match sprt.unit {
                EloUnit::Normalized => raw::Unit::Normalized,
                EloUnit::Logistic => raw::Unit::Logistic,
            },
            overshoot_correction: sprt.overshoot_correction,
        }),
        standings: spec.standings.as_ref().map(standings::to_raw),
        quarantine: spec.quarantine.map(|rule| raw::Quarantine {
            faults: Some(rule.faults.get()),
            percent: Some(rule.percent.into()),
        }),
    })
}

fn openings(openings: &Openings) -> raw::Openings {
    match openings {
        Openings::Setups { numbers, sample } => raw::Openings {
            source: raw::Source::Setups,
            numbers: Some(numbers.clone()).filter(|numbers| !numbers.is_empty()),
            sample: sample.map(Into::into),
            ..Default::default()
        },
        Openings::Armies => raw::Openings {
            source: raw::Source::Armies,
            ..Default::default()
        },
        Openings::List { fens, order } => raw::Openings {
            source: raw::Source::File,
            fens: Some(fens.clone()),
            order: Some(self::order(*order)),
            ..Default::default()
        },
        Openings::Book(book) => raw::Openings {
            source: raw::Source::File,
            sha256: Some(book.sha256.to_string()),
            format: book.format.map(|format| match format {
                BookFormat::Lines => raw::BookFormat::Epd,
                BookFormat::Pgn => raw::BookFormat::Pgn,
            }),
            order: Some(order(book.order)),
            plies: book.plies.map(Into::into),
            start: book.start.map(Into::into),
            sample: book.sample.map(Into::into),
            ..Default::default()
        },
        Openings::Random { plies, balance_cp } => raw::Openings {
            source: raw::Source::Random,
            plies: Some(*plies),
            balance: balance_cp.map(Into::into),
            ..Default::default()
        },
    }
}

fn order(order: OpeningOrder) -> raw::Order {
    match order {
        OpeningOrder::Sequential => raw::Order::Sequential,
        OpeningOrder::Random => raw::Order::Random,
    }
}

fn format(spec: &TournamentSpec) -> raw::Format {
    let keys = spec.format.keys(&spec.engines);
    raw::Format {
        kind: raw::FormatKind(keys.name),
        pairs: keys.pairs,
        challengers: keys.challengers,
        rounds: keys.rounds,
        tie_pairs: keys.tie_pairs,
        third_place: keys.third_place,
        seeding: keys.seeding.map(|seeding| match seeding {
            Seeding::Order => raw::Seeding::Order,
            Seeding::Rating => raw::Seeding::Rating,
        }),
        decide_elo: keys.decide_elo,
        most_pairs: keys.most_pairs,
        total_pairs: keys.total_pairs,
        random_percent: keys.random_percent,
        goal: keys.goal.map(|goal| match goal {
            AdaptiveGoal::Ratings => raw::Goal::Ratings,
            AdaptiveGoal::Volume => raw::Goal::Volume,
            AdaptiveGoal::Order => raw::Goal::Order,
        }),
        ahead: keys.ahead,
        parameter: keys.parameters.map(|parameters| {
            let parameters = parameters.into_iter();
            parameters
                .map(|parameter| raw::Parameter {
                    name: parameter.name,
                    value: parameter.value,
                    min: parameter.min,
                    max: parameter.max,
                    c_end: parameter.c_end,
                    r_end: parameter.r_end,
                })
                .collect()
        }),
    }
}

fn limit(limit: &Limit) -> raw::Limit {
    match limit {
        Limit::Nodes(nodes) => raw::Limit {
            nodes: Some(nodes.get()),
            ..Default::default()
        },
        Limit::Depth(depth) => raw::Limit {
            depth: Some((*depth).into()),
            ..Default::default()
        },
        Limit::MoveTime(ms) => raw::Limit {
            movetime_ms: Some(*ms),
            ..Default::default()
        },
        Limit::Clock(clock) => raw::Limit {
            clock: Some(clock.to_string()),
            ..Default::default()
        },
    }
}

fn engine(engine: &EngineSpec) -> raw::Engine {
    let options = engine.options.iter();
    let without = raw::Engine {
        name: engine.name.clone(),
        builtin: None,
        command: None,
        sha256: None,
        artifact: None,
        protocol: None,
        version: None,
        evaluation_file: None,
        evaluation_text: engine.evaluation().map(str::to_owned),
        options: options
            .map(|(name, value)| (name.clone(), raw::OptionValue::Text(value.clone())))
            .collect(),
        limit: engine.limit.as_ref().map(limit),
    };
    match &engine.source {
        EngineSource::Builtin { .. } => raw::Engine {
            builtin: Some(true),
            ..without
        },
        EngineSource::Command { name, sha256 } => raw::Engine {
            command: Some(name.clone()),
            sha256: sha256.map(|digest| digest.to_string()),
            ..without
        },
        EngineSource::Artifact(engine) => raw::Engine {
            artifact: Some(files(engine)),
            protocol: match engine.protocol {
                EngineProtocol::Uci => None,
                EngineProtocol::Xboard => Some(raw::Protocol::Xboard),
            },
            ..without
        },
        EngineSource::Version(version) => raw::Engine {
            version: Some(version.clone()),
            ..without
        },
    }
}

fn files(engine: &ArtifactEngine) -> raw::Artifact {
    match engine.files.get(&Platform::any()) {
        Some(digest) => raw::Artifact::Any(digest.to_string()),
        None => {
            let files = engine.files.iter();
            let text = |(platform, digest): (&Platform, &Digest)| {
                (platform.to_string(), digest.to_string())
            };
            raw::Artifact::Platforms(files.map(text).collect())
        }
    }
}

fn adjudication(adjudication: &Adjudication) -> Option<raw::Adjudication> {
    let rule = |rule: AdjudicationRule| raw::Rule {
        score_cp: rule.score_cp,
        moves: rule.moves.get(),
        after_move: rule.after_move,
    };
    (*adjudication != Adjudication::default()).then(|| raw::Adjudication {
        resign: adjudication.resign.map(rule),
        draw: adjudication.draw.map(rule),
        advantage: adjudication.advantage.map(rule),
    })
}
