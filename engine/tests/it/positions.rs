//! Positions under random play: FEN round trips, making and unmaking, hashes, threats against plain attack tests.

use engine::game::{AnyPosition, Game};
use engine::movegen::Wanted;
use engine::position::Position;
use engine::types::MoveList;
use engine::variant::Catalog;
use proptest::prelude::*;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// Plays at random from a random start and checks each position.
fn play(id: &str, seed: u64, plies: u32) {
    let variant = Catalog::builtin().get(id).unwrap();
    let mut game = Game::new(variant.clone(), &variant.army_fen(seed).unwrap()).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..plies {
        let fen = game.fen();
        let again =
            AnyPosition::from_fen(&variant, &fen).unwrap_or_else(|e| panic!("{id} {fen}: {e}"));
        match (game.position(), again) {
            (AnyPosition::One(p), AnyPosition::One(q)) => check(p, &q),
            (AnyPosition::Two(p), AnyPosition::Two(q)) => check(p, &q),
            (AnyPosition::Four(p), AnyPosition::Four(q)) => check(p, &q),
            _ => panic!("the width of the board changed"),
        }
        if !game.play_random(&mut random) {
            break;
        }
    }
}

/// `reread` is the same position read from its FEN.
fn check<const N: usize>(position: &Position<N>, reread: &Position<N>) {
    assert_eq!(reread.fen(), position.fen());
    assert_eq!(reread.hash(), position.hash(), "{}", position.fen());
    assert_eq!(
        position.threats().check,
        position.in_check(),
        "{}",
        position.fen()
    );
    let mut all = MoveList::new();
    position.legal_moves(Wanted::All, &mut all);
    let mut parts = MoveList::new();
    position.legal_moves(Wanted::Noisy, &mut parts);
    position.legal_moves(Wanted::Quiet, &mut parts);
    let sorted = |moves: &MoveList| {
        let mut bits: Vec<u32> = moves.iter().map(|m| m.bits()).collect();
        bits.sort_unstable();
        bits
    };
    assert_eq!(sorted(&parts), sorted(&all), "{}", position.fen());
    let mut walked = position.clone();
    for &mv in &all {
        let undo = walked.make(mv);
        assert!(
            !walked.king_attacked(!walked.side_to_move()),
            "{} leaves the king attacked",
            position.fen()
        );
        assert_eq!(
            walked.hash(),
            reread_of(&walked).hash(),
            "hash of {}",
            walked.fen()
        );
        walked.unmake(mv, &undo);
        assert_eq!(walked.fen(), position.fen());
        assert_eq!(
            walked.hash(),
            position.hash(),
            "unmake in {}",
            position.fen()
        );
    }
}

fn reread_of<const N: usize>(position: &Position<N>) -> Position<N> {
    position.reread().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]
    #[test]
    fn random_games_hold_together(seed in any::<u64>()) {
        for id in Catalog::builtin().ids() {
            play(id, seed, 120);
        }
    }
}

#[test]
fn a_seed_gives_the_same_game() {
    for id in Catalog::builtin().ids() {
        let variant = Catalog::builtin().get(id).unwrap();
        let run = |seed| {
            let mut game = Game::new(
                variant.clone(),
                &variant.start_fen(variant.setups().first).unwrap(),
            )
            .unwrap();
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            while game.moves().len() < 40 && game.play_random(&mut random) {}
            game.moves().to_vec()
        };
        assert_eq!(run(7), run(7), "{id}");
        assert_ne!(run(7), run(8), "{id}");
    }
}
