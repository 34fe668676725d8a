//! A batch as the coordinator sent it, checked.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use proto::v1;

use crate::config::Protocol;
use crate::play::Limit;

/// Most games or positions of a batch that a worker takes.
const MOST_ITEMS: usize = 100_000;

/// A leased batch.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// Names it in every message about it.
    pub lease: v1::Lease,
    /// How long the lease lasts without a sign of life.
    pub lease_time: Duration,
    /// The rules.
    pub variant: v1::VariantRef,
    /// The players; games refer to them by index.
    pub players: Vec<PlayerSpec>,
    /// What is to be done.
    pub work: Work,
}

/// What is to be done with a batch.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Games to play.
    Games {
        /// The games, each with valid indices of two players.
        games: Vec<v1::BatchGame>,
        /// When a game may be ended early.
        adjudication: v1::Adjudication,
        /// Plies after which a game ends.
        max_plies: u32,
        /// Time granted beyond a player's own.
        time_margin: Duration,
    },
    /// Positions to analyse by player 0.
    Positions(Vec<v1::AnalysisPosition>),
}

/// A player of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerSpec {
    /// Identity of the player.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Where its engine comes from.
    pub source: Source,
    /// UCI options to set.
    pub options: BTreeMap<String, String>,
    /// How long it may think.
    pub limit: Limit,
}

/// Where an engine comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The built-in engine.
    Builtin {
        /// Of this build.
        build: String,
        /// Text of the evaluation file that it plays by; none = the weights of the build.
        evaluation: Option<Arc<str>>,
    },
    /// An engine of the worker's own configuration.
    Command {
        /// Its name there.
        name: String,
        /// SHA-256 of the executable that it must be, if the batch says.
        sha256: Option<String>,
    },
    /// Engine files of the coordinator, by their SHA-256.
    Artifact {
        /// By platform; `None` = for any.
        files: Vec<(Option<String>, String)>,
        /// What the engine speaks.
        protocol: Protocol,
    },
}

/// Index of a game or position within its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item(pub usize);

impl Batch {
    /// Number of games or positions.
    pub fn items(&self) -> usize {
        match &self.work {
            Work::Games { games, .. } => games.len(),
            Work::Positions(positions) => positions.len(),
        }
    }

    /// Number of a game or position in its tournament or job.
    pub fn number(&self, item: Item) -> u32 {
        match &self.work {
            Work::Games { games, .. } => games.get(item.0).map(|game| game.game),
            Work::Positions(positions) => positions.get(item.0).map(|position| position.position),
        }
        .unwrap_or_default()
    }

    /// The batch of a message; the error says what is wrong with it.
    pub fn of_games(message: v1::Batch) -> Result<Self, String> {
        let players: Vec<PlayerSpec> = message
            .players
            .into_iter()
            .map(player)
            .collect::<Result<_, _>>()?;
        for game in &message.games {
            let known = |index: u32| (index as usize) < players.len();
            if !known(game.first) || !known(game.second) || game.first == game.second {
                return Err(format!(
                    "game {} has players {} and {}",
                    game.game, game.first, game.second
                ));
            }
        }
        if !(1..=4000).contains(&message.max_plies) {
            return Err(format!("max_plies is {}", message.max_plies));
        }
        let batch = Self {
            lease: message.lease.ok_or("the lease is missing")?,
            lease_time: Duration::from_millis(message.lease_ms.into()),
            variant: message.variant.ok_or("the variant is missing")?,
            players,
            work: Work::Games {
                games: message.games,
                adjudication: message.adjudication.unwrap_or_default(),
                max_plies: message.max_plies,
                time_margin: Duration::from_millis(message.time_margin_ms.into()),
            },
        };
        batch.checked()
    }

    /// The batch of a message; the error says what is wrong with it.
    pub fn of_positions(message: v1::AnalysisBatch) -> Result<Self, String> {
        let batch = Self {
            lease: message.lease.ok_or("the lease is missing")?,
            lease_time: Duration::from_millis(message.lease_ms.into()),
            variant: message.variant.ok_or("the variant is missing")?,
            players: vec![player(message.player.ok_or("the player is missing")?)?],
            work: Work::Positions(message.positions),
        };
        batch.checked()
    }

    fn checked(self) -> Result<Self, String> {
        match self.items() {
            0 => Err("there is nothing in it".to_owned()),
            items if items > MOST_ITEMS => Err(format!(
                "there are {items} items in it, at most {MOST_ITEMS} are taken"
            )),
            _ => Ok(self),
        }
    }
}

fn files(engine: v1::ArtifactEngine, player: &str) -> Result<Source, String> {
    let protocol = match engine.protocol() {
        v1::EngineProtocol::Unspecified | v1::EngineProtocol::Uci => Protocol::Uci,
        v1::EngineProtocol::Xboard => Protocol::Xboard,
    };
    if v1::EngineProtocol::try_from(engine.protocol).is_err() {
        return Err(format!("player `{player}` speaks a protocol unknown here"));
    }
    let platform = |text: String| Some(text).filter(|text| !text.is_empty());
    let files = engine.files.into_iter();
    let files = files.map(|file| (platform(file.platform), file.sha256));
    Ok(Source::Artifact {
        files: files.collect(),
        protocol,
    })
}

fn player(message: v1::Player) -> Result<PlayerSpec, String> {
    use v1::engine_source::Kind;
    let source = match message.source.and_then(|source| source.kind) {
        Some(Kind::Builtin(builtin)) => Source::Builtin {
            build: builtin.build,
            evaluation: Some(builtin.evaluation)
                .filter(|text| !text.is_empty())
                .map(Into::into),
        },
        Some(Kind::Command(name)) => Source::Command { name, sha256: None },
        Some(Kind::Pinned(command)) => Source::Command {
            name: command.name,
            sha256: Some(command.sha256),
        },
        Some(Kind::Artifact(hash)) => Source::Artifact {
            files: vec![(None, hash)],
            protocol: Protocol::Uci,
        },
        Some(Kind::Files(engine)) => files(engine, &message.name)?,
        Some(Kind::Version(version)) => {
            return Err(format!(
                "player `{}` is only named, as version `{version}`",
                message.name
            ));
        }
        None => return Err(format!("player `{}` has no source", message.name)),
    };
    let limit = Limit::from_wire(message.limit.as_ref())
        .map_err(|error| format!("player `{}`: {error}", message.name))?;
    // A line break would be a command of its own to a UCI engine.
    let broken = |text: &String| text.chars().any(char::is_control);
    if let Some((name, _)) = message
        .options
        .iter()
        .find(|(name, value)| broken(name) || broken(value))
    {
        return Err(format!(
            "player `{}`: the option `{}` has several lines",
            message.name,
            name.escape_debug()
        ));
    }
    Ok(PlayerSpec {
        id: message.id,
        name: message.name,
        source,
        options: message.options,
        limit,
    })
}
