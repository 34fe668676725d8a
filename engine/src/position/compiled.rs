//! What all positions of a variant share: its rules, tables and hash keys.

use std::sync::Arc;

use crate::attacks::{LimitExceeded, Tables, compile};
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Piece, Square};
use crate::variant::RuleSet;

/// The rules of a variant with the tables for boards of `N` words.
pub struct Compiled<const N: usize> {
    /// The rules.
    pub rules: Arc<RuleSet>,
    /// The attack tables.
    pub tables: Tables<N>,
    /// Hash keys.
    pub(crate) keys: Keys,
    /// By square: the rights that a move from or to it loses.
    pub(crate) lost_rights: Vec<u32>,
    /// All types but the imitator that exist, as indices.
    pub(crate) plain_kinds: Vec<Kind>,
    /// Number of powers of holders.
    pub(crate) powers: usize,
    /// The types that are pawns, as a set.
    pub(crate) pawns: u32,
    /// The types that promote, as a set.
    pub(crate) promoting: u32,
    /// By colour: the types with moves that may leave en passant marks, as a set.
    pub(crate) marking: [u32; 2],
    /// By colour: the types other than the imitator that capture en passant.
    pub(crate) passers: [Vec<Kind>; 2],
    /// By colour.
    pub(crate) promotion: [PromotionZone<N>; 2],
}

/// Where a side's pawns promote and where they may stay pawns.
pub(crate) struct PromotionZone<const N: usize> {
    /// Squares on which a pawn may stay one.
    pub stays: Bitboard<N>,
    /// Squares on which it may become another type.
    pub promotes: Bitboard<N>,
    /// By square: what it may become, as a set of types; empty if nothing anywhere.
    pub to: Vec<u32>,
}

impl<const N: usize> PromotionZone<N> {
    fn new(rules: &RuleSet, colour: Colour) -> PromotionZone<N> {
        let Some(rule) = &rules.promotion else {
            return PromotionZone {
                stays: !Bitboard::EMPTY,
                promotes: Bitboard::EMPTY,
                to: Vec::new(),
            };
        };
        let c = colour.index();
        let squares = |fits: &dyn Fn(usize) -> bool| {
            let all = rules.geometry.all();
            all.filter(|s| fits(s.index())).collect::<Bitboard<N>>()
        };
        PromotionZone {
            stays: squares(&|s| !rule.must[c][s] && !rule.no_pawn[c][s]),
            promotes: squares(&|s| rule.to[c][s] != 0),
            to: rule.to[c].clone(),
        }
    }
}

impl<const N: usize> Compiled<N> {
    /// Compiles a variant's rules.
    ///
    /// # Errors
    /// The tables would be too large.
    pub(crate) fn new(rules: Arc<RuleSet>) -> Result<Compiled<N>, LimitExceeded> {
        let tables = compile(&rules)?;
        let mut lost_rights = vec![0; rules.geometry.squares()];
        for (i, right) in rules.castling.iter().enumerate() {
            lost_rights[right.king.index()] |= 1 << i;
            lost_rights[right.partner.index()] |= 1 << i;
        }
        for (i, leap) in rules.king_leap.iter().flatten().enumerate() {
            lost_rights[leap.from.index()] |= 1 << i;
        }
        let plain_kinds: Vec<Kind> = (0..rules.pieces.len() as u8)
            .map(Kind)
            .filter(|&k| Some(k) != rules.imitator)
            .collect();
        let powers = rules.augment.as_ref().map_or(0, |a| {
            a.augmenters.len() + a.regent.as_ref().map_or(0, |r| r.bases.len())
        });
        let passers = Colour::ALL.map(|c| {
            let mut kinds = plain_kinds.clone();
            kinds.retain(|&k| tables.kind(c, k).captures_en_passant());
            kinds
        });
        let marking = Colour::ALL.map(|c| {
            let marks = plain_kinds
                .iter()
                .filter(|&&k| tables.kind(c, k).has_specials());
            marks.fold(0, |set, k| set | 1 << k.index())
        });
        Ok(Compiled {
            promoting: if rules.promotion.is_some() {
                rules.pawns()
            } else {
                0
            },
            marking,
            promotion: Colour::ALL.map(|c| PromotionZone::new(&rules, c)),
            passers,
            keys: Keys::new(rules.geometry.squares()),
            tables,
            lost_rights,
            plain_kinds,
            powers,
            pawns: rules.pawns(),
            rules,
        })
    }

    /// The types that are pawns.
    pub fn pawns(&self) -> impl Iterator<Item = Kind> + use<N> {
        let set = self.pawns;
        (0..Kind::MAX as u8)
            .filter(move |k| set >> k & 1 != 0)
            .map(Kind)
    }

    /// Whether a type is a pawn.
    #[inline]
    #[must_use]
    pub fn is_pawn(&self, kind: Kind) -> bool {
        self.pawns >> kind.index() & 1 != 0
    }
}

/// Zobrist keys (A. L. Zobrist, "A New Hashing Method with Application for Game Playing", 1970).
pub(crate) struct Keys {
    men: Vec<u64>,
    squares: usize,
}

/// What a key is for, beside men on squares.
#[derive(Clone, Copy)]
pub(crate) enum Aspect {
    SideToMove = 1,
    Rights = 2,
    EnPassant = 3,
    Reserve = 4,
    Imitated = 5,
    Power = 6,
}

impl Keys {
    fn new(squares: usize) -> Keys {
        let men = (0..squares as u64 * 64).map(|i| mix(i + 1)).collect();
        Keys { men, squares }
    }

    /// The key of a man on a square.
    #[inline(always)]
    pub fn man(&self, piece: Piece, square: Square) -> u64 {
        self.men[piece.code() as usize * self.squares + square.index()]
    }

    /// The key of anything else.
    #[inline]
    pub fn aspect(&self, aspect: Aspect, a: u32, b: u32) -> u64 {
        mix((aspect as u64) << 56 | u64::from(a) << 24 | u64::from(b) | 1 << 63)
    }

    /// The key of a reserve's count of a type.
    #[inline]
    pub fn reserve(&self, colour: Colour, kind: Kind, count: u8) -> u64 {
        self.aspect(
            Aspect::Reserve,
            (colour.index() * 32 + kind.index()) as u32,
            u32::from(count),
        )
    }
}

/// The output function of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#[inline]
pub(crate) fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
