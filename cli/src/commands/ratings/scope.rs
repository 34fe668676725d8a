//! Which games count.

use anyhow::{Result, bail};
use proto::v1::{self, rating_scope::Kind};

use super::Client;
use super::arguments::Group;
use crate::client::refusal;

/// Which games count.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Scope {
    /// Only games of this tournament; may be given several times, for tournaments of one pool
    #[arg(long, value_name = "ID", conflicts_with = "variant")]
    pub tournament: Vec<u64>,
    /// Only games of this variant; with several pools, --limit-class too
    #[arg(long, value_name = "VARIANT")]
    pub variant: Option<String>,
    /// Only games under this limit, e.g. nodes=20000
    #[arg(long, value_name = "CLASS", requires = "variant")]
    pub limit_class: Option<String>,
}

impl Group for Scope {
    fn given(&self) -> Option<&'static str> {
        match (&self.tournament[..], &self.variant) {
            ([_, ..], _) => Some("--tournament"),
            ([], Some(_)) => Some("--variant"),
            ([], None) => None,
        }
    }
}

/// What was found of a scope.
pub(super) enum Found {
    /// The scope; absent = the only pool there is.
    Scope(Option<v1::RatingScope>),
    /// Nothing of it was played yet; the text says so.
    NoGames(String),
}

/// The scope asked for, which has games or is of tournaments.
pub(super) async fn scope(client: &mut Client, scope: &Scope) -> Result<Option<v1::RatingScope>> {
    match find(client, scope).await? {
        Found::Scope(scope) => Ok(scope),
        Found::NoGames(what) => bail!("{what}"),
    }
}

/// Looks for the scope asked for; a variant alone is enough when it has one pool.
pub(super) async fn find(client: &mut Client, scope: &Scope) -> Result<Found> {
    let kind = match (&scope.tournament[..], &scope.variant) {
        ([id], _) => Kind::TournamentId(*id),
        ([_, ..], _) => Kind::Tournaments(v1::TournamentSet {
            tournament_ids: scope.tournament.clone(),
        }),
        ([], Some(variant)) => {
            let pools = pools(client).await?;
            match class_of(&pools, variant, scope.limit_class.as_deref())? {
                Ok(limit_class) => Kind::Pool(v1::RatingPool {
                    variant: Some(v1::VariantRef {
                        id: variant.clone(),
                        hash: String::new(),
                    }),
                    limit_class,
                }),
                Err(nothing) => return Ok(Found::NoGames(nothing)),
            }
        }
        ([], None) => {
            return match &pools(client).await?[..] {
                [] => Ok(Found::NoGames("no games are stored yet".to_owned())),
                [_] => Ok(Found::Scope(None)),
                several => bail!(
                    "there are several rating pools, which are never mixed; choose one:{}",
                    choice(several)
                ),
            };
        }
    };
    Ok(Found::Scope(Some(v1::RatingScope { kind: Some(kind) })))
}

async fn pools(client: &mut Client) -> Result<Vec<v1::PoolInfo>> {
    let pools = client.list_pools(v1::ListPoolsRequest {}).await;
    Ok(pools.map_err(refusal)?.into_inner().pools)
}

/// All pools, as arguments that choose one.
fn choice(pools: &[v1::PoolInfo]) -> String {
    let line = |info: &v1::PoolInfo| {
        let pool = info.pool.clone().unwrap_or_default();
        let variant = pool.variant.unwrap_or_default().id;
        let class = pool.limit_class;
        format!(
            "\n  --variant {variant} --limit-class {class}  ({} games)",
            info.games
        )
    };
    pools.iter().map(line).collect()
}

/// The limit class of a variant that was asked for, or the only one there is; the text of there being no games otherwise.
fn class_of(
    pools: &[v1::PoolInfo],
    variant: &str,
    wanted: Option<&str>,
) -> Result<Result<String, String>> {
    let of_variant = |pool: &&v1::RatingPool| {
        let known = pool.variant.as_ref();
        known.is_some_and(|known| known.id == variant)
    };
    let known = pools.iter().filter_map(|info| info.pool.as_ref());
    let mut classes: Vec<&str> = known
        .filter(of_variant)
        .map(|pool| pool.limit_class.as_str())
        .collect();
    classes.dedup();
    Ok(match (wanted, &classes[..]) {
        (Some(wanted), classes) if classes.contains(&wanted) => Ok(wanted.to_owned()),
        (Some(wanted), [_, ..]) => Err(format!(
            "no games of `{variant}` under `{wanted}` are stored yet, but some under {}",
            classes.join(", ")
        )),
        (Some(wanted), []) => Err(format!(
            "no games of `{variant}` under `{wanted}` are stored yet"
        )),
        (None, [class]) => Ok((*class).to_owned()),
        (None, []) => Err(format!("no games of `{variant}` are stored yet")),
        (None, several) => bail!(
            "`{variant}` was played under several limits; choose one with --limit-class: {}",
            several.join(", ")
        ),
    })
}
