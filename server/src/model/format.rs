//! The keys of a format, as the tournament file and the message have them, to the format and back.

use std::num::NonZeroU32;

use super::{
    AdaptiveGoal, EngineSpec, Format, FormatKind, Seeding, SpecError, SpsaParameter, SpsaSpec,
    UntilDecided,
};

/// Further pairs of a level knockout encounter when its author does not say.
pub const USUAL_TIE_PAIRS: u32 = 2;
/// Longest knockout encounter that a test is to decide, in multiples of `pairs`, when its author does not say.
pub const USUAL_STEPS: u32 = 50;
/// Percent of random pairings of an adaptive tournament when its author does not say.
pub const USUAL_RANDOM_PERCENT: u32 = 10;

/// The word that names a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatName {
    /// Everyone meets everyone.
    RoundRobin,
    /// Challengers meet the others.
    Gauntlet,
    /// Two engines meet.
    HeadToHead,
    /// Everyone meets those before it.
    Pyramid,
    /// Engines with equal points meet.
    Swiss,
    /// Who loses is out.
    Knockout,
    /// Who beats the engine above takes its place.
    Ladder,
    /// The encounters that tell most.
    Adaptive,
    /// Options of an engine are tuned.
    Spsa,
}

impl FormatName {
    /// All names with their words.
    pub const WORDS: [(&'static str, Self); 9] = [
        ("round-robin", Self::RoundRobin),
        ("gauntlet", Self::Gauntlet),
        ("head-to-head", Self::HeadToHead),
        ("pyramid", Self::Pyramid),
        ("swiss", Self::Swiss),
        ("knockout", Self::Knockout),
        ("ladder", Self::Ladder),
        ("adaptive", Self::Adaptive),
        ("spsa", Self::Spsa),
    ];

    /// Its word.
    pub fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(_, name)| *name == self);
        found.map_or("", |(word, _)| word)
    }

    /// All words, for messages.
    pub fn words() -> String {
        Self::WORDS.map(|(word, _)| word).join(", ")
    }
}

/// A format key by key; `None` = not given.
#[derive(Clone, Debug, PartialEq)]
pub struct FormatKeys {
    /// Which format.
    pub name: FormatName,
    /// Pairs an encounter.
    pub pairs: u32,
    /// Gauntlet: names of the challengers; none = the first engine.
    pub challengers: Option<Vec<String>>,
    /// Swiss and ladder: rounds; none = by the number of engines.
    pub rounds: Option<u32>,
    /// Knockout: most further pairs of a level encounter.
    pub tie_pairs: Option<u32>,
    /// Knockout: whether the third place is played for.
    pub third_place: Option<bool>,
    /// Swiss, knockout and ladder: in which order the engines are seeded.
    pub seeding: Option<Seeding>,
    /// Knockout: an encounter goes on until a test of minus this against plus this, in normalized Elo, decides.
    pub decide_elo: Option<u32>,
    /// Knockout with `decide_elo`: most pairs of an encounter.
    pub most_pairs: Option<u32>,
    /// Adaptive and SPSA: pairs in all.
    pub total_pairs: Option<u32>,
    /// Adaptive: percent of the encounters that are drawn at random.
    pub random_percent: Option<u32>,
    /// Adaptive: what the encounters are to tell.
    pub goal: Option<AdaptiveGoal>,
    /// SPSA: the options that are tuned.
    pub parameters: Option<Vec<SpsaParameter>>,
    /// SPSA: iterations that are played at a time.
    pub ahead: Option<u32>,
}

impl FormatKeys {
    /// A format with nothing said but its name and pairs.
    pub fn new(name: FormatName, pairs: u32) -> Self {
        Self {
            name,
            pairs,
            challengers: None,
            rounds: None,
            tie_pairs: None,
            third_place: None,
            seeding: None,
            decide_elo: None,
            most_pairs: None,
            total_pairs: None,
            random_percent: None,
            goal: None,
            parameters: None,
            ahead: None,
        }
    }

