//! A game from its start position: moves as text, judged after each, replayable.

use std::collections::HashMap;
use std::sync::Arc;

use rand_chacha::rand_core::Rng;

use crate::movegen::Wanted;
use crate::notation::{move_text, parse_move};
use crate::outcome::{self, BoardEnd};
use crate::position::Position;
use crate::types::{Colour, Kind, Move, MoveKind, MoveList};
use crate::variant::rule_set::CountResult;
use crate::variant::{AnyCompiled, Variant, below};

pub use crate::outcome::{GameEnd, Outcome};
pub use crate::position::FenError;

/// Runs an expression with the position of a game, whatever its board's width.
macro_rules! with_position {
    ($any:expr, $position:ident => $body:expr) => {
        match $any {
            AnyPosition::One($position) => $body,
            AnyPosition::Two($position) => $body,
            AnyPosition::Four($position) => $body,
        }
    };
}

/// A position on a board of any width: the one dispatch on it is here.
#[derive(Clone)]
pub enum AnyPosition {
    /// Up to 64 squares.
    One(Box<Position<1>>),
    /// Up to 128 squares.
    Two(Box<Position<2>>),
    /// Up to 256 squares.
    Four(Box<Position<4>>),
}

impl AnyPosition {
    /// Reads a FEN.
    ///
    /// # Errors
    /// The FEN is no position of the variant.
    pub fn from_fen(variant: &Variant, fen: &str) -> Result<AnyPosition, FenError> {
        Ok(match variant.compiled() {
            AnyCompiled::One(c) => AnyPosition::One(Box::new(Position::from_fen(c, fen)?)),
            AnyCompiled::Two(c) => AnyPosition::Two(Box::new(Position::from_fen(c, fen)?)),
            AnyCompiled::Four(c) => AnyPosition::Four(Box::new(Position::from_fen(c, fen)?)),
        })
    }
}

/// Why a move was not played.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PlayError {
    /// The move is not legal, or no move at all.
    #[error("`{0}` is no legal move here")]
    Illegal(String),
    /// The game is over.
    #[error("`{mv}` comes after the end of the game ({reason})")]
    Ended {
        /// The move.
        mv: String,
        /// Why the game ended.
        reason: BoardEnd,
    },
}

/// A game.
///
/// ```
/// use engine::{game::Game, variant::Catalog};
/// let chess = Catalog::builtin().get("chess").unwrap();
/// let start = chess.start_fen(0).unwrap();
/// let mut game = Game::new(chess, &start).unwrap();
/// for mv in ["f2f3", "e7e5", "g2g4", "d8h4"] {
///     game.play(mv).unwrap();
/// }
/// assert_eq!(game.end().unwrap().to_string(), "outcome=win winner=black reason=checkmate count=-");
/// ```
#[derive(Clone)]
pub struct Game {
    variant: Arc<Variant>,
    position: AnyPosition,
    moves: Vec<String>,
    /// How often each position that can still recur has stood.
    seen: HashMap<Vec<u8>, u32>,
    /// Search hashes of the positions since the last capture, for repetitions in search.
    hashes: Vec<u64>,
    end: Option<GameEnd>,
}

impl Game {
    /// Begins a game at a FEN, which is judged like any other position.
    ///
    /// # Errors
    /// The FEN is no position of the variant.
    pub fn new(variant: Arc<Variant>, fen: &str) -> Result<Game, FenError> {
        let position = AnyPosition::from_fen(&variant, fen)?;
        let mut game = Game {
            variant,
            position,
            moves: Vec::new(),
            seen: HashMap::new(),
            hashes: Vec::new(),
            end: None,
        };
        game.note();
        Ok(game)
    }

    /// The variant.
    #[must_use]
    pub fn variant(&self) -> &Arc<Variant> {
        &self.variant
    }

    /// The position.
    #[must_use]
    pub fn position(&self) -> &AnyPosition {
        &self.position
    }

    /// Plays a move.
    ///
    /// # Errors
    /// The move is not legal, or the game is over; the game is as before.
    pub fn play(&mut self, text: &str) -> Result<(), PlayError> {
        let shown = || text.chars().take(80).collect::<String>();
        if let Some(end) = &self.end {
            return Err(PlayError::Ended {
                mv: shown(),
                reason: end.reason,
            });
        }
        let parsed = with_position!(&self.position, p => parse_move(p, text));
        let mv = parsed.ok_or_else(|| PlayError::Illegal(shown()))?;
        self.make(mv, text.to_owned());
        Ok(())
    }

    fn make(&mut self, mv: Move, text: String) {
        let irreversible = with_position!(&mut self.position, p => {
            let before = p.all_men(Colour::White).count() + p.all_men(Colour::Black).count();
            p.make(mv);
            before != p.all_men(Colour::White).count() + p.all_men(Colour::Black).count() || mv.is_setup()
        });
        if irreversible {
            self.seen.clear();
            self.hashes.clear();
        }
        self.moves.push(text);
        self.note();
    }

    /// Counts the position and judges it.
    fn note(&mut self) {
        let (key, hash) = with_position!(&self.position, p => (repetition_key(p), p.hash()));
        let occurrences = self.seen.entry(key).or_insert(0);
        *occurrences += 1;
        self.hashes.push(hash);
        self.end = with_position!(&self.position, p => outcome::judge(p, *occurrences));
    }

    /// The position's FEN.
    #[must_use]
    pub fn fen(&self) -> String {
        with_position!(&self.position, p => p.fen())
    }

    /// The side to move.
    #[must_use]
    pub fn side_to_move(&self) -> Colour {
        with_position!(&self.position, p => p.side_to_move())
    }

