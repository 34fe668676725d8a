//! The five outcomes in search: advantages are taken where nothing better is to be had, and given only to avoid worse.

use engine::game::Game;
use engine::search::{Limits, Score, SearchResult};
use engine::types::Colour;
use proptest::prelude::*;

use crate::search::{search, variant};

fn found(id: &str, fen: &str, nodes: u64) -> (Game, SearchResult) {
    let game = Game::new(variant(id), fen).unwrap();
    let found = search(
        &game,
        &Limits {
            nodes: Some(nodes),
            ..Limits::default()
        },
    );
    (game, found)
}

/// Plays the move found and gives the end of the game.
fn end_after((mut game, found): (Game, SearchResult)) -> String {
    game.play(found.best.as_deref().unwrap()).unwrap();
    game.end()
        .unwrap_or_else(|| panic!("{found:?} does not end the game"))
        .to_string()
}

/// A pawn that cannot promote (the reserve is empty) and a king: stalemate is all there is.
#[test]
fn stalemating_is_an_advantage_in_apothecary() {
    let fen = "**********/k9/P9/2K7/10/10/10/10/10/10/10/**********[] w - - Kk 0 1";
    let it = found("apothecary-modern", fen, 20_000);
    assert_eq!(it.1.score, Score::ADVANTAGE, "{:?}", it.1);
    assert_eq!(
        end_after(it),
        "outcome=advantage winner=white reason=stalemate count=-"
    );
}

/// The same on the board of chess is a draw, and so it is scored.
#[test]
fn stalemating_is_a_draw_in_chess() {
    let (_, found) = found("chess", "k7/P7/8/2K5/8/8/8/8 w - - 0 1", 60_000);
    assert_eq!(found.score, Score::DRAW, "{found:?}");
}

/// Black, a queen behind, has a pawn that could reset the count and a king that need not.
#[test]
fn a_side_far_behind_runs_into_the_count() {
    let fen = "**********/k9/10/10/10/4p5/10/10/10/Q9/1K8/**********[] b - - Qk 199 120";
    let it = found("apothecary-modern", fen, 20_000);
    assert_eq!(it.1.score, Score::DISADVANTAGE, "{:?}", it.1);
    assert_eq!(
        end_after(it),
        "outcome=advantage winner=white reason=n-move count=9,1"
    );
}

/// A knight alone is three points ahead, which is a draw by the count; a pawn on top makes the fourth point.
#[test]
fn the_fourth_point_makes_the_difference() {
    let draw = "**********/10/2k7/10/10/10/10/10/4N5/10/K9/**********[] w - - Nk 199 120";
    assert_eq!(
        found("apothecary-modern", draw, 20_000).1.score,
        Score::DRAW
    );
    let fen = "**********/10/2k7/10/10/10/4P5/10/4N5/10/K9/**********[] b - - Nk 199 120";
    let it = found("apothecary-modern", fen, 20_000);
    assert_eq!(it.1.score, Score::DISADVANTAGE);
    assert_eq!(
        end_after(it),
        "outcome=advantage winner=white reason=n-move count=4,0"
    );
}

/// Black is far behind but checks for ever: the king has two squares and nothing can come between.
#[test]
fn perpetual_check_is_worth_what_a_repetition_is_worth() {
    let (_, draw) = found("chess", "2q4k/Q7/8/8/8/8/5P1P/R4RK1 b - - 0 1", 50_000);
    assert_eq!(draw.score, Score::DRAW, "{draw:?}");
    let fen = "**********/9k/10/4q5/Q9/10/10/10/10/7P1P/R6RK1/**********[] b - - Rk 0 1";
    let (_, quarter) = found("apothecary-modern", fen, 50_000);
    assert_eq!(quarter.score, Score::DISADVANTAGE, "{quarter:?}");
}

/// Contempt makes a draw worth less to the side that searches.
#[test]
fn contempt_shifts_draws_only() {
    use engine::search::{Engine, EngineOptions};
    let score = |id: &str, fen: &str| {
        let game = Game::new(variant(id), fen).unwrap();
        let options = EngineOptions {
            contempt: 40,
            hash_mib: 1,
            ..EngineOptions::default()
        };
        let stop = std::sync::atomic::AtomicBool::new(false);
        let limits = Limits {
            nodes: Some(20_000),
            ..Limits::default()
        };
        Engine::new(game.variant().clone(), &options)
            .search(&game, &limits, &stop, &mut |_| {})
            .score
    };
    let draw = "**********/10/2k7/10/10/10/10/10/4N5/10/K9/**********[] w - - Nk 199 120";
    assert_eq!(score("apothecary-modern", draw).cp(), -40);
    let advantage = "**********/k9/P9/2K7/10/10/10/10/10/10/10/**********[] w - - Kk 0 1";
    assert_eq!(score("apothecary-modern", advantage), Score::ADVANTAGE);
}

