//! Limits, engines and players to and from their messages.

use std::{collections::BTreeMap, num::NonZeroU64};

use proto::v1::{self, engine_source, limit as limit_kind};

use crate::model::{
    ArtifactEngine, Digest, EngineProtocol, EngineSource, EngineSpec, Limit, Platform, Player,
    SpecError, limit::Clock,
};

/// The message of a limit.
pub fn limit_to_wire(limit: &Limit) -> v1::Limit {
    use limit_kind::Kind;
    let kind = match *limit {
        Limit::Nodes(nodes) => Kind::Nodes(nodes.get()),
        Limit::Depth(depth) => Kind::Depth(depth.into()),
        Limit::MoveTime(ms) => Kind::MovetimeMs(ms),
        Limit::Clock(clock) => Kind::Clock(v1::ClockLimit {
            base_ms: clock.base_ms,
            increment_ms: clock.increment_ms,
        }),
    };
    v1::Limit { kind: Some(kind) }
}

/// The limit of a message; `field` is where it stands.
pub fn limit_from_wire(message: &v1::Limit, field: &str) -> Result<Limit, SpecError> {
    use limit_kind::Kind;
    let error = |key: &str, problem: &str| SpecError::new(format!("{field}.{key}"), problem);
    match &message.kind {
        None => Err(SpecError::new(
            field,
            "is empty: give one of nodes, depth, movetime_ms, clock",
        )),
        Some(Kind::Nodes(nodes)) => NonZeroU64::new(*nodes)
            .map(Limit::Nodes)
            .ok_or_else(|| error("nodes", "must be at least 1")),
        Some(Kind::Depth(depth)) => match u8::try_from(*depth) {
            Ok(depth) if depth > 0 => Ok(Limit::Depth(depth)),
            _ => Err(error("depth", "must be 1 to 255")),
        },
        Some(Kind::MovetimeMs(0)) => Err(error("movetime_ms", "must be at least 1")),
        Some(Kind::MovetimeMs(ms)) => Ok(Limit::MoveTime(*ms)),
        Some(Kind::Clock(clock)) => {
            const MOST_MS: u64 = 1_000_000_000;
            if !(1..=MOST_MS).contains(&clock.base_ms) || clock.increment_ms > MOST_MS {
                return Err(error(
                    "clock",
                    "must be 1 ms to 1000000 s, with an increment of at most 1000000 s",
                ));
            }
            Ok(Limit::Clock(Clock {
                base_ms: clock.base_ms,
                increment_ms: clock.increment_ms,
            }))
        }
    }
}

/// The message of an engine's origin.
pub fn source_to_wire(source: &EngineSource) -> v1::EngineSource {
    use engine_source::Kind;
    let kind = match source {
        EngineSource::Builtin { build, evaluation } => Kind::Builtin(v1::BuiltinEngine {
            build: build.clone().unwrap_or_default(),
            evaluation: evaluation.clone().unwrap_or_default(),
        }),
        EngineSource::Command { name, sha256: None } => Kind::Command(name.clone()),
        EngineSource::Command {
            name,
            sha256: Some(sha256),
        } => Kind::Pinned(v1::PinnedCommand {
            name: name.clone(),
            sha256: sha256.to_string(),
        }),
        EngineSource::Artifact(engine) => match engine.as_single() {
            Some(digest) => Kind::Artifact(digest.to_string()),
            None => Kind::Files(files_to_wire(engine)),
        },
        EngineSource::Version(version) => Kind::Version(version.clone()),
    };
    v1::EngineSource { kind: Some(kind) }
}

fn files_to_wire(engine: &ArtifactEngine) -> v1::ArtifactEngine {
    let protocol = match engine.protocol {
        EngineProtocol::Uci => v1::EngineProtocol::Uci,
        EngineProtocol::Xboard => v1::EngineProtocol::Xboard,
    };
    let file = |(platform, digest): (&Platform, &Digest)| v1::ArtifactFile {
        platform: platform.as_str().to_owned(),
        sha256: digest.to_string(),
    };
    v1::ArtifactEngine {
        protocol: protocol.into(),
        files: engine.files.iter().map(file).collect(),
    }
}

