//! Results and end reasons.

use std::fmt;

use proto::v1;

/// The side a man belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Colour {
    /// White.
    White,
    /// Black.
    Black,
}

impl Colour {
    /// The other side.
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

/// How much a game gave to its winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// 1 point for this side.
    Win(Colour),
    /// 3/4 point for this side, 1/4 for the other.
    Advantage(Colour),
    /// 1/2 point each.
    Draw,
}

impl Outcome {
    /// Points of a side in quarters: 0 loss, 1 disadvantage, 2 draw, 3 advantage, 4 win.
    pub fn quarters(self, side: Colour) -> u8 {
        match self {
            Self::Win(winner) => 4 * u8::from(winner == side),
            Self::Advantage(ahead) => 1 + 2 * u8::from(ahead == side),
            Self::Draw => 2,
        }
    }

    /// The side that got more than half a point.
    pub fn winner(self) -> Option<Colour> {
        match self {
            Self::Win(side) | Self::Advantage(side) => Some(side),
            Self::Draw => None,
        }
    }
}

/// What backs an end reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndClass {
    /// The coordinator derives it by replaying the moves.
    Board,
    /// The worker's word, stored with its evidence.
    Testimony,
    /// The coordinator recomputes it from the reported scores.
    Adjudicated,
    /// The coordinator counts the plies.
    PlyLimit,
    /// No result.
    Failure,
}

/// Declares the end reasons once, with class and kebab text.
macro_rules! end_reasons {
    ($($name:ident, $class:ident, $text:literal, $doc:literal;)*) => {
        /// Why a game ended.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum EndReason {
            $(#[doc = $doc] $name,)*
        }

        impl EndReason {
            /// All reasons, in the order of the protocol.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// What backs the reason.
            pub fn class(self) -> EndClass {
                match self { $(Self::$name => EndClass::$class),* }
            }

            /// The kebab-case text.
            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }

            /// The protocol's value.
            pub fn to_wire(self) -> v1::EndReason {
                match self { $(Self::$name => v1::EndReason::$name),* }
            }

            /// The reason of a protocol value; none for the unspecified one.
            pub fn from_wire(reason: v1::EndReason) -> Option<Self> {
                match reason {
                    v1::EndReason::Unspecified => None,
                    $(v1::EndReason::$name => Some(Self::$name),)*
                }
            }
        }
    };
}

end_reasons! {
    Checkmate, Board, "checkmate", "The side to move is in check and has no legal move.";
    Stalemate, Board, "stalemate", "The side to move is not in check and has no legal move.";
    BareKings, Board, "bare-kings", "Both sides have nothing but their king.";
    DeadPosition, Board, "dead-position", "No sequence of moves can end in checkmate.";
    Repetition, Board, "repetition", "The position occurred for the third time.";
    NMove, Board, "n-move", "The variant's N-move rule.";
    Resign, Testimony, "resign", "A player resigned.";
    Agreed, Testimony, "agreed", "Both players agreed on the outcome.";
    Time, Testimony, "time", "The side to move exceeded its time.";
    IllegalMove, Testimony, "illegal-move", "The side to move sent an illegal move.";
    Crash, Testimony, "crash", "The engine of the side to move ended or broke the protocol.";
    Hang, Testimony, "hang", "The engine of the side to move did not answer.";
    FalseClaim, Testimony, "false-claim", "The side to move claimed an end that there is not.";
    AdjudicatedResign, Adjudicated, "adjudicated-resign", "Both players' scores said that one side is lost.";
    AdjudicatedDraw, Adjudicated, "adjudicated-draw", "Both players' scores stayed close to zero.";
    AdjudicatedAdvantage, Adjudicated, "adjudicated-advantage", "Both players' scores said that one side is better.";
    MaxPlies, PlyLimit, "max-plies", "The ply limit was reached.";
    WorkerFailure, Failure, "worker-failure", "The worker itself failed: no result.";
}

impl fmt::Display for EndReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Win, advantage or draw, and whose.
    pub outcome: Outcome,
    /// Why the game ended.
    pub reason: EndReason,
    /// White's and Black's points where the game ended in a points count.
    pub count: Option<(u32, u32)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_both_sides_add_up_to_one() {
        for outcome in [
            Outcome::Win(Colour::White),
            Outcome::Win(Colour::Black),
            Outcome::Advantage(Colour::White),
            Outcome::Advantage(Colour::Black),
            Outcome::Draw,
        ] {
            assert_eq!(
                outcome.quarters(Colour::White) + outcome.quarters(Colour::Black),
                4
            );
        }
        assert_eq!(Outcome::Win(Colour::Black).quarters(Colour::Black), 4);
        assert_eq!(Outcome::Advantage(Colour::White).quarters(Colour::White), 3);
    }

    #[test]
    fn the_text_of_a_reason_is_its_wire_name_in_kebab_case() {
        for &reason in EndReason::ALL {
            let wire = reason.to_wire();
            let kebab = wire
                .as_str_name()
                .trim_start_matches("END_REASON_")
                .to_lowercase()
                .replace('_', "-");
            assert_eq!(reason.text(), kebab);
            assert_eq!(EndReason::from_wire(wire), Some(reason));
        }
        // Every wire value but the unspecified one has a reason.
        let wire_values = (0..100)
            .filter(|value| v1::EndReason::try_from(*value).is_ok())
            .count();
        assert_eq!(EndReason::ALL.len() + 1, wire_values);
    }
}
