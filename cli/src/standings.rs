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
    let shown = columns(standings);
    let gifts = standings.rows.iter().any(|row| row.given_quarters > 0);
    let rows = standings
        .rows
        .iter()
        .map(|line| row(line, &shown, gifts))
        .collect();
    let mut header = vec!["Rank", "Player", "Points"];
    header.extend(gifts.then_some("Given"));
    header.extend(["Games", "Score", "W", "A", "=", "D", "L"]);
    header.extend(shown.iter().map(|column| column.head));
    header.extend(["Elo", "+-", "LOS"]);
    text += &table(&header, rows, 2).to_string();
    text += "\n\nW, A, =, D, L: wins (1 point), advantages (0.75), draws, disadvantages (0.25), losses.\n";
    text += &decided_by(standings, &shown);
    if gifts {
        text += "Given: points without games, for a bye or because an opponent withdrew; they are among the points.\n";
    }
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

/// The name of a row's player, and whether it has withdrawn.
fn shown_name(row: &v1::StandingsRow) -> String {
    match row.withdrawn {
        true => format!("{} (withdrawn)", row.name),
        false => row.name.clone(),
    }
}

fn row(row: &v1::StandingsRow, shown: &[&Column], gifts: bool) -> Vec<String> {
    let share = if row.games == 0 {
        "-".to_owned()
    } else {
        format!("{:.1} %", row.quarters as f64 * 25.0 / f64::from(row.games))
    };
    let mut cells = vec![
        row.rank.to_string(),
        shown_name(row),
        points(row.quarters + row.given_quarters),
    ];
    cells.extend(gifts.then(|| points(row.given_quarters)));
    cells.extend([
        row.games.to_string(),
        share,
        row.wins.to_string(),
        row.advantages.to_string(),
        row.draws.to_string(),
        row.disadvantages.to_string(),
        row.losses.to_string(),
    ]);
    let all = row.columns.unwrap_or_default();
    cells.extend(shown.iter().map(|column| (column.cell)(&all)));
    cells.push(tenths(row.rating));
    cells.push(tenths(row.interval));
    let los = row.los_next.map(|los| format!("{:.0} %", los * 100.0));
    cells.push(los.unwrap_or_else(|| "-".to_owned()));
    cells
}

/// A tie-break as a column.
struct Column {
    tie_break: v1::TieBreak,
    /// Its head in a table.
    head: &'static str,
    /// Its name for people.
    name: &'static str,
    cell: fn(&v1::StandingColumns) -> String,
}

/// All tie-breaks; wins have a column anyway.
const COLUMNS: [Column; 11] = {
    use v1::TieBreak as By;
    const fn column(
        tie_break: By,
        head: &'static str,
        name: &'static str,
        cell: fn(&v1::StandingColumns) -> String,
    ) -> Column {
        Column {
            tie_break,
            head,
            name,
            cell,
        }
    }
    [
        column(By::DirectEncounter, "DE", "direct encounter", |row| {
            row.direct_encounter_quarters.map_or("-".to_owned(), points)
        }),
        column(By::SonnebornBerger, "SB", "Sonneborn-Berger", |row| {
            sixteenths(row.sonneborn_berger_sixteenths)
        }),
        column(By::Wins, "W", "wins", |row| row.wins.to_string()),
        column(By::WinsSecond, "W2", "wins as second", |row| {
            row.wins_second.to_string()
        }),
        column(By::Buchholz, "BH", "Buchholz", |row| {
            points(row.buchholz_quarters)
        }),
        column(By::BuchholzCut1, "BC1", "Buchholz Cut-1", |row| {
            points(row.buchholz_cut1_quarters)
        }),
        column(By::MedianBuchholz, "MBH", "median Buchholz", |row| {
            points(row.median_buchholz_quarters)
        }),
        column(By::GamesSecond, "G2", "games as second", |row| {
            row.games_second.to_string()
        }),
        column(
            By::Koya,
            "Koya",
            "points against those with half of theirs",
            |row| points(row.koya_quarters),
        ),
        column(By::Progressive, "PS", "progressive score", |row| {
            row.progressive_quarters.map_or("-".to_owned(), points)
        }),
        column(
            By::FewerForfeits,
            "FF",
            "games forfeited, the fewer the better",
            |row| {
                row.forfeits
                    .map_or("-".to_owned(), |games| games.to_string())
            },
        ),
    ]
};

