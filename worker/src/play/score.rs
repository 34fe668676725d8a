//! An engine's score and its code in reports.

/// Code of a move for which the engine gave no score.
pub const NO_SCORE: i32 = i32::MAX;
/// Codes of mate scores count down from here, a half-move each.
const MATE: i32 = 1_000_000;
/// Centipawns are cut to this distance from zero, so that they are never taken for a mate.
const LARGEST_CP: i32 = 900_000;

/// What an engine says of a position, from the point of view of the side that it plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Centipawns.
    Cp(i32),
    /// Mate in this many full moves; zero or negative = the engine's own side is mated.
    Mate(i32),
}

impl Score {
    /// The number that reports carry: centipawns, 1000000 - n for a mate in n plies, the negative of that for being mated.
    pub fn code(self) -> i32 {
        match self {
            Self::Cp(cp) => cp.clamp(-LARGEST_CP, LARGEST_CP),
            Self::Mate(moves) => {
                let moves = moves.clamp(-10_000, 10_000);
                // The side that mates also makes the last half-move.
                if moves > 0 {
                    MATE - (2 * moves - 1)
                } else {
                    -MATE - 2 * moves
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_plies_and_stay_apart_from_centipawns() {
        for (score, code) in [
            (Score::Cp(-35), -35),
            (Score::Mate(1), 999_999),
            (Score::Mate(2), 999_997),
            (Score::Mate(0), -1_000_000),
            (Score::Mate(-1), -999_998),
            (Score::Cp(i32::MAX), 900_000),
            (Score::Cp(i32::MIN), -900_000),
            (Score::Mate(i32::MIN), -980_000),
        ] {
            assert_eq!(score.code(), code, "{score:?}");
        }
    }
}
