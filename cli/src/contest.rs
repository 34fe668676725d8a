//! Begins a tournament, or goes on with it, and follows it to its end with its progress on standard error.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use proto::v1;
use proto::v1::tournament_event::Event;

use crate::client::{Connection, refusal};
use crate::progress::Progress;
use crate::settings;
use crate::site::Site;
use crate::upload;

/// Between two looks at the tournament for the progress display.
const LOOK: Duration = Duration::from_secs(1);
/// Looks in a row at which nothing goes on before it is said that nothing will.
const STUCK: u32 = 5;

/// How it came to its end here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All is played that is to be played.
    Finished,
    /// A stop signal came.
    Interrupted,
}

/// What the name of a comparison begins with.
const COMPARISON: &str = "compare on ";

/// The name of the tournament that compares two engines.
pub fn comparison_name(variant: &str) -> String {
    format!("{COMPARISON}{variant}")
}

/// Whether `brouhaha compare` made the tournament.
pub fn is_comparison(tournament: &v1::Tournament) -> bool {
    let spec = tournament.spec.as_ref();
    spec.is_some_and(|spec| spec.name.starts_with(COMPARISON))
}

/// What the name of a tuning begins with.
const TUNING: &str = "tune on ";

/// The name of the tournament that tunes options.
pub fn tuning_name(variant: &str) -> String {
    format!("{TUNING}{variant}")
}

/// Whether `brouhaha tune spsa` made the tournament.
pub fn is_tuning(tournament: &v1::Tournament) -> bool {
    let spec = tournament.spec.as_ref();
    spec.is_some_and(|spec| spec.name.starts_with(TUNING))
}

/// Makes a tournament, or finds the one of the same specification and versions, and says on standard error which. `book` is the
/// file of its openings, if they are of one.
///
/// # Errors
/// The specification is refused, or the same tournament was cancelled.
pub async fn begin(
    site: &mut Site,
    mut spec: v1::TournamentSpec,
    book: Option<&Path>,
    fresh: bool,
) -> Result<v1::Tournament> {
    site.pin(&mut spec.engines)?;
    let (mut tournament, existed) = make(&site.connection, spec, book, fresh).await?;
    match tournament.state() {
        v1::TournamentState::Finished => eprintln!("this is finished; --fresh plays it again"),
        v1::TournamentState::Cancelled => bail!("this was cancelled; --fresh plays it again"),
        _ if existed => {
            let (stored, total) = (tournament.stored_games, tournament.total_games);
            eprintln!("going on after {stored} of {total} games");
            tournament = resume(&site.connection, tournament.id).await?;
        }
        _ if !fresh => tell_of_namesake(&site.connection, &tournament).await?,
        _ => {}
    }
    site.pause_others(&[tournament.id]).await?;
    if tournament.state() != v1::TournamentState::Finished {
        // Not before: they would begin with the others.
        site.start_workers()?;
    }
    Ok(tournament)
}

/// Makes a tournament, or finds the one of the same specification and versions, and whether it did.
pub async fn make(
    connection: &Connection,
    spec: v1::TournamentSpec,
    book: Option<&Path>,
    fresh: bool,
) -> Result<(v1::Tournament, bool)> {
    let existing = if fresh {
        v1::ExistingMode::New
    } else {
        v1::ExistingMode::Return
    };
    let request = v1::CreateTournamentRequest {
        spec: Some(spec),
        existing: existing.into(),
    };
    let created = upload::create(connection, request, book).await?;
    let tournament = created
        .tournament
        .context("the coordinator made no tournament")?;
    Ok((tournament, created.existed))
}

/// Goes on with a tournament. Also ends a pause and tries batches again that failed too often.
pub async fn resume(connection: &Connection, id: u64) -> Result<v1::Tournament> {
    let request = v1::ResumeTournamentRequest { id };
    let resumed = connection.tournaments().resume(request).await;
    Ok(resumed.map_err(refusal)?.into_inner())
}

/// Says that something has changed where there is an older tournament of the same name.
async fn tell_of_namesake(connection: &Connection, tournament: &v1::Tournament) -> Result<()> {
    let name = |tournament: &v1::Tournament| tournament.spec.as_ref().map(|spec| spec.name.clone());
    let request = v1::ListTournamentsRequest::default();
    let list = connection.tournaments().list(request).await;
    let list = list.map_err(refusal)?.into_inner().tournaments;
    let namesake =
        |other: &&v1::Tournament| other.id != tournament.id && name(other) == name(tournament);
    if let Some(other) = list.iter().find(namesake) {
        if other.spec_hash == tournament.spec_hash {
            eprintln!(
                "tournament {} of the same file was cancelled: this is a new one, with the engines of the file",
                other.id
            );
            return Ok(());
        }
        eprintln!(
            "`{}` or an engine has changed since tournament {} of that name: this is a new one",
            name(tournament).unwrap_or_default(),
            other.id
        );
    }
    Ok(())
}

