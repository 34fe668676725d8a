//! How much of the time for a move is used: less where one move stands out, more where things change.

use crate::types::Move;

/// What iterations so far say about how hard the choice is.
#[derive(Default)]
pub(super) struct Effort {
    best: Option<Move>,
    /// Iterations since the best move changed.
    stable: usize,
    score: Option<i32>,
}

/// Percent by iterations for which the best move has been the same.
const BY_STABILITY: [u32; 5] = [160, 125, 105, 90, 78];
/// A fall of the score by so many centipawns counts fully.
const MOST_FALL: i32 = 60;

impl Effort {
    /// Percent of the usual time that this choice deserves, after an iteration that spent `share` thousandths of
    /// its nodes on the best move.
    pub fn percent(&mut self, best: Move, share: u64, score: i32) -> u32 {
        self.stable = if self.best == Some(best) {
            self.stable + 1
        } else {
            0
        };
        self.best = Some(best);
        let stability = BY_STABILITY[self.stable.min(BY_STABILITY.len() - 1)];
        let by_share = 160 - (share.min(1000) * 90 / 1000) as u32;
        let fall = self.score.map_or(0, |before| before - score);
        let by_score = 100 + fall.clamp(0, MOST_FALL) as u32 * 2 / 3;
        self.score = Some(score);
        stability * by_share * by_score / 10_000
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{MoveKind, Square};

    #[test]
    fn clear_choices_take_less_time() {
        let mv = |to| Move::new(MoveKind::Normal, Square(0), Square(to));
        let mut clear = Effort::default();
        let mut hard = Effort::default();
        let (mut least, mut most) = (0, 0);
        for i in 0..8 {
            least = clear.percent(mv(1), 950, 30);
            most = hard.percent(mv(i), 200, 30 - 40 * i32::from(i));
        }
        assert!(least < 65 && most > 200, "{least} {most}");
    }
}
