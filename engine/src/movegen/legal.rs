//! Generation of legal moves of men on the board.

use super::reaches::Reaches;
use crate::attacks::{Mover, Occupancy, Special, Targets};
use crate::bitboard::Bitboard;
use crate::position::{Position, Threats};
use crate::types::{Colour, Kind, Move, MoveKind, MoveList, Square};

/// Which moves are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All.
    All,
    /// Captures and promotions.
    Noisy,
    /// The rest.
    Quiet,
}

impl Wanted {
    fn noisy(self) -> bool {
        self != Wanted::Quiet
    }

    fn quiet(self) -> bool {
        self != Wanted::Noisy
    }
}

/// What generation looks up again and again.
struct Generator<'a, const N: usize> {
    position: &'a Position<N>,
    us: Colour,
    occupancy: Occupancy<N>,
    enemies: Bitboard<N>,
    threats: Threats<N>,
    reaches: Option<&'a Reaches<N>>,
    wanted: Wanted,
    /// Types that a pawn may become if the square allows it, as a set.
    promotable: u32,
}

impl<const N: usize> Position<N> {
    /// Appends the legal moves to a list. In a set-up phase there are none: see [`setup_picks`](Self::setup_picks) and
    /// [`setup_placements`](Self::setup_placements).
    pub fn legal_moves(&self, wanted: Wanted, moves: &mut MoveList) {
        if self.setup().is_some() {
            return;
        }
        self.generator(&self.threats(), None, wanted).all(moves);
    }

    /// Appends the legal moves to a list, given the [`threats`](Self::threats) of this position and a memory of
    /// where men reach.
    pub fn legal_moves_with(
        &self,
        threats: &Threats<N>,
        reaches: &Reaches<N>,
        wanted: Wanted,
        moves: &mut MoveList,
    ) {
        self.generator(threats, Some(reaches), wanted).all(moves);
    }

    /// Whether a move, wherever it comes from, is legal here, given the [`threats`](Self::threats) of this position.
    ///
    /// `scratch` is cleared and holds the legal moves of one man afterwards.
    #[must_use]
    pub fn is_legal(
        &self,
        mv: Move,
        threats: &Threats<N>,
        reaches: &Reaches<N>,
        scratch: &mut MoveList,
    ) -> bool {
        scratch.clear();
        let from = mv.from();
        if mv == Move::NONE || from.index() >= self.compiled().rules.geometry.squares() {
            return false;
        }
        let piece = self.man_on(from);
        if piece.is_none() || piece.colour() != self.side_to_move() || mv.is_setup() {
            return false;
        }
        self.generator(threats, Some(reaches), Wanted::All).man_on(
            from,
            piece.kind(),
            mv.kind(),
            scratch,
        );
        scratch.contains(&mv)
    }

    fn generator<'a>(
        &'a self,
        threats: &Threats<N>,
        reaches: Option<&'a Reaches<N>>,
        wanted: Wanted,
    ) -> Generator<'a, N> {
        Generator {
            position: self,
            us: self.side_to_move(),
            occupancy: self.occupancy(),
            enemies: self.all_men(!self.side_to_move()),
            threats: *threats,
            reaches,
            wanted,
            promotable: self.promotable(self.side_to_move()),
        }
    }

    /// The types that a side's pawns may become now, were their square the last: all, or those in its reserve.
    #[must_use]
    pub fn promotable(&self, colour: Colour) -> u32 {
        match &self.compiled().rules.promotion {
            None => 0,
            Some(rule) if !rule.from_reserve => u32::MAX,
            Some(_) => {
                let reserve = &self.reserve[colour.index()];
                reserve
                    .iter()
                    .enumerate()
                    .fold(0, |set, (i, &n)| if n > 0 { set | 1 << i } else { set })
            }
        }
    }

    /// Whether the side to move has a legal move.
    #[must_use]
    pub fn has_legal_move(&self) -> bool {
        // A list is cheap beside generation; stopping early is left to the move picker of search.
        let mut moves = MoveList::new();
        self.legal_moves(Wanted::All, &mut moves);
        !moves.is_empty()
    }
}

