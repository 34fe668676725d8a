//! Plays one game.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use engine::game::Game;
use engine::types::Colour;
use engine::variant::Variant;
use proto::v1;

use super::limit::Clocks;
use super::player::Turn;
use super::score::NO_SCORE;
use super::{Control, Fault, FaultKind, Limit, Player, PlayerError, Score, ThinkLimit, Thought};
use super::{adjudicate, ends};

/// What is played.
#[derive(Clone, Copy, Debug)]
pub struct GameSetup<'a> {
    /// The rules.
    pub variant: &'a Arc<Variant>,
    /// The FEN to begin at.
    pub opening: &'a str,
    /// Limits of the player that moves first and of the other.
    pub limits: [Limit; 2],
    /// When the game may be ended early.
    pub adjudication: &'a v1::Adjudication,
    /// Plies after which the game ends.
    pub max_plies: u32,
    /// Time granted beyond a player's own.
    pub time_margin: Duration,
    /// Time after which an engine under a limit that is no time counts as hanging.
    pub hang_after: Duration,
}

/// A finished game, all that a report says of it.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// The moves, UCI text.
    pub moves: Vec<String>,
    /// How it ended.
    pub result: v1::GameResult,
    /// Scores, depths, nodes and times of the moves.
    pub stats: v1::MoveStats,
    /// Backs a testimony end.
    pub evidence: Option<v1::Evidence>,
    /// When it began, milliseconds since 1970.
    pub started_unix_ms: u64,
    /// How long it took.
    pub duration: Duration,
}

/// Why a game has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Abandoned {
    /// It was given up.
    Cancelled,
    /// It cannot be played here.
    Failed(v1::FailureReason, String),
}

impl From<PlayerError> for Abandoned {
    fn from(error: PlayerError) -> Self {
        match error {
            PlayerError::Cancelled => Self::Cancelled,
            PlayerError::Start(text) => Self::Failed(v1::FailureReason::EngineStart, text),
            PlayerError::Host(text) => Self::Failed(v1::FailureReason::Host, text),
            PlayerError::Own(text) => Self::Failed(v1::FailureReason::Internal, text),
            // Outside of a move an engine's fault decides no game.
            PlayerError::Fault(fault) => Self::Failed(v1::FailureReason::EngineStart, fault.text),
        }
    }
}

/// Sees a game go on.
pub trait Observer {
    /// A move was made.
    fn moved(&mut self, ply: &PlyMade<'_>);
}

/// A move that was made.
#[derive(Clone, Copy, Debug)]
pub struct PlyMade<'a> {
    /// The move, UCI text.
    pub text: &'a str,
    /// Its score, coded, from White's point of view.
    pub white_score: Option<i32>,
    /// White's and Black's time left.
    pub clocks: [Option<Duration>; 2],
}

/// Plays a game between the player that moves first and the other.
///
/// # Errors
/// The game has no result: it was given up, or cannot be played here.
pub fn play_game(
    setup: &GameSetup<'_>,
    players: &mut [Box<dyn Player>; 2],
    control: &Control,
    observer: &mut dyn Observer,
) -> Result<PlayedGame, Abandoned> {
    let game = Game::new(setup.variant.clone(), setup.opening).map_err(|error| {
        let message = format!("opening `{}`: {error}", ends::head(setup.opening, 1000));
        Abandoned::Failed(v1::FailureReason::BadBatch, message)
    })?;
    for player in players.iter_mut() {
        player.new_game(control)?;
    }
    let first = game.side_to_move();
    let clocks = Clocks::new(setup.limits, first, setup.time_margin, setup.hang_after);
    let started_unix_ms = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, millis);
    let started = Instant::now();
    let mut table = Table {
        setup,
        game,
        first,
        clocks,
        stats: v1::MoveStats::default(),
        draw_offered: false,
    };
    let (result, evidence) = loop {
        if let Some(result) = table.result() {
            break (result, None);
        }
        if control.is_cancelled() {
            return Err(Abandoned::Cancelled);
        }
        let seat = table.seat();
        if let Some(forfeit) = table.turn(&mut players[seat], control, observer)? {
            break forfeit;
        }
    };
    Ok(PlayedGame {
        moves: table.game.moves().to_vec(),
        result,
        stats: table.stats,
        evidence,
        started_unix_ms,
        duration: started.elapsed(),
    })
}

/// A game that an engine ended, mostly by losing it, and what backs it.
type Forfeit = (v1::GameResult, Option<v1::Evidence>);

/// A game being played.
struct Table<'a> {
    setup: &'a GameSetup<'a>,
    game: Game,
    first: Colour,
    clocks: Clocks,
    stats: v1::MoveStats,
    /// Whether the player that moved last offered a draw.
    draw_offered: bool,
}

