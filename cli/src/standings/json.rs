//! The table of a tournament for scripts.

use proto::v1;
use serde_json::{Value, json};

use super::reason_text;

/// The tie-breaks of a list as they are written in a tournament file.
pub fn tie_breaks_json(tie_breaks: impl Iterator<Item = v1::TieBreak>) -> Value {
    tie_breaks.map(kebab).collect()
}

/// What an order rests on, as scripts read it.
pub fn ordered_by_text(order: v1::StandingsOrder) -> &'static str {
    match order {
        v1::StandingsOrder::Course => "course",
        v1::StandingsOrder::Rating => "rating",
        v1::StandingsOrder::PointsPerGame => "points-per-game",
        v1::StandingsOrder::Points | v1::StandingsOrder::Unspecified => "points",
    }
}

/// A tie-break as it is written in a tournament file.
fn kebab(tie_break: v1::TieBreak) -> String {
    let name = tie_break.as_str_name().trim_start_matches("TIE_BREAK_");
    name.to_lowercase()
        .replace('_', "-")
        .replace("cut1", "cut-1")
}

/// All columns, in points, games and Elo.
pub fn columns_json(row: &v1::StandingColumns) -> Value {
    let points = |quarters: u64| quarters as f64 / 4.0;
    let elo = |hundredths: i64| hundredths as f64 / 100.0;
    json!({
        "wins": row.wins, "wins_second": row.wins_second, "games_second": row.games_second,
        "sonneborn_berger": row.sonneborn_berger_sixteenths as f64 / 16.0,
        "buchholz": points(row.buchholz_quarters),
        "buchholz_cut_1": points(row.buchholz_cut1_quarters),
        "median_buchholz": points(row.median_buchholz_quarters),
        "koya": points(row.koya_quarters),
        "progressive": row.progressive_quarters.map(points),
        "direct_encounter": row.direct_encounter_quarters.map(points),
        "forfeits": row.forfeits, "points_per_game": row.points_per_game,
        "mean_opponent_rating": row.mean_opponent_hundredths.map(elo),
        "performance": row.performance_hundredths.map(elo),
    })
}

/// The whole answer; points are all points, those without games included.
pub fn as_json(tournament: &v1::Tournament, standings: &v1::StandingsResponse) -> Value {
    let tenth = |value: Option<f64>| value.map(|v| (v * 10.0).round() / 10.0 + 0.0);
    let rows: Vec<Value> = standings
        .rows
        .iter()
        .map(|r| {
            json!({
                "rank": r.rank, "player": r.name, "points": (r.quarters + r.given_quarters) as f64 / 4.0, "games": r.games,
                "given_points": r.given_quarters as f64 / 4.0, "withdrawn": r.withdrawn,
                "wins": r.wins, "advantages": r.advantages, "draws": r.draws,
                "disadvantages": r.disadvantages, "losses": r.losses,
                "sonneborn_berger": r.sonneborn_sixteenths as f64 / 16.0,
                "elo": tenth(r.rating), "elo_interval": tenth(r.interval),
                "los_next": r.los_next.map(|los| (los * 1000.0).round() / 1000.0),
                "tie_breaks": columns_json(&r.columns.unwrap_or_default()),
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
        "tie_breaks": tie_breaks_json(standings.tie_breaks()),
        "unplayed": match standings.unplayed() {
            v1::UnplayedRounds::Dummy => "dummy",
            _ => "not-counted",
        },
        "by_percentage": standings.by_percentage,
        "ordered_by": ordered_by_text(standings.ordered_by()),
        "standings": rows,
        "cross_table": cross,
        "first_move_elo": tenth(standings.first_move_elo),
        "end_reasons": reasons,
    })
}
