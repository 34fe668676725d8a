//! What happens in a tournament, for those who watch.

use std::collections::VecDeque;

use proto::v1;
use tokio::sync::broadcast;

/// Lasting events kept at hand for watchers that come back.
const KEPT: usize = 4096;
/// Sequences that the events of one record of the journal may take up.
const EVENTS_PER_RECORD: u64 = 4;
/// Events that a slow watcher may lag behind before it has to resynchronise.
const LAG: usize = 1024;

/// The events of one tournament.
#[derive(Debug)]
pub(super) struct Events {
    sequence: u64,
    /// Sequence of the newest event that is no longer kept.
    forgotten: u64,
    kept: VecDeque<v1::TournamentEvent>,
    live: broadcast::Sender<v1::TournamentEvent>,
}

/// What a watcher gets first, and then.
#[derive(Debug)]
pub(super) struct Watch {
    /// Events since the sequence asked for; none when they are no longer at hand.
    pub(super) missed: Option<Vec<v1::TournamentEvent>>,
    /// Sequence of the newest lasting event.
    pub(super) sequence: u64,
    /// What comes.
    pub(super) live: broadcast::Receiver<v1::TournamentEvent>,
}

impl Events {
    /// No events of records up to this one are at hand.
    pub(super) fn new(record: u64) -> Self {
        let sequence = record * EVENTS_PER_RECORD;
        Self {
            sequence,
            forgotten: sequence,
            kept: VecDeque::new(),
            live: broadcast::Sender::new(LAG),
        }
    }

    /// Sequence of the newest lasting event.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// A lasting event that comes from a record of the journal.
    pub(super) fn push(&mut self, record: u64, event: v1::tournament_event::Event) {
        let sequence = (record * EVENTS_PER_RECORD).max(self.sequence + 1);
        let event = v1::TournamentEvent {
            sequence,
            event: Some(event),
        };
        self.sequence = sequence;
        if self.kept.len() == KEPT
            && let Some(oldest) = self.kept.pop_front()
        {
            self.forgotten = oldest.sequence;
        }
        self.kept.push_back(event.clone());
        // Nobody may be watching.
        let _ = self.live.send(event);
    }

    /// A passing event.
    pub(super) fn pass(&self, event: v1::tournament_event::Event) {
        let _ = self.live.send(v1::TournamentEvent {
            sequence: self.sequence,
            event: Some(event),
        });
    }

    /// Begins to watch after a sequence; 0 = from now on.
    pub(super) fn watch(&self, from: u64) -> Watch {
        let missed = match from {
            0 => Some(Vec::new()),
            from if from < self.forgotten || from > self.sequence => None,
            from => Some(
                self.kept
                    .iter()
                    .filter(|event| event.sequence > from)
                    .cloned()
                    .collect(),
            ),
        };
        Watch {
            missed,
            sequence: self.sequence,
            live: self.live.subscribe(),
        }
    }
}

#[cfg(test)]
mod tests {
    use proto::v1::tournament_event::Event;

    use super::*;

    fn state() -> Event {
        Event::State(v1::StateChange::default())
    }

    #[test]
    fn a_watcher_gets_what_it_missed_or_is_told_to_resynchronise() {
        let mut events = Events::new(10);
        // Two events of one record have different sequences.
        for record in [12, 15, 15, 19] {
            events.push(record, state());
        }
        let missed = |from| {
            let watch = events.watch(from);
            watch.missed.map(|missed| {
                missed
                    .iter()
                    .map(|event| event.sequence)
                    .collect::<Vec<_>>()
            })
        };
        assert_eq!(missed(0), Some(vec![]));
        assert_eq!(missed(40), Some(vec![48, 60, 61, 76]));
        assert_eq!(missed(60), Some(vec![61, 76]));
        assert_eq!(missed(76), Some(vec![]));
        assert_eq!(
            missed(39),
            None,
            "events before the restart are not at hand"
        );
        assert_eq!(missed(77), None, "from another store");
    }

    #[test]
    fn old_events_are_forgotten_and_live_ones_arrive() {
        let mut events = Events::new(0);
        let mut watch = events.watch(0);
        for record in 1..=KEPT as u64 + 5 {
            events.push(record, state());
        }
        assert_eq!(events.watch(4 * 4).missed, None);
        assert_eq!(
            events.watch(5 * 4).missed.map(|missed| missed.len()),
            Some(KEPT)
        );
        events.pass(Event::Progress(v1::GameProgress::default()));
        // The watcher lagged behind by more than is kept for it.
        assert!(matches!(
            watch.live.try_recv(),
            Err(broadcast::error::TryRecvError::Lagged(_))
        ));
    }
}
