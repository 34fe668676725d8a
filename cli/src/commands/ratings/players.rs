//! Answers about one or two players as text: history, games against each other, forecast, sequential test.

use anyhow::Result;
use proto::v1;
use serde_json::{Value, json};

use super::list::{basis, bound, percent, pool_text, pretty, tenth, thousandth, word};
use crate::difference::{Difference, ratio_remarks};
use crate::output::{Format, counted, points, table, tenths};

/// Points of the outcomes in a table, best first.
const OUTCOMES: [&str; 5] = ["1", "0.75", "0.5", "0.25", "0"];

fn history_json(history: &v1::RatingHistoryResponse) -> Value {
    let points = history.points.iter().map(|point| {
        json!({
            "pool_games": point.pool_games, "games": point.games, "points": point.quarters as f64 / 4.0,
            "elo": tenth(Some(point.elo)), "interval": tenth(point.interval),
            "interval_ends": ends(point.interval_low, point.interval_high),
            "perfect": point.perfect, "bound": tenth(point.bound_elo),
            "stored_unix_ms": Some(point.stored_unix_ms).filter(|&time| time > 0),
        })
    });
    let pool = history.pool.clone().unwrap_or_default();
    let variant = pool.variant.unwrap_or_default();
    json!({
        "player": history.name, "id": history.player,
        "variant": variant.id, "variant_hash": variant.hash, "limit_class": pool.limit_class,
        "confidence": history.confidence, "stored_games": history.stored_games,
        "model": word(history.model().as_str_name(), "RATING_MODEL_"),
        "error_bars": word(history.error_bars().as_str_name(), "ERROR_BARS_"),
        "points": points.collect::<Vec<_>>(), "notes": history.notes,
    })
}

/// A history as it is printed.
pub(super) fn history(history: &v1::RatingHistoryResponse, format: Format) -> Result<String> {
    if format == Format::Json {
        return pretty(&history_json(history));
    }
    let has_bounds = history.points.iter().any(|point| point.bound_elo.is_some());
    let row = |point: &v1::RatingPoint| {
        let mut row = vec![
            moment(point.stored_unix_ms),
            point.pool_games.to_string(),
            point.games.to_string(),
            points(point.quarters),
            tenths(Some(point.elo)),
            tenths(point.interval),
            tenths(point.interval_low),
            tenths(point.interval_high),
        ];
        if has_bounds {
            row.push(bound(point.quarters, point.bound_elo));
        }
        row
    };
    let mut header = vec![
        "Stored",
        "Games of the pool",
        "Own games",
        "Points",
        "Elo",
        "+-",
        "From",
        "To",
    ];
    header.extend(has_bounds.then_some("Bound"));
    let rows = history.points.iter().map(row).collect();
    let mut text = format!(
        "{}: {}, {}\n\n{}\n",
        history.name,
        pool_text(history.pool.as_ref()),
        basis(history.confidence, history.model(), history.error_bars()),
        table(&header, rows, 1)
    );
    for note in &history.notes {
        text += &format!("\nNote: {note}.\n");
    }
    Ok(text)
}

/// A time of storing to the second, or a hyphen.
fn moment(unix_ms: u64) -> String {
    let seconds = i64::try_from(unix_ms / 1_000).ok().filter(|&time| time > 0);
    let time = seconds.and_then(|time| jiff::Timestamp::from_second(time).ok());
    time.map_or("-".to_owned(), |time| time.to_string())
}

/// Both ends of an interval.
fn ends(low: Option<f64>, high: Option<f64>) -> Option<[Option<f64>; 2]> {
    low.zip(high)
        .map(|(low, high)| [tenth(Some(low)), tenth(Some(high))])
}

