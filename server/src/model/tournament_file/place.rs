//! Where in a text a key stands.

use std::fmt;

use toml::de::{DeTable, DeValue};

/// Line and column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
}

impl Place {
    /// The place of a byte offset; beyond the end it is the end.
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        Self {
            line,
            column: before[start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Byte offset of the value that a path like `engine[1].limit.nodes` names.
///
/// Where the path goes on but the text does not, as for a missing key, it is the nearest table that exists.
pub(super) fn offset_of(text: &str, path: &str) -> usize {
    let Ok(document) = DeTable::parse(text) else {
        return 0;
    };
    let mut offset = 0;
    let mut table = Some(document.get_ref());
    for step in path.split('.') {
        let (key, index) = match step.split_once('[') {
            Some((key, index)) => (key, index.trim_end_matches(']').parse::<usize>().ok()),
            None => (step, None),
        };
        let Some(value) = table.and_then(|table| table.get(key)) else {
            break;
        };
        let value = match (value.get_ref(), index) {
            (DeValue::Array(array), Some(index)) => array.get(index).unwrap_or(value),
            _ => value,
        };
        offset = value.span().start;
        table = match value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => None,
        };
    }
    offset
}
