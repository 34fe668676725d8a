//! The last lines exchanged with an engine, as evidence.

use std::collections::VecDeque;

use crate::play::ends::{MAX_EVIDENCE_LOG, head, tail};

/// Longest line that is kept whole, in bytes; of a longer one its two ends are kept.
const LONGEST: usize = 1000;

/// Who wrote a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The worker.
    Worker,
    /// The engine on its standard output.
    Engine,
    /// The engine on its standard error.
    Error,
}

/// The last lines, oldest first.
#[derive(Debug, Default)]
pub struct LogTail {
    lines: VecDeque<String>,
    bytes: usize,
}

impl LogTail {
    /// Adds a line.
    pub fn add(&mut self, writer: Writer, line: &str) {
        let mark = match writer {
            Writer::Worker => '<',
            Writer::Engine => '>',
            Writer::Error => '!',
        };
        let (begin, end) = if line.len() > LONGEST {
            (head(line, LONGEST / 2), tail(line, LONGEST / 2))
        } else {
            (line, "")
        };
        let cut = if end.is_empty() { "" } else { " … " };
        // The mark, a space and the line's end.
        let length = begin.len() + cut.len() + end.len() + 3;
        // There is a line for each of an engine's: the memory of those that are forgotten serves for it.
        let mut text = String::new();
        while self.bytes + length > MAX_EVIDENCE_LOG
            && let Some(oldest) = self.lines.pop_front()
        {
            self.bytes -= oldest.len();
            text = oldest;
        }
        text.clear();
        text.reserve(length);
        text.push(mark);
        text.push(' ');
        for part in [begin, cut, end, "\n"] {
            text.push_str(part);
        }
        self.bytes += text.len();
        self.lines.push_back(text);
    }

    /// The lines: `<` was sent to the engine, `>` and `!` came from its standard output and error.
    pub fn text(&self) -> String {
        self.lines.iter().map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_lines_stay_within_the_bound() {
        let mut log = LogTail::default();
        for number in 0..10_000 {
            log.add(Writer::Engine, &format!("info depth {number}"));
        }
        log.add(Writer::Worker, &"é".repeat(5000));
        log.add(Writer::Error, "boom");
        let text = log.text();
        assert!(text.len() <= MAX_EVIDENCE_LOG && text.len() > MAX_EVIDENCE_LOG / 2);
        assert!(text.ends_with("\n! boom\n"));
        assert!(text.contains("> info depth 9999\n< éé"));
        assert!(!text.contains("depth 0\n"));
    }
}
