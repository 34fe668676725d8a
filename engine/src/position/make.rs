//! Making and unmaking moves.

use super::{EnPassant, Position, State};
use crate::attacks::Special;
use crate::types::{Colour, Move, MoveKind, Piece, Square};
use crate::variant::rule_set::NMoveReset;

/// What is needed to take a move back.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    state: State,
    captured: Piece,
    captured_on: Square,
    captured_powers: u16,
}

impl<const N: usize> Position<N> {
    /// Makes a move that [`legal`](crate::movegen) generation gave for this position.
    ///
    /// Contract: the move is legal here. Anything else leaves a position without meaning, but never
    /// reads or writes outside it.
    pub fn make(&mut self, mv: Move) -> Undo {
        let mut undo = Undo {
            state: self.state,
            captured: Piece::NONE,
            captured_on: mv.to(),
            captured_powers: 0,
        };
        let us = self.side;
        if mv.is_setup() {
            self.make_setup(mv);
            return undo;
        }
        let en_passant = self.state.en_passant.take();
        match mv.kind() {
            MoveKind::Castle => self.make_castle(mv),
            kind => {
                if kind == MoveKind::EnPassant {
                    undo.captured_on = en_passant.map_or(mv.to(), |e| e.victim);
                }
                let marks = if kind == MoveKind::MultiStep {
                    self.marks(mv)
                } else {
                    None
                };
                self.make_step(mv, &mut undo);
                self.state.en_passant = marks;
            }
        }
        self.set_rights(
            self.state.rights
                & !(self.compiled.lost_rights[mv.from().index()]
                    | self.compiled.lost_rights[mv.to().index()]),
        );
        if us == Colour::Black {
            self.state.fullmove = self.state.fullmove.saturating_add(1);
        }
        self.set_side(!us);
        if let Some(mut marks) = self.state.en_passant {
            marks.live = self.may_capture_passed(&marks);
            self.state.en_passant = Some(marks);
        }
        undo
    }

    /// Passes: the other side is to move. What each side moved last stays as it is.
    ///
    /// Contract: the side to move is not in check, and the game is not being set up.
    pub fn make_null(&mut self) -> Undo {
        let undo = Undo {
            state: self.state,
            captured: Piece::NONE,
            captured_on: Square(0),
            captured_powers: 0,
        };
        self.state.en_passant = None;
        self.state.halfmove = self.state.halfmove.saturating_add(1);
        self.set_side(!self.side);
        undo
    }

    /// Takes a pass back.
    pub fn unmake_null(&mut self, undo: &Undo) {
        self.side = !self.side;
        self.state = undo.state;
    }

    /// Moves a man, with capture and promotion.
    fn make_step(&mut self, mv: Move, undo: &mut Undo) {
        let us = self.side;
        let victim = self.board[undo.captured_on.index()];
        if !victim.is_none() && victim.colour() != us {
            undo.captured = self.take(undo.captured_on);
            undo.captured_powers = self.set_powers(!us, undo.captured_on, 0);
            self.lose(victim);
        }
        let powers = self.set_powers(us, mv.from(), 0);
        let piece = self.take(mv.from());
        let compiled = &self.compiled;
        let pawn = compiled.is_pawn(piece.kind());
        let progress = match compiled
            .rules
            .ends
            .n_move
            .map_or(NMoveReset::PawnMove, |n| n.reset)
        {
            NMoveReset::PawnMove => pawn,
            NMoveReset::ForwardPawnMove => {
                let rank = |s| compiled.rules.geometry.relative_rank(us, s);
                pawn && rank(mv.to()) > rank(mv.from())
            }
        };
        let moved = match compiled.rules.imitator {
            Some(imitator) if imitator == piece.kind() => self.state.last_moved[(!us).index()],
            _ => Some(piece.kind()),
        };
        let arrived = mv.promotion().map_or(piece, |kind| Piece::new(us, kind));
        if let Some(kind) = mv.promotion()
            && self.promotes_from_reserve()
        {
            self.set_reserve(us, kind, self.reserve(us, kind).saturating_sub(1));
        }
        self.put(arrived, mv.to());
        self.set_powers(us, mv.to(), powers);
        self.state.last_moved[us.index()] = moved;
        let reset = progress || !undo.captured.is_none();
        self.state.halfmove = if reset {
            0
        } else {
            self.state.halfmove.saturating_add(1)
        };
    }

