//! [`Threats`]: what could expose the king of the side to move.

use super::Position;
use crate::attacks::{Mover, Occupancy, Path, PathKind};
use crate::bitboard::Bitboard;
use crate::types::{Colour, Kind, Square};

/// Moves that may end an attack: those to some squares, and those of the men on some squares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answers<const N: usize> {
    /// The attacker and the squares on its path.
    pub to: Bitboard<N>,
    /// The platforms of its path.
    pub from: Bitboard<N>,
}

/// What has to be looked at before a move is known to be legal.
///
/// A move of a man other than the king, that is neither castling nor en passant, is
/// - illegal if a man that is no imitator gives check and the move is not among the answers;
/// - illegal if an imitator, moving as the type that moves, attacks the king, and the move is not among the
///   answers to that;
/// - otherwise legal without a further look if the man gives no such answer, does not stand on `from`
///   and does not go to `to`.
///
/// What remains is decided by looking at the paths of `attackers` alone.
#[derive(Clone, Copy, Debug)]
pub struct Threats<const N: usize> {
    /// Whether the side to move is in check.
    pub check: bool,
    /// Squares that are the last obstacle (or one platform too many) on an enemy's path to the king.
    pub from: Bitboard<N>,
    /// Squares where a man would become the platform that an enemy's path to the king lacks.
    pub to: Bitboard<N>,
    /// Types as which an enemy imitator attacks the king.
    pub kinds: u32,
    /// What answers the checks by men that are no imitators, if there are any.
    pub(crate) answers: Option<Answers<N>>,
    /// What may answer the attacks of `kinds`.
    pub(crate) kind_answers: Answers<N>,
    /// Enemies that attack the king or may do so after one move.
    pub(crate) attackers: Bitboard<N>,
}

impl<const N: usize> Position<N> {
    /// What has to be looked at before moves of the side to move are known to be legal.
    #[inline]
    #[must_use]
    pub fn threats(&self) -> Threats<N> {
        self.kernels.threats(self)
    }
}

/// The [`Threats`] of a position.
#[inline(always)]
pub(super) fn threats<const N: usize>(position: &Position<N>) -> Threats<N> {
    let us = position.side;
    let (by, king) = (!us, position.king(us));
    let compiled = &*position.compiled;
    let tables = &compiled.tables;
    let mut scan = Scan {
        occupancy: position.occupancy(),
        own: position.occupied[us.index()],
        king,
        checks: Answers {
            to: !Bitboard::EMPTY,
            from: Bitboard::EMPTY,
        },
        threats: Threats {
            check: false,
            from: Bitboard::EMPTY,
            to: Bitboard::EMPTY,
            kinds: 0,
            answers: None,
            kind_answers: Answers {
                to: Bitboard::EMPTY,
                from: Bitboard::EMPTY,
            },
            attackers: Bitboard::EMPTY,
        },
    };
    let sources = tables.sources(by, king);
    for &kind in &compiled.plain_kinds {
        let set = position.men[by.index()][kind.index()];
        let from = &sources[kind.index()];
        scan.men(set & from.leaps, set & from.lines, tables.kind(by, kind));
    }
    let holders = &position.holders[by.index()][..compiled.powers];
    for (bit, set) in holders.iter().enumerate() {
        let from = &sources[compiled.rules.pieces.len() + bit];
        scan.men(*set & from.leaps, *set & from.lines, tables.power(by, bit));
    }
    if scan.threats.check {
        scan.threats.answers = Some(scan.checks);
    }
    if let Some(imitator) = compiled.rules.imitator {
        let jokers = position.men(by, imitator);
        if jokers.any() {
            scan.imitators(position, by, imitator, jokers);
        }
    }
    scan.threats
}

struct Scan<const N: usize> {
    occupancy: Occupancy<N>,
    own: Bitboard<N>,
    king: Square,
    checks: Answers<N>,
    threats: Threats<N>,
}

impl<const N: usize> Scan<N> {
    /// Men that leap to the king, and men with a path there.
    #[inline(always)]
    fn men(&mut self, leapers: Bitboard<N>, liners: Bitboard<N>, mover: &Mover<N>) {
        if (leapers | liners).is_empty() {
            return;
        }
        for from in leapers {
            self.threats.check = true;
            self.threats.attackers.insert(from);
            self.checks.to &= Bitboard::of(from);
        }
        for from in liners {
            for path in mover.paths(from, self.king) {
                if let Some(answers) = self.path(path, from, self.own) {
                    self.threats.check = true;
                    self.checks.to &= answers.to;
                    self.checks.from |= answers.from;
                }
            }
        }
    }

    /// Imitators: as each type that this side might move.
    #[inline(always)]
    fn imitators(
        &mut self,
        position: &Position<N>,
        by: Colour,
        imitator: Kind,
        jokers: Bitboard<N>,
    ) {
        let tables = &position.compiled.tables;
        let us = !by;
        for joker in jokers {
            let mut reach = tables.imitator_reach(by, joker, self.king);
            while reach != 0 {
                let kind = Kind(reach.trailing_zeros() as u8);
                reach &= reach - 1;
                let mover = tables.imitation(by, kind);
                let mut movers = position.men(us, kind);
                if position.last_moved(by) == Some(kind) {
                    movers |= position.men(us, imitator);
                }
                let checks = position.last_moved(us) == Some(kind);
                let mut open = None;
                if mover.leapers_to(self.king).has(joker) {
                    self.threats.attackers.insert(joker);
                    open = Some(Answers {
                        to: Bitboard::of(joker),
                        from: Bitboard::EMPTY,
                    });
                } else if checks || movers.any() {
                    for path in mover.paths(joker, self.king) {
                        open = self.path(path, joker, movers).or(open);
                    }
                }
                if let Some(answers) = open {
                    self.threats.kinds |= 1 << kind.index();
                    self.threats.kind_answers.to |= answers.to;
                    self.threats.kind_answers.from |= answers.from;
                    self.threats.check |= checks;
                }
            }
        }
    }

    /// Looks at the path of the man on `from`, on which those of `movers` may be in the way; the answers to it if
    /// it is open.
    #[inline(always)]
    fn path(&mut self, path: &Path<N>, from: Square, movers: Bitboard<N>) -> Option<Answers<N>> {
        let blocked = path.clear.without(self.occupancy.free);
        let obstacles = blocked.count();
        let threats = &mut self.threats;
        let (open, exposing, completing) = match path.kind {
            PathKind::Fixed => {
                if obstacles > 1 {
                    return None;
                }
                let lacking = path.platforms.without(self.occupancy.occupied);
                match (obstacles, lacking.count()) {
                    (0, 0) => (Some(path.platforms), Bitboard::EMPTY, Bitboard::EMPTY),
                    (1, 0 | 1) => (None, blocked & movers, Bitboard::EMPTY),
                    (0, 1) => (None, Bitboard::EMPTY, lacking),
                    _ => return None,
                }
            }
            PathKind::OverOne => match obstacles {
                0 => (None, Bitboard::EMPTY, path.clear),
                1 if blocked.meets(&self.occupancy.occupied) => {
                    (Some(blocked), Bitboard::EMPTY, Bitboard::EMPTY)
                }
                2 => (None, blocked & movers, Bitboard::EMPTY),
                _ => return None,
            },
        };
        threats.from |= exposing;
        threats.to |= completing;
        if open.is_some() || exposing.any() || completing.any() {
            threats.attackers.insert(from);
        }
        open.map(|platforms| Answers {
            to: path.clear | Bitboard::of(from),
            from: platforms,
        })
    }
}
