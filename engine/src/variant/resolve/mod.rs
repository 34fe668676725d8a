//! From the text of a variant file to a [`Variant`]: shape, inheritance, names to numbers, cross-checks.

mod augment;
mod board;
mod ends;
mod moving;
mod start;

use std::sync::Arc;

use toml::Table;

use super::rule_set::*;
use super::spec::{Partial, Spec};
use super::{Variant, VariantError, merge};
use crate::betza;
use crate::types::{Kind, Square};

/// Checks the shape of a file's text and lays it over its parent. Gives its id and the full table.
pub(super) fn read(
    text: &str,
    origin: &str,
    parent_of: impl Fn(&str) -> Result<Table, String>,
) -> Result<(String, Table), VariantError> {
    let toml_error = |e: toml::de::Error| VariantError::Toml {
        origin: origin.to_owned(),
        message: e.to_string(),
    };
    let partial: Partial = toml::from_str(text).map_err(toml_error)?;
    let mut child: Table = text.parse().map_err(toml_error)?;
    child.remove("extends");
    child.remove("without");
    let table = match &partial.extends {
        None if !partial.without.is_empty() => {
            return Err(VariantError::Key {
                origin: origin.to_owned(),
                key: "without".to_owned(),
                reason: "takes keys away from the variant that `extends` names, which is missing"
                    .to_owned(),
            });
        }
        None => child,
        Some(parent) => {
            let mut table = parent_of(parent).map_err(|known| VariantError::UnknownParent {
                origin: origin.to_owned(),
                parent: parent.clone(),
                known,
            })?;
            for path in &partial.without {
                if !merge::remove(&mut table, path) {
                    return Err(VariantError::Key {
                        origin: origin.to_owned(),
                        key: "without".to_owned(),
                        reason: format!("`{path}` is no key of `{parent}`"),
                    });
                }
            }
            merge::overlay(&mut table, child);
            table
        }
    };
    let id = table
        .get("id")
        .and_then(|v| v.as_str())
        .unwrap_or_default()
        .to_owned();
    Ok((id, table))
}

/// The variant of a full table.
pub(super) fn variant(source: &Table, origin: &str) -> Result<Arc<Variant>, VariantError> {
    let spec: Spec =
        source
            .clone()
            .try_into()
            .map_err(|e: toml::de::Error| VariantError::Toml {
                origin: origin.to_owned(),
                message: e.to_string().trim_end().replace('\n', " "),
            })?;
    from_spec(&spec, origin)
}

/// The variant of a canonical definition, made by [`Variant::definition`].
pub(super) fn from_definition(text: &str) -> Result<Arc<Variant>, VariantError> {
    let origin = "(definition)";
    let spec: Spec = serde_json::from_str(text).map_err(|e| VariantError::Toml {
        origin: origin.to_owned(),
        message: e.to_string(),
    })?;
    from_spec(&spec, origin)
}

fn from_spec(spec: &Spec, origin: &str) -> Result<Arc<Variant>, VariantError> {
    let definition = serde_json::to_string(spec).map_err(|e| VariantError::Toml {
        origin: origin.to_owned(),
        message: e.to_string(),
    })?;
    let rules = Resolver { spec, origin }.rules()?;
    Variant::assemble(
        spec.id.clone(),
        spec.name.clone(),
        definition,
        rules,
        origin,
    )
}

struct Resolver<'a> {
    spec: &'a Spec,
    origin: &'a str,
}

type Res<T> = Result<T, VariantError>;

