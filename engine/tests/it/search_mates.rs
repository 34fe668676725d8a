//! Forced mates are found: positions of all variants whose mates an exhaustive search confirms.

use engine::game::{AnyPosition, Game};
use engine::movegen::Wanted;
use engine::position::Position;
use engine::search::Limits;
use engine::types::MoveList;

use crate::search::{search, variant};

/// Variant, position, moves to mate. From random games, by a program that looks at every move.
const MATES: [(&str, &str, u32); 20] = [
    (
        "chess",
        "3k3n/3r2q1/2n1p1pQ/1pP5/pPPrPBP1/4R2N/b3R3/2K5 b - - 7 50",
        2,
    ),
    (
        "chess",
        "N2R4/2r5/1pP4k/5P1p/p1b2p2/7B/P1K1P1RP/8 w - - 1 47",
        2,
    ),
    ("chess", "8/8/5P2/1p4k1/pr6/6P1/P2R1p2/K7 b - - 3 71", 2),
    (
        "apothecary-modern",
        "****jwc***/1r4r3/2dk1c4/5ppbp1/gp5pDp/ppp1p1b3/PP1PP3P1/2K4P2/RGCnWPw3/5Q1N1C/9R/*****JW***[BBCNNQRcnnqqr] b - - Dd 3 50",
        1,
    ),
    (
        "apothecary-modern",
        "***c******/2rwqrc3/3k6/pppjwpp3/Q3b4b/P2pp2Pdp/1P1gW4n/2PGPK2D1/3PNPPP2/RN2C1JB1C/3B1W3R/**********[CNQRcnnqr] b - - Dw 7 43",
        2,
    ),
    (
        "apothecary-modern",
        "**********/b2wCjrn2/6qk2/4w1c1pc/3p1pb1P1/1Pr1dG1W1p/1pp6P/7PQ1/2PPPC4/4W1BN2/R1BN1K3R/****CJ****[DNQRcgnnqr] w - - Rc 6 61",
        2,
    ),
    (
        "apothecary-modern",
        "**********/3r1j1G2/b3w2q2/3P2bWpk/c1c2w4/pPC3P1P1/5B4/1P1P4r1/2K3cQ1P/7J2/8B1/*******C**[CDNNNQRRRWdgnnnqr] w - - Dr 0 75",
        2,
    ),
    (
        "grand-apothecary-modern",
        "****j*s*****/zry1lqkjnyrz/w1rc1dgwf1br/bpppppp1p2x/3f1p3p2/p2x5txp/1nPx2Y3p1/X3PN4P1/cWs2YC1PX2/PP3PP2X1P/X2P1PP1FP1B/RBNS1D1G3R/ZR2LQKTWCRZ/****JS*J****[BBCFNQRYbbcnqry] w ABKLabkl - Fs 2 40",
        2,
    ),
    (
        "grand-apothecary-modern",
        "****j*s*****/zry1lqkjnyrz/w1r1cdgwf1br/1pppppp1p2x/3f8/p1Wx4tpxp/s1PxnpY3p1/X2YP5P1/c2P2C1PX2/PP1N1PP2X1P/X4PP1FP1B/RBNS1DKG2RR/ZR2L1QTWC1Z/****JS*J****[BBCFNQRYbbbcnqry] w abkl - Ws 1 47",
        1,
    ),
    (
        "grand-apothecary-modern",
        "************/1zr1jt1djyrz/r1f1sgkblfr1/4pb1p1py1/GDpp1p2p2p/c1nx1pF3xs/1P3Xp1P3/3X1P2YP2/qN1C1P4Kn/1N2W1PB1W1P/RP1PP1P3Pw/1RF1B1TSC1RR/Z3Q2L3Z/****J*SJ****[BBCNQRYYbbccnqrwy] b - - Nz 2 78",
        2,
    ),
    (
        "grand-apothecary-modern",
        "****j*sj****/zrwy1lkqy2z/1btn1dgcf1rr/1ppp2p2pps/rx3p1pw2f/4pp3xxp/p1xX2pc4/3X1PSPp1SP/2P1P3P1P1/P1LP1C2FPF1/1P2BPP4X/RRN2DGK2BR/Z1WYT2QYWRZ/****J**J****[BBCCNNQRYbbbcnnqry] w abl - Sr 3 47",
        2,
    ),
    (
        "grand-apothecary-modern-2021",
        "****js*j****/z1yl1qcgt1rz/r1wdc2sbwfy/x1p2pp2nr1/1r1pp1P1p3/n3bk1pxx2/fp3N3pp1/5XPPP2F/1P2xXP2XPB/1LNP1P3P2/X1PYBP6/RF2CCQWS1R1/ZRJ1DWKGTYRZ/******SJ****[BBCNQRbbcnqr] w ABKL - Yr 5 40",
        1,
    ),
    (
        "grand-apothecary-modern-2021",
        "****j**j****/1rylqgktd1rz/2b1f1cf1bwr/1ppp1pp3yx/r4pYp1Jp1/wWn2sx2p2/Sx2X1pPp3/zP2P1P5/3T4XP1N/1s1P1P1BP3/1RP2PP1Y1PX/R1BNFCCFD1WR/ZL2QG1K2RZ/******SJ****[BBCNQRbbccnnqr] w kl - Yn 7 40",
        2,
    ),
    (
        "grand-apothecary-modern-2021",
        "*******j****/Z1yrgtkdqy1r/1c1w1b3scZ/r1n1pp2p3/1l1p1YCr4/2p3fpxw2/Cp2Np2xpP1/1F1XX2X4/2j2P4s1/2P2P1PPS2/1P1PP1P2JR1/YRLWJBB1WF2/1R2GTKD3R/*****S******[BBCNNQQRbbbcfnnqrzz] b B - Rw 16 64",
        2,
    ),
    (
        "war-of-the-roses",
        "b11/1bn7b1/3r8/3p2App2p/1ppk5p2/1pp2B3P2/12/BP6N3/P1PbPPPPP3/4n6P/1B6B3/4KRRQ2r1 w - - 0 59",
        2,
    ),
    (
        "war-of-the-roses",
        "9b2/2k7b1/12/7pp2B/Q5r2p2/2pp5P2/2P5Pr2/1b1n8/P3PPPPn2N/2B7P1/1B2KR6/7R4 w - - 3 105",
        1,
    ),
    (
        "war-of-the-roses",
        "2B9/12/5k6/3p8/p9Rp/p11/5P2PP2/2Pr3r4/1P8P1/2R9/1K10/1b8b1 w - - 0 128",
        2,
    ),
    (
        "augmenters",
        "8/8/8/2B{S}3A1/6b{A}1/K{W}7/2k{H}5/8 w - - 5 128",
        2,
    ),
    (
        "augmenters",
        "1R{S}5E{BN+H}/r{F}2P4/6Pc{BCL}/8/r{W}1P1P2p/4PB{E}k{E}P/1p1K{G}4/5B{D}2 w - - 8 59",
        2,
    ),
    (
        "augmenters",
        "5k{F}2/8/8/2p5/3b{W}3K{D}/1a6/8/8 b - - 31 139",
        2,
    ),
];