impl<const N: usize> Generator<'_, N> {
    fn all(&self, moves: &mut MoveList) {
        let compiled = self.position.compiled();
        for &kind in &compiled.plain_kinds {
            let mover = compiled.tables.kind(self.us, kind);
            for from in self.position.men(self.us, kind) {
                self.man(kind, kind, mover, from, moves);
            }
        }
        if let Some(imitator) = compiled.rules.imitator
            && let Some(kind) = self.position.last_moved(!self.us)
        {
            let mover = compiled.tables.imitation(self.us, kind);
            for from in self.position.men(self.us, imitator) {
                self.man(imitator, kind, mover, from, moves);
            }
        }
        if self.position.en_passant().is_some_and(|e| e.live) && self.wanted.noisy() {
            self.en_passant(moves);
        }
        if self.wanted.quiet() {
            self.castlings(moves);
            self.king_leaps(moves);
        }
    }

    /// The moves of the man on `from` among which one of kind `special` must be, if it is legal.
    fn man_on(&self, from: Square, kind: Kind, special: MoveKind, moves: &mut MoveList) {
        let compiled = self.position.compiled();
        match special {
            MoveKind::Castle => self.castlings(moves),
            MoveKind::KingLeap => {
                // A leap to where the king can step is written as a step, so the steps come first.
                self.man(kind, kind, compiled.tables.kind(self.us, kind), from, moves);
                self.king_leaps(moves);
            }
            MoveKind::EnPassant => {
                if self.position.en_passant().is_some_and(|e| e.live) {
                    self.en_passant(moves);
                }
            }
            _ if compiled.rules.imitator == Some(kind) => {
                if let Some(acting) = self.position.last_moved(!self.us) {
                    self.man(
                        kind,
                        acting,
                        compiled.tables.imitation(self.us, acting),
                        from,
                        moves,
                    );
                }
            }
            _ => self.man(kind, kind, compiled.tables.kind(self.us, kind), from, moves),
        }
    }

    /// Where a man reaches by its own moves and its powers'.
    #[inline]
    fn reach(&self, kind: Kind, acting: Kind, mover: &Mover<N>, from: Square) -> Targets<N> {
        if let Some(reaches) = self.reaches {
            return reaches.get(
                self.position,
                &self.occupancy,
                (self.us, kind, acting),
                from,
            );
        }
        let tables = &self.position.compiled().tables;
        let mut t = tables.targets(mover, from, &self.occupancy);
        let mut powers = self.position.powers(from);
        while powers != 0 {
            let power = tables.power(self.us, powers.trailing_zeros() as usize);
            let more = tables.targets(power, from, &self.occupancy);
            t.quiet |= more.quiet;
            t.capture |= more.capture;
            powers &= powers - 1;
        }
        t
    }

    /// The moves of one man of `kind` that moves as `acting`.
    fn man(&self, kind: Kind, acting: Kind, mover: &Mover<N>, from: Square, moves: &mut MoveList) {
        let compiled = self.position.compiled();
        let mut t = self.reach(kind, acting, mover, from);
        let royal = kind == compiled.rules.king;
        if royal {
            let occupied = self.occupancy.occupied.without(Bitboard::of(from));
            let lifted = compiled.tables.occupancy(occupied);
            let imitated = self.position.last_moved(self.us);
            let safe = |square| {
                !self
                    .position
                    .is_attacked(square, !self.us, &lifted, Bitboard::EMPTY, imitated)
            };
            let more = compiled.tables.cautious(mover, from, &self.occupancy, safe);
            t.quiet |= more.quiet;
            t.capture |= more.capture;
        }
        t.quiet &= self.occupancy.free;
        t.capture &= self.enemies;
        let suspect = royal
            || self.threats.check
            || self.threats.from.has(from)
            || self.threats.kinds >> acting.index() & 1 != 0;
        let promotes = compiled.is_pawn(kind) && compiled.rules.promotion.is_some();
        if mover.captures_en_passant() && self.position.en_passant().is_some_and(|e| e.live) {
            // A capture en passant and a quiet move to the same square would be written alike; the capture stands.
            let passed: Bitboard<N> = self
                .position
                .en_passant()
                .into_iter()
                .flat_map(|e| e.passed())
                .copied()
                .collect();
            t.quiet = t.quiet.without(passed & mover.en_passant_reach(from));
        }
        if self.wanted == Wanted::All && !promotes && !mover.has_specials() {
            self.emit_set(t.quiet | t.capture, from, acting, suspect, moves);
            return;
        }
        if self.wanted.noisy() {
            if promotes {
                // Every capture of a pawn is noisy.
                self.emit_pawn(t.capture, (from, acting, suspect), Wanted::All, moves);
            } else {
                self.emit_set(t.capture, from, acting, suspect, moves);
            }
        }
        if promotes {
            self.emit_pawn(t.quiet, (from, acting, suspect), self.wanted, moves);
        } else if self.wanted.quiet() {
            self.emit_set(t.quiet, from, acting, suspect, moves);
        }
        if self.wanted.quiet() && mover.has_specials() && kind == acting {
            self.multi_steps(mover, from, acting, suspect, t.quiet, moves);
        }
    }

    /// Emits the legal ones of ordinary moves without promotion.
    #[inline]
    fn emit_set(
        &self,
        targets: Bitboard<N>,
        from: Square,
        acting: Kind,
        suspect: bool,
        moves: &mut MoveList,
    ) {
        let doubtful = if suspect {
            targets
        } else {
            targets & self.threats.to
        };
        for to in targets.without(doubtful) {
            moves.push(Move::new(MoveKind::Normal, from, to));
        }
        for to in doubtful {
            if self.is_safe(from, to, None, acting) {
                moves.push(Move::new(MoveKind::Normal, from, to));
            }
        }
    }

    /// Emits a pawn's moves to these squares, with promotions; `wanted` leaves some of them out.
    fn emit_pawn(
        &self,
        targets: Bitboard<N>,
        (from, acting, suspect): (Square, Kind, bool),
        wanted: Wanted,
        moves: &mut MoveList,
    ) {
        for to in targets {
            let look = suspect || self.threats.to.has(to);
            if !look || self.is_safe(from, to, None, acting) {
                self.promotions(Move::new(MoveKind::Normal, from, to), wanted, moves);
            }
        }
    }

    /// Emits a pawn's move with each promotion and, where that is allowed, without.
    fn promotions(&self, mv: Move, wanted: Wanted, moves: &mut MoveList) {
        let Some(rule) = &self.position.compiled().rules.promotion else {
            moves.push(mv);
            return;
        };
        let (c, to) = (self.us.index(), mv.to().index());
        if !rule.must[c][to] && !rule.no_pawn[c][to] && wanted.quiet() {
            moves.push(mv);
        }
        let mut set = rule.to[c][to] & self.promotable;
        while set != 0 && wanted.noisy() {
            moves.push(mv.promoting(Kind(set.trailing_zeros() as u8)));
            set &= set - 1;
        }
    }

    fn multi_steps(
        &self,
        mover: &Mover<N>,
        from: Square,
        acting: Kind,
        suspect: bool,
        other: Bitboard<N>,
        moves: &mut MoveList,
    ) {
        let tables = &self.position.compiled().tables;
        let mut seen = other;
        tables.specials(mover, from, &self.occupancy, |special, to, passed| {
            if special != Special::Marks || seen.has(to) {
                return;
            }
            seen.insert(to);
            if (suspect || self.threats.to.has(to)) && !self.is_safe(from, to, None, acting) {
                return;
            }
            let kind = if passed.is_empty() {
                MoveKind::Normal
            } else {
                MoveKind::MultiStep
            };
            self.promotions(Move::new(kind, from, to), Wanted::Quiet, moves);
        });
    }

    fn en_passant(&self, moves: &mut MoveList) {
        let compiled = self.position.compiled();
        let Some(marks) = self.position.en_passant() else {
            return;
        };
        for &kind in &compiled.plain_kinds {
            let mover = compiled.tables.kind(self.us, kind);
            if !mover.captures_en_passant() {
                continue;
            }
            for from in self.position.men(self.us, kind) {
                let mut seen = Bitboard::<N>::EMPTY;
                compiled
                    .tables
                    .specials(mover, from, &self.occupancy, |special, to, _| {
                        let fits = special == Special::EnPassant
                            && marks.passed().contains(&to)
                            && !seen.has(to);
                        if fits && self.is_safe(from, to, Some(marks.victim), kind) {
                            seen.insert(to);
                            self.promotions(
                                Move::new(MoveKind::EnPassant, from, to),
                                Wanted::All,
                                moves,
                            );
                        }
                    });
            }
        }
    }

    fn castlings(&self, moves: &mut MoveList) {
        if !self.threats.check && !self.position.compiled().rules.castling.is_empty() {
            self.position.castlings(&self.occupancy, moves);
        }
    }

    fn king_leaps(&self, moves: &mut MoveList) {
        let rules = &self.position.compiled().rules;
        let Some(leap) = rules.king_leap.as_ref().map(|l| &l[self.us.index()]) else {
            return;
        };
        if self.threats.check || !self.position.has_right(self.us.index()) {
            return;
        }
        for &to in &leap.to {
            let step = Move::new(MoveKind::Normal, leap.from, to);
            if self.occupancy.free.has(to)
                && !moves.contains(&step)
                && self.is_safe(leap.from, to, None, rules.king)
            {
                moves.push(Move::new(MoveKind::KingLeap, leap.from, to));
            }
        }
    }

    /// Whether the king is safe after a man has gone from a square to another.
    #[inline(never)]
    fn is_safe(&self, from: Square, to: Square, en_passant: Option<Square>, acting: Kind) -> bool {
        let mut occupied = self.occupancy.occupied;
        occupied.remove(from);
        let mut excluded = Bitboard::of(to);
        if let Some(victim) = en_passant {
            occupied.remove(victim);
            excluded.insert(victim);
        }
        occupied.insert(to);
        let king = self.position.king(self.us);
        let king = if king == from { to } else { king };
        let after = self.position.compiled().tables.occupancy(occupied);
        !self
            .position
            .is_attacked(king, !self.us, &after, excluded, Some(acting))
    }
}