    /// The format that the keys describe.
    ///
    /// # Errors
    /// Names the key that is missing, wrong, or belongs to another format.
    pub fn resolve(self, engines: &[EngineSpec]) -> Result<Format, SpecError> {
        self.refuse_strangers()?;
        let kind = match self.name {
            FormatName::RoundRobin => FormatKind::RoundRobin,
            FormatName::HeadToHead => FormatKind::HeadToHead,
            FormatName::Pyramid => FormatKind::Pyramid,
            FormatName::Gauntlet => FormatKind::Gauntlet {
                challengers: challengers(&self.challengers.unwrap_or_default(), engines)?,
            },
            FormatName::Swiss => FormatKind::Swiss {
                rounds: at_least_one("rounds", self.rounds)?,
            },
            FormatName::Ladder => FormatKind::Ladder {
                rounds: at_least_one("rounds", self.rounds)?,
            },
            FormatName::Knockout => FormatKind::Knockout {
                tie_pairs: self.tie_pairs.unwrap_or(USUAL_TIE_PAIRS),
                third_place: self.third_place.unwrap_or(false),
                until: self.until_decided()?,
            },
            FormatName::Spsa => FormatKind::Spsa(self.spsa()?),
            FormatName::Adaptive => FormatKind::Adaptive {
                total_pairs: self.total_pairs()?,
                random_percent: self.random_percent.unwrap_or(USUAL_RANDOM_PERCENT),
                goal: self.goal.unwrap_or_default(),
            },
        };
        let pairs = at_least_one("pairs", Some(self.pairs))?;
        let pairs = pairs.ok_or_else(|| SpecError::new("format.pairs", "is missing"))?;
        let seeding = self.seeding.unwrap_or_default();
        Ok(Format {
            kind,
            pairs,
            seeding,
        })
    }

    fn total_pairs(&self) -> Result<NonZeroU32, SpecError> {
        at_least_one("total_pairs", self.total_pairs)?.ok_or_else(|| {
            let problem = "is missing: how many pairs are to be played in all";
            SpecError::new("format.total_pairs", problem)
        })
    }

    fn spsa(&self) -> Result<SpsaSpec, SpecError> {
        let total_pairs = self.total_pairs()?;
        let pairs = NonZeroU32::new(self.pairs).unwrap_or(NonZeroU32::MIN);
        let ahead = at_least_one("ahead", self.ahead)?;
        Ok(SpsaSpec {
            parameters: self.parameters.clone().unwrap_or_default(),
            total_pairs,
            ahead: ahead.unwrap_or_else(|| SpsaSpec::usual_ahead(total_pairs, pairs)),
        })
    }

    fn until_decided(&self) -> Result<Option<UntilDecided>, SpecError> {
        let elo = at_least_one("decide_elo", self.decide_elo)?;
        let most_pairs = at_least_one("most_pairs", self.most_pairs)?;
        match (elo, most_pairs) {
            (None, Some(_)) => {
                let problem =
                    "goes only with `decide_elo`: without a test an encounter is `pairs` long";
                Err(SpecError::new("format.most_pairs", problem))
            }
            (None, None) => Ok(None),
            (Some(elo), most_pairs) => {
                let usual = self.pairs.max(1).saturating_mul(USUAL_STEPS);
                Ok(Some(UntilDecided {
                    elo,
                    most_pairs: most_pairs
                        .or(NonZeroU32::new(usual))
                        .unwrap_or(NonZeroU32::MIN),
                }))
            }
        }
    }

