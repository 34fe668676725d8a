//! [`Terms`]: the numbered terms of a variant's evaluation. Each has a weight for the middle game and one for
//! the endgame.

use super::pair::Pair;
use crate::types::{Kind, Square};
use crate::variant::RuleSet;

/// Number of a term.
pub(crate) type Term = usize;

/// Terms that a variant has once.
pub(super) mod once {
    use super::Term;

    pub const TEMPO: Term = 0;
    /// A pawn that a pawn guards.
    pub const GUARDED: Term = 1;
    /// A pawn with one of its side beside it.
    pub const PHALANX: Term = 2;
    /// A pawn without pawns of its side on the files beside.
    pub const ISOLATED: Term = 3;
    /// A pawn with another of its side on its file.
    pub const DOUBLED: Term = 4;
    /// A light or heavy man that an enemy pawn attacks.
    pub const PAWN_HITS_LIGHT: Term = 5;
    pub const PAWN_HITS_HEAVY: Term = 6;
    /// A heavy man that a light one attacks.
    pub const LIGHT_HITS_HEAVY: Term = 7;
    /// A man that is attacked and not guarded.
    pub const LOOSE_PAWN: Term = 8;
    pub const LOOSE_LIGHT: Term = 9;
    pub const LOOSE_HEAVY: Term = 10;
    /// Pawns beside the king or a rank before it, and those two ranks before it.
    pub const SHELTER_NEAR: Term = 11;
    pub const SHELTER_FAR: Term = 12;
    /// Enemy pawns up to two ranks before the king, and those three or four ranks before it.
    pub const STORM_NEAR: Term = 13;
    pub const STORM_FAR: Term = 14;
    /// A file of the king or beside it without a pawn of its side.
    pub const KING_FILE: Term = 15;
    /// A castling right.
    pub const CASTLING: Term = 16;
    /// A man on a square that it cannot come back to.
    pub const UNDEVELOPED: Term = 17;
    /// Steps from a pawn that is near promotion to its own king, and to the enemy's.
    pub const PASSER_OWN_KING: Term = 18;
    pub const PASSER_ENEMY_KING: Term = 19;
    /// Imitators, by what the opponent's men are worth on average more than at the start.
    pub const MODELS: Term = 20;
    /// Units of danger: an attacked square next to the king that only the king guards or nobody.
    pub const UNIT_WEAK: Term = 21;
    /// Units of danger: each pawn that shelters the king.
    pub const UNIT_SHELTER: Term = 22;
    /// Units of danger, whatever happens.
    pub const UNIT_BASE: Term = 23;
    /// A pawn that no pawn guards and whose step ahead an enemy pawn attacks.
    pub const BACKWARD: Term = 24;
    /// Ranks beyond the third of pawns that are guarded or stand beside one of their side.
    pub const ADVANCED: Term = 25;
    /// A light man guarded by a pawn where no enemy pawn can ever attack it, beyond the middle.
    pub const OUTPOST: Term = 26;
    /// A light man that a light one attacks, and any that a heavy one attacks.
    pub const LIGHT_HITS_LIGHT: Term = 27;
    pub const HEAVY_HITS_LIGHT: Term = 28;
    /// A square that men of both sides attack, and no enemy pawn.
    pub const CONTESTED: Term = 29;
    /// A pawn on its way to promotion whose next square an enemy attacks, and whose next square its side attacks.
    pub const PASSER_STOPPED: Term = 30;
    pub const PASSER_HELPED: Term = 31;
    /// Units of danger: a square within two steps of the king that is attacked.
    pub const UNIT_NEAR: Term = 32;
    /// Units of danger: a square next to the king that its men guard.
    pub const UNIT_GUARD: Term = 33;
    /// Units of danger: a square for a check that is guarded.
    pub const UNIT_CHECK: Term = 34;
    /// Promotion by what stands in its way and ranks to go.
    pub const PROMOTION: Term = 35;
    pub const ALL: usize = PROMOTION + PROMOTIONS;

    pub const WAYS: usize = 3;
    pub const RANKS_TO_GO: usize = 7;
    pub const PROMOTIONS: usize = WAYS * RANKS_TO_GO;
}

/// Terms that each type has once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own {
    Worth = 0,
    /// Squares that it reaches more than usual.
    Mobility = 1,
    /// The same by the square root.
    MobilityRoot = 2,
    /// It stands on a file without pawns of its side …
    HalfOpen = 3,
    /// … and without any.
    Open = 4,
    /// A pawn guards it.
    PawnGuards = 5,
    /// There are two of it or more.
    Pair = 6,
    /// Units of danger: it attacks squares next to the king.
    UnitAttacker = 7,
    /// Units of danger: each such square.
    UnitHit = 8,
    /// Units of danger: a square from which it would give check unpunished.
    UnitCheck = 9,
}