fn files_from_wire(message: &v1::ArtifactEngine, field: &str) -> Result<ArtifactEngine, SpecError> {
    let protocol = match v1::EngineProtocol::try_from(message.protocol) {
        Ok(v1::EngineProtocol::Unspecified | v1::EngineProtocol::Uci) => EngineProtocol::Uci,
        Ok(v1::EngineProtocol::Xboard) => EngineProtocol::Xboard,
        Err(_) => {
            let problem = format!("{} is not known: give UCI or XBOARD", message.protocol);
            return Err(SpecError::new(format!("{field}.protocol"), problem));
        }
    };
    let mut engine = ArtifactEngine {
        protocol,
        files: BTreeMap::new(),
    };
    for file in &message.files {
        let platform = match file.platform.as_str() {
            "" => Platform::any(),
            text => text
                .parse()
                .map_err(|error| SpecError::new(format!("{field}.files"), format!("{error}")))?,
        };
        let digest = digest(&format!("{field}.files"), &file.sha256)?;
        if engine.files.insert(platform.clone(), digest).is_some() {
            let problem = format!("has two files for {platform}: keep one");
            return Err(SpecError::new(format!("{field}.files"), problem));
        }
    }
    match engine.problem() {
        Some(problem) => Err(SpecError::new(format!("{field}.files"), problem)),
        None => Ok(engine),
    }
}

fn digest(field: &str, text: &str) -> Result<Digest, SpecError> {
    text.parse()
        .map_err(|error| SpecError::new(field, format!("{error}")))
}

fn source_from_wire(
    message: Option<&v1::EngineSource>,
    field: &str,
) -> Result<EngineSource, SpecError> {
    use engine_source::Kind;
    match message.and_then(|source| source.kind.as_ref()) {
        None => Err(SpecError::new(
            field,
            "has no origin: give one of builtin, command, artifact, files, pinned, version",
        )),
        Some(Kind::Builtin(builtin)) => Ok(EngineSource::Builtin {
            build: Some(builtin.build.clone()).filter(|build| !build.is_empty()),
            evaluation: Some(builtin.evaluation.clone()).filter(|text| !text.is_empty()),
        }),
        Some(Kind::Command(name)) => Ok(EngineSource::command(name.clone())),
        Some(Kind::Pinned(command)) => Ok(EngineSource::Command {
            name: command.name.clone(),
            sha256: Some(digest(&format!("{field}.pinned.sha256"), &command.sha256)?),
        }),
        Some(Kind::Artifact(file)) => {
            let file = digest(&format!("{field}.artifact"), file)?;
            Ok(EngineSource::Artifact(ArtifactEngine::single(file)))
        }
        Some(Kind::Files(files)) => files_from_wire(files, field).map(EngineSource::Artifact),
        Some(Kind::Version(version)) => Ok(EngineSource::Version(version.clone())),
    }
}

/// The message of an engine.
pub fn engine_to_wire(engine: &EngineSpec) -> v1::EngineSpec {
    v1::EngineSpec {
        name: engine.name.clone(),
        source: Some(source_to_wire(&engine.source)),
        options: engine.options.clone(),
        limit: engine.limit.as_ref().map(limit_to_wire),
    }
}

/// The engine of a message; `field` is where it stands.
pub fn engine_from_wire(message: &v1::EngineSpec, field: &str) -> Result<EngineSpec, SpecError> {
    let limit = message
        .limit
        .as_ref()
        .map(|limit| limit_from_wire(limit, &format!("{field}.limit")));
    Ok(EngineSpec {
        name: message.name.clone(),
        source: source_from_wire(message.source.as_ref(), field)?,
        options: message.options.clone(),
        limit: limit.transpose()?,
    })
}

/// The message of a player.
pub fn player_to_wire(player: &Player) -> v1::Player {
    v1::Player {
        id: player.id.to_string(),
        version: player.version.to_string(),
        name: player.name.clone(),
        source: Some(source_to_wire(&player.source)),
        options: player.options.clone(),
        limit: Some(limit_to_wire(&player.limit)),
    }
}

/// The player of a message, as read back from the journal.
pub fn player_from_wire(message: &v1::Player) -> Result<Player, SpecError> {
    let limit = message
        .limit
        .as_ref()
        .ok_or_else(|| SpecError::new("player.limit", "is missing"))?;
    Ok(Player {
        id: digest("player.id", &message.id)?,
        version: digest("player.version", &message.version)?,
        name: message.name.clone(),
        source: source_from_wire(message.source.as_ref(), "player.source")?,
        options: message.options.clone(),
        limit: limit_from_wire(limit, "player.limit")?,
    })
}
