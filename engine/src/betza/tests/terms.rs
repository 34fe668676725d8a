//! Legs, brackets, ranks, and how a text prints.

use super::super::{From, MoveProgram, Stop, compile, parse};
use super::play::{Need, all_of, line, moves, paths, paths_by_target, quiet, squares, union};

fn program(text: &str) -> MoveProgram {
    compile(text).unwrap()
}

#[test]
fn brackets_bend_outward() {
    assert_eq!(program("[F?R]"), program("[F?fsR]"));
    assert_eq!(program("[W?B]"), program("[W?fsB]"));
    assert_eq!(program("[F-B]"), program("[F-fB]"));
    assert_eq!(program("[W-R]"), program("[W-fR]"));
    assert_eq!(program("[D?B]"), program("[D?fsB]"));
    assert_eq!(quiet("[W-F]"), all_of(1, 2));
    assert_eq!(quiet("[N-F]"), all_of(2, 3));
    assert_eq!(quiet("[N-W]"), all_of(1, 3));
    assert_eq!(quiet("[N-N]"), all_of(2, 4));
    assert_eq!(quiet("[F-N]"), all_of(2, 3));
    // Between straight and oblique steps the letters are those of a knight.
    assert_eq!(quiet("[N-fF]"), all_of(2, 3));
    assert_eq!(quiet("[N-fW]"), all_of(1, 3));
    assert_eq!(quiet("[W-fN]"), all_of(1, 3));
    assert_eq!(quiet("[W-fsN]"), all_of(2, 2));
    assert_eq!(quiet("[fW-frN]"), squares(&[(2, 2)]));
    assert_eq!(quiet("[rW-rfN]"), squares(&[(3, -1)]));
    assert_eq!(quiet("[W-K]"), all_of(0, 2));
    assert_eq!(quiet("[W-fhK]"), union(&[all_of(0, 2), all_of(1, 2)]));
    assert_eq!(quiet("[W?sW]"), union(&[all_of(0, 1), all_of(1, 1)]));
    assert_eq!(quiet("[W-F-W]"), union(&[all_of(1, 3), all_of(2, 2)]));
}

#[test]
fn brackets_of_published_pieces() {
    // Picket: a bishop that goes two squares at least.
    assert_eq!(quiet("fr[F-B3]"), line((2, 2), (1, 1), 3));
    assert!(moves("[F-B]", &[(1, 1)], 4).capture.is_empty());
    // Ship: the griffon of F and R, along files only.
    let ship = quiet("v[F?R2]");
    let columns = [1, -1].map(|x| union(&[line((x, 1), (0, 1), 3), line((x, -1), (0, -1), 3)]));
    assert_eq!(ship, union(&columns));
    // Snake: along a file first.
    let snake = quiet("v[W?B2]");
    let half = |y| squares(&[(0, y), (1, 2 * y), (-1, 2 * y), (2, 3 * y), (-2, 3 * y)]);
    assert_eq!(snake, union(&[half(1), half(-1)]));
    // Osprey: over one square, then outward.
    assert_eq!(quiet("f[D?B1]"), squares(&[(0, 2), (1, 3), (-1, 3)]));
    // A ride that bends by 90 degrees at the first square.
    assert_eq!(
        quiet("[fW-sR2]"),
        squares(&[(1, 1), (2, 1), (-1, 1), (-2, 1)])
    );
}

#[test]
fn a_slide_branches_on_every_square() {
    assert_eq!(
        quiet("[fR2-sR1]"),
        squares(&[(1, 1), (-1, 1), (1, 2), (-1, 2)])
    );
    assert_eq!(quiet("fafrR2"), squares(&[(1, 2), (2, 3), (1, 3), (2, 4)]));
}

#[test]
fn modes_in_and_before_brackets() {
    let ends = |text: &str| -> Vec<_> {
        paths(&program(text))
            .into_iter()
            .map(|(_, path, stop)| (path.target, stop.quiet, stop.capture))
            .collect()
    };
    assert_eq!(
        ends("m[fW?W]"),
        vec![((0, 1), true, false), ((0, 2), true, false)]
    );
    assert_eq!(
        ends("c[fW?W]"),
        vec![((0, 1), false, true), ((0, 2), false, true)]
    );
    assert_eq!(
        ends("[mfW?cW]"),
        vec![((0, 1), true, false), ((0, 2), false, true)]
    );
    assert_eq!(
        ends("c[mfW?W]"),
        vec![((0, 1), true, false), ((0, 2), false, true)]
    );
    assert_eq!(ends("[fW-W]"), vec![((0, 2), true, true)]);
    assert_eq!(ends("mafcW").len(), 4);
    let initial = program("i[W-F]");
    assert!(
        initial
            .roots
            .iter()
            .all(|root| root.from == From::StartSquare)
    );
}

