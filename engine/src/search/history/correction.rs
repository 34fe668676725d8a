//! Correction history: by how much evaluation was wrong where pawns, or men, stood as they do now.
//!
//! What search found is compared with the static evaluation; the difference is remembered under keys of a part of
//! the position, and added to evaluations of positions that share it.

use super::gravitate;
use crate::position::{Position, castled_partner};
use crate::search::params as p;
use crate::types::{Colour, Move, MoveKind, Piece, Square};

/// Entries of a table, a power of two.
const ENTRIES: usize = 1 << 14;
/// Tables: pawns, White's other men, Black's other men.
const TABLES: usize = 3;

/// Hashes of parts of a position, kept up to date move by move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys([u64; TABLES]);

/// Where the corrections of a position are.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct Sites([usize; TABLES]);

/// Sums of past errors in 8ths of a centipawn.
pub(in crate::search) struct Correction {
    errors: Vec<i16>,
}

impl Keys {
    /// The keys of a position, from nothing.
    pub fn of<const N: usize>(position: &Position<N>) -> Keys {
        let mut keys = Keys::default();
        for square in Colour::ALL.into_iter().flat_map(|c| position.all_men(c)) {
            keys.toggle(position, position.man_on(square), square);
        }
        keys
    }

    /// The keys after a legal move that is not made yet.
    pub fn after<const N: usize>(mut self, position: &Position<N>, mv: Move) -> Keys {
        let (from, to) = (mv.from(), mv.to());
        let man = position.man_on(from);
        let taken = match mv.kind() {
            MoveKind::EnPassant => position.en_passant().map(|e| e.victim),
            MoveKind::Castle => {
                let right = &position.compiled().rules.castling[mv.castling_right() as usize];
                let partner = position.man_on(right.partner);
                let beside = castled_partner(right.king, right.partner, to);
                self.toggle(position, partner, right.partner);
                self.toggle(position, partner, beside);
                None
            }
            _ => Some(to).filter(|&s| !position.man_on(s).is_none()),
        };
        if let Some(square) = taken {
            self.toggle(position, position.man_on(square), square);
        }
        self.toggle(position, man, from);
        let arrived = mv
            .promotion()
            .map_or(man, |kind| Piece::new(man.colour(), kind));
        self.toggle(position, arrived, to);
        self
    }

    #[inline]
    fn toggle<const N: usize>(&mut self, position: &Position<N>, man: Piece, square: Square) {
        let compiled = position.compiled();
        let table = if compiled.is_pawn(man.kind()) {
            0
        } else {
            1 + man.colour().index()
        };
        self.0[table] ^= compiled.keys.man(man, square);
    }

    /// A key of the squares and types of the pawns.
    #[inline(always)]
    pub fn pawns(self) -> u64 {
        self.0[0]
    }

    /// Where corrections for the side to move are.
    #[inline]
    pub(in crate::search) fn sites(self, side: Colour) -> Sites {
        let mut sites = [0; TABLES];
        for (table, (site, key)) in sites.iter_mut().zip(self.0).enumerate() {
            let row = table * 2 + side.index();
            *site = row * ENTRIES + (key as usize & (ENTRIES - 1));
        }
        Sites(sites)
    }
}

impl Correction {
    pub fn new() -> Correction {
        Correction {
            errors: vec![0; TABLES * 2 * ENTRIES],
        }
    }

    pub fn clear(&mut self) {
        self.errors.fill(0);
    }

    /// What is to be added to an evaluation.
    #[inline]
    pub fn get(&self, sites: Sites) -> i32 {
        let sum: i32 = sites.0.iter().map(|&s| i32::from(self.errors[s])).sum();
        sum / p::correction_part()
    }

    /// Learns that the evaluation was off by `error` as a search of `depth` plies saw it.
    pub fn update(&mut self, sites: Sites, error: i32, depth: i32) {
        let most = p::CORRECTION_MOST / 4;
        let bonus = (error * depth / 8).clamp(-most, most);
        for site in sites.0 {
            gravitate(&mut self.errors[site], bonus, p::CORRECTION_MOST);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{AnyPosition, Game};
    use crate::movegen::Wanted;
    use crate::types::MoveList;
    use crate::variant::Catalog;
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::SeedableRng;

    fn check<const N: usize>(position: &Position<N>) {
        let mut moves = MoveList::new();
        position.legal_moves(Wanted::All, &mut moves);
        for mv in moves {
            let mut after = position.clone();
            after.make(mv);
            let kept = Keys::of(position).after(position, mv);
            assert_eq!(kept, Keys::of(&after), "{mv:?} in {}", position.fen());
        }
    }

    #[test]
    fn keys_kept_are_keys_from_nothing() {
        let catalog = Catalog::builtin();
        for id in catalog.ids() {
            let variant = catalog.get(id).unwrap();
            for seed in 0..3 {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                let fen = variant.army_fen(seed).unwrap();
                let mut game = Game::new(variant.clone(), &fen).unwrap();
                for _ in 0..100 {
                    match game.position() {
                        AnyPosition::One(p) => check(p),
                        AnyPosition::Two(p) => check(p),
                        AnyPosition::Four(p) => check(p),
                    }
                    if !game.play_random(&mut random) {
                        break;
                    }
                }
            }
        }
        let castle = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
        let game = Game::new(catalog.get("chess").unwrap(), castle).unwrap();
        if let AnyPosition::One(p) = game.position() {
            check(p);
        }
    }

    #[test]
    fn corrections_approach_the_error() {
        let mut table = Correction::new();
        let sites = Keys([5, 6, 7]).sites(Colour::White);
        assert_eq!(table.get(sites), 0);
        for _ in 0..50 {
            table.update(sites, 60, 6);
        }
        assert!(table.get(sites) > 5);
        assert_eq!(table.get(Keys([5, 6, 7]).sites(Colour::Black)), 0);
    }
}
