//! Positions: the board and all that the rules remember; FEN; making and unmaking moves; attacks.

mod attacked;
mod compiled;
mod fen;
mod kernels;
mod make;
mod reach;
mod setup_phase;
mod threats;

use std::sync::Arc;

pub use compiled::Compiled;
#[cfg(feature = "search")]
pub(crate) use compiled::mix;
pub(crate) use compiled::{Aspect, PromotionZone};
pub use fen::FenError;
pub(crate) use kernels::Kernels;
pub use make::Undo;
pub(crate) use make::castled_partner;
pub use setup_phase::SetupStage;
pub(crate) use threats::Answers;
pub use threats::Threats;

use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::simd::{self, Level};
use crate::types::{Colour, Kind, Piece, Square};

/// Most squares that a move may pass and be captured on en passant.
pub(crate) const MOST_PASSED: usize = 14;

/// The man that has just passed squares on which it can be captured en passant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnPassant {
    /// Where the man stands.
    pub victim: Square,
    passed: [Square; MOST_PASSED],
    count: u8,
    /// Whether an enemy's path to one of the squares may be open (never a false no).
    pub(crate) live: bool,
}

impl EnPassant {
    pub(crate) fn new(victim: Square, squares: &[Square]) -> EnPassant {
        let mut passed = [Square(0); MOST_PASSED];
        let count = squares.len().min(MOST_PASSED);
        passed[..count].copy_from_slice(&squares[..count]);
        EnPassant {
            victim,
            passed,
            count: count as u8,
            live: false,
        }
    }

    /// The squares passed, in order.
    #[must_use]
    pub fn passed(&self) -> &[Square] {
        &self.passed[..self.count as usize]
    }
}

/// What a move changes beside the men, kept whole to be put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Bit `i`: right `i` of the rules' castlings, or colour `i` may still leap with its king.
    pub rights: u32,
    pub en_passant: Option<EnPassant>,
    /// What each side moved last, imitated types standing for imitators.
    pub last_moved: [Option<Kind>; 2],
    pub halfmove: u16,
    pub fullmove: u16,
    pub hash: u64,
    pub setup: Option<SetupStage>,
}

/// A position on a board of `N` words.
#[derive(Clone)]
pub struct Position<const N: usize> {
    pub(crate) compiled: Arc<Compiled<N>>,
    pub(crate) board: [Piece; 256],
    pub(crate) men: [[Bitboard<N>; Kind::MAX]; 2],
    pub(crate) occupied: [Bitboard<N>; 2],
    pub(crate) kings: [Square; 2],
    pub(crate) reserve: [[u8; Kind::MAX]; 2],
    /// Powers of holders by square, and the squares by power; empty in variants without.
    pub(crate) powers: Vec<u16>,
    pub(crate) holders: [[Bitboard<N>; 16]; 2],
    pub(crate) side: Colour,
    pub(crate) state: State,
    pub(crate) level: Level,
    pub(crate) kernels: Kernels<N>,
}

impl<const N: usize> Position<N> {
    pub(crate) fn empty(compiled: Arc<Compiled<N>>) -> Position<N> {
        let powers = if compiled.powers == 0 {
            Vec::new()
        } else {
            vec![0; compiled.rules.geometry.squares()]
        };
        Position {
            compiled,
            board: [Piece::NONE; 256],
            men: [[Bitboard::EMPTY; Kind::MAX]; 2],
            occupied: [Bitboard::EMPTY; 2],
            kings: [Square(0); 2],
            reserve: [[0; Kind::MAX]; 2],
            powers,
            holders: [[Bitboard::EMPTY; 16]; 2],
            side: Colour::White,
            state: State {
                rights: 0,
                en_passant: None,
                last_moved: [None; 2],
                halfmove: 0,
                fullmove: 1,
                hash: 0,
                setup: None,
            },
            level: simd::level(),
            kernels: Kernels::at(simd::level()),
        }
    }

    /// The same position that from now on uses the kernels of a level.
    #[cfg(test)]
    pub(crate) fn at_level(&self, level: Level) -> Position<N> {
        Position {
            level,
            kernels: Kernels::at(level),
            ..self.clone()
        }
    }

    /// The rules and tables.
    #[must_use]
    pub fn compiled(&self) -> &Compiled<N> {
        &self.compiled
    }

    /// The side to move.
    #[must_use]
    pub fn side_to_move(&self) -> Colour {
        self.side
    }

    /// The man on a square, or [`Piece::NONE`].
    #[inline]
    #[must_use]
    pub fn man_on(&self, square: Square) -> Piece {
        self.board[square.index()]
    }

    /// The men of a type and colour.
    #[inline]
    #[must_use]
    pub fn men(&self, colour: Colour, kind: Kind) -> Bitboard<N> {
        self.men[colour.index()][kind.index()]
    }

    /// The men of a colour.
    #[inline]
    #[must_use]
    pub fn all_men(&self, colour: Colour) -> Bitboard<N> {
        self.occupied[colour.index()]
    }

