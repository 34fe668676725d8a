//! A comparison in several variants: a tournament for each, played side by side until their joint verdict.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use proto::v1;

use super::Arguments;
use super::joint::Joint;
use crate::client::{Connection, refusal};
use crate::contest::{self, Ending};
use crate::output::{Format, print};
use crate::progress::Progress;
use crate::settings;
use crate::site::Site;

/// Between two looks at the tournaments.
const LOOK: Duration = Duration::from_millis(500);
/// Least part of the time between two looks, in multiples of what a look takes.
const SHARE: u32 = 10;
/// Looks in a row at which nothing goes on before it is said that nothing will.
const STUCK: u32 = 10;

/// Compares in several variants.
pub(super) async fn compare(
    site: &mut Site,
    mut specs: Vec<v1::TournamentSpec>,
    arguments: &Arguments,
) -> Result<ExitCode> {
    for spec in &mut specs {
        site.pin(&mut spec.engines)?;
    }
    let tournaments = make(&site.connection, specs, arguments.fresh).await?;
    let ids: Vec<u64> = tournaments.iter().map(|one| one.id).collect();
    site.pause_others(&ids).await?;
    let ending = match Joint::ask(&site.connection, &ids).await?.is_over() {
        true => {
            eprintln!("this is finished; --fresh plays it again");
            // The verdict may have come while nobody watched.
            pause(&site.connection, &tournaments).await?;
            Ending::Finished
        }
        false => play(site, &tournaments).await?,
    };
    let joint = Joint::ask(&site.connection, &ids).await?;
    let shown = match arguments.format.format {
        Format::Table => joint.table(&tournaments),
        Format::Json => joint.json(&tournaments)?,
    };
    match ending {
        Ending::Finished => {
            print(shown)?;
            Ok(joint.code())
        }
        Ending::Interrupted => {
            eprint!("{shown}");
            eprintln!("interrupted: run the same command again to go on");
            Ok(ExitCode::FAILURE)
        }
    }
}

/// Makes or finds the tournament of each variant. If one is refused, those that were made are cancelled: nobody would wait for
/// their games.
async fn make(
    connection: &Connection,
    specs: Vec<v1::TournamentSpec>,
    fresh: bool,
) -> Result<Vec<v1::Tournament>> {
    let (mut tournaments, mut new) = (Vec::new(), Vec::new());
    for spec in specs {
        let variant = spec.variant.clone();
        match contest::make(connection, spec, None, fresh).await {
            Ok((tournament, existed)) => {
                new.extend((!existed).then_some(tournament.id));
                tournaments.push(tournament);
            }
            Err(error) => {
                for id in new {
                    let request = v1::CancelTournamentRequest { id };
                    // The refusal is what the user must know.
                    _ = connection.tournaments().cancel(request).await;
                }
                return Err(error.context(format!("variant `{variant}`")));
            }
        }
    }
    Ok(tournaments)
}

/// Plays until the joint verdict, or the end of all tournaments; what has not ended by then is paused.
async fn play(site: &mut Site, tournaments: &[v1::Tournament]) -> Result<Ending> {
    for tournament in tournaments {
        let variant = variant(tournament);
        match tournament.state() {
            v1::TournamentState::Finished => {}
            v1::TournamentState::Cancelled => {
                bail!("the comparison on {variant} was cancelled; --fresh plays all variants again")
            }
            _ => {
                let (stored, total) = (tournament.stored_games, tournament.total_games);
                if stored > 0 {
                    eprintln!("{variant}: going on after {stored} of {total} games");
                }
                contest::resume(&site.connection, tournament.id).await?;
            }
        }
    }
    site.start_workers()?;
    let count = |of: fn(&v1::Tournament) -> u32| -> u64 {
        tournaments.iter().map(|one| u64::from(of(one))).sum()
    };
    let total = count(|one| one.total_games);
    let stored = count(|one| one.stored_games);
    let mut progress = Progress::new("games", total, stored);
    let ending = watch(site, tournaments, &mut progress).await;
    progress.finish();
    if let Ok(Ending::Finished) = ending {
        pause(&site.connection, tournaments).await?;
    }
    ending
}

async fn watch(
    site: &mut Site,
    tournaments: &[v1::Tournament],
    progress: &mut Progress,
) -> Result<Ending> {
    let connection = site.connection.clone();
    let ids: Vec<u64> = tournaments.iter().map(|one| one.id).collect();
    let mut wait = Duration::ZERO;
    let mut stuck = 0;
    let stop = settings::stop_signal();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            () = tokio::time::sleep(wait) => {
                let now = all(&connection, &ids).await?;
                let asked = Instant::now();
                let joint = Joint::ask(&connection, &ids).await?;
                // The coordinator judges all rounds anew, which is not to be most of what it does.
                wait = LOOK.max(asked.elapsed() * SHARE);
                progress.set_with_note(now.iter().map(|one| u64::from(one.stored_games)).sum(), joint.note());
                if joint.is_over() {
                    return Ok(Ending::Finished);
                }
                stuck = if is_stuck(&now)? { stuck + 1 } else { 0 };
                if let (true, Some(first)) = (stuck >= STUCK, now.iter().find_map(|one| one.parked.first())) {
                    bail!("batches failed too often ({}); mend the cause and run the same command again", first.message);
                }
            }
            lost = site.lost() => {
                lost.context("the games played so far are stored; run the same command again to go on")?;
            }
            () = &mut stop => return Ok(Ending::Interrupted),
        }
    }
}

/// Whether batches are parked and nothing is under way: nobody will play the rest.
///
/// # Errors
/// A tournament was cancelled, or paused because of an engine's own faults.
fn is_stuck(tournaments: &[v1::Tournament]) -> Result<bool> {
    let is_cancelled = |one: &&v1::Tournament| one.state() == v1::TournamentState::Cancelled;
    if let Some(cancelled) = tournaments.iter().find(is_cancelled) {
        bail!("the comparison on {} was cancelled", variant(cancelled));
    }
    tournaments.iter().try_for_each(contest::check_stopped)?;
    let mut open = tournaments
        .iter()
        .filter(|one| one.state() != v1::TournamentState::Finished);
    Ok(open.all(|one| !one.parked.is_empty() && one.leased_batches == 0))
}

async fn all(connection: &Connection, ids: &[u64]) -> Result<Vec<v1::Tournament>> {
    let mut tournaments = Vec::with_capacity(ids.len());
    for &id in ids {
        tournaments.push(contest::get(connection, id).await?);
    }
    Ok(tournaments)
}

/// Pauses what has not ended: the joint verdict needs no more games, and a comparison of one variant may go on with them.
async fn pause(connection: &Connection, tournaments: &[v1::Tournament]) -> Result<()> {
    for tournament in tournaments {
        let id = tournament.id;
        if contest::get(connection, id).await?.state() == v1::TournamentState::Running {
            let request = v1::PauseTournamentRequest { id };
            let paused = connection.tournaments().pause(request).await;
            // It may have come to its own end meanwhile, which is as well.
            if let Err(status) = paused
                && contest::get(connection, id).await?.state() != v1::TournamentState::Finished
            {
                return Err(refusal(status));
            }
        }
    }
    Ok(())
}

/// The id of a tournament's variant.
pub(super) fn variant(tournament: &v1::Tournament) -> &str {
    let variant = tournament.variant.as_ref();
    variant.map_or("", |variant| &variant.id)
}