#[test]
fn hops_in_brackets() {
    let over = |need| vec![vec![((0, 1), need)]];
    assert_eq!(paths_by_target("[pW-F]")[&(1, 2)], over(Need::Occupied));
    assert_eq!(paths_by_target("[W-F]")[&(1, 2)], over(Need::Empty));
    let both = vec![vec![((0, 1), Need::Empty)], vec![((0, 1), Need::Occupied)]];
    assert_eq!(paths_by_target("[mpW-F]")[&(1, 2)], both);
}

#[test]
fn ranks_and_start_squares() {
    let from = |text: &str| program(text).roots[0].from.clone();
    assert_eq!(from("fW@2"), From::Ranks(2..=2));
    assert_eq!(from("fW@3-16"), From::Ranks(3..=16));
    assert_eq!(from("f[W-F]@4"), From::Ranks(4..=4));
    assert_eq!(from("ifW"), From::StartSquare);
    let mixed = program("W@2F");
    assert_eq!(
        mixed
            .roots
            .iter()
            .filter(|root| root.from == From::Anywhere)
            .count(),
        4
    );
}

#[test]
fn identical_roots_are_one() {
    assert_eq!(program("W1W"), program("W"));
    assert_eq!(program("WfW"), program("W"));
    assert_eq!(program("RfRW@2W@2"), program("RW@2"));
    assert_eq!(program("LC"), program("C"));
    assert_eq!(program("mWcW").roots.len(), 8);
}

#[test]
fn a_path_over_the_start_square_leaves_it_out() {
    // Forward, back, and on: needs the square in front empty, ends behind.
    let found = paths_by_target("fabafW");
    assert_eq!(found.len(), 1);
    assert_eq!(found[&(0, -1)], vec![vec![((0, 1), Need::Empty)]]);
    // A triangle: the third leg may not end on the start square, the others stay.
    assert!(!quiet("aaW").contains(&(0, 0)));
    let seen = moves("mafafsW", &[], 4);
    assert_eq!(seen.quiet, all_of(1, 3));
}

#[test]
fn en_passant_and_plain_captures() {
    let stops: Vec<Stop> = paths(&program("fceFfeW"))
        .into_iter()
        .map(|(.., stop)| stop)
        .collect();
    let capture = Stop {
        capture: true,
        en_passant: true,
        ..Stop::default()
    };
    let passant = Stop {
        en_passant: true,
        ..Stop::default()
    };
    assert_eq!(stops, vec![capture, capture, passant]);
}

#[test]
fn mirrored_exchanges_forward_and_backward() {
    assert_eq!(program("fN").mirrored(), program("bN"));
    assert_eq!(program("mfW*fceF@2").mirrored(), program("mbW*bceF@2"));
    assert_eq!(program("fI").mirrored(), program("fI"));
}

#[test]
fn texts_print_in_a_fixed_order() {
    for (text, printed) in [
        ("fmWfcF", "mfWcfF"),
        ("DB2afyasfF", "DB2ayfasfF"),
        ("ifmnDfmWfceF", "imfnDmfWcefF"),
        ("msWmfWmfnnD@3-4mfnnH@3fceF", "msWmfWmfnnD@3-4mfnnH@3cefF"),
        ("n!Dn!A", "n!Dn!A"),
        ("v[F?mR4]@2-2", "v[F?mR4]@2"),
        ("qN4zBjRCLWXY0", "qN4zBjRCLWXY0"),
        ("fIQ", "fIQ"),
        ("ecmW", "mceW"),
        ("zifnpN", "ipfnzN"),
    ] {
        let ast = parse(text).unwrap();
        assert_eq!(ast.to_string(), printed);
        assert_eq!(parse(printed).unwrap(), ast, "{text}");
    }
}
