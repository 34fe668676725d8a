//! The shape of a tournament file as serde reads and writes it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::model::FormatName;

/// The whole file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub schema: u32,
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant_text: Option<String>,
    #[serde(default)]
    pub seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_pairs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_plies: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub openings: Option<Openings>,
    pub format: Format,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
    pub engine: Vec<Engine>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjudication: Option<Adjudication>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<Sprt>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standings: Option<Standings>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
}

/// When an engine's own faults stop it.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Quarantine {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<u32>,
}

/// A file of engines only.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Engines {
    pub engine: Vec<Engine>,
}

/// Where the openings come from. One struct for all sources, so that errors keep their place.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Openings {
    pub source: Source,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<Vec<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sample: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<BookFormat>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fens: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plies: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub balance: Option<u32>,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Source {
    #[default]
    Setups,
    Armies,
    File,
    Random,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Order {
    Sequential,
    Random,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum BookFormat {
    Epd,
    Fen,
    Pgn,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Format {
    pub kind: FormatKind,
    pub pairs: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub challengers: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tie_pairs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub third_place: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seeding: Option<Seeding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decide_elo: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_pairs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_pairs: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub random_percent: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<Goal>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ahead: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameter: Option<Vec<Parameter>>,
}

/// A file that has nothing but parameters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameters {
    pub parameter: Vec<Parameter>,
}

/// An option that SPSA tunes.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parameter {
    pub name: String,
    pub value: f64,
    pub min: i64,
    pub max: i64,
    pub c_end: f64,
    pub r_end: f64,
}

/// The name of a format by its word.
#[derive(Clone, Copy, Debug)]
pub(super) struct FormatKind(pub FormatName);

impl Serialize for FormatKind {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.word())
    }
}

impl<'de> Deserialize<'de> for FormatKind {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let given = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        let known = FormatName::WORDS.iter().find(|(word, _)| *word == given);
        known.map(|(_, name)| Self(*name)).ok_or_else(|| {
            serde::de::Error::custom(format_args!(
                "`kind` is `{given}`: it must be one of {}",
                FormatName::words()
            ))
        })
    }
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Goal {
    Ratings,
    Volume,
    Order,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limit {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime_ms: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clock: Option<String>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Engine {
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub builtin: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub artifact: Option<Artifact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protocol: Option<Protocol>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation_text: Option<String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, OptionValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<Limit>,
}

/// One engine file for any platform, or one for each.
#[derive(Debug, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "an artifact is a SHA-256, or a table of them by platform, as { linux-x86_64 = \"…\" }"
)]
pub(super) enum Artifact {
    Any(String),
    Platforms(BTreeMap<String, String>),
}

/// What an external engine speaks.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Protocol {
    Uci,
    Xboard,
}

/// A UCI option's value may be written as text, number or boolean.
#[derive(Debug, Deserialize, Serialize)]
#[serde(
    untagged,
    expecting = "an option is a text, a whole number, or true or false"
)]
pub(super) enum OptionValue {
    Boolean(bool),
    Number(i64),
    Text(String),
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Adjudication {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resign: Option<Rule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub draw: Option<Rule>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advantage: Option<Rule>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(
    deny_unknown_fields,
    expecting = "a table with `score_cp`, `moves` and, if need be, `after_move`"
)]
pub(super) struct Rule {
    pub score_cp: u32,
    pub moves: u32,
    #[serde(default)]
    pub after_move: u32,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    #[serde(default = "five_percent")]
    pub alpha: f64,
    #[serde(default = "five_percent")]
    pub beta: f64,
    #[serde(default)]
    pub unit: Unit,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overshoot_correction: Option<bool>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Standings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tie_breaks: Option<Vec<String>>,
    #[serde(default)]
    pub unplayed: Unplayed,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Seeding {
    Order,
    Rating,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Unplayed {
    #[default]
    NotCounted,
    Dummy,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Unit {
    #[default]
    Normalized,
    Logistic,
}

fn five_percent() -> f64 {
    0.05
}

/// Reads one of some words; the error says which there are, and not that they were "variants", which are games here.
macro_rules! words {
    ($type:ident, $key:literal, $($word:literal => $value:ident),+) => {
        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                const WORDS: &[&str] = &[$($word),+];
                let given = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
                match given.as_ref() {
                    $($word => Ok(Self::$value),)+
                    other => Err(serde::de::Error::custom(format_args!(
                        "`{}` is `{other}`: it must be one of {}",
                        $key,
                        WORDS.join(", ")
                    ))),
                }
            }
        }
    };
}

words!(Source, "source", "setups" => Setups, "armies" => Armies, "file" => File, "random" => Random);
words!(Order, "order", "sequential" => Sequential, "random" => Random);
words!(BookFormat, "format", "epd" => Epd, "fen" => Fen, "pgn" => Pgn);
words!(Seeding, "seeding", "order" => Order, "rating" => Rating);
words!(Goal, "goal", "ratings" => Ratings, "volume" => Volume, "order" => Order);
words!(Unplayed, "unplayed", "not-counted" => NotCounted, "dummy" => Dummy);
words!(Unit, "unit", "normalized" => Normalized, "logistic" => Logistic);
