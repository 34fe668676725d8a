//! What the men do: mobility, threats, and the danger for the kings.

use arrayvec::ArrayVec;

use super::evaluator::Evaluator;
use super::pawns::Pawns;
use super::terms::{Own, Sink, once};
use crate::attacks::Occupancy;
use crate::bitboard::Bitboard;
use crate::movegen::Reaches;
use crate::position::Position;
use crate::types::{Colour, Kind, Square};

/// What a side's men attack.
#[derive(Clone, Copy)]
struct Attacks<const N: usize> {
    /// Squares that its light men attack, its heavy ones, and all of them; the king does not count.
    light: Bitboard<N>,
    heavy: Bitboard<N>,
    men: Bitboard<N>,
    /// Its light and its heavy men.
    light_men: Bitboard<N>,
    heavy_men: Bitboard<N>,
}

/// Squares from which men of a side could give check, by type.
type Checks<const N: usize> = ArrayVec<(Kind, Bitboard<N>), { Kind::MAX }>;

/// A side as its men are looked at.
struct Side<'a, const N: usize> {
    position: &'a Position<N>,
    us: Colour,
    sign: i32,
    occupancy: &'a Occupancy<N>,
    enemies: Bitboard<N>,
    /// Squares that no enemy pawn attacks.
    safe: Bitboard<N>,
    /// Squares next to the enemy's king and its own.
    zone: Bitboard<N>,
    king: Square,
    guarded: Bitboard<N>,
    half_open: Bitboard<N>,
    open: Bitboard<N>,
}

impl<const N: usize> Evaluator<N> {
    /// Notes what the men of both sides do.
    #[inline(always)]
    pub(super) fn activity<S: Sink>(
        &self,
        position: &Position<N>,
        occupancy: &Occupancy<N>,
        pawns: &Pawns<N>,
        reaches: &Reaches<N>,
        sink: &mut S,
    ) {
        let (mut white_checks, mut black_checks) = (Checks::new(), Checks::new());
        let board = (position, occupancy, pawns);
        let white = self.look(board, Colour::White, &mut white_checks, reaches, sink);
        let black = self.look(board, Colour::Black, &mut black_checks, reaches, sink);
        let attacks = [white, black];
        let mut all = [Bitboard::EMPTY; 2];
        for us in Colour::ALL {
            let king = self.zone[position.king(us).index()];
            all[us.index()] = attacks[us.index()].men | pawns.attacks[us.index()] | king;
        }
        for us in Colour::ALL {
            let checks = match us {
                Colour::White => &white_checks,
                Colour::Black => &black_checks,
            };
            self.threats(position, pawns, &attacks, us, sink);
            self.checks(position, occupancy, &all[(!us).index()], (us, checks), sink);
            self.outposts(pawns, &attacks, us, sink);
            self.passers(position, pawns, &all, us, sink);
            self.shelter(position, pawns, us, sink);
        }
    }

    /// Notes what a side's men do, and from where they could give check.
    #[inline(always)]
    fn look<S: Sink>(
        &self,
        (position, occupancy, pawns): (&Position<N>, &Occupancy<N>, &Pawns<N>),
        us: Colour,
        checks: &mut Checks<N>,
        reaches: &Reaches<N>,
        sink: &mut S,
    ) -> Attacks<N> {
        let (own, other) = (us.index(), (!us).index());
        let side = Side {
            position,
            us,
            sign: if us == Colour::White { 1 } else { -1 },
            occupancy,
            enemies: position.all_men(!us),
            safe: !pawns.attacks[other],
            zone: self.zone[position.king(!us).index()],
            king: position.king(!us),
            guarded: pawns.attacks[own],
            half_open: pawns.open[own],
            open: pawns.open[own] & pawns.open[other],
        };
        self.side(&side, checks, reaches, sink)
    }

