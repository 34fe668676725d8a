//! The page of a tournament: its standings, with the columns that `brouhaha tournament standings` prints.

use std::fmt::Write as _;

use proto::v1;

use super::{
    html::Escaped,
    pages::{frame, state},
};
use crate::{
    model::{
        EndReason,
        wire::columns::{Column, Shown, columns, meanings, order},
    },
    ratings::Quarters,
};

/// The table of a tournament.
pub(super) fn tournament(
    tournament: &v1::Tournament,
    table: &v1::StandingsResponse,
    shown: Shown,
) -> String {
    let name = tournament.spec.as_ref().map_or("", |spec| &spec.name);
    let variant = tournament.variant.as_ref().map_or("", |own| &own.id);
    let mut body = format!(
        "<p>{}, {}, {}, {} of {} games</p>\n",
        Escaped(variant),
        Escaped(&tournament.limit_class),
        state(tournament.state()),
        table.stored_games,
        table.total_games,
    );
    body += &standings(table, shown);
    // Writing to a string does not fail.
    let _ = match shown {
        Shown::List => writeln!(body, "<p><a href=\"?columns=all\">All columns</a></p>"),
        Shown::All => writeln!(body, "<p><a href=\"?\">Fewer columns</a></p>"),
    };
    for parked in &tournament.parked {
        let _ = writeln!(
            body,
            "<p>Batch {} is parked: {}</p>",
            parked.batch,
            Escaped(&parked.message)
        );
    }
    if !table.reasons.is_empty() {
        let text = |count: &v1::ReasonCount| {
            let reason = EndReason::from_wire(count.reason()).map_or("unknown", EndReason::text);
            format!("{reason} {}", count.games)
        };
        let reasons: Vec<_> = table.reasons.iter().map(text).collect();
        let _ = writeln!(body, "<p>Ends: {}</p>", reasons.join(", "));
    }
    frame(name, &body)
}

/// The standings and what their order rests on.
fn standings(table: &v1::StandingsResponse, shown: Shown) -> String {
    let tie_breaks: Vec<v1::TieBreak> = table.tie_breaks().collect();
    let columns = columns(&tie_breaks, shown);
    let has_gifts = table.rows.iter().any(|row| row.given_quarters > 0);
    let mut heads = vec!["Points"];
    heads.extend(has_gifts.then_some("Given"));
    heads.extend(["Games", "Score", "W", "A", "=", "D", "L"]);
    heads.extend(columns.iter().map(|column| column.head));
    heads.extend(["Elo", "&plusmn;", "LOS"]);
    let mut text = "<table><tr><th>Rank</th><th class=\"l\">Player</th>".to_owned();
    for head in heads {
        let _ = write!(text, "<th>{head}</th>");
    }
    text += "</tr>\n";
    for row in &table.rows {
        let withdrawn = if row.withdrawn { " (withdrawn)" } else { "" };
        let _ = write!(
            text,
            "<tr><td>{}</td><td class=\"l\">{}{withdrawn}</td>",
            row.rank,
            Escaped(&row.name)
        );
        for cell in cells(row, &columns, has_gifts) {
            let _ = write!(text, "<td>{cell}</td>");
        }
        text += "</tr>\n";
    }
    let _ = writeln!(
        text,
        "</table>\n<p>W, A, =, D, L: wins (1 point), advantages (0.75), draws, disadvantages (0.25), losses. {} {}</p>",
        order(table.ordered_by(), table.by_percentage, &tie_breaks),
        meanings(&columns)
    );
    text
}

/// The cells of a row after the player's name.
fn cells(row: &v1::StandingsRow, columns: &[&Column], has_gifts: bool) -> Vec<String> {
    let void = || "-".to_owned();
    // Minus zero is zero.
    let tenths = |value: f64| format!("{:.1}", (value * 10.0).round() / 10.0 + 0.0);
    let number = |value: Option<f64>| value.map_or_else(void, tenths);
    let mut cells = vec![Quarters(row.quarters.saturating_add(row.given_quarters)).to_string()];
    cells.extend(has_gifts.then(|| Quarters(row.given_quarters).to_string()));
    cells.push(row.games.to_string());
    cells.push(match row.games {
        0 => void(),
        games => format!("{:.1} %", row.quarters as f64 * 25.0 / f64::from(games)),
    });
    let outcomes = [
        row.wins,
        row.advantages,
        row.draws,
        row.disadvantages,
        row.losses,
    ];
    cells.extend(outcomes.map(|games| games.to_string()));
    let all = row.columns.unwrap_or_default();
    cells.extend(columns.iter().map(|column| (column.cell)(&all)));
    cells.extend([number(row.rating), number(row.interval)]);
    let likelihood = row.los_next.map(|los| format!("{:.0} %", los * 100.0));
    cells.push(likelihood.unwrap_or_else(void));
    cells
}