impl Table<'_> {
    /// Index of the player to move.
    fn seat(&self) -> usize {
        usize::from(self.game.side_to_move() != self.first)
    }

    /// The result of the game as it stands, if it is over: ends on the board go first, then early ends, then the limit.
    fn result(&self) -> Option<v1::GameResult> {
        if let Some(end) = self.game.end() {
            return Some(ends::board(end));
        }
        if let Some(early) =
            adjudicate::adjudicate(self.setup.adjudication, self.first, &self.stats.scores_cp)
        {
            return Some(ends::early(early));
        }
        let is_full = self.game.moves().len() as u64 >= u64::from(self.setup.max_plies);
        is_full.then(|| ends::max_plies(&self.game.stopped()))
    }

    /// Lets the player to move make a move. Gives the result when it lost the game instead.
    fn turn(
        &mut self,
        player: &mut Box<dyn Player>,
        control: &Control,
        observer: &mut dyn Observer,
    ) -> Result<Option<Forfeit>, Abandoned> {
        let seat = self.seat();
        let limit = self.clocks.next(seat);
        control.expect_within(limit.deadline());
        let turn = Turn {
            game: &self.game,
            opening: self.setup.opening,
            draw_offered: self.draw_offered,
        };
        let thought = match player.think(turn, &limit, control) {
            Ok(thought) => thought,
            Err(PlayerError::Fault(fault)) => {
                return Ok(Some(self.fault(&fault, &limit, player.as_ref())));
            }
            Err(error) => return Err(error.into()),
        };
        if let Some(allowed) = limit.allowed
            && thought.elapsed > limit.deadline()
        {
            let text = format!(
                "moved {} after {} ms, {} ms were allowed",
                ends::head(&thought.best, 80),
                thought.elapsed.as_millis(),
                allowed.as_millis()
            );
            let fault = Fault {
                kind: FaultKind::Time,
                text,
                elapsed: thought.elapsed,
            };
            return Ok(Some(self.fault(&fault, &limit, player.as_ref())));
        }
        let mover = self.game.side_to_move();
        if let Err(error) = self.game.play(&thought.best) {
            let evidence = v1::Evidence {
                text: ends::head(
                    &format!("{}: {error}", thought.best),
                    ends::MAX_EVIDENCE_TEXT,
                )
                .to_owned(),
                engine_log: ends::tail(&player.log_tail(), ends::MAX_EVIDENCE_LOG).to_owned(),
                elapsed_ms: 0,
                allowed_ms: 0,
            };
            return Ok(Some((
                ends::forfeit(mover, v1::EndReason::IllegalMove),
                Some(evidence),
            )));
        }
        self.clocks.punch(seat, thought.elapsed);
        self.note(&thought);
        let code = thought.score.map(Score::code);
        observer.moved(&PlyMade {
            text: &thought.best,
            white_score: code.map(|code| if mover == Colour::White { code } else { -code }),
            clocks: self.clocks.shown(),
        });
        let is_agreed = self.draw_offered && thought.offers_draw;
        self.draw_offered = thought.offers_draw;
        // What is over on the board is over by that.
        Ok((is_agreed && self.result().is_none()).then(|| self.agreed(player.as_ref())))
    }

    fn agreed(&self, player: &dyn Player) -> Forfeit {
        let evidence = v1::Evidence {
            text: "both engines offered a draw".to_owned(),
            engine_log: ends::tail(&player.log_tail(), ends::MAX_EVIDENCE_LOG).to_owned(),
            elapsed_ms: 0,
            allowed_ms: 0,
        };
        (ends::agreed(), Some(evidence))
    }

    fn note(&mut self, thought: &Thought) {
        self.stats
            .scores_cp
            .push(thought.score.map_or(NO_SCORE, Score::code));
        self.stats.depths.push(thought.depth);
        self.stats.nodes.push(thought.nodes);
        self.stats
            .times_ms
            .push(u32::try_from(thought.elapsed.as_millis()).unwrap_or(u32::MAX));
    }

    fn fault(&self, fault: &Fault, limit: &ThinkLimit, player: &dyn Player) -> Forfeit {
        let reason = match fault.kind {
            FaultKind::Crash => v1::EndReason::Crash,
            FaultKind::Hang => v1::EndReason::Hang,
            FaultKind::Resign => v1::EndReason::Resign,
            FaultKind::FalseClaim => v1::EndReason::FalseClaim,
            FaultKind::Time => v1::EndReason::Time,
        };
        let timed = matches!(fault.kind, FaultKind::Hang | FaultKind::Time);
        let allowed = limit.allowed.unwrap_or(limit.hang_after);
        let evidence = v1::Evidence {
            text: ends::head(&fault.text, ends::MAX_EVIDENCE_TEXT).to_owned(),
            engine_log: ends::tail(&player.log_tail(), ends::MAX_EVIDENCE_LOG).to_owned(),
            elapsed_ms: if timed { millis(fault.elapsed) } else { 0 },
            allowed_ms: if timed { millis(allowed) } else { 0 },
        };
        (
            ends::forfeit(self.game.side_to_move(), reason),
            Some(evidence),
        )
    }
}

/// Whole milliseconds.
pub(crate) fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
