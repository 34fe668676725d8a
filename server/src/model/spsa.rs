//! The tuning of engine options by SPSA: what is tuned and how, checked.

use std::collections::BTreeSet;
use std::num::NonZeroU32;

use super::{EngineSpec, Format, FormatKind, SpecError, check};

/// Most options that are tuned together.
pub const MAX_PARAMETERS: usize = 64;
/// Most iterations that are played at a time.
pub const MAX_AHEAD: u32 = 1024;
/// Pairs that are played at a time when its author does not say, so that this many workers find one.
const PAIRS_AHEAD: u32 = 64;
/// Part of its iterations that a tuning plays at a time at most, so that steps rest on results.
const PART_AHEAD: u32 = 20;
/// Least perturbation: values less than 1 apart cannot be played.
const LEAST_C: f64 = 0.5;
/// Greatest rate of learning.
const MOST_R: f64 = 10.0;
/// Whole numbers up to here are told apart in floating point.
const MOST_VALUE: i64 = 1 << 53;

/// A tuning by SPSA, as its author wrote it.
#[derive(Clone, Debug, PartialEq)]
pub struct SpsaSpec {
    /// The options.
    pub parameters: Vec<SpsaParameter>,
    /// Pairs in all.
    pub total_pairs: NonZeroU32,
    /// Iterations that are played at a time.
    pub ahead: NonZeroU32,
}

/// An option that is tuned, in the terms of fishtest.
#[derive(Clone, Debug, PartialEq)]
pub struct SpsaParameter {
    /// Its name.
    pub name: String,
    /// Where it begins.
    pub value: f64,
    /// Least value.
    pub min: i64,
    /// Greatest value.
    pub max: i64,
    /// Size of the last perturbation, at least 1/2.
    pub c_end: f64,
    /// Rate of learning at the end, above 0.
    pub r_end: f64,
}

impl SpsaSpec {
    /// Iterations of so many pairs that are played at a time when its author does not say: 64 pairs, but at most a twentieth
    /// of all iterations.
    pub fn usual_ahead(total_pairs: NonZeroU32, pairs: NonZeroU32) -> NonZeroU32 {
        let iterations = total_pairs.get().div_ceil(pairs.get());
        let ahead = PAIRS_AHEAD.div_ceil(pairs.get());
        let ahead = ahead.min(iterations / PART_AHEAD);
        NonZeroU32::new(ahead).unwrap_or(NonZeroU32::MIN)
    }

    /// Checks the tuning of these engines.
    pub(super) fn check(&self, engines: &[EngineSpec]) -> Result<(), SpecError> {
        let [plus, minus] = engines else {
            let problem = format!(
                "tunes one engine, which plays against itself: there are {}",
                engines.len()
            );
            return Err(SpecError::new("format.kind", problem));
        };
        let alike = |engine: &EngineSpec| EngineSpec {
            name: String::new(),
            ..engine.clone()
        };
        if alike(plus) != alike(minus) {
            let problem = "tunes one engine, which plays against itself: name one, or two that differ in nothing but their names";
            return Err(SpecError::new("format.kind", problem));
        }
        let count = self.parameters.len();
        if !(1..=MAX_PARAMETERS).contains(&count) {
            let problem = format!("there are {count}: 1 to {MAX_PARAMETERS} are needed");
            return Err(SpecError::new("format.parameter", problem));
        }
        if self.ahead.get() > MAX_AHEAD {
            let problem = format!("must be 1 to {MAX_AHEAD}");
            return Err(SpecError::new("format.ahead", problem));
        }
        let mut names = BTreeSet::new();
        for (index, parameter) in self.parameters.iter().enumerate() {
            let field = format!("format.parameter[{index}]");
            parameter.check(&field)?;
            // Names of UCI options do not differ by their case.
            let name = parameter.name.to_lowercase();
            if plus
                .options
                .keys()
                .any(|option| option.to_lowercase() == name)
            {
                let problem = format!(
                    "`{}` is among the engine's options already: leave it out there",
                    parameter.name
                );
                return Err(SpecError::new(format!("{field}.name"), problem));
            }
            if !names.insert(name) {
                let problem = format!("`{}` is there twice: name each option once", parameter.name);
                return Err(SpecError::new(format!("{field}.name"), problem));
            }
        }
        Ok(())
    }
}

