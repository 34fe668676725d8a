//! The pages as text.

use std::fmt::Write as _;

use proto::v1;

use super::html::Escaped;
use crate::model::{TournamentState, wire};

const STYLE: &str = "body{font-family:sans-serif;margin:2em;max-width:70em}table{border-collapse:collapse}\
    td,th{padding:.2em .7em;border-bottom:1px solid #ccc;text-align:right}td.l,th.l{text-align:left}";

/// A page of a title and a body, which is HTML.
pub(super) fn frame(title: &str, body: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} – Brouhaha</title>\
         <style>{STYLE}</style></head>\n<body><p><a href=\"/\">Brouhaha</a></p>\n<h1>{title}</h1>\n{body}</body></html>\n",
        title = Escaped(title),
    )
}

/// All tournaments and workers.
pub(super) fn overview(tournaments: &[v1::Tournament], workers: &[v1::WorkerInfo]) -> String {
    let mut body = String::from(
        "<table><tr><th>#</th><th class=\"l\">name</th><th class=\"l\">variant</th><th class=\"l\">state</th><th>games</th></tr>\n",
    );
    for tournament in tournaments {
        let name = tournament.spec.as_ref().map_or("", |spec| &spec.name);
        let variant = tournament
            .variant
            .as_ref()
            .map_or("", |variant| &variant.id);
        // Writing to a string does not fail.
        let _ = writeln!(
            body,
            "<tr><td>{id}</td><td class=\"l\"><a href=\"/tournaments/{id}\">{}</a></td><td class=\"l\">{}</td>\
             <td class=\"l\">{}</td><td>{} / {}</td></tr>",
            Escaped(name),
            Escaped(variant),
            state(tournament.state()),
            tournament.stored_games,
            tournament.total_games,
            id = tournament.id,
        );
    }
    body.push_str("</table>\n<h2>Workers</h2>\n<table><tr><th class=\"l\">name</th><th>slots</th><th>batches</th><th>games</th><th class=\"l\">state</th></tr>\n");
    for worker in workers {
        let state = match worker {
            v1::WorkerInfo {
                connected: false, ..
            } => "gone",
            v1::WorkerInfo {
                quarantined: true, ..
            } => "in quarantine",
            v1::WorkerInfo { draining: true, .. } => "draining",
            _ => "connected",
        };
        let _ = writeln!(
            body,
            "<tr><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"l\">{state}</td></tr>",
            Escaped(&worker.name),
            worker.slots,
            worker.leases,
            worker.stored_games,
        );
    }
    body.push_str("</table>\n");
    frame("Tournaments", &body)
}

/// A state in a word.
pub(super) fn state(state: v1::TournamentState) -> &'static str {
    match wire::state_from_wire(state) {
        Some(TournamentState::Running) => "running",
        Some(TournamentState::Paused) => "paused",
        Some(TournamentState::Finished) => "finished",
        Some(TournamentState::Cancelled) => "cancelled",
        None => "unknown",
    }
}

/// Something that is not there.
pub(super) fn not_found(what: &str) -> String {
    frame(
        "Not found",
        &format!("<p>{} does not exist.</p>\n", Escaped(what)),
    )
}

/// Something went wrong.
pub(super) fn failed(problem: &str) -> String {
    frame("Failed", &format!("<p>{}</p>\n", Escaped(problem)))
}

/// A coordinator with a token shows its pages only to who knows it.
pub(super) fn closed() -> String {
    frame(
        "Closed",
        "<p>This coordinator needs its token: give it as the password, with any user name.</p>\n",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_break_out_of_the_page() {
        let spec = v1::TournamentSpec {
            name: "<script>\"'&".into(),
            ..Default::default()
        };
        let evil = v1::Tournament {
            spec: Some(spec),
            ..Default::default()
        };
        let worker = v1::WorkerInfo {
            name: "<b>".into(),
            ..Default::default()
        };
        for page in [
            overview(std::slice::from_ref(&evil), &[worker]),
            super::super::table::tournament(&evil, &Default::default(), Default::default()),
        ] {
            assert!(page.contains("&lt;script&gt;&quot;&#39;&amp;"), "{page}");
            assert!(!page.contains("<script>") && !page.contains("<b>"));
        }
    }
}
