//! Direction letters on every class of atom, and turns of later legs.

use super::play::{Offset, all_of, quiet, squares, union};

fn check(cases: &[(&str, &[Offset])]) {
    for (text, expected) in cases {
        assert_eq!(quiet(text), squares(expected), "{text}");
    }
}

#[test]
fn letters_add_up_on_orthogonal_atoms() {
    check(&[
        ("fW", &[(0, 1)]),
        ("bW", &[(0, -1)]),
        ("lW", &[(-1, 0)]),
        ("rW", &[(1, 0)]),
        ("ffW", &[(0, 1)]),
        ("frW", &[(0, 1), (1, 0)]),
        ("rfW", &[(0, 1), (1, 0)]),
        ("fsW", &[(0, 1), (1, 0), (-1, 0)]),
        ("flrW", &[(0, 1), (1, 0), (-1, 0)]),
        ("vW", &[(0, 1), (0, -1)]),
        ("sW", &[(1, 0), (-1, 0)]),
        ("rvW", &[(0, 1), (0, -1), (1, 0)]),
        ("fbD", &[(0, 2), (0, -2)]),
        ("sH", &[(3, 0), (-3, 0)]),
        ("bR3", &[(0, -1), (0, -2), (0, -3)]),
    ]);
}

#[test]
fn crossing_letters_meet_on_diagonal_atoms() {
    check(&[
        ("fF", &[(1, 1), (-1, 1)]),
        ("bF", &[(1, -1), (-1, -1)]),
        ("lF", &[(-1, 1), (-1, -1)]),
        ("rF", &[(1, 1), (1, -1)]),
        ("frF", &[(1, 1)]),
        ("rfF", &[(1, 1)]),
        ("flF", &[(-1, 1)]),
        ("brF", &[(1, -1)]),
        ("blF", &[(-1, -1)]),
        ("fsF", &[(1, 1), (-1, 1)]),
        ("bsF", &[(1, -1), (-1, -1)]),
        ("lvF", &[(-1, 1), (-1, -1)]),
        ("flbrF", &[(-1, 1), (1, -1)]),
        ("vF", &[(1, 1), (-1, 1), (1, -1), (-1, -1)]),
        ("sF", &[(1, 1), (-1, 1), (1, -1), (-1, -1)]),
        ("frA", &[(2, 2)]),
        ("blB2", &[(-1, -1), (-2, -2)]),
    ]);
}

#[test]
fn single_letters_are_straight_on_octal_atoms() {
    check(&[
        ("fK", &[(0, 1)]),
        ("ffK", &[(0, 1)]),
        ("vK", &[(0, 1), (0, -1)]),
        ("sK", &[(1, 0), (-1, 0)]),
        ("frK", &[(1, 1)]),
        ("lbK", &[(-1, -1)]),
        ("fsK", &[(1, 1), (-1, 1)]),
        ("sfK", &[(1, 1), (-1, 1)]),
        ("bsK", &[(1, -1), (-1, -1)]),
        ("rvK", &[(1, 1), (1, -1)]),
        ("fhK", &[(0, 1), (1, 1), (-1, 1)]),
        ("lhK", &[(-1, 0), (-1, 1), (-1, -1)]),
        ("fhbsK", &[(0, 1), (1, 1), (-1, 1), (1, -1), (-1, -1)]),
        ("fQ2", &[(0, 1), (0, 2)]),
        ("flQ2", &[(-1, 1), (-2, 2)]),
    ]);
}

