//! `brouhaha tournament watch`: what happens, a line each.

use std::process::ExitCode;

use anyhow::Result;
use proto::v1;
use proto::v1::tournament_event::Event;
use serde_json::json;

use super::{Client, get, state_text};
use crate::client::refusal;
use crate::output::{Format, FormatArgument, points, print};
use crate::settings;
use crate::standings::reason_text;

/// Arguments of `tournament watch`.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Number of the tournament
    id: u64,
    /// Show the moves of games under way too
    #[arg(long)]
    progress: bool,
    /// Show what happened after this sequence; 0 = only what happens from now on
    #[arg(long, value_name = "SEQUENCE", default_value_t = 0)]
    from: u64,
    #[command(flatten)]
    format: FormatArgument,
}

/// Prints events until the end of the tournament or a stop signal.
pub async fn run(client: &mut Client, arguments: &Arguments) -> Result<ExitCode> {
    let tournament = get(client, arguments.id).await?;
    let names: Vec<String> = tournament.players.iter().map(|p| p.name.clone()).collect();
    let request = v1::WatchTournamentRequest {
        id: arguments.id,
        from_sequence: arguments.from,
        progress: arguments.progress,
    };
    let mut events = client.watch(request).await.map_err(refusal)?.into_inner();
    if arguments.format.format == Format::Table {
        print(super::line(&tournament))?;
    }
    let stop = settings::stop_signal();
    tokio::pin!(stop);
    loop {
        let event = tokio::select! {
            event = events.message() => event.map_err(refusal)?,
            () = &mut stop => return Ok(ExitCode::SUCCESS),
        };
        let Some(event) = event else { break };
        let line = match arguments.format.format {
            Format::Table => event.event.as_ref().map(|event| line(event, &names)),
            Format::Json => Some(as_json(&event, &names).to_string()),
        };
        if let Some(line) = line {
            print(line + "\n")?;
        }
    }
    if arguments.format.format == Format::Table {
        print(super::line(&get(client, arguments.id).await?))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn name(names: &[String], index: u32) -> &str {
    names.get(index as usize).map_or("?", String::as_str)
}

fn line(event: &Event, names: &[String]) -> String {
    match event {
        Event::Game(game) => {
            let reason = game.result.map(|result| reason_text(result.reason()));
            let reason = reason.unwrap_or_default();
            format!(
                "game {}: {} {}-{} {} ({reason}, {} plies, by {})",
                game.game,
                name(names, game.first),
                points(game.first_quarters.into()),
                points(4u32.saturating_sub(game.first_quarters).into()),
                name(names, game.second),
                game.plies,
                game.worker
            )
        }
        Event::State(change) => format!(
            "state: {}, {} games stored",
            state_text(change.state()),
            change.stored_games
        ),
        Event::Parked(parked) => format!(
            "batch {} failed {} times and waits: {}",
            parked.batch, parked.attempts, parked.message
        ),
        Event::Progress(progress) => {
            let score = progress
                .score_cp
                .map(|cp| format!(" ({cp:+} cp for White)"));
            format!(
                "game {} from ply {}: {}{}",
                progress.game,
                progress.from_ply,
                progress.moves.join(" "),
                score.unwrap_or_default()
            )
        }
        Event::Resync(_) => "some events were missed".to_owned(),
    }
}

fn as_json(event: &v1::TournamentEvent, names: &[String]) -> serde_json::Value {
    let sequence = event.sequence;
    match &event.event {
        Some(Event::Game(game)) => json!({
            "sequence": sequence, "event": "game", "game": game.game,
            "first": name(names, game.first), "second": name(names, game.second),
            "first_points": f64::from(game.first_quarters) / 4.0,
            "reason": game.result.map(|result| reason_text(result.reason())),
            "plies": game.plies, "worker": game.worker,
        }),
        Some(Event::State(change)) => json!({
            "sequence": sequence, "event": "state",
            "state": state_text(change.state()), "stored_games": change.stored_games,
        }),
        Some(Event::Parked(parked)) => json!({
            "sequence": sequence, "event": "parked",
            "batch": parked.batch, "attempts": parked.attempts, "message": parked.message,
        }),
        Some(Event::Progress(progress)) => json!({
            "sequence": sequence, "event": "progress", "game": progress.game,
            "from_ply": progress.from_ply, "moves": progress.moves, "score_cp": progress.score_cp,
            "white_ms": progress.white_ms, "black_ms": progress.black_ms,
        }),
        Some(Event::Resync(_)) | None => json!({ "sequence": sequence, "event": "resync" }),
    }
}
