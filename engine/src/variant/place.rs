//! Where in a file's text a key stands.

use toml::de::{DeTable, DeValue};

/// Line and column, both from 1, of a key with dots; of the longest part of it that the text has.
pub(super) fn place(text: &str, key: &str) -> Option<(usize, usize)> {
    let root = DeTable::parse(text).ok()?;
    let mut table = root.get_ref();
    let mut offset = None;
    for name in key.split('.') {
        let Some((found, value)) = table.iter().find(|(k, _)| k.get_ref() == name) else {
            break;
        };
        offset = Some(found.span().start);
        match value.get_ref() {
            DeValue::Table(inner) => table = inner,
            _ => break,
        }
    }
    let before = text.get(..offset?)?;
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .unwrap_or_default()
        .chars()
        .count()
        + 1;
    Some((line, column))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_deepest_known_part_is_found() {
        let text = "a = 1\n[piece]\nQ = { name = \"é\", move = \"x\" }\n[[list]]\nb = 1\n";
        assert_eq!(place(text, "a"), Some((1, 1)));
        assert_eq!(place(text, "piece.Q.move"), Some((3, 19)));
        assert_eq!(place(text, "piece.Z.move"), Some((2, 2)));
        assert_eq!(place(text, "list.b"), Some((4, 3)));
        assert_eq!(place(text, "nothing"), None);
    }
}