fn match_json(games: &v1::HeadToHeadResponse) -> Value {
    let to_three = |value: Option<f64>| value.map(|value| (value * 1000.0).round() / 1000.0 + 0.0);
    json!({
        "games": games.games, "points": games.quarters as f64 / 4.0, "outcomes": games.outcomes,
        "moved_first": games.moved_first, "moved_second": games.moved_second,
        "pair_quarters": games.pair_quarters, "level_pairs": games.level_pairs, "unpaired": games.unpaired,
        "elo": tenth(games.elo), "interval": tenth(games.interval),
        "elo_low": tenth(games.elo_low), "elo_high": tenth(games.elo_high),
        "note": Difference::from(games).note(), "confidence": games.confidence,
        "normalized_elo": tenth(games.normalized_elo),
        "normalized_interval": tenth(games.normalized_interval), "los": thousandth(games.los),
        "first_mover_score": to_three(games.first_mover_score),
        "first_mover_interval": to_three(games.first_mover_interval),
        "pairs_ratio": to_three(games.pairs_ratio),
        "pair_correlation": to_three(games.pair_correlation),
    })
}

/// Two players' games as they are printed.
pub(super) fn head_to_head(
    player: &str,
    opponent: &str,
    games: &v1::HeadToHeadResponse,
    format: Format,
) -> Result<String> {
    if format == Format::Json {
        let mut value = match_json(games);
        value["player"] = player.into();
        value["opponent"] = opponent.into();
        return pretty(&value);
    }
    let row = |name: &str, counts: &[u64]| {
        let mut row = vec![name.to_owned()];
        row.extend(counts.iter().rev().map(u64::to_string));
        row
    };
    let rows = vec![
        row("moved first", &games.moved_first),
        row("moved second", &games.moved_second),
        row("all", &games.outcomes),
    ];
    let mut header = vec![player];
    header.extend(OUTCOMES);
    let pairs: u64 = games.pair_quarters.iter().sum();
    let mut text = format!(
        "{player} against {opponent}: {} points of {} ({}), Elo difference {}\n\n{}\n",
        points(games.quarters),
        counted(games.games, "game"),
        counted(pairs, "pair"),
        Difference::from(games).text(),
        table(&header, rows, 1)
    );
    if let Some(los) = games.los {
        text += &format!(
            "\nElo from {} to {}, normalized {} +- {}. Likelihood that {player} is stronger: {}.\n",
            tenths(games.elo_low),
            tenths(games.elo_high),
            tenths(games.normalized_elo),
            tenths(games.normalized_interval),
            percent(los),
        );
    }
    if let Some(score) = games.first_mover_score {
        let interval = games.first_mover_interval.map_or(String::new(), |half| {
            format!(" +- {} ({})", percent(half), percent(games.confidence))
        });
        text += &format!(
            "\nWho moved first made {}{interval} of the points.\n",
            percent(score)
        );
    }
    Ok(text)
}

/// A forecast as it is printed.
pub(super) fn forecast(forecast: &v1::ForecastResponse, format: Format) -> Result<String> {
    let sides = [&forecast.moving_first, &forecast.moving_second];
    let [first, second] = sides.map(|side| side.clone().unwrap_or_default());
    if format == Format::Json {
        let side = |side: &v1::OutcomeForecast| {
            let shares: Vec<_> = side
                .shares
                .iter()
                .map(|share| thousandth(Some(*share)))
                .collect();
            let at_end = |points: Option<f64>, shares: &[f64]| {
                let shares = shares.iter().map(|share| thousandth(Some(*share)));
                let shares: Vec<_> = shares.collect();
                points.map(|points| json!({ "points": thousandth(Some(points)), "shares": shares }))
            };
            json!({
                "points": thousandth(Some(side.points)), "shares": shares,
                "low": at_end(side.points_low, &side.shares_low),
                "high": at_end(side.points_high, &side.shares_high),
            })
        };
        let pool = forecast.pool.clone().unwrap_or_default();
        let variant = pool.variant.unwrap_or_default();
        return pretty(&json!({
            "player": forecast.player, "opponent": forecast.opponent,
            "variant": variant.id, "variant_hash": variant.hash, "limit_class": pool.limit_class,
            "moving_first": side(&first), "moving_second": side(&second),
            "difference": tenth(Some(forecast.difference)), "interval": tenth(forecast.interval),
            "los": thousandth(forecast.los), "games": forecast.games,
            "games_between": forecast.games_between, "player_games": forecast.player_games,
            "opponent_games": forecast.opponent_games, "confidence": forecast.confidence,
        }));
    }
    let row = |name: &str, points: f64, shares: &[f64]| {
        let mut row = vec![name.to_owned(), format!("{points:.3}")];
        row.extend(shares.iter().rev().map(|share| percent(*share)));
        row
    };
    let mut rows = Vec::new();
    for (name, side) in [("moving first", &first), ("moving second", &second)] {
        rows.push(row(name, side.points, &side.shares));
        let (low, high) = (&side.shares_low, &side.shares_high);
        rows.extend(side.points_low.map(|points| row("- from", points, low)));
        rows.extend(side.points_high.map(|points| row("- to", points, high)));
    }
    let (player, opponent) = (&forecast.player, &forecast.opponent);
    let mut header = vec![player.as_str(), "Points"];
    header.extend(OUTCOMES);
    let los = forecast.los.map_or(String::new(), |los| {
        format!(", likelihood of being stronger {}", percent(los))
    });
    let mut text = format!(
        "{player} against {opponent}, {}: Elo difference {} +- {} ({}){los}\n\n{}\n\n\
         By {} games: {} of {player}, {} of {opponent}, {} with each other.\n",
        pool_text(forecast.pool.as_ref()),
        tenths(Some(forecast.difference)),
        tenths(forecast.interval),
        percent(forecast.confidence),
        table(&header, rows, 1),
        forecast.games,
        forecast.player_games,
        forecast.opponent_games,
        forecast.games_between,
    );
    if first.points_low.is_some() {
        text += "From, to: at the ends of the interval of the Elo difference.\n";
    }
    Ok(text)
}