impl SpsaParameter {
    /// Checks one parameter; `field` is where it stands.
    pub fn check(&self, field: &str) -> Result<(), SpecError> {
        let at =
            |key: &str, problem: String| Err(SpecError::new(format!("{field}.{key}"), problem));
        let (name, min, max) = (&self.name, self.min, self.max);
        check::check_options(field, [(name, &String::new())].into_iter())?;
        if min >= max || min < -MOST_VALUE || max > MOST_VALUE {
            return at(
                "min",
                format!(
                    "of `{name}` is {min}, max is {max}: min must be below max, and both within +-2^53"
                ),
            );
        }
        if !(min as f64..=max as f64).contains(&self.value) {
            return at(
                "value",
                format!("of `{name}` is {}, not within {min} to {max}", self.value),
            );
        }
        let range = (max - min) as f64;
        if !(LEAST_C..=range).contains(&self.c_end) {
            let problem = format!(
                "of `{name}` is {}: it must be at least {LEAST_C}, as values less than 1 apart cannot be played, and at most {range}, the whole range",
                self.c_end
            );
            return at("c_end", problem);
        }
        if !(self.r_end > 0.0 && self.r_end <= MOST_R) {
            let problem = format!(
                "of `{name}` is {}: it must be above 0 and at most {MOST_R}; 0.002 is usual",
                self.r_end
            );
            return at("r_end", problem);
        }
        Ok(())
    }
}

/// Both sides of a tuning that names its engine once; the engines of others as they are.
pub(super) fn sides(format: &Format, engines: Vec<EngineSpec>) -> Vec<EngineSpec> {
    match (&format.kind, &engines[..]) {
        (FormatKind::Spsa(_), [engine]) => ["plus", "minus"]
            .map(|side| EngineSpec {
                name: format!("{} {side}", engine.name),
                ..engine.clone()
            })
            .into(),
        _ => engines,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::EngineSource;
    use super::*;

    fn engine(name: &str) -> EngineSpec {
        EngineSpec {
            name: name.to_owned(),
            source: EngineSource::command("x"),
            options: BTreeMap::from([("Hash".to_owned(), "8".to_owned())]),
            limit: None,
        }
    }

    fn spec() -> SpsaSpec {
        let parameter = |name: &str| SpsaParameter {
            name: name.to_owned(),
            value: 1.5,
            min: -10,
            max: 10,
            c_end: 2.0,
            r_end: 0.002,
        };
        SpsaSpec {
            parameters: vec![parameter("a"), parameter("b")],
            total_pairs: NonZeroU32::new(100).unwrap(),
            ahead: NonZeroU32::MIN,
        }
    }

    #[test]
    fn what_cannot_be_tuned_is_refused_by_name() {
        let engines = [engine("one"), engine("other")];
        assert_eq!(spec().check(&engines), Ok(()));
        type Spoil = fn(&mut SpsaSpec);
        let cases: [(Spoil, &str); 14] = [
            (
                |spec| spec.parameters.clear(),
                "format.parameter: there are 0",
            ),
            (
                |spec| spec.ahead = NonZeroU32::new(1025).unwrap(),
                "format.ahead",
            ),
            (
                |spec| spec.parameters[1].name = "A".to_owned(),
                "format.parameter[1].name: `A` is there twice",
            ),
            (
                |spec| spec.parameters[1].name = "hash".to_owned(),
                "options already",
            ),
            (
                |spec| spec.parameters[0].name = " ".to_owned(),
                "is not an option",
            ),
            (
                |spec| spec.parameters[0].min = 10,
                "format.parameter[0].min: of `a` is 10",
            ),
            (|spec| spec.parameters[0].max = i64::MAX, "2^53"),
            (
                |spec| spec.parameters[0].value = 10.5,
                "format.parameter[0].value",
            ),
            (
                |spec| spec.parameters[0].value = f64::NAN,
                "format.parameter[0].value",
            ),
            (|spec| spec.parameters[0].c_end = 0.49, "less than 1 apart"),
            (|spec| spec.parameters[0].c_end = 20.5, "the whole range"),
            (|spec| spec.parameters[0].c_end = f64::NAN, "c_end"),
            (|spec| spec.parameters[0].r_end = 0.0, "r_end"),
            (|spec| spec.parameters[0].r_end = f64::INFINITY, "r_end"),
        ];
        for (spoil, problem) in cases {
            let mut bad = spec();
            spoil(&mut bad);
            let error = bad.check(&engines).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        let mut different = engines.clone();
        different[1].options.clear();
        for engines in [&different[..], &engines[..1]] {
            let error = spec().check(engines).unwrap_err().to_string();
            assert!(error.contains("plays against itself"), "{error}");
        }
    }

    #[test]
    fn few_iterations_are_played_one_after_the_other() {
        let ahead = |total: u32, pairs: u32| {
            let [total, pairs] = [total, pairs].map(|number| NonZeroU32::new(number).unwrap());
            SpsaSpec::usual_ahead(total, pairs).get()
        };
        assert_eq!(
            [ahead(10, 1), ahead(200, 1), ahead(100_000, 1)],
            [1, 10, 64]
        );
        assert_eq!(
            [ahead(100_000, 8), ahead(100_000, 100), ahead(5, 100)],
            [8, 1, 1]
        );
    }
}
