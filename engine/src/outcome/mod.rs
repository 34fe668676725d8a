//! How games end on the board: one rule a file, in one visible order.

mod dead_position;
mod mate;
mod points;

use std::fmt;

use crate::position::Position;
use crate::types::Colour;
use crate::variant::rule_set::CountResult;

pub use points::points;

/// What a finished game is worth, seen from its winner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// 1 to 0.
    Win,
    /// 0.75 to 0.25.
    Advantage,
    /// Half a point each.
    Draw,
}

/// Why a game ended on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoardEnd {
    /// The side to move is in check and has no legal move.
    Checkmate,
    /// The side to move is not in check and has no legal move.
    Stalemate,
    /// Two kings are left.
    BareKings,
    /// No mate is possible any more, by the short list of the rules.
    DeadPosition,
    /// The position occurred for the third time.
    Repetition,
    /// Too many moves without progress.
    NMove,
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameEnd {
    /// What it is worth.
    pub outcome: Outcome,
    /// To whom; nobody in a draw.
    pub winner: Option<Colour>,
    /// Why it ended.
    pub reason: BoardEnd,
    /// White's and Black's points, if the game ended in a points count.
    pub count: Option<(u32, u32)>,
}

impl GameEnd {
    /// White's points in quarters: 4, 3, 2, 1 or 0.
    ///
    /// ```
    /// use engine::{game::Game, variant::Catalog};
    /// let chess = Catalog::builtin().get("chess").unwrap();
    /// let stalemate = Game::new(chess, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1").unwrap();
    /// assert_eq!(stalemate.end().unwrap().white_quarters(), 2);
    /// ```
    #[must_use]
    pub fn white_quarters(&self) -> u8 {
        let winners = match self.outcome {
            Outcome::Win => 4,
            Outcome::Advantage => 3,
            Outcome::Draw => 2,
        };
        if self.winner == Some(Colour::Black) {
            4 - winners
        } else {
            winners
        }
    }

    fn draw(reason: BoardEnd) -> GameEnd {
        GameEnd {
            outcome: Outcome::Draw,
            winner: None,
            reason,
            count: None,
        }
    }

    /// The end of a game that stops for `reason` and is worth what the rule says.
    pub(crate) fn counted<const N: usize>(
        position: &Position<N>,
        reason: BoardEnd,
        result: CountResult,
    ) -> GameEnd {
        let lead = position.compiled().rules.points.as_ref().map(|p| p.lead);
        match (result, points(position), lead) {
            (CountResult::Points, Some((white, black)), Some(lead)) => {
                let winner = if white >= black + lead {
                    Some(Colour::White)
                } else if black >= white + lead {
                    Some(Colour::Black)
                } else {
                    None
                };
                let outcome = if winner.is_some() {
                    Outcome::Advantage
                } else {
                    Outcome::Draw
                };
                GameEnd {
                    outcome,
                    winner,
                    reason,
                    count: Some((white, black)),
                }
            }
            _ => GameEnd::draw(reason),
        }
    }
}

/// The end that a position is, if it is one; `occurrences` counts how often it has stood, this time included.
///
/// The order is the rules': mate or stalemate, bare kings or dead position, repetition, the N-move rule.
#[must_use]
pub fn judge<const N: usize>(position: &Position<N>, occurrences: u32) -> Option<GameEnd> {
    if position.setup().is_some() {
        return None;
    }
    let ends = &position.compiled().rules.ends;
    if let Some(end) = mate::judge(position) {
        return Some(end);
    }
    if ends.bare_kings && dead_position::bare_kings(position) {
        return Some(GameEnd::draw(BoardEnd::BareKings));
    }
    if ends.dead_position.is_some() && dead_position::is_dead(position) {
        return Some(GameEnd::draw(BoardEnd::DeadPosition));
    }
    if let Some(result) = ends.repetition.filter(|_| occurrences >= 3) {
        return Some(GameEnd::counted(position, BoardEnd::Repetition, result));
    }
    let n_move = ends.n_move.filter(|n| position.halfmove() >= n.plies)?;
    Some(GameEnd::counted(position, BoardEnd::NMove, n_move.result))
}

/// Whether too few men are left for a mate, by the variant's rules on bare kings and dead positions.
#[cfg(feature = "search")]
pub(crate) fn too_few_men<const N: usize>(position: &Position<N>) -> bool {
    let ends = &position.compiled().rules.ends;
    (ends.bare_kings && dead_position::bare_kings(position))
        || (ends.dead_position.is_some() && dead_position::is_dead(position))
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Outcome::Win => "win",
            Outcome::Advantage => "advantage",
            Outcome::Draw => "draw",
        })
    }
}

impl fmt::Display for BoardEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BoardEnd::Checkmate => "checkmate",
            BoardEnd::Stalemate => "stalemate",
            BoardEnd::BareKings => "bare-kings",
            BoardEnd::DeadPosition => "dead-position",
            BoardEnd::Repetition => "repetition",
            BoardEnd::NMove => "n-move",
        })
    }
}

/// As the answers of `brouhaha rules play` write it.
impl fmt::Display for GameEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let winner = self.winner.map_or("none".to_owned(), |c| c.to_string());
        write!(
            f,
            "outcome={} winner={winner} reason={} count=",
            self.outcome, self.reason
        )?;
        match self.count {
            Some((white, black)) => write!(f, "{white},{black}"),
            None => f.write_str("-"),
        }
    }
}