/// The worth of a game to the side to move in quarters of a point, by looking at everything; `None` if it
/// does not end in so many plies on every line.
fn exhaustive(game: &Game, plies: u32) -> Option<i32> {
    if let Some(end) = game.end() {
        let white = i32::from(end.white_quarters());
        return Some(if game.side_to_move() == Colour::White {
            white
        } else {
            4 - white
        });
    }
    if plies == 0 {
        return None;
    }
    let mut best = 0;
    for mv in game.legal_moves() {
        let mut after = game.clone();
        after.play(&mv).unwrap();
        best = best.max(4 - exhaustive(&after, plies - 1)?);
    }
    Some(best)
}

/// Random men on a board, a few plies before the N-move rule ends the game.
fn last_plies(
    id: &str,
    men: &[(char, usize)],
    plies_left: u32,
    black_to_move: bool,
) -> Option<Game> {
    let (files, ranks, limit) = match id {
        "chess" => (8, 8, 100),
        "apothecary-modern" => (10, 10, 200),
        _ => (12, 12, 200),
    };
    let mut board = vec![vec!['1'; files]; ranks];
    for &(man, at) in men {
        let at = at % (files * ranks);
        board[at / files][at % files] = man;
    }
    let rows: Vec<String> = board
        .iter()
        .map(|row| {
            let mut text = String::new();
            let mut gap = 0;
            for &c in row {
                if c == '1' {
                    gap += 1;
                    continue;
                }
                if gap > 0 {
                    text += &gap.to_string();
                    gap = 0;
                }
                text.push(c);
            }
            if gap > 0 {
                text += &gap.to_string();
            }
            text
        })
        .collect();
    let mut fen = rows.join("/");
    if id == "apothecary-modern" {
        fen = format!("**********/{fen}/**********[]");
    }
    let side = if black_to_move { 'b' } else { 'w' };
    let last = if id == "apothecary-modern" { " Kk" } else { "" };
    Game::new(
        variant(id),
        &format!("{fen} {side} - -{last} {} 150", limit - plies_left),
    )
    .ok()
}

/// The men of the random endings; each variant knows these letters.
fn letters(id: &str) -> &'static [char] {
    match id {
        "apothecary-modern" => &['Q', 'r', 'N', 'b', 'R', 'w', 'C', 'J', 'j', 'g'],
        "chess" => &['Q', 'r', 'N', 'b', 'R', 'q'],
        _ => &['Q', 'r', 'N', 'b', 'A', 'c'],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Where every line ends on the board within two plies, search gives exactly what looking at everything gives.
    #[test]
    fn certain_outcomes_are_exact(
        which in 0usize..3,
        squares in prop::collection::vec(0usize..144, 2..6),
        pick in 0usize..1000,
        black: bool,
    ) {
        let id = ["chess", "apothecary-modern", "war-of-the-roses"][which];
        let others = letters(id);
        let mut men = vec![('K', squares[0]), ('k', squares[1])];
        men.extend(squares[2..].iter().enumerate().map(|(i, &s)| (others[(pick + 3 * i) % others.len()], s)));
        let Some(game) = last_plies(id, &men, 2, black) else { return Ok(()) };
        if game.end().is_some() {
            return Ok(());
        }
        let Some(quarters) = exhaustive(&game, 2) else { return Ok(()) };
        let found = search(&game, &Limits { depth: Some(4), ..Limits::default() });
        let expected = match quarters {
            4 => found.score.mate().is_some_and(|m| m > 0),
            3 => found.score == Score::ADVANTAGE,
            2 => found.score == Score::DRAW,
            1 => found.score == Score::DISADVANTAGE,
            _ => found.score.mate().is_some_and(|m| m <= 0),
        };
        prop_assert!(expected, "{quarters} quarters, {found:?} in {id} {}", game.fen());
    }
}

#[test]
fn the_scale_orders_the_outcomes() {
    let scale = [
        Score::mated_in(2),
        Score::DISADVANTAGE,
        Score::DRAW,
        Score::ADVANTAGE,
        Score::mate_in(3),
        Score::mate_in(1),
    ];
    assert!(scale.is_sorted());
}
