//! Properties that hold for every text.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::{LARGEST_PROGRAM, MoveProgram, Root, compile, parse};
use super::play::{Need, Offset, paths};

/// Strings of the characters of the notation, right or wrong.
fn tokens() -> impl Strategy<Value = String> {
    "[fblrvshmcepgynijzqaWFDAHGNCLZJKRBQXYIUO0-9*@?!\\[\\]()-]{0,24}"
}

const DIRECTIONS: [&str; 13] = [
    "", "", "", "f", "fs", "s", "bs", "fr", "fh", "v", "lf", "hr", "ffbs",
];

/// Modes and the other letters of a leg, mostly in ways that go together.
fn modifiers(directions: &'static [&'static str]) -> impl Strategy<Value = String> {
    let initial = prop_oneof![9 => Just(""), 1 => Just("i")];
    let modes = prop::sample::select(vec!["", "", "", "m", "c", "mc", "p", "g", "y", "ce"]);
    let directions = prop::sample::select(directions);
    let others = prop::sample::select(vec!["", "", "", "", "n", "nn", "n!", "j", "z", "q"]);
    (initial, modes, directions, others).prop_map(|(i, m, d, o)| format!("{i}{m}{d}{o}"))
}

fn atom() -> impl Strategy<Value = String> {
    let letter = prop::sample::select(vec![
        "W", "F", "D", "A", "H", "G", "N", "C", "L", "Z", "J", "K", "R", "B", "Q", "NN", "DD",
        "WX", "FY", "NX",
    ]);
    let range = prop::sample::select(vec!["", "", "", "0", "2", "4", "15", "*"]);
    (letter, range).prop_map(|(letter, range)| format!("{letter}{range}"))
}

/// Terms that follow the grammar; many of them mean something too.
fn term(directions: &'static [&'static str]) -> impl Strategy<Value = String> {
    let leg = move || {
        (modifiers(directions), atom()).prop_map(|(modifiers, atom)| format!("{modifiers}{atom}"))
    };
    let legs = (prop::collection::vec(modifiers(directions), 1..4), atom())
        .prop_map(|(legs, atom)| format!("{}{atom}", legs.join("a")));
    let signs = prop::sample::select(vec!["?", "-"]);
    let bracket = (
        modifiers(directions),
        leg(),
        prop::collection::vec((signs, leg()), 1..3),
    )
        .prop_map(|(whole, first, rest)| {
            let rest: String = rest
                .into_iter()
                .map(|(sign, leg)| format!("{sign}{leg}"))
                .collect();
            format!("{whole}[{first}{rest}]")
        });
    let ranks = prop::sample::select(vec!["", "", "", "@2", "@3-4"]);
    let body = prop_oneof![6 => leg(), 3 => legs, 3 => bracket, 1 => Just("fI".to_owned())];
    (body, ranks).prop_map(|(body, ranks)| format!("{body}{ranks}"))
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(term(&DIRECTIONS), 1..4).prop_map(|terms| terms.concat())
}

/// Compiles, prints and checks what must hold for any text at all.
fn check(text: &str) -> Result<(), TestCaseError> {
    match parse(text) {
        Ok(ast) => {
            let printed = ast.to_string();
            let again = parse(&printed);
            prop_assert_eq!(again.as_ref(), Ok(&ast), "{} prints as {}", text, printed);
            let compiled = compile(text);
            if compiled.is_ok() {
                prop_assert_eq!(compile(&printed), compiled.clone());
            }
            if let Ok(program) = compiled {
                check_program(&program)?;
            }
        }
        Err(error) => {
            prop_assert_eq!(compile(text), Err(error.clone()));
            prop_assert!(error.span.start <= error.span.end);
            prop_assert!(error.span.end <= text.chars().count());
            let words = error.to_string();
            prop_assert!(words.len() > error.token.len() + 10);
        }
    }
    Ok(())
}

fn check_program(program: &MoveProgram) -> Result<(), TestCaseError> {
    prop_assert!(program.node_count() <= LARGEST_PROGRAM);
    prop_assert!(program.imitator || !program.roots.is_empty());
    prop_assert_eq!(&program.mirrored().mirrored(), program);
    let imitated = program.imitated();
    prop_assert_eq!(&imitated.imitated(), &imitated);
    prop_assert!(imitated.node_count() <= program.node_count());
    for (_, path, stop) in paths(program) {
        let squares = path
            .over
            .iter()
            .map(|&(square, _)| square)
            .chain([path.target]);
        for (x, y) in squares {
            prop_assert!((x, y) != (0, 0), "a path sets foot on its start square");
            prop_assert!(x.abs().max(y.abs()) <= 15);
        }
        prop_assert!(!stop.own_half || stop.quiet);
    }
    Ok(())
}

/// A path with its squares turned and reflected.
type Symmetric = (String, Vec<(Offset, Need)>, Offset, String);

fn symmetric(program: &MoveProgram, turn: impl Fn(Offset) -> Offset) -> BTreeSet<Symmetric> {
    paths(program)
        .into_iter()
        .map(|(from, path, stop)| {
            let over = path
                .over
                .into_iter()
                .map(|(square, need)| (turn(square), need))
                .collect();
            (
                format!("{from:?}"),
                over,
                turn(path.target),
                format!("{stop:?}"),
            )
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_characters(text in any::<String>()) {
        check(&text)?;
    }

    #[test]
    fn any_tokens(text in tokens()) {
        check(&text)?;
    }

    #[test]
    fn any_terms(text in text()) {
        check(&text)?;
    }

    /// Without direction letters a term has all the symmetries of the board.
    #[test]
    fn terms_without_directions_are_symmetric(text in term(&[""])) {
        prop_assume!(text != "fI");
        if let Ok(program) = compile(&text) {
            let paths = symmetric(&program, |square| square);
            prop_assert_eq!(&symmetric(&program, |(x, y)| (y, -x)), &paths);
            prop_assert_eq!(&symmetric(&program, |(x, y)| (-x, y)), &paths);
        }
    }

    /// A piece has the moves of its terms and no others.
    #[test]
    fn terms_add_up(first in term(&DIRECTIONS), second in term(&DIRECTIONS)) {
        prop_assume!(first.chars().last() != second.chars().next());
        let terms = (compile(&first), compile(&second));
        if let ((Ok(one), Ok(other)), Ok(both)) = (terms, compile(&format!("{first}{second}"))) {
            let mut expected: Vec<Root> = one.roots.clone();
            expected.extend(other.roots.iter().filter(|root| !one.roots.contains(root)).cloned());
            prop_assert_eq!(both.roots, expected);
            prop_assert_eq!(both.imitator, one.imitator || other.imitator);
        }
    }
}
