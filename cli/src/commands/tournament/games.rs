//! `brouhaha tournament games`: as a list, as PGN, or as JSON lines.

use std::io::Write;

use anyhow::Result;
use engine::outcome::Outcome;
use engine::pgn::PgnGame;
use engine::types::Colour;
use proto::v1;
use serde_json::{Value, json};

use super::{Client, get, name, variant};
use crate::client::refusal;
use crate::output::{points, table};
use crate::standings::reason_text;

/// Code of a move without a score.
const NO_SCORE: i32 = i32::MAX;
/// Scores from here on are mates.
const FIRST_MATE: i32 = 980_000;
/// Mates count down from here, a half-move each.
const MATE: i32 = 1_000_000;

/// Arguments of `tournament games`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Number of the tournament
    id: u64,
    /// How games are written
    #[arg(long = "as", visible_alias = "format", value_enum, default_value_t = Shape::Table)]
    shape: Shape,
    /// Begin with this game
    #[arg(long, value_name = "GAME", default_value_t = 0)]
    from: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Shape {
    /// A table without moves
    Table,
    /// PGN, the five-valued result in the tag Points, scores and depths as comments
    Pgn,
    /// One JSON object a line, with everything that is stored
    Json,
}

/// Prints the games.
pub async fn run(client: &mut Client, arguments: &Arguments) -> Result<()> {
    let tournament = get(client, arguments.id).await?;
    let request = v1::StreamGamesRequest {
        id: arguments.id,
        from_game: arguments.from,
    };
    let mut games = client
        .stream_games(request)
        .await
        .map_err(refusal)?
        .into_inner();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut rows = Vec::new();
    while let Some(game) = games.message().await.map_err(refusal)? {
        match arguments.shape {
            Shape::Table => rows.push(row(&tournament, &game)),
            Shape::Pgn => write!(out, "{}", pgn(&tournament, &game))?,
            Shape::Json => writeln!(out, "{}", as_json(&tournament, &game))?,
        }
    }
    if arguments.shape == Shape::Table {
        let header = ["Game", "First", "Second", "Points", "Ended by", "Plies"];
        writeln!(out, "{}", table(&header, rows, 5))?;
    }
    out.flush()?;
    Ok(())
}

/// A game with what its message leaves open filled in.
struct Read<'a> {
    summary: v1::GameSummary,
    first: &'a str,
    second: &'a str,
    first_is_white: bool,
    reason: String,
}

fn read<'a>(tournament: &'a v1::Tournament, game: &v1::Game) -> Read<'a> {
    let summary = game.summary.clone().unwrap_or_default();
    let player = |index: u32| {
        let player = tournament.players.get(index as usize);
        player.map_or("?", |player| player.name.as_str())
    };
    Read {
        first: player(summary.first),
        second: player(summary.second),
        first_is_white: summary.first_colour() != v1::Colour::Black,
        reason: summary
            .result
            .map_or(String::new(), |result| reason_text(result.reason())),
        summary,
    }
}

fn row(tournament: &v1::Tournament, game: &v1::Game) -> Vec<String> {
    let read = read(tournament, game);
    let quarters = read.summary.first_quarters;
    vec![
        read.summary.game.to_string(),
        read.first.to_owned(),
        read.second.to_owned(),
        format!(
            "{}-{}",
            points(quarters.into()),
            points(4u32.saturating_sub(quarters).into())
        ),
        read.reason,
        read.summary.plies.to_string(),
    ]
}

