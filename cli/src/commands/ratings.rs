//! `brouhaha ratings`: rating lists, pools, histories, two players' games.

use std::process::ExitCode;

use anyhow::Result;
use clap::Subcommand;
use proto::v1;
use proto::v1::rating_scope::Kind;
use proto::v1::rating_service_client::RatingServiceClient;
use serde_json::{Value, json};

use crate::client::{Transport, refusal};
use crate::output::{Format, points, print, table, tenths};
use crate::settings;
use crate::site::Place;

/// Arguments of `ratings`.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  brouhaha ratings --data-dir ./brouhaha-data\n  brouhaha ratings --variant chess --limit-class nodes=20000\n  brouhaha ratings pools\n  brouhaha ratings history base\n  brouhaha ratings head-to-head base candidate"
)]
#[command(args_conflicts_with_subcommands = false)]
pub struct Arguments {
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    scope: Scope,
    /// Confidence of the intervals, above 0 and below 1
    #[arg(long, value_name = "P", default_value_t = 0.95)]
    confidence: f64,
    /// Player whose rating is set to --anchor-elo [default: the mean is]
    #[arg(long, value_name = "PLAYER")]
    anchor: Option<String>,
    /// Elo of the anchor or of the mean
    #[arg(
        long,
        value_name = "ELO",
        default_value_t = 0.0,
        allow_negative_numbers = true
    )]
    anchor_elo: f64,
    #[arg(long, value_enum, default_value_t = Format::Table, global = true, help = "How results are printed")]
    format: Format,
    #[command(subcommand)]
    query: Option<Query>,
}

/// Which games count.
#[derive(Debug, Clone, clap::Args)]
struct Scope {
    /// Only games of this tournament
    #[arg(long, value_name = "ID", global = true)]
    tournament: Option<u64>,
    /// Only games of this variant; with several pools, --limit-class too
    #[arg(long, value_name = "VARIANT", global = true)]
    variant: Option<String>,
    /// Only games under this limit, e.g. nodes=20000
    #[arg(long, value_name = "CLASS", global = true, requires = "variant")]
    limit_class: Option<String>,
}

#[derive(Debug, Subcommand)]
enum Query {
    /// The pools that have games; ratings are never mixed across them
    Pools,
    /// How a player's rating developed
    History {
        /// The player, by id or name
        player: String,
        /// Most points to show
        #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(2..=100))]
        points: u32,
    },
    /// Two players' games against each other
    HeadToHead {
        /// First player, by id or name
        player: String,
        /// Second player, by id or name
        opponent: String,
    },
}

type Client = RatingServiceClient<Transport>;

/// Runs the command.
pub fn run(arguments: Arguments) -> Result<ExitCode> {
    settings::log("warn");
    settings::runtime()?.block_on(async {
        let site = arguments.place.open().await?;
        let done = answer(&mut site.connection.ratings(), &arguments).await;
        site.close().await?;
        print(done?)?;
        Ok(ExitCode::SUCCESS)
    })
}

async fn answer(client: &mut Client, arguments: &Arguments) -> Result<String> {
    let scope = match arguments.query {
        Some(Query::Pools) => None,
        _ => scope(client, &arguments.scope).await?,
    };
    let format = arguments.format;
    match &arguments.query {
        None => {
            let request = v1::GetRatingsRequest {
                scope,
                confidence: arguments.confidence,
                anchor: arguments.anchor.clone().unwrap_or_default(),
                anchor_elo: arguments.anchor_elo,
                ..Default::default()
            };
            list(
                &client.get(request).await.map_err(refusal)?.into_inner(),
                format,
            )
        }
        Some(Query::Pools) => {
            let request = v1::ListPoolsRequest {};
            pools(
                &client
                    .list_pools(request)
                    .await
                    .map_err(refusal)?
                    .into_inner(),
                format,
            )
        }
        Some(Query::History { player, points }) => {
            let request = v1::RatingHistoryRequest {
                scope,
                player: player.clone(),
                points: *points,
            };
            history(
                &client.history(request).await.map_err(refusal)?.into_inner(),
                format,
            )
        }
        Some(Query::HeadToHead { player, opponent }) => {
            let request = v1::HeadToHeadRequest {
                scope,
                player: player.clone(),
                opponent: opponent.clone(),
                ..Default::default()
            };
            let games = client.head_to_head(request).await.map_err(refusal)?;
            head_to_head(player, opponent, &games.into_inner(), format)
        }
    }
}