    #[inline(always)]
    fn side<S: Sink>(
        &self,
        side: &Side<'_, N>,
        checks: &mut Checks<N>,
        reaches: &Reaches<N>,
        sink: &mut S,
    ) -> Attacks<N> {
        let (position, us) = (side.position, side.us);
        let compiled = position.compiled();
        let mut attacks = Attacks {
            light: Bitboard::EMPTY,
            men: Bitboard::EMPTY,
            heavy: Bitboard::EMPTY,
            light_men: Bitboard::EMPTY,
            heavy_men: Bitboard::EMPTY,
        };
        for &kind in &self.active {
            let men = position.men(us, kind);
            if men.is_empty() {
                continue;
            }
            self.own_terms(side, kind, men, sink);
            let (mut attacked, mut reached) = (Bitboard::EMPTY, Bitboard::EMPTY);
            for from in men {
                let (captures, all) = self.activate(side, (kind, kind), from, reaches, sink);
                attacked |= captures;
                reached |= all;
            }
            self.note(&mut attacks, kind, men, attacked);
            let mover = compiled.tables.kind(us, kind);
            let from = reached & (*mover.leapers_to(side.king) | *mover.liners_to(side.king));
            if from.any() {
                checks.push((kind, from));
            }
        }
        if let Some(imitator) = compiled.rules.imitator {
            let men = position.men(us, imitator);
            if men.any() {
                self.own_terms(side, imitator, men, sink);
                let mut attacked = Bitboard::EMPTY;
                if let Some(kind) = position.last_moved(!us) {
                    for from in men {
                        attacked |= self.activate(side, (imitator, kind), from, reaches, sink).0;
                    }
                }
                self.note(&mut attacks, imitator, men, attacked);
            }
        }
        attacks
    }

    #[inline(always)]
    fn note(&self, attacks: &mut Attacks<N>, kind: Kind, men: Bitboard<N>, attacked: Bitboard<N>) {
        attacks.men |= attacked;
        if self.parameters.heavy[kind.index()] {
            attacks.heavy |= attacked;
            attacks.heavy_men |= men;
        } else {
            attacks.light |= attacked;
            attacks.light_men |= men;
        }
    }

    /// Terms of all men of a type that need no look at where they reach.
    #[inline(always)]
    fn own_terms<S: Sink>(&self, side: &Side<'_, N>, kind: Kind, men: Bitboard<N>, sink: &mut S) {
        let terms = &self.parameters.terms;
        let mut add =
            |own: Own, count: u32| sink.add(terms.own(own, kind), side.sign * count as i32);
        add(Own::HalfOpen, (men & side.half_open).count());
        add(Own::Open, (men & side.open).count());
        add(Own::PawnGuards, (men & side.guarded).count());
        add(Own::Pair, u32::from(men.count() > 1));
    }

    /// Looks where a man of a type reaches that moves as another; gives what it attacks, and what it
    /// reaches now.
    #[inline(always)]
    fn activate<S: Sink>(
        &self,
        side: &Side<'_, N>,
        (kind, acting): (Kind, Kind),
        from: Square,
        reaches: &Reaches<N>,
        sink: &mut S,
    ) -> (Bitboard<N>, Bitboard<N>) {
        let t = reaches.get(side.position, side.occupancy, (side.us, kind, acting), from);
        let mut centre = self.parameters.centre[kind.index()];
        let powers = side.position.powers(from);
        if powers != 0 {
            centre = self.holders.centre(kind, powers).unwrap_or(centre);
        }
        let reached = (t.quiet & side.occupancy.free) | (t.capture & side.enemies);
        let squares = (reached & side.safe).count() as usize;
        sink.mobility(kind, squares, centre, side.sign);
        let hits = ((reached | t.capture) & side.zone).count() as i32;
        if hits > 0 {
            let terms = &self.parameters.terms;
            sink.danger(side.us.index(), terms.own(Own::UnitAttacker, kind), 1);
            sink.danger(side.us.index(), terms.own(Own::UnitHit, kind), hits);
        }
        (t.capture, reached)
    }

    #[inline(always)]
    fn threats<S: Sink>(
        &self,
        position: &Position<N>,
        pawns: &Pawns<N>,
        attacks: &[Attacks<N>; 2],
        us: Colour,
        sink: &mut S,
    ) {
        let (own, other) = (&attacks[us.index()], &attacks[(!us).index()]);
        let sign = if us == Colour::White { 1 } else { -1 };
        let by_pawns = pawns.attacks[us.index()];
        let king = self.zone[position.king(!us).index()];
        let guarded = other.men | pawns.attacks[(!us).index()] | king;
        let loose = (own.men | by_pawns).without(guarded);
        let mut add = |term, set: Bitboard<N>| sink.add(term, sign * set.count() as i32);
        add(once::PAWN_HITS_LIGHT, other.light_men & by_pawns);
        add(once::PAWN_HITS_HEAVY, other.heavy_men & by_pawns);
        add(once::LIGHT_HITS_HEAVY, other.heavy_men & own.light);
        add(once::LOOSE_PAWN, pawns.all[(!us).index()] & loose);
        add(once::LOOSE_LIGHT, other.light_men & loose);
        add(once::LOOSE_HEAVY, other.heavy_men & loose);
        add(once::LIGHT_HITS_LIGHT, other.light_men & own.light);
        add(once::HEAVY_HITS_LIGHT, other.light_men & own.heavy);
        let theirs = pawns.attacks[(!us).index()];
        add(once::CONTESTED, (own.men & other.men).without(theirs));
        let ours = own.men | by_pawns;
        let near = self.near[position.king(!us).index()] & ours;
        sink.danger(us.index(), once::UNIT_NEAR, near.count() as i32);
        sink.danger(
            us.index(),
            once::UNIT_GUARD,
            (king & other.men).count() as i32,
        );
        let weak = (king & own.men).without(other.men | pawns.attacks[(!us).index()]);
        sink.danger(us.index(), once::UNIT_WEAK, weak.count() as i32);
        sink.danger(us.index(), once::UNIT_BASE, 1);
    }

