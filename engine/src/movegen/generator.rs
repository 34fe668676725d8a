//! The generator: the legal moves of each man, handed to a [`Sink`].

use super::legal::Wanted;
use super::reaches::Memory;
use super::sink::{Promotions, Sink};
use crate::attacks::{Mover, Occupancy, Reach};
use crate::bitboard::Bitboard;
use crate::position::{Answers, Compiled, Position, Threats};
use crate::types::{Colour, Kind, MoveKind, Square};

/// What generation looks up again and again.
pub(super) struct Generator<'a, const N: usize> {
    pub position: &'a Position<N>,
    pub compiled: &'a Compiled<N>,
    pub us: Colour,
    pub occupancy: Occupancy<N>,
    enemies: Bitboard<N>,
    pub threats: &'a Threats<N>,
    wanted: Wanted,
    pub promotions: Promotions<'a, N>,
    /// Squares just passed on which a man can be captured en passant, if a path to one may be open.
    passed: Option<Bitboard<N>>,
}

/// Men of one type.
pub(super) struct These<'a, const N: usize> {
    pub kind: Kind,
    /// The type as which they move.
    pub acting: Kind,
    mover: &'a Mover<N>,
    pub royal: bool,
    promotes: bool,
    /// Whether some of their moves leave en passant marks.
    marks: bool,
    /// The squares just passed, if they can capture there.
    passed: Option<Bitboard<N>>,
    /// The only moves that may be legal.
    pub only: Option<&'a Answers<N>>,
}

impl<'a, const N: usize> Generator<'a, N> {
    /// Prepares to generate the moves of a position with these threats.
    #[inline(always)]
    pub fn new(position: &'a Position<N>, threats: &'a Threats<N>, wanted: Wanted) -> Self {
        let us = position.side_to_move();
        let compiled = position.compiled();
        let live = position.en_passant().filter(|e| e.live);
        Generator {
            position,
            compiled,
            us,
            occupancy: position.occupancy(),
            enemies: position.all_men(!us),
            threats,
            wanted,
            promotions: Promotions {
                zone: &compiled.promotion[us.index()],
                available: position.promotable(us),
            },
            passed: live.map(|e| e.passed().iter().copied().collect()),
        }
    }

    /// The moves of all men.
    #[inline(always)]
    pub fn all<S: Sink<N>>(&self, memory: &mut Option<&mut Memory<N>>, sink: &mut S) {
        let compiled = self.compiled;
        let mut others = self.position.all_men(self.us);
        if !S::LISTS && self.wanted == Wanted::All {
            let plain = self.plain();
            self.count_plain(plain, memory, sink);
            others ^= plain;
        }
        for &kind in &compiled.plain_kinds {
            let men = self.position.men(self.us, kind) & others;
            if men.any() {
                self.men(men, kind, kind, memory, sink);
            }
        }
        if let Some(imitator) = compiled.rules.imitator
            && let Some(acting) = self.position.last_moved(!self.us)
        {
            let men = self.position.men(self.us, imitator);
            if men.any() {
                self.men(men, imitator, acting, memory, sink);
            }
        }
        if let Some(passed) = self.passed
            && self.wanted.noisy()
        {
            self.en_passant(passed, sink);
        }
        if self.wanted.quiet() {
            self.castlings(sink);
            self.king_leaps(memory, sink);
        }
    }

    /// The men all of whose targets are legal and about which there is nothing else to ask.
    #[inline(always)]
    fn plain(&self) -> Bitboard<N> {
        let threats = self.threats;
        if threats.answers.is_some() || threats.kinds != 0 || threats.to.any() {
            return Bitboard::EMPTY;
        }
        let rules = &self.compiled.rules;
        let mut plain = self.position.all_men(self.us).without(threats.from);
        plain = plain.without(self.position.men(self.us, rules.king));
        if let Some(imitator) = rules.imitator {
            plain = plain.without(self.position.men(self.us, imitator));
        }
        if self.passed.is_some() {
            for &kind in &self.compiled.passers[self.us.index()] {
                plain = plain.without(self.position.men(self.us, kind));
            }
        }
        plain
    }

    /// Counts the moves of [plain](Self::plain) men, whatever their types: no order is asked for.
    #[inline(always)]
    fn count_plain<S: Sink<N>>(
        &self,
        men: Bitboard<N>,
        memory: &mut Option<&mut Memory<N>>,
        sink: &mut S,
    ) {
        let promoting = self.compiled.promoting;
        let marking = self.compiled.marking[self.us.index()];
        let mut fresh = Reach::NOTHING;
        for from in men {
            let kind = self.position.man_on(from).kind();
            let reach = self.reach(memory, &mut fresh, (kind, kind), from);
            let quiet = reach.targets.quiet & self.occupancy.free;
            let targets = quiet | reach.targets.capture & self.enemies;
            if promoting >> kind.index() & 1 != 0 {
                let way = (MoveKind::Normal, from);
                sink.promotions(way, targets, &self.promotions, Wanted::All);
            } else {
                sink.moves(from, targets);
            }
            if marking >> kind.index() & 1 != 0 {
                let others = reach.marks.without(quiet) & self.promotions.zone.stays;
                sink.moves(from, others);
            }
        }
    }

