//! Inheritance: a file's keys over those of the file that it extends.

use toml::{Table, Value};

/// Lays `child` over `parent`: tables merge key by key, everything else is replaced.
pub(super) fn overlay(parent: &mut Table, child: Table) {
    for (key, value) in child {
        match (parent.get_mut(&key), value) {
            (Some(Value::Table(below)), Value::Table(above)) => overlay(below, above),
            (_, value) => {
                parent.insert(key, value);
            }
        }
    }
}

/// Takes a key with dots out of a table; whether it was there.
pub(super) fn remove(table: &mut Table, path: &str) -> bool {
    match path.split_once('.') {
        None => table.remove(path).is_some(),
        Some((head, rest)) => match table.get_mut(head) {
            Some(Value::Table(inner)) => remove(inner, rest),
            _ => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn child_wins_and_the_rest_stays() {
        let mut parent: Table = "a = 1\n[t]\nx = 1\ny = 2\n[t.u]\nz = [1, 2]"
            .parse()
            .unwrap();
        overlay(&mut parent, "[t]\ny = 3\n[t.u]\nz = [4]".parse().unwrap());
        assert_eq!(
            parent,
            "a = 1\n[t]\nx = 1\ny = 3\n[t.u]\nz = [4]".parse().unwrap()
        );
        assert!(
            remove(&mut parent, "t.u.z")
                && !remove(&mut parent, "t.u.z")
                && !remove(&mut parent, "q.r")
        );
    }
}