    fn make_castle(&mut self, mv: Move) {
        let us = self.side;
        let right = &self.compiled.rules.castling[mv.castling_right() as usize];
        let (partner_from, partner_to) = (
            right.partner,
            castled_partner(right.king, right.partner, mv.to()),
        );
        let king_powers = self.set_powers(us, mv.from(), 0);
        let partner_powers = self.set_powers(us, partner_from, 0);
        let king = self.take(mv.from());
        let partner = self.take(partner_from);
        self.put(king, mv.to());
        self.put(partner, partner_to);
        self.set_powers(us, mv.to(), king_powers);
        self.set_powers(us, partner_to, partner_powers);
        self.state.last_moved[us.index()] = Some(king.kind());
        self.state.halfmove = self.state.halfmove.saturating_add(1);
    }

    /// Takes a move back; `undo` is what making it gave.
    pub fn unmake(&mut self, mv: Move, undo: &Undo) {
        if mv.is_setup() {
            self.unmake_setup(mv, &undo.state);
            return;
        }
        let us = !self.side;
        match mv.kind() {
            MoveKind::Castle => {
                let right = &self.compiled.rules.castling[mv.castling_right() as usize];
                let (partner_from, partner_to) = (
                    right.partner,
                    castled_partner(right.king, right.partner, mv.to()),
                );
                let king_powers = self.set_powers(us, mv.to(), 0);
                let partner_powers = self.set_powers(us, partner_to, 0);
                let king = self.take(mv.to());
                let partner = self.take(partner_to);
                self.put(king, mv.from());
                self.put(partner, partner_from);
                self.set_powers(us, mv.from(), king_powers);
                self.set_powers(us, partner_from, partner_powers);
            }
            _ => {
                let powers = self.set_powers(us, mv.to(), 0);
                let arrived = self.take(mv.to());
                let piece = if mv.promotion().is_some() {
                    self.promoted_from(us)
                } else {
                    arrived
                };
                if let Some(kind) = mv.promotion()
                    && self.promotes_from_reserve()
                {
                    self.reserve[us.index()][kind.index()] += 1;
                }
                self.put(piece, mv.from());
                self.set_powers(us, mv.from(), powers);
                if !undo.captured.is_none() {
                    self.put(undo.captured, undo.captured_on);
                    self.set_powers(!us, undo.captured_on, undo.captured_powers);
                    self.regain(undo.captured);
                }
            }
        }
        self.side = us;
        self.state = undo.state;
    }

    /// The pawn that a promotion began with: what the side is noted to have moved last.
    fn promoted_from(&self, us: Colour) -> Piece {
        let kind = self.state.last_moved[us.index()].unwrap_or(self.compiled.rules.king);
        Piece::new(us, kind)
    }

    fn promotes_from_reserve(&self) -> bool {
        self.compiled
            .rules
            .promotion
            .as_ref()
            .is_some_and(|p| p.from_reserve)
    }

    /// A lost man enters its owner's reserve.
    fn lose(&mut self, man: Piece) {
        if self.compiled.rules.reserve && !self.compiled.is_pawn(man.kind()) {
            let count = self.reserve(man.colour(), man.kind());
            self.set_reserve(man.colour(), man.kind(), count.saturating_add(1));
        }
    }

    fn regain(&mut self, man: Piece) {
        if self.compiled.rules.reserve && !self.compiled.is_pawn(man.kind()) {
            self.reserve[man.colour().index()][man.kind().index()] -= 1;
        }
    }

    /// The marks that a move leaves, if its path is one that leaves some.
    fn marks(&self, mv: Move) -> Option<EnPassant> {
        let mut marks = None;
        let mover = self
            .compiled
            .tables
            .kind(self.side, self.man_on(mv.from()).kind());
        self.compiled.tables.specials(
            mover,
            mv.from(),
            &self.occupancy(),
            |special, to, passed| {
                if special == Special::Marks
                    && to == mv.to()
                    && marks.is_none()
                    && !passed.is_empty()
                {
                    marks = Some(EnPassant::new(to, passed));
                }
            },
        );
        marks
    }

    /// Whether a man of the side to move may reach a passed square, obstacles aside.
    pub(crate) fn may_capture_passed(&self, marks: &EnPassant) -> bool {
        let us = self.side;
        self.compiled.passers[us.index()].iter().any(|&kind| {
            let mover = self.compiled.tables.kind(us, kind);
            let men = self.men(us, kind);
            let mut passed = marks.passed().iter();
            passed.any(|&square| men.meets(&mover.passers_to(square)))
        })
    }
}

/// Where a castling's partner goes: beside the king, on the side the king came from.
pub(crate) fn castled_partner(king: Square, partner: Square, king_to: Square) -> Square {
    if partner > king {
        Square(king_to.0 - 1)
    } else {
        Square(king_to.0 + 1)
    }
}
