//! The serde shape of a variant file. `docs/variant-file.md` explains every key to its users.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A whole variant file, after inheritance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Spec {
    pub schema: u32,
    pub id: String,
    pub name: String,
    pub board: BoardSpec,
    pub start: StartSpec,
    pub piece: BTreeMap<String, PieceSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub promotion: Option<PromotionSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<ReserveSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub castling: Option<CastlingSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub king_leap: Option<KingLeapSpec>,
    #[serde(default)]
    pub en_passant: EnPassantSpec,
    #[serde(default)]
    pub ends: EndsSpec,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<PointsSpec>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub augment: Option<AugmentSpec>,
}

/// A variant file as written: every key may be left to the file that it extends.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[allow(
    dead_code,
    reason = "read only to check the shape of a file and to place errors in it"
)]
pub(crate) struct Partial {
    pub schema: Option<u32>,
    pub id: Option<String>,
    pub name: Option<String>,
    pub extends: Option<String>,
    #[serde(default)]
    pub without: Vec<String>,
    pub board: Option<PartialBoard>,
    pub start: Option<PartialStart>,
    pub piece: Option<BTreeMap<String, PartialPiece>>,
    pub promotion: Option<PartialPromotion>,
    pub reserve: Option<ReserveSpec>,
    pub castling: Option<PartialCastling>,
    pub king_leap: Option<PartialKingLeap>,
    pub en_passant: Option<EnPassantSpec>,
    pub ends: Option<PartialEnds>,
    pub points: Option<PartialPoints>,
    pub augment: Option<PartialAugment>,
}

/// Declares a table of the file and its partial twin in which every key is optional.
macro_rules! table {
    ($(#[$doc:meta])* $name:ident / $partial:ident { $($(#[$attr:meta])* $field:ident : $type:ty),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        pub(crate) struct $name { $($(#[$attr])* pub $field: $type),* }

        #[derive(Debug, Deserialize)]
        #[serde(deny_unknown_fields, rename_all = "kebab-case")]
        #[allow(dead_code, reason = "read only to check the shape of a file and to place errors in it")]
        pub(crate) struct $partial { $(pub $field: Option<$type>),* }
    };
}

table! {
    /// `[board]`: shape.
    BoardSpec / PartialBoard {
        files: u8,
        ranks: u8,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        brouhaha: Vec<String>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holes: Vec<String>,
    }
}

table! {
    /// `[start]`: the start position and its set-ups.
    StartSpec / PartialStart {
        fen: String,
        #[serde(default)]
        first: u64,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        choice: Vec<ChoiceSpec>,
    }
}

/// `[[start.choice]]`: men of which the number of a set-up decides where they stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ChoiceSpec {
    pub squares: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub twins: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permute: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

table! {
    /// `[piece.X]`: a piece type.
    PieceSpec / PartialPiece {
        #[serde(default)]
        name: String,
        r#move: String,
        #[serde(default)]
        royal: bool,
        #[serde(default)]
        pawn: bool,
    }
}

table! {
    /// `[promotion]`.
    PromotionSpec / PartialPromotion {
        zone: Vec<ZoneSpec>,
        #[serde(default)]
        from: PromotionSource,
        #[serde(default)]
        obligatory: Obligatory,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        no_pawn_on: Vec<u8>,
    }
}

/// `[[promotion.zone]]`: ranks, from the owner's side, and the types to be had there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ZoneSpec {
    pub ranks: Vec<u8>,
    pub to: String,
}

/// Where promoted men come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum PromotionSource {
    /// There are always enough.
    #[default]
    Any,
    /// The owner's reserve.
    Reserve,
}

/// Where a pawn must promote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Obligatory {
    /// On the last rank of the main board.
    #[default]
    LastRank,
    /// Nowhere.
    Never,
}

/// `[reserve]`: what becomes of lost men.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ReserveSpec {
    pub gains: ReserveGains,
}

/// What enters a reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ReserveGains {
    /// Each man lost, pawns aside, enters its owner's reserve.
    OwnLosses,
}

table! {
    /// `[castling]`, for White; Black mirrors.
    CastlingSpec / PartialCastling {
        king: String,
        partner: Vec<PartnerSpec>,
        #[serde(default)]
        fen: CastlingFen,
        #[serde(default)]
        notation: CastlingNotation,
    }
}

/// `[[castling.partner]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PartnerSpec {
    pub square: String,
    pub piece: String,
    pub distances: Vec<u8>,
}

/// How castling rights stand in a FEN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum CastlingFen {
    /// `K` towards the high files, `Q` towards the low.
    #[default]
    #[serde(rename = "KQkq")]
    Kqkq,
    /// The partners' file letters.
    #[serde(rename = "partner-files")]
    PartnerFiles,
}

/// How a castling is written as a move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CastlingNotation {
    /// The king's origin and target.
    #[default]
    KingTarget,
    /// The king's and the partner's squares.
    KingRook,
}

table! {
    /// `[king-leap]`, for White; Black mirrors.
    KingLeapSpec / PartialKingLeap {
        from: String,
        to: Vec<String>,
    }
}

/// `[en-passant]`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct EnPassantSpec {
    #[serde(default)]
    pub fen: EnPassantFen,
}

/// How the en passant field of a FEN is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EnPassantFen {
    /// The one square passed.
    #[default]
    Square,
    /// The man's square, a colon, the squares passed.
    Path,
}

table! {
    /// `[ends]`: how games end beside checkmate.
    EndsSpec / PartialEnds {
        #[serde(default)]
        stalemate: StalemateResult,
        #[serde(default)]
        bare_kings: bool,
        #[serde(default)]
        dead_position: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        repetition: Option<CountResult>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        n_move: Option<NMoveSpec>,
    }
}

impl Default for EndsSpec {
    fn default() -> Self {
        EndsSpec {
            stalemate: StalemateResult::Draw,
            bare_kings: false,
            dead_position: false,
            repetition: None,
            n_move: None,
        }
    }
}

/// What a stalemate is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StalemateResult {
    /// A draw.
    #[default]
    Draw,
    /// An advantage for the side that moved last.
    Advantage,
    /// A win for the side that moved last.
    Win,
}

/// What a game is worth that ends by repetition or the N-move rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountResult {
    /// A draw.
    Draw,
    /// The points on the board are counted.
    Points,
}

/// `ends.n-move`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct NMoveSpec {
    pub moves: u16,
    pub result: CountResult,
    #[serde(default)]
    pub reset: NMoveReset,
}

/// What beside a capture sets the N-move count to zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NMoveReset {
    /// Any move of a pawn.
    #[default]
    PawnMove,
    /// A pawn's move that gains a rank.
    ForwardPawnMove,
}

table! {
    /// `[points]`: the count of men.
    PointsSpec / PartialPoints {
        lead: u32,
        values: BTreeMap<String, u32>,
        #[serde(default)]
        heavy: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        imitator: Option<ImitatorPoints>,
    }
}

/// `points.imitator`: the joker's worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ImitatorPoints {
    pub heavy_outnumber: u32,
    pub otherwise: u32,
}

table! {
    /// `[augment]`: pieces that hold augmenters.
    AugmentSpec / PartialAugment {
        holders: Vec<HolderSpec>,
        augmenter: BTreeMap<String, String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        regent: Option<RegentSpec>,
    }
}

/// `[[augment.holders]]`: a start square of White's and how many augmenters its man holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct HolderSpec {
    pub square: String,
    pub slots: u8,
}

/// `[augment.regent]`: a piece whose base moves its owner picks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RegentSpec {
    pub piece: String,
    pub pick: u8,
    pub bases: BTreeMap<String, String>,
}
