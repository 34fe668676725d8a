//! [`RuleSet`]: a variant's rules with every name turned into a square, a type or a number.

use crate::betza::MoveProgram;
use crate::geometry::Geometry;
use crate::types::{Colour, Kind, Piece, Square};

pub use super::spec::{
    CastlingFen, CastlingNotation, CountResult, EnPassantFen, NMoveReset, Obligatory,
    StalemateResult,
};

/// Everything a variant says, resolved. Immutable.
#[derive(Clone, Debug)]
pub struct RuleSet {
    /// The board.
    pub geometry: Geometry,
    /// The piece types, in the order of their letters.
    pub pieces: Vec<PieceRule>,
    /// The royal type.
    pub king: Kind,
    /// The type that moves as what the opponent moved last, if there is one.
    pub imitator: Option<Kind>,
    /// The start position's set-ups.
    pub start: StartRule,
    /// Promotion, if pawns promote.
    pub promotion: Option<PromotionRule>,
    /// Whether lost men go to their owner's reserve.
    pub reserve: bool,
    /// Castlings, those of White first, in FEN order.
    pub castling: Vec<CastlingRule>,
    /// How castling rights stand in a FEN.
    pub castling_fen: CastlingFen,
    /// How a castling is written as a move.
    pub castling_notation: CastlingNotation,
    /// The king's single leap, by colour.
    pub king_leap: Option<[KingLeapRule; 2]>,
    /// How the en passant field of a FEN is written.
    pub en_passant_fen: EnPassantFen,
    /// How games end.
    pub ends: EndsRule,
    /// The points count, if there is one.
    pub points: Option<PointsRule>,
    /// Augmenters, if there are any.
    pub augment: Option<AugmentRule>,
}

/// A piece type.
#[derive(Clone, Debug)]
pub struct PieceRule {
    /// Upper-case letter in FEN and moves.
    pub letter: u8,
    /// Name.
    pub name: String,
    /// What it may do, from White's side.
    pub program: MoveProgram,
    /// Whether it is the king.
    pub royal: bool,
    /// Whether it is a pawn: it promotes, resets the N-move count and is not kept in the reserve.
    pub pawn: bool,
}

/// The start position and its set-ups.
#[derive(Clone, Debug)]
pub struct StartRule {
    /// The first six or eight fields of the FEN, with no man on the squares of the choices.
    pub fen: String,
    /// The smallest set-up number.
    pub first: u64,
    /// Choices, the most significant first.
    pub choices: Vec<ChoiceRule>,
    /// For every square the man that stands there in every set-up; squares of choices hold the types
    /// of their options too.
    pub homes: Vec<Vec<Piece>>,
}

/// Men whose squares the number of a set-up decides.
#[derive(Clone, Debug)]
pub struct ChoiceRule {
    /// White's squares; each option names a type for each.
    pub squares: Vec<Square>,
    /// Squares that get the same men in the same order, or none.
    pub twins: Vec<Square>,
    /// The options, by number.
    pub options: Vec<Vec<Kind>>,
}

/// Promotion.
#[derive(Clone, Debug)]
pub struct PromotionRule {
    /// For each colour and square the set of types (bit = type) that a pawn may become there.
    pub to: [Vec<u32>; 2],
    /// For each colour and square whether the pawn must promote there.
    pub must: [Vec<bool>; 2],
    /// For each colour and square whether a pawn cannot stand there for another reason.
    pub no_pawn: [Vec<bool>; 2],
    /// Whether the type must be in the owner's reserve, which it leaves.
    pub from_reserve: bool,
}

/// One partner with which one king may castle.
#[derive(Clone, Debug)]
pub struct CastlingRule {
    /// Whose.
    pub colour: Colour,
    /// The king's start square.
    pub king: Square,
    /// The partner's start square.
    pub partner: Square,
    /// The partner's type.
    pub kind: Kind,
    /// By how many squares the king may slide towards the partner.
    pub distances: Vec<u8>,
    /// The letter of the right in a FEN.
    pub letter: u8,
}

/// The king's single leap from its start square.
#[derive(Clone, Debug)]
pub struct KingLeapRule {
    /// The king's start square.
    pub from: Square,
    /// Where it may leap.
    pub to: Vec<Square>,
}

