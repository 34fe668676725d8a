//! The table of a tournament: standings with ratings, cross-table, how games ended.

mod json;

use anyhow::Result;
use proto::v1;
use server::model::wire::columns::{Column, Shown, columns, meanings, order};

pub use self::json::{columns_json, ordered_by_text, tie_breaks_json};
use crate::output::{Format, points, table, tenths};

/// `--all-columns`.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct ColumnsArgument {
    /// Show all tie-breaks in the table, not only those of the tournament's list; JSON has all of them anyway
    #[arg(long)]
    all_columns: bool,
}

impl ColumnsArgument {
    /// Which tie-breaks a table shows.
    pub fn shown(self) -> Shown {
        match self.all_columns {
            true => Shown::All,
            false => Shown::List,
        }
    }
}

/// The text of the standings; the same bytes for the same results.
pub fn render(
    tournament: &v1::Tournament,
    standings: &v1::StandingsResponse,
    format: Format,
    shown: Shown,
) -> Result<String> {
    match format {
        Format::Json => {
            let value = json::as_json(tournament, standings);
            Ok(serde_json::to_string_pretty(&value)? + "\n")
        }
        Format::Table => Ok(as_tables(tournament, standings, shown)),
    }
}

/// What the order of a table rests on, and what its columns mean, as lines.
pub fn decided_by(
    order_by: v1::StandingsOrder,
    is_by_percentage: bool,
    tie_breaks: &[v1::TieBreak],
    shown: &[&Column],
) -> String {
    let order = order(order_by, is_by_percentage, tie_breaks);
    let line = format!("{order} {}", meanings(shown));
    format!("{}\n", line.trim_end())
}

/// What the column of points without games means, as a line.
pub const GIVEN: &str = "Given: points without games, for a bye or because an opponent withdrew; they are among the points.\n";

fn as_tables(
    tournament: &v1::Tournament,
    standings: &v1::StandingsResponse,
    shown: Shown,
) -> String {
    let variant = tournament.variant.as_ref().map_or("", |v| v.id.as_str());
    let name = tournament.spec.as_ref().map_or("", |s| s.name.as_str());
    let mut text = format!(
        "{name}: {variant}, {}, {} of {} games\n\n",
        tournament.limit_class, standings.stored_games, standings.total_games
    );
    let tie_breaks: Vec<v1::TieBreak> = standings.tie_breaks().collect();
    let shown = columns(&tie_breaks, shown);
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
    let by = standings.ordered_by();
    text += &decided_by(by, standings.by_percentage, &tie_breaks, &shown);
    if gifts {
        text += GIVEN;
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

/// The name of a player, and whether it has withdrawn.
pub fn shown_name(name: &str, is_withdrawn: bool) -> String {
    match is_withdrawn {
        true => format!("{name} (withdrawn)"),
        false => name.to_owned(),
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
        shown_name(&row.name, row.withdrawn),
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
