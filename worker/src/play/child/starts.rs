//! Engines that did not start lately, so that nobody waits for them again and again.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::engine::ChildProgram;

/// How long a program that did not start is not tried again.
const AGAIN_AFTER: Duration = Duration::from_secs(30);
/// Most programs that are remembered.
const MOST: usize = 64;

/// Programs that did not start, with why. The slots of a worker share one.
#[derive(Debug, Default)]
pub struct FailedStarts(Mutex<Vec<Failed>>);

#[derive(Debug)]
struct Failed {
    program: ChildProgram,
    why: String,
    at: Instant,
}

impl FailedStarts {
    /// Why this program did not start, if that was a short while ago.
    pub fn lately(&self, program: &ChildProgram, now: Instant) -> Option<String> {
        let mut failed = self.lock();
        failed.retain(|failed| now.saturating_duration_since(failed.at) < AGAIN_AFTER);
        let failed = failed.iter().find(|failed| failed.program == *program)?;
        Some(format!(
            "{} (it is tried again {} s after that)",
            failed.why,
            AGAIN_AFTER.as_secs()
        ))
    }

    /// This program did not start.
    pub fn note(&self, program: &ChildProgram, why: &str, now: Instant) {
        let mut failed = self.lock();
        failed.retain(|failed| failed.program != *program);
        if failed.len() >= MOST {
            failed.remove(0);
        }
        failed.push(Failed {
            program: program.clone(),
            why: why.to_owned(),
            at: now,
        });
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Failed>> {
        // Each change of the list is whole even if a thread panicked in between.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use super::*;
    use crate::config::CommandEngine;

    fn program(name: &str) -> ChildProgram {
        ChildProgram {
            name: name.to_owned(),
            command: CommandEngine::new("sh"),
            launcher: Arc::new([]),
            options: BTreeMap::new(),
            variant: "chess".to_owned(),
        }
    }

    #[test]
    fn a_failure_is_remembered_for_a_while_and_for_its_program_only() {
        let (failed, now) = (FailedStarts::default(), Instant::now());
        failed.note(&program("a"), "no licence", now);
        let why = failed.lately(&program("a"), now + Duration::from_secs(29));
        assert!(why.unwrap().starts_with("no licence"));
        assert_eq!(failed.lately(&program("b"), now), None);
        assert_eq!(failed.lately(&program("a"), now + AGAIN_AFTER), None);
        // It was forgotten then.
        assert_eq!(failed.lately(&program("a"), now), None);
    }

    #[test]
    fn no_more_are_remembered_than_the_most() {
        let (failed, now) = (FailedStarts::default(), Instant::now());
        for number in 0..=MOST {
            failed.note(&program(&number.to_string()), "x", now);
        }
        assert_eq!(failed.lately(&program("0"), now), None);
        assert!(failed.lately(&program("1"), now).is_some());
        assert_eq!(failed.lock().len(), MOST);
    }
}
