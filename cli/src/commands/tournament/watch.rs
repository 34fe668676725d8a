//! `brouhaha tournament watch`: what happens, a line each.

use std::process::ExitCode;

use anyhow::{Result, bail};
use proto::v1;
use proto::v1::tournament_event::Event;
use serde_json::json;
use tonic::Streaming;

use super::{Client, get, state_text};
use crate::client::refusal;
use crate::output::{Format, FormatArgument, points, print};
use crate::patience::{self, Patience, is_absence};
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
    let mut names = names_of(&tournament);
    let mut request = v1::WatchTournamentRequest {
        id: arguments.id,
        from_sequence: match arguments.from {
            0 => tournament.sequence,
            from => from,
        },
        progress: arguments.progress,
    };
    let mut events = client.watch(request).await.map_err(refusal)?.into_inner();
    if arguments.format.format == Format::Table {
        print(super::line(&tournament))?;
    }
    let stop = settings::stop_signal();
    tokio::pin!(stop);
    loop {
        let next = tokio::select! {
            next = next(client, &mut request, &mut events) => next?,
            () = &mut stop => return Ok(ExitCode::SUCCESS),
        };
        let Some(event) = next else { break };
        if event
            .event
            .as_ref()
            .is_some_and(|event| names_newcomer(event, names.len()))
        {
            names = names_of(&get(client, arguments.id).await?);
        }
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

/// The next event, also of a coordinator that was started again; none when the tournament is over.
async fn next(
    client: &mut Client,
    request: &mut v1::WatchTournamentRequest,
    events: &mut Streaming<v1::TournamentEvent>,
) -> Result<Option<v1::TournamentEvent>> {
    loop {
        match events.message().await {
            Ok(Some(event)) => {
                request.from_sequence = event.sequence;
                return Ok(Some(event));
            }
            // The tournament has ended, or the coordinator is stopping.
            Ok(None) => {
                let state = get(client, request.id).await.map(|now| now.state());
                let over = [
                    v1::TournamentState::Finished,
                    v1::TournamentState::Cancelled,
                ];
                if state.is_ok_and(|state| over.contains(&state)) {
                    return Ok(None);
                }
            }
            Err(status) if is_absence(&status) => {}
            Err(status) => return Err(refusal(status)),
        }
        *events = reconnect(client, request).await?;
    }
}

/// Watches again, as soon as the coordinator is there again.
async fn reconnect(
    client: &mut Client,
    request: &v1::WatchTournamentRequest,
) -> Result<Streaming<v1::TournamentEvent>> {
    eprintln!("the coordinator has gone; looking for it again");
    let mut patience = Patience::new();
    loop {
        patience.pause().await;
        match client.watch(*request).await {
            Ok(events) => return Ok(events.into_inner()),
            Err(status) if !is_absence(&status) => return Err(refusal(status)),
            Err(_) if patience.is_over() => bail!(
                "the coordinator has gone and has not come back for {} seconds; `brouhaha tournament watch {} --from {}` goes on from here",
                patience::LIMIT.as_secs(),
                request.id,
                request.from_sequence
            ),
            Err(_) => {}
        }
    }
}

fn names_of(tournament: &v1::Tournament) -> Vec<String> {
    tournament
        .players
        .iter()
        .map(|player| player.name.clone())
        .collect()
}

/// Whether an event is about a player who came in after this many.
fn names_newcomer(event: &Event, known: usize) -> bool {
    let is_new = |player: u32| player as usize >= known;
    match event {
        Event::Game(game) => is_new(game.first) || is_new(game.second),
        Event::Draw(draw) => draw
            .encounters
            .iter()
            .any(|met| is_new(met.first) || is_new(met.second)),
        _ => false,
    }
}

fn name(names: &[String], index: u32) -> &str {
    names.get(index as usize).map_or("?", String::as_str)
}

fn line(event: &Event, names: &[String]) -> String {
    match event {
        Event::Draw(draw) => {
            let met = |met: &v1::DrawnEncounter| {
                format!("{} - {}", name(names, met.first), name(names, met.second))
            };
            let met: Vec<String> = draw.encounters.iter().map(met).collect();
            format!(
                "round {}: {} ({} pairs each)",
                draw.round + 1,
                met.join(", "),
                draw.pairs
            )
        }
        Event::Players(players) => match players.withdrew.as_str() {
            "" => format!("entered: {}", players.entered.join(", ")),
            name => format!("withdrew: {name}"),
        },
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
        Event::Quarantined(engine) => format!(
            "{} is stopped: {} of {} games lost by faults of its own",
            name(names, engine.player),
            engine.faults,
            engine.games
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
        Some(Event::Quarantined(engine)) => json!({
            "sequence": sequence, "event": "quarantined", "engine": name(names, engine.player),
            "faults": engine.faults, "games": engine.games, "withdrawn": engine.withdrawn,
        }),
        Some(Event::Progress(progress)) => json!({
            "sequence": sequence, "event": "progress", "game": progress.game,
            "from_ply": progress.from_ply, "moves": progress.moves, "score_cp": progress.score_cp,
            "white_ms": progress.white_ms, "black_ms": progress.black_ms,
        }),
        Some(Event::Players(players)) => json!({
            "sequence": sequence, "event": "players", "entered": players.entered,
            "withdrew": Some(&players.withdrew).filter(|name| !name.is_empty()),
        }),
        Some(Event::Draw(draw)) => {
            let met =
                |met: &v1::DrawnEncounter| json!([name(names, met.first), name(names, met.second)]);
            json!({
                "sequence": sequence, "event": "draw", "round": draw.round + 1, "pairs": draw.pairs,
                "encounters": draw.encounters.iter().map(met).collect::<Vec<_>>(),
                "byes": draw.byes.iter().map(|&player| name(names, player)).collect::<Vec<_>>(),
            })
        }
        Some(Event::Resync(_)) | None => json!({ "sequence": sequence, "event": "resync" }),
    }
}
