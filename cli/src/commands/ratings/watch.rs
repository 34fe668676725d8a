//! `brouhaha ratings --watch`: the list again and again, also of a coordinator that is started again.

use anyhow::{Result, bail};
use proto::v1;
use tonic::Streaming;

use super::arguments::Asked;
use super::scope::{self, Found};
use super::{Client, list};
use crate::client::refusal;
use crate::output::{Format, print};
use crate::patience::{self, Patience, is_absence};
use crate::settings;

/// Prints the list whenever it has changed, until interrupted.
pub(super) async fn watch(
    client: &mut Client,
    asked: &Asked,
    ratings: v1::GetRatingsRequest,
    format: Format,
) -> Result<()> {
    let lists = follow(client, asked, ratings, format);
    tokio::select! {
        ended = lists => ended,
        () = settings::stop_signal() => Ok(()),
    }
}

async fn follow(
    client: &mut Client,
    asked: &Asked,
    mut ratings: v1::GetRatingsRequest,
    format: Format,
) -> Result<()> {
    ratings.scope = scope_with_games(client, asked).await?;
    let request = v1::WatchRatingsRequest {
        ratings: Some(ratings),
    };
    let mut last: Option<v1::RatingList> = None;
    let mut lists = begin(client, &request).await?;
    loop {
        match lists.message().await {
            Ok(Some(newer)) => {
                // A coordinator that was started again begins with a list that may be known.
                if last.as_ref().is_none_or(|last| differs(last, &newer)) {
                    show(&newer, last.is_none(), format)?;
                    last = Some(newer);
                }
                continue;
            }
            Ok(None) => {}
            Err(status) if is_absence(&status) => {}
            Err(status) => return Err(refusal(status)),
        }
        eprintln!("the coordinator has gone; looking for it again");
        lists = begin(client, &request).await?;
    }
}

fn show(list: &v1::RatingList, is_first: bool, format: Format) -> Result<()> {
    match format {
        Format::Json => print(format!("{}\n", list::as_json(list)))?,
        Format::Table => {
            let gap = if is_first { "" } else { "\n" };
            print(format!("{gap}{}", list::list(list, format)?))?;
        }
    }
    Ok(())
}

/// Whether two lists of one question say something else.
fn differs(a: &v1::RatingList, b: &v1::RatingList) -> bool {
    a.games != b.games || a.ratings != b.ratings || a.notes != b.notes
}

/// The scope, as soon as it has games.
async fn scope_with_games(client: &mut Client, asked: &Asked) -> Result<Option<v1::RatingScope>> {
    let mut patience = Patience::new();
    let mut is_told = false;
    loop {
        match scope::find(client, &asked.scope).await? {
            Found::Scope(scope) => return Ok(scope),
            Found::NoGames(what) if !is_told => {
                eprintln!("{what}; waiting for some");
                is_told = true;
            }
            Found::NoGames(_) => {}
        }
        patience.pause().await;
    }
}

/// Watches, as soon as the coordinator is there.
async fn begin(
    client: &mut Client,
    request: &v1::WatchRatingsRequest,
) -> Result<Streaming<v1::RatingList>> {
    let mut patience = Patience::new();
    loop {
        match client.watch(request.clone()).await {
            Ok(lists) => return Ok(lists.into_inner()),
            Err(status) if is_absence(&status) && patience.is_over() => bail!(
                "the coordinator has gone and has not come back for {} seconds; ask again when it runs",
                patience::LIMIT.as_secs()
            ),
            Err(status) if is_absence(&status) => {}
            Err(status) => return Err(refusal(status)),
        }
        patience.pause().await;
    }
}