/// Shows the progress until the end or a stop signal; `note` gives words beside it.
///
/// # Errors
/// It cannot come to its end: it was cancelled, its batches failed too often, or no worker is left.
pub async fn to_end(
    site: &mut Site,
    tournament: &v1::Tournament,
    note: impl AsyncFn(&Connection) -> Result<String>,
) -> Result<Ending> {
    if tournament.state() == v1::TournamentState::Finished {
        return Ok(Ending::Finished);
    }
    let (total, stored) = (tournament.total_games, tournament.stored_games);
    let mut progress = Progress::new("games", total.into(), stored.into());
    let ending = watch(site, tournament, &mut progress, &note).await;
    // What was noted last may be a second old.
    if let Ok(now) = get(&site.connection, tournament.id).await
        && let Ok(note) = note(&site.connection).await
    {
        progress.set_total(now.total_games.into());
        progress.set_with_note(now.stored_games.into(), note);
    }
    progress.finish();
    ending
}

async fn watch(
    site: &mut Site,
    tournament: &v1::Tournament,
    progress: &mut Progress,
    note: &impl AsyncFn(&Connection) -> Result<String>,
) -> Result<Ending> {
    let connection = site.connection.clone();
    let id = tournament.id;
    let request = v1::WatchTournamentRequest {
        id,
        from_sequence: tournament.sequence,
        progress: false,
    };
    let watching = connection.tournaments().watch(request).await;
    let mut events = watching.map_err(refusal)?.into_inner();
    let mut look = tokio::time::interval(LOOK);
    let mut stuck = 0;
    let mut lacking = Vec::new();
    let stop = settings::stop_signal();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            event = events.message() => match event.map_err(refusal)? {
                None => return ended(&connection, id).await,
                Some(v1::TournamentEvent { event: Some(Event::Quarantined(engine)), .. }) if engine.withdrawn => {
                    progress.say(&stopped(tournament, &engine));
                }
                Some(v1::TournamentEvent { event: Some(Event::Parked(parked)), .. }) => progress.say(&format!(
                    "batch {} failed {} times and waits: {}",
                    parked.batch, parked.attempts, parked.message
                )),
                Some(_) => {}
            },
            _ = look.tick() => {
                let now = get(&connection, id).await?;
                progress.set_total(now.total_games.into());
                progress.set_with_note(now.stored_games.into(), note(&connection).await?);
                check_stopped(&now)?;
                if now.lacking != lacking {
                    now.lacking.iter().for_each(|lack| progress.say(&format!("it waits: {lack}")));
                    lacking.clone_from(&now.lacking);
                }
                // Parked batches and nothing under way: nobody will play the rest.
                let waits = !now.parked.is_empty() && now.leased_batches == 0;
                stuck = if waits { stuck + 1 } else { 0 };
                if let (true, Some(first)) = (stuck >= STUCK, now.parked.first()) {
                    bail!(
                        "{} batches failed too often ({}); mend the cause and run the same command again",
                        now.parked.len(),
                        first.message
                    );
                }
            }
            lost = site.lost() => {
                lost.context("the games played so far are stored; run the same command again to go on")?;
            }
            () = &mut stop => return Ok(Ending::Interrupted),
        }
    }
}

/// Whether it goes on.
///
/// # Errors
/// It was paused because of an engine's own faults: nobody will resume it.
pub fn check_stopped(tournament: &v1::Tournament) -> Result<()> {
    let paused = tournament.state() == v1::TournamentState::Paused;
    let last = tournament.quarantined.last();
    match last.filter(|engine| paused && !engine.withdrawn) {
        Some(engine) => bail!("{}", stopped(tournament, engine)),
        None => Ok(()),
    }
}

/// Says of an engine that it was stopped by its own faults, and what can be done.
pub fn stopped(tournament: &v1::Tournament, engine: &v1::QuarantinedEngine) -> String {
    let remedy = if engine.withdrawn {
        "it was withdrawn, the others go on"
    } else {
        "mend it and resume, or run the same command again; `[quarantine]` in a tournament file has another rule"
    };
    format!(
        "engine `{}` is stopped: it lost {} of {} games by faults of its own (`tournament games` has the evidence): {remedy}",
        player_name(tournament, engine.player),
        engine.faults,
        engine.games
    )
}

/// The name of a player by its index.
pub fn player_name(tournament: &v1::Tournament, player: u32) -> &str {
    let player = tournament.players.get(player as usize);
    player.map_or("?", |player| player.name.as_str())
}

/// What the end of the events means.
async fn ended(connection: &Connection, id: u64) -> Result<Ending> {
    match get(connection, id).await?.state() {
        v1::TournamentState::Finished => Ok(Ending::Finished),
        v1::TournamentState::Cancelled => bail!("the tournament was cancelled"),
        _ => bail!("the coordinator is stopping; run the same command again to go on"),
    }
}

/// How a tournament is now.
pub async fn get(connection: &Connection, id: u64) -> Result<v1::Tournament> {
    let request = v1::GetTournamentRequest { id };
    let tournament = connection.tournaments().get(request).await;
    Ok(tournament.map_err(refusal)?.into_inner())
}