    /// Refuses keys that mean nothing in this format.
    fn refuse_strangers(&self) -> Result<(), SpecError> {
        use FormatName::{Adaptive, Gauntlet, Knockout, Ladder, Spsa, Swiss};
        let keys: [(&str, bool, &[FormatName]); 12] = [
            ("challengers", self.challengers.is_some(), &[Gauntlet]),
            ("rounds", self.rounds.is_some(), &[Swiss, Ladder]),
            ("tie_pairs", self.tie_pairs.is_some(), &[Knockout]),
            ("third_place", self.third_place.is_some(), &[Knockout]),
            (
                "seeding",
                self.seeding.is_some(),
                &[Swiss, Knockout, Ladder],
            ),
            ("decide_elo", self.decide_elo.is_some(), &[Knockout]),
            ("most_pairs", self.most_pairs.is_some(), &[Knockout]),
            ("total_pairs", self.total_pairs.is_some(), &[Adaptive, Spsa]),
            ("parameter", self.parameters.is_some(), &[Spsa]),
            ("ahead", self.ahead.is_some(), &[Spsa]),
            ("random_percent", self.random_percent.is_some(), &[Adaptive]),
            ("goal", self.goal.is_some(), &[Adaptive]),
        ];
        for (key, is_given, owners) in keys {
            if is_given && !owners.contains(&self.name) {
                let owners: Vec<&str> = owners.iter().map(|owner| owner.word()).collect();
                let problem = format!(
                    "goes only with the kind {}, not with {}",
                    owners.join(" or "),
                    self.name.word()
                );
                return Err(SpecError::new(format!("format.{key}"), problem));
            }
        }
        Ok(())
    }
}

impl Format {
    /// The keys that describe this format between these engines.
    pub fn keys(&self, engines: &[EngineSpec]) -> FormatKeys {
        let keys = |name| FormatKeys {
            // What is left out is not written.
            seeding: Some(self.seeding).filter(|&seeding| seeding != Seeding::Order),
            ..FormatKeys::new(name, self.pairs.get())
        };
        match &self.kind {
            FormatKind::RoundRobin => keys(FormatName::RoundRobin),
            FormatKind::HeadToHead => keys(FormatName::HeadToHead),
            FormatKind::Pyramid => keys(FormatName::Pyramid),
            FormatKind::Gauntlet { challengers } => {
                let named = challengers.iter().filter_map(|&index| engines.get(index));
                FormatKeys {
                    challengers: Some(named.map(|engine| engine.name.clone()).collect()),
                    ..keys(FormatName::Gauntlet)
                }
            }
            FormatKind::Swiss { rounds } => FormatKeys {
                rounds: rounds.map(NonZeroU32::get),
                ..keys(FormatName::Swiss)
            },
            FormatKind::Ladder { rounds } => FormatKeys {
                rounds: rounds.map(NonZeroU32::get),
                ..keys(FormatName::Ladder)
            },
            &FormatKind::Knockout {
                tie_pairs,
                third_place,
                until,
            } => FormatKeys {
                tie_pairs: Some(tie_pairs),
                third_place: Some(third_place),
                decide_elo: until.map(|until| until.elo.get()),
                most_pairs: until.map(|until| until.most_pairs.get()),
                ..keys(FormatName::Knockout)
            },
            &FormatKind::Adaptive {
                total_pairs,
                random_percent,
                goal,
            } => FormatKeys {
                total_pairs: Some(total_pairs.get()),
                random_percent: Some(random_percent),
                goal: Some(goal),
                ..keys(FormatName::Adaptive)
            },
            FormatKind::Spsa(spsa) => FormatKeys {
                total_pairs: Some(spsa.total_pairs.get()),
                parameters: Some(spsa.parameters.clone()),
                ahead: Some(spsa.ahead.get()),
                ..keys(FormatName::Spsa)
            },
        }
    }
}

fn at_least_one(key: &str, number: Option<u32>) -> Result<Option<NonZeroU32>, SpecError> {
    let checked = |number| {
        NonZeroU32::new(number)
            .ok_or_else(|| SpecError::new(format!("format.{key}"), "must be at least 1"))
    };
    number.map(checked).transpose()
}

