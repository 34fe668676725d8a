//! `--link` of `ratings` and `stats ratings`: two versions of one engine.

use std::str::FromStr;

use proto::v1;
use server::ratings::{Link, Player};

/// Elo by which a difference is expected to stray, unless given.
const DEVIATION: f64 = 50.0;

/// A link by names, as it is typed.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkNames {
    pub newer: String,
    pub older: String,
    elo: f64,
    deviation_elo: f64,
}

impl LinkNames {
    /// The same by numbers.
    pub fn numbered(&self, newer: Player, older: Player) -> Link {
        Link {
            newer,
            older,
            elo: self.elo,
            deviation_elo: self.deviation_elo,
        }
    }
}

impl LinkNames {
    /// The same as a message.
    pub fn to_wire(&self) -> v1::RatingLink {
        v1::RatingLink {
            newer: self.newer.clone(),
            older: self.older.clone(),
            elo: self.elo,
            deviation_elo: Some(self.deviation_elo),
        }
    }
}

impl FromStr for LinkNames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let number = |place: usize, default: f64| match parts.get(place) {
            None => Ok(default),
            Some(part) => part.parse().map_err(|_| {
                format!("`{part}` is no number of Elo; names with commas cannot be linked")
            }),
        };
        match parts[..] {
            [newer, older, ..] if parts.len() <= 4 && !newer.is_empty() && !older.is_empty() => Ok(Self {
                newer: newer.to_owned(),
                older: older.to_owned(),
                elo: number(2, 0.0)?,
                deviation_elo: number(3, DEVIATION)?,
            }),
            _ => Err("give NEWER,OLDER or NEWER,OLDER,ELO or NEWER,OLDER,ELO,DEVIATION, names without commas".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LinkNames;

    #[test]
    fn links_are_read() {
        let link: LinkNames = "v 2, v 1,-5,30.5".parse().unwrap();
        assert_eq!((link.newer.as_str(), link.older.as_str()), ("v 2", "v 1"));
        assert_eq!((link.elo, link.deviation_elo), (-5.0, 30.5));
        let short: LinkNames = "b,a".parse().unwrap();
        assert_eq!((short.elo, short.deviation_elo), (0.0, 50.0));
        for bad in ["", "a", "a,", ",a", "a,b,c", "a,b,1,2,3", "a,b,,"] {
            assert!(bad.parse::<LinkNames>().is_err(), "{bad}");
        }
    }
}
