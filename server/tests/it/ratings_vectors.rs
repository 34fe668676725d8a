//! Where the reference vectors of ratings and match statistics are, and how numbers are compared.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a vector that cannot be read fails the test"
)]

use std::path::PathBuf;

use serde_json::Value;

mod fisher;
mod pools;
mod sprt;
mod standings;

/// Folder of the vectors: `$BROUHAHA_VECTORS/stats`, else the copy in the tree.
fn folder() -> PathBuf {
    match std::env::var_os("BROUHAHA_VECTORS") {
        Some(root) => PathBuf::from(root).join("stats"),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/stats"),
    }
}

/// Reads one file of vectors; a missing or broken one fails the test.
fn load(name: &str) -> Value {
    let path = folder().join(name);
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("cannot read {}: {error}", path.display()));
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{} is not JSON: {error}", path.display()))
}

/// The entries of an array, which must not be empty.
fn cases<'a>(file: &'a Value, key: &str) -> &'a Vec<Value> {
    let cases = file[key]
        .as_array()
        .unwrap_or_else(|| panic!("no array `{key}` in the vectors"));
    assert!(!cases.is_empty(), "the vectors hold no case of `{key}`");
    cases
}

fn numbers<const N: usize>(value: &Value) -> [u64; N] {
    let found: Vec<u64> = value
        .as_array()
        .unwrap_or_else(|| panic!("not an array: {value}"))
        .iter()
        .map(|x| x.as_u64().unwrap_or_else(|| panic!("not a count: {x}")))
        .collect();
    found
        .try_into()
        .unwrap_or_else(|_| panic!("not {N} counts: {value}"))
}

fn count(value: &Value) -> usize {
    let count = value
        .as_u64()
        .unwrap_or_else(|| panic!("not a count: {value}"));
    usize::try_from(count).unwrap()
}

fn float(value: &Value) -> f64 {
    value
        .as_f64()
        .unwrap_or_else(|| panic!("not a number: {value}"))
}

/// Compares numbers with the reference; counts what was compared, so that an empty test fails.
struct Checker {
    compared: usize,
    wrong: Vec<String>,
}

impl Checker {
    fn new() -> Self {
        Self {
            compared: 0,
            wrong: Vec::new(),
        }
    }

    /// `want` null means that nothing may be answered.
    fn close(
        &mut self,
        what: &str,
        got: Option<f64>,
        want: &Value,
        tolerance: impl Fn(f64) -> f64,
    ) {
        self.compared += 1;
        let fits = match (got, want.as_f64()) {
            (Some(got), Some(want)) => (got - want).abs() <= tolerance(want),
            (None, None) => want.is_null(),
            _ => false,
        };
        if !fits {
            self.wrong
                .push(format!("{what}: got {got:?}, reference {want}"));
        }
    }

    /// Compares a list, entry by entry, if the reference has it.
    fn all_close(
        &mut self,
        what: &str,
        got: &[Option<f64>],
        want: &Value,
        tolerance: impl Fn(f64) -> f64,
    ) {
        let Some(want) = want.as_array() else { return };
        self.equal(&format!("length of {what}"), &got.len(), &want.len());
        for (index, (got, want)) in got.iter().zip(want).enumerate() {
            self.close(&format!("{what}[{index}]"), *got, want, &tolerance);
        }
    }

    fn equal<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, got: &T, want: &T) {
        self.compared += 1;
        if got != want {
            self.wrong
                .push(format!("{what}: got {got:?}, reference {want:?}"));
        }
    }

    fn finish(self) {
        assert!(self.compared > 0, "nothing was compared");
        let (wrong, shown) = (self.wrong.len(), self.wrong.iter().take(40));
        let list = shown.cloned().collect::<Vec<_>>().join("\n");
        assert!(
            wrong == 0,
            "{wrong} of {} values are wrong:\n{list}",
            self.compared
        );
    }
}
