//! The course of a tournament as text: rounds, the bracket of a knockout, the rungs of a ladder.

use anyhow::Result;
use proto::v1;
use serde_json::{Value, json};

use crate::output::{Format, points, table};

/// The rounds drawn so far, and bracket or rungs where there are some.
pub fn render(
    tournament: &v1::Tournament,
    course: &v1::CourseResponse,
    format: Format,
) -> Result<String> {
    Ok(match format {
        Format::Json => serde_json::to_string_pretty(&as_json(tournament, course))? + "\n",
        Format::Table => rounds(tournament, course) + &outcome(tournament, course),
    })
}

/// The bracket of a knockout or the rungs of a ladder; empty for other formats.
pub fn outcome(tournament: &v1::Tournament, course: &v1::CourseResponse) -> String {
    let mut text = String::new();
    if !course.bracket.is_empty() {
        let header = [
            "Round", "First", "Second", "Points", "Games", "Winner", "By",
        ];
        let last = course
            .bracket
            .iter()
            .map(|met| met.round)
            .max()
            .unwrap_or(0);
        let row = |met: &v1::BracketEncounter| {
            let round = match (met.round == last, met.place) {
                (true, 0) => "final".to_owned(),
                (true, _) => "third place".to_owned(),
                (false, _) => (met.round + 1).to_string(),
            };
            let by = decided_text(met.decided_by());
            let player =
                |player: Option<u32>| player.map_or("-", |player| name(tournament, player));
            vec![
                round,
                player(met.first).to_owned(),
                player(met.second).to_owned(),
                against(met.quarters, met.games),
                met.games.to_string(),
                player(met.winner).to_owned(),
                by,
            ]
        };
        let rows = course.bracket.iter().map(row).collect();
        text += &format!("\nBracket:\n\n{}\n", table(&header, rows, 7));
    }
    if !course.rungs.is_empty() {
        let rungs = course.rungs.iter().enumerate();
        let row = |(rung, &player): (usize, &u32)| {
            vec![(rung + 1).to_string(), name(tournament, player).to_owned()]
        };
        text += &format!(
            "\nLadder from the top:\n\n{}\n",
            table(&["Rung", "Player"], rungs.map(row).collect(), 2)
        );
    }
    text
}

fn rounds(tournament: &v1::Tournament, course: &v1::CourseResponse) -> String {
    if course.draws.is_empty() {
        return match course.over {
            true => "all pairings were planned at the start; `tournament standings` has the cross-table\n".to_owned(),
            false => "nothing is drawn yet\n".to_owned(),
        };
    }
    let header = ["Round", "First", "Second", "Points", "Games", "To come"];
    let mut draws: Vec<&v1::Draw> = course.draws.iter().collect();
    draws.sort_by_key(|draw| draw.round);
    let mut rows = Vec::new();
    for draw in draws {
        let round = (draw.round + 1).to_string();
        rows.extend(draw.encounters.iter().map(|met| {
            vec![
                round.clone(),
                name(tournament, met.first).to_owned(),
                name(tournament, met.second).to_owned(),
                against(met.quarters, met.games),
                met.games.to_string(),
                met.missing.to_string(),
            ]
        }));
        rows.extend(draw.byes.iter().map(|&player| {
            let mut row = vec![
                round.clone(),
                name(tournament, player).to_owned(),
                "bye".to_owned(),
            ];
            row.extend(["-", "-", "-"].map(str::to_owned));
            row
        }));
    }
    let goes_on = matches!(
        tournament.state(),
        v1::TournamentState::Running | v1::TournamentState::Paused
    );
    let more = match course.over {
        false if goes_on => "More rounds follow from these results.\n",
        _ => "",
    };
    format!("{}\n{more}", table(&header, rows, 3))
}

/// Points of both sides.
fn against(quarters: u64, games: u32) -> String {
    let all = 4 * u64::from(games);
    format!(
        "{} : {}",
        points(quarters),
        points(all.saturating_sub(quarters))
    )
}

fn name(tournament: &v1::Tournament, player: u32) -> &str {
    let player = tournament.players.get(player as usize);
    player.map_or("?", |player| player.name.as_str())
}

/// Why an encounter has its winner, as people and scripts read it: `further-pairs`.
fn decided_text(by: v1::DecidedBy) -> String {
    match by {
        v1::DecidedBy::Unspecified => "-".to_owned(),
        by => by
            .as_str_name()
            .trim_start_matches("DECIDED_BY_")
            .to_lowercase()
            .replace('_', "-"),
    }
}

fn as_json(tournament: &v1::Tournament, course: &v1::CourseResponse) -> Value {
    let name = |player: u32| name(tournament, player);
    let names = |players: &[u32]| {
        players
            .iter()
            .map(|&player| name(player))
            .collect::<Vec<_>>()
    };
    let draws = course.draws.iter().map(|draw| {
        let encounters = draw.encounters.iter().map(|met| {
            json!({
                "first": name(met.first), "second": name(met.second), "games": met.games,
                "points": met.quarters as f64 / 4.0, "missing": met.missing,
            })
        });
        json!({
            "round": draw.round + 1, "pairs": draw.pairs, "first_game": draw.first_game,
            "encounters": encounters.collect::<Vec<_>>(), "byes": names(&draw.byes),
        })
    });
    let bracket = course.bracket.iter().map(|met| {
        json!({
            "round": met.round + 1, "place": met.place, "first": met.first.map(name), "second": met.second.map(name),
            "games": met.games, "points": met.quarters as f64 / 4.0, "winner": met.winner.map(name),
            "decided_by": met.winner.map(|_| decided_text(met.decided_by())),
        })
    });
    json!({
        "id": tournament.id,
        "draws": draws.collect::<Vec<_>>(),
        "over": course.over,
        "bracket": bracket.collect::<Vec<_>>(),
        "rungs": names(&course.rungs),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bracket_is_read_without_a_key() {
        let player = |name: &str| v1::Player {
            name: name.to_owned(),
            ..Default::default()
        };
        let tournament = v1::Tournament {
            players: ["a", "b", "c"].map(player).into(),
            ..Default::default()
        };
        let bye = v1::BracketEncounter {
            first: Some(0),
            winner: Some(0),
            decided_by: v1::DecidedBy::Bye.into(),
            ..Default::default()
        };
        let played = v1::BracketEncounter {
            place: 1,
            first: Some(1),
            second: Some(2),
            games: 6,
            quarters: 9,
            winner: Some(2),
            decided_by: v1::DecidedBy::FurtherPairs.into(),
            ..Default::default()
        };
        let last = v1::BracketEncounter {
            round: 1,
            first: Some(0),
            second: Some(2),
            ..Default::default()
        };
        let course = v1::CourseResponse {
            bracket: vec![bye, played, last],
            ..Default::default()
        };
        let text = outcome(&tournament, &course);
        for line in [
            "| 1     | a     | -      | 0 : 0       | 0     | a      | bye           |",
            "| 1     | b     | c      | 2.25 : 3.75 | 6     | c      | further-pairs |",
            "| final | a     | c      | 0 : 0       | 0     | -      | -             |",
        ] {
            assert!(text.contains(line), "{text}");
        }
        assert_eq!(as_json(&tournament, &course)["bracket"][1]["winner"], "c");
    }
}
