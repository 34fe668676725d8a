//! What an engine said that it can: its `feature` lines.

use super::settings::Setting;

/// Most options that are read from an engine.
const MOST_OPTIONS: usize = 2000;

/// What an engine can. As the protocol has it for an engine that says nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// It answers `ping`.
    pub ping: bool,
    /// It can set up positions.
    pub setboard: bool,
    /// It wants `usermove` before a move.
    pub usermove: bool,
    /// It listens to `time` and `otim`.
    pub time: bool,
    /// It listens to offers of a draw.
    pub draw: bool,
    /// It can play more than one game.
    pub reuse: bool,
    /// It takes `memory`.
    pub memory: bool,
    /// It takes `cores`.
    pub smp: bool,
    /// It knows whether its opponent is a program.
    pub colors: bool,
    /// The games it plays, as it calls them.
    pub variants: Vec<String>,
    /// Its options.
    pub options: Vec<Setting>,
    /// There may be more to come for as long as it likes.
    pub is_unfinished: bool,
    /// It has said all.
    pub is_done: bool,
}

impl Default for Features {
    fn default() -> Self {
        Self {
            ping: false,
            setboard: false,
            usermove: false,
            time: true,
            draw: true,
            reuse: true,
            memory: false,
            smp: false,
            colors: true,
            variants: vec!["normal".to_owned()],
            options: Vec::new(),
            is_unfinished: false,
            is_done: false,
        }
    }
}

/// Whether a feature suits us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It is as the engine wants.
    Accepted,
    /// It is not known here, or not done.
    Rejected,
}

impl Features {
    /// Takes in what stands behind the word `feature`: `ping=1 variants="normal,capablanca" done=0`. Gives each name with
    /// what is to be replied.
    pub fn take(&mut self, text: &str) -> Vec<(String, Reply)> {
        let mut replies = Vec::new();
        for (name, value) in pairs(text) {
            let is_on = value == "1";
            let known = match name {
                "ping" => Some(&mut self.ping),
                "setboard" => Some(&mut self.setboard),
                "usermove" => Some(&mut self.usermove),
                "time" => Some(&mut self.time),
                "draw" => Some(&mut self.draw),
                "reuse" => Some(&mut self.reuse),
                "memory" => Some(&mut self.memory),
                "smp" => Some(&mut self.smp),
                "colors" => Some(&mut self.colors),
                _ => None,
            };
            if let Some(feature) = known {
                *feature = is_on;
                replies.push((name.to_owned(), Reply::Accepted));
                continue;
            }
            let reply = match name {
                "variants" => {
                    let names = value.split(',').map(str::trim);
                    self.variants = names
                        .filter(|name| !name.is_empty())
                        .map(str::to_owned)
                        .collect();
                    Reply::Accepted
                }
                "option" => {
                    if self.options.len() < MOST_OPTIONS {
                        self.options.extend(Setting::parse(value));
                    }
                    Reply::Accepted
                }
                "done" => {
                    self.is_done = is_on;
                    self.is_unfinished = !is_on;
                    Reply::Accepted
                }
                "myname" | "name" | "debug" | "sigint" | "sigterm" | "analyze" | "nps" | "egt"
                | "exclude" | "setscore" | "highlight" | "playother" | "pause" | "ics" => {
                    Reply::Accepted
                }
                // Moves are coordinates here: an engine that is refused this has to take them.
                "san" if is_on => Reply::Rejected,
                "san" => Reply::Accepted,
                _ => Reply::Rejected,
            };
            replies.push((name.to_owned(), reply));
        }
        replies
    }

    /// An option by name, letter case aside.
    pub fn option(&self, name: &str) -> Option<&Setting> {
        self.options
            .iter()
            .find(|setting| setting.name.eq_ignore_ascii_case(name))
    }
}

/// `NAME=VALUE` after `NAME="VALUE"`, as long as they are written so.
fn pairs(mut text: &str) -> Vec<(&str, &str)> {
    let mut pairs = Vec::new();
    loop {
        text = text.trim_start();
        let Some((name, rest)) = text.split_once('=') else {
            return pairs;
        };
        let (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
            None => rest.split_once(char::is_whitespace).unwrap_or((rest, "")),
        };
        pairs.push((name.trim(), value));
        text = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_what_an_engine_says() {
        let mut features = Features::default();
        assert!(features.time && features.reuse && !features.ping);
        let replies = features.take(
            "ping=1 myname=\"Max 4.8\" variants=\"normal, capablanca,,gothic\" san=1 time=0 strange=3 option=\"Multi PV -spin 1 1 9\" \
             option=\"Clear Hash -button\" done=0",
        );
        assert_eq!(features.variants, ["normal", "capablanca", "gothic"]);
        assert!(features.ping && !features.time && features.is_unfinished && !features.is_done);
        let rejected: Vec<&str> = replies
            .iter()
            .filter(|(_, reply)| *reply == Reply::Rejected)
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(rejected, ["san", "strange"]);
        assert_eq!(features.option("multi pv").unwrap().name, "Multi PV");
        assert_eq!(features.option("Clear Hash").unwrap().name, "Clear Hash");
        features.take("done=1");
        assert!(features.is_done && !features.is_unfinished);
        // Broken ones end the line.
        assert_eq!(
            features.take("usermove=1 nonsense"),
            [("usermove".to_owned(), Reply::Accepted)]
        );
        assert!(features.usermove);
        assert!(features.take("variants=\"a").len() == 1 && features.variants == ["a"]);
    }
}
