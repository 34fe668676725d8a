//! What is refused, and that the error tells where and what to do.

use super::super::{BetzaError, LARGEST_PROGRAM, LONGEST_TEXT, MOST_LEGS, Problem, compile, parse};

/// Each text with the token that is wrong, where it starts, and words of the remedy.
fn check(cases: &[(&str, &str, usize, &str)]) {
    for &(text, token, start, words) in cases {
        let error = compile(text).expect_err(text);
        assert_eq!(
            (error.token.as_str(), error.span.start),
            (token, start),
            "{text}: {error}"
        );
        assert_eq!(error.span.end, start + token.chars().count(), "{text}");
        let message = error.to_string();
        assert!(message.contains(words), "{text}: {message}");
        let place = format!("at character {}", start + 1);
        assert!(message.contains(&place), "{text}: {message}");
    }
}

#[test]
fn unknown_characters() {
    check(&[
        ("W F", " ", 1, "not a token"),
        ("WFV", "V", 2, "not a token"),
        ("N♘", "♘", 1, "not a token"),
        ("♘", "♘", 0, "not a token"),
        ("WéF", "é", 1, "not a token"),
        ("R{2}", "{", 1, "not a token"),
    ]);
}

#[test]
fn published_tokens_without_support() {
    check(&[
        ("mdR", "d", 1, "own men"),
        ("kQ", "k", 0, "royal"),
        ("WuafW", "u", 1, "unloading"),
        ("xQ", "x", 0, "relaying"),
        ("oR", "o", 0, "joined edges"),
        ("ooR", "o", 0, "joined edges"),
        ("WtF", "t", 1, "[W?B]"),
        ("wK", "w", 0, "no published meaning"),
        ("KO2", "O", 1, "`castling`"),
        ("U", "U", 0, "universal"),
        ("W(F)", "(", 1, "groups"),
        ("WcabW", "c", 1, "locust"),
        ("eaW", "e", 0, "locust"),
        ("[cW-F]", "c", 1, "locust"),
        ("[mcF?R]", "c", 2, "locust"),
    ]);
}

#[test]
fn tokens_out_of_place() {
    check(&[
        ("f", "", 1, "an atom"),
        ("Wf", "", 2, "an atom"),
        ("a", "", 1, "an atom"),
        ("3W", "3", 0, "an atom"),
        ("XW", "X", 0, "an atom"),
        ("W-F", "-", 1, "an atom"),
        ("NN3", "3", 2, "unlimited"),
        ("NN*", "*", 2, "unlimited"),
        ("NNX", "X", 2, "an atom"),
        ("W3X", "X", 2, "an atom"),
        ("W34*", "*", 3, "an atom"),
        ("fmrN", "r", 2, "stand together"),
        ("hfN", "h", 0, "`h` follows"),
        ("vhN", "h", 1, "`h` follows"),
        ("[W]", "]", 2, "two legs"),
        ("[WF]", "F", 2, "two legs"),
        ("[W?F", "", 4, "is followed by"),
        ("[W?F3B]", "B", 5, "is followed by"),
        ("[W?]", "]", 3, "an atom"),
        ("[[W?F]?R]", "[", 1, "do not nest"),
        ("[WafF?R]", "a", 2, "two legs"),
        ("[fafW?F]", "a", 2, "not by `a`"),
        ("W]", "]", 1, "an atom"),
        ("W@", "", 2, "a rank"),
        ("W@f", "f", 2, "a rank"),
        ("W@2-", "", 4, "a rank"),
        ("@2W", "@", 0, "an atom"),
    ]);
}

#[test]
fn numbers() {
    check(&[
        ("R100", "100", 1, "two digits"),
        ("R01", "01", 1, "leading 0"),
        ("W@0", "0", 2, "1 to 16"),
        ("W@17", "17", 2, "1 to 16"),
        ("W@4-3", "4-3", 2, "smaller first"),
        ("WXXXXX", "WXXXXX", 0, "largest board"),
    ]);
}

