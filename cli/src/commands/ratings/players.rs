//! Answers about one or two players as text: history, games against each other, forecast, sequential test.

use anyhow::Result;
use proto::v1;
use serde_json::{Value, json};

use super::list::{percent, pretty, tenth, thousandth, word};
use crate::difference::{Difference, ratio_remarks};
use crate::output::{Format, points, table, tenths};

/// Points of the outcomes in a table, best first.
const OUTCOMES: [&str; 5] = ["1", "0.75", "0.5", "0.25", "0"];

/// A history as it is printed.
pub(super) fn history(history: &v1::RatingHistoryResponse, format: Format) -> Result<String> {
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
    let mut text = format!(
        "{player} against {opponent}: {} of {} points, Elo difference {}\n\n{}\n",
        points(games.quarters),
        games.games,
        Difference::from(games).text(),
        table(&header, rows, 1)
    );
    if let Some(los) = games.los {
        text += &format!(
            "\nLikelihood that {player} is stronger: {}. Normalized Elo: {} +- {}.\n",
            percent(los),
            tenths(games.normalized_elo),
            tenths(games.normalized_interval)
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
            json!({ "points": thousandth(Some(side.points)), "shares": shares })
        };
        return pretty(&json!({
            "player": forecast.player, "opponent": forecast.opponent,
            "moving_first": side(&first), "moving_second": side(&second),
            "difference": tenth(Some(forecast.difference)), "interval": tenth(forecast.interval),
            "los": thousandth(forecast.los), "games": forecast.games,
            "confidence": forecast.confidence,
        }));
    }
    let row = |name: &str, side: &v1::OutcomeForecast| {
        let mut row = vec![name.to_owned(), format!("{:.3}", side.points)];
        row.extend(side.shares.iter().rev().map(|share| percent(*share)));
        row
    };
    let rows = vec![row("moving first", &first), row("moving second", &second)];
    let mut header = vec![forecast.player.as_str(), "Points"];
    header.extend(OUTCOMES);
    let los = forecast.los.map_or(String::new(), |los| {
        format!(", likelihood of being stronger {}", percent(los))
    });
    Ok(format!(
        "{} against {}: Elo difference {} +- {}{los}, by {} games\n\n{}\n",
        forecast.player,
        forecast.opponent,
        tenths(Some(forecast.difference)),
        tenths(forecast.interval),
        forecast.games,
        table(&header, rows, 1)
    ))
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
        "{} against {}: {state} after {} pairs, LLR {} [{}, {}] for {} to {} {unit} Elo (confidence {} %)\n{remarks}\n{}\n\n\
         The plain estimate does not know that the test chose when to stop; the other one does.\n",
        test.candidate,
        test.base,
        test.pairs,
        to_two(test.llr),
        to_two(test.lower),
        to_two(test.upper),
        test.elo0,
        test.elo1,
        test.confidence * 100.0,
        table(&header, rows, 1)
    ))
}
