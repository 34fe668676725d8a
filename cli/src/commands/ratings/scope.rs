//! Which games count.

use anyhow::Result;
use proto::v1::{self, rating_scope::Kind};

use super::Client;
use crate::client::refusal;

/// Which games count.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct Scope {
    /// Only games of this tournament; may be given several times, for tournaments of one pool
    #[arg(long, value_name = "ID", global = true, conflicts_with = "variant")]
    pub tournament: Vec<u64>,
    /// Only games of this variant; with several pools, --limit-class too
    #[arg(long, value_name = "VARIANT", global = true)]
    pub variant: Option<String>,
    /// Only games under this limit, e.g. nodes=20000
    #[arg(long, value_name = "CLASS", global = true, requires = "variant")]
    pub limit_class: Option<String>,
}

/// The scope asked for; a variant alone is enough when it has one pool.
pub(super) async fn scope(client: &mut Client, scope: &Scope) -> Result<Option<v1::RatingScope>> {
    let kind = match (&scope.tournament[..], &scope.variant) {
        ([id], _) => Kind::TournamentId(*id),
        ([_, ..], _) => Kind::Tournaments(v1::TournamentSet {
            tournament_ids: scope.tournament.clone(),
        }),
        ([], Some(variant)) => {
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
        ([], None) => {
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