#[test]
fn letters_that_do_not_go_together() {
    check(&[
        ("mmW", "m", 1, "twice"),
        ("iiW", "i", 1, "twice"),
        ("nnnD", "n", 2, "twice"),
        ("jjD", "j", 1, "twice"),
        ("zqB", "q", 1, "twice"),
        ("KK", "KK", 0, "not doubled"),
        ("NNN", "NNN", 0, "once, or twice"),
        ("nN", "n", 0, "[W-F]"),
        ("nnN", "nn", 0, "[W-F]"),
        ("n!W", "n!", 0, "passes over none"),
        ("nR", "n", 0, "passes over none"),
        ("jN", "j", 0, "[pW-F]"),
        ("jK", "j", 0, "passes over none"),
        ("njD", "n", 0, "two terms"),
        ("jzR", "j", 0, "straight rides only"),
        ("nnafD", "nn", 0, "last leg"),
        ("[nnD?B]", "nn", 1, "last leg"),
        ("zN", "z", 0, "range"),
        ("qN1", "q", 0, "range"),
        ("qN8", "N8", 1, "eighth"),
        ("RX", "RX", 0, "W or F"),
        ("KY", "KY", 0, "W or F"),
        ("fhW", "fh", 0, "four"),
        ("fhF", "fh", 0, "four"),
        ("hrK", "hr", 0, "right-handed"),
        ("sfN", "sf", 0, "order"),
        ("vlN", "vl", 0, "order"),
        ("yW", "y", 0, "`y` changes"),
        ("afyW", "y", 2, "`y` changes"),
        ("ypR", "y", 0, "hop"),
        ("pgR", "g", 1, "two terms"),
        ("afpW", "p", 2, "last leg"),
        ("myafW", "m", 0, "not both"),
        ("ypafW", "p", 1, "not both"),
        ("gR3", "R3", 1, "[F?R4]"),
        ("yafR3", "R3", 3, "[F?R4]"),
        ("cW*", "W*", 1, "`mfW*`"),
        ("W*", "W*", 0, "`mfW*`"),
        ("mpR*", "R*", 2, "`mfW*`"),
        ("mafmW*", "W*", 4, "`mfW*`"),
        ("[W?mB*]", "B*", 4, "`mfW*`"),
        ("imfnD@2", "@2", 5, "`i` or `@`"),
        ("I", "I", 0, "`fI`"),
        ("mfI", "I", 2, "`fI`"),
        ("bI", "I", 1, "`fI`"),
        ("fI@2", "@2", 2, "every rank"),
    ]);
}

#[test]
fn brackets_that_do_not_work() {
    check(&[
        ("y[F?R]", "y", 0, "before a bracket"),
        ("p[F-R]", "p", 0, "before a bracket"),
        ("n[D?B]", "n", 0, "before a bracket"),
        ("j[D?B]", "j", 0, "before a bracket"),
        ("q[F?R]", "q", 0, "before a bracket"),
        ("[iF?R]", "i", 1, "before the bracket"),
        ("[yF?R]", "y", 1, "ranges of their own"),
        ("[F-gR]", "g", 3, "ranges of their own"),
        ("[pF?R]", "p", 1, "write `-`"),
        ("[F-pR]", "p", 3, "[pR-fR]"),
        ("[F?fR]", "fR", 3, "no direction there"),
        ("[W?fsR]", "fsR", 3, "no direction there"),
        ("v[F?qR]", "q", 4, "instead of before"),
        ("f[W?fhK]", "f[W?fhK]", 0, "different kinds"),
        ("fs[W-bW]", "fs[W-bW]", 0, "different kinds"),
        ("fh[F-B]", "fh[F-B]", 0, "four"),
    ]);
}

#[test]
fn moves_that_come_out_empty() {
    check(&[
        ("abW", "abW", 0, "start square"),
        ("[W-bW]", "[W-bW]", 0, "start square"),
        ("afafafafafG", "afafafafafG", 0, "largest board"),
    ]);
}

#[test]
fn too_much_text() {
    let longest = "W1".repeat(LONGEST_TEXT / 2);
    assert!(compile(&longest).is_ok());
    let error = compile(&format!("{longest}W")).unwrap_err();
    assert_eq!(error.span.start, LONGEST_TEXT);
    assert_eq!(
        error.problem,
        Problem::TooLong {
            limit: LONGEST_TEXT
        }
    );
    assert_eq!(compile("").unwrap_err().problem, Problem::Empty);
    let legs = format!("{}W", "afa".repeat(MOST_LEGS));
    assert_eq!(
        compile(&legs).unwrap_err().problem,
        Problem::TooManyLegs { limit: MOST_LEGS }
    );
    let legs = format!("[W{}]", "?W".repeat(MOST_LEGS));
    let error = compile(&legs).unwrap_err();
    assert_eq!(error.problem, Problem::TooManyLegs { limit: MOST_LEGS });
    assert!(compile(&format!("[W{}]", "?W".repeat(MOST_LEGS - 1))).is_ok());
}

#[test]
fn too_many_steps() {
    for (text, start, end) in [
        ("aaQ", 0, 3),
        ("WmpaaaQ", 1, 7),
        ("aaaaaaaK", 0, 8),
        ("N[Q-fhQ-fhQ]", 1, 12),
        ("f[K-fhbhK-fhbhK-fhbhK-fhbhK-fhbhK]", 0, 34),
    ] {
        let error: BetzaError = compile(text).unwrap_err();
        let limit = LARGEST_PROGRAM;
        assert_eq!(error.problem, Problem::TooLarge { limit }, "{text}");
        assert_eq!((error.span.start, error.span.end), (start, end), "{text}");
        assert!(parse(text).is_ok());
    }
    // Terms count together: eight of these fit, a hundred do not.
    assert!(compile(&"gQ".repeat(8)).is_ok());
    let error = compile(&"gQ".repeat(100)).unwrap_err();
    assert!(matches!(error.problem, Problem::TooLarge { .. }));
}
