//! How long an engine is waited for, by what it is doing.

use std::time::Duration;

use serde::Deserialize;

/// Shortest and longest wait that can be set, in seconds.
const RANGE: std::ops::RangeInclusive<f64> = 0.01..=3600.0;
/// The names of the waits in texts and files.
const NAMES: &str = "start, new_game, ping, stop and quit";

/// How long an engine is waited for outside of the time of its moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// From its start until it has said what it can: `uciok`, or the last `feature`.
    pub start: Duration,
    /// From being told of a new game until it is ready for it.
    pub new_game: Duration,
    /// For `readyok` or `pong` after its options were set.
    pub ping: Duration,
    /// From being told to stop to its move, after its time is up.
    pub stop: Duration,
    /// From being told to quit to its end.
    pub quit: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(10),
            new_game: Duration::from_secs(10),
            ping: Duration::from_secs(10),
            stop: Duration::from_secs(2),
            quit: Duration::from_secs(1),
        }
    }
}

/// The waits that were set; the others are as they were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(try_from = "Seconds")]
pub struct PatienceSettings {
    start: Option<Duration>,
    new_game: Option<Duration>,
    ping: Option<Duration>,
    stop: Option<Duration>,
    quit: Option<Duration>,
}

/// The shape of the settings in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Seconds {
    start: Option<f64>,
    new_game: Option<f64>,
    ping: Option<f64>,
    stop: Option<f64>,
    quit: Option<f64>,
}

impl TryFrom<Seconds> for PatienceSettings {
    type Error = String;

    fn try_from(seconds: Seconds) -> Result<Self, String> {
        let time = |name: &str, value: Option<f64>| {
            value.map(|value| duration(name, Some(value))).transpose()
        };
        Ok(Self {
            start: time("start", seconds.start)?,
            new_game: time("new_game", seconds.new_game)?,
            ping: time("ping", seconds.ping)?,
            stop: time("stop", seconds.stop)?,
            quit: time("quit", seconds.quit)?,
        })
    }
}

impl PatienceSettings {
    /// Reads `start=60,stop=5`: names and seconds.
    ///
    /// # Errors
    /// What is wrong, with the names that there are.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let mut settings = Self::default();
        for part in text.split(',').map(str::trim) {
            let Some((name, value)) = part.split_once('=') else {
                return Err(format!(
                    "`{}` is not of the form NAME=SECONDS, with a name among {NAMES}",
                    part.escape_debug()
                ));
            };
            let name = name.trim();
            let wait = match name {
                "start" => &mut settings.start,
                "new_game" => &mut settings.new_game,
                "ping" => &mut settings.ping,
                "stop" => &mut settings.stop,
                "quit" => &mut settings.quit,
                _ => {
                    return Err(format!(
                        "there is no wait `{}`: there are {NAMES}",
                        name.escape_debug()
                    ));
                }
            };
            if wait.is_some() {
                return Err(format!("`{name}` is given twice"));
            }
            *wait = Some(duration(name, value.trim().parse().ok())?);
        }
        Ok(settings)
    }

    /// These waits where they are set, else the others.
    pub fn over(&self, others: Patience) -> Patience {
        Patience {
            start: self.start.unwrap_or(others.start),
            new_game: self.new_game.unwrap_or(others.new_game),
            ping: self.ping.unwrap_or(others.ping),
            stop: self.stop.unwrap_or(others.stop),
            quit: self.quit.unwrap_or(others.quit),
        }
    }
}

fn duration(name: &str, seconds: Option<f64>) -> Result<Duration, String> {
    match seconds {
        Some(seconds) if RANGE.contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err(format!(
            "`{name}` must be a number of seconds from {} to {}",
            RANGE.start(),
            RANGE.end()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_goes_before_what_is_not() {
        let set = PatienceSettings::from_text("start=60, stop = 0.5").unwrap();
        let patience = set.over(Patience::default());
        assert_eq!(patience.start, Duration::from_secs(60));
        assert_eq!(patience.stop, Duration::from_millis(500));
        assert_eq!((patience.new_game, patience.ping, patience.quit), {
            let others = Patience::default();
            (others.new_game, others.ping, others.quit)
        });
        let all = "start=1,new_game=2,ping=3,stop=4,quit=5";
        let all = PatienceSettings::from_text(all).unwrap();
        let file = "start = 1\nnew_game = 2\nping = 3.0\nstop = 4\nquit = 5";
        assert_eq!(toml::from_str(file), Ok(all));
        let waits = all.over(Patience::default());
        let waits = [
            waits.start,
            waits.new_game,
            waits.ping,
            waits.stop,
            waits.quit,
        ];
        assert_eq!(waits, [1, 2, 3, 4, 5].map(Duration::from_secs));
    }

    #[test]
    fn what_is_no_wait_is_refused_by_name() {
        for (text, part) in [
            ("", "NAME=SECONDS"),
            ("start", "NAME=SECONDS"),
            ("begin=3", "no wait `begin`: there are start, new_game"),
            ("start=3,start=4", "`start` is given twice"),
            ("start=x", "`start` must be a number of seconds"),
            ("stop=0", "from 0.01 to 3600"),
            ("ping=-1", "`ping` must be"),
            ("ping=nan", "`ping` must be"),
            ("quit=1e9", "`quit` must be"),
        ] {
            let error = PatienceSettings::from_text(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let refused = toml::from_str::<PatienceSettings>("begin = 3").unwrap_err();
        assert!(refused.to_string().contains("begin"), "{refused}");
        let refused = toml::from_str::<PatienceSettings>("stop = 0").unwrap_err();
        assert!(refused.to_string().contains("`stop` must be"), "{refused}");
    }
}
