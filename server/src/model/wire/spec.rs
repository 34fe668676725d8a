//! Specifications, engines and players to and from their messages.

use std::num::NonZeroU32;

use proto::v1;

use super::openings::{openings_from_wire, openings_to_wire};
use super::standings::{standings_from_wire, standings_to_wire};
use super::{engine::engine_to_wire, engine_from_wire, limit_from_wire, limit_to_wire};
use crate::model::{
    AdaptiveGoal, Adjudication, AdjudicationRule, EngineSpec, Format, FormatKeys, FormatName,
    Quarantine, Seeding, SpecError, Sprt, SpsaParameter, SpsaSpec, TournamentSpec, TournamentState,
    VariantSource, check, spsa::sides,
};
use crate::ratings::sprt::EloUnit;

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
        standings: spec.standings.as_ref().map(standings_to_wire),
        quarantine: spec.quarantine.map(|rule| v1::QuarantineRule {
            faults: rule.faults.get(),
            percent: rule.percent.into(),
        }),
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
    let format = format_from_wire(format, &engines)?;
    let engines = sides(&format, engines);
    let spec = TournamentSpec {
        name: message.name.clone(),
        variant: VariantSource {
            id: message.variant.clone(),
            text: Some(message.variant_text.clone()).filter(|text| !text.is_empty()),
        },
        seed: message.seed,
        batch_pairs: NonZeroU32::new(message.batch_pairs),
        openings: openings_from_wire(message.openings.as_ref())?,
        standings: message
            .standings
            .as_ref()
            .map(|rules| standings_from_wire(rules, &format.kind))
            .transpose()?,
        quarantine: message
            .quarantine
            .as_ref()
            .map(quarantine_from_wire)
            .transpose()?,
        format,
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

fn quarantine_from_wire(rule: &v1::QuarantineRule) -> Result<Quarantine, SpecError> {
    let percent = u8::try_from(rule.percent).ok();
    let Some(percent) = percent.filter(|percent| *percent <= 100) else {
        let problem = format!("is {}, must be 0 to 100", rule.percent);
        return Err(SpecError::new("quarantine.percent", problem));
    };
    Ok(Quarantine {
        faults: NonZeroU32::new(rule.faults).unwrap_or(Quarantine::default().faults),
        percent,
    })
}

fn format_to_wire(spec: &TournamentSpec) -> v1::Format {
    let keys = spec.format.keys(&spec.engines);
    v1::Format {
        kind: name_to_wire(keys.name).into(),
        pairs: keys.pairs,
        challengers: keys.challengers.unwrap_or_default(),
        rounds: keys.rounds.unwrap_or(0),
        tie_pairs: keys.tie_pairs,
        third_place: keys.third_place,
        seeding: match keys.seeding {
            None | Some(Seeding::Order) => v1::Seeding::Unspecified,
            Some(Seeding::Rating) => v1::Seeding::Rating,
        }
        .into(),
        decide_elo: keys.decide_elo,
        most_pairs: keys.most_pairs,
        total_pairs: keys.total_pairs.unwrap_or(0),
        random_percent: keys.random_percent,
        goal: keys
            .goal
            .map_or(v1::AdaptiveGoal::Unspecified, goal_to_wire)
            .into(),
        spsa: keys.parameters.map(|parameters| v1::Spsa {
            parameters: parameters.iter().map(parameter_to_wire).collect(),
            ahead: keys.ahead.unwrap_or(0),
        }),
    }
}

fn format_from_wire(message: &v1::Format, engines: &[EngineSpec]) -> Result<Format, SpecError> {
    let kind = v1::FormatKind::try_from(message.kind).unwrap_or_default();
    let name = FormatName::WORDS
        .into_iter()
        .find(|(_, name)| name_to_wire(*name) == kind);
    let (_, name) = name.ok_or_else(|| {
        let problem = format!("is missing or not known: {} are", FormatName::words());
        SpecError::new("format.kind", problem)
    })?;
    let goal = match v1::AdaptiveGoal::try_from(message.goal) {
        Ok(v1::AdaptiveGoal::Unspecified) => None,
        Ok(v1::AdaptiveGoal::Ratings) => Some(AdaptiveGoal::Ratings),
        Ok(v1::AdaptiveGoal::Volume) => Some(AdaptiveGoal::Volume),
        Ok(v1::AdaptiveGoal::Order) => Some(AdaptiveGoal::Order),
        Err(_) => {
            let problem = format!(
                "{} is not known: ratings, volume and order are",
                message.goal
            );
            return Err(SpecError::new("format.goal", problem));
        }
    };
    let seeding = match v1::Seeding::try_from(message.seeding) {
        Ok(v1::Seeding::Unspecified) => None,
        Ok(v1::Seeding::Order) => Some(Seeding::Order),
        Ok(v1::Seeding::Rating) => Some(Seeding::Rating),
        Err(_) => {
            let problem = format!("{} is not known: order and rating are", message.seeding);
            return Err(SpecError::new("format.seeding", problem));
        }
    };
    let given = |number: u32| (number > 0).then_some(number);
    let spsa = message.spsa.as_ref();
    let named = Some(message.challengers.clone()).filter(|names| !names.is_empty());
    let keys = FormatKeys {
        challengers: named,
        rounds: given(message.rounds),
        tie_pairs: message.tie_pairs,
        third_place: message.third_place,
        seeding,
        decide_elo: message.decide_elo,
        most_pairs: message.most_pairs,
        total_pairs: given(message.total_pairs),
        random_percent: message.random_percent,
        goal,
        parameters: spsa.map(|spsa| spsa.parameters.iter().map(parameter_from_wire).collect()),
        ahead: spsa.and_then(|spsa| given(spsa.ahead)),
        ..FormatKeys::new(name, message.pairs)
    };
    keys.resolve(engines)
}

/// The message of a tuning.
pub fn spsa_to_wire(spsa: &SpsaSpec) -> v1::Spsa {
    v1::Spsa {
        parameters: spsa.parameters.iter().map(parameter_to_wire).collect(),
        ahead: spsa.ahead.get(),
    }
}

fn parameter_to_wire(parameter: &SpsaParameter) -> v1::SpsaParameter {
    v1::SpsaParameter {
        name: parameter.name.clone(),
        value: parameter.value,
        min: parameter.min,
        max: parameter.max,
        c_end: parameter.c_end,
        r_end: parameter.r_end,
    }
}

fn parameter_from_wire(message: &v1::SpsaParameter) -> SpsaParameter {
    SpsaParameter {
        name: message.name.clone(),
        value: message.value,
        min: message.min,
        max: message.max,
        c_end: message.c_end,
        r_end: message.r_end,
    }
}

fn name_to_wire(name: FormatName) -> v1::FormatKind {
    match name {
        FormatName::RoundRobin => v1::FormatKind::RoundRobin,
        FormatName::Gauntlet => v1::FormatKind::Gauntlet,
        FormatName::HeadToHead => v1::FormatKind::HeadToHead,
        FormatName::Pyramid => v1::FormatKind::Pyramid,
        FormatName::Swiss => v1::FormatKind::Swiss,
        FormatName::Knockout => v1::FormatKind::Knockout,
        FormatName::Ladder => v1::FormatKind::Ladder,
        FormatName::Adaptive => v1::FormatKind::Adaptive,
        FormatName::Spsa => v1::FormatKind::Spsa,
    }
}

fn goal_to_wire(goal: AdaptiveGoal) -> v1::AdaptiveGoal {
    match goal {
        AdaptiveGoal::Ratings => v1::AdaptiveGoal::Ratings,
        AdaptiveGoal::Volume => v1::AdaptiveGoal::Volume,
        AdaptiveGoal::Order => v1::AdaptiveGoal::Order,
    }
}

fn sprt_to_wire(sprt: &Sprt) -> v1::Sprt {
    v1::Sprt {
        elo0: sprt.elo0,
        elo1: sprt.elo1,
        alpha: sprt.alpha,
        beta: sprt.beta,
        logistic: sprt.unit == EloUnit::Logistic,
        overshoot_correction: sprt.overshoot_correction,
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
        overshoot_correction: message.overshoot_correction,
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
