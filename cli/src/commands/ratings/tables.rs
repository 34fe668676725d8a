//! Superiority and cross-table as text.

use anyhow::Result;
use proto::v1;
use serde_json::{Value, json};
use server::model::wire::columns::{Shown, columns};

use super::list::{as_json, basis, percent, pool_text, pretty, tenth, thousandth};
use crate::output::{Format, points, table, tenths};
use crate::standings::{
    GIVEN, columns_json, decided_by, ordered_by_text, shown_name, tie_breaks_json,
};

/// A superiority matrix as it is printed.
pub(super) fn superiority(
    list: &v1::RatingList,
    rows: &[v1::SuperiorityRow],
    format: Format,
) -> Result<String> {
    if format == Format::Json {
        let matrix = |value: &dyn Fn(&v1::SuperiorityCell) -> Option<f64>| {
            let row = |row: &v1::SuperiorityRow| row.cells.iter().map(value).collect::<Vec<_>>();
            rows.iter().map(row).collect::<Vec<_>>()
        };
        let mut answer = as_json(list);
        answer["superiority"] = json!(matrix(&|cell| thousandth(cell.los)));
        answer["difference"] = json!(matrix(&|cell| tenth(cell.difference)));
        answer["difference_interval"] = json!(matrix(&|cell| tenth(cell.interval)));
        let games = |row: &v1::SuperiorityRow| -> Vec<u64> {
            row.cells.iter().map(|cell| cell.games).collect()
        };
        answer["games_between"] = rows.iter().map(games).collect();
        return pretty(&answer);
    }
    let numbers: Vec<String> = list.ratings.iter().map(|r| r.rank.to_string()).collect();
    let mut header = vec!["Rank", "Player", "Elo", "+-", "Games"];
    header.extend(numbers.iter().map(String::as_str));
    let line = |(rating, row): (&v1::Rating, &v1::SuperiorityRow)| {
        let mut line = vec![
            rating.rank.to_string(),
            rating.name.clone(),
            tenths(Some(rating.elo)),
            tenths(rating.interval),
            rating.games.to_string(),
        ];
        line.extend(row.cells.iter().map(|cell| match cell.los {
            Some(los) => format!("{:.0}", los * 100.0),
            None => "-".to_owned(),
        }));
        line
    };
    let lines = list.ratings.iter().zip(rows).map(line).collect();
    let mut text = format!(
        "{}: {} games, {}; likelihood in percent that the row is stronger than the column\n\n{}\n",
        pool_text(list.pool.as_ref()),
        list.games,
        basis(list.confidence, list.model(), list.error_bars()),
        table(&header, lines, 2)
    );
    for note in &list.notes {
        text += &format!("\nNote: {note}.\n");
    }
    Ok(text)
}

fn cross_json(head: &v1::CrossTableHead, rows: &[v1::CrossTableRow]) -> Value {
    let name = |column: u32| {
        rows.get(column as usize)
            .map_or("", |row| row.name.as_str())
    };
    let rows = rows.iter().map(|row| {
        let cells = row.cells.iter().map(|cell| {
            json!({
                "opponent": name(cell.column), "games": cell.games,
                "points": cell.quarters as f64 / 4.0, "outcomes": cell.outcomes,
            })
        });
        json!({
            "rank": row.rank, "player": row.name, "id": row.player, "games": row.games,
            "points": (row.quarters + row.given_quarters) as f64 / 4.0,
            "given_points": row.given_quarters as f64 / 4.0, "withdrawn": row.withdrawn,
            "outcomes": row.outcomes, "tie_breaks": columns_json(&row.columns.unwrap_or_default()),
            "cells": cells.collect::<Vec<_>>(),
        })
    });
    let pool = head.pool.clone().unwrap_or_default();
    let variant = pool.variant.unwrap_or_default();
    json!({
        "variant": variant.id, "variant_hash": variant.hash, "limit_class": pool.limit_class,
        "games": head.games, "stored_games": head.stored_games,
        "by_percentage": head.by_percentage, "ordered_by": ordered_by_text(head.ordered_by()),
        "tie_breaks": tie_breaks_json(head.tie_breaks()), "rows": rows.collect::<Vec<_>>(), "notes": head.notes,
    })
}

/// A cross-table as it is printed.
pub(super) fn cross_table(
    head: &v1::CrossTableHead,
    rows: &[v1::CrossTableRow],
    format: Format,
    shown: Shown,
) -> Result<String> {
    if format == Format::Json {
        return pretty(&cross_json(head, rows));
    }
    let numbers: Vec<String> = rows.iter().map(|row| row.rank.to_string()).collect();
    let tie_breaks: Vec<v1::TieBreak> = head.tie_breaks().collect();
    let shown = columns(&tie_breaks, shown);
    let has_gifts = rows.iter().any(|row| row.given_quarters > 0);
    let mut header = vec!["Rank", "Player", "Points"];
    header.extend(has_gifts.then_some("Given"));
    header.extend(["Games", "Score"]);
    header.extend(shown.iter().map(|column| column.head));
    header.extend(numbers.iter().map(String::as_str));
    let line = |(index, row): (usize, &v1::CrossTableRow)| {
        let score = match row.games {
            0 => "-".to_owned(),
            games => percent(row.quarters as f64 / 4.0 / games as f64),
        };
        let mut line = vec![
            row.rank.to_string(),
            shown_name(&row.name, row.withdrawn),
            points(row.quarters + row.given_quarters),
        ];
        line.extend(has_gifts.then(|| points(row.given_quarters)));
        line.extend([row.games.to_string(), score]);
        let all = row.columns.unwrap_or_default();
        line.extend(shown.iter().map(|column| (column.cell)(&all)));
        let mut cells = vec!["-".to_owned(); rows.len()];
        cells[index] = "x".to_owned();
        for cell in &row.cells {
            if let Some(text) = cells.get_mut(cell.column as usize) {
                *text = format!("{}/{}", points(cell.quarters), cell.games);
            }
        }
        line.extend(cells);
        line
    };
    let lines = rows
        .iter()
        .enumerate()
        .map(|(index, row)| line((index, row)))
        .collect();
    let mut text = format!(
        "{}: {} games, points and games against each opponent\n\n{}\n",
        pool_text(head.pool.as_ref()),
        head.games,
        table(&header, lines, 2)
    );
    let order = decided_by(head.ordered_by(), head.by_percentage, &tie_breaks, &shown);
    text += &format!("\n{order}");
    if has_gifts {
        text += GIVEN;
    }
    for note in &head.notes {
        text += &format!("\nNote: {note}.\n");
    }
    Ok(text)
}
