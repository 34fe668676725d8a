//! The options that an engine offers by `feature option`, and which values they take.

use crate::play::child::takes::{Taken, Takes};

/// An option of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub takes: Takes,
}

impl Setting {
    /// Reads `NAME -KIND VALUES`.
    pub fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once(" -")?;
        let (kind, values) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let takes = match kind {
            "" => return None,
            "check" => Takes::Check,
            // A slider is a spin with another look.
            "spin" | "slider" => {
                // The present value stands first.
                let mut bounds = values.split_whitespace().skip(1);
                let mut bound = || bounds.next().and_then(|word| word.parse().ok());
                Takes::Spin(bound(), bound())
            }
            "combo" => {
                // A star marks the present one.
                let names = values.split("///");
                let name = |name: &str| name.trim().trim_start_matches('*').to_owned();
                Takes::Combo(names.map(name).collect())
            }
            "button" | "save" | "reset" => Takes::Button,
            // `string`, `file`, `path`, and what the protocol does not have.
            _ => Takes::Text,
        };
        Some(Self {
            name: name.trim().to_owned(),
            takes,
        })
    }

    /// The line that sets it to this value.
    ///
    /// # Errors
    /// It does not take the value: says what it takes.
    pub fn set(&self, value: &str) -> Result<String, String> {
        let value = match self.takes.value(&self.name, value)? {
            Taken::Check(true) => "1",
            Taken::Check(false) => "0",
            Taken::Pressed => return Ok(format!("option {}", self.name)),
            Taken::Value(value) => value,
        };
        Ok(format!("option {}={value}", self.name))
    }
}

/// The line of a command that takes a count, of mebibytes or cores, for an option.
///
/// # Errors
/// The value is no such count.
pub fn count(command: &str, option: &str, value: &str) -> Result<String, String> {
    match value.parse::<u32>() {
        Ok(count @ 1..) => Ok(format!("{command} {count}")),
        _ => Err(format!(
            "does not take `{value}` for its option `{option}`, which is a whole number from 1 on"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_whole_and_not_nothing() {
        assert_eq!(count("memory", "Hash", "64"), Ok("memory 64".to_owned()));
        for value in ["0", "-1", "64MB", ""] {
            let refused = count("memory", "Hash", value).unwrap_err();
            assert!(
                refused.contains("option `Hash`, which is a whole number"),
                "{refused}"
            );
        }
    }

    #[test]
    fn values_are_checked_by_type_before_they_are_sent() {
        for (option, value, sent) in [
            ("Multi PV -spin 1 1 9", "9", Ok("Multi PV=9")),
            (
                "Multi PV -spin 1 1 9",
                "10",
                Err("`10` for its option `Multi PV`, which is a spin: a whole number from 1 to 9"),
            ),
            ("Depth -slider 1 -5 9", "-6", Err("from -5 to 9")),
            ("N -spin 1", "-7", Ok("N=-7")),
            ("N -spin 1", "x", Err("a whole number")),
            ("Book -check 1", "false", Ok("Book=0")),
            ("Book -check 1", "ON", Ok("Book=1")),
            ("Book -check 1", "2", Err("true or false")),
            ("Style -combo a /// *Very b", "very B", Ok("Style=Very b")),
            ("Style -combo a /// *Very b", "c", Err("one of a, Very b")),
            ("Clear -button", "", Ok("Clear")),
            ("Clear -reset", "x", Err("a button")),
            ("File -file x.bin", "a b", Ok("File=a b")),
            ("Odd -odd", "a", Ok("Odd=a")),
        ] {
            let setting = Setting::parse(option).unwrap();
            match (setting.set(value), sent) {
                (Ok(line), Ok(sent)) => assert_eq!(line, format!("option {sent}")),
                (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
                (set, sent) => panic!("{option} {value}: {set:?} and not {sent:?}"),
            }
        }
        for broken in ["", "Name", "Name -"] {
            assert_eq!(Setting::parse(broken), None, "{broken}");
        }
    }
}