impl Resolver<'_> {
    pub(super) fn fail<T>(&self, key: impl Into<String>, reason: impl Into<String>) -> Res<T> {
        Err(VariantError::Key {
            origin: self.origin.to_owned(),
            key: key.into(),
            reason: reason.into(),
        })
    }

    fn rules(&self) -> Res<RuleSet> {
        self.head()?;
        let geometry = self.board()?;
        let pieces = self.pieces()?;
        let kings: Vec<usize> = (0..pieces.len()).filter(|&i| pieces[i].royal).collect();
        let [king] = kings[..] else {
            return self.fail(
                "piece",
                format!(
                    "{} pieces are royal; a variant has exactly one (`royal = true`)",
                    kings.len()
                ),
            );
        };
        let imitators: Vec<usize> = (0..pieces.len())
            .filter(|&i| pieces[i].program.imitator)
            .collect();
        if imitators.len() > 1 {
            return self.fail(
                "piece",
                "two pieces imitate (Betza atom I); a variant has at most one",
            );
        }
        let mut rules = RuleSet {
            geometry,
            pieces,
            king: Kind(king as u8),
            imitator: imitators.first().map(|&i| Kind(i as u8)),
            start: StartRule {
                fen: String::new(),
                first: 0,
                choices: Vec::new(),
                homes: Vec::new(),
            },
            promotion: None,
            reserve: self.spec.reserve.is_some(),
            castling: Vec::new(),
            castling_fen: CastlingFen::default(),
            castling_notation: CastlingNotation::default(),
            king_leap: None,
            en_passant_fen: self.spec.en_passant.fen,
            ends: self.ends()?,
            points: None,
            augment: None,
        };
        rules.start.homes = vec![Vec::new(); rules.geometry.squares()];
        rules.augment = self.augment(&rules)?;
        rules.start = self.start(&rules)?;
        rules.promotion = self.promotion(&rules)?;
        self.castling(&mut rules)?;
        rules.king_leap = self.king_leap(&rules)?;
        if let Some(rule) = &mut rules.ends.dead_position {
            let like = |text| {
                let program = betza::compile(text).ok()?;
                rules
                    .pieces
                    .iter()
                    .position(|p| p.program == program)
                    .map(|i| Kind(i as u8))
            };
            *rule = DeadPositionRule {
                knight: like("N"),
                bishop: like("B"),
            };
        }
        rules.points = self.points(&rules)?;
        self.cross_checks(&rules)?;
        Ok(rules)
    }

    fn head(&self) -> Res<()> {
        if self.spec.schema != 1 {
            return self.fail(
                "schema",
                format!("is {}; this program reads schema 1", self.spec.schema),
            );
        }
        let id = &self.spec.id;
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if id.is_empty() || id.len() > 64 || !id.chars().all(fits) {
            return self.fail("id", "is 1 to 64 lower-case letters, digits and hyphens");
        }
        if self.spec.name.is_empty()
            || self.spec.name.len() > 200
            || self.spec.name.chars().any(char::is_control)
        {
            return self.fail("name", "is 1 to 200 printable characters");
        }
        Ok(())
    }

    pub(super) fn square(&self, rules: &RuleSet, key: &str, name: &str) -> Res<Square> {
        match rules.geometry.parse(name) {
            Some(square)
                if rules.geometry.is_main(square) || rules.geometry.is_brouhaha(square) =>
            {
                Ok(square)
            }
            _ => self.fail(key, format!("`{name}` is no square of this board")),
        }
    }

    pub(super) fn mirrored(&self, rules: &RuleSet, key: &str, square: Square) -> Res<Square> {
        match rules.geometry.mirrored(square) {
            Some(mirror) => Ok(mirror),
            None => self.fail(
                key,
                format!(
                    "{} has no mirror square on this board",
                    rules.geometry.name(square)
                ),
            ),
        }
    }

    pub(super) fn kind(&self, rules: &RuleSet, key: &str, letter: char) -> Res<Kind> {
        match u8::try_from(letter).ok().and_then(|l| rules.kind(l)) {
            Some(kind) => Ok(kind),
            None => self.fail(key, format!("`{letter}` is no piece of this variant")),
        }
    }

    pub(super) fn kind_set(&self, rules: &RuleSet, key: &str, letters: &str) -> Res<u32> {
        letters
            .chars()
            .try_fold(0, |set, l| Ok(set | 1 << self.kind(rules, key, l)?.index()))
    }

    fn cross_checks(&self, rules: &RuleSet) -> Res<()> {
        if rules.pieces.iter().any(|p| p.royal && p.pawn) {
            return self.fail("piece", "the royal piece cannot be a pawn");
        }
        if rules.pieces.len() > Kind::MAX {
            return self.fail("piece", "there are at most 26 types");
        }
        Ok(())
    }
}
