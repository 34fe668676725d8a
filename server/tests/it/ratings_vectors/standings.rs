//! Standings, schedules, performances and Glicko-2 against `standings.json`.

use serde_json::Value;
use server::ratings::glicko2::{Glicko2, Glicko2Game};
use server::ratings::performance::{linear_performance, performance, performance_with_half_draw};
use server::ratings::{
    Aggregates, Event, Outcome, RoundResult, Standing, TieBreak, progressive_scores, standings,
};
use server::schedule::berger_round;

use super::{Checker, cases, count, float, load, numbers};

fn round_results(case: &Value) -> Vec<RoundResult> {
    let game = |game: &Value| {
        let [round, first, second, quarters] = numbers(game).map(|n| usize::try_from(n).unwrap());
        let outcome = Outcome::from_quarters(u8::try_from(quarters).unwrap()).unwrap();
        RoundResult {
            round: u32::try_from(round).unwrap(),
            first,
            second,
            outcome,
        }
    };
    cases(case, "games").iter().map(game).collect()
}

fn field(row: &Standing, key: &str) -> Option<u128> {
    let columns = &row.columns;
    Some(match key {
        "points_q" => columns.points.0.into(),
        "games" => columns.games.into(),
        "wins" => columns.wins().into(),
        "advantages" => columns.advantages().into(),
        "games_second" => columns.games_second.into(),
        "wins_second" => columns.wins_second.into(),
        "sonneborn_berger_q16" => columns.sonneborn_berger_q16,
        "buchholz_q" => columns.buchholz_q,
        "buchholz_cut1_q" => columns.buchholz_cut1_q,
        "median_buchholz_q" => columns.median_buchholz_q,
        "koya_q" => columns.koya_q.into(),
        "progressive_q" => row.progressive_q.into(),
        "direct_encounter_q" => return row.direct_encounter_q.map(u128::from),
        _ => panic!("the vectors hold a column unknown to this test: {key}"),
    })
}

#[test]
fn vectors_standings() {
    let file = load("standings.json");
    let tie_breaks = [
        TieBreak::DirectEncounter,
        TieBreak::SonnebornBerger,
        TieBreak::Wins,
        TieBreak::GamesSecond,
    ];
    let mut check = Checker::new();
    for case in cases(&file, "tournaments") {
        let name = case["name"].as_str().unwrap();
        let games = round_results(case);
        let mut results = Aggregates::new();
        (1..=count(&case["players"])).for_each(|player| results.add_player(player));
        for game in &games {
            results
                .add_single(game.first, game.second, game.outcome)
                .unwrap();
        }
        let event = Event {
            progressive: progressive_scores(&games),
            ..Event::new(&results)
        };
        let table = standings(&event, &tie_breaks);
        let order: Vec<usize> = table.rows.iter().map(|row| row.player).collect();
        let want: Vec<usize> = cases(case, "order").iter().map(count).collect();
        check.equal(&format!("{name} order"), &order, &want);
        let wanted = case["standings"].as_object().unwrap();
        check.equal(&format!("{name} rows"), &table.rows.len(), &wanted.len());
        for row in &table.rows {
            for (key, want) in wanted[&row.player.to_string()].as_object().unwrap() {
                let what = format!("{name} player {} {key}", row.player);
                check.equal(&what, &field(row, key), &want.as_u64().map(u128::from));
            }
        }
    }
    check.finish();
}

#[test]
fn vectors_berger_tables() {
    let file = load("standings.json");
    let mut check = Checker::new();
    for (players, rounds) in file["berger"].as_object().unwrap() {
        let n: usize = players.parse().unwrap();
        for (round, want) in rounds.as_array().unwrap().iter().enumerate() {
            let want: Vec<[usize; 2]> = want
                .as_array()
                .unwrap()
                .iter()
                .map(|board| numbers(board).map(|n| usize::try_from(n).unwrap()))
                .collect();
            // The tables number players and rounds from 1.
            let got: Vec<[usize; 2]> = berger_round(n, round)
                .map(|(first, second)| [first + 1, second + 1])
                .collect();
            check.equal(&format!("{n} players, round {}", round + 1), &got, &want);
        }
    }
    check.finish();
}

#[test]
fn vectors_performance() {
    let file = load("standings.json");
    let mut check = Checker::new();
    for (index, case) in cases(&file, "performance").iter().enumerate() {
        let opponents: Vec<f64> = cases(case, "opponents").iter().map(float).collect();
        let points = float(&case["points"]);
        let fields = [
            ("performance", performance(&opponents, points)),
            (
                "performance_half_draw",
                performance_with_half_draw(&opponents, points),
            ),
            ("linear_400", linear_performance(&opponents, points)),
        ];
        for (key, got) in fields {
            check.close(&format!("{key} {index}"), got, &case[key], |_| 1e-6);
        }
    }
    check.finish();
}

#[test]
fn vectors_glicko2() {
    let file = load("standings.json");
    let mut check = Checker::new();
    for (index, case) in cases(&file, "glicko2").iter().enumerate() {
        let before = Glicko2 {
            rating: float(&case["rating"]),
            deviation: float(&case["rd"]),
            volatility: float(&case["volatility"]),
        };
        let game = |game: &Value| Glicko2Game {
            rating: float(&game[0]),
            deviation: float(&game[1]),
            score: float(&game[2]),
        };
        let games: Vec<Glicko2Game> = cases(case, "games").iter().map(game).collect();
        let after = before.after_period(&games, float(&case["tau"]));
        let want = &case["expected"];
        let what = format!("glicko2 {index}");
        check.close(
            &format!("{what} rating"),
            Some(after.rating),
            &want["rating"],
            |_| 1e-4,
        );
        check.close(
            &format!("{what} rd"),
            Some(after.deviation),
            &want["rd"],
            |_| 1e-4,
        );
        let volatility = Some(after.volatility);
        check.close(
            &format!("{what} volatility"),
            volatility,
            &want["volatility"],
            |_| 1e-8,
        );
    }
    check.finish();
}