/// Indices of the challengers; without names the first engine.
fn challengers(names: &[String], engines: &[EngineSpec]) -> Result<Vec<usize>, SpecError> {
    if names.is_empty() {
        return Ok(vec![0]);
    }
    let index = |name: &String| {
        engines
            .iter()
            .position(|engine| engine.name == *name)
            .ok_or_else(|| {
                SpecError::new(
                    "format.challengers",
                    format!("`{name}` is not the name of an engine of this tournament"),
                )
            })
    };
    names.iter().map(index).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_of_another_format_is_refused_by_name() {
        let given = |keys: FormatKeys| keys.resolve(&[]).unwrap_err().to_string();
        for (word, name) in FormatName::WORDS {
            let keys = FormatKeys::new(name, 1);
            let strangers = [
                (
                    "challengers",
                    FormatKeys {
                        challengers: Some(vec![]),
                        ..keys.clone()
                    },
                    "gauntlet",
                ),
                (
                    "rounds",
                    FormatKeys {
                        rounds: Some(3),
                        ..keys.clone()
                    },
                    "swiss ladder",
                ),
                (
                    "tie_pairs",
                    FormatKeys {
                        tie_pairs: Some(0),
                        ..keys.clone()
                    },
                    "knockout",
                ),
                (
                    "third_place",
                    FormatKeys {
                        third_place: Some(false),
                        ..keys.clone()
                    },
                    "knockout",
                ),
                (
                    "decide_elo",
                    FormatKeys {
                        decide_elo: Some(20),
                        ..keys.clone()
                    },
                    "knockout",
                ),
                (
                    "most_pairs",
                    FormatKeys {
                        most_pairs: Some(20),
                        decide_elo: Some(20).filter(|_| name == FormatName::Knockout),
                        ..keys.clone()
                    },
                    "knockout",
                ),
                (
                    "seeding",
                    FormatKeys {
                        seeding: Some(Seeding::Rating),
                        ..keys.clone()
                    },
                    "swiss knockout ladder",
                ),
                (
                    "random_percent",
                    FormatKeys {
                        random_percent: Some(5),
                        ..keys.clone()
                    },
                    "adaptive",
                ),
                (
                    "goal",
                    FormatKeys {
                        goal: Some(AdaptiveGoal::Order),
                        ..keys.clone()
                    },
                    "adaptive",
                ),
                (
                    "total_pairs",
                    FormatKeys {
                        total_pairs: Some(9),
                        ..keys.clone()
                    },
                    "adaptive spsa",
                ),
                (
                    "parameter",
                    FormatKeys {
                        parameters: Some(vec![]),
                        ..keys.clone()
                    },
                    "spsa",
                ),
                (
                    "ahead",
                    FormatKeys {
                        ahead: Some(9),
                        ..keys.clone()
                    },
                    "spsa",
                ),
            ];
            for (key, keys, owners) in strangers {
                if !owners.split(' ').any(|owner| owner == word) {
                    let error = given(keys);
                    assert!(error.contains(key) && error.contains(word), "{error}");
                }
            }
        }
    }

    #[test]
    fn keys_and_formats_describe_each_other() {
        for (_, name) in FormatName::WORDS {
            let keys = FormatKeys {
                total_pairs: matches!(name, FormatName::Adaptive | FormatName::Spsa).then_some(70),
                rounds: matches!(name, FormatName::Swiss | FormatName::Ladder).then_some(4),
                challengers: (name == FormatName::Gauntlet).then(Vec::new),
                ..FormatKeys::new(name, 3)
            };
            let format = keys.resolve(&[]).unwrap();
            assert_eq!(format.keys(&[]).resolve(&[]).unwrap(), format);
            assert_eq!(format.keys(&[]).name, name);
        }
        let zero = FormatKeys {
            rounds: Some(0),
            ..FormatKeys::new(FormatName::Swiss, 1)
        };
        assert_eq!(zero.resolve(&[]).unwrap_err().field, "format.rounds");
        let missing = FormatKeys::new(FormatName::Adaptive, 1);
        assert_eq!(
            missing.resolve(&[]).unwrap_err().field,
            "format.total_pairs"
        );
        let none = FormatKeys::new(FormatName::Ladder, 0);
        assert_eq!(none.resolve(&[]).unwrap_err().field, "format.pairs");
    }
}