/// The scope asked for; a variant alone is enough when it has one pool.
async fn scope(client: &mut Client, scope: &Scope) -> Result<Option<v1::RatingScope>> {
    let kind = match (scope.tournament, &scope.variant) {
        (Some(id), _) => Kind::TournamentId(id),
        (None, Some(variant)) => {
            let limit_class = match &scope.limit_class {
                Some(class) => class.clone(),
                None => only_class(client, variant).await?,
            };
            Kind::Pool(v1::RatingPool {
                variant: Some(v1::VariantRef {
                    id: variant.clone(),
                    hash: String::new(),
                }),
                limit_class,
            })
        }
        (None, None) => {
            only_pool(client).await?;
            return Ok(None);
        }
    };
    Ok(Some(v1::RatingScope { kind: Some(kind) }))
}

/// Refuses to choose where there are several pools, with all of them to choose from.
async fn only_pool(client: &mut Client) -> Result<()> {
    let pools = client.list_pools(v1::ListPoolsRequest {}).await;
    let pools = pools.map_err(refusal)?.into_inner().pools;
    if pools.len() < 2 {
        return Ok(());
    }
    let line = |info: &v1::PoolInfo| {
        let pool = info.pool.clone().unwrap_or_default();
        let variant = pool.variant.unwrap_or_default().id;
        let class = pool.limit_class;
        format!(
            "\n  --variant {variant} --limit-class {class}  ({} games)",
            info.games
        )
    };
    let lines: String = pools.iter().map(line).collect();
    anyhow::bail!("there are several rating pools, which are never mixed; choose one:{lines}")
}

async fn only_class(client: &mut Client, variant: &str) -> Result<String> {
    let request = v1::ListPoolsRequest {};
    let pools = client.list_pools(request).await.map_err(refusal)?;
    let pools = pools.into_inner().pools.into_iter();
    let mut classes: Vec<String> = pools
        .filter_map(|info| info.pool)
        .filter(|pool| {
            pool.variant
                .as_ref()
                .is_some_and(|known| known.id == variant)
        })
        .map(|pool| pool.limit_class)
        .collect();
    classes.dedup();
    match &classes[..] {
        [class] => Ok(class.clone()),
        [] => anyhow::bail!("no games of `{variant}` are stored"),
        several => anyhow::bail!(
            "`{variant}` was played under several limits; choose one with --limit-class: {}",
            several.join(", ")
        ),
    }
}

