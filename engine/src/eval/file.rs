//! Evaluation files: the weights of a variant's terms as TOML, read over the derived ones, and written.
//!
//! Weights are in sixteenths of a centipawn: `[middle game, endgame]` for a single term, and
//! `{ mg = […], eg = […] }` for a run of them. What a file leaves out keeps its derived weight.

#[cfg(feature = "tune")]
use std::fmt::Write;

use toml::{Table, Value};

use super::pair::Pair;
#[cfg(feature = "tune")]
use super::terms::Group;
use super::terms::{Section, Terms};
use crate::variant::Variant;

/// Version of the format.
const SCHEMA: i64 = 1;
/// Weights are between this and its negative.
const LARGEST: i64 = 100_000;

/// An evaluation file that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EvaluationError {
    /// The text is no TOML.
    #[error("the evaluation file is no TOML: {0}")]
    Toml(String),
    /// It was made for other rules.
    #[error(
        "the evaluation file is for {found}, not for `{variant}` as it is defined here; \
         tune one for these rules with `brouhaha tune evaluation`"
    )]
    OtherVariant {
        /// The variant that was wanted.
        variant: String,
        /// What the file says.
        found: String,
    },
    /// A key cannot be read.
    #[error("evaluation file, `{key}`: {reason}")]
    Key {
        /// The key.
        key: String,
        /// What is wrong with it.
        reason: String,
    },
}

fn wrong(key: &str, reason: impl Into<String>) -> EvaluationError {
    EvaluationError::Key {
        key: key.to_owned(),
        reason: reason.into(),
    }
}

/// Whether a file is for a variant.
pub(crate) fn is_for(text: &str, variant: &Variant) -> bool {
    // The line is looked for as it is written, so that files need not be parsed to find the right one.
    let line = format!("variant_hash = \"{}\"", variant.hash());
    text.lines().any(|l| l == line)
}

/// Reads a file's weights over those that are there.
pub(super) fn read(
    text: &str,
    variant: &Variant,
    terms: &Terms,
    weights: &mut [Pair],
) -> Result<(), EvaluationError> {
    let mut table: Table =
        toml::from_str(text).map_err(|e| EvaluationError::Toml(e.to_string()))?;
    if table.remove("schema") != Some(Value::Integer(SCHEMA)) {
        return Err(wrong("schema", format!("must be {SCHEMA}")));
    }
    let found = table.remove("variant_hash");
    if found != Some(Value::String(variant.hash().to_string())) {
        return Err(EvaluationError::OtherVariant {
            variant: variant.id().to_owned(),
            found: found.map_or("no variant".to_owned(), |hash| format!("variant {hash}")),
        });
    }
    for text in ["variant", "origin"] {
        if let Some(value) = table.remove(text)
            && !value.is_str()
        {
            return Err(wrong(text, "must be text"));
        }
    }
    for group in terms.groups() {
        let name = section_name(variant, group.section);
        let Some(section) = table.get_mut(&name) else {
            continue;
        };
        let section = section
            .as_table_mut()
            .ok_or_else(|| wrong(&name, "must be a table"))?;
        if let Some(value) = section.remove(group.key) {
            let key = format!("{name}.{}", group.key);
            read_group(
                &value,
                &key,
                &mut weights[group.first..group.first + group.count],
            )?;
        }
    }
    for (name, section) in &table {
        match section.as_table() {
            Some(section) if known(variant, terms, name) => {
                if let Some(key) = section.keys().next() {
                    return Err(wrong(&format!("{name}.{key}"), "no such term; remove it"));
                }
            }
            _ => return Err(wrong(name, "no such table; remove it")),
        }
    }
    Ok(())
}

fn known(variant: &Variant, terms: &Terms, name: &str) -> bool {
    terms
        .groups()
        .iter()
        .any(|g| section_name(variant, g.section) == name)
}