#[test]
fn order_counts_on_oblique_atoms() {
    check(&[
        ("fN", &[(1, 2), (-1, 2)]),
        ("ffN", &[(1, 2), (-1, 2)]),
        ("bN", &[(1, -2), (-1, -2)]),
        ("bbN", &[(1, -2), (-1, -2)]),
        ("rN", &[(2, 1), (2, -1)]),
        ("lN", &[(-2, 1), (-2, -1)]),
        ("frN", &[(2, 1)]),
        ("rfN", &[(1, 2)]),
        ("flN", &[(-2, 1)]),
        ("lfN", &[(-1, 2)]),
        ("brN", &[(2, -1)]),
        ("rbN", &[(1, -2)]),
        ("blN", &[(-2, -1)]),
        ("lbN", &[(-1, -2)]),
        ("fsN", &[(2, 1), (-2, 1)]),
        ("bsN", &[(2, -1), (-2, -1)]),
        ("rvN", &[(1, 2), (1, -2)]),
        ("lvN", &[(-1, 2), (-1, -2)]),
        ("vN", &[(1, 2), (-1, 2), (1, -2), (-1, -2)]),
        ("sN", &[(2, 1), (-2, 1), (2, -1), (-2, -1)]),
        ("fhN", &[(1, 2), (-1, 2), (2, 1), (-2, 1)]),
        ("bhN", &[(1, -2), (-1, -2), (2, -1), (-2, -1)]),
        ("rhN", &[(1, 2), (2, 1), (2, -1), (1, -2)]),
        ("lhN", &[(-1, 2), (-2, 1), (-2, -1), (-1, -2)]),
        ("hrN", &[(1, 2), (2, -1), (-1, -2), (-2, 1)]),
        ("hlN", &[(-1, 2), (-2, -1), (1, -2), (2, 1)]),
        ("ffrrN", &[(1, 2), (-1, 2), (2, 1), (2, -1)]),
        ("fbN", &[(1, 2), (-1, 2), (1, -2), (-1, -2)]),
        ("frC", &[(3, 1)]),
        ("rfL", &[(1, 3)]),
        ("fsZ", &[(3, 2), (-3, 2)]),
        ("vJ", &[(2, 3), (-2, 3), (2, -3), (-2, -3)]),
    ]);
}

#[test]
fn suffixes_lengthen_the_step() {
    for (text, (x, y)) in [
        ("WX", (0, 4)),
        ("FX", (1, 4)),
        ("DX", (0, 5)),
        ("AX", (2, 5)),
        ("NX", (1, 5)),
        ("CX", (1, 6)),
        ("HX", (0, 6)),
        ("GX", (3, 6)),
        ("ZX", (2, 6)),
        ("WY", (2, 3)),
        ("FY", (3, 3)),
        ("DY", (2, 4)),
        ("NY", (3, 4)),
        ("ZY", (4, 5)),
        ("WXX", (0, 7)),
        ("WXY", (2, 6)),
    ] {
        assert_eq!(quiet(text), all_of(x, y), "{text}");
    }
    assert_eq!(quiet("fWX2"), squares(&[(0, 4), (0, 8)]));
    assert_eq!(quiet("fsFX"), squares(&[(4, 1), (-4, 1)]));
}

#[test]
fn later_legs_turn_from_the_leg_before() {
    for (text, expected) in [
        ("afW", all_of(0, 2)),
        ("afsW", all_of(1, 2)),
        ("asW", all_of(1, 1)),
        // (0, 1) and then back to the right or left is a step sideways.
        ("absW", all_of(0, 1)),
        ("afF", all_of(2, 2)),
        ("afsF", all_of(1, 2)),
        ("asF", all_of(0, 2)),
        // Turning by 45 degrees, D becomes A.
        ("afsD", all_of(2, 4)),
        ("afsA", all_of(2, 4)),
        ("afH", all_of(0, 6)),
        ("afN", all_of(2, 4)),
        ("afrN", union(&[all_of(3, 3), all_of(0, 4)])),
        ("asN", all_of(1, 3)),
        ("afsafW", union(&[all_of(2, 3)])),
        // Without letters: every turn but straight back.
        (
            "aW",
            union(&[all_of(0, 1), all_of(1, 1), all_of(0, 2), all_of(1, 2)]),
        ),
    ] {
        assert_eq!(quiet(text), expected, "{text}");
    }
    // Back along the first leg would reach (0, 1).
    assert!(!quiet("faR2").contains(&(0, 1)));
    assert!(quiet("fabR2").contains(&(0, 1)));
    assert_eq!(quiet("fafrW"), squares(&[(1, 2)]));
    assert_eq!(quiet("rafrW"), squares(&[(2, -1)]));
    assert_eq!(quiet("frafF"), squares(&[(2, 2)]));
    assert_eq!(quiet("rfafhN"), squares(&[(2, 4), (3, 3), (0, 4)]));
}
