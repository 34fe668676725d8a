//! Reports that the coordinator has not answered yet. Pure; time is an argument.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use proto::v1;
use proto::v1::worker_message::Message;

/// Reports that may wait for an answer before no new work is begun.
pub const MOST_UNANSWERED: usize = 256;

/// A report without its sequence.
#[derive(Clone, Debug)]
pub enum Report {
    /// A finished game.
    Game(Box<v1::GameReport>),
    /// An analysed position.
    Position(Box<v1::AnalysisReport>),
}

impl Report {
    /// The lease it belongs to.
    pub fn lease(&self) -> v1::Lease {
        match self {
            Self::Game(report) => report.lease,
            Self::Position(report) => report.lease,
        }
        .unwrap_or_default()
    }

    /// Number of the game or position, for people.
    pub fn number(&self) -> u32 {
        match self {
            Self::Game(report) => report.game,
            Self::Position(report) => report.position,
        }
    }

    fn message(&self, sequence: u64) -> v1::WorkerMessage {
        let message = match self {
            Self::Game(report) => Message::Game(v1::GameReport {
                sequence,
                ..(**report).clone()
            }),
            Self::Position(report) => Message::Analysis(v1::AnalysisReport {
                sequence,
                ..(**report).clone()
            }),
        };
        v1::WorkerMessage {
            message: Some(message),
        }
    }
}

/// Unanswered reports by sequence. A report is forgotten only when its answer has come.
#[derive(Default)]
pub struct Outbox {
    last: u64,
    entries: BTreeMap<u64, Entry>,
}

struct Entry {
    report: Report,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// To be sent from this time on.
    Due(Instant),
    /// Sent over the present stream.
    Sent,
}

impl Outbox {
    /// Adds a report, to be sent at once.
    pub fn add(&mut self, report: Report, now: Instant) {
        self.last += 1;
        self.entries.insert(
            self.last,
            Entry {
                report,
                state: State::Due(now),
            },
        );
    }

    /// Sends what is due, in order, as long as `send` takes it.
    pub fn flush(&mut self, now: Instant, mut send: impl FnMut(v1::WorkerMessage) -> bool) {
        for (&sequence, entry) in &mut self.entries {
            if matches!(entry.state, State::Due(time) if time <= now) {
                if !send(entry.report.message(sequence)) {
                    return;
                }
                entry.state = State::Sent;
            }
        }
    }

    /// A report is answered for good. Gives it.
    pub fn answered(&mut self, sequence: u64) -> Option<Report> {
        self.entries.remove(&sequence).map(|entry| entry.report)
    }

    /// A report is to be sent again.
    pub fn again(&mut self, sequence: u64, wait: Duration, now: Instant) {
        if let Some(entry) = self.entries.get_mut(&sequence) {
            entry.state = State::Due(now + wait);
        }
    }

    /// A new stream is open: everything unanswered is sent again. Sequences belong to a session, so with a new one they
    /// begin anew.
    pub fn reopen(&mut self, session: SessionKind, now: Instant) {
        let entries = std::mem::take(&mut self.entries);
        if session == SessionKind::New {
            self.last = 0;
            entries
                .into_values()
                .for_each(|entry| self.add(entry.report, now));
        } else {
            let due = |entry: Entry| Entry {
                state: State::Due(now),
                ..entry
            };
            self.entries = entries
                .into_iter()
                .map(|(sequence, entry)| (sequence, due(entry)))
                .collect();
        }
    }

    /// When the next report that was put off is due.
    pub fn next_due(&self) -> Option<Instant> {
        let due = |entry: &Entry| match entry.state {
            State::Due(time) => Some(time),
            State::Sent => None,
        };
        self.entries.values().filter_map(due).min()
    }

    /// Leases with unanswered reports.
    pub fn leases(&self) -> impl Iterator<Item = v1::Lease> + '_ {
        self.entries.values().map(|entry| entry.report.lease())
    }

    /// Number of unanswered reports.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether everything is answered.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// Whether a stream belongs to the session before or to a new one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionKind {
    /// The one before goes on.
    Same,
    /// A new one.
    New,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(game: u32) -> Report {
        Report::Game(Box::new(v1::GameReport {
            game,
            ..v1::GameReport::default()
        }))
    }

    fn sent(outbox: &mut Outbox, now: Instant, most: usize) -> Vec<(u64, u32)> {
        let mut sent = Vec::new();
        outbox.flush(now, |message| {
            if sent.len() == most {
                return false;
            }
            if let Some(Message::Game(report)) = message.message {
                sent.push((report.sequence, report.game));
            }
            true
        });
        sent
    }

    #[test]
    fn reports_are_kept_until_their_answer() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        (10..13).for_each(|game| outbox.add(report(game), now));
        // The stream takes one, the rest goes later.
        assert_eq!(sent(&mut outbox, now, 1), [(1, 10)]);
        assert_eq!(sent(&mut outbox, now, 9), [(2, 11), (3, 12)]);
        assert_eq!(sent(&mut outbox, now, 9), []);
        assert_eq!(outbox.answered(2).map(|report| report.number()), Some(11));
        assert!(outbox.answered(2).is_none());

        // Put off, and not before its time.
        outbox.again(3, Duration::from_secs(5), now);
        assert_eq!(outbox.next_due(), Some(now + Duration::from_secs(5)));
        assert_eq!(sent(&mut outbox, now + Duration::from_secs(4), 9), []);
        assert_eq!(
            sent(&mut outbox, now + Duration::from_secs(5), 9),
            [(3, 12)]
        );
        assert_eq!(outbox.len(), 2);
    }

    #[test]
    fn a_new_stream_gets_everything_again_and_a_new_session_new_numbers() {
        let now = Instant::now();
        let mut outbox = Outbox::default();
        (10..13).for_each(|game| outbox.add(report(game), now));
        sent(&mut outbox, now, 9);
        outbox.answered(1);
        outbox.reopen(SessionKind::Same, now);
        assert_eq!(sent(&mut outbox, now, 9), [(2, 11), (3, 12)]);
        outbox.reopen(SessionKind::New, now);
        outbox.add(report(13), now);
        assert_eq!(sent(&mut outbox, now, 9), [(1, 11), (2, 12), (3, 13)]);
    }
}