const OWN: usize = 10;

/// A run of terms of one meaning, as evaluation files name it.
pub(crate) struct Group {
    /// The table in the file: empty for terms that a variant has once, a type's letter or a power's number.
    pub section: Section,
    pub key: &'static str,
    pub first: Term,
    pub count: usize,
}

#[cfg(feature = "tune")]
impl Group {
    /// Whether the weights are units of danger.
    pub fn is_danger(&self) -> bool {
        self.key.starts_with("danger_")
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Section {
    Once,
    Type(Kind),
    Power(usize),
}

/// How the terms of a variant are numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    kinds: usize,
    powers: usize,
    ranks: usize,
    /// Files from the edge to the middle: both wings are alike.
    files: usize,
}

impl Terms {
    pub fn new(rules: &RuleSet, powers: usize) -> Terms {
        let board = &rules.geometry;
        Terms {
            kinds: rules.pieces.len(),
            powers,
            ranks: usize::from(board.main_ranks()) + 2,
            files: usize::from(board.files()).div_ceil(2),
        }
    }

    /// Number of terms.
    pub fn count(&self) -> usize {
        self.power_base() + 2 * self.powers
    }

    #[inline(always)]
    pub fn own(&self, own: Own, kind: Kind) -> Term {
        once::ALL + OWN * kind.index() + own as usize
    }

    fn rank_base(&self) -> usize {
        once::ALL + OWN * self.kinds
    }

    fn file_base(&self) -> usize {
        self.rank_base() + self.kinds * self.ranks
    }

    fn square_base(&self) -> usize {
        self.file_base() + self.kinds * self.files
    }

    fn power_base(&self) -> usize {
        self.square_base() + self.kinds * self.ranks * self.files
    }

    /// The terms of a type on a place: rank, file, square.
    pub fn standing(&self, kind: Kind, place: Place) -> [Term; 3] {
        let k = kind.index();
        [
            self.rank_base() + k * self.ranks + place.rank,
            self.file_base() + k * self.files + place.file,
            self.square_base() + (k * self.ranks + place.rank) * self.files + place.file,
        ]
    }

    /// The term of a type's worth.
    #[cfg(feature = "tune")]
    pub fn worth(&self, kind: Kind) -> Term {
        self.own(Own::Worth, kind)
    }

    /// All terms of a type's ranks, files and squares, the squares rank by rank.
    #[cfg(feature = "tune")]
    pub fn standing_of(&self, kind: Kind) -> Standing {
        let [ranks, files, squares] = self.standing(kind, Place { rank: 0, file: 0 });
        Standing {
            ranks: ranks..ranks + self.ranks,
            files: files..files + self.files,
            squares: squares..squares + self.ranks * self.files,
        }
    }

    /// What a power adds to the worth of a king or of another man.
    pub fn power(&self, bit: usize, king: bool) -> Term {
        self.power_base() + 2 * bit + usize::from(king)
    }

    /// The place of a square seen by a side.
    pub fn place(&self, rules: &RuleSet, colour: crate::types::Colour, square: Square) -> Place {
        let board = &rules.geometry;
        let rank = board
            .relative_rank(colour, square)
            .clamp(0, self.ranks as i16 - 1);
        let file = board
            .file(square)
            .min(board.files() - 1 - board.file(square));
        Place {
            rank: rank as usize,
            file: usize::from(file),
        }
    }

    /// All terms by meaning.
    pub fn groups(&self) -> Vec<Group> {
        let group = |section, key, first, count| Group {
            section,
            key,
            first,
            count,
        };
        let mut groups: Vec<Group> = ONCE
            .iter()
            .map(|&(key, first, count)| group(Section::Once, key, first, count))
            .collect();
        for kind in (0..self.kinds).map(|k| Kind(k as u8)) {
            let section = Section::Type(kind);
            let own = once::ALL + OWN * kind.index();
            groups.extend(
                OWN_KEYS
                    .iter()
                    .zip(own..)
                    .map(|(&key, at)| group(section, key, at, 1)),
            );
            let [rank, file, square] = self.standing(kind, Place { rank: 0, file: 0 });
            groups.push(group(section, "ranks", rank, self.ranks));
            groups.push(group(section, "files", file, self.files));
            groups.push(group(section, "squares", square, self.ranks * self.files));
        }
        for bit in 0..self.powers {
            groups.push(group(Section::Power(bit), "man", self.power(bit, false), 1));
            groups.push(group(Section::Power(bit), "king", self.power(bit, true), 1));
        }
        groups
    }
}

/// The terms of a type's places.
#[cfg(feature = "tune")]
pub(crate) struct Standing {
    pub ranks: std::ops::Range<Term>,
    pub files: std::ops::Range<Term>,
    pub squares: std::ops::Range<Term>,
}

/// A square by its rank from a side's edge and its file from the nearer edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub rank: usize,
    pub file: usize,
}