fn pgn(tournament: &v1::Tournament, game: &v1::Game) -> String {
    let read = read(tournament, game);
    let result = read.summary.result.unwrap_or_default();
    let outcome = match result.outcome() {
        v1::Outcome::Win => Outcome::Win,
        v1::Outcome::Advantage => Outcome::Advantage,
        v1::Outcome::Draw | v1::Outcome::Unspecified => Outcome::Draw,
    };
    let winner = match result.winner() {
        v1::Colour::White => Some(Colour::White),
        v1::Colour::Black => Some(Colour::Black),
        v1::Colour::Unspecified => None,
    };
    let (white, black) = if read.first_is_white {
        (read.first, read.second)
    } else {
        (read.second, read.first)
    };
    let comments = comments(&game.stats.clone().unwrap_or_default());
    let first_move = game.opening_fen.rsplit(' ').next();
    let mut tags = vec![("LimitClass", tournament.limit_class.clone())];
    if let Some(evidence) = &game.evidence {
        tags.push(("Evidence", evidence.text.clone()));
    }
    let text = PgnGame {
        event: name(tournament),
        // Both games of a pair are of one round, by which readers that know no openings find them together.
        round: (read.summary.game / 2 + 1).to_string(),
        white,
        black,
        variant: variant(tournament),
        fen: &game.opening_fen,
        first: Some(if read.first_is_white {
            Colour::White
        } else {
            Colour::Black
        }),
        first_move: first_move.and_then(|text| text.parse().ok()).unwrap_or(1),
        result: Some((outcome, winner)),
        termination: &read.reason,
        moves: &game.moves,
        comments: &comments,
        tags,
        ..PgnGame::default()
    };
    text.to_string()
}

/// Comments as match runners write them: score from the mover's point of view and depth, `+0.31/12`.
fn comments(stats: &v1::MoveStats) -> Vec<String> {
    let scores = stats.scores_cp.iter().enumerate();
    let comment = |(ply, &score): (usize, &i32)| {
        let depth = stats.depths.get(ply).copied().unwrap_or(0);
        let sign = if score < 0 { '-' } else { '+' };
        let score = match score.unsigned_abs() {
            _ if score == NO_SCORE => return String::new(),
            cp if cp >= FIRST_MATE.unsigned_abs() => {
                format!("{sign}M{}", MATE.unsigned_abs().saturating_sub(cp))
            }
            cp => format!("{sign}{}.{:02}", cp / 100, cp % 100),
        };
        if depth == 0 {
            score
        } else {
            format!("{score}/{depth}")
        }
    };
    scores.map(comment).collect()
}

fn as_json(tournament: &v1::Tournament, game: &v1::Game) -> Value {
    let read = read(tournament, game);
    let stats = game.stats.clone().unwrap_or_default();
    let scores: Vec<Option<i32>> = stats
        .scores_cp
        .iter()
        .map(|&score| (score != NO_SCORE).then_some(score))
        .collect();
    let count = read.summary.result.and_then(|result| result.count);
    json!({
        "tournament": tournament.id,
        "game": read.summary.game,
        "batch": read.summary.batch,
        "generation": read.summary.generation,
        "variant": variant(tournament),
        "first": read.first,
        "second": read.second,
        "first_colour": if read.first_is_white { "white" } else { "black" },
        "first_points": f64::from(read.summary.first_quarters) / 4.0,
        "reason": read.reason,
        "count": count.map(|count| json!([count.white, count.black])),
        "opening_fen": game.opening_fen,
        "moves": game.moves,
        "scores_cp": scores,
        "depths": stats.depths,
        "nodes": stats.nodes,
        "times_ms": stats.times_ms,
        "evidence": game.evidence.as_ref().map(|evidence| json!({ "text": evidence.text, "engine_log": evidence.engine_log })),
        "worker": read.summary.worker,
        "started_unix_ms": game.started_unix_ms,
        "duration_ms": game.duration_ms,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_those_of_match_runners() {
        let stats = v1::MoveStats {
            scores_cp: vec![31, -5, 1_000_000 - 3, -(1_000_000 - 4), NO_SCORE, -1234],
            depths: vec![12, 3, 5, 6, 7, 0],
            ..Default::default()
        };
        assert_eq!(
            comments(&stats),
            ["+0.31/12", "-0.05/3", "+M3/5", "-M4/6", "", "-12.34"]
        );
    }
}