fn read_group(value: &Value, key: &str, weights: &mut [Pair]) -> Result<(), EvaluationError> {
    if let [weight] = weights {
        let numbers = numbers(value, key, 2)?;
        *weight = Pair::new(numbers[0], numbers[1]);
        return Ok(());
    }
    let table = value
        .as_table()
        .ok_or_else(|| wrong(key, "must be { mg = […], eg = […] }"))?;
    if let Some(other) = table.keys().find(|k| !["mg", "eg"].contains(&k.as_str())) {
        return Err(wrong(&format!("{key}.{other}"), "no such phase; remove it"));
    }
    let phase = |name: &str| {
        let key = format!("{key}.{name}");
        let value = table.get(name).ok_or_else(|| wrong(&key, "is missing"))?;
        numbers(value, &key, weights.len())
    };
    let (mg, eg) = (phase("mg")?, phase("eg")?);
    for ((weight, mg), eg) in weights.iter_mut().zip(mg).zip(eg) {
        *weight = Pair::new(mg, eg);
    }
    Ok(())
}

fn numbers(value: &Value, key: &str, count: usize) -> Result<Vec<i32>, EvaluationError> {
    let list = value.as_array().filter(|list| list.len() == count);
    let list =
        list.ok_or_else(|| wrong(key, format!("must be a list of {count} whole numbers")))?;
    let number = |v: &Value| {
        let n = v.as_integer().filter(|n| n.abs() <= LARGEST);
        n.map(|n| n as i32)
            .ok_or_else(|| wrong(key, format!("`{v}` is no whole number up to {LARGEST}")))
    };
    list.iter().map(number).collect()
}

fn section_name(variant: &Variant, section: Section) -> String {
    match section {
        Section::Once => "terms".to_owned(),
        Section::Type(kind) => {
            let letter = variant.rules().pieces[kind.index()].letter;
            format!("type-{}", char::from(letter))
        }
        Section::Power(bit) => format!("power-{bit}"),
    }
}

/// The text of a file with all weights of a variant.
#[cfg(feature = "tune")]
pub(crate) fn write(variant: &Variant, terms: &Terms, weights: &[Pair], origin: &str) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write_all(&mut text, variant, terms, weights, origin);
    text
}

#[cfg(feature = "tune")]
fn write_all(
    text: &mut String,
    variant: &Variant,
    terms: &Terms,
    weights: &[Pair],
    origin: &str,
) -> std::fmt::Result {
    writeln!(
        text,
        "# Weights of the evaluation in sixteenths of a centipawn, middle game and endgame."
    )?;
    writeln!(text, "schema = {SCHEMA}")?;
    writeln!(text, "variant = {}", Value::String(variant.id().to_owned()))?;
    writeln!(text, "variant_hash = \"{}\"", variant.hash())?;
    writeln!(text, "origin = {}", Value::String(origin.to_owned()))?;
    let mut section = None;
    for group in terms.groups() {
        if section != Some(group.section) {
            section = Some(group.section);
            writeln!(text, "\n[{}]", section_name(variant, group.section))?;
            if let Section::Type(kind) = group.section {
                writeln!(text, "# {}", variant.rules().pieces[kind.index()].name)?;
            }
        }
        write_group(text, &group, weights)?;
    }
    Ok(())
}

#[cfg(feature = "tune")]
fn write_group(text: &mut String, group: &Group, weights: &[Pair]) -> std::fmt::Result {
    let weights = &weights[group.first..group.first + group.count];
    if let [weight] = weights {
        return writeln!(text, "{} = [{}, {}]", group.key, weight.mg, weight.eg);
    }
    let list = |phase: fn(&Pair) -> i32| {
        let numbers: Vec<String> = weights.iter().map(|w| phase(w).to_string()).collect();
        numbers.join(", ")
    };
    writeln!(text, "{}.mg = [{}]", group.key, list(|w| w.mg))?;
    writeln!(text, "{}.eg = [{}]", group.key, list(|w| w.eg))
}
