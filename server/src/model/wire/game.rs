//! Results and attempts to and from their messages.

use proto::v1;

use crate::model::{Attempt, Colour, EndReason, GameResult, Outcome};

impl Colour {
    /// The protocol's value.
    pub fn to_wire(self) -> v1::Colour {
        match self {
            Self::White => v1::Colour::White,
            Self::Black => v1::Colour::Black,
        }
    }

    /// The colour of a protocol value; none for the unspecified one.
    pub fn from_wire(colour: v1::Colour) -> Option<Self> {
        match colour {
            v1::Colour::Unspecified => None,
            v1::Colour::White => Some(Self::White),
            v1::Colour::Black => Some(Self::Black),
        }
    }
}

/// The message of a result.
pub fn result_to_wire(result: &GameResult) -> v1::GameResult {
    let outcome = match result.outcome {
        Outcome::Win(_) => v1::Outcome::Win,
        Outcome::Advantage(_) => v1::Outcome::Advantage,
        Outcome::Draw => v1::Outcome::Draw,
    };
    v1::GameResult {
        outcome: outcome.into(),
        winner: result
            .outcome
            .winner()
            .map_or(v1::Colour::Unspecified, Colour::to_wire)
            .into(),
        reason: result.reason.to_wire().into(),
        count: result
            .count
            .map(|(white, black)| v1::PointsCount { white, black }),
    }
}

/// The result of a message; the error says which part contradicts itself.
pub fn result_from_wire(result: &v1::GameResult) -> Result<GameResult, String> {
    let reason = v1::EndReason::try_from(result.reason)
        .ok()
        .and_then(EndReason::from_wire)
        .ok_or_else(|| format!("end reason {} is not known", result.reason))?;
    let winner = v1::Colour::try_from(result.winner)
        .map(Colour::from_wire)
        .map_err(|_| format!("winner {} is not a colour", result.winner))?;
    let outcome = match (v1::Outcome::try_from(result.outcome), winner) {
        (Ok(v1::Outcome::Win), Some(side)) => Outcome::Win(side),
        (Ok(v1::Outcome::Advantage), Some(side)) => Outcome::Advantage(side),
        (Ok(v1::Outcome::Draw), None) => Outcome::Draw,
        (Ok(v1::Outcome::Draw), Some(_)) => return Err("a draw has no winner".to_owned()),
        (Ok(v1::Outcome::Win | v1::Outcome::Advantage), None) => {
            return Err("the winner is missing".to_owned());
        }
        (Ok(v1::Outcome::Unspecified) | Err(_), _) => {
            return Err("the outcome is missing".to_owned());
        }
    };
    Ok(GameResult {
        outcome,
        reason,
        count: result.count.map(|count| (count.white, count.black)),
    })
}

/// The message of an attempt.
pub fn attempt_to_wire(attempt: Attempt) -> v1::Attempt {
    v1::Attempt {
        epoch: attempt.epoch,
        counter: attempt.counter,
    }
}

/// The attempt of a message; a missing one is attempt 0.0, which was never given.
pub fn attempt_from_wire(attempt: Option<&v1::Attempt>) -> Attempt {
    attempt.map_or(
        Attempt {
            epoch: 0,
            counter: 0,
        },
        |attempt| Attempt {
            epoch: attempt.epoch,
            counter: attempt.counter,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_survive_the_wire_and_contradictions_are_refused() {
        for outcome in [
            Outcome::Win(Colour::Black),
            Outcome::Advantage(Colour::White),
            Outcome::Draw,
        ] {
            for &reason in EndReason::ALL {
                let result = GameResult {
                    outcome,
                    reason,
                    count: Some((7, 3)),
                };
                assert_eq!(result_from_wire(&result_to_wire(&result)), Ok(result));
            }
        }
        let good = result_to_wire(&GameResult {
            outcome: Outcome::Win(Colour::White),
            reason: EndReason::Checkmate,
            count: None,
        });
        for bad in [
            v1::GameResult { winner: 0, ..good },
            v1::GameResult { winner: 9, ..good },
            v1::GameResult {
                outcome: v1::Outcome::Draw.into(),
                ..good
            },
            v1::GameResult { outcome: 0, ..good },
            v1::GameResult { reason: 0, ..good },
            v1::GameResult { reason: 77, ..good },
        ] {
            assert!(result_from_wire(&bad).is_err(), "{bad:?}");
        }
    }
}