/// The tie-breaks of a tournament, in its order.
fn decided<'a>(standings: &'a v1::StandingsResponse) -> impl Iterator<Item = &'static Column> + 'a {
    standings
        .tie_breaks()
        .filter_map(|own| COLUMNS.iter().find(|column| column.tie_break == own))
}

/// Those that are not in the table anyway.
fn columns(standings: &v1::StandingsResponse) -> Vec<&'static Column> {
    decided(standings)
        .filter(|column| column.tie_break != v1::TieBreak::Wins)
        .collect()
}

/// What the order rests on, and what its columns mean.
fn decided_by(standings: &v1::StandingsResponse, shown: &[&Column]) -> String {
    let first = match standings.ordered_by() {
        v1::StandingsOrder::Course => Some("how far they came"),
        v1::StandingsOrder::Rating => Some("rating, since some had harder opponents than others"),
        v1::StandingsOrder::PointsPerGame => None,
        v1::StandingsOrder::Points | v1::StandingsOrder::Unspecified => None,
    };
    let by_points = match standings.by_percentage {
        true => "points a game",
        false => "points",
    };
    let mut order = vec![first.unwrap_or(by_points)];
    if standings.ordered_by() == v1::StandingsOrder::Course {
        order.push(by_points);
    }
    if standings.ordered_by() != v1::StandingsOrder::Rating {
        order.extend(decided(standings).map(|column| column.head));
    }
    let meanings: Vec<_> = shown
        .iter()
        .map(|column| format!("{}: {}", column.head, column.name))
        .collect();
    let meanings = match &meanings[..] {
        [] => String::new(),
        meanings => format!(" {}.", meanings.join(", ")),
    };
    format!(
        "Order by {}, then as in the file.{meanings}\n",
        order.join(", ")
    )
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

/// A tie-break as it is written in a tournament file.
fn kebab(tie_break: v1::TieBreak) -> String {
    let name = tie_break.as_str_name().trim_start_matches("TIE_BREAK_");
    name.to_lowercase()
        .replace('_', "-")
        .replace("cut1", "cut-1")
}

/// All columns in points.
fn columns_json(row: &v1::StandingColumns) -> Value {
    let points = |quarters: u64| quarters as f64 / 4.0;
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
    })
}

fn as_json(tournament: &v1::Tournament, standings: &v1::StandingsResponse) -> Value {
    let tenth = |value: Option<f64>| value.map(|v| (v * 10.0).round() / 10.0 + 0.0);
    let rows: Vec<Value> = standings
        .rows
        .iter()
        .map(|r| {
            json!({
                "rank": r.rank, "player": r.name, "points": r.quarters as f64 / 4.0, "games": r.games,
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
        "tie_breaks": standings.tie_breaks().map(kebab).collect::<Vec<_>>(),
        "unplayed": match standings.unplayed() {
            v1::UnplayedRounds::Dummy => "dummy",
            _ => "not-counted",
        },
        "by_percentage": standings.by_percentage,
        "ordered_by": match standings.ordered_by() {
            v1::StandingsOrder::Course => "course",
            v1::StandingsOrder::Rating => "rating",
            v1::StandingsOrder::PointsPerGame => "points-per-game",
            v1::StandingsOrder::Points | v1::StandingsOrder::Unspecified => "points",
        },
        "standings": rows,
        "cross_table": cross,
        "first_move_elo": tenth(standings.first_move_elo),
        "end_reasons": reasons,
    })
}
