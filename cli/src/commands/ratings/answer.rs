//! Asks the coordinator and prints what it says.

use anyhow::{Context, Result};
use proto::v1::{self, cross_table_part, superiority_part};
use server::model::wire::columns::Shown;

use super::arguments::{Arguments, Asked, Query};
use super::{Client, list, players, scope, tables, watch};
use crate::client::refusal;
use crate::output::{Format, print};

/// Asks and prints.
pub(super) async fn answer(
    client: &mut Client,
    arguments: &Arguments,
    asked: &Asked,
) -> Result<()> {
    let (format, of_list) = (arguments.format, &arguments.list);
    if of_list.watch {
        let ratings = list_request(arguments, asked, None);
        return watch::watch(client, asked, ratings, format).await;
    }
    let scope = match arguments.query {
        Some(Query::Pools | Query::Sprt { .. }) => None,
        _ => scope::scope(client, &asked.scope).await?,
    };
    let ratings = || list_request(arguments, asked, scope.clone());
    let text = match &arguments.query {
        None if of_list.superiority => {
            let request = v1::SuperiorityRequest {
                ratings: Some(ratings()),
                players: of_list.player.clone(),
            };
            superiority(client, request, format).await?
        }
        None if of_list.cross_table => {
            let request = v1::CrossTableRequest {
                scope: scope.clone(),
                as_of: asked.moment.to_wire(),
                players: of_list.player.clone(),
            };
            let shown = match of_list.all_columns {
                true => Shown::All,
                false => Shown::List,
            };
            cross_table(client, request, format, shown).await?
        }
        None => {
            let answer = client.get(ratings()).await.map_err(refusal)?;
            list::list(&answer.into_inner(), format)?
        }
        Some(query) => ask(client, query, ratings(), format).await?,
    };
    print(text)?;
    Ok(())
}

fn list_request(
    arguments: &Arguments,
    asked: &Asked,
    scope: Option<v1::RatingScope>,
) -> v1::GetRatingsRequest {
    let mut request = asked.options.request(scope, &asked.moment, &asked.level);
    if let Some(options) = &mut request.options {
        options.error_bars_for = arguments.list.error_bars_for.clone();
    }
    request
}

/// Asks what a subcommand asks.
async fn ask(
    client: &mut Client,
    query: &Query,
    ratings: v1::GetRatingsRequest,
    format: Format,
) -> Result<String> {
    let confidence = ratings.confidence;
    match query {
        Query::Pools => {
            let answer = client.list_pools(v1::ListPoolsRequest {}).await;
            list::pools(&answer.map_err(refusal)?.into_inner(), format)
        }
        Query::History { player, points, .. } => {
            let request = v1::RatingHistoryRequest {
                scope: ratings.scope,
                player: player.clone(),
                points: *points,
                confidence,
                anchor: ratings.anchor,
                anchor_elo: ratings.anchor_elo,
                as_of: ratings.as_of,
                options: ratings.options,
            };
            let answer = client.history(request).await.map_err(refusal)?;
            players::history(&answer.into_inner(), format)
        }
        Query::HeadToHead {
            player, opponent, ..
        } => {
            let request = v1::HeadToHeadRequest {
                scope: ratings.scope,
                player: player.clone(),
                opponent: opponent.clone(),
                as_of: ratings.as_of,
                confidence,
            };
            let answer = client.head_to_head(request).await.map_err(refusal)?;
            players::head_to_head(player, opponent, &answer.into_inner(), format)
        }
        Query::Forecast {
            player, opponent, ..
        } => {
            let request = v1::ForecastRequest {
                ratings: Some(ratings),
                player: player.clone(),
                opponent: opponent.clone(),
            };
            let answer = client.forecast(request).await.map_err(refusal)?;
            players::forecast(&answer.into_inner(), format)
        }
        Query::Sprt { id, .. } => {
            let request = v1::SprtRequest {
                tournament_id: *id,
                confidence,
            };
            let answer = client.sprt(request).await.map_err(refusal)?;
            players::sprt(&answer.into_inner(), format)
        }
    }
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
    shown: Shown,
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
    tables::cross_table(&head, &rows, format, shown)
}
