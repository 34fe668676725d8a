//! The table of a tournament: standings with ratings, cross-table, how games ended.

use anyhow::Result;
use proto::v1;
use serde_json::{Value, json};

use crate::output::{Format, points, table, tenths};

/// The text of the standings; the same bytes for the same results.
pub fn render(
    tournament: &v1::Tournament,
    standings: &v1::StandingsResponse,
    format: Format,
) -> Result<String> {
    match format {
        Format::Json => Ok(serde_json::to_string_pretty(&as_json(tournament, standings))? + "\n"),
        Format::Table => Ok(as_tables(tournament, standings)),
    }
}

fn as_tables(tournament: &v1::Tournament, standings: &v1::StandingsResponse) -> String {
    let variant = tournament.variant.as_ref().map_or("", |v| v.id.as_str());
    let name = tournament.spec.as_ref().map_or("", |s| s.name.as_str());
    let mut text = format!(
        "{name}: {variant}, {}, {} of {} games\n\n",
        tournament.limit_class, standings.stored_games, standings.total_games
    );
    let rows = standings.rows.iter().map(row).collect();
    let header = [
        "Rank", "Player", "Points", "Games", "Score", "W", "A", "=", "D", "L", "SB", "Elo", "+-",
        "LOS",
    ];
    text += &table(&header, rows, 2).to_string();
    text += "\n\nW, A, =, D, L: wins (1 point), advantages (0.75), draws, disadvantages (0.25), losses. SB: Sonneborn-Berger.\n";
    text += "Elo: mean of the tournament 0, +- half the 95 % interval. LOS: likelihood of being stronger than the next.\n";
    if let Some(elo) = standings.first_move_elo {
        text += &format!("Moving first is worth {} Elo.\n", tenths(Some(elo)));
    }
    text += "\nPoints against each opponent:\n\n";
    text += &cross_table(standings);
    text += "\n\nGames ended by ";
    let mut reasons: Vec<&v1::ReasonCount> = standings.reasons.iter().collect();
    reasons.sort_by_key(|r| (std::cmp::Reverse(r.games), r.reason));
    let reasons: Vec<String> = reasons
        .iter()
        .map(|r| format!("{} ({})", reason_text(r.reason()), r.games))
        .collect();
    text += &if reasons.is_empty() {
        "nothing yet".to_owned()
    } else {
        reasons.join(", ")
    };
    text + ".\n"
}

fn row(row: &v1::StandingsRow) -> Vec<String> {
    let share = if row.games == 0 {
        "-".to_owned()
    } else {
        format!("{:.1} %", row.quarters as f64 * 25.0 / f64::from(row.games))
    };
    vec![
        row.rank.to_string(),
        row.name.clone(),
        points(row.quarters),
        row.games.to_string(),
        share,
        row.wins.to_string(),
        row.advantages.to_string(),
        row.draws.to_string(),
        row.disadvantages.to_string(),
        row.losses.to_string(),
        sixteenths(row.sonneborn_sixteenths),
        tenths(row.rating),
        tenths(row.interval),
        row.los_next
            .map_or("-".to_owned(), |los| format!("{:.0} %", los * 100.0)),
    ]
}

fn sixteenths(value: u64) -> String {
    let text = format!("{:.4}", value as f64 / 16.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Rows and columns in the order of the standings.
fn cross_table(standings: &v1::StandingsResponse) -> String {
    let players: Vec<(u32, &str)> = standings
        .rows
        .iter()
        .map(|r| (r.player, r.name.as_str()))
        .collect();
    let numbers: Vec<String> = (1..=players.len()).map(|n| n.to_string()).collect();
    let mut header = vec!["#", "Player"];
    header.extend(numbers.iter().map(String::as_str));
    let rows = players.iter().enumerate().map(|(i, &(player, name))| {
        let mut cells = vec![numbers[i].clone(), name.to_owned()];
        cells.extend(players.iter().map(|&(opponent, _)| {
            let cell = standings
                .cross_table
                .iter()
                .find(|c| c.player == player && c.opponent == opponent);
            match cell {
                Some(cell) if cell.games > 0 => format!("{}/{}", points(cell.quarters), cell.games),
                _ if player == opponent => "x".to_owned(),
                _ => "-".to_owned(),
            }
        }));
        cells
    });
    table(&header, rows.collect(), 2).to_string()
}

/// A reason as people and scripts read it: `n-move`.
pub fn reason_text(reason: v1::EndReason) -> String {
    reason
        .as_str_name()
        .trim_start_matches("END_REASON_")
        .to_lowercase()
        .replace('_', "-")
}

fn as_json(tournament: &v1::Tournament, standings: &v1::StandingsResponse) -> Value {
    let tenth = |value: Option<f64>| value.map(|v| (v * 10.0).round() / 10.0 + 0.0);
    let rows: Vec<Value> = standings
        .rows
        .iter()
        .map(|r| {
            json!({
                "rank": r.rank, "player": r.name, "points": r.quarters as f64 / 4.0, "games": r.games,
                "wins": r.wins, "advantages": r.advantages, "draws": r.draws,
                "disadvantages": r.disadvantages, "losses": r.losses,
                "sonneborn_berger": r.sonneborn_sixteenths as f64 / 16.0,
                "elo": tenth(r.rating), "elo_interval": tenth(r.interval),
                "los_next": r.los_next.map(|los| (los * 1000.0).round() / 1000.0),
            })
        })
        .collect();
    let name = |player: u32| {
        standings
            .rows
            .iter()
            .find(|r| r.player == player)
            .map_or("", |r| r.name.as_str())
    };
    let cross: Vec<Value> = standings
        .cross_table
        .iter()
        .map(|c| json!({ "player": name(c.player), "opponent": name(c.opponent), "games": c.games, "points": c.quarters as f64 / 4.0 }))
        .collect();
    let reasons: serde_json::Map<String, Value> = standings
        .reasons
        .iter()
        .map(|r| (reason_text(r.reason()), json!(r.games)))
        .collect();
    json!({
        "name": tournament.spec.as_ref().map_or("", |s| s.name.as_str()),
        "variant": tournament.variant.as_ref().map_or("", |v| v.id.as_str()),
        "variant_hash": tournament.variant.as_ref().map_or("", |v| v.hash.as_str()),
        "limit_class": tournament.limit_class,
        "stored_games": standings.stored_games,
        "total_games": standings.total_games,
        "standings": rows,
        "cross_table": cross,
        "first_move_elo": tenth(standings.first_move_elo),
        "end_reasons": reasons,
    })
}