/// How games end beside checkmate.
#[derive(Clone, Debug)]
pub struct EndsRule {
    /// What stalemate is.
    pub stalemate: StalemateResult,
    /// Whether two bare kings are a draw.
    pub bare_kings: bool,
    /// Whether positions in which no mate is possible, by a short list, are drawn.
    pub dead_position: Option<DeadPositionRule>,
    /// What the third occurrence of a position is.
    pub repetition: Option<CountResult>,
    /// What moves without progress are.
    pub n_move: Option<NMoveRule>,
}

/// The men of the short list of dead positions.
#[derive(Clone, Copy, Debug, Default)]
pub struct DeadPositionRule {
    /// The type that moves like a knight.
    pub knight: Option<Kind>,
    /// The type that moves like a bishop.
    pub bishop: Option<Kind>,
}

/// The N-move rule.
#[derive(Clone, Copy, Debug)]
pub struct NMoveRule {
    /// Plies without progress that end the game.
    pub plies: u16,
    /// How it ends.
    pub result: CountResult,
    /// What counts as progress.
    pub reset: NMoveReset,
}

/// The points count.
#[derive(Clone, Debug)]
pub struct PointsRule {
    /// The lead that is an advantage.
    pub lead: u32,
    /// Points by type.
    pub values: [u32; Kind::MAX],
    /// The heavy types, as a set.
    pub heavy: u32,
    /// The imitator's points: if the opponent's heavy men outnumber its others, and otherwise.
    pub imitator: Option<(u32, u32)>,
}

/// Augmenters: additional moves that single men hold.
#[derive(Clone, Debug)]
pub struct AugmentRule {
    /// Types that may hold augmenters, as a set.
    pub holders: u32,
    /// White's start squares with the number of augmenters there, in order of the squares; Black mirrors.
    pub slots: Vec<(Square, u8)>,
    /// Letter and moves of each augmenter, by letter. Bit `i` of a man's powers is augmenter `i`.
    pub augmenters: Vec<(u8, MoveProgram)>,
    /// The piece whose base moves are picked.
    pub regent: Option<RegentRule>,
}

/// The regent.
#[derive(Clone, Debug)]
pub struct RegentRule {
    /// Its type.
    pub kind: Kind,
    /// How many bases it has.
    pub pick: u8,
    /// Letter and moves of each base; their power bits follow the augmenters'.
    pub bases: Vec<(u8, MoveProgram)>,
}

impl AugmentRule {
    /// Number of augmenters: the power bits of bases begin here.
    #[must_use]
    pub fn base_shift(&self) -> usize {
        self.augmenters.len()
    }

    /// The power bits that are bases.
    #[must_use]
    pub fn base_mask(&self) -> u16 {
        let bases = self.regent.as_ref().map_or(0, |r| r.bases.len());
        (((1u32 << bases) - 1) << self.base_shift()) as u16
    }

    /// Most augmenters that a man of a type may hold.
    #[must_use]
    pub fn most(&self, homes: &[Vec<Piece>], kind: Kind) -> u8 {
        self.slots
            .iter()
            .filter(|(s, _)| homes[s.index()].iter().any(|p| p.kind() == kind))
            .map(|&(_, n)| n)
            .max()
            .unwrap_or(0)
    }
}

impl RuleSet {
    /// The type of an upper-case letter.
    #[must_use]
    pub fn kind(&self, letter: u8) -> Option<Kind> {
        self.pieces
            .iter()
            .position(|p| p.letter == letter)
            .map(|i| Kind(i as u8))
    }

    /// The rules of a type.
    #[must_use]
    pub fn piece(&self, kind: Kind) -> &PieceRule {
        &self.pieces[kind.index()]
    }

    /// The letter of a man in a FEN.
    #[must_use]
    pub fn letter(&self, piece: Piece) -> u8 {
        let upper = self.pieces[piece.kind().index()].letter;
        if piece.colour() == Colour::White {
            upper
        } else {
            upper.to_ascii_lowercase()
        }
    }

    /// Whether FENs have a reserve field.
    #[must_use]
    pub fn has_reserve_field(&self) -> bool {
        self.reserve
    }

    /// Whether FENs tell what each side moved last.
    #[must_use]
    pub fn has_last_moved_field(&self) -> bool {
        self.imitator.is_some()
    }

    /// The types that are pawns, as a set.
    #[must_use]
    pub fn pawns(&self) -> u32 {
        self.pieces
            .iter()
            .enumerate()
            .filter(|(_, p)| p.pawn)
            .fold(0, |set, (i, _)| set | 1 << i)
    }
}