/// Whether the side to move mates in `n` moves against every defence.
fn mates<const N: usize>(position: &mut Position<N>, n: u32) -> bool {
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::All, &mut moves);
    moves.into_iter().any(|mv| {
        let undo = position.make(mv);
        let found = is_lost(position, n - 1);
        position.unmake(mv, &undo);
        found
    })
}

/// Whether the side to move is mated, or will be in `n` moves whatever it does.
fn is_lost<const N: usize>(position: &mut Position<N>, n: u32) -> bool {
    let mut moves = MoveList::new();
    position.legal_moves(Wanted::All, &mut moves);
    if moves.is_empty() {
        return position.in_check();
    }
    n > 0
        && moves.into_iter().all(|mv| {
            let undo = position.make(mv);
            let lost = mates(position, n);
            position.unmake(mv, &undo);
            lost
        })
}

/// The number of moves to mate by looking at everything, up to 2.
fn shortest(game: &Game) -> Option<u32> {
    (1..=2).find(|&n| match game.position().clone() {
        AnyPosition::One(mut p) => mates(&mut p, n),
        AnyPosition::Two(mut p) => mates(&mut p, n),
        AnyPosition::Four(mut p) => mates(&mut p, n),
    })
}

#[test]
fn mates_are_found_as_short_as_they_are() {
    for (id, fen, moves) in MATES {
        let game = Game::new(variant(id), fen).unwrap();
        assert_eq!(shortest(&game), Some(moves), "{id}: {fen}");
        let found = search(
            &game,
            &Limits {
                nodes: Some(300_000),
                ..Limits::default()
            },
        );
        assert_eq!(
            found.score.mate(),
            Some(moves as i32),
            "{id}: {fen} {found:?}"
        );
        assert_eq!(
            found.pv.len(),
            2 * moves as usize - 1,
            "{id}: {fen} {found:?}"
        );
        let mut game = game;
        for mv in &found.pv {
            game.play(mv).unwrap();
        }
        assert_eq!(
            game.end().unwrap().reason,
            engine::outcome::BoardEnd::Checkmate
        );
    }
}

/// A mate in n seen from the other side, one ply later, is a loss in n - 1.
#[test]
fn being_mated_is_seen_as_well() {
    let (id, fen, moves) = MATES[1];
    let mut game = Game::new(variant(id), fen).unwrap();
    let found = search(
        &game,
        &Limits {
            nodes: Some(300_000),
            ..Limits::default()
        },
    );
    game.play(&found.best.unwrap()).unwrap();
    let answer = search(
        &game,
        &Limits {
            nodes: Some(300_000),
            ..Limits::default()
        },
    );
    assert_eq!(answer.score.mate(), Some(1 - moves as i32), "{answer:?}");
}
