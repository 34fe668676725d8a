//! The options that an engine offers, and which values they take.

use crate::play::child::takes::{Taken, Takes};

/// An option of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Its name.
    pub name: String,
    /// What it takes.
    pub takes: Takes,
}

impl Offer {
    /// Reads what stands behind the word `option`; none without a name.
    pub fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut name: Vec<&str> = Vec::new();
        let mut values: Vec<String> = Vec::new();
        let (mut kind, mut least, mut most) = ("", None, None);
        let mut key = "";
        for word in words {
            match word {
                // A keyword of its own within the name is not one: `option name Clear type …` is the only ambiguity.
                "name" if key.is_empty() => key = "name",
                // The default of a text may hold any word.
                "type" | "default" | "min" | "max" if kind != "string" => key = word,
                "var" if kind == "combo" => {
                    key = "var";
                    values.push(String::new());
                }
                _ if key == "name" => name.push(word),
                _ if key == "type" && kind.is_empty() => kind = word,
                _ if key == "min" => least = word.parse().ok(),
                _ if key == "max" => most = word.parse().ok(),
                _ if key == "var" => {
                    if let Some(value) = values.last_mut() {
                        if !value.is_empty() {
                            value.push(' ');
                        }
                        value.push_str(word);
                    }
                }
                _ => {}
            }
        }
        let takes = match kind {
            "check" => Takes::Check,
            "spin" => Takes::Spin(least, most),
            "combo" if !values.is_empty() => Takes::Combo(values),
            "button" => Takes::Button,
            "string" => Takes::Text,
            _ => Takes::Unknown,
        };
        (!name.is_empty()).then(|| Self {
            name: name.join(" "),
            takes,
        })
    }

    /// The line that sets it to this value.
    ///
    /// # Errors
    /// It does not take the value: says what it takes.
    pub fn set(&self, value: &str) -> Result<String, String> {
        let value = match self.takes.value(&self.name, value)? {
            Taken::Check(true) => "true",
            Taken::Check(false) => "false",
            Taken::Pressed => return Ok(format!("setoption name {}", self.name)),
            Taken::Value("") if self.takes == Takes::Text => "<empty>",
            Taken::Value(value) => value,
        };
        Ok(format!("setoption name {} value {value}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(line: &str) -> Offer {
        Offer::parse(line.split_whitespace().skip(1)).unwrap()
    }

    #[test]
    fn options_are_what_the_protocol_means() {
        for (line, name, takes) in [
            (
                "option name Clear Hash type button",
                "Clear Hash",
                Takes::Button,
            ),
            (
                "option name UCI_Variant type combo default chess var chess var war of roses",
                "UCI_Variant",
                Takes::Combo(vec!["chess".into(), "war of roses".into()]),
            ),
            (
                "option name Hash type spin default 16 min 1 max 1024",
                "Hash",
                Takes::Spin(Some(1), Some(1024)),
            ),
            (
                "option name Hash type spin default 16 min x",
                "Hash",
                Takes::Spin(None, None),
            ),
            (
                "option name Ponder type check default false",
                "Ponder",
                Takes::Check,
            ),
            (
                "option name File type string default a type of max 3 var",
                "File",
                Takes::Text,
            ),
            ("option name Odd", "Odd", Takes::Unknown),
            (
                "option name Odd type combo default x",
                "Odd",
                Takes::Unknown,
            ),
            ("option name Odd type file default x", "Odd", Takes::Unknown),
        ] {
            assert_eq!(
                offer(line),
                Offer {
                    name: name.into(),
                    takes
                },
                "{line}"
            );
        }
        assert_eq!(Offer::parse("type spin min 1".split(' ')), None);
    }

    #[test]
    fn values_are_checked_by_type_before_they_are_sent() {
        let hash = "option name Hash type spin default 16 min -1 max 1024";
        let style = "option name Style type combo default Normal var Normal var Very Risky";
        for (line, value, sent) in [
            (hash, "64", Ok("Hash value 64")),
            (hash, "-1", Ok("Hash value -1")),
            (
                hash,
                "1025",
                Err(
                    "`1025` for its option `Hash`, which is a spin: a whole number from -1 to 1024",
                ),
            ),
            (hash, "-2", Err("from -1 to 1024")),
            (hash, "64MB", Err("`64MB`")),
            (hash, "", Err("a whole number")),
            ("option name N type spin", "99999", Ok("N value 99999")),
            (
                "option name N type spin",
                "9999999999999999999999",
                Err("a whole number"),
            ),
            ("option name N type spin min 3", "2", Err("from 3 on")),
            ("option name P type check", "TRUE", Ok("P value true")),
            ("option name P type check", "off", Ok("P value false")),
            ("option name P type check", "yes", Err("true or false")),
            (style, "very risky", Ok("Style value Very Risky")),
            (style, "Risky", Err("one of Normal, Very Risky")),
            ("option name Clear Hash type button", "", Ok("Clear Hash")),
            (
                "option name Clear Hash type button",
                "true",
                Ok("Clear Hash"),
            ),
            ("option name Clear Hash type button", "3", Err("a button")),
            ("option name F type string", "", Ok("F value <empty>")),
            ("option name F type string", "a b", Ok("F value a b")),
            ("option name F type odd", "x", Ok("F value x")),
        ] {
            match (offer(line).set(value), sent) {
                (Ok(line), Ok(sent)) => assert_eq!(line, format!("setoption name {sent}")),
                (Err(error), Err(part)) => assert!(error.contains(part), "{error}"),
                (set, sent) => panic!("{line} {value}: {set:?} and not {sent:?}"),
            }
        }
    }
}
