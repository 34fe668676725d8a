//! Asks the coordinator and prints what it says.

use anyhow::{Context, Result};
use proto::v1::{self, cross_table_part, superiority_part};

use super::{Arguments, Client, Query, list, players, scope, tables};
use crate::client::refusal;
use crate::output::{Format, print};

/// Asks and prints.
pub(super) async fn answer(client: &mut Client, arguments: &Arguments) -> Result<()> {
    let format = arguments.format;
    let scope = match arguments.query {
        Some(Query::Pools | Query::Sprt { .. }) => None,
        _ => scope::scope(client, &arguments.scope).await?,
    };
    let ratings = || list_request(arguments, scope.clone());
    let text = match &arguments.query {
        None if arguments.watch => return watch(client, ratings(), format).await,
        None if arguments.superiority => {
            let request = v1::SuperiorityRequest {
                ratings: Some(ratings()),
                players: arguments.player.clone(),
            };
            superiority(client, request, format).await?
        }
        None if arguments.cross_table => {
            let request = v1::CrossTableRequest {
                scope: scope.clone(),
                as_of: arguments.moment.to_wire(),
                players: arguments.player.clone(),
            };
            cross_table(client, request, format).await?
        }
        None => {
            let answer = client.get(ratings()).await.map_err(refusal)?;
            list::list(&answer.into_inner(), format)?
        }
        Some(query) => ask(client, query, arguments, scope).await?,
    };
    print(text)?;
    Ok(())
}

fn list_request(arguments: &Arguments, scope: Option<v1::RatingScope>) -> v1::GetRatingsRequest {
    let options = &arguments.options;
    options.request(scope, &arguments.moment, arguments.confidence)
}

/// Asks what a subcommand asks.
async fn ask(
    client: &mut Client,
    query: &Query,
    arguments: &Arguments,
    scope: Option<v1::RatingScope>,
) -> Result<String> {
    let format = arguments.format;
    let confidence = arguments.confidence.unwrap_or_default();
    let as_of = arguments.moment.to_wire();
    match query {
        Query::Pools => {
            let answer = client.list_pools(v1::ListPoolsRequest {}).await;
            list::pools(&answer.map_err(refusal)?.into_inner(), format)
        }
        Query::History { player, points } => {
            let (player, points) = (player.clone(), *points);
            let request = v1::RatingHistoryRequest {
                scope,
                player,
                points,
                ..Default::default()
            };
            let answer = client.history(request).await.map_err(refusal)?;
            players::history(&answer.into_inner(), format)
        }
        Query::HeadToHead { player, opponent } => {
            let request = v1::HeadToHeadRequest {
                scope,
                player: player.clone(),
                opponent: opponent.clone(),
                as_of,
                confidence,
            };
            let answer = client.head_to_head(request).await.map_err(refusal)?;
            players::head_to_head(player, opponent, &answer.into_inner(), format)
        }
        Query::Forecast { player, opponent } => {
            let request = v1::ForecastRequest {
                ratings: Some(list_request(arguments, scope)),
                player: player.clone(),
                opponent: opponent.clone(),
            };
            let answer = client.forecast(request).await.map_err(refusal)?;
            players::forecast(&answer.into_inner(), format)
        }
        Query::Sprt { id } => {
            let request = v1::SprtRequest {
                tournament_id: *id,
                confidence,
            };
            let answer = client.sprt(request).await.map_err(refusal)?;
            players::sprt(&answer.into_inner(), format)
        }
    }
}

async fn watch(client: &mut Client, ratings: v1::GetRatingsRequest, format: Format) -> Result<()> {
    let request = v1::WatchRatingsRequest {
        ratings: Some(ratings),
    };
    let mut lists = client.watch(request).await.map_err(refusal)?.into_inner();
    let mut is_first = true;
    while let Some(newer) = lists.message().await.map_err(refusal)? {
        match format {
            Format::Json => print(format!("{}\n", list::as_json(&newer)))?,
            Format::Table => {
                let gap = if is_first { "" } else { "\n" };
                print(format!("{gap}{}", list::list(&newer, format)?))?;
            }
        }
        is_first = false;
    }
    Ok(())
}

async fn superiority(
    client: &mut Client,
    request: v1::SuperiorityRequest,
    format: Format,
) -> Result<String> {
    use superiority_part::Part;
    let mut parts = client
        .superiority(request)
        .await
        .map_err(refusal)?
        .into_inner();
    let (mut players, mut rows) = (None, Vec::new());
    while let Some(part) = parts.message().await.map_err(refusal)? {
        match part.part {
            Some(Part::List(list)) => players = Some(list),
            Some(Part::Row(row)) => rows.push(row),
            None => {}
        }
    }
    let players = players.context("the coordinator sent no list")?;
    tables::superiority(&players, &rows, format)
}

async fn cross_table(
    client: &mut Client,
    request: v1::CrossTableRequest,
    format: Format,
) -> Result<String> {
    use cross_table_part::Part;
    let mut parts = client
        .cross_table(request)
        .await
        .map_err(refusal)?
        .into_inner();
    let (mut head, mut rows) = (None, Vec::new());
    while let Some(part) = parts.message().await.map_err(refusal)? {
        match part.part {
            Some(Part::Head(first)) => head = Some(first),
            Some(Part::Row(row)) => rows.push(row),
            None => {}
        }
    }
    let head = head.context("the coordinator sent no head of the table")?;
    tables::cross_table(&head, &rows, format)
}
