//! What an option of an engine takes, whatever the protocol.

/// What an option takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Yes or no.
    Check,
    /// A whole number, from the one to the other where they are given.
    Spin(Option<i64>, Option<i64>),
    /// One of these.
    Combo(Vec<String>),
    /// Nothing: it is pressed.
    Button,
    /// Any text.
    Text,
    /// What is not known.
    Unknown,
}

/// A value that an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken<'a> {
    /// Of a [`Takes::Check`].
    Check(bool),
    /// Of a [`Takes::Button`].
    Pressed,
    /// As the engine writes it.
    Value(&'a str),
}

impl Takes {
    /// The value that a text means for the option of this name.
    ///
    /// # Errors
    /// It does not take the value: says what it takes.
    pub fn value<'a>(&'a self, option: &str, value: &'a str) -> Result<Taken<'a>, String> {
        let takes = match self {
            Self::Check => match value.to_ascii_lowercase().as_str() {
                "true" | "1" | "on" => return Ok(Taken::Check(true)),
                "false" | "0" | "off" => return Ok(Taken::Check(false)),
                _ => "a check: true or false".to_owned(),
            },
            Self::Spin(least, most) => match value.parse::<i64>() {
                Ok(number)
                    if least.is_none_or(|least| number >= least)
                        && most.is_none_or(|most| number <= most) =>
                {
                    return Ok(Taken::Value(value));
                }
                _ => format!("a spin: a whole number{}", range(*least, *most)),
            },
            Self::Combo(values) => {
                let is_value = |known: &&String| known.eq_ignore_ascii_case(value);
                match values.iter().find(is_value) {
                    Some(known) => return Ok(Taken::Value(known)),
                    None => format!("a combo: one of {}", values.join(", ")),
                }
            }
            Self::Button => match value {
                "" | "true" => return Ok(Taken::Pressed),
                _ => "a button: no value, or true".to_owned(),
            },
            Self::Text | Self::Unknown => return Ok(Taken::Value(value)),
        };
        Err(format!(
            "does not take `{value}` for its option `{option}`, which is {takes}"
        ))
    }
}

/// The range of a number, for people.
fn range(least: Option<i64>, most: Option<i64>) -> String {
    match (least, most) {
        (Some(least), Some(most)) => format!(" from {least} to {most}"),
        (Some(least), None) => format!(" from {least} on"),
        (None, Some(most)) => format!(" up to {most}"),
        (None, None) => String::new(),
    }
}
