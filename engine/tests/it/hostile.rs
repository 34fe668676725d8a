//! Bad input: FENs, moves and variant files that are wrong in every way get an error that names the place.

use engine::game::Game;
use engine::variant::{Catalog, VariantError};
use proptest::prelude::*;

fn fen_error(id: &str, fen: &str) -> String {
    match Game::new(Catalog::builtin().get(id).unwrap(), fen) {
        Ok(game) => panic!("{fen} was read as {}", game.fen()),
        Err(e) => e.to_string(),
    }
}

fn assert_names(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{message}` does not name `{part}`");
    }
}

#[test]
fn fen_errors_name_the_field() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    let cases = [
        (format!("{start} w KQkq -"), vec!["4 fields"]),
        (format!("{start}  w KQkq - 0 1"), vec!["7 fields"]),
        (format!("{start} w KQkq - 0 1 extra"), vec!["7 fields"]),
        (format!("{start} x KQkq - 0 1"), vec!["side", "`x`"]),
        (format!("{start} w KQxq - 0 1"), vec!["castling", "`KQxq`"]),
        (format!("{start} w KK - 0 1"), vec!["castling", "twice"]),
        (
            format!("{start} w KQkq e3 0 1"),
            vec!["en-passant", "`e3`", "black"],
        ),
        (format!("{start} w KQkq z9 0 1"), vec!["en-passant", "`z9`"]),
        (format!("{start} w KQkq - x 1"), vec!["halfmove", "`x`"]),
        (format!("{start} w KQkq - 0 +1"), vec!["fullmove", "`+1`"]),
        (
            format!("{start} w KQkq - 0 99999"),
            vec!["fullmove", "65535"],
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP w KQkq - 0 1".to_owned(),
            vec!["7 ranks", "8"],
        ),
        (
            "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
            vec!["rank 6"],
        ),
        (
            "rnbqkbnr/ppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
            vec!["rank 7", "7 squares"],
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ1BNR w KQkq - 0 1".to_owned(),
            vec!["white has 0 kings"],
        ),
        (
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKKBNR w KQkq - 0 1".to_owned(),
            vec!["white has 2 kings"],
        ),
        (
            "rnbqkbnx/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1".to_owned(),
            vec!["`x`", "rank 8"],
        ),
        (
            "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1".to_owned(),
            vec!["black is in check"],
        ),
        (
            "4k2P/8/8/8/8/8/8/4K3 w - - 0 1".to_owned(),
            vec!["pawn", "h8"],
        ),
        (
            "4k3/8/8/8/8/8/8/P3K3 w - - 0 1".to_owned(),
            vec!["pawn", "a1"],
        ),
        (
            "4k3/8/8/8/8/8/8/4K3[] w - - 0 1".to_owned(),
            vec!["reserve"],
        ),
        (String::new(), vec!["fields"]),
        ("8".repeat(5000), vec!["5000 bytes"]),
    ];
    for (fen, parts) in cases {
        assert_names(&fen_error("chess", &fen), &parts);
    }
}

#[test]
fn fen_errors_of_the_large_games_name_the_field() {
    let id = "grand-apothecary-modern";
    let empty = "12/12/12/12/12/12/12/12/12/12";
    let fen = |tail: &str, rest: &str| format!("************/6k5/{empty}/6K5/{tail}{rest}");
    let gone = "************";
    assert_names(&fen_error(id, &fen(gone, " w - - -- 0 1")), &["reserve"]);
    assert_names(
        &fen_error(id, &fen(gone, "[QX w - - -- 0 1")),
        &["reserve", "]"],
    );
    assert_names(
        &fen_error(id, &fen(gone, "[QK] w - - -- 0 1")),
        &["reserve", "king"],
    );
    assert_names(
        &fen_error(id, &fen(gone, "[] w - - - 0 1")),
        &["last-moved"],
    );
    assert_names(
        &fen_error(id, &fen(gone, "[] w - - nN 0 1")),
        &["last-moved", "White"],
    );
    assert_names(
        &fen_error(id, &fen(gone, "[] w - - J- 0 1")),
        &["last-moved", "imitate"],
    );
    assert_names(
        &fen_error(id, &fen("****1*******", "[] w - - -- 0 1")),
        &["e0", "*"],
    );
    assert_names(
        &fen_error(id, &fen("R***********", "[] w - - -- 0 1")),
        &["a0", "does not exist"],
    );
    assert_names(
        &fen_error(id, &fen(gone, "[] w - e6:e5 -- 0 1")),
        &["en-passant"],
    );
    let star = format!("************/6k5/{empty}/6K4*/{gone}[] w - - -- 0 1");
    assert_names(&fen_error(id, &star), &["l1", "always exists"]);
    let pawn = format!("************/P5k5/{empty}/6K5/{gone}[] w - - -- 0 1");
    assert_names(&fen_error(id, &pawn), &["pawn", "a12"]);
}

#[test]
fn augmenter_braces_are_checked() {
    let id = "augmenters";
    let fen = |men: &str| format!("4k3/8/8/8/8/8/8/{men} w - - 0 1");
    for (men, parts) in [
        ("P{W}3K3", vec!["{W}", "a1"]),
        ("R{Q}3K3", vec!["{Q}", "`Q`"]),
        ("R{WD}3K3", vec!["{WD}", "order"]),
        ("C{AAD}3K3", vec!["{AAD}", "order"]),
        ("R{}3K3", vec!["{}"]),
        ("E{B}3K3", vec!["{B}", "2 bases"]),
        ("E{BN+}3K3", vec!["{BN+}"]),
        ("R{W3K3", vec!["a1", "}"]),
        ("4K2R{W", vec!["h1", "}"]),
    ] {
        assert_names(&fen_error(id, &fen(men)), &parts);
    }
}

fn variant_error(text: &str) -> String {
    let mut message = String::new();
    match Catalog::builtin().load_text(text, "my.toml") {
        Ok(variant) => panic!("{} was read from {text}", variant.id()),
        Err(e) => {
            let mut cause: Option<&dyn std::error::Error> = Some(&e);
            while let Some(error) = cause {
                message.push_str(&error.to_string());
                message.push('\n');
                cause = error.source();
            }
        }
    }
    message
}

#[test]
fn variant_errors_name_file_key_and_reason() {
    let head = "schema = 1\nid = \"mine\"\nname = \"Mine\"\nextends = \"chess\"\n";
    for (tail, parts) in [
        (
            "[piece.Q]\nmove = \"Q?\"",
            vec!["my.toml", "piece.Q.move", "?"],
        ),
        (
            "[piece]\nq = { name = \"x\", move = \"Q\" }",
            vec!["piece.q", "A to Z"],
        ),
        ("[board]\nfiles = 17", vec!["board.files", "17", "16"]),
        ("[board]\nfiles = 9", vec!["start.fen", "9 files"]),
        ("colour = 1", vec!["my.toml", "line 5", "colour"]),
        ("[piece.Q]\nroyal = true", vec!["piece", "royal"]),
        ("[castling]\nking = \"e9\"", vec!["castling.king", "e9"]),
        (
            "[promotion]\nzone = [{ ranks = [8], to = \"K\" }]",
            vec!["promotion.zone.to"],
        ),
        (
            "[promotion]\nfrom = \"reserve\"",
            vec!["promotion.from", "[reserve]"],
        ),
        (
            "[ends]\nrepetition = \"points\"",
            vec!["ends.repetition", "[points]"],
        ),
        (
            "[start]\nfen = \"8/8/8/8/8/8/8/8 w - - 0 1\"",
            vec!["castling.partner", "no king on e1"],
        ),
        (
            "[ends]\nn-move = { moves = 0, result = \"draw\" }",
            vec!["ends.n-move.moves"],
        ),
    ] {
        assert_names(&variant_error(&format!("{head}{tail}\n")), &parts);
    }
    for (tail, parts) in [
        (
            "[promotion]\nzone = [{ ranks = [9], to = \"Q\" }]",
            vec!["my.toml:5:2", "promotion", "rank 9"],
        ),
        ("[piece.P]\npawn = false", vec!["promotion", "pawn = true"]),
        (
            "[castling]\nking = \"d1\"",
            vec!["my.toml:5:2: key `castling.partner`", "no king on d1"],
        ),
        (
            "[castling]\npartner = [{ square = \"b1\", piece = \"R\", distances = [2] }]",
            vec!["castling.partner", "rook on b1"],
        ),
        (
            "[castling]\npartner = [{ square = \"h1\", piece = \"R\", distances = [2, 2] }]",
            vec!["castling.partner", "twice"],
        ),
        (
            "[castling]\nnotation = \"king-rook\"\npartner = [{ square = \"h1\", piece = \"R\", distances = [2, 3] }]",
            vec!["castling.notation", "distances"],
        ),
        (
            "[piece.K]\nmove = \"Kn!D\"",
            vec!["castling.notation", "king-rook"],
        ),
        (
            "[start]\nfen = \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBN1 w KQkq - 0 1\"",
            vec!["castling.partner", "rook on h1"],
        ),
        (
            "[start]\nfen = \"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w qkQK - 0 1\"",
            vec!["my.toml:6:1", "start.fen", "w KQkq - 0 1"],
        ),
    ] {
        assert_names(&variant_error(&format!("{head}{tail}\n")), &parts);
    }
    let augmenters = "schema = 1\nid = \"mine\"\nname = \"M\"\nextends = \"augmenters\"\n";
    let slots = [
        ("a1", 1),
        ("a1", 3),
        ("c1", 1),
        ("d1", 1),
        ("e1", 1),
        ("f1", 1),
        ("g1", 3),
        ("h1", 1),
    ];
    let holders: Vec<String> = slots
        .iter()
        .map(|(s, n)| format!("{{ square = \"{s}\", slots = {n} }}"))
        .collect();
    let twice = format!(
        "{augmenters}[augment]\nholders = [{}]\n",
        holders.join(", ")
    );
    assert_names(&variant_error(&twice), &["augment.holders", "twice"]);
    assert_names(
        &variant_error("schema = 1\nid = \"m\"\nname = \"M\"\nwithout = [\"castling\"]\n"),
        &["without", "extends"],
    );
    assert_names(
        &variant_error("schema = 1\nid = \"m\"\nname = \"M\"\nextends = \"nothing\"\n"),
        &["nothing", "chess"],
    );
    assert_names(
        &variant_error("schema = 2\nid = \"m\"\nname = \"M\"\nextends = \"chess\"\n"),
        &["schema", "2"],
    );
    assert_names(
        &variant_error("schema = 1\nid = \"chess\"\nname = \"M\"\nextends = \"chess\"\n"),
        &["id", "taken"],
    );
    assert_names(
        &variant_error("schema = 1\nid = \"m\"\nname = \"M\"\n"),
        &["board"],
    );
    assert_names(&variant_error("id = ["), &["line 1"]);
}

#[test]
fn a_variant_too_large_is_refused_by_name() {
    // Twenty-four types that each reach most of a 16x16 board over long winding paths.
    let mut text = "schema = 1\nid = \"huge\"\nname = \"Huge\"\n[board]\nfiles = 16\nranks = 16\n[start]\nfen = \"k15/16/16/16/16/16/16/16/16/16/16/16/16/16/16/15K w - - 0 1\"\n[piece]\nK = { name = \"king\", move = \"K\", royal = true }\n".to_owned();
    for letter in ('A'..='Z').filter(|&l| l != 'K') {
        text.push_str(&format!(
            "{letter} = {{ name = \"x\", move = \"aaaaK\" }}\n"
        ));
    }
    match Catalog::builtin().load_text(&text, "huge.toml") {
        Ok(_) => panic!("it was accepted"),
        Err(e @ (VariantError::Key { .. } | VariantError::Betza { .. })) => {
            assert_names(&e.to_string(), &["huge.toml", "piece"])
        }
        Err(e) => panic!("{e}"),
    }
}

/// Pawns that step back or past several squares: what is written is read again.
#[test]
fn fens_of_odd_pawns_are_read_again() {
    use rand_chacha::rand_core::SeedableRng;
    for (number, pawn) in ["mfWmfnnD@2ceF", "mfW*ceF", "mfWmfnnH@2fceF"]
        .iter()
        .enumerate()
    {
        let text = format!(
            "schema = 1\nid = \"odd-{number}\"\nname = \"Odd\"\nextends = \"chess\"\n[piece.P]\nmove = \"{pawn}\"\n"
        );
        let variant = Catalog::builtin().load_text(&text, "odd.toml").unwrap();
        for seed in 0..30 {
            let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let mut game = Game::new(variant.clone(), &variant.start_fen(0).unwrap()).unwrap();
            while game.moves().len() < 150 && game.play_random(&mut random) {
                let fen = game.fen();
                let again = Game::new(variant.clone(), &fen)
                    .unwrap_or_else(|e| panic!("{pawn}: {fen}: {e}"));
                assert_eq!(again.fen(), fen);
                let moves = game.legal_moves();
                let mut distinct = moves.clone();
                distinct.dedup();
                assert_eq!(moves, distinct, "{pawn}: {fen}");
            }
        }
    }
}

#[test]
fn definitions_travel_and_hash_the_same() {
    for id in Catalog::builtin().ids() {
        let variant = Catalog::builtin().get(id).unwrap();
        let copy = engine::variant::Variant::from_definition(variant.definition()).unwrap();
        assert_eq!(copy.hash(), variant.hash());
        assert_eq!(copy.definition(), variant.definition());
        assert_eq!(
            variant
                .hash()
                .to_string()
                .parse::<engine::variant::VariantHash>()
                .unwrap(),
            variant.hash()
        );
    }
    assert!(engine::variant::Variant::from_definition("{}").is_err());
}

proptest! {
    #[test]
    fn no_text_breaks_the_fen_reader(fen in ".{0,200}", which in any::<prop::sample::Index>()) {
        let catalog = Catalog::builtin();
        let variant = catalog.get(catalog.ids()[which.index(catalog.ids().len())]).unwrap();
        let _ = Game::new(variant, &fen);
    }

    /// FENs that are nearly right: a valid one with a few characters changed.
    #[test]
    fn no_damaged_fen_breaks_the_game(
        which in any::<prop::sample::Index>(),
        seed in 0u64..1000,
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::sample::select("KQRBNPJkqrbnpjxX*/[]{}+-:0123456789w ba".chars().collect::<Vec<_>>())), 1..4),
    ) {
        let catalog = Catalog::builtin();
        let variant = catalog.get(catalog.ids()[which.index(catalog.ids().len())]).unwrap();
        let mut fen: Vec<char> = variant.army_fen(seed).unwrap().chars().collect();
        for (at, with) in edits {
            let i = at.index(fen.len());
            fen[i] = with;
        }
        let fen: String = fen.into_iter().collect();
        if let Ok(mut game) = Game::new(variant.clone(), &fen) {
            // What is accepted is a position: it round-trips and can be played.
            let again = Game::new(variant, &game.fen()).unwrap();
            prop_assert_eq!(again.fen(), game.fen());
            let moves = game.legal_moves();
            if let Some(first) = moves.first().filter(|_| game.end().is_none() && !game.in_setup()) {
                game.play(first).unwrap();
            }
        }
    }

    #[test]
    fn no_text_breaks_the_move_reader(mv in "\\PC{0,20}", which in any::<prop::sample::Index>()) {
        let catalog = Catalog::builtin();
        let variant = catalog.get(catalog.ids()[which.index(catalog.ids().len())]).unwrap();
        let mut game = Game::new(variant.clone(), &variant.start_fen(variant.setups().first).unwrap()).unwrap();
        let legal = game.legal_moves().contains(&mv);
        prop_assert_eq!(game.play(&mv).is_ok(), legal);
    }

    #[test]
    fn no_text_breaks_the_variant_reader(text in "\\PC{0,300}") {
        prop_assert!(Catalog::builtin().load_text(&text, "x.toml").is_err());
    }

    /// Variant files that are nearly right.
    #[test]
    fn no_damaged_variant_file_breaks_the_reader(
        which in 0usize..3,
        edits in prop::collection::vec((any::<prop::sample::Index>(), prop::char::range(' ', '~')), 1..6),
    ) {
        let texts = [
            include_str!("../../variants/grand-apothecary-modern.toml"),
            include_str!("../../variants/augmenters.toml"),
            include_str!("../../variants/war-of-the-roses.toml"),
        ];
        let mut text: Vec<char> = texts[which].replacen("id = \"", "id = \"my-", 1).chars().collect();
        for (at, with) in edits {
            let i = at.index(text.len());
            text[i] = with;
        }
        let _ = Catalog::builtin().load_text(&text.into_iter().collect::<String>(), "x.toml");
    }
}