    /// Notes the checks that a side could give; the other guards some squares.
    #[inline(always)]
    fn checks<S: Sink>(
        &self,
        position: &Position<N>,
        occupancy: &Occupancy<N>,
        guarded: &Bitboard<N>,
        (us, checks): (Colour, &Checks<N>),
        sink: &mut S,
    ) {
        let compiled = position.compiled();
        let king = position.king(!us);
        for &(kind, from) in checks {
            let mover = compiled.tables.kind(us, kind);
            let (mut safe, mut all) = (0, 0);
            for square in from {
                if mover.attacks(square, king, occupancy) {
                    all += 1;
                    safe += i32::from(!guarded.has(square));
                }
            }
            if all > safe {
                sink.danger(us.index(), once::UNIT_CHECK, all - safe);
            }
            if safe > 0 {
                let term = self.parameters.terms.own(Own::UnitCheck, kind);
                sink.danger(us.index(), term, safe.min(2));
            }
        }
    }

    /// Notes light men on outposts: guarded by a pawn where no enemy pawn can ever attack them.
    #[inline(always)]
    fn outposts<S: Sink>(
        &self,
        pawns: &Pawns<N>,
        attacks: &[Attacks<N>; 2],
        us: Colour,
        sink: &mut S,
    ) {
        let sign = if us == Colour::White { 1 } else { -1 };
        let candidates = attacks[us.index()].light_men
            & pawns.attacks[us.index()]
            & self.files.beyond[us.index()];
        let mut count = 0;
        for square in candidates {
            let hunters = &self.files.hunters[us.index()][square.index()];
            count += i32::from(!pawns.all[(!us).index()].meets(hunters));
        }
        sink.add(once::OUTPOST, sign * count);
    }

    /// How pawns shelter a side's king.
    #[inline(always)]
    fn shelter<S: Sink>(&self, position: &Position<N>, pawns: &Pawns<N>, us: Colour, sink: &mut S) {
        let sign = if us == Colour::White { 1 } else { -1 };
        let (own, enemies) = (pawns.all[us.index()], pawns.all[(!us).index()]);
        let king = position.king(us);
        let ahead = &self.shelter[us.index()][king.index()];
        let [near, far, storm_near, storm_far] = ahead.bands;
        let (near, far) = ((own & near).count() as i32, (own & far).count() as i32);
        sink.add(once::SHELTER_NEAR, sign * near);
        sink.add(once::SHELTER_FAR, sign * far);
        sink.add(
            once::STORM_NEAR,
            sign * (enemies & storm_near).count() as i32,
        );
        sink.add(once::STORM_FAR, sign * (enemies & storm_far).count() as i32);
        let open = ahead
            .files
            .iter()
            .filter(|&file| !own.meets(&self.files.own[*file]));
        sink.add(once::KING_FILE, sign * open.count() as i32);
        sink.danger((!us).index(), once::UNIT_SHELTER, near + far);
    }
}

/// What lies ahead of a king.
#[derive(Clone, Debug)]
pub(super) struct Ahead<const N: usize> {
    /// Where pawns shelter it near and far, and where enemy pawns come near and from afar.
    bands: [Bitboard<N>; 4],
    /// Its file and those beside.
    files: arrayvec::ArrayVec<usize, 3>,
}

impl<const N: usize> Ahead<N> {
    pub fn new(board: &crate::geometry::Geometry, us: Colour, king: Square) -> Ahead<N> {
        let file = i16::from(board.file(king));
        let band = |from: i16, to: i16| {
            let near = |&s: &Square| {
                let ahead = board.relative_rank(us, s) - board.relative_rank(us, king);
                board.file(s).abs_diff(board.file(king)) <= 1
                    && (from..=to).contains(&ahead)
                    && s != king
            };
            board.all().filter(near).collect()
        };
        let files = (file - 1..=file + 1).filter(|f| (0..i16::from(board.files())).contains(f));
        Ahead {
            bands: [band(0, 1), band(2, 2), band(0, 2), band(3, 4)],
            files: files.map(|f| f as usize).collect(),
        }
    }
}
