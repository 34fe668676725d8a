//! 12 Augmenters Chess: the set-up phase, and what is said about bare kings.

use engine::game::Game;
use engine::variant::Catalog;

fn game(fen: &str) -> Game {
    Game::new(Catalog::builtin().get("augmenters").unwrap(), fen).unwrap()
}

#[test]
fn the_set_up_phase_goes_in_order() {
    let mut game = game("rcbekbcr/pppppppp/8/8/8/8/PPPPPPPP/RCBEKBCR w KQkq - 0 1");
    assert_eq!(game.legal_moves(), ["regent=BN", "regent=BR", "regent=NR"]);
    for refused in [
        "regent=NB",
        "regent=B",
        "e2e4",
        "augment=W,ADH,F,G,C,B,ELS,N",
    ] {
        assert!(game.play(refused).is_err(), "{refused}");
    }
    game.play("regent=BN").unwrap();
    assert_eq!(
        game.fen(),
        "rcbekbcr/pppppppp/8/8/8/8/PPPPPPPP/RCBE{BN}KBCR b KQkq - 0 1"
    );
    game.play("regent=NR").unwrap();
    assert_eq!(game.legal_moves(), ["augment"]);
    for refused in [
        "augment=W,DAH,F,G,C,B,ELS,N",
        "augment=W,ADH,F,G,C,B,ELS,W",
        "augment=W,ADH,F,G,C,B,ELS",
        "regent=BN",
    ] {
        assert!(game.play(refused).is_err(), "{refused}");
    }
    game.play("augment=W,ADH,F,G,C,B,ELS,N").unwrap();
    assert!(game.in_setup() && game.end().is_none());
    game.play("augment=N,ELS,B,C,G,F,ADH,W").unwrap();
    assert_eq!(
        game.fen(),
        "r{N}c{ELS}b{B}e{NR+C}k{G}b{F}c{ADH}r{W}/pppppppp/8/8/8/8/PPPPPPPP/R{W}C{ADH}B{F}E{BN+G}K{C}B{B}C{ELS}R{N} w KQkq - 0 1"
    );
    assert!(!game.in_setup());
    game.play("e2e4").unwrap();
}

#[test]
fn a_set_up_out_of_order_is_refused() {
    let augmenters = Catalog::builtin().get("augmenters").unwrap();
    for fen in [
        "rcbekbcr/pppppppp/8/8/8/8/PPPPPPPP/RCBEKBCR b KQkq - 0 1",
        "rcbe{BN}kbcr/pppppppp/8/8/8/8/PPPPPPPP/RCBEKBCR b KQkq - 0 1",
        "rcbe{BN}kbcr/pppppppp/8/8/8/8/PPPPPPPP/R{W}CBE{BN}KBCR w KQkq - 0 1",
    ] {
        assert!(Game::new(augmenters.clone(), fen).is_err(), "{fen}");
    }
}

/// RULES.md section 7: a king and an augmenter on each side cannot mate. All such positions.
#[test]
fn kings_with_an_augmenter_each_cannot_mate() {
    let mut positions = 0;
    for white in "ABCDEFGHLNSW".chars() {
        for black in "ABCDEFGHLNSW".chars() {
            for wk in 0..64 {
                for bk in (0..64).filter(|&bk| bk != wk) {
                    let fen = two_kings(wk, white, bk, black);
                    let Ok(game) = Game::new(Catalog::builtin().get("augmenters").unwrap(), &fen)
                    else {
                        continue;
                    };
                    positions += 1;
                    assert!(
                        !(game.in_check() && game.legal_moves().is_empty()),
                        "{fen} is mate"
                    );
                }
            }
        }
    }
    assert!(positions > 400_000, "only {positions} positions");
}

/// Black to move; White's king with its augmenter, and Black's.
fn two_kings(wk: usize, white: char, bk: usize, black: char) -> String {
    let mut fen = String::new();
    for rank in (0..8).rev() {
        let mut empty = 0;
        for square in rank * 8..rank * 8 + 8 {
            if square != wk && square != bk {
                empty += 1;
                continue;
            }
            if empty > 0 {
                fen.push_str(&empty.to_string());
            }
            empty = 0;
            fen.push_str(&if square == wk {
                format!("K{{{white}}}")
            } else {
                format!("k{{{black}}}")
            });
        }
        if empty > 0 {
            fen.push_str(&empty.to_string());
        }
        fen.push(if rank > 0 { '/' } else { ' ' });
    }
    fen + "b - - 0 1"
}
