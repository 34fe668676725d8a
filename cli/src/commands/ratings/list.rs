//! Rating lists and pools as text.

use anyhow::Result;
use proto::v1;
use serde_json::{Value, json};

use crate::output::{Format, table, tenths};

/// A pool as people read it.
pub(super) fn pool_text(pool: Option<&v1::RatingPool>) -> String {
    pool.map_or(String::new(), |pool| {
        let id = pool.variant.as_ref().map_or("", |variant| &variant.id);
        format!("{id}, {}", pool.limit_class)
    })
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// A number to one decimal.
pub(super) fn tenth(value: Option<f64>) -> Option<f64> {
    // Minus zero is zero.
    value.map(|value| (value * 10.0).round() / 10.0 + 0.0)
}

/// A probability to three decimals.
pub(super) fn thousandth(value: Option<f64>) -> Option<f64> {
    value.map(|value| (value * 1000.0).round() / 1000.0)
}

/// A value of an enum as people write it: `ordered-logit`.
pub(super) fn word(name: &str, prefix: &str) -> String {
    name.trim_start_matches(prefix)
        .to_lowercase()
        .replace('_', "-")
}

/// What intervals are: `intervals of 95.0 % (score model, dispersion)`.
pub(super) fn basis(confidence: f64, model: v1::RatingModel, kind: v1::ErrorBars) -> String {
    let model = word(model.as_str_name(), "RATING_MODEL_");
    match kind {
        v1::ErrorBars::None => format!("no intervals ({model} model)"),
        kind => format!(
            "intervals of {} ({model} model, {})",
            percent(confidence),
            word(kind.as_str_name(), "ERROR_BARS_")
        ),
    }
}

/// The list as JSON.
pub(super) fn as_json(list: &v1::RatingList) -> Value {
    let ratings = list.ratings.iter().map(|rating| {
            json!({
                "rank": rating.rank, "player": rating.name, "id": rating.player,
                "elo": tenth(Some(rating.elo)), "interval": tenth(rating.interval),
                "games": rating.games, "points": rating.quarters as f64 / 4.0,
                "draw_share": (rating.draw_share * 1000.0).round() / 1000.0,
                "component": rating.component, "perfect": rating.perfect,
                "los_next": thousandth(rating.los_next), "outcomes": rating.outcomes,
                "expected_points": rating.expected_points.map(|points| (points * 100.0).round() / 100.0),
                "bound": tenth(rating.bound_elo),
                "interval_ends": rating.interval_low.zip(rating.interval_high).map(|(low, high)| [tenth(Some(low)), tenth(Some(high))]),
            })
        });
    let pool = list.pool.clone().unwrap_or_default();
    let variant = pool.variant.unwrap_or_default();
    json!({
        "variant": variant.id, "variant_hash": variant.hash, "limit_class": pool.limit_class,
        "games": list.games, "confidence": list.confidence,
        "first_move_elo": tenth(list.first_move_elo),
        "first_move_interval": tenth(list.first_move_interval),
        "model": word(list.model().as_str_name(), "RATING_MODEL_"),
        "error_bars": word(list.error_bars().as_str_name(), "ERROR_BARS_"),
        "stored_games": list.stored_games, "dispersion": thousandth(list.dispersion),
        "ratings": ratings.collect::<Vec<_>>(), "notes": list.notes,
    })
}

/// The list as it is printed.
pub(super) fn list(list: &v1::RatingList, format: Format) -> Result<String> {
    if format == Format::Json {
        return pretty(&as_json(list));
    }
    // Other intervals are as long on both sides.
    let has_ends = matches!(
        list.error_bars(),
        v1::ErrorBars::Bootstrap | v1::ErrorBars::Simulation
    );
    let has_groups = list.ratings.iter().any(|rating| rating.component > 0);
    let has_bounds = list.ratings.iter().any(|rating| rating.bound_elo.is_some());
    let row = |rating: &v1::Rating| {
        let share = if rating.games == 0 {
            "-".to_owned()
        } else {
            percent(rating.quarters as f64 / 4.0 / rating.games as f64)
        };
        let mut cells = vec![rating.rank.to_string(), rating.name.clone()];
        cells.extend(has_groups.then(|| (rating.component + 1).to_string()));
        cells.extend([tenths(Some(rating.elo)), tenths(rating.interval)]);
        if has_ends {
            cells.extend([tenths(rating.interval_low), tenths(rating.interval_high)]);
        }
        if has_bounds {
            cells.push(bound(rating.quarters, rating.bound_elo));
        }
        cells.extend([
            rating.games.to_string(),
            share,
            percent(rating.draw_share),
            rating
                .los_next
                .map_or("-".to_owned(), |los| format!("{:.0} %", los * 100.0)),
        ]);
        cells
    };
    let mut header = vec!["Rank", "Player"];
    header.extend(has_groups.then_some("Group"));
    header.extend(["Elo", "+-"]);
    if has_ends {
        header.extend(["From", "To"]);
    }
    header.extend(has_bounds.then_some("Bound"));
    header.extend(["Games", "Score", "Draws", "LOS"]);
    let mut text = format!(
        "{}: {} games, {}\n\n{}\n",
        pool_text(list.pool.as_ref()),
        list.games,
        basis(list.confidence, list.model(), list.error_bars()),
        table(&header, list.ratings.iter().map(row).collect(), 2)
    );
    if let Some(elo) = list.first_move_elo {
        let interval = list.first_move_interval.map_or(String::new(), |interval| {
            format!(" +- {}", tenths(Some(interval)))
        });
        text += &format!(
            "\nMoving first is worth {}{interval} Elo.\n",
            tenths(Some(elo))
        );
    }
    for note in &list.notes {
        text += &format!("\nNote: {note}.\n");
    }
    Ok(text)
}

/// At least or at most how strong a player is that won or lost everything.
pub(super) fn bound(quarters: u64, bound_elo: Option<f64>) -> String {
    let won = quarters > 0;
    bound_elo.map_or("-".to_owned(), |elo| {
        format!("{} {}", if won { ">" } else { "<" }, tenths(Some(elo)))
    })
}

/// The pools as they are printed.
pub(super) fn pools(pools: &v1::ListPoolsResponse, format: Format) -> Result<String> {
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

/// JSON over several lines.
pub(super) fn pretty(value: &Value) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
