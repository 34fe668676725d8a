//! A bar on standard error if that is a terminal, a line now and then if it is not.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// Between two lines where there is no terminal.
const EVERY: Duration = Duration::from_secs(5);

/// Progress of a job of a known size.
pub struct Progress {
    bar: Option<ProgressBar>,
    unit: &'static str,
    total: u64,
    done: u64,
    done_before: u64,
    started: Instant,
    printed: Instant,
    note: String,
}

impl Progress {
    /// Begins, with some of the job done already.
    pub fn new(unit: &'static str, total: u64, done: u64) -> Progress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(total);
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {wide_msg}");
            if let Ok(style) = style {
                bar.set_style(style);
            }
            bar.set_position(done);
            bar
        });
        let now = Instant::now();
        Progress {
            bar,
            unit,
            total,
            done,
            done_before: done,
            started: now,
            printed: now,
            note: String::new(),
        }
    }

    /// So much is done now.
    pub fn set(&mut self, done: u64) {
        self.done = done;
        self.show(false);
    }

    /// So much is done now, with these words beside the number.
    pub fn set_with_note(&mut self, done: u64, note: String) {
        self.note = note;
        self.set(done);
    }

    /// The job turned out to be of another size.
    pub fn set_total(&mut self, total: u64) {
        self.total = total;
        if let Some(bar) = &self.bar {
            bar.set_length(total);
        }
    }

    /// A line that stays.
    pub fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.println(line),
            None => eprintln!("{line}"),
        }
    }

    fn show(&mut self, last: bool) {
        let minutes = self.started.elapsed().as_secs_f64() / 60.0;
        let rate = (self.done - self.done_before.min(self.done)) as f64 / minutes.max(1e-9);
        let speed = format!("{rate:.0} {}/min", self.unit);
        match &self.bar {
            Some(bar) => {
                bar.set_position(self.done);
                bar.set_message(format!("{speed}  {}", self.note));
            }
            None if last || self.printed.elapsed() >= EVERY => {
                self.printed = Instant::now();
                eprintln!(
                    "{} of {} {} ({speed})  {}",
                    self.done, self.total, self.unit, self.note
                );
            }
            None => {}
        }
    }

    /// Ends; the last state stays on the screen.
    pub fn finish(mut self) {
        self.show(true);
        if let Some(bar) = &self.bar {
            bar.abandon();
        }
    }
}
