//! When a game or a lease says that it goes on.

use std::time::{Duration, Instant};

use proto::v1;

use crate::play::game::{Observer, PlyMade, millis};

/// Collects a game's moves and passes them on at most once an interval.
pub struct GameProgress<'a> {
    lease: v1::Lease,
    game: u32,
    interval: Duration,
    last: Instant,
    ply: u32,
    pending: Vec<String>,
    send: &'a mut dyn FnMut(v1::Progress),
}

impl<'a> GameProgress<'a> {
    /// The progress of a game that begins now.
    pub fn new(
        lease: v1::Lease,
        game: u32,
        interval: Duration,
        now: Instant,
        send: &'a mut dyn FnMut(v1::Progress),
    ) -> Self {
        Self {
            lease,
            game,
            interval,
            last: now,
            ply: 0,
            pending: Vec::new(),
            send,
        }
    }

    fn note(&mut self, made: &PlyMade<'_>, now: Instant) {
        self.pending.push(made.text.to_owned());
        self.ply += 1;
        if now.duration_since(self.last) < self.interval {
            return;
        }
        self.last = now;
        let moves = std::mem::take(&mut self.pending);
        (self.send)(v1::Progress {
            lease: Some(self.lease),
            game: self.game,
            from_ply: self.ply - u32::try_from(moves.len()).unwrap_or(self.ply),
            moves,
            score_cp: made.white_score,
            white_ms: made.clocks[0].map(millis),
            black_ms: made.clocks[1].map(millis),
        });
    }
}

impl Observer for GameProgress<'_> {
    fn moved(&mut self, made: &PlyMade<'_>) {
        self.note(made, Instant::now());
    }
}

/// When the coordinator last heard of a lease.
#[derive(Clone, Copy, Debug)]
pub struct LeaseBeat {
    duration: Duration,
    last: Instant,
}

impl LeaseBeat {
    /// A lease of this duration, given now.
    pub fn new(duration: Duration, now: Instant) -> Self {
        Self {
            duration,
            last: now,
        }
    }

    /// The coordinator hears of the lease now.
    pub fn heard(&mut self, now: Instant) {
        self.last = now;
    }

    /// Whether it is time to say that the work goes on: after a third of the lease, so that two messages may be lost.
    pub fn is_due(&self, now: Instant) -> bool {
        now.duration_since(self.last) >= self.duration / 3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_passed_on_in_order_once_an_interval() {
        let start = Instant::now();
        let mut sent = Vec::new();
        let mut send = |progress| sent.push(progress);
        let second = Duration::from_secs(1);
        let mut progress = GameProgress::new(v1::Lease::default(), 7, second, start, &mut send);
        for (tenths, text) in [
            (1, "a"),
            (9, "b"),
            (10, "c"),
            (11, "d"),
            (30, "e"),
            (31, "f"),
        ] {
            let score = (text == "e").then_some(12);
            let made = PlyMade {
                text,
                white_score: score,
                clocks: [None, Some(second)],
            };
            progress.note(&made, start + tenths * second / 10);
        }
        let shown: Vec<_> = sent
            .iter()
            .map(|p| (p.game, p.from_ply, p.moves.concat(), p.score_cp, p.black_ms))
            .collect();
        assert_eq!(
            shown,
            [
                (7, 0, "abc".to_owned(), None, Some(1000)),
                (7, 3, "de".to_owned(), Some(12), Some(1000))
            ]
        );
    }

    #[test]
    fn a_lease_is_prolonged_after_a_third() {
        let start = Instant::now();
        let mut beat = LeaseBeat::new(Duration::from_secs(30), start);
        assert!(!beat.is_due(start + Duration::from_secs(9)));
        assert!(beat.is_due(start + Duration::from_secs(10)));
        beat.heard(start + Duration::from_secs(10));
        assert!(!beat.is_due(start + Duration::from_secs(19)));
    }
}