    /// Where a side's king stands.
    #[inline]
    #[must_use]
    pub fn king(&self, colour: Colour) -> Square {
        self.kings[colour.index()]
    }

    /// How many men of a type a side has in reserve.
    #[must_use]
    pub fn reserve(&self, colour: Colour, kind: Kind) -> u8 {
        self.reserve[colour.index()][kind.index()]
    }

    /// The augmenters and bases of the man on a square, as bits.
    #[inline]
    #[must_use]
    pub fn powers(&self, square: Square) -> u16 {
        self.powers.get(square.index()).copied().unwrap_or(0)
    }

    /// Where a side's men stand that hold a power (an augmenter or a picked base, by its bit).
    #[inline]
    #[must_use]
    pub fn holders(&self, colour: Colour, bit: usize) -> Bitboard<N> {
        self.holders[colour.index()]
            .get(bit)
            .copied()
            .unwrap_or_default()
    }

    /// The type a side moved last; the imitated one after a move of an imitator.
    #[must_use]
    pub fn last_moved(&self, colour: Colour) -> Option<Kind> {
        self.state.last_moved[colour.index()]
    }

    /// The man that may be captured en passant, and where.
    #[must_use]
    pub fn en_passant(&self) -> Option<&EnPassant> {
        self.state.en_passant.as_ref()
    }

    /// Plies without progress towards the N-move rule.
    #[must_use]
    pub fn halfmove(&self) -> u16 {
        self.state.halfmove
    }

    /// The set-up action that is due, if the game is still being set up.
    #[must_use]
    pub fn setup(&self) -> Option<SetupStage> {
        self.state.setup
    }

    /// What stands where.
    #[inline]
    #[must_use]
    pub fn occupancy(&self) -> Occupancy<N> {
        self.compiled
            .tables
            .occupancy(self.occupied[0] | self.occupied[1])
    }

    /// A hash of all that matters for what follows: men, side, rights, reserves, live en passant, imitated types.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let keys = &self.compiled.keys;
        let mut hash = self.state.hash;
        if let Some(ep) = self.state.en_passant.as_ref().filter(|e| e.live) {
            hash ^= keys.aspect(
                Aspect::EnPassant,
                u32::from(ep.victim.0),
                u32::from(ep.count),
            );
        }
        if let Some(imitator) = self.compiled.rules.imitator {
            for colour in Colour::ALL {
                if self.men(colour, imitator).any() {
                    let kind = self.last_moved(!colour).map_or(31, |k| u32::from(k.0));
                    hash ^= keys.aspect(Aspect::Imitated, colour.index() as u32, kind);
                }
            }
        }
        hash
    }

    pub(crate) fn put(&mut self, piece: Piece, square: Square) {
        let (c, k) = (piece.colour().index(), piece.kind().index());
        self.board[square.index()] = piece;
        self.men[c][k].insert(square);
        self.occupied[c].insert(square);
        self.state.hash ^= self.compiled.keys.man(piece, square);
        if piece.kind() == self.compiled.rules.king {
            self.kings[c] = square;
        }
    }

    pub(crate) fn take(&mut self, square: Square) -> Piece {
        let piece = self.board[square.index()];
        let (c, k) = (piece.colour().index(), piece.kind().index());
        self.board[square.index()] = Piece::NONE;
        self.men[c][k].remove(square);
        self.occupied[c].remove(square);
        self.state.hash ^= self.compiled.keys.man(piece, square);
        piece
    }

    /// Gives the man on a square its powers, or (0) takes them away; gives what it had.
    pub(crate) fn set_powers(&mut self, colour: Colour, square: Square, powers: u16) -> u16 {
        let Some(slot) = self.powers.get_mut(square.index()) else {
            return 0;
        };
        let before = std::mem::replace(slot, powers);
        let mut changed = before ^ powers;
        while changed != 0 {
            let bit = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            let set = &mut self.holders[colour.index()][bit];
            if powers >> bit & 1 != 0 {
                set.insert(square)
            } else {
                set.remove(square)
            }
            self.state.hash ^= self.compiled.keys.aspect(
                Aspect::Power,
                (colour.index() * 16 + bit) as u32,
                u32::from(square.0),
            );
        }
        before
    }

    pub(crate) fn set_reserve(&mut self, colour: Colour, kind: Kind, count: u8) {
        let slot = &mut self.reserve[colour.index()][kind.index()];
        let keys = &self.compiled.keys;
        self.state.hash ^= keys.reserve(colour, kind, *slot) ^ keys.reserve(colour, kind, count);
        *slot = count;
    }

    pub(crate) fn set_rights(&mut self, rights: u32) {
        if rights == self.state.rights {
            return;
        }
        let keys = &self.compiled.keys;
        self.state.hash ^= keys.aspect(Aspect::Rights, 0, self.state.rights)
            ^ keys.aspect(Aspect::Rights, 0, rights);
        self.state.rights = rights;
    }

    pub(crate) fn set_side(&mut self, side: Colour) {
        if side != self.side {
            self.state.hash ^= self.compiled.keys.aspect(Aspect::SideToMove, 0, 0);
            self.side = side;
        }
    }
}