const OWN_KEYS: [&str; OWN] = [
    "worth",
    "mobility",
    "mobility_root",
    "half_open_file",
    "open_file",
    "guarded_by_pawn",
    "pair",
    "danger_attacker",
    "danger_square",
    "danger_check",
];

const ONCE: [(&str, Term, usize); 36] = [
    ("tempo", once::TEMPO, 1),
    ("pawn_guarded", once::GUARDED, 1),
    ("pawn_phalanx", once::PHALANX, 1),
    ("pawn_isolated", once::ISOLATED, 1),
    ("pawn_doubled", once::DOUBLED, 1),
    ("pawn_attacks_light", once::PAWN_HITS_LIGHT, 1),
    ("pawn_attacks_heavy", once::PAWN_HITS_HEAVY, 1),
    ("light_attacks_heavy", once::LIGHT_HITS_HEAVY, 1),
    ("loose_pawn", once::LOOSE_PAWN, 1),
    ("loose_light", once::LOOSE_LIGHT, 1),
    ("loose_heavy", once::LOOSE_HEAVY, 1),
    ("shelter_near", once::SHELTER_NEAR, 1),
    ("shelter_far", once::SHELTER_FAR, 1),
    ("storm_near", once::STORM_NEAR, 1),
    ("storm_far", once::STORM_FAR, 1),
    ("king_file", once::KING_FILE, 1),
    ("castling", once::CASTLING, 1),
    ("undeveloped", once::UNDEVELOPED, 1),
    ("passer_own_king", once::PASSER_OWN_KING, 1),
    ("passer_enemy_king", once::PASSER_ENEMY_KING, 1),
    ("imitator_models", once::MODELS, 1),
    ("danger_weak_square", once::UNIT_WEAK, 1),
    ("danger_shelter", once::UNIT_SHELTER, 1),
    ("danger_base", once::UNIT_BASE, 1),
    ("pawn_backward", once::BACKWARD, 1),
    ("pawn_advanced", once::ADVANCED, 1),
    ("outpost", once::OUTPOST, 1),
    ("light_attacks_light", once::LIGHT_HITS_LIGHT, 1),
    ("heavy_attacks_light", once::HEAVY_HITS_LIGHT, 1),
    ("contested_square", once::CONTESTED, 1),
    ("passer_stopped", once::PASSER_STOPPED, 1),
    ("passer_helped", once::PASSER_HELPED, 1),
    ("danger_near", once::UNIT_NEAR, 1),
    ("danger_guard", once::UNIT_GUARD, 1),
    ("danger_guarded_check", once::UNIT_CHECK, 1),
    ("promotion", once::PROMOTION, once::PROMOTIONS),
];

/// Grains of a centipawn: the unit of weights.
pub(crate) const GRAINS: i32 = 16;

/// Receives the terms of a position, White's less Black's.
pub(super) trait Sink {
    /// A term that occurs `count` times more for White than for Black.
    fn add(&mut self, term: Term, count: i32);
    /// How many squares a man reaches, as its type's usual number is `centre`; `sign` is 1 for White.
    fn mobility(&mut self, kind: Kind, reached: usize, centre: usize, sign: i32);
    /// Units of danger that a side (by index) makes for the enemy's king.
    fn danger(&mut self, side: usize, term: Term, count: i32);
}

/// What units of danger come to, in grains.
#[inline]
pub(super) fn danger(units: i32) -> Pair {
    let units = units.clamp(0, 1 << 10);
    Pair::new(units * units / 16, units * units / 128)
}

/// How much a unit of danger more comes to, in grains, middle game and endgame.
#[cfg(feature = "tune")]
pub(crate) fn danger_slope(units: f32) -> [f32; 2] {
    let units = units.clamp(0.0, 1024.0);
    [units / 8.0, units / 64.0]
}

/// Squares reached count up to this many.
pub(super) const MOST_REACHED: usize = 63;

/// Four times the square root.
pub(super) fn root(reached: usize) -> i32 {
    (16 * reached as u32).isqrt() as i32
}