fn pool_text(pool: Option<&v1::RatingPool>) -> String {
    pool.map_or(String::new(), |pool| {
        let id = pool.variant.as_ref().map_or("", |variant| &variant.id);
        format!("{id}, {}", pool.limit_class)
    })
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

fn tenth(value: Option<f64>) -> Option<f64> {
    // Minus zero is zero.
    value.map(|value| (value * 10.0).round() / 10.0 + 0.0)
}

fn list(list: &v1::RatingList, format: Format) -> Result<String> {
    if format == Format::Json {
        let ratings = list.ratings.iter().map(|rating| {
            json!({
                "rank": rating.rank, "player": rating.name, "id": rating.player,
                "elo": tenth(Some(rating.elo)), "interval": tenth(rating.interval),
                "games": rating.games, "points": rating.quarters as f64 / 4.0,
                "draw_share": (rating.draw_share * 1000.0).round() / 1000.0,
                "component": rating.component, "perfect": rating.perfect,
                "los_next": rating.los_next.map(|los| (los * 1000.0).round() / 1000.0),
            })
        });
        let pool = list.pool.clone().unwrap_or_default();
        let variant = pool.variant.unwrap_or_default();
        return pretty(&json!({
            "variant": variant.id, "variant_hash": variant.hash, "limit_class": pool.limit_class,
            "games": list.games, "confidence": list.confidence,
            "first_move_elo": tenth(list.first_move_elo),
            "ratings": ratings.collect::<Vec<_>>(), "notes": list.notes,
        }));
    }
    let row = |rating: &v1::Rating| {
        let share = if rating.games == 0 {
            "-".to_owned()
        } else {
            percent(rating.quarters as f64 / 4.0 / rating.games as f64)
        };
        vec![
            rating.rank.to_string(),
            rating.name.clone(),
            tenths(Some(rating.elo)),
            tenths(rating.interval),
            rating.games.to_string(),
            share,
            percent(rating.draw_share),
            rating
                .los_next
                .map_or("-".to_owned(), |los| format!("{:.0} %", los * 100.0)),
        ]
    };
    let header = [
        "Rank", "Player", "Elo", "+-", "Games", "Score", "Draws", "LOS",
    ];
    let mut text = format!(
        "{}: {} games, intervals of {}\n\n{}\n",
        pool_text(list.pool.as_ref()),
        list.games,
        percent(list.confidence),
        table(&header, list.ratings.iter().map(row).collect(), 2)
    );
    if let Some(elo) = list.first_move_elo {
        text += &format!("\nMoving first is worth {} Elo.\n", tenths(Some(elo)));
    }
    for note in &list.notes {
        text += &format!("\nNote: {note}.\n");
    }
    Ok(text)
}

fn pools(pools: &v1::ListPoolsResponse, format: Format) -> Result<String> {
    let parts = |info: &v1::PoolInfo| {
        let pool = info.pool.clone().unwrap_or_default();
        (pool.variant.unwrap_or_default(), pool.limit_class)
    };
    if format == Format::Json {
        let pools = pools.pools.iter().map(|info| {
            let (variant, limit_class) = parts(info);
            json!({
                "variant": variant.id, "variant_hash": variant.hash, "limit_class": limit_class,
                "games": info.games, "players": info.players,
            })
        });
        return pretty(&Value::Array(pools.collect()));
    }
    let row = |info: &v1::PoolInfo| {
        let (variant, limit_class) = parts(info);
        let hash = variant.hash.chars().take(12).collect();
        let (games, players) = (info.games.to_string(), info.players.to_string());
        vec![variant.id, hash, limit_class, games, players]
    };
    let header = ["Variant", "Hash", "Limit", "Games", "Players"];
    let rows = pools.pools.iter().map(row).collect();
    Ok(format!("{}\n", table(&header, rows, 3)))
}

fn history(history: &v1::RatingHistoryResponse, format: Format) -> Result<String> {
    if format == Format::Json {
        let points = history.points.iter().map(|point| {
            json!({
                "pool_games": point.pool_games, "games": point.games,
                "elo": tenth(Some(point.elo)), "interval": tenth(point.interval),
            })
        });
        return pretty(&Value::Array(points.collect()));
    }
    let row = |point: &v1::RatingPoint| {
        vec![
            point.pool_games.to_string(),
            point.games.to_string(),
            tenths(Some(point.elo)),
            tenths(point.interval),
        ]
    };
    let header = ["Games of the pool", "Own games", "Elo", "+-"];
    let rows = history.points.iter().map(row).collect();
    Ok(format!("{}\n", table(&header, rows, 0)))
}

fn head_to_head(
    player: &str,
    opponent: &str,
    games: &v1::HeadToHeadResponse,
    format: Format,
) -> Result<String> {
    if format == Format::Json {
        return pretty(&json!({
            "player": player, "opponent": opponent, "games": games.games,
            "points": games.quarters as f64 / 4.0,
            "moved_first": games.moved_first, "moved_second": games.moved_second,
            "pair_quarters": games.pair_quarters,
            "elo": tenth(games.elo), "interval": tenth(games.interval),
        }));
    }
    let row = |name: &str, counts: &[u64]| {
        let mut row = vec![name.to_owned()];
        row.extend(counts.iter().rev().map(u64::to_string));
        row
    };
    let rows = vec![
        row("moved first", &games.moved_first),
        row("moved second", &games.moved_second),
    ];
    let header = [player, "1", "0.75", "0.5", "0.25", "0"];
    Ok(format!(
        "{player} against {opponent}: {} of {} points, Elo difference {} +- {}\n\n{}\n",
        points(games.quarters),
        games.games,
        tenths(games.elo),
        tenths(games.interval),
        table(&header, rows, 1)
    ))
}

fn pretty(value: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