/// A sequential test as it is printed.
pub(super) fn sprt(test: &v1::SprtResponse, format: Format) -> Result<String> {
    let state = word(test.state().as_str_name(), "SPRT_STATE_");
    let counted = test.counted.clone().unwrap_or_default();
    let unit = if test.logistic {
        "logistic"
    } else {
        "normalized"
    };
    let to_two = |value: f64| (value * 100.0).round() / 100.0 + 0.0;
    if format == Format::Json {
        return pretty(&json!({
            "base": test.base, "candidate": test.candidate,
            "elo0": test.elo0, "elo1": test.elo1, "unit": unit,
            "alpha": test.alpha, "beta": test.beta, "llr": to_two(test.llr),
            "lower": to_two(test.lower), "upper": to_two(test.upper),
            "closed_form": test.closed_form, "overshoot_corrected": test.overshoot_corrected,
            "pairs": test.pairs, "state": state, "counted": match_json(&counted),
            "elo": tenth(test.elo), "elo_low": tenth(test.elo_low), "elo_high": tenth(test.elo_high),
            "los": thousandth(test.los), "confidence": test.confidence,
        }));
    }
    let estimate = |name: &str, elo, low, high, los: Option<f64>| {
        let los = los.map_or("-".to_owned(), percent);
        vec![name.to_owned(), tenths(elo), tenths(low), tenths(high), los]
    };
    let rows = vec![
        estimate(
            "plain",
            counted.elo,
            counted.elo_low,
            counted.elo_high,
            counted.los,
        ),
        estimate(
            "median-unbiased",
            test.elo,
            test.elo_low,
            test.elo_high,
            test.los,
        ),
    ];
    let header = ["Estimate", "Elo", "From", "To", "LOS"];
    let difference = Difference::from(&counted);
    let has_spread = test.pairs == 0 || difference.has_spread();
    let mut remarks = ratio_remarks(has_spread, test.closed_form);
    if difference.note().is_some() {
        remarks += &format!("Elo: {}.\n", difference.text());
    }
    Ok(format!(
        "{} against {}: {state} after {}, LLR {} [{}, {}] for {} to {} {unit} Elo (confidence {} %)\n{remarks}\n{}\n\n\
         The plain estimate does not know that the test chose when to stop; the other one does.\n",
        test.candidate,
        test.base,
        crate::output::counted(test.pairs, "pair"),
        to_two(test.llr),
        to_two(test.lower),
        to_two(test.upper),
        test.elo0,
        test.elo1,
        test.confidence * 100.0,
        table(&header, rows, 1)
    ))
}
