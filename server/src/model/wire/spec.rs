//! Specifications, engines and players to and from their messages.

use std::num::{NonZeroU32, NonZeroU64};

use proto::v1::{self, openings as openings_source};

use super::{engine::engine_to_wire, engine_from_wire, limit_from_wire, limit_to_wire};
use crate::model::{
    Adjudication, AdjudicationRule, EngineSpec, Format, FormatKind, OpeningOrder, Openings,
    SpecError, Sprt, TournamentSpec, TournamentState, VariantSource, check, spec::EloUnit,
};

/// The message of a specification, defaults filled in.
pub fn spec_to_wire(spec: &TournamentSpec) -> v1::TournamentSpec {
    v1::TournamentSpec {
        name: spec.name.clone(),
        variant: spec.variant.id.clone(),
        variant_text: spec.variant.text.clone().unwrap_or_default(),
        seed: spec.seed,
        batch_pairs: spec.batch_pairs.map_or(0, NonZeroU32::get),
        openings: Some(openings_to_wire(&spec.openings)),
        format: Some(format_to_wire(spec)),
        limit: spec.limit.as_ref().map(limit_to_wire),
        engines: spec.engines.iter().map(engine_to_wire).collect(),
        adjudication: Some(adjudication_to_wire(&spec.adjudication)),
        sprt: spec.sprt.as_ref().map(sprt_to_wire),
        max_plies: spec.max_plies,
    }
}

/// The checked specification of a message.
pub fn spec_from_wire(message: &v1::TournamentSpec) -> Result<TournamentSpec, SpecError> {
    let engines = message.engines.iter().enumerate();
    let engines: Vec<_> = engines
        .map(|(index, engine)| engine_from_wire(engine, &format!("engine[{index}]")))
        .collect::<Result<_, _>>()?;
    let format = message
        .format
        .as_ref()
        .ok_or_else(|| SpecError::new("format", "is missing"))?;
    let spec = TournamentSpec {
        name: message.name.clone(),
        variant: VariantSource {
            id: message.variant.clone(),
            text: Some(message.variant_text.clone()).filter(|text| !text.is_empty()),
        },
        seed: message.seed,
        batch_pairs: NonZeroU32::new(message.batch_pairs),
        openings: openings_from_wire(message.openings.as_ref())?,
        format: format_from_wire(format, &engines)?,
        limit: message
            .limit
            .as_ref()
            .map(|limit| limit_from_wire(limit, "limit"))
            .transpose()?,
        engines,
        adjudication: adjudication_from_wire(message.adjudication.as_ref())?,
        sprt: message.sprt.as_ref().map(sprt_from_wire),
        max_plies: if message.max_plies == 0 {
            TournamentSpec::MAX_PLIES
        } else {
            message.max_plies
        },
    };
    check::check(&spec)?;
    Ok(spec)
}

fn openings_to_wire(openings: &Openings) -> v1::Openings {
    use openings_source::Source;
    let source = match openings {
        Openings::Setups { numbers, sample } => Source::Setups(v1::SetupOpenings {
            numbers: numbers.clone(),
            sample: sample.map_or(0, NonZeroU64::get),
        }),
        Openings::Armies => Source::Armies(v1::ArmyOpenings {}),
        Openings::List { fens, order } => {
            let order = match order {
                OpeningOrder::Sequential => v1::OpeningOrder::Sequential,
                OpeningOrder::Random => v1::OpeningOrder::Random,
            };
            Source::List(v1::ListOpenings {
                fens: fens.clone(),
                order: order.into(),
            })
        }
        Openings::Random { plies, balance_cp } => Source::Random(v1::RandomOpenings {
            plies: *plies,
            balance_cp: balance_cp.map_or(0, NonZeroU32::get),
        }),
    };
    v1::Openings {
        source: Some(source),
    }
}

fn openings_from_wire(message: Option<&v1::Openings>) -> Result<Openings, SpecError> {
    use openings_source::Source;
    let Some(source) = message.and_then(|openings| openings.source.as_ref()) else {
        return Ok(Openings::Setups {
            numbers: Vec::new(),
            sample: None,
        });
    };
    Ok(match source {
        Source::Setups(setups) => Openings::Setups {
            numbers: setups.numbers.clone(),
            sample: NonZeroU64::new(setups.sample),
        },
        Source::Armies(_) => Openings::Armies,
        Source::List(list) => {
            let order = match v1::OpeningOrder::try_from(list.order) {
                Ok(v1::OpeningOrder::Sequential) => OpeningOrder::Sequential,
                Ok(v1::OpeningOrder::Random | v1::OpeningOrder::Unspecified) => {
                    OpeningOrder::Random
                }
                Err(_) => {
                    return Err(SpecError::new(
                        "openings.order",
                        format!("{} is not known", list.order),
                    ));
                }
            };
            Openings::List {
                fens: list.fens.clone(),
                order,
            }
        }
        Source::Random(random) => Openings::Random {
            plies: random.plies,
            balance_cp: NonZeroU32::new(random.balance_cp),
        },
    })
}