    /// The moves of the man on `from` among which one of kind `special` must be, if it is legal.
    #[inline(always)]
    pub fn man_on<S: Sink<N>>(
        &self,
        from: Square,
        kind: Kind,
        special: MoveKind,
        memory: &mut Option<&mut Memory<N>>,
        sink: &mut S,
    ) {
        match special {
            MoveKind::Castle => self.castlings(sink),
            MoveKind::KingLeap => self.king_leaps(memory, sink),
            MoveKind::EnPassant => {
                if let Some(passed) = self.passed {
                    self.en_passant(passed, sink);
                }
            }
            _ => {
                let acting = if self.compiled.rules.imitator == Some(kind) {
                    self.position.last_moved(!self.us)
                } else {
                    Some(kind)
                };
                if let Some(acting) = acting {
                    self.men(Bitboard::of(from), kind, acting, memory, sink);
                }
            }
        }
    }

    /// The moves of some men of `kind` that move as `acting`.
    #[inline(always)]
    fn men<S: Sink<N>>(
        &self,
        men: Bitboard<N>,
        kind: Kind,
        acting: Kind,
        memory: &mut Option<&mut Memory<N>>,
        sink: &mut S,
    ) {
        let compiled = self.compiled;
        let imitates = kind != acting;
        let mover = if imitates {
            compiled.tables.imitation(self.us, acting)
        } else {
            compiled.tables.kind(self.us, kind)
        };
        let these = These {
            kind,
            acting,
            mover,
            royal: kind == compiled.rules.king,
            promotes: compiled.promoting >> kind.index() & 1 != 0,
            marks: mover.has_specials() && !imitates,
            passed: self.passed.filter(|_| mover.captures_en_passant()),
            only: self.only(acting),
        };
        let free = !these.royal
            && these.only.is_none()
            && self.threats.to.is_empty()
            && !self.threats.from.meets(&men);
        if free {
            self.each::<S, true>(men, &these, memory, sink);
        } else {
            self.each::<S, false>(men, &these, memory, sink);
        }
    }

    /// The moves of some men of one type; `FREE` if none of them can expose the king.
    #[inline(always)]
    fn each<S: Sink<N>, const FREE: bool>(
        &self,
        men: Bitboard<N>,
        these: &These<'_, N>,
        memory: &mut Option<&mut Memory<N>>,
        sink: &mut S,
    ) {
        let legal = |targets, from| {
            if FREE {
                targets
            } else {
                self.legal(targets, from, these)
            }
        };
        let mut fresh = Reach::NOTHING;
        for from in men {
            let reach = self.reach(memory, &mut fresh, (these.kind, these.acting), from);
            let mut quiet = reach.targets.quiet;
            let mut capture = reach.targets.capture;
            if these.royal {
                self.add_cautious(these.mover, from, &mut quiet, &mut capture);
            }
            quiet &= self.occupancy.free;
            capture &= self.enemies;
            if let Some(passed) = these.passed {
                // A capture en passant and a quiet move to the same square would be written alike; the capture
                // stands.
                quiet = quiet.without(passed & these.mover.en_passant_reach(from));
            }
            let way = (MoveKind::Normal, from);
            if self.wanted == Wanted::All && !(S::LISTS && (these.promotes || these.marks)) {
                let targets = legal(quiet | capture, from);
                if these.promotes {
                    sink.promotions(way, targets, &self.promotions, Wanted::All);
                } else {
                    sink.moves(from, targets);
                }
            } else if these.promotes {
                if self.wanted.noisy() {
                    // Every capture of a pawn is noisy.
                    let capture = legal(capture, from);
                    sink.promotions(way, capture, &self.promotions, Wanted::All);
                }
                let quiet = legal(quiet, from);
                sink.promotions(way, quiet, &self.promotions, self.wanted);
            } else {
                if self.wanted.noisy() {
                    sink.moves(from, legal(capture, from));
                }
                if self.wanted.quiet() {
                    sink.moves(from, legal(quiet, from));
                }
            }
            if these.marks && self.wanted.quiet() {
                let others = reach.marks.without(quiet) & self.promotions.zone.stays;
                if others.any() {
                    self.multi_steps(these.mover, from, legal(others, from), sink);
                }
            }
        }
    }

    /// Where the man of `kind` on `from`, which moves as `acting`, reaches, remembered or fresh.
    #[inline(always)]
    pub(super) fn reach<'b>(
        &self,
        memory: &'b mut Option<&mut Memory<N>>,
        fresh: &'b mut Reach<N>,
        (kind, acting): (Kind, Kind),
        from: Square,
    ) -> &'b Reach<N> {
        let (position, occupancy) = (self.position, &self.occupancy);
        match memory {
            Some(memory) => memory.reach(position, occupancy, (self.us, kind, acting), from),
            None => {
                let kernels = &position.kernels;
                kernels.reach(position, occupancy, self.us, kind, acting, from, fresh);
                fresh
            }
        }
    }
}
