//! One position by one player.

use std::sync::Arc;
use std::time::Duration;

use engine::game::Game;
use engine::variant::Variant;
use proto::v1;

use crate::play::game::{Abandoned, millis};
use crate::play::player::Turn;
use crate::play::{Control, Limit, Player, PlayerError, Score, ThinkLimit, ends};

/// Most moves of a principal variation that are reported.
const MOST_PV: usize = 200;

/// Most bytes of an engine's log in the message of a position that it did not analyse.
const MOST_LOG: usize = 2000;

/// What is analysed.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The rules.
    pub variant: &'a Arc<Variant>,
    /// The position.
    pub fen: &'a str,
    /// How long to think.
    pub limit: Limit,
    /// Time after which an engine under a limit that is no time counts as hanging.
    pub hang_after: Duration,
}

/// Lets a player look at a position, with nothing remembered of an earlier one.
///
/// # Errors
/// There is no evaluation: it was given up, or the player cannot give one.
pub fn analyse(
    question: &Question<'_>,
    player: &mut dyn Player,
    control: &Control,
) -> Result<v1::Evaluation, Abandoned> {
    let game = Game::new(question.variant.clone(), question.fen).map_err(|error| {
        let message = format!("position `{}`: {error}", ends::head(question.fen, 1000));
        Abandoned::Failed(v1::FailureReason::BadBatch, message)
    })?;
    if game.legal_moves().is_empty() {
        return Ok(v1::Evaluation::default());
    }
    player.new_game(control)?;
    // A late answer is an answer.
    let limit = ThinkLimit::single(&question.limit, question.hang_after, question.hang_after);
    control.expect_within(limit.deadline());
    let turn = Turn {
        draw_offered: false,
        game: &game,
        opening: question.fen,
    };
    let thought = match player.think(turn, &limit, control) {
        // Nobody loses here by a fault: what was exchanged is told with the reason.
        Err(PlayerError::Fault(fault)) => {
            let log = player.log_tail();
            let message = format!(
                "position `{}`: {}; last lines:\n{}",
                question.fen,
                fault.text,
                ends::tail(&log, MOST_LOG)
            );
            return Err(Abandoned::Failed(v1::FailureReason::EngineStart, message));
        }
        thought => thought?,
    };
    let pv = legal_line(game, &thought.pv);
    if pv.first() != Some(&thought.best) {
        let message = format!(
            "the engine's move `{}` is not legal in `{}`",
            ends::head(&thought.best, 80),
            question.fen
        );
        return Err(Abandoned::Failed(v1::FailureReason::Internal, message));
    }
    let score = thought.score.map(|score| match score {
        Score::Cp(cp) => v1::evaluation::Score::Cp(cp),
        Score::Mate(moves) => v1::evaluation::Score::Mate(moves),
    });
    Ok(v1::Evaluation {
        score,
        depth: thought.depth,
        nodes: thought.nodes,
        time_ms: millis(thought.elapsed),
        pv,
    })
}

/// The first moves of a line as far as they are legal: what an engine expects beyond that is of no use.
fn legal_line(mut game: Game, line: &[String]) -> Vec<String> {
    line.iter()
        .take(MOST_PV)
        .take_while(|text| game.play(text).is_ok())
        .cloned()
        .collect()
}