fn format_to_wire(spec: &TournamentSpec) -> v1::Format {
    let (kind, challengers) = match &spec.format.kind {
        FormatKind::RoundRobin => (v1::FormatKind::RoundRobin, Vec::new()),
        FormatKind::HeadToHead => (v1::FormatKind::HeadToHead, Vec::new()),
        FormatKind::Gauntlet { challengers } => {
            let names = challengers
                .iter()
                .filter_map(|&index| spec.engines.get(index));
            (
                v1::FormatKind::Gauntlet,
                names.map(|engine| engine.name.clone()).collect(),
            )
        }
    };
    v1::Format {
        kind: kind.into(),
        pairs: spec.format.pairs.get(),
        challengers,
    }
}

fn format_from_wire(message: &v1::Format, engines: &[EngineSpec]) -> Result<Format, SpecError> {
    let kind = match v1::FormatKind::try_from(message.kind) {
        Ok(v1::FormatKind::RoundRobin) => FormatKind::RoundRobin,
        Ok(v1::FormatKind::HeadToHead) => FormatKind::HeadToHead,
        Ok(v1::FormatKind::Gauntlet) => FormatKind::Gauntlet {
            challengers: challengers(&message.challengers, engines)?,
        },
        Ok(v1::FormatKind::Unspecified) | Err(_) => {
            return Err(SpecError::new(
                "format.kind",
                "is missing: round-robin, gauntlet or head-to-head",
            ));
        }
    };
    if !matches!(kind, FormatKind::Gauntlet { .. }) && !message.challengers.is_empty() {
        return Err(SpecError::new(
            "format.challengers",
            "goes only with the kind gauntlet",
        ));
    }
    let pairs = NonZeroU32::new(message.pairs)
        .ok_or_else(|| SpecError::new("format.pairs", "must be at least 1"))?;
    Ok(Format { kind, pairs })
}

/// Indices of the challengers; without names the first engine.
pub(in crate::model) fn challengers(
    names: &[String],
    engines: &[EngineSpec],
) -> Result<Vec<usize>, SpecError> {
    if names.is_empty() {
        return Ok(vec![0]);
    }
    let index = |name: &String| {
        engines
            .iter()
            .position(|engine| engine.name == *name)
            .ok_or_else(|| {
                SpecError::new(
                    "format.challengers",
                    format!("`{name}` is not the name of an engine of this tournament"),
                )
            })
    };
    names.iter().map(index).collect()
}

fn sprt_to_wire(sprt: &Sprt) -> v1::Sprt {
    v1::Sprt {
        elo0: sprt.elo0,
        elo1: sprt.elo1,
        alpha: sprt.alpha,
        beta: sprt.beta,
        logistic: sprt.unit == EloUnit::Logistic,
    }
}

fn sprt_from_wire(message: &v1::Sprt) -> Sprt {
    let default = |value: f64| if value == 0.0 { 0.05 } else { value };
    Sprt {
        elo0: message.elo0,
        elo1: message.elo1,
        alpha: default(message.alpha),
        beta: default(message.beta),
        unit: if message.logistic {
            EloUnit::Logistic
        } else {
            EloUnit::Normalized
        },
    }
}

/// The message of the adjudication rules.
pub fn adjudication_to_wire(adjudication: &Adjudication) -> v1::Adjudication {
    let rule = |rule: AdjudicationRule| v1::AdjudicationRule {
        score_cp: rule.score_cp,
        moves: rule.moves.get(),
        after_move: rule.after_move,
    };
    v1::Adjudication {
        resign: adjudication.resign.map(rule),
        draw: adjudication.draw.map(rule),
        advantage: adjudication.advantage.map(rule),
    }
}

/// The adjudication rules of a message.
pub fn adjudication_from_wire(
    message: Option<&v1::Adjudication>,
) -> Result<Adjudication, SpecError> {
    let Some(message) = message else {
        return Ok(Adjudication::default());
    };
    let rule = |key: &str, rule: Option<&v1::AdjudicationRule>| {
        let convert = |rule: &v1::AdjudicationRule| {
            let moves = NonZeroU32::new(rule.moves).ok_or_else(|| {
                SpecError::new(format!("adjudication.{key}.moves"), "must be at least 1")
            })?;
            Ok(AdjudicationRule {
                score_cp: rule.score_cp,
                moves,
                after_move: rule.after_move,
            })
        };
        rule.map(convert).transpose()
    };
    Ok(Adjudication {
        resign: rule("resign", message.resign.as_ref())?,
        draw: rule("draw", message.draw.as_ref())?,
        advantage: rule("advantage", message.advantage.as_ref())?,
    })
}

/// The protocol's value of a state.
pub fn state_to_wire(state: TournamentState) -> v1::TournamentState {
    match state {
        TournamentState::Running => v1::TournamentState::Running,
        TournamentState::Paused => v1::TournamentState::Paused,
        TournamentState::Finished => v1::TournamentState::Finished,
        TournamentState::Cancelled => v1::TournamentState::Cancelled,
    }
}

/// The state of a protocol value; none for the unspecified one.
pub fn state_from_wire(state: v1::TournamentState) -> Option<TournamentState> {
    match state {
        v1::TournamentState::Unspecified => None,
        v1::TournamentState::Running => Some(TournamentState::Running),
        v1::TournamentState::Paused => Some(TournamentState::Paused),
        v1::TournamentState::Finished => Some(TournamentState::Finished),
        v1::TournamentState::Cancelled => Some(TournamentState::Cancelled),
    }
}
