//! Public perft figures, and an independent generator for orthodox chess.

use std::path::PathBuf;
use std::sync::Arc;

use cozy_chess::Board;
use engine::game::{AnyPosition, Game};
use engine::perft::perft_any;
use engine::variant::{Catalog, Variant};
use proptest::prelude::*;

fn nodes(variant: &Arc<Variant>, fen: &str, depth: u32) -> u64 {
    perft_any(&AnyPosition::from_fen(variant, fen).unwrap(), depth)
}

fn user_variant(name: &str) -> Arc<Variant> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../examples/variants")
        .join(name);
    Catalog::builtin().load_file(&path).unwrap()
}

#[test]
fn chess_equals_the_public_figures() {
    let chess = Catalog::builtin().get("chess").unwrap();
    let start = chess.start_fen(0).unwrap();
    for (depth, wanted) in [(1, 20), (2, 400), (3, 8902), (4, 197_281), (5, 4_865_609)] {
        assert_eq!(nodes(&chess, &start, depth), wanted, "depth {depth}");
    }
    let kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
    for (depth, wanted) in [(1, 48), (2, 2039), (3, 97_862), (4, 4_085_603)] {
        assert_eq!(nodes(&chess, kiwipete, depth), wanted, "depth {depth}");
    }
}

#[test]
fn user_variants_equal_the_public_figures() {
    let capablanca = user_variant("capablanca.toml");
    for (depth, wanted) in [(1, 28), (2, 784), (3, 25_228), (4, 805_128)] {
        assert_eq!(
            nodes(&capablanca, &capablanca.start_fen(0).unwrap(), depth),
            wanted,
            "Capablanca, depth {depth}"
        );
    }
    let grand = user_variant("grand-chess.toml");
    for (depth, wanted) in [(1, 65), (2, 4225), (3, 259_514), (4, 15_921_643)] {
        assert_eq!(
            nodes(&grand, &grand.start_fen(0).unwrap(), depth),
            wanted,
            "Grand chess, depth {depth}"
        );
    }
}

#[test]
fn a_berolina_start_equals_the_public_figure() {
    let text = "schema = 1\nid = \"berolina\"\nname = \"Berolina chess\"\nextends = \"chess\"\n\
                [piece.P]\nmove = \"mfFfceWmfnnA@2\"\n";
    let berolina = Catalog::builtin().load_text(text, "berolina.toml").unwrap();
    assert_eq!(
        nodes(&berolina, &berolina.start_fen(0).unwrap(), 4),
        882_717
    );
}

#[test]
fn augmenters_equal_fairy_stockfish() {
    let augmenters = Catalog::builtin().get("augmenters").unwrap();
    let fen = "r{F}c{FHS}b{N}e{BN+L}k{D}b{W}c{ACG}r{F}/pppppppp/8/8/8/8/PPPPPPPP/R{F}C{DHW}B{W}E{NR+B}K{D}B{N}C{ACG}R{E} w - - 0 1";
    for (depth, wanted) in [(1, 27), (2, 680), (3, 19_942), (4, 582_332)] {
        assert_eq!(nodes(&augmenters, fen, depth), wanted, "depth {depth}");
    }
}

#[test]
fn shire_plays_to_the_end() {
    use rand_chacha::rand_core::SeedableRng;
    let shire = user_variant("shire.toml");
    for number in 0..shire.setups().count {
        let mut game = Game::new(shire.clone(), &shire.start_fen(number).unwrap()).unwrap();
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(number);
        while game.play_random(&mut random) {
            assert!(game.moves().len() < 20_000, "set-up {number} does not end");
        }
        assert!(game.end().is_some());
    }
}

/// The moves of cozy-chess, in our notation (its castlings are king takes rook).
fn oracle_moves(board: &Board) -> Vec<String> {
    let mut moves = Vec::new();
    board.generate_moves(|set| {
        for mv in set {
            let mut text = mv.to_string();
            if board.colors(board.side_to_move()).has(mv.to) {
                let file = if mv.to.file() > mv.from.file() {
                    'g'
                } else {
                    'c'
                };
                text.replace_range(2..3, &file.to_string());
            }
            moves.push(text);
        }
        false
    });
    moves.sort();
    moves
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn chess_agrees_with_another_generator(choices in prop::collection::vec(any::<prop::sample::Index>(), 1..200)) {
        let chess = Catalog::builtin().get("chess").unwrap();
        let mut game = Game::new(chess.clone(), &chess.start_fen(0).unwrap()).unwrap();
        for choice in choices {
            let board: Board = game.fen().parse().unwrap();
            let moves = game.legal_moves();
            prop_assert_eq!(&moves, &oracle_moves(&board), "{}", game.fen());
            prop_assert_eq!(game.in_check(), !board.checkers().is_empty());
            if game.end().is_some() {
                break;
            }
            game.play(&moves[choice.index(moves.len())]).unwrap();
        }
    }
}