    /// Whether the side to move is in check.
    #[must_use]
    pub fn in_check(&self) -> bool {
        with_position!(&self.position, p => p.in_check())
    }

    /// The legal moves, sorted bytewise, also where the game is over by count.
    ///
    /// In a set-up phase the picks; where augmenters are placed the single word `augment`.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<String> {
        with_position!(&self.position, p => {
            if p.setup().is_some() {
                let picks = p.setup_picks();
                return if picks.is_empty() { vec!["augment".to_owned()] } else { texts(p, &picks) };
            }
            let mut moves = MoveList::new();
            p.legal_moves(Wanted::All, &mut moves);
            texts(p, &moves)
        })
    }

    /// The end of the game, if it is over.
    #[must_use]
    pub fn end(&self) -> Option<&GameEnd> {
        self.end.as_ref()
    }

    /// White's and Black's points on the board, if the variant counts points.
    #[must_use]
    pub fn points_count(&self) -> Option<(u32, u32)> {
        with_position!(&self.position, p => outcome::points(p))
    }

    /// What the game is worth if it is stopped here: by the points count where the variant has one, else a draw.
    ///
    /// The reason given is the N-move rule's; the caller knows better.
    #[must_use]
    pub fn stopped(&self) -> GameEnd {
        with_position!(&self.position, p => GameEnd::counted(p, BoardEnd::NMove, CountResult::Points))
    }

    /// The moves played, as text.
    #[must_use]
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// Whether set-up actions are still due.
    #[must_use]
    pub fn in_setup(&self) -> bool {
        with_position!(&self.position, p => p.setup().is_some())
    }

    /// Search hashes of the positions since the last capture, the current one last.
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// Plays a random legal move or set-up action; whether there was one.
    pub fn play_random(&mut self, random: &mut impl Rng) -> bool {
        if self.end.is_some() {
            return false;
        }
        let mv = with_position!(&self.position, p => random_move(p, random));
        let Some((mv, text)) = mv else { return false };
        self.make(mv, text);
        true
    }
}

fn random_move<const N: usize>(
    position: &Position<N>,
    random: &mut impl Rng,
) -> Option<(Move, String)> {
    let mut moves = position.setup_picks();
    let placements = position.setup_placements();
    if placements > 0 {
        moves.push(Move::setup(
            MoveKind::PlaceAugmenters,
            below(random, u64::from(placements)) as u32,
        ));
    }
    if position.setup().is_none() {
        position.legal_moves(Wanted::All, &mut moves);
        // The order of generation is not part of the promise that a seed gives the same game; the text order is.
        moves.sort_by_cached_key(|&mv| move_text(position, mv));
    }
    if moves.is_empty() {
        return None;
    }
    let mv = moves[below(random, moves.len() as u64) as usize];
    Some((mv, move_text(position, mv)))
}

fn texts<const N: usize>(position: &Position<N>, moves: &[Move]) -> Vec<String> {
    let mut texts: Vec<String> = moves.iter().map(|&mv| move_text(position, mv)).collect();
    texts.sort_unstable();
    texts
}

/// Everything that makes two positions the same for the third occurrence, as bytes.
fn repetition_key<const N: usize>(position: &Position<N>) -> Vec<u8> {
    let rules = &position.compiled().rules;
    let squares = rules.geometry.squares();
    let mut key: Vec<u8> = position.board[..squares].iter().map(|p| p.code()).collect();
    key.extend(position.powers.iter().flat_map(|p| p.to_le_bytes()));
    key.push(position.side_to_move() as u8);
    key.extend(position.state.rights.to_le_bytes());
    for colour in Colour::ALL {
        key.extend(&position.reserve[colour.index()][..rules.pieces.len()]);
        if let Some(imitator) = rules.imitator
            && position.men(colour, imitator).any()
        {
            key.push(
                position
                    .last_moved(!colour)
                    .map_or(Kind::MAX as u8, |k| k.0),
            );
        } else {
            key.push(u8::MAX);
        }
    }
    if position.en_passant().is_some_and(|e| e.live) {
        let mut moves = MoveList::new();
        position.legal_moves(Wanted::Noisy, &mut moves);
        let mut captures: Vec<[u8; 2]> = moves
            .iter()
            .filter(|m| m.kind() == MoveKind::EnPassant)
            .map(|m| [m.from().0, m.to().0])
            .collect();
        captures.sort_unstable();
        captures.dedup();
        key.extend(captures.iter().flatten());
    }
    key
}

/// How the playing of a list of moves went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Played {
    /// Every move was legal.
    All,
    /// One was not, or came after the end.
    Stopped,
}

/// Plays moves and describes the game as `brouhaha rules play` prints it: the FEN after each move, then the outcome.
pub fn play_lines(game: &mut Game, moves: &[String]) -> (Vec<String>, Played) {
    let mut lines = Vec::new();
    let outcome = |game: &Game| {
        game.end().map_or(
            "outcome=ongoing winner=none reason=none count=-".to_owned(),
            ToString::to_string,
        )
    };
    for mv in moves {
        match game.play(mv) {
            Ok(()) => lines.push(game.fen()),
            Err(PlayError::Illegal(mv)) => {
                lines.push(format!("illegal {mv}"));
                return (lines, Played::Stopped);
            }
            Err(PlayError::Ended { .. }) => {
                lines.push(outcome(game));
                lines.push("trailing moves".to_owned());
                return (lines, Played::Stopped);
            }
        }
    }
    lines.push(outcome(game));
    (lines, Played::All)
}
